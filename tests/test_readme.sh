#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md says is so: its lists are the program's, its commands and make targets exist, its files are there, its
# YAML is a valid sweep, its C examples compile without a warning. Reported in Check's form. With a folder as argument
# the examples are also put there.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.." || exit 1
: "${SEQPROBE:=build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checks=0 failures=0 faults=
expect() {
    checks=$((checks + 1))
    [ "$2" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
README.md: $1"
}

sh tests/readme.sh print "$SEQPROBE" > "$work/README.md" && diff README.md "$work/README.md" > "$work/diff"
expect "its lists are not the program's (make readme writes them): $(head -n 5 "$work/diff")" $?

awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' README.md > "$work/commands"
for c in $(sed -n 's|^build/seqprobe \([a-z]*\).*|\1|p' "$work/commands" | sort -u); do
    "$SEQPROBE" "$c" --help > /dev/null 2>&1; expect "no command $c" $?
done
for t in $(sed -n 's/^make \([a-z-]*\).*/\1/p' "$work/commands" | sort -u) \
         $(grep -o '`make [a-z-]*`' README.md | tr -d '`' | cut -d' ' -f2 | sort -u); do
    grep -qE "^($t|${t%%-*}-%):.*##" Makefile; expect "no make target $t" $?
done
folders='(configs|tasks|models|runner|tests|plots|results/reference)'
for f in $(grep -oE "$folders/[a-zA-Z0-9_./-]+\.(hash|md|c|h|gp|yaml|csv|svg|png)" README.md | sort -u); do
    case $f in
    */FAMILY/*) ;;
    tasks/* | models/*) [ -e "$f" ] || echo "skipped: $f: not in this tree" ;;
    *) [ -e "$f" ]; expect "no file $f" $? ;;
    esac
done
# What only looks is run; it may name plug-ins that this tree is without.
grep -E '^build/seqprobe (list|show|help|check .*--help)' "$work/commands" | sed 's/ *#.*//; s|^build/seqprobe ||' |
    sort -u > "$work/run"
while read -r line; do
    "$SEQPROBE" $line > /dev/null 2> "$work/err" || grep -qE 'unknown (task|mixer)' "$work/err"
    expect "fails: seqprobe $line" $?
done < "$work/run"

awk '/^```yaml$/ { on = 1; next } /^```/ { on = 0 } on' README.md > "$work/readme.yaml"
"$SEQPROBE" sweep "$work/readme.yaml" --list > "$work/out" 2> "$work/err" ||
    grep -qE 'unknown (task|mixer)' "$work/err"
expect "its YAML: $(cat "$work/err")" $?

# The examples of a task and of a mixer, by the name in their head.
awk -v dir="$work/" '
    /^```c$/ { on = 1; n = 0; next }
    /^```/ && on { on = 0; next }
    on { text[++n] = $0; if (n == 2) { split($0, word, " "); file = dir word[2] ".c" }
         if (n == 2) print text[1] > file; if (n >= 2) print > file }' README.md
[ -n "$1" ] && cp "$work"/*.c "$1"               # for .ci/run: drop them into a tree
for f in "$work"/*.c; do
    ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion \
        -Wstrict-prototypes -Wmissing-prototypes -Werror -Irunner -Itasks -Imodels -fsyntax-only "$f" 2> "$work/err"
    expect "example $(basename "$f"): $(head -n 3 "$work/err")" $?
done
[ "$(ls "$work"/*.c | wc -l)" -eq 2 ]; expect "has not two C examples" $?

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
