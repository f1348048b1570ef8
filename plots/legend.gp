# SPDX-License-Identifier: Apache-2.0
# legend.gp - the legend of all panels: a panel of its own, without axes and with nothing drawn.
#
# Before it: CHANCE, a dashed grey line is explained as chance; MARK, a dotted one by these words ("": none).
if (!DUMB && !LABELS) {
    set lmargin at screen CORNER + 12.0 / WIDTH
    unset title
    set rmargin at screen 1
    set bmargin at screen 0
    set tmargin at screen 1
    unset label
    unset border
    unset tics
    unset xlabel
    unset ylabel
    unset logscale
    unset object
    unset offsets
    set key inside left top Left reverse noenhanced samplen 2.5 maxcols 1
    plot [0:1][0:1] for [m = 1:NM] NaN with linespoints linecolor rgb color(m) pointtype shape(m) dashtype dash(m) \
            title word(MIXERS, m), \
        for [i = 1:CHANCE] NaN with lines linecolor rgb "#888888" dashtype 2 title "chance", \
        for [i = 1:(strlen(MARK) > 0)] NaN with lines linecolor rgb "#666666" dashtype 3 title MARK
}
if (!DUMB) { unset multiplot }
