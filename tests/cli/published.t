# Ours beside published numbers: every format, texts, missing cells, footnotes, and what is refused.
% task parity
% mixer lstm
% mixer mingru
$ mkdir -p configs results/demo && cp $TOP/tests/cli/selected.csv results/demo && cp $TOP/tests/cli/published/demo.yaml configs

$ seqprobe table demo --published --reference $TOP/tests/cli/published
demo: ours and the literature's

  theirs         ours      theory  measured                      published  difference  verdict  why                                                    differs in

easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500
Alpha 2020 (2001.00001), Table 1: median over seeds; trained at 40; tested at 40
  Net            net, one          0.997 [0.710, 1.000]             97.5 %      +0.022  agrees   within 0.05                                            [1]

easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500
Alpha 2020 (2001.00001), Table 1: trained at 40; tested at 40
  Other          other ±           1.000 [0.996, 1.000]             >=99 %      +0.010  agrees   the intervals meet                                     [1]

easy, slice x4 (length 160): scaled acc_token, best of 3 seeds; chance 0.500
Alpha 2020 (2001.00001), Table 2: best over seeds; trained at 40; tested at 160
  Net            net, one          1.000 [0.998, 1.000]              0.9 †      +0.100  differs  no row far enough to order by; sources differ by 0.70  [2]
  Other          other ±           1.000 [0.998, 1.000]             1.00 †       0.000  agrees   within our interval; sources differ by 0.60            [1]

easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500
Alpha 2020 (2001.00001), text: trained at 40; tested at 40
  Net            net, one          0.997 [0.710, 1.000]  does not converge              differs  2 of 3 seeds solved                                    [1]
  Other          other ±           1.000 [0.996, 1.000]            1 layer              agrees   3 of 3 seeds solved                                    [1]

easy, slice x4 (length 160): acc_token, median of 3 seeds; chance 0.500
Beta & Co. 2021, p. 5: mean over seeds; tested at 160
  Net 100%_wide  net, one          0.620 [0.500, 1.000]       40.0 % error      +0.020  agrees   within 0.05; sources differ by 0.70                    [3]
  Other          other ±           1.000 [0.999, 1.000]               70 %      +0.300  differs  no row far enough to order by; sources differ by 0.60  [3]

hard at the training lengths
Alpha 2020 (2001.00001), text: trained at 40; tested at 40
  Other          other ±                                           1 layer                       not run                                                [1]

Of 9 numbers: 5 agree, 0 keep the order alone, 3 differ, 1 without verdict.
[1] one layer
[2] one layer & 5 % of the steps
[3] nothing
† read in a secondary source or off a figure.
Measured: best, median or mean of our seeds, as the source sums up its own; scaled is (acc - chance) / (1 - chance),
chance always giving the most frequent answer. Its interval: Wilson's 95 % of the best seed; of the median all
seeds, of the mean Student's 95 %, and at least Wilson's. agrees: within 0.05, or the intervals meet and ours is at
most 0.2 wide; same order: another value, on the same side of every row of the table that is published more than 0.1
away; a text is compared with seeds solved. Settings differ as the notes in the last column say, so order is what
can be expected, and equal values are not. Bold: the best of a part, where no other interval reaches it.

$ seqprobe table demo --published --reference $TOP/tests/cli/published -f markdown | sed 1d

**easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500**

Alpha 2020 (2001.00001), Table 1: median over seeds; trained at 40; tested at 40

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Net | net, one |  | 0.997 [0.710, 1.000] | 97.5 % | +0.022 | agrees | within 0.05 | [1] |

**easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500**

Alpha 2020 (2001.00001), Table 1: trained at 40; tested at 40

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Other | other ± |  | 1.000 [0.996, 1.000] | >=99 % | +0.010 | agrees | the intervals meet | [1] |

**easy, slice x4 (length 160): scaled acc_token, best of 3 seeds; chance 0.500**

Alpha 2020 (2001.00001), Table 2: best over seeds; trained at 40; tested at 160

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Net | net, one |  | 1.000 [0.998, 1.000] | 0.9 † | +0.100 | differs | no row far enough to order by; sources differ by 0.70 | [2] |
| Other | other ± |  | 1.000 [0.998, 1.000] | 1.00 † | 0.000 | agrees | within our interval; sources differ by 0.60 | [1] |

**easy at the training lengths (up to 40): acc_token, median of 3 seeds; chance 0.500**

