# From a config to a table and figures: one sweep of four short runs, its choice of figures, theory's verdict.
% task parity
% mixer mingru
% mixer lstm
$ mkdir configs && cp $TOP/tests/cli/tiny.yaml configs && ln -s $TOP/plots plots

$ seqprobe table configs/tiny.yaml
! seqprobe: error: no finished runs of tiny in results: seqprobe sweep configs/tiny.yaml
? 1

$ seqprobe sweep configs/tiny.yaml -j 2 2> err > out

$ seqprobe table configs/tiny.yaml | head -n 12
tiny
can a recurrence of eight reals count to two?

        state  short          last
chance         0.50 → 0.50    0.50 → 0.50
mingru      8  0... → 0... -  0... → 0... -
               0/1            0/1
lstm       16  0... → 0... +  0... → 0... +
               0/1            0/1

case   task    metric     chance  seeds   n  lengths  solved at
short  parity  acc_token   0.500      1  ...  8 → 16        0.99

$ seqprobe plot tiny
results/tiny/figures/heatmap.csv
results/tiny/figures/heatmap.svg
results/tiny/figures/heatmap.png
results/tiny/figures/last.csv
results/tiny/figures/last.svg
results/tiny/figures/last.png
results/tiny/figures/state.csv
results/tiny/figures/state.svg
results/tiny/figures/state.png

$ cut -d, -f1-5 results/tiny/figures/last.csv
case_no,mixer_no,case,mixer,len
1,1,last,mingru,8
1,1,last,mingru,16

# Exactly what select chose.
$ awk -F, '$1 == "last" && $2 == "mingru" { print $10 }' results/tiny/selected.csv > a; cut -d, -f5,6 results/tiny/figures/last.csv | tail -n 2 | cut -d, -f1 | cmp - a

$ sed 's/cases: .last./cases: [lats]/' configs/tiny.yaml > configs/t2.yaml; seqprobe plot configs/t2.yaml
! seqprobe: error: configs/t2.yaml:...: figures: no 'lats' among the cases of the results (did you mean 'last'?)
? 2

$ sed 's/kind: state/kind: pie/' configs/tiny.yaml > configs/t2.yaml; seqprobe plot configs/t2.yaml
! seqprobe: error: configs/t2.yaml:...: figures: kind 'pie' is not one of heatmap, length, state, solved, curves, cost
? 2

$ sed 's/kind: state/kind: heatmap/' configs/tiny.yaml > configs/t2.yaml; seqprobe plot configs/t2.yaml
! seqprobe: error: configs/t2.yaml:...: figures: two are called 'heatmap'; give them a name
? 2

$ sed 's/kind: state/knd: state/' configs/tiny.yaml > configs/t2.yaml; seqprobe plot configs/t2.yaml
! seqprobe: error: configs/t2.yaml:...: figures: unknown key 'knd' (did you mean 'kind'?)
? 2

$ sed 's/kind: state/kind: state, at: longest/' configs/tiny.yaml > configs/t2.yaml; seqprobe plot configs/t2.yaml
! seqprobe: error: configs/t2.yaml:...: figures: kind state has no 'at'
? 2
