# SPDX-License-Identifier: Apache-2.0
# state.gp - accuracy against recurrent state (reals per sequence), one panel per task, one line per mixer; shaded up to
# the memory floor.
#
# Columns: panel, mixer_no (from 1, into PANELS and MIXERS), state (reals), acc, lo, hi, chance, memory_reals (may be
# empty). SHOWN: by panel, the numbers of its mixers. XMIN, XMAX: the axis. FLOORS: by panel, the memory floor in reals,
# 0: unknown, and in words; FLOORED: is any known. CHANCES: by panel, is there a chance.
load DIR . "/style.gp"
load DIR . "/panels.gp"
set logscale x 2
set xrange [XMIN:XMAX]
set format x power("2")
set yrange [0:1.02]
set ytics 0.25
mine(p, m) = column("panel") == p && column("mixer_no") == int(m)
do for [p = 1:NP] {
    set title word(PANELS, p) noenhanced offset 0,-0.7
    set ylabel (left(p) ? "accuracy" : "")
    set xlabel (lowest(p) ? "state (reals per sequence)" : "")
    FLOOR = real(word(FLOORS, p))
    if (FLOOR > 0) {
        set object 1 rectangle from first XMIN,graph 0 to first FLOOR,graph 1 behind fillcolor rgb "#ececec" \
            fillstyle solid noborder
        set label 2 (DUMB ? "" : word(FLOOR_TEXT, p)) at first FLOOR,graph 0.5 center rotate by 90 offset 0.8,0 \
            font ",9" textcolor rgb "#666666"
        set arrow 1 from first FLOOR,graph 0 to first FLOOR,graph 1 nohead linecolor rgb "#666666" dashtype 3
    } else {
        unset object
        unset arrow
        unset label 2
    }
    plot for [m in word(SHOWN, p)] IN using (mine(p, m) ? column("state") : NaN):"acc":(low(0)):(high(0)) \
            with yerrorbars linecolor rgb color(m) pointtype 0 linewidth 0.7 notitle, \
         for [m in word(SHOWN, p)] IN using (mine(p, m) ? column("state") : NaN):"acc" \
            with linespoints linecolor rgb color(m) pointtype shape(m) dashtype dash(m) pointsize 0.9 \
            title word(MIXERS, int(m)), \
         IN using (column("panel") == p ? column("state") : NaN):(chance(p)) smooth unique \
            with lines linecolor rgb "#888888" dashtype 2 title (CHANCE ? "chance" : "")
}
unset arrow
MARK = FLOORED ? "memory floor" : ""
load DIR . "/legend.gp"
