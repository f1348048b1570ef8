# SPDX-License-Identifier: Apache-2.0
# solved.gp - mixers x cases: how many seeds solved each, as a bar from none to all, with the interval of the share.
#
# Columns: x, y (cell, from 1, into CASES and LINES), text (printed), and along a horizontal axis on which case x has
# the unit from x-1 to x: left, right (the bar), from, to (its interval), full (where a bar of all seeds would end).
# LEFT, RIGHT, BELOW: margins; NUMBERED: on a terminal the columns have numbers; LINES_DUMB: shorter labels for it.
load DIR . "/style.gp"
unset key
unset grid
set border 0
set tics scale 0
if (!DUMB) {
    set lmargin at screen real(LEFT) / WIDTH
    set rmargin at screen 1 - real(RIGHT) / WIDTH
    set bmargin at screen real(BELOW) / HEIGHT
    set tmargin at screen 1 - 8.0 / HEIGHT
}
set xrange [0:words(CASES)]
set yrange [words(LINES) + 0.5:0.5]
set xtics () rotate by 35 right noenhanced
set ytics () noenhanced
set for [i = 1:words(CASES)] xtics add ((DUMB && NUMBERED ? sprintf("%d", i) : word(CASES, i)) i - 0.5)
set for [i = 1:words(LINES)] ytics add (word((DUMB ? LINES_DUMB : LINES), i) i)
if (DUMB) {
    set xtics norotate
    plot IN using (column("x") - 0.5):"y":(strcol("text")) with labels
} else {
    set style fill solid 1 noborder
    plot IN using "left":"y":"left":"full":(column("y") - 0.3):(column("y") + 0.3) \
             with boxxyerror linecolor rgb "#e8ecef", \
         IN using "left":"y":"left":"right":(column("y") - 0.3):(column("y") + 0.3) \
             with boxxyerror linecolor rgb "#0072b2", \
         IN using "right":"y":"from":"to" with xerrorbars linecolor rgb "#444444" pointtype 0 linewidth 0.8, \
         IN using "full":"y":(strcol("text")) with labels left offset 0.4,0 font ",10" textcolor rgb "#222222"
}
