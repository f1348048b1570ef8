#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command-line transcripts tests/cli/*.t (or those named as arguments), reported in Check's form.
#
#   $ seqprobe list tasks          a command for sh; commands of one file share a scratch folder
#   family  task ...               its standard output; "..." stands for any text, alone on a line for any lines
#   ! seqprobe: error: ...         its standard error
#   ? 2                            its exit code, if not 0
#   # comment                      ignored; so are empty lines at the end of a block
#   % task parity                  skip this file unless the program has this task (or mixer)
#
# SEQPROBE names the program. In a transcript $TOP is the source tree.
TOP=$(cd "$(dirname "$0")/.." && pwd); export TOP
: "${SEQPROBE:=$TOP/build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$SEQPROBE" "$work/bin/seqprobe"
PATH=$work/bin:$PATH; TERM=dumb; COLUMNS=100; LC_ALL=C; export PATH TERM COLUMNS LC_ALL
unset NO_COLOR CLICOLOR_FORCE SEQPROBE_COLOR
checks=0 failures=0 faults=

for t in "${@:-$TOP/tests/cli}"; do
    [ -d "$t" ] && set -- "$t"/*.t
done
for t in "$@"; do
    missing=$(sed -n 's/^% //p' "$t" | while read -r kind name; do
        seqprobe list "${kind}s" --format csv | cut -d, -f2 | grep -qx "$name" || echo "$kind $name"; done)
    [ -n "$missing" ] && { echo "skipped: $(basename "$t"): not built:" $missing; continue; }
    dir=$work/$(basename "$t" .t); rm -rf "$dir"; mkdir -p "$dir/x" "$dir/cwd"
    awk -v dir="$dir/x/" '
        /^[#%]/ { next }
        /^\$ / { if (n) close(f ".out"); n++; f = sprintf("%s%03d", dir, n)
                 print substr($0, 3) > (f ".cmd"); print NR > (f ".line")
                 printf "" > (f ".out"); printf "" > (f ".err")
                 print 0 > (f ".code"); close(f ".code"); close(f ".cmd"); close(f ".line"); blank = ""; next }
        !n { next }
        /^\? / { print substr($0, 3) > (f ".code"); close(f ".code"); next }
        /^! /  { print substr($0, 3) > (f ".err"); next }
        /^$/   { blank = blank "\n"; next }
        { printf "%s%s\n", blank, $0 > (f ".out"); blank = "" }' "$t"
    for cmd in "$dir"/x/*.cmd; do
        [ -f "$cmd" ] || continue
        b=${cmd%.cmd}; checks=$((checks + 1)); bad=
        (cd "$dir/cwd" && sh "$cmd") >"$b.got" 2>"$b.goterr" </dev/null; code=$?
        [ "$code" -eq "$(cat "$b.code")" ] || bad="exit code $code, expected $(cat "$b.code")"
        for s in out:got err:goterr; do
            e=$b.${s%:*} g=$b.${s#*:}
            awk -f "$TOP/tests/support/match.awk" "$e" "$g" || bad="$bad
    std${s%:*} differs (expected <, got >):
$(diff "$e" "$g" | grep '^[<>]' | head -n 20)"
        done
        [ -z "$bad" ] && continue
        failures=$((failures + 1))
        faults="$faults
$t:$(cat "$b.line"): $(cat "$cmd")
    $bad"
    done
done
[ "$checks" -gt 0 ] || { echo "no transcripts"; exit 1; }
echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
