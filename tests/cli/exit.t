# Each exit code of `seqprobe help exit-codes`, provoked. (70, a fault in the program: tests/test_command.c.)
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml tiny.yaml; sed '/^sweep:/,$d' tiny.yaml > long.yaml; echo 'mixer: mingru' >> long.yaml

# 0, then 4: one run cannot write its weights.
$ seqprobe sweep tiny.yaml -j 1 > out 2> err

$ r=$(ls results/runs | head -n 1); rm -r results/runs/$r; mkdir -p results/runs/$r/weights.npy; seqprobe sweep tiny.yaml -j 1 > out 2> err; code=$?; grep -c "$r" err; rm -r results/runs/$r; exit $code
...
? 4

# 1: no room for the result.
$ seqprobe sample parity > /dev/full
! seqprobe: error: cannot write to standard output: ...
? 1

# 2: nothing was run.
$ seqprobe run tiny.yaml --row 99
! ...
? 2

# 3
$ (cat tiny.yaml; echo 'thresholds: [{where: {mixer: mingru}, min: 1.5}]') > fell.yaml; seqprobe sweep fell.yaml -j 1 > out 2> err; seqprobe check fell.yaml > out 2> err
? 3

# 71: a model that does not fit into the memory. (AddressSanitizer cannot be limited so.)
$ seqprobe --version | grep -q sanitize && exit 71; ulimit -v 600000; seqprobe run long.yaml model.d_model=4096 mixer=lstm > /dev/null 2> err; code=$?; grep -q '^seqprobe: .*out of memory: .* wants [0-9]* bytes' err && exit $code
? 71

# 75, 130, 143, 129: a run that is told to stop says so; the same command goes on with it.
$ stop() { seqprobe run long.yaml --dir $1 train.steps=1000000 train.stop_at=2 -q > out 2> err & p=$!; until [ -s $1/curve.csv ]; do sleep 0.05; done; kill -$1 $p; wait $p; code=$?; cat $1/status; exit $code; }; stop USR1
interrupted
? 75

$ stop() { seqprobe run long.yaml --dir $1 train.steps=1000000 train.stop_at=2 -q > out 2> err & p=$!; until [ -s $1/curve.csv ]; do sleep 0.05; done; kill -$1 $p; wait $p; code=$?; cat $1/status; exit $code; }; stop INT
interrupted
? 130

$ stop() { seqprobe run long.yaml --dir $1 train.steps=1000000 train.stop_at=2 -q > out 2> err & p=$!; until [ -s $1/curve.csv ]; do sleep 0.05; done; kill -$1 $p; wait $p; code=$?; cat $1/status; exit $code; }; stop TERM
interrupted
? 143

$ stop() { seqprobe run long.yaml --dir $1 train.steps=1000000 train.stop_at=2 -q > out 2> err & p=$!; until [ -s $1/curve.csv ]; do sleep 0.05; done; kill -$1 $p; wait $p; code=$?; cat $1/status; exit $code; }; stop HUP
interrupted
? 129
