# SPDX-License-Identifier: Apache-2.0
# curves.gp - learning curves on the validation split, one panel per case: the median over seeds, and a band from the
# smallest to the largest.
#
# Columns: case_no, mixer_no (from 1, into PANELS and MIXERS), step, acc, acc_lo, acc_hi, loss, loss_lo, loss_hi,
# chance. SHOWN: by case, the numbers of its mixers. Y: acc or loss. EVERY: points of a line per shape
# drawn. STEPS: by case, the distance of tics. CHANCES: by case, is there a chance.
load DIR . "/style.gp"
load DIR . "/panels.gp"
ACC = Y eq "acc"
if (ACC) {
    set yrange [0:1.02]
    set ytics 0.25
} else {
    set logscale y 10
    set format y power("10")
}
set xrange [0:*]
set format x "%.0f"
set style fill transparent solid 0.12 noborder
shown(end) = ACC || column(Y . end) > 1e-9 ? column(Y . end) : 1e-9
mine(c, m) = column("case_no") == c && column("mixer_no") == int(m)
do for [c = 1:NP] {
    set title word(PANELS, c) noenhanced offset 0,-0.7
    set ylabel (left(c) ? (ACC ? "validation accuracy" : "validation loss") : "")
    set xlabel (lowest(c) ? "step" : "")
    set xtics real(word(STEPS, c))
    plot for [m in (DUMB ? word(word(SHOWN, c), 1) : word(SHOWN, c))] IN using \
            (mine(c, m) ? column("step") : NaN):(shown(DUMB ? "" : "_lo")):(shown(DUMB ? "" : "_hi")) \
            with filledcurves linecolor rgb color(m) notitle, \
         for [m in word(SHOWN, c)] IN using (mine(c, m) ? column("step") : NaN):(shown("")) \
            with linespoints linecolor rgb color(m) dashtype dash(m) linewidth 1.2 pointtype shape(m) pointsize 0.5 \
            pointinterval (DUMB ? 1 : EVERY) title word(MIXERS, int(m)), \
         for [i = 1:ACC] IN using (column("case_no") == c ? column("step") : NaN):(chance(c)) smooth unique \
            with lines linecolor rgb "#888888" dashtype 2 title (CHANCE ? "chance" : "")
}
CHANCE = ACC && CHANCE
MARK = ""
load DIR . "/legend.gp"
