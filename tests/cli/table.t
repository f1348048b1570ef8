# Tables and figures of a small selected.csv: its numbers, and nothing else.
$ mkdir -p results/demo && cp $TOP/tests/cli/selected.csv results/demo && ln -s $TOP/plots plots

$ seqprobe table demo | head -n 11
demo

          state  easy            hard
net, one     64  0.997 → 0.62    0.26
                 2/3 @400        0/3
other ±     16k  1.00 → 1.00     not run
                 3/3 @50

case  task  metric     chance     n  lengths   solved at
easy        acc_token   0.500  1000  40 → 160
hard        acc_final   0.250  1000  40
$ seqprobe table demo --format markdown | head -n 4
| mixer | state | easy | hard |
|---|---:|---|---|
| net, one | 64 | 0.997 → 0.62   (2/3 @400) | 0.26   (0/3) |
| other ± | 16k | 1.00 → 1.00   (3/3 @50) | not run |

$ seqprobe table demo --format csv
mixer,case,task,metric,n_seeds,lr,step_solved,state_reals,params,slice,len,acc,lo,hi,n,chance,solved,theory,why
"net, one",easy,,acc_token,3,0.003,400,64,4800,train,40,0.9973,0.71,1,3000,0.5,2,,
"net, one",easy,,acc_token,3,0.003,400,64,4800,x4,160,0.62,0.5,1,12000,0.5,2,,
"net, one",hard,,acc_final,3,0.003,,64,4800,train,40,0.26,0.25,0.27,3000,0.25,0,,
other ±,easy,,acc_token,3,0.01,50,16384,9000,train,40,1,1,1,3000,0.5,3,,
other ±,easy,,acc_token,3,0.01,50,16384,9000,x4,160,1,1,1,12000,0.5,3,,

$ seqprobe table demo --save > out && seqprobe table demo -f markdown | cmp - results/demo/table.md
! wrote results/demo/table.md

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
x,y,case,mixer,acc,scaled,text,ink
1,1,easy,"net, one",0.9973,0.9946,0.99,16777215
2,1,hard,"net, one",0.26,0.0133333333,0.26,2236962
1,2,easy,other ±,1,1,1.00,16777215

$ cat results/demo/figures/heatmap-longest.csv
x,y,case,mixer,acc,scaled,text,ink
1,1,easy,"net, one",0.62,0.24,0.62,2236962
1,2,easy,other ±,1,1,1.00,16777215

$ cat results/demo/figures/length.csv
case_no,mixer_no,case,mixer,len,acc,lo,hi,chance,train_len
1,1,easy,"net, one",40,0.9973,0.71,1,0.5,40
1,1,easy,"net, one",160,0.62,0.5,1,0.5,40
1,2,easy,other ±,40,1,1,1,0.5,40
1,2,easy,other ±,160,1,1,1,0.5,40

$ head -c 8 results/demo/figures/heatmap.png | od -An -c
 211   P   N   G  \r  \n 032  \n

$ tail -n 2 results/demo/figures/length.svg | head -c 6
</svg>

# The same figure again is the same file.
$ cp results/demo/figures/length.svg a && seqprobe plot demo > out && cmp a results/demo/figures/length.svg

$ seqprobe plot demo --term dumb | grep -c 'net, one'
3

# Without gnuplot, or when it complains.
$ P=$(command -v seqprobe); PATH=/nowhere $P plot demo
results/demo/figures/heatmap.csv
! seqprobe: error: gnuplot is not installed: apt-get install gnuplot-nox (or make deps)
? 1

$ mkdir bin; printf '#!/bin/sh\necho "  warning: odd" >&2\n' > bin/gnuplot; chmod +x bin/gnuplot

$ PATH=$PWD/bin:$PATH seqprobe plot demo --term svg
! seqprobe: error: gnuplot plots/heatmap.gp: warning: odd
? 1

$ seqprobe plot demo --term pdf
! seqprobe: error: --term: 'pdf' is not one of svg, png, dumb
? 2

$ seqprobe table nothing
! seqprobe: error: no results/nothing/selected.csv; 'nothing' is neither a config file nor a sweep with results
? 2

$ seqprobe table demo --format json
! seqprobe: error: --format: 'json' is not one of table, csv, markdown
? 2

$ seqprobe table configs/none.yaml
! seqprobe: error: ...configs/none.yaml...
? 1

$ rm plots; seqprobe plot demo
! seqprobe: error: no plots/style.gp: run seqprobe in the source tree or give --plots DIR
? 2

$ echo a,b > results/demo/selected.csv; seqprobe table demo
! seqprobe: error: results/demo/selected.csv: not written by this version of seqprobe
? 1
