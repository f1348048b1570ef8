# SPDX-License-Identifier: Apache-2.0
# length.gp - accuracy against length, one panel per case: interval bars, chance, and the longest training length.
#
# Columns: case, mixer (labels), len (tokens), acc, lo, hi, chance, train_len. CASES: labels in single quotes.
load DIR . "/style.gp"
NC = words(CASES)
NM = words(MIXERS)
set logscale x 2
set yrange [0:1.02]
set ytics 0.25
set xlabel "length (tokens)"
set ylabel "accuracy"
if (!DUMB) { set multiplot layout ROWS,COLS margins screen 0.07,0.80,0.12,0.93 spacing screen 0.05,0.16 }
if (!DUMB) { set key at screen 0.82,0.95 left top }
do for [c = 1:NC] {
    name = word(CASES, c)
    set label 1 name at graph 0.5,1.07 center noenhanced
    if (c == 2 && !DUMB) { unset key }
    plot for [m = 1:NM] IN using \
            (strcol("case") eq name && strcol("mixer") eq word(MIXERS, m) ? column("len") : NaN):"acc":"lo":"hi" \
            with yerrorlines linecolor rgb color(look(word(MIXERS, m), m)) pointtype shape(look(word(MIXERS, m), m)) \
            dashtype dash(look(word(MIXERS, m), m)) pointsize 0.6 title word(MIXERS, m), \
         IN using (strcol("case") eq name ? column("len") : NaN):"chance" \
            with lines linecolor rgb "#888888" dashtype 2 title "chance", \
         IN using (strcol("case") eq name ? column("train_len") : NaN):(1.02) \
            with impulses linecolor rgb "#aaaaaa" dashtype 3 title "trained up to"
}
if (!DUMB) { unset multiplot }
