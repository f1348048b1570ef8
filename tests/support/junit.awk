# SPDX-License-Identifier: Apache-2.0
# JUnit XML from the XML of Check 0.15 (CK_XML_LOG_FILE_NAME): one testcase per test and loop iteration, class
# suite.case; durations of failed tests, which Check gives as -1, become 0. Check has escaped all texts already.
function text(tag,   s, n) {
    n = length(tag) + 2
    s = index(all, "<" tag ">")
    if (!s) return ""
    s = substr(all, s + n)
    return substr(s, 1, index(s, "</" tag ">") - 1)
}
function quoted(s) { gsub(/"/, "\\&quot;", s); gsub(/\n/, "\\&#10;", s); return s }
function flush_suite() {
    if (suite == "") return
    printf "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"%.6f\">\n%s" \
           "  </testsuite>\n", quoted(suite), tests, failures, errors, time, cases
    suite = cases = ""; tests = failures = errors = time = 0
}
BEGIN { print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>" }
/<title>/ { flush_suite(); all = $0; suite = text("title") }
/<test result=/ { all = ""; inside = 1 }
inside { all = all $0 "\n" }
/<\/test>/ {
    inside = 0; tests++
    seconds = text("duration") + 0; if (seconds < 0) seconds = 0
    time += seconds
    split(text("fn"), at, ":")
    one = sprintf("    <testcase classname=\"%s.%s\" name=\"%s[%s]\" file=\"%s/%s\" line=\"%s\" time=\"%.6f\">", \
                  quoted(suite), quoted(text("description")), text("id"), text("iteration"), quoted(text("path")), \
                  quoted(at[1]), at[2], seconds)
    kind = all; sub(/>.*/, "", kind)
    if (kind ~ /failure/) { failures++; one = one "<failure message=\"" quoted(text("message")) "\"/>" }
    if (kind ~ /error/) { errors++; one = one "<error message=\"" quoted(text("message")) "\"/>" }
    cases = cases one "</testcase>\n"
}
END { flush_suite(); print "</testsuites>" }
