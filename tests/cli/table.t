# Tables of a small selected.csv: its numbers, and nothing else.
$ mkdir -p results/demo && cp $TOP/tests/cli/selected.csv results/demo

$ seqprobe table demo | head -n 11
demo

          state  easy          hard
chance           0.50 → 0.50   0.25
net, one     64  0.997 → 0.62  0.26
                 2/3 @400      0/3
other ±     16k  1.00 → 1.00   not run
                 3/3 @50

case  task  metric     chance  seeds     n  lengths   solved at
easy        acc_token   0.500      3  1000  40 → 160
$ seqprobe table demo --format markdown | head -n 4
| mixer | state | easy | hard |
|---|---:|---|---|
| chance |  | 0.50 → 0.50 | 0.25 |
| net, one | 64 | 0.997 → 0.62 (2/3 @400) | 0.26 (0/3) |

$ seqprobe table demo --format csv
mixer,case,task,metric,n_seeds,lr,step_solved,state_reals,params,slice,len,acc,lo,hi,n,chance,solved,theory,why
"net, one",easy,,acc_token,3,0.003,400,64,4800,train,40,0.9973,0.71,1,3000,0.5,2,,
"net, one",easy,,acc_token,3,0.003,400,64,4800,x4,160,0.62,0.5,1,12000,0.5,2,,
"net, one",hard,,acc_final,3,0.003,,64,4800,train,40,0.26,0.25,0.27,3000,0.25,0,,
other ±,easy,,acc_token,3,0.01,50,16384,9000,train,40,1,1,1,3000,0.5,3,,
other ±,easy,,acc_token,3,0.01,50,16384,9000,x4,160,1,1,1,12000,0.5,3,,

$ seqprobe table demo --save > out && seqprobe table demo -f markdown | cmp - results/demo/table.md
! wrote results/demo/table.md

$ seqprobe table nothing
! seqprobe: error: no results/nothing/selected.csv; 'nothing' is neither a config file nor a sweep with results
? 2

$ seqprobe table demo --format svg
! seqprobe: error: --format: 'svg' is not one of table, csv, json, markdown, latex
? 2

$ seqprobe table configs/none.yaml
! seqprobe: error: ...configs/none.yaml...
? 2

$ echo a,b > results/demo/selected.csv; seqprobe table demo
! seqprobe: error: results/demo/selected.csv: not written by this version of seqprobe
? 1
