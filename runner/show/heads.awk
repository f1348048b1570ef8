# SPDX-License-Identifier: Apache-2.0
# heads.awk - the head comments of the files named, as the C table all_heads (show.h) that `seqprobe help` prints from.
function end() { if (open) print "NULL } },"; open = 0 }
BEGIN { print "#include \"show/show.h\"\nconst Head all_heads[] = {" }
FNR == 1 {
    end()
    reading = open = /^\/\* SPDX/
    if (open) printf "{ \"%s\", (const char *const[]){ ", FILENAME
    next
}
reading {
    last = sub(/ *\*\/.*/, "")
    sub(/^ \* ?/, "")
    gsub(/[?"\\]/, "\\\\&")
    if (!last || $0 != "") printf "\"%s\",\n", $0
    reading = !last
}
END { end(); print "{ NULL, NULL } };" }
