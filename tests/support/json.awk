# SPDX-License-Identifier: Apache-2.0
# awk -f json.awk FILE: succeeds if FILE is one JSON value (RFC 8259), else says where it is not.
function fail(what) { if (!bad) print "no JSON at byte " at ": " what ": " substr(s, at, 40); bad = 1 }
function blanks() { while (substr(s, at, 1) ~ /^[ \t\r\n]$/) at++ }
function take(regex, what,    rest) {
    rest = substr(s, at, 4000)
    if (match(rest, regex)) at += RLENGTH; else fail(what)
}
function members(close_, keys,    c) {           # behind the opening bracket
    at++; blanks()
    if (substr(s, at, 1) == close_) { at++; return }
    while (!bad) {
        if (keys) { string(); blanks(); if (substr(s, at, 1) != ":") fail("no colon"); at++ }
        value(); c = substr(s, at, 1); at++
        if (c == close_) return
        if (c != ",") { at--; fail("no comma") }
        blanks()
    }
}
function string() { take("^\"([^\"\\\\\001-\037]|\\\\[\"\\\\/bfnrt]|\\\\u" hex hex hex hex ")*\"", "no string") }
BEGIN { hex = "[0-9a-fA-F]" }
function value(    c) {
    blanks(); c = substr(s, at, 1)
    if (c == "{") members("}", 1)
    else if (c == "[") members("]", 0)
    else if (c == "\"") string()
    else if (c ~ /[-0-9]/) take("^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?", "no number")
    else take("^(true|false|null)", "no value")
    blanks()
}
{ s = s $0 "\n" }
END { at = 1; value(); if (!bad && at <= length(s)) fail("more behind the value"); exit bad }