Alpha 2020 (2001.00001), text: trained at 40; tested at 40

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Net | net, one |  | 0.997 [0.710, 1.000] | does not converge |  | differs | 2 of 3 seeds solved | [1] |
| Other | other ± |  | 1.000 [0.996, 1.000] | 1 layer |  | agrees | 3 of 3 seeds solved | [1] |

**easy, slice x4 (length 160): acc_token, median of 3 seeds; chance 0.500**

Beta & Co. 2021, p. 5: mean over seeds; tested at 160

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Net 100%_wide | net, one |  | 0.620 [0.500, 1.000] | 40.0 % error | +0.020 | agrees | within 0.05; sources differ by 0.70 | [3] |
| Other | other ± |  | 1.000 [0.999, 1.000] | 70 % | +0.300 | differs | no row far enough to order by; sources differ by 0.60 | [3] |

**hard at the training lengths**

Alpha 2020 (2001.00001), text: trained at 40; tested at 40

| theirs | ours | theory | measured | published | difference | verdict | why | differs in |
|---|---|---|---|---:|---:|---|---|---|
| Other | other ± |  |  | 1 layer |  |  | not run | [1] |

Of 9 numbers: 5 agree, 0 keep the order alone, 3 differ, 1 without verdict.

- [1] one layer
- [2] one layer & 5 % of the steps
- [3] nothing

† read in a secondary source or off a figure.

Measured: best, median or mean of our seeds, as the source sums up its own; scaled is (acc - chance) / (1 - chance),
chance always giving the most frequent answer. Its interval: Wilson's 95 % of the best seed; of the median all seeds, of
the mean Student's 95 %, and at least Wilson's. agrees: within 0.05, or the intervals meet and ours is at most 0.2 wide;
same order: another value, on the same side of every row of the table that is published more than 0.1 away; a text is
compared with seeds solved. Settings differ as the notes in the last column say, so order is what can be expected, and
equal values are not. Bold: the best of a part, where no other interval reaches it.

