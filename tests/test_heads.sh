#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `seqprobe help task NAME` and `help mixer NAME` print the head comment of the plug-in's file, and those of the common
# headers that it names, from the program alone: a copy of it, in an empty folder. Reported in Check's form.
TOP=$(cd "$(dirname "$0")/.." && pwd)
: "${SEQPROBE:=$TOP/build/seqprobe}"
: "${CC:=cc}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checks=0 failures=0 faults=
expect() {
    checks=$((checks + 1))
    [ "$1" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
$2"
}
mkdir "$work/empty" && cp "$SEQPROBE" "$work/seqprobe" && cd "$work/empty" || exit 1
seqprobe() { COLUMNS=200 SEQPROBE_DATA='' "$work/seqprobe" "$@"; }
# head FILE title|body: its head comment without frame, on one line
head_text() {
    sed -n '2,/\*\//p' "$TOP/$1" | sed 's/ *\*\/.*//; s/^ \* \{0,1\}//' |
        awk -v want="$2" '$0 == "" && !body { body = 1; next } (want == "body") == (body + 0 == 1)' | tr -s ' \n' ' ' |
        sed 's/^ //; s/ $//'
}
# has TEXT WHAT: the page holds it, whatever the line breaks
has() {
    case $page in *"$1"*) expect 0 ;; *) expect 1 "$2: not in the help: $(printf '%s' "$1" | cut -c1-60)" ;; esac
}

for kind in task mixer; do
    seqprobe list ${kind}s --format csv > list.csv; expect $? "list ${kind}s"
    for name in $(sed '1s/.*//; s/^[^,]*,//; s/,.*//' list.csv); do
        page=$(seqprobe help $kind "$name" | tr -s ' \n' ' ')
        file=$(printf '%s' "$page" | grep -o "\(tasks\|models\)/[a-z0-9_]*/$name\.c, version" | sed 's/,.*//')
        [ -f "$TOP/$file" ]; expect $? "help $kind $name names no file"
        [ -f "$TOP/$file" ] || continue
        title=$(head_text "$file" title) body=$(head_text "$file" body)
        [ -n "$title" ] && [ ${#body} -gt 40 ]; expect $? "$file: no head comment"
        what=$(printf '%s' "${title#* - }" | cut -c2-)          # its first letter is a capital in the help
        what=${what%.}
        has "$what" "$file"
        has "$body" "$file"
        for shared in $(printf '%s' "$title $body" | grep -o 'common/[a-z_]*\.h' | sort -u); do
            shared=${file%%/*}/$shared
            [ -f "$TOP/$shared" ] || continue
            has "${shared%/*}/$(head_text "$shared" title)" "$file"
            has "$(head_text "$shared" body)" "$file"
        done
    done
done
[ $checks -gt 40 ]; expect $? "only $checks checks"
seqprobe list models --format csv | cmp -s - list.csv; expect $? "list models is not list mixers"

# Every character arrives as it is.
mkdir f && cat > f/odd.c <<'END'
/* SPDX-License-Identifier: Apache-2.0
 * odd - "quoted", back\slash \n %d, trigraph ??/ and ??=, ± and \"both\"
 *
 *   indented
 * last */
#include "not a head"
END
awk -f "$TOP/runner/show/heads.awk" f/odd.c > heads.c; expect $? "heads.awk"
{ echo '#include <stdio.h>'
  echo 'typedef struct Head { const char *file; const char *const *line; } Head;'
  sed 1d heads.c
  echo 'int main(void) { puts(all_heads[0].file); for (const char *const *l = all_heads[0].line; *l; l++) puts(*l);'
  echo 'return all_heads[1].file != 0; }'; } > main.c
$CC -std=c11 -Wall -Werror main.c -o odd 2> err && ./odd > out; expect $? "the table of heads: $(head -n 3 err)"
{ echo f/odd.c; sed -n '2,4p' f/odd.c | sed 's/^ \* \{0,1\}//'; echo last; } | cmp - out > err
expect $? "heads: $(cat err)"

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
