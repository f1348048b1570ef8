# SPDX-License-Identifier: Apache-2.0
# length.gp - accuracy against length, one panel per case: interval bars, chance, and the longest training length.
#
# Columns: case_no, mixer_no (from 1, into PANELS and MIXERS), len (as the task counts it), acc, lo, hi, chance,
# train_len. SHOWN: by case, the numbers of its mixers. FAR: lengths are long numbers.
# CHANCES: by case, is there a chance.
load DIR . "/style.gp"
load DIR . "/panels.gp"
set logscale x 2
set yrange [0:1.02]
set ytics 0.25
set format x (FAR ? power("2") : "%.0f")
set offsets graph 0.04,graph 0.04,0,0
mine(c, m) = column("case_no") == c && column("mixer_no") == int(m)
do for [c = 1:NP] {
    set title word(PANELS, c) noenhanced offset 0,-0.7
    set ylabel (left(c) ? "accuracy" : "")
    set xlabel (lowest(c) ? "length" : "")
    plot for [m in word(SHOWN, c)] IN using (mine(c, m) ? column("len") : NaN):"acc":(low(0)):(high(0)) \
            with yerrorbars linecolor rgb color(m) pointtype 0 linewidth 0.7 notitle, \
         for [m in word(SHOWN, c)] IN using (mine(c, m) ? column("len") : NaN):"acc" \
            with linespoints linecolor rgb color(m) pointtype shape(m) dashtype dash(m) pointsize 0.6 \
            title (LABELS ? "" : word(MIXERS, int(m))), \
         IN using (column("case_no") == c ? column("len") : NaN):(chance(c)) smooth unique \
            with lines linecolor rgb "#888888" dashtype 2 title (CHANCE ? "chance" : ""), \
         IN using (column("case_no") == c ? column("train_len") : NaN):(1.02) smooth unique \
            with impulses linecolor rgb "#666666" dashtype 3 title "trained up to"
}
MARK = "trained up to"
load DIR . "/legend.gp"
