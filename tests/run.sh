#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run Check programs one after another, print their reports and the totals; fail if any failed or ran zero checks.
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
[ -z "$JUNIT" ] || mkdir -p "$JUNIT" || exit 1
total=0 failures=0 programs=0 bad=0
for t in "$@"; do
    programs=$((programs + 1))
    name=$(basename "$t")
    out=$([ -z "$JUNIT" ] || export CK_XML_LOG_FILE_NAME="$JUNIT/$name.check"; "$t" 2>&1); code=$?
    line=$(printf '%s\n' "$out" | grep -E '^[0-9]+%: Checks: ' | tail -n 1)
    n=$(printf '%s\n' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
    f=$(printf '%s\n' "$line" | sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1+\2/p')
    n=${n:-0}; f=$((${f:-0}))
    total=$((total + n)); failures=$((failures + f))
    fell=0
    if [ "$code" -ne 0 ] || [ "$n" -eq 0 ] || [ "$f" -ne 0 ]; then
        fell=1
        bad=$((bad + 1))
        printf 'FAIL %s (exit %d)\n%s\n' "$name" "$code" "$out"
        [ "$f" -eq 0 ] && failures=$((failures + 1))
    else
        printf 'ok   %-14s %4d checks\n' "$name" "$n"
        printf '%s\n' "$out" | grep -E '^(note|worst|skipped):' || true
    fi
    [ -z "$JUNIT" ] || junit "$name" "$fell" "$out"
done
[ "$programs" -gt 0 ] || { echo "no test programs"; exit 1; }
echo "$((total - failures)) passed, $failures failed"
[ "$bad" -eq 0 ]
