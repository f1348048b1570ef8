# SPDX-License-Identifier: Apache-2.0
# panels.gp - a grid of ROWS x COLS panels titled PANELS, and room of LEGEND units on the right; legend.gp ends it.
#
# On a terminal the panels follow one another, each with its own legend. LABEL_Y: the heights at which the names of the
# mixers stand beside their lines, so that the legend is left with the rest, below; or empty.
NP = words(PANELS)
NM = words(MIXERS)
LABELS = words(LABEL_Y) > 0 && !DUMB
CORNER = 1 - 1.0 * LEGEND / WIDTH
if (!DUMB) {
    set multiplot layout ROWS,COLS \
        margins screen 80.0 / WIDTH,CORNER,(LABELS ? 92.0 : 58.0) / HEIGHT,1 - 28.0 / HEIGHT \
        spacing screen 45.0 / WIDTH,62.0 / HEIGHT
    unset key
}
if (LABELS) {
    set key at screen 0.5 * CORNER,18.0 / HEIGHT center horizontal maxcols 2 maxrows 1 noenhanced samplen 2.5
    do for [m = 1:NM] {
        set label 1 + m word(MIXERS, m) at graph 1.03,first real(word(LABEL_Y, m)) left noenhanced \
            textcolor rgb color(m)
    }
}
if (TERM eq "png") { set ylabel offset 1.5,0 }  # its letters are wider than gnuplot believes
left(c) = (c - 1) % COLS == 0 || DUMB
# Chance, where it is known: else under the axis, for gnuplot warns of a line without points.
chance(c) = int(word(CHANCES, c)) ? column("chance") : -1
lowest(c) = c > NP - COLS || DUMB
