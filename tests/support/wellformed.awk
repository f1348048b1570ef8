# SPDX-License-Identifier: Apache-2.0
# wellformed.awk - is a page well-formed, self-contained and free of scripts? One line per fault.
#
# Every tag is closed in order (or closes itself), attributes are quoted and unique, '&' begins an entity, an id
# occurs once, what refers to an id finds it, nothing is loaded from elsewhere, every <th> has a scope, every <table> a
# caption.
function fault(text) { print "line " line ": " text }
{ text = text $0 "\n" }
END {
    for (pos = 1; pos <= length(text);) {
        rest = substr(text, pos, 65536)
        open = index(rest, "<")
        if (!open && length(rest) == 65536) open = 65536
        between = open ? substr(rest, 1, open - 1) : rest
        line += gsub(/\n/, "\n", between)
        if (!css) check_entities(between)
        if (css && between ~ /@import|url\(/) fault("the style sheet loads something")
        if (!open) break
        pos += open - 1
        close_at = index(substr(text, pos, 65536), ">")
        if (!close_at) { fault("a tag is never closed"); break }
        tag(substr(text, pos + 1, close_at - 2))
        pos += close_at
    }
    while (depth) fault("<" stack[depth--] "> is never closed")
    for (name in target) if (!(name in seen)) fault("#" name " is nowhere")
    if (!tags) fault("no tags")
}
function check_entities(s) {
    gsub(/&(amp|lt|gt|quot|#[0-9]+);/, "", s)
    if (s ~ /&/) fault("a bare '&'")
}
function tag(t,    name, attributes, key, value, quote, end, own) {
    tags++
    line += gsub(/\n/, "\n", t)
    if (t ~ /^!DOCTYPE/) return
    if (t ~ /^\//) {
        sub(/^\/[ \n]*/, "", t); sub(/[ \n]*$/, "", t)
        if (stack[depth] != t) fault("</" t "> where <" stack[depth] "> is open")
        if (t == "table" && !caption) fault("a table without a caption")
        if (depth) depth--
        if (t == "style") css = 0
        return
    }
    match(t, /^[a-zA-Z][a-zA-Z0-9:]*/)
    if (RLENGTH < 1) { fault("a bare '<'"); return }
    name = substr(t, 1, RLENGTH)
    attributes = substr(t, RLENGTH + 1)
    own = attributes ~ /\/$/
    sub(/\/$/, "", attributes)
    delete has
    while (match(attributes, /^[ \n\t]+[a-zA-Z][-a-zA-Z0-9:]*[ \n]*=[ \n]*["']/)) {
        key = substr(attributes, 1, RLENGTH)
        quote = substr(key, length(key))
        gsub(/[ \n\t="']/, "", key)
        attributes = substr(attributes, RLENGTH + 1)
        end = index(attributes, quote)
        if (!end) { fault("an unquoted value of " key); return }
        value = substr(attributes, 1, end - 1)
        attributes = substr(attributes, end + 1)
        if (key in has) fault("two attributes " key)
        has[key] = value
        attribute(name, key, value)
    }
    if (attributes !~ /^[ \n\t]*$/) fault("what is this in <" name ">: " attributes)
    if (name == "script" || name == "iframe" || name == "object" || name == "link") fault("<" name ">")
    if (name == "th" && !("scope" in has)) fault("a <th> without a scope")
    if (name == "svg" && !("aria-label" in has)) fault("an <svg> without a label")
    if (name == "table") caption = 0
    if (name == "caption") caption = 1
    if (name == "style" && !own) css = 1
    if (!own) stack[++depth] = name
}
function attribute(name, key, value,    n) {
    check_entities(value)
    if (value ~ /</) fault("a bare '<' in " key)
    if (key == "id") {
        if (value in seen) fault("the id " value " twice")
        seen[value] = 1
    }
    if (key ~ /^on/) fault("a script in " key)
    if (key == "src" || key == "srcset" || key == "data") fault(key " loads " value)
    if ((key == "href" || key == "xlink:href") && value ~ /^#/) target[substr(value, 2)] = 1
    else if (key == "xlink:href" || (key == "href" && value ~ /^[a-z]+:/)) fault(key " leads out: " value)
    if (key == "aria-labelledby") target[value] = 1
    while (match(value, /url\(["']?[^)]*\)/)) {
        n = substr(value, RSTART + 4, RLENGTH - 5)
        gsub(/["']/, "", n)
        if (n ~ /^#/) target[substr(n, 2)] = 1
        else fault("url(" n ")")
        value = substr(value, RSTART + RLENGTH)
    }
}