$ seqprobe table demo --published --reference $TOP/tests/cli/published -f latex | sed '1d;/^.par Measured/d'
\begin{table}
\centering\small
\caption{demo: ours and the literature's}
\begin{tabular}{llllrrlll}
\toprule
theirs & ours & theory & measured & published & difference & verdict & why & differs in \\
\midrule
\multicolumn{9}{l}{\textbf{easy at the training lengths (up to 40): acc\_token, median of 3 seeds; chance 0.500}} \\
\multicolumn{9}{l}{\textit{Alpha 2020 (2001.00001), Table 1: median over seeds; trained at 40; tested at 40}} \\
Net & net, one &  & 0.997 [0.710, 1.000] & 97.5 \% & +0.022 & agrees & within 0.05 & [1] \\
\midrule
\multicolumn{9}{l}{\textbf{easy at the training lengths (up to 40): acc\_token, median of 3 seeds; chance 0.500}} \\
\multicolumn{9}{l}{\textit{Alpha 2020 (2001.00001), Table 1: trained at 40; tested at 40}} \\
Other & other $\pm$ &  & 1.000 [0.996, 1.000] & \textgreater{}=99 \% & +0.010 & agrees & the intervals meet & [1] \\
\midrule
\multicolumn{9}{l}{\textbf{easy, slice x4 (length 160): scaled acc\_token, best of 3 seeds; chance 0.500}} \\
\multicolumn{9}{l}{\textit{Alpha 2020 (2001.00001), Table 2: best over seeds; trained at 40; tested at 160}} \\
Net & net, one &  & 1.000 [0.998, 1.000] & 0.9 $\dagger$ & +0.100 & differs & no row far enough to order by; sources differ by 0.70 & [2] \\
Other & other $\pm$ &  & 1.000 [0.998, 1.000] & 1.00 $\dagger$ & 0.000 & agrees & within our interval; sources differ by 0.60 & [1] \\
\midrule
\multicolumn{9}{l}{\textbf{easy at the training lengths (up to 40): acc\_token, median of 3 seeds; chance 0.500}} \\
\multicolumn{9}{l}{\textit{Alpha 2020 (2001.00001), text: trained at 40; tested at 40}} \\
Net & net, one &  & 0.997 [0.710, 1.000] & does not converge &  & differs & 2 of 3 seeds solved & [1] \\
Other & other $\pm$ &  & 1.000 [0.996, 1.000] & 1 layer &  & agrees & 3 of 3 seeds solved & [1] \\
\midrule
\multicolumn{9}{l}{\textbf{easy, slice x4 (length 160): acc\_token, median of 3 seeds; chance 0.500}} \\
\multicolumn{9}{l}{\textit{Beta \& Co. 2021, p. 5: mean over seeds; tested at 160}} \\
Net 100\%\_wide & net, one &  & 0.620 [0.500, 1.000] & 40.0 \% error & +0.020 & agrees & within 0.05; sources differ by 0.70 & [3] \\
Other & other $\pm$ &  & 1.000 [0.999, 1.000] & 70 \% & +0.300 & differs & no row far enough to order by; sources differ by 0.60 & [3] \\
\midrule
\multicolumn{9}{l}{\textbf{hard at the training lengths}} \\
\multicolumn{9}{l}{\textit{Alpha 2020 (2001.00001), text: trained at 40; tested at 40}} \\
Other & other $\pm$ &  &  & 1 layer &  &  & not run & [1] \\
\bottomrule
\end{tabular}
\par\medskip\footnotesize
Of 9 numbers: 5 agree, 0 keep the order alone, 3 differ, 1 without verdict.
\par [1] one layer
\par [2] one layer \& 5 \% of the steps
\par [3] nothing
\par $\dagger$ read in a secondary source or off a figure.
\end{table}

$ seqprobe table demo --published --reference $TOP/tests/cli/published -f csv
case,mixer,slice,len,metric,over,seeds,solved,ours,ours_lo,ours_hi,source,place,model,setting,their_over,train_len,eval_len,published,theirs,theirs_lo,theirs_hi,difference,verdict,why,conflict,chance,theory,secondary,deviation
easy,"net, one",train,40,acc_token,median,3,2,0.9973,0.71,1,Alpha 2020 (2001.00001),Table 1,Net,"2 layers, wide",median,40,40,97.5 %,0.975,0.962579311,0.987420689,0.0223,agrees,within 0.05,,0.5,,0,one layer
easy,other ±,train,40,acc_token,median,3,3,1,0.996173242,1,Alpha 2020 (2001.00001),Table 1,Other,"2 layers, wide",,40,40,>=99 %,0.99,0.99,1,0.01,agrees,the intervals meet,,0.5,,0,one layer
easy,"net, one",x4,160,scaled acc_token,best,3,2,1,0.998081113,1,Alpha 2020 (2001.00001),Table 2,Net,"2 layers, wide",best,40,160,0.9,0.9,,,0.1,differs,no row far enough to order by,sources differ by 0.70,0.5,,1,one layer & 5 % of the steps
easy,other ±,x4,160,scaled acc_token,best,3,3,1,0.998081113,1,Alpha 2020 (2001.00001),Table 2,Other,"2 layers, wide",best,40,160,1.00,1,,,0,agrees,within our interval,sources differ by 0.60,0.5,,1,one layer
easy,"net, one",train,40,acc_token,median,3,2,0.9973,0.71,1,Alpha 2020 (2001.00001),text,Net,,,40,40,does not converge,,,,,differs,2 of 3 seeds solved,,0.5,,0,one layer
easy,other ±,train,40,acc_token,median,3,3,1,0.996173242,1,Alpha 2020 (2001.00001),text,Other,,,40,40,1 layer,,,,,agrees,3 of 3 seeds solved,,0.5,,0,one layer
easy,"net, one",x4,160,acc_token,median,3,2,0.62,0.5,1,Beta & Co. 2021,p. 5,Net 100%_wide,,mean,,160,40.0 % error,0.6,,,0.02,agrees,within 0.05,sources differ by 0.70,0.5,,0,nothing
easy,other ±,x4,160,acc_token,median,3,3,1,0.999040557,1,Beta & Co. 2021,p. 5,Other,,mean,,160,70 %,0.7,,,0.3,differs,no row far enough to order by,sources differ by 0.60,0.5,,0,nothing
hard,other ±,train,,,median,0,0,,,,Alpha 2020 (2001.00001),text,Other,,,40,40,1 layer,,,,,,not run,,,,0,one layer

$ seqprobe table demo --published --reference $TOP/tests/cli/published -f json | sed -n '1,3p;$p'
[
  {"case": "easy", "mixer": "net, one", "slice": "train", "len": 40, "metric": "acc_token", "over": "median", "seeds": 3, "solved": 2, "ours": 0.9973, "ours_lo": 0.71, "ours_hi": 1, "source": "Alpha 2020 (2001.00001)", "place": "Table 1", "model": "Net", "setting": "2 layers, wide", "their_over": "median", "train_len": "40", "eval_len": "40", "published": "97.5 %", "theirs": 0.975, "theirs_lo": 0.962579311, "theirs_hi": 0.987420689, "difference": 0.0223, "verdict": "agrees", "why": "within 0.05", "conflict": null, "chance": 0.5, "theory": null, "secondary": 0, "deviation": "one layer"},
  {"case": "easy", "mixer": "other ±", "slice": "train", "len": 40, "metric": "acc_token", "over": "median", "seeds": 3, "solved": 3, "ours": 1, "ours_lo": 0.996173242, "ours_hi": 1, "source": "Alpha 2020 (2001.00001)", "place": "Table 1", "model": "Other", "setting": "2 layers, wide", "their_over": null, "train_len": "40", "eval_len": "40", "published": ">=99 %", "theirs": 0.99, "theirs_lo": 0.99, "theirs_hi": 1, "difference": 0.01, "verdict": "agrees", "why": "the intervals meet", "conflict": null, "chance": 0.5, "theory": null, "secondary": 0, "deviation": "one layer"},
]

# The main table, too, and both in one.
$ seqprobe table demo --reference $TOP/tests/cli/published -f latex | sed -n '2,22p'
\begin{table}
\centering\small
\caption{demo}
\begin{tabular}{lrll}
\toprule
mixer & state & easy & hard \\
\midrule
chance &  & 0.50 $\rightarrow$ 0.50 & 0.25 \\
net, one & 64 & 0.997 $\rightarrow$ 0.62 (2/3 @400) & 0.26 (0/3) \\
other $\pm$ & 16k & 1.00 $\rightarrow$ 1.00 (3/3 @50) & not run \\
\bottomrule
\end{tabular}

\medskip
\begin{tabular}{lllrrrlr}
\toprule
case & task & metric & chance & seeds & n & lengths & solved at \\
\midrule
easy &  & acc\_token & 0.500 & 3 & 1000 & 40 $\rightarrow$ 160 &  \\
hard &  & acc\_final & 0.250 & 3 & 1000 & 40 &  \\
\bottomrule

$ seqprobe table demo --reference $TOP/tests/cli/published -f json | sed -n '1,2p;7,9p;$p' | cut -c 1-150
{"sweep": "demo", "cells": [
  {"mixer": "net, one", "case": "easy", "task": null, "metric": "acc_token", "n_seeds": 3, "lr": 0.003, "step_solved": 400, "state_reals": 64, "params
]
, "published": [
  {"case": "easy", "mixer": "net, one", "slice": "train", "len": 40, "metric": "acc_token", "over": "median", "seeds": 3, "solved": 2, "ours": 0.9973,
}

$ seqprobe table demo --reference $TOP/tests/cli/published -f csv | wc -l
6

$ seqprobe table demo --reference $TOP/tests/cli/published --scaled | sed -n '3,10p'
          state  easy          hard
net, one     64  0.994 → 0.24  0.01
                 2/3 @400      0/3
other ±     16k  1.00 → 1.00   not run
                 3/3 @50

case  task  metric            chance  seeds     n  lengths   solved at
easy        scaled acc_token   0.500      3  1000  40 → 160

$ seqprobe table demo --reference $TOP/tests/cli/published --scaled -f csv | sed 's/net, one/net/' | cut -d, -f1-4,12-14
mixer,case,task,metric,scaled,scaled_lo,scaled_hi
"net",easy,,acc_token,0.9946,0.42,1
"net",easy,,acc_token,0.24,0,1
"net",hard,,acc_final,0.0133333333,0,0.0266666667
other ±,easy,,acc_token,1,1,1
other ±,easy,,acc_token,1,1,1

$ seqprobe table demo --reference $TOP/tests/cli/published --save > out
! wrote results/demo/table.md
! wrote results/demo/published.md
! wrote results/demo/published.csv

$ seqprobe table demo --published --reference $TOP/tests/cli/published -f csv | cmp - results/demo/published.csv

$ SEQPROBE_DATA=. seqprobe table demo -f markdown | cmp - results/demo/table.md
! note: no ./results/reference/published here, so no table against the literature (--reference DIR)

$ seqprobe table demo --published --reference nowhere
! seqprobe: error: no published numbers in nowhere: give --reference DIR
? 2

$ seqprobe table demo --published --scaled
! seqprobe: error: --scaled is for the main table; with --published the source decides
? 2

# What a config may not say: the place is that of the value to change. First against the plan, then against the facts.
$ sed 's/mixer: other ±, deviation/mixer: other, deviation/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:16:44: published: no mixer 'other' in this sweep (did you mean 'other ±'?)
? 2

$ sed 's/case: hard, mixer/case: hurd, mixer/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:28:58: published: no case 'hurd' in this sweep (did you mean 'hard'?)
? 2

$ sed 's/slice: x4/slice: x5/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:14:12: published: case 'easy' has no slice 'x5' under 'eval'
? 2

$ sed '/deviation: nothing/d' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:26:12: published: 'deviation' is missing: what differs from the published setting?
? 2

$ sed 's/as: median/as: medium/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:25:9: published: as 'medium' is not one of best, median, mean (did you mean 'median'?)
? 2

$ sed 's/implies: solved/implies: yes/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:21:62: published: implies 'yes' is not one of unsolved, solved
? 2

$ sed 's/as: median/measure: accuracy/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:25:14: published: measure 'accuracy' is not one of acc_token, acc_mean, acc_exact, acc_final, acc_macro
? 2

$ sed 's/    place: text/    plaice: text/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:18:5: published: unknown key 'plaice' (did you mean 'place'?)
? 2

$ sed 's/rows: {Net 100.*/rows: Net/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:27:11: published: 'rows' must be a map from models to mixers, or a list of maps
? 2

$ sed 's/rows: {Net 100.*/rows: [Net]/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:27:12: published: a row is a map with 'model'
? 2

$ sed 's/{Net 100%_wide: "net, one"/{Net 100%_wide: [a]/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:27:27: published: a row is a mixer or a map
? 2

$ sed 's/{Net 100%_wide: "net, one"/{Net 100%_wide: ""/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:27:12: published: which mixer stands beside 'Net 100%_wide'?
? 2

$ sed 's/, model: Other, case: hard/, case: hard/' $TOP/tests/cli/published/demo.yaml > bad.yaml; seqprobe sweep bad.yaml --dry-run
! seqprobe: error: bad.yaml:28:5: published: 'model' is missing
? 2

$ sed 's/source: beta2021/source: beta2012/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:22:13: published: no source 'beta2012' in ...tests/cli/published (did you mean 'beta2021'?)
? 2

$ sed 's/Net 100%_wide/Net 100%_wild/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:27:12: published: beta2021 has no model 'Net 100%_wild' where the other keys hold (did you mean 'Net 100%_wide'?)
? 2

$ sed 's/place: Table 2/place: Table 9/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:12:12: published: alpha2020 has no place 'Table 9' (did you mean 'Table 1'?)
? 2

$ sed '/place: Table 2/d' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:15:12: published: 3 facts of alpha2020 fit; add 'place' ('Table 1', 'Table 2', ...)
? 2

$ sed 's/, implies: solved//' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:21:29: published: '1 layer' is not a number to compare with; what does it say of this cell (implies: solved or unsolved)?
? 2

$ sed 's/as: median/implies: solved/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published
! seqprobe: error: configs/demo.yaml:27:12: published: '40.0 % error' is a number; 'implies' is for texts and counts
? 2

$ sed '/^published:/,$d' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published
! seqprobe: error: no 'published:' in the config of demo: README.md shows one
? 2

$ sed 's/case: hard, mixer/case: hurd, mixer/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published
! seqprobe: error: configs/demo.yaml:28:58: published: no case 'hurd' in this sweep (did you mean 'hard'?)
? 2

$ seqprobe table demo -f csv | wc -l
6
! note: title and published numbers are left out: configs/demo.yaml:28:58: published: no case 'hurd' in this sweep (did you mean 'hard'?)

# A file of facts that breaks the rules, and runs without the metric asked for.
$ mkdir facts && sed 's/,percent,median/,per cent,median/' $TOP/tests/cli/published/alpha2020.csv > facts/alpha2020.csv; cp $TOP/tests/cli/published/demo.yaml configs; seqprobe table demo --published --reference facts
! seqprobe: error: facts/alpha2020.csv: fact 1: 'unit' is not what README.md there asks for: 'per cent'
? 1

$ sed 's/97.5/97%/' $TOP/tests/cli/published/alpha2020.csv > facts/alpha2020.csv; seqprobe table demo --published --reference facts
! seqprobe: error: facts/alpha2020.csv: fact 1: 'value' is not what README.md there asks for: '97%'
? 1

$ sed 's/as: median/measure: acc_final/' $TOP/tests/cli/published/demo.yaml > configs/demo.yaml; seqprobe table demo --published --reference $TOP/tests/cli/published -f csv | grep '^easy.*Beta' | cut -d, -f5-12,24-
,acc_final,mean,3,2,,,,,,no acc_final without the folders of the runs,sources differ by 0.70,0.5,,0,nothing
acc_final,mean,3,3,,,,Beta & Co. 2021,,no acc_final without the folders of the runs,sources differ by 0.60,0.5,,0,nothing
