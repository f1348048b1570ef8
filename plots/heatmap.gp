# SPDX-License-Identifier: Apache-2.0
# heatmap.gp - mixers x cases: the headline test accuracy in each cell, coloured from chance (0) to solved (1), and
# below it how many seeds solved it.
#
# Columns: x, y (cell, from 1, into the labels CASES and LINES), scaled ((accuracy - chance)/(1 - chance), the colour,
# clipped to 0..1), text (printed), ink (its colour, 0xrrggbb as a number), seeds (printed small).
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
set xrange [0.5:words(CASES) + 0.5]
set yrange [words(LINES) + 0.5:0.5]
set xtics () rotate by 35 right noenhanced
set ytics () noenhanced
set for [i = 1:words(CASES)] xtics add ((DUMB && NUMBERED ? sprintf("%d", i) : word(CASES, i)) i)
set for [i = 1:words(LINES)] ytics add (word((DUMB ? LINES_DUMB : LINES), i) i)
set cbrange [0:1]
set palette defined (0 "#f7f7f2", 0.25 "#c7e0d4", 0.5 "#7cbfb0", 0.75 "#2f8a9a", 1 "#20456e")
set cblabel "scaled accuracy"
set cbtics 0.5 scale 0.3
if (DUMB) {
    unset colorbox
    set xtics norotate
    plot IN using "x":"y":(strcol("text")) with labels
} else {
    set style fill solid 1 noborder
    plot IN using "x":"y":(0.48):(0.46):"scaled" \
             with boxxyerror linecolor palette, \
         IN using "x":"y":(strcol("text")):"ink" with labels offset 0,0.35 textcolor rgb variable, \
         IN using "x":"y":(strcol("seeds")):"ink" with labels offset 0,-0.65 font ",9" textcolor rgb variable
}
