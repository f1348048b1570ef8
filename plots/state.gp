# SPDX-License-Identifier: Apache-2.0
# state.gp - accuracy against recurrent state (reals per sequence), one line per mixer.
#
# Columns: mixer_no (from 1, into the labels MIXERS), state (reals), acc, lo, hi, chance. XMIN, XMAX: the axis.
load DIR . "/style.gp"
NM = words(MIXERS)
set logscale x 2
set xrange [XMIN:XMAX]
set format x "2^{%L}"
set yrange [0:1.02]
set ytics 0.25
set xlabel "state (reals per sequence)"
set ylabel "accuracy"
plot for [m = 1:NM] IN using (column("mixer_no") == m ? column("state") : NaN):"acc":(low(0)):(high(0)) \
        with yerrorbars linecolor rgb color(look(word(MIXERS, m), m)) pointtype 0 linewidth 0.7 notitle, \
     for [m = 1:NM] IN using (column("mixer_no") == m ? column("state") : NaN):"acc" \
        with linespoints linecolor rgb color(look(word(MIXERS, m), m)) pointtype shape(look(word(MIXERS, m), m)) \
        dashtype dash(look(word(MIXERS, m), m)) pointsize 0.9 title word(MIXERS, m), \
     IN using "state":"chance" smooth unique with lines linecolor rgb "#888888" dashtype 2 title "chance"
