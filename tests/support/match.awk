# SPDX-License-Identifier: Apache-2.0
# awk -f match.awk EXPECTED ACTUAL: succeeds if ACTUAL matches EXPECTED line by line. "..." in an expected line stands
# for any text; a line that is only "..." stands for any number of lines. Blanks at the end of lines do not count.
function line_matches(want, got,    n, part, i, at)
{
    if (index(want, "...") == 0) return want == got
    n = split(want, part, /\.\.\./)
    if (substr(got, 1, length(part[1])) != part[1]) return 0
    got = substr(got, length(part[1]) + 1)
    for (i = 2; i < n; i++) {
        at = part[i] == "" ? 1 : index(got, part[i])
        if (!at) return 0
        got = substr(got, at + length(part[i]))
    }
    return length(got) >= length(part[n]) && substr(got, length(got) - length(part[n]) + 1) == part[n]
}
# Lines i.. of want against lines j.. of got.
function matches(i, j)
{
    for (; i <= n_want; i++) {
        if (want[i] == "...") {
            for (; j <= n_got + 1; j++) if (matches(i + 1, j)) return 1
            return 0
        }
        if (j > n_got || !line_matches(want[i], got[j])) return 0
        j++
    }
    return j == n_got + 1
}
{ sub(/[ \t]+$/, "") }
FILENAME == ARGV[1] { want[++n_want] = $0; next }
{ got[++n_got] = $0 }
END { exit !matches(1, 1) }
