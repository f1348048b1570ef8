#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run Check programs one after another, print their reports and the totals; fail if any failed or ran zero checks.
total=0 failures=0 programs=0 bad=0
for t in "$@"; do
    programs=$((programs + 1))
    out=$("$t" 2>&1); code=$?
    line=$(printf '%s\n' "$out" | grep -E '^[0-9]+%: Checks: ' | tail -n 1)
    n=$(printf '%s\n' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
    f=$(printf '%s\n' "$line" | sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1+\2/p')
    n=${n:-0}; f=$((${f:-0}))
    total=$((total + n)); failures=$((failures + f))
    if [ "$code" -ne 0 ] || [ "$n" -eq 0 ] || [ "$f" -ne 0 ]; then
        bad=$((bad + 1))
        printf 'FAIL %s (exit %d)\n%s\n' "$(basename "$t")" "$code" "$out"
        [ "$f" -eq 0 ] && failures=$((failures + 1))
    else
        printf 'ok   %-14s %4d checks\n' "$(basename "$t")" "$n"
        printf '%s\n' "$out" | grep -E '^(note|worst|skipped):' || true
    fi
done
[ "$programs" -gt 0 ] || { echo "no test programs"; exit 1; }
echo "$((total - failures)) passed, $failures failed"
[ "$bad" -eq 0 ]
