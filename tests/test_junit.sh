#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# support/junit.awk on what Check 0.15 writes: passed, failed, crashed and looped tests, and texts that need care.
# Reported in Check's form. xmllint, where installed, reads the result too.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
one() {  # RESULT ID ITERATION DURATION MESSAGE
    printf '    <test result="%s">\n      <path>tests</path>\n      <fn>t.c:3</fn>\n      <id>%s</id>\n' "$1" "$2"
    printf '      <iteration>%s</iteration>\n      <duration>%s</duration>\n' "$3" "$4"
    printf '      <description>case</description>\n      <message>%s</message>\n    </test>\n' "$5"
}
{
    printf '<?xml version="1.0"?>\n<testsuites xmlns="http://check.sourceforge.net/ns">\n'
    printf '  <datetime>2026-01-01 00:00:00</datetime>\n  <suite>\n    <title>a &amp; b</title>\n'
    one success ok 0 0.250000 Passed
    one failure bad 0 -1.000000 'Assertion &apos;x &lt; &quot;y&quot;&apos; "failed"
on two lines &#xA;'
    one error crash 0 -1.000000 'Received signal 6 (Aborted)'
    one success loop 1 0.500000 'result="error"'
    printf '  </suite>\n  <duration>0.75</duration>\n</testsuites>\n'
} > "$work/check.xml"
case='    <testcase classname="a &amp; b.case"' at='file="tests/t.c" line="3"'
message='Assertion &apos;x &lt; &quot;y&quot;&apos; &quot;failed&quot;&#10;on two lines &#xA;'
cat > "$work/expected" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a &amp; b" tests="4" failures="1" errors="1" skipped="0" time="0.750000">
$case name="ok[0]" $at time="0.250000"></testcase>
$case name="bad[0]" $at time="0.000000"><failure message="$message"/></testcase>
$case name="crash[0]" $at time="0.000000"><error message="Received signal 6 (Aborted)"/></testcase>
$case name="loop[1]" $at time="0.500000"></testcase>
  </testsuite>
</testsuites>
XML
awk -f "$here/support/junit.awk" "$work/check.xml" > "$work/got"
checks=1 failures=0 faults=
diff "$work/expected" "$work/got" > "$work/diff" || { failures=1; faults="
$(cat "$work/diff")"; }
if command -v xmllint > /dev/null; then
    checks=2
    xmllint --noout "$work/got" 2> "$work/err" || { failures=$((failures + 1)); faults="$faults
$(cat "$work/err")"; }
fi
echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
