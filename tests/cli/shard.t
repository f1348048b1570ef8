# A sweep in shards: each takes its own runs, the CSVs hold all that is there.
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml . && seqprobe sweep tiny.yaml --shard 1/2 --list
  row  run            status       case   mixer   seed
    1  r...  new          short  lstm       1
    3  r...  new          last   lstm       1

$ seqprobe sweep tiny.yaml --shard 2/3 --dry-run
tiny: 4 rows, shard 2/3 has 1 run: 0 finished, 1 to do

$ seqprobe sweep tiny.yaml --shard 5/6 --dry-run
tiny: 4 rows, shard 5/6 has 0 runs: 0 finished, 0 to do

$ for s in 2/2 1/0 -1/2 1/2/3 1 /2 1/ 9999999/2 x/2; do seqprobe sweep tiny.yaml --shard=$s; echo $?; done 2>&1
seqprobe: error: --shard 2/2: shards are counted from 0: 0 <= I < N
2
seqprobe: error: --shard 1/0: shards are counted from 0: 0 <= I < N
2
seqprobe: error: --shard '-1/2': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard '1/2/3': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard '1': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard '/2': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard '1/': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard '9999999/2': I/N expected, such as 0/4 for the first of four
2
seqprobe: error: --shard 'x/2': I/N expected, such as 0/4 for the first of four
2

# Both at once, then neither has anything left; the same bytes as in one go.
$ seqprobe sweep tiny.yaml -j 2 > /dev/null 2>&1; mv results whole

$ seqprobe sweep tiny.yaml --shard 0/2 -j 1 > out0 2> err0 & seqprobe sweep tiny.yaml --shard 1/2 -j 1 > out1 2> err1; wait; cat out0 out1
tiny: 2 runs of shard 0/2: 2 ok, ...
results/tiny/{runs,metrics,selected}.csv
...
tiny: 2 runs of shard 1/2: 2 ok, ...
results/tiny/{runs,metrics,selected}.csv
...

$ for f in plan metrics selected; do cmp whole/tiny/$f.csv results/tiny/$f.csv; done; grep -c ,ok, results/tiny/runs.csv
4

$ seqprobe sweep tiny.yaml --dry-run
tiny: 4 rows, 4 runs: 4 finished, 0 to do

# The exit code speaks of the shard alone.
$ d=results/runs/$(sed -n '2s/^0,\([^,]*\),.*/\1/p' results/tiny/plan.csv); rm -r $d; mkdir -p $d/curve.csv; seqprobe sweep tiny.yaml --shard 1/2 > /dev/null

$ seqprobe sweep tiny.yaml --shard 0/2 > /dev/null 2>&1
? 4
