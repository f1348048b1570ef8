# Verdicts for people and for CI, on four short runs. Exact texts: tests/test_check.c.
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml . && seqprobe sweep tiny.yaml -j 2 2> err > out

$ printf 'include: [tiny.yaml]\nthresholds:\n- {where: {case: short}, min: 0.2, note: "a & b # <c>"}\n' > c.yaml

$ echo '- {where: {case: last, mixer: lstm}, slice: x2, cannot: 0.01}' >> c.yaml

$ seqprobe check c.yaml
ok    short/mingru train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., ...])  # a & b # <c>
ok    short/lstm train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., ...])  # a & b # <c>
FAIL  last/lstm x2 acc_token: cannot: max over 1 seed 0... > 0.01 (1 seed; [0..., 0...])
! c: 1 of 3 fell: last/lstm x2 acc_token
? 3

# What settings leave out is no failure.
$ seqprobe check c.yaml case=short | tail -n 2
skip  {case: last, mixer: lstm}: not part of this plan
c: 2 of 2 hold

# A strict reader of TAP and one of XML, where they are installed.
$ seqprobe check c.yaml --format tap case=short > short.tap; cat short.tap
TAP version 13
1..3
ok 1 - short/mingru train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., ...]) - a & b \# <c>
ok 2 - short/lstm train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., ...]) - a & b \# <c>
ok 3 - {case: last, mixer: lstm} # SKIP not part of this plan

$ if command -v prove > /dev/null; then prove -e cat short.tap | tail -n 1; else echo 'Result: PASS'; fi
Result: PASS

$ seqprobe check c.yaml --format tap > all.tap
! c: 1 of 3 fell: last/lstm x2 acc_token
? 3

$ if command -v prove > /dev/null; then prove -e cat all.tap | tail -n 1; else echo 'Result: FAIL'; fi
Result: FAIL

$ seqprobe check c.yaml --format junit > all.xml
! c: 1 of 3 fell: last/lstm x2 acc_token
? 3

$ grep -c '<testcase' all.xml; grep -c '<failure message="cannot: max over 1 seed' all.xml; seqprobe check c.yaml --junit j.xml > out 2> err; cmp j.xml all.xml
3
1

$ if command -v xmllint > /dev/null; then xmllint --noout all.xml; fi

$ seqprobe check c.yaml --format xml
! seqprobe: error: --format: 'xml' is not one of text, tap, junit, csv, json...
? 2

$ seqprobe check c.yaml --junit no/where/j.xml case=short > out
! seqprobe: error: cannot write no/where/j.xml: No such file or directory
? 1

$ seqprobe check tiny.yaml
! seqprobe: error: tiny.yaml has no thresholds to check
? 2

# Against a reference: the same numbers, then another one, then one that is gone.
$ mkdir -p kept/tiny && cp results/tiny/selected.csv kept/tiny && seqprobe check tiny.yaml --reference kept --exact
tiny: 8 of 8 rows within tolerance; all in results/tiny/reference.csv

$ awk -F, -v OFS=, 'NR == 2 { $15 = "-1" } { print }' results/tiny/selected.csv > kept/tiny/selected.csv; seqprobe check tiny.yaml --reference kept --format csv | grep -c '^holds'
7
! tiny: 1 of 8 fell: short/mingru train acc_token

$ seqprobe check tiny.yaml --reference kept mixer=lstm | tail -n 1
tiny: 4 of 4 rows within tolerance; all in results/tiny/reference.csv

$ sed 's/^short,lstm/short,gru/' results/tiny/selected.csv > kept/tiny/selected.csv; seqprobe check tiny.yaml --reference kept
skip  short/lstm train: not in the reference
skip  short/lstm x2: not in the reference
FAIL  short/gru train: in the reference, not in the results
FAIL  short/gru x2: in the reference, not in the results
tiny: 6 of 8 rows within tolerance; all in results/tiny/reference.csv
! tiny: 2 of 8 fell: short/gru train; short/gru x2
? 3

$ seqprobe check tiny.yaml --reference nowhere
! seqprobe: error: nowhere/tiny/selected.csv: there is no reference for tiny
? 2

# Choice and comparison. The choice of another metric is still that of validation.
$ rm results/tiny/selected.csv; seqprobe select tiny.yaml --slice x2
case   mixer   ...
short  mingru  ...
short  lstm    ...
last   mingru  ...
last   lstm    ...

Test slice x2, at the rate ...
...
! results/tiny/selected.csv

$ cut -d, -f1,2,30 results/tiny/selected.csv | sort -u
case,mixer,selected_by
last,lstm,valid_headline
last,mingru,valid_headline
short,lstm,valid_headline
short,mingru,valid_headline

$ seqprobe compare tiny.yaml lstm mingru --case short
case  ...  verdict
short  ...  one seed

A: lstm, B: mingru; the headline metric on test slice train, seed by seed, ...
95 %: ...
One seed: the difference may be the seed's and says nothing about the mixers.

$ seqprobe compare tiny.yaml lstm mingrue
! seqprobe: error: unknown mixer 'mingrue' (did you mean 'mingru'?)
? 2

$ seqprobe compare tiny.yaml lstm
! seqprobe: error: compare: a config and two mixers expected
? 2

$ seqprobe select nothing
! seqprobe: error: 'nothing' is no config file, and there is no configs/nothing.yaml
? 2

$ rm -r results/runs; seqprobe select tiny.yaml
! seqprobe: error: no finished runs of tiny in results: seqprobe sweep tiny.yaml
? 1
