#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run Check programs, one per processor at a time (TEST_JOBS), print their reports as they end and then the totals; fail
# if any failed or ran zero checks.
# JUNIT=FOLDER also leaves FOLDER/NAME.xml for CI systems; a script without Check's XML is one test case there.
junit() {  # NAME FAILED OUTPUT
    if [ -s "$JUNIT/$1.check" ]; then awk -f "$(dirname "$0")/support/junit.awk" "$JUNIT/$1.check"; else
        printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="%s" tests="1" failures="%d" ' \
            "$1" "$2"
        printf 'errors="0" skipped="0" time="0">\n    <testcase classname="%s" name="%s" time="0">' "$1" "$1"
        [ "$2" -eq 0 ] || printf '<failure message="see the text">%s</failure>' "$(printf '%s\n' "$3" |
            LC_ALL=C tr -d '\000-\010\013-\037' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')"
        printf '</testcase>\n  </testsuite>\n</testsuites>\n'
    fi > "$JUNIT/$1.xml"
    rm -f "$JUNIT/$1.check"
}
one() {  # FOLDER PROGRAM: its report to stdout, "CHECKS FAILURES BAD" into FOLDER
    name=$(basename "$2") fell=0
    out=$([ -z "$JUNIT" ] || export CK_XML_LOG_FILE_NAME="$JUNIT/$name.check"; "$2" 2>&1); code=$?
    line=$(printf '%s\n' "$out" | grep -E '^[0-9]+%: Checks: ' | tail -n 1)
    n=$(printf '%s\n' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
    f=$(printf '%s\n' "$line" | sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1+\2/p')
    n=${n:-0}; f=$((${f:-0}))
    if [ "$code" -ne 0 ] || [ "$n" -eq 0 ] || [ "$f" -ne 0 ]; then
        fell=1
        printf 'FAIL %s (exit %d)\n%s\n' "$name" "$code" "$out"
        [ "$f" -eq 0 ] && f=1
    else
        printf 'ok   %-14s %4d checks\n' "$name" "$n"
        printf '%s\n' "$out" | grep -E '^(note|worst|skipped):' || true
    fi > "$1/$name.text"
    [ -z "$JUNIT" ] || junit "$name" "$fell" "$out"
    cat "$1/$name.text"
    echo "$n $f $fell" > "$1/$name.sum"
}
if [ "$1" = --one ]; then one "$2" "$3"; exit 0; fi
[ -z "$JUNIT" ] || mkdir -p "$JUNIT" || exit 1
[ $# -gt 0 ] || { echo "no test programs"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# Signals that our caller ignores (nohup, a job in the background) would be ignored by the programs under test as well.
fresh='env --default-signal=HUP,INT,QUIT,TERM,USR1,PIPE'
$fresh true 2> /dev/null || fresh=
# The scripts come last and take longest: they are started first.
printf '%s\n' "$@" | sed '1!G;h;$!d' |
    xargs -n 1 -P "${TEST_JOBS:-$(nproc 2> /dev/null || echo 2)}" $fresh sh "$0" --one "$work"
total=0 failures=0 bad=0
for t in "$@"; do
    n=0 f=1 fell=1  # a program that left no sum was lost
    read -r n f fell < "$work/$(basename "$t").sum" || echo "FAIL $t: no report"
    total=$((total + n)); failures=$((failures + f)); bad=$((bad + fell))
done
echo "$((total - failures)) passed, $failures failed"
[ "$bad" -eq 0 ]
