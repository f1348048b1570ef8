# SPDX-License-Identifier: Apache-2.0
# length.gp - accuracy against length, one panel per case: interval bars, chance, and the longest training length.
#
# Columns: case_no, mixer_no (from 1, into the labels CASES and MIXERS), len (as the task counts it), acc, lo, hi,
# chance, train_len. ROWS x COLS panels; LEGEND: width of the legend; SHOWN: by case, the numbers of its mixers.
load DIR . "/style.gp"
NC = words(CASES)
NM = words(MIXERS)
RIGHT = 1 - 1.0 * LEGEND / WIDTH
set logscale x 2
set yrange [0:1.02]
set ytics 0.25
set format x "%.0f"
set offsets graph 0.04,graph 0.04,0,0
if (!DUMB) {
    set multiplot layout ROWS,COLS margins screen 55.0 / WIDTH,RIGHT,58.0 / HEIGHT,1 - 28.0 / HEIGHT \
        spacing screen 45.0 / WIDTH,62.0 / HEIGHT
    unset key
}
do for [c = 1:NC] {
    set label 1 word(CASES, c) at graph 0.5,1.07 center noenhanced
    set ylabel ((c - 1) % COLS == 0 || DUMB ? "accuracy" : "")
    set xlabel (c > NC - COLS || DUMB ? "length" : "")
    plot for [m in word(SHOWN, c)] IN using \
            (column("case_no") == c && column("mixer_no") == int(m) ? column("len") : NaN):"acc":(low(0)):(high(0)) \
            with yerrorbars linecolor rgb color(look(word(MIXERS, int(m)), int(m))) pointtype 0 linewidth 0.7 notitle, \
         for [m in word(SHOWN, c)] IN using \
            (column("case_no") == c && column("mixer_no") == int(m) ? column("len") : NaN):"acc" \
            with linespoints linecolor rgb color(look(word(MIXERS, int(m)), int(m))) \
            pointtype shape(look(word(MIXERS, int(m)), int(m))) dashtype dash(look(word(MIXERS, int(m)), int(m))) \
            pointsize 0.6 title word(MIXERS, int(m)), \
         IN using (column("case_no") == c ? column("len") : NaN):"chance" smooth unique \
            with lines linecolor rgb "#888888" dashtype 2 title "chance", \
         IN using (column("case_no") == c ? column("train_len") : NaN):(1.02) smooth unique \
            with impulses linecolor rgb "#666666" dashtype 3 title "trained up to"
}
if (!DUMB) {
    # The legend is a panel of its own, without axes and with nothing drawn.
    set lmargin at screen RIGHT
    set rmargin at screen 1
    set bmargin at screen 0
    set tmargin at screen 1
    unset label
    unset border
    unset tics
    unset xlabel
    unset ylabel
    unset logscale
    set key inside left top Left reverse noenhanced samplen 2.5
    unset offsets
    plot [0:1][0:1] for [m = 1:NM] NaN with linespoints linecolor rgb color(look(word(MIXERS, m), m)) \
            pointtype shape(look(word(MIXERS, m), m)) dashtype dash(look(word(MIXERS, m), m)) title word(MIXERS, m), \
         NaN with lines linecolor rgb "#888888" dashtype 2 title "chance", \
         NaN with lines linecolor rgb "#666666" dashtype 3 title "trained up to"
    unset multiplot
}
