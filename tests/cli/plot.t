# Figures of a small selected.csv: the numbers drawn, and files of the right kind.
$ mkdir -p results/demo && cp $TOP/tests/cli/selected.csv results/demo && ln -s $TOP/plots plots

$ seqprobe plot demo
results/demo/figures/heatmap.csv
results/demo/figures/heatmap.svg
results/demo/figures/heatmap.png
results/demo/figures/heatmap-longest.csv
results/demo/figures/heatmap-longest.svg
results/demo/figures/heatmap-longest.png
results/demo/figures/length.csv
results/demo/figures/length.svg
results/demo/figures/length.png

$ cat results/demo/figures/heatmap.csv
x,y,case,mixer,acc,scaled,text,ink,seeds
1,1,easy,"net, one",0.9973,0.9946,0.99,16777215,2/3
2,1,hard,"net, one",0.26,0.0133333333,0.26,2236962,0/3
1,2,easy,other ±,1,1,1.00,16777215,3/3

$ cat results/demo/figures/heatmap-longest.csv
x,y,case,mixer,acc,scaled,text,ink,seeds
1,1,easy,"net, one",0.62,0.24,0.62,2236962,2/3
1,2,easy,other ±,1,1,1.00,16777215,3/3

$ cat results/demo/figures/length.csv
case_no,mixer_no,case,mixer,len,acc,lo,hi,chance,train_len
1,1,easy,"net, one",40,0.9973,0.71,1,0.5,40
1,1,easy,"net, one",160,0.62,0.5,1,0.5,40
1,2,easy,other ±,40,1,1,1,0.5,40
1,2,easy,other ±,160,1,1,1,0.5,40

$ cat results/demo/figures/length.txt
Test accuracy (acc_token) against length: median over 3 seeds; bars: smallest and largest seed.
Dashed grey: chance, the best constant answer. Dotted upright: the longest training length.

$ head -c 8 results/demo/figures/heatmap.png | od -An -c
 211   P   N   G  \r  \n 032  \n

$ tail -n 2 results/demo/figures/length.svg | head -c 6
</svg>

# The same figure again is the same file.
$ cp results/demo/figures/length.svg a && seqprobe plot demo > out && cmp a results/demo/figures/length.svg

$ seqprobe plot demo --format pdf --figure length
results/demo/figures/length.csv
results/demo/figures/length.pdf

$ head -c 5 results/demo/figures/length.pdf | cut -c 2-
PDF-

# On the terminal: captions, labels, axes.
$ seqprobe plot demo --term dumb | grep -cE 'net, one|other ±|accuracy|length'
13

# Without gnuplot, or when it complains.
$ P=$(command -v seqprobe); PATH=/nowhere $P plot demo
! seqprobe: error: gnuplot is not installed: apt-get install gnuplot-nox (or make deps)
? 1

$ mkdir bin; printf '#!/bin/sh\necho "  warning: odd" >&2\n' > bin/gnuplot; chmod +x bin/gnuplot

$ PATH=$PWD/bin:$PATH seqprobe plot demo
! seqprobe: error: gnuplot plots/heatmap.gp: warning: odd
? 1

$ seqprobe plot demo --format svg,gif
! seqprobe: error: --format: 'gif' is not one of svg, png, pdf (several: svg,pdf)
? 2

$ seqprobe plot demo --term svg
! seqprobe: error: --term: 'svg' is not dumb; files are chosen by --format svg,png,pdf
? 2

$ seqprobe plot demo --figure heatmpa
! seqprobe: error: no figure 'heatmpa' (did you mean 'heatmap'?)
? 2

$ seqprobe plot demo --plots /nowhere
! seqprobe: error: no /nowhere/style.gp: run seqprobe in the source tree or give --plots DIR
? 2
