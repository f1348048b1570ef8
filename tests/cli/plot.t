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
results/demo/figures/solved.csv
results/demo/figures/solved.svg
results/demo/figures/solved.png

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

$ cat results/demo/figures/solved.csv
x,y,case,mixer,solved,seeds,share,lo,hi,text,left,right,from,to,full
1,1,easy,"net, one",2,3,0.666666667,0.207659601,0.938508055,2/3,0.07,0.456666667,0.190442568,0.614334672,0.65
2,1,hard,"net, one",0,3,0,0,0.561497032,0/3,1.07,1.07,1.07,1.39566828,1.65
1,2,easy,other ±,3,3,1,0.438502968,1,3/3,0.07,0.65,0.324331722,0.65,0.65

$ head -c 8 results/demo/figures/heatmap.png | od -An -c
 211   P   N   G  \r  \n 032  \n

$ tail -n 2 results/demo/figures/length.svg | head -c 6
</svg>

# The same figure again is the same file.
$ cp results/demo/figures/length.svg a && seqprobe plot demo > out && cmp a results/demo/figures/length.svg

# With what the runs left behind there are learning curves and cost. rb stopped at step 100 and keeps its values; rc was
# first measured then; rf left no curve.
$ for r in ra rb rc rd re rf; do mkdir -p results/runs/$r; done

$ c() { printf 'step,valid_loss,valid_headline\n'; printf '%s\n' "$@"; }; cd results/runs; c 50,2,0.1 100,1,0.5 150,0.5,0.9 > ra/curve.csv; c 50,1,0.3 100,0.25,0.99 > rb/curve.csv; c 100,3,0.2 150,,  200,2,0.4 > rc/curve.csv; c 50,1,1 > rd/curve.csv; c 50,3,0.5 > re/curve.csv

$ cd results/runs; i=0; for r in ra rb rc rd re rf; do i=$((i + 1)); printf 'wall_s,cpu_s\n9,%d.5\n' $i > $r/timing.csv; printf 'train_flops,step_090\n%de9,%s\n' $i $([ $i -lt 3 ] && echo ${i}50) > $r/result.csv; done

$ seqprobe plot demo --format svg | grep -E 'csv$'
results/demo/figures/heatmap.csv
results/demo/figures/heatmap-longest.csv
results/demo/figures/length.csv
results/demo/figures/solved.csv
results/demo/figures/curves.csv
results/demo/figures/cost.csv
results/demo/figures/cost-flops.csv

$ cat results/demo/figures/curves.csv
case_no,mixer_no,case,mixer,step,seeds,acc,acc_lo,acc_hi,loss,loss_lo,loss_hi,chance
1,1,easy,"net, one",50,2,0.2,0.1,0.3,1.5,1,2,0.5
1,1,easy,"net, one",100,3,0.5,0.2,0.99,1,0.25,3,0.5
1,1,easy,"net, one",150,3,0.9,0.2,0.99,0.5,0.25,3,0.5
1,1,easy,"net, one",200,3,0.9,0.4,0.99,0.5,0.25,2,0.5
1,2,easy,other ±,50,2,0.75,0.5,1,2,1,3,0.5
2,1,hard,"net, one",50,2,0.2,0.1,0.3,1.5,1,2,0.25
2,1,hard,"net, one",100,3,0.5,0.2,0.99,1,0.25,3,0.25
2,1,hard,"net, one",150,3,0.9,0.2,0.99,0.5,0.25,3,0.25
2,1,hard,"net, one",200,3,0.9,0.4,0.99,0.5,0.25,2,0.25

$ cat results/demo/figures/cost.csv
case_no,mixer_no,case,mixer,cpu_s,cpu_lo,cpu_hi,flops,flops_lo,flops_hi,acc,lo,hi,chance,seeds,reached_090,step_090
1,1,easy,"net, one",2.5,1.5,3.5,2e+09,1e+09,3e+09,0.9973,0.71,1,0.5,3,2,200
1,2,easy,other ±,5.5,4.5,6.5,5e+09,4e+09,6e+09,1,1,1,0.5,3,0,
2,1,hard,"net, one",2.5,1.5,3.5,2e+09,1e+09,3e+09,0.26,0.25,0.27,0.25,3,2,200

$ cmp results/demo/figures/cost.csv results/demo/figures/cost-flops.csv

$ fold -s -w 100 results/demo/figures/cost.txt
Test accuracy (acc_token, acc_final) at the training lengths against the CPU seconds of a run,
training and evaluation: median over 3 seeds; bars: smallest and largest seed. Runs that solve their
case stop early. Dashed grey: chance.

$ seqprobe plot demo --term dumb --figure cost | grep -cE 'CPU seconds|^ *(easy|hard) *$'
5

$ echo 'step,valid_loss' > results/runs/ra/curve.csv; echo '1,2,3' >> results/runs/ra/curve.csv; seqprobe plot demo
! seqprobe: error: results/runs/ra/curve.csv:2: ...
? 1

$ rm -r results/runs

$ seqprobe plot demo --format pdf --figure length
results/demo/figures/length.csv
results/demo/figures/length.pdf

$ head -c 5 results/demo/figures/length.pdf | cut -c 2-
PDF-

# Labels that mean something to gnuplot, or to the shell, or are too long.
$ mkdir results/odd && printf '%s\n' 'case,mixer,lr,n_seeds,solved,slice,len,metric,median,min,max,lo,hi,n,chance,params,state_reals,best_run' > results/odd/selected.csv; n=0; for c in '"50% of ""it"""' "c'est_{la} vie" '`back` $HOME'; do for m in 'a "b" \n^x_2' "$(printf 'two\nlines')" 'naïve ± μ@x' '#1; quit' 'a label so long that no terminal and hardly any page has room for all of it'; do n=$((n + 1)); q=$(printf %s "$m" | sed 's/"/""/g'); for l in 8 16; do printf '%s,"%s",0.1,1,0,x%d,%d,acc_token,0.%d,0.1,0.9,0.1,0.9,50,0.5,1,%d,r\n' "$c" "$q" $l $l $n $l; done; done; done >> results/odd/selected.csv; seqprobe plot odd -f svg,png,pdf | wc -l
12

$ grep -oE '>(50% of "it"|c’est_{la} vie|`back` [$]HOME|a "b" \\+n.x_2|naïve ± μ@x|two lines|#1; quit|a label so long that no terminal and hardly any…)<' results/odd/figures/length.svg | sort -u | wc -l
8

$ seqprobe plot odd --term dumb | grep -c 'a label so long that no t…'
5

# A chance that is not known is not drawn.
$ mkdir results/blind && sed 's/,0[.]2*5,\([0-9]*,[0-9]*,1000\)/,,\1/' results/demo/selected.csv > results/blind/selected.csv; seqprobe plot blind -f svg --figure length; grep -c '>chance<' results/blind/figures/length.svg
results/blind/figures/length.csv
results/blind/figures/length.svg
0
? 1

# On the terminal: captions, labels, axes.
$ seqprobe plot demo --term dumb | grep -cE 'net, one|other ±|accuracy|length'
17

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
