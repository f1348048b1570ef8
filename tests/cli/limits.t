# Limits of time: of a run, of the sweep; what is left and how long it takes.
% task parity
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml . && seqprobe sweep tiny.yaml case=short mixer=lstm train.steps=1000000 train.stop_at=2 --run-seconds 0.2 2> err
tiny: 1 run: 1 timeout, ...
  timeout  short lstm seed=1: ran out of time; a larger limit continues it (results/runs/r.../log.txt)
results/tiny/{runs,metrics,selected}.csv
? 4

$ grep -c 'timeout  short lstm seed=1 .* ran out of time; a larger limit continues it (results/runs/' err
1

$ seqprobe status tiny
tiny: 1 run: 1 timeout

  timeout  short lstm seed=1  r...: ran out of time; a larger limit continues it (results/runs/r.../log.txt)
? 4

# The limit of the config, unless the command line has one; it is no part of a run's id.
$ printf 'include: [tiny.yaml]\nname: tiny\nlimits: {run_hours: 1.0e-5}\n' > limit.yaml; seqprobe sweep limit.yaml case=short mixer=lstm train.steps=1000000 train.stop_at=2 2> err | head -n 1; ls results/runs | wc -l
tiny: 1 run: 1 timeout, ...
1

$ seqprobe sweep limit.yaml case=short mixer=lstm --run-seconds 0 2> err | head -n 1
tiny: 1 run: 1 ok, ...

$ seqprobe sweep tiny.yaml --run-seconds -1
! seqprobe: error: --run-seconds: cannot be negative
? 2

$ sed 's/run_hours/run_hour/' limit.yaml > bad.yaml; seqprobe sweep bad.yaml
! seqprobe: error: bad.yaml:3:10: unknown option 'run_hour' for limits (did you mean 'run_hours'?)
? 2

$ sed 's/1.0e-5/-1/' limit.yaml > bad.yaml; seqprobe sweep bad.yaml
! seqprobe: error: bad.yaml:3:21: option 'run_hours' of limits: -1 is out of range (expected a number 0..100000)
? 2

# After one finished run the others can be foretold.
$ seqprobe sweep tiny.yaml mixer=lstm -j 1 --dry-run
tiny: 2 rows, 2 runs: 1 finished, 1 to do
about 0... s of processor time, ... s with -j 1, by what finished runs took

# SIGUSR1: every run writes what it has, the sweep says 75 and goes on later.
$ seqprobe sweep tiny.yaml mixer=lstm train.steps=1000000 train.stop_at=2 -j 2 > out 2> err & p=$!; until seqprobe status tiny 2> /dev/null | grep -q '2 running'; do sleep 0.1; done; kill -USR1 $p; wait $p; code=$?; cat out; grep -c 'asked to continue later: stopping 2 running; the same command resumes' err; exit $code
tiny: 2 runs: 2 interrupted, ...
results/tiny/{runs,metrics,selected}.csv
stopped to be continued: the same command resumes
1
? 75

# Nobody reads any more: the sweep ends quietly and can be continued.
$ (seqprobe sweep tiny.yaml mixer=lstm train.steps=1000 train.stop_at=2 seed=1,2,3 -j 1 2>&1 > out; echo $? > code) | head -n 2 > /dev/null; cat code; seqprobe sweep tiny.yaml mixer=lstm train.steps=1000 train.stop_at=2 seed=1,2,3 -j 2 2> err | head -n 1
141
tiny: 6 runs: 6 ok (... finished before), ...
