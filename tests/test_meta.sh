#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests of the tests: a failing program, a crash and an empty one must be noticed, and so must a wrong transcript and a
# tree that breaks the house rules. Reported in Check's form. CC: the compiler; SEQPROBE: the program.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checks=0 failures=0 faults=
# expect WHAT CONDITION-EXIT-CODE
expect() {
    checks=$((checks + 1))
    [ "$2" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
not noticed: $1"
}
noticed() { [ "$2" -ne 0 ]; expect "$1" $?; }

# Three real Check programs: one passes, one fails, one has no checks.
cat > "$work/t.c" <<'C'
#include <check.h>
#include <stdlib.h>
START_TEST(sum) { ck_assert_int_eq(1 + 1, SUM); }
END_TEST
int main(void)
{
    Suite *s = suite_create("meta");
    TCase *c = tcase_create("meta");
    suite_add_tcase(s, c);
#ifdef SUM
    tcase_add_test(c, sum);
#endif
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    return srunner_ntests_failed(r) ? EXIT_FAILURE : EXIT_SUCCESS;
}
C
sed '/START_TEST/,/END_TEST/d' "$work/t.c" > "$work/e.c"
build() { ${CC:-cc} "$2" $3 -o "$work/$1" $(pkg-config --cflags --libs check) 2>"$work/log" || cat "$work/log"; }
build good "$work/t.c" -DSUM=2; build bad "$work/t.c" -DSUM=3; build empty "$work/e.c"
printf '#!/bin/sh\nkill -SEGV $$\n' > "$work/crash"
# Right report, wrong exit code.
printf '#!/bin/sh\necho "100%%: Checks: 1, Failures: 0, Errors: 0"; exit 1\n' > "$work/liar"
chmod +x "$work/crash" "$work/liar"

sh "$here/run.sh" "$work/good" > "$work/out"; expect "a good program passes" $?
grep -qx '1 passed, 0 failed' "$work/out"; expect "the totals of a good program" $?
for t in bad empty crash liar missing; do
    sh "$here/run.sh" "$work/$t" "$work/good" > "$work/out" 2>&1; noticed "$t program" $?
    grep -q 'passed, [1-9][0-9]* failed' "$work/out"; expect "a failure counted for $t" $?
done
sh "$here/run.sh" > /dev/null; noticed "no programs at all" $?

transcript() { printf '%b' "$2" > "$work/x.t"; sh "$here/test_cli.sh" "$work/x.t" > "$work/out" 2>&1; }
transcript right '$ echo a b; echo c\na ...\n...\n'; expect "a right transcript" $?
transcript "" '$ echo a\nb\n'; noticed "wrong output" $?
transcript "" '$ echo a; echo b\na\n'; noticed "more output" $?
transcript "" '$ echo a\na\nb\n'; noticed "less output" $?
transcript "" '$ echo a >&2\n'; noticed "unexpected standard error" $?
transcript "" '$ exit 3\n'; noticed "wrong exit code" $?
transcript "" '$ echo ab\na...c\n'; noticed "no match of a wildcard" $?
transcript "" '# nothing\n'; noticed "no transcripts" $?

# A tree with one fault of each kind.
lint() { sh "$here/lint.sh" "$work/tree" > "$work/out" 2>&1; }
fault() {
    lint; noticed "lint: $1" $?
    grep -q "$2" "$work/out"; expect "lint names: $1" $?
}
tree() {
    rm -rf "$work/tree"
    T=$work/tree/tasks/fam/foo.c M=$work/tree/models/fam/bar.c R=$work/tree/runner
    mkdir -p "$R/base" "$R/train" "$(dirname "$T")" "$(dirname "$M")"
    spdx='/* SPDX-License-Identifier: Apache-2.0\n *'
    printf "$spdx t.c - x */\n" > "$R/base/t.c"
    printf "$spdx foo - x\n * input 1 target 1\n * Source: y */\n#include \"task.h\"\nTASK(foo, \"\", \"\")\n" > "$T"
    printf "$spdx bar - x\n * y (B,T,D)\n * Source: y */\n#include \"mixer.h\"\nMIXER(bar, \"\", \"\")\n" > "$M"
}
tree; lint; expect "lint: a clean tree" $?
tree; echo '/* x */' > "$R/base/u.c"; fault "no SPDX line" 'u.c:1: no SPDX'
tree; awk 'BEGIN { for (i = 0; i < 601; i++) print "" }' >> "$R/base/t.c"; fault "long file" '603 lines'
tree; awk 'BEGIN { printf "int x(void)\n{\n"; for (i = 0; i < 58; i++) print "    ;"; print "}" }' \
    >> "$R/base/t.c"
fault "long function" 'function of 61 lines'
tree; awk 'BEGIN { for (i = 0; i < 121; i++) printf "x" }' >> "$R/base/t.c"; fault "long line" '121 columns'
tree; echo '#include "train/train.h"' >> "$R/base/t.c"; fault "include upwards" 'points the wrong way'
tree; echo '#include "tasks/fam/foo.c"' >> "$R/train/t.c"; fault "include of a plug-in" 'through the registry'
tree; echo 'const char *s = "foo";' >> "$R/base/t.c"; fault "plug-in named in the runner" 'names plug-in foo'
tree; sed -i 's/Source/See/' "$T"; fault "task without source" "no 'Source:'"
tree; sed -i 's/input/in/; s/target/out/' "$T"; fault "task without example" 'no input/target'
tree; sed -i 's/(B,T,D)//' "$M"; fault "mixer without shapes" 'no shape'
tree; sed -i 's/bar - x//' "$M"; fault "head without a name" "lacks 'bar"
tree; echo '#include <stdlib.h>' >> "$M"; fault "plug-in includes stdlib.h" 'may not have'

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
