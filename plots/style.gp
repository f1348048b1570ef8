# SPDX-License-Identifier: Apache-2.0
# style.gp - what all figures share: terminal, CSV reading, and one look per mixer in every figure.
#
# seqprobe plot calls  gnuplot -e "DIR=..; IN=..; OUT=..; TERM=..; WIDTH=..; HEIGHT=..; ..." KIND.gp
# TERM: svg, png, pdf or dumb (WIDTH and HEIGHT in characters, OUT empty: standard output). Of the mixers drawn, in
# order: MIXERS labels and NAMES mixers, in single quotes; VARIANTS: how many rows of that mixer come before it in the
# sweep; NUMBERS: its place in the sweep.
# Colours are Okabe and Ito's (safe for the colour-blind) without yellow; shape and dash say the same without colour.
set encoding utf8
set datafile separator comma
set datafile columnheaders
set datafile missing NaN
DUMB = TERM eq "dumb"
if (TERM eq "svg") { set terminal svg size WIDTH,HEIGHT dynamic font "sans-serif,12" background "#ffffff" }
if (TERM eq "png") {
    set terminal pngcairo size 2*WIDTH,2*HEIGHT font "sans,12" fontscale 1.9 linewidth 2 pointscale 2 \
        background "#ffffff"
}
if (TERM eq "pdf") { set terminal pdfcairo size WIDTH/96.0,HEIGHT/96.0 font "sans,9" fontscale 1 }
if (DUMB) { set terminal dumb size WIDTH,HEIGHT noenhanced }
if (strlen(OUT)) { set output OUT }
set colorsequence podo

# Number of a look: 7 colours; looks 8-14 are open shapes with a dashed line, 15-21 dotted. A further row of the same
# mixer keeps its colour and takes another shape and dash. Mixers not in the table take the looks from the end, by their
# place in the sweep.
KNOWN = "|attention=101|lstm=102|mamba=103|mingru=104|gla=105|delta_net=106|gated_delta_net=107|" . \
    "delta_product=108|linear_attention=109|rwkv7=110|slstm=111|gru=112|mamba2=113|retnet=114|elman=115|" . \
    "mlstm=116|hyena=117|h3=118|s4d=119|lru=120|based=121|"
place(name) = strstrt(KNOWN, "|" . name . "=")
# (three digits, for gnuplot reads 08 as a bad octal number)
known(name) = place(name) ? int(substr(KNOWN, place(name) + strlen(name) + 2, place(name) + strlen(name) + 4)) - 100 : 0
look(i) = (known(word(NAMES, int(i))) ? known(word(NAMES, int(i))) : 21 - (int(word(NUMBERS, int(i))) - 1) % 13) \
    + 21 * int(word(VARIANTS, int(i)))
array COLORS[7] = [ 0x000000, 0xe69f00, 0x56b4e9, 0x009e73, 0x0072b2, 0xd55e00, 0xcc79a7 ]
array SHAPES[21] = [ 7, 5, 9, 11, 13, 15, 2, 6, 4, 8, 10, 12, 14, 1, 13, 9, 5, 7, 15, 11, 3 ]
array DASHES[6] = [ 1, 2, 3, 4, 5, 6 ]
color(i) = COLORS[(look(i) - 1) % 21 % 7 + 1]
shape(i) = SHAPES[((look(i) - 1) % 21 + 3 * ((look(i) - 1) / 21)) % 21 + 1]
dash(i) = DASHES[look(i) > 21 ? (look(i) - 1) / 21 % 5 + 2 : look(i) <= 7 ? 1 : look(i) <= 14 ? 2 : 3]

# Powers of a base as labels of an axis.
power(base) = DUMB ? base . "^%L" : base . "^{%L}"

# Interval bars; none on the terminal.
low(x) = DUMB ? column("acc") : column("lo")
high(x) = DUMB ? column("acc") : column("hi")

set border 3 linecolor rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set grid ytics linecolor rgb "#dddddd" linewidth 0.5
if (DUMB) { set key outside right top noenhanced samplen 1 }
if (!DUMB) { set key outside right top Left reverse noenhanced samplen 2.5 maxcols 1 }
