#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# House rules of this tree, then clang-format, cppcheck and clang-tidy where they are installed. Prints
# file:line: what is wrong; fails if anything was. `lint.sh TREE` checks another tree's house rules only.
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}" || exit 1
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT

ours=$(find runner tasks models tests -name '*.[ch]' 2>/dev/null | sort)
texts=$(find Makefile runner tasks models tests plots configs .ci -type f 2>/dev/null |
        grep -E '(Makefile|\.[ch]|\.sh|\.awk|\.gp|\.yaml|/run)$' | grep -vE '/(golden|configs_bad)/' | sort)
{
    # Sizes, and functions from the line of their name to the closing brace in column 1.
    awk 'FNR == 1 { if (name != "" && n > 600) print name ": " n " lines, at most 600"; name = FILENAME }
         { n = FNR }
         { line = $0; gsub(/[\200-\277]/, "", line) }
         length(line) > 120 { print FILENAME ":" FNR ": " length(line) " columns, at most 120" }
         /[ \t]$/ { print FILENAME ":" FNR ": blank at the end of the line" }
         /\t/ && FILENAME !~ /Makefile/ { print FILENAME ":" FNR ": tab" }
         /^[A-Za-z_].*\(/ { start = FNR }
         /^\{/ && FILENAME ~ /\.[ch]$/ { open = start ? start : FNR }
         /^\}/ { n_f = open ? FNR - open + 1 : 0
                if (n_f > 60) print FILENAME ":" open ": function of " n_f " lines, at most 60"
                open = 0; start = 0 }
         END { if (n > 600) print name ": " n " lines, at most 600" }' $texts
    for f in $texts; do
        head -n 3 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$f:1: no SPDX line"
    done

    for f in tests/test_*.sh; do
        [ ! -e "$f" ] || [ -x "$f" ] || echo "$f: not executable, so make test cannot run it"
    done

    # Heads of plug-ins: "name - ...", shapes or an example, a source; and what a plug-in may include.
    for f in $(ls tasks/*/*.c models/*/*.c 2>/dev/null | grep -v /common/); do
        id=$(basename "$f" .c)
        head=$(awk '{ print } /\*\// && NR > 1 { exit }' "$f")
        printf '%s\n' "$head" | grep -qE "^ ?\*? ?(/\* )?$id - ." || echo "$f:2: the head lacks '$id - what it is'"
        printf '%s\n' "$head" | grep -q 'Source' || echo "$f:2: no 'Source:' in the head"
        case $f in
        tasks/*)  printf '%s\n' "$head" | grep -qE 'input|target' || echo "$f:2: no input/target example in the head"
                  own=task.h closing=TASK ;;
        models/*) printf '%s\n' "$head" | grep -q '(B,T' || echo "$f:2: no shape (B,T,...) in the head"
                  own=mixer.h closing=MIXER ;;
        esac
        grep -qE "^$closing(_WITH)?\($id," "$f" || echo "$f: does not end in $closing($id, ...)"
        grep -nE '^#include' "$f" | grep -vE "[\"<]($own|common/[a-z0-9_]+\.h|(math|string|stdio)\.h)[\">]" |
            sed "s|^\([0-9]*\):|$f:\1: a plug-in may not have |"
    done

    # Includes point one way: base <- tape <- {ctx, theory, task, mixer} <- train <- sweep <- show <- main.
    for f in $(find runner -name '*.[ch]' | sort); do
        case $f in
        runner/base/*)  may='(base/|version\.h)' ;;
        runner/tape/*)  may='(base|tape)/' ;;
        runner/cli.h)   may='base/' ;;
        runner/train/*) may='((base|tape|train)/|(ctx|theory|task|mixer|cli)\.h)' ;;
        runner/sweep/*) may='((base|tape|train|sweep)/|(ctx|theory|task|mixer|cli)\.h)' ;;
        runner/show/*)  may='((base|tape|train|sweep|show)/|(ctx|theory|task|mixer|cli)\.h)' ;;
        runner/main.c)  may='' ;;
        *)              may='((base|tape)/|(ctx|theory|task|mixer)\.h)' ;;
        esac
        grep -nE '^#include "' "$f" | grep -vE "#include \"$may" | sed "s|^\([0-9]*\):|$f:\1: points the wrong way: |"
    done
    grep -rnE --include='*.[ch]' '#include "(\.\./)*(tasks|models)/' runner tests 2>/dev/null |
        sed 's|$| (plug-ins are seen through the registry)|'

    # No plug-in is named in the runner.
    for id in $(ls tasks/*/*.c models/*/*.c 2>/dev/null | grep -v /common/ | sed 's|.*/||; s|\.c$||'); do
        grep -rn --include='*.[ch]' "\"$id\"" runner | sed "s|\$| (names plug-in $id)|"
    done
} > "$found"
if [ -n "$1" ]; then cat "$found"; [ ! -s "$found" ]; exit; fi

sources=$(printf '%s\n' $ours | grep '\.c$')
for tool in clang-format cppcheck clang-tidy; do
    command -v $tool >/dev/null || echo "note: no $tool here, skipped"
done
if command -v clang-format >/dev/null; then
    clang-format --dry-run $sources 2>&1 | sed -n 's/: warning: code should be.*/: not as clang-format writes it/p' |
        awk -F: '!seen[$1]++' >> "$found"
fi
if command -v cppcheck >/dev/null; then
    cppcheck -q --std=c11 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem -j2 \
        --suppress=arrayIndexThenCheck --suppress=invalidPointerCast --suppress='uninitvar:runner/tape/*' \
        --suppress='nullPointer:runner/tape/*' --suppress='nullPointerArithmetic:runner/tape/*' \
        -Irunner -Itasks -Imodels -DREAL_BITS=32 --template='{file}:{line}: cppcheck: {message} [{id}]' \
        $(printf '%s\n' $sources | grep -v '^tests/') 2>> "$found"
fi
if command -v clang-tidy >/dev/null && [ "$TIDY" != 0 ]; then
    off=easily-swappable-parameters,reserved-identifier,macro-parentheses,narrowing-conversions
    off=$off,implicit-widening-of-multiplication-result,branch-clone,suspicious-string-compare,sizeof-expression
    off=$off,misplaced-widening-cast,integer-division,suspicious-missing-comma
    checks="-*,bugprone-*,-bugprone-$(echo $off | sed 's/,/,-bugprone-/g')"
    build=${BUILD:-$(dirname "$(ls build/*/version.h 2>/dev/null | head -n 1)")}
    printf '%s\n' $sources | grep -v '^tests/' | checks=$checks build=$build xargs -P2 -n8 sh -c '
        clang-tidy --quiet --checks="$checks" "$@" -- -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 \
            -Irunner -Itasks -Imodels -I"$build" -DSEQPROBE_BUILD_FLAGS=\"\"' tidy 2>/dev/null |
        sed "s|$PWD/||" | grep -E 'warning:|error:' | sort -u >> "$found"
fi
cat "$found"
[ -s "$found" ] && { echo "lint: $(wc -l < "$found") faults"; exit 1; }
echo "lint: no faults"
