# SPDX-License-Identifier: Apache-2.0
# cost.gp - accuracy against the cost of a run, one panel per case and one point per mixer, with the range over seeds.
#
# Columns: case_no, mixer_no (from 1, into PANELS and MIXERS), XCOLUMN and X_lo, X_hi (cost), acc, lo, hi, chance.
# SHOWN: by case, the numbers of its mixers. X: cpu or flops; XLABEL, XMIN, XMAX, TICS: the axis. CHANCES: by
# case, is there a chance.
load DIR . "/style.gp"
load DIR . "/panels.gp"
set logscale x 10
set xrange [XMIN:XMAX]
set xtics (@TICS)
if (DUMB && X eq "flops") {
    set xtics autofreq
    set format x power("10")
}
set yrange [0:1.02]
set ytics 0.25
mine(c, m) = column("case_no") == c && column("mixer_no") == int(m)
do for [c = 1:NP] {
    set title word(PANELS, c) noenhanced offset 0,-0.7
    set ylabel (left(c) ? "accuracy" : "")
    set xlabel (lowest(c) ? XLABEL : "")
    plot for [m in word(SHOWN, c)] IN using (mine(c, m) ? column(XCOLUMN) : NaN):"acc": \
            (DUMB ? column(XCOLUMN) : column(X . "_lo")):(DUMB ? column(XCOLUMN) : column(X . "_hi")): \
            (low(0)):(high(0)) with xyerrorbars linecolor rgb color(m) pointtype 0 linewidth 0.7 notitle, \
         for [m in word(SHOWN, c)] IN using (mine(c, m) ? column(XCOLUMN) : NaN):"acc" \
            with points linecolor rgb color(m) pointtype shape(m) pointsize 0.8 title word(MIXERS, int(m)), \
         IN using (column("case_no") == c ? column(XCOLUMN) : NaN):(chance(c)) smooth unique \
            with lines linecolor rgb "#888888" dashtype 2 title (CHANCE ? "chance" : "")
}
MARK = ""
load DIR . "/legend.gp"
