# Plan, run, stop, resume, collect, check: the mechanics of a sweep.
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml . && seqprobe sweep tiny.yaml --list
  row  run            status       case   mixer   seed
    0  r...  new          short  mingru     1
    1  r...  new          short  lstm       1
    2  r...  new          last   mingru     1
    3  r...  new          last   lstm       1

$ seqprobe sweep tiny.yaml --dry-run; ls
tiny: 4 rows, 4 runs: 0 finished, 4 to do
tiny.yaml

$ seqprobe sweep tiny.yaml --dry-run mixer=lstm seed=1,2,3 train.lr=1e-3,1e-2
tiny: 12 rows, 12 runs: 0 finished, 12 to do

$ seqprobe sweep tiny.yaml train.lrr=1e-3
! seqprobe: error: unknown option 'lrr' for train (did you mean 'lr'?) [case short, mixer mingru]
? 2

$ seqprobe sweep
! seqprobe: error: sweep: one config expected
? 2

$ seqprobe sweep tiny.yaml -j 1000
! seqprobe: error: --jobs 1000: 1..512, or 0 for one per processor
? 2

$ seqprobe collect tiny.yaml && cut -d, -f5-8 results/tiny/runs.csv
tiny: 0 of 4 rows finished
results/tiny/{plan,runs,metrics,selected}.csv
case,mixer,status,task
short,mingru,missing,parity
short,lstm,missing,parity
last,mingru,missing,parity
last,lstm,missing,parity

# Part of it, then all of it: what is there is not run again.
$ seqprobe sweep tiny.yaml mixer=lstm -j 1
tiny: 2 runs: 2 ok, ...
results/tiny/{runs,metrics,selected}.csv
next: seqprobe table tiny
! tiny: 2 of 2 runs to do, 1 at a time
! [1/2] ok  short lstm seed=1  acc 0...
! [2/2] ok  last lstm seed=1  acc 0...

$ seqprobe sweep tiny.yaml -j 2 2> err
tiny: 4 runs: 4 ok (2 finished before), ...
results/tiny/{runs,metrics,selected}.csv
next: seqprobe table tiny

$ wc -l < err; seqprobe sweep tiny.yaml --list | awk 'NR > 1 { print $3 }' | sort | uniq -c | awk '{ print $1, $2 }'
3
4 ok

# The same bytes whatever the number of workers, but for the timing columns at the end.
$ cp -r results/tiny first && rm -r results && seqprobe sweep tiny.yaml -j 1 > out 2> err

$ for f in plan metrics selected; do cmp first/$f.csv results/tiny/$f.csv; done

$ for d in first results/tiny; do sed 's/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$//' $d/runs.csv > $(basename $d).cut; done; cmp first.cut tiny.cut

$ tail -n 1 first.cut | cut -d, -f5-7
last,lstm,ok

# A run that ended badly is run again, and only that.
$ d=results/runs/$(sed -n '2s/^0,\([^,]*\),.*/\1/p' results/tiny/plan.csv); echo interrupted > $d/status; seqprobe sweep tiny.yaml -j 1 2> err
tiny: 4 runs: 4 ok (3 finished before), ...
results/tiny/{runs,metrics,selected}.csv
next: seqprobe table tiny

$ cmp first/metrics.csv results/tiny/metrics.csv

# A folder that cannot be written is one failure, and the sweep goes on.
$ d=results/runs/$(sed -n '2s/^0,\([^,]*\),.*/\1/p' results/tiny/plan.csv); rm -r $d; mkdir -p $d/curve.csv; seqprobe sweep tiny.yaml -j 1 2> err
tiny: 4 runs: 3 ok, 1 failed (3 finished before), ...
  failed  short mingru seed=1: results/runs/.../curve.csv: cannot be written... (results/runs/.../log.txt)
results/tiny/{runs,metrics,selected}.csv
? 4

$ sed -n '2p' results/tiny/runs.csv | cut -d, -f5-7
short,mingru,failed

$ rm -r results/runs/*/curve.csv; seqprobe sweep tiny.yaml -j 1 2> err | head -n 1; cmp first/metrics.csv results/tiny/metrics.csv
tiny: 4 runs: 4 ok (3 finished before), ...

# Signals: exit code, and the same command resumes.
$ seqprobe sweep tiny.yaml seed=1,2 train.steps=1000000 train.stop_at=2 -j 2 > out 2> err & p=$!; sleep 1; kill -INT $p; wait $p; code=$?; head -n 1 out; grep -c interrupted err; exit $code
tiny: 8 runs: 2 interrupted, 6 not run, ...
3
? 130

$ seqprobe sweep tiny.yaml seed=1,2 train.steps=1000000 train.stop_at=2 --list | awk 'NR > 1 { print $3 }' | sort | uniq -c | awk '{ print $1, $2 }'
2 interrupted
6 new

$ seqprobe sweep tiny.yaml train.steps=1000000 train.stop_at=2 -j 2 --max-hours 1e-4 2> err | head -n 1
tiny: 4 runs: 2 interrupted, 2 not run, ...

# Thresholds.
$ seqprobe check tiny.yaml
! seqprobe: error: tiny.yaml has no thresholds to check
? 2

$ printf 'include: [tiny.yaml]\nthresholds:\n- {where: {case: short}, min: 0.2, note: near chance}\n' > check.yaml

$ echo '- {where: {case: last, mixer: lstm}, slice: x2, min: 1.5}' >> check.yaml

$ seqprobe check check.yaml --format tap
TAP version 13
1..3
ok 1 - short/mingru train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., 0...]) - near chance
ok 2 - short/lstm train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., 0...]) - near chance
not ok 3 - last/lstm x2 acc_token: median 0..., wanted >= 1.5 (1 seed; [0..., 0...])
! check: 1 of 3 fell: last/lstm x2 acc_token
? 3

$ seqprobe check check.yaml case=short
ok    short/mingru train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., 0...])  # near chance
ok    short/lstm train acc_token: median 0..., wanted >= 0.2 (1 seed; [0..., 0...])  # near chance
skip  {case: last, mixer: lstm}: not part of this plan
check: 2 of 2 hold

$ rm -r results/runs; seqprobe check check.yaml case=short mixer=lstm
FAIL  short/lstm train headline: no result, wanted >= 0.2; 1 of 1 runs are missing or failed  # near chance
skip  {case: last, mixer: lstm}: not part of this plan
! check: 1 of 1 fell: short/lstm train headline
? 3
