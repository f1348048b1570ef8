# SPDX-License-Identifier: Apache-2.0
# awk -f csv.awk FILE: succeeds if FILE is CSV as this program writes it: one header of snake_case names, as many cells
# in every row, quotes only where needed, no comments, no nan, inf or NA for what is missing, a newline at the end.
function fail(what) { print "line " NR ": " what ": " substr($0, 1, 60); bad = 1; exit 1 }
function cells(line,    n, c) {
    for (n = 0; ; ) {
        if (match(line, /^"([^"]|"")*"/)) {
            c = substr(line, 2, RLENGTH - 2); line = substr(line, RLENGTH + 1)
            if (c !~ /[",]/) fail("quotes that are not needed")
        } else {
            match(line, /^[^,]*/); c = substr(line, 1, RLENGTH); line = substr(line, RLENGTH + 1)
            if (c ~ /"/) fail("a quote inside of a cell")
            if (tolower(c) ~ /^-?(nan|inf|infinity|na|null)$/) fail("'" c "' for what is missing")
        }
        cell[++n] = c
        if (line == "") return n
        if (substr(line, 1, 1) != ",") fail("text behind a quoted cell")
        line = substr(line, 2)
    }
}
NR == 1 { cols = cells($0) }
NR == 1 { for (i = 1; i <= cols; i++) if (cell[i] !~ /^[a-z][a-z0-9_]*$/) fail("header '" cell[i] "'") }
NR > 1 && cells($0) != cols { fail("not " cols " cells") }
END { if (!bad && NR == 0) { print "empty"; exit 1 } exit bad }
