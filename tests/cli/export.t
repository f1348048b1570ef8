# Sets of examples as arrays and text.
% task parity
% task flip_flop
$ seqprobe export parity len=[2,40] --count 1000 --split test --out data/x
data/x: 1000 examples of parity, split test, seed 0; ... positions are scored
  inputs.npy, targets.npy (int32, 1000 x ...), lengths.npy, meta.yaml
  measure predictions (class ids, 1000 x ...): seqprobe score --data data/x --predictions FILE.npy

$ ls data data/x
data:
x

data/x:
inputs.npy
lengths.npy
meta.yaml
targets.npy

$ seqprobe export parity len=4 --count 3 --seed 7 --out a > out; grep -v '^#' a/meta.yaml
task: parity
task_version: ...
split: train
slice: train
seed: 7
table_seed: 0
index: 0
count: 3
length_group: 64
T: 5
vocab_in: 3
vocab_out: 2
n_scored: 12
headline: acc_token
chance_uniform: 0.5
chance_majority: ...
ceiling: 1.0
t_len: 4
t_layout: every
...
symbols_in: ["0", "1", <bos>]
symbols_out: [even, odd]
program: seqprobe ...

# NumPy's bytes: the header, and ids of four bytes each.
$ head -c 128 a/inputs.npy | tr '\0\001\223' '.._'
_NUMPY..v.{'descr': '<i4', 'fortran_order': False, 'shape': (3, 5), }...

$ for i in 0 1 2; do seqprobe sample parity len=4 --seed 7 --index $i; done | sed -n 's/^input  *//p' > want; tail -c 60 a/inputs.npy | od -An -v -w20 -td4 | sed 's/^ *//; s/  */ /g' | cmp - want

$ for i in 0 1 2; do seqprobe sample parity len=4 --seed 7 --index $i; done | sed -n 's/^target  *//p' > want; tail -c 60 a/targets.npy | od -An -v -w20 -td4 | sed 's/^ *//; s/  */ /g' | cmp - want

# The same bytes every time, and from the middle.
$ seqprobe export parity len=4 --count 3 --seed 7 --out b > out; diff -r a b

$ seqprobe export parity len=4 --count 1 --index 2 --seed 7 --out c > out; tail -c 20 a/inputs.npy > want; tail -c 20 c/inputs.npy | cmp - want

# Training that asks for something else, and slices: two arrays more. CSV and JSON lines have them as columns.
$ seqprobe export flip_flop len=8 score=all --count 2 --out f | sed -n 2p; ls f
  inputs.npy, targets.npy, train_targets.npy, slices.npy (int32, 2 x 7), lengths.npy, meta.yaml
inputs.npy
lengths.npy
meta.yaml
slices.npy
targets.npy
train_targets.npy

$ seqprobe export flip_flop len=8 score=all --count 2 --format csv | head -n 2
index,position,input,target,train_target,slice
0,0,2,-1,...,-1

$ seqprobe export flip_flop len=8 score=all -n 2 -f jsonl -o g; seqprobe export flip_flop len=8 score=all -n 2 -f jsonl | cmp - g/examples.jsonl; ls g
g: 2 examples of flip_flop, split train, seed 0; ... positions are scored
  examples.jsonl, meta.yaml
examples.jsonl
meta.yaml

$ seqprobe export flip_flop len=8 score=all -n 2 -f jsonl | sed 's/\[[^]]*\]/[]/g'
{"index":0,"input":[],"target":[],"train_target":[],"slice":[]}
{"index":1,"input":[],"target":[],"train_target":[],"slice":[]}

# A set is never overwritten unasked; with --force what is not the export's stays.
$ seqprobe export parity --out a
! seqprobe: error: a holds a inputs.npy already; --force replaces it
? 2

$ echo mine > f/notes.txt; seqprobe export parity len=6 --count 4 --out f --force > out; ls f; cat f/notes.txt
inputs.npy
lengths.npy
meta.yaml
notes.txt
targets.npy
mine

$ mkdir empty && cd empty && seqprobe export parity len=6 --count 4 --out . > out; ls; diff inputs.npy ../f/inputs.npy
inputs.npy
lengths.npy
meta.yaml
out
targets.npy

# A wider array than the set needs, so that train and test have one width.
$ seqprobe export parity len=4 --count 3 --seed 7 --width 9 --out w > out; grep '^T:' w/meta.yaml; tail -c 36 w/targets.npy | od -An -v -w36 -td4 | awk '{ print $6, $7, $8, $9 }'
T: 9
-1 -1 -1 -1

$ seqprobe export parity len=4 --width 3 --out v; ls -d v*
! seqprobe: error: --width: 3, but an example has 5 positions
! ls: ...
? 2

# What cannot be written leaves nothing behind; what a killed process left is cleared away.
$ ulimit -f 8; seqprobe export parity --count 1000 --out big 2> err; sed 's/[0-9][0-9]*/N/' err; ls -d big* 2>&1 | wc -l
seqprobe: error: cannot write big.tmp.N/inputs.npy: File too large
1

$ mkdir k.tmp.999999999 && touch k.tmp.999999999/inputs.npy && seqprobe export parity -n 1 -o k > out; ls -d k*
k

$ touch file; seqprobe export parity --out file
! seqprobe: error: file is a file, not a folder
? 1

$ seqprobe export parity --out file/x
! seqprobe: error: cannot make folder file: Not a directory
? 1

$ seqprobe export parity
! seqprobe: error: --out DIR is needed: a folder for the arrays (csv and jsonl may go without)
? 2

$ seqprobe export
! seqprobe: error: usage: seqprobe export TASK [key=value ...] --count N --out DIR [--split test] [--seed K]
? 2

$ seqprobe export parity --count 0 --out x
! seqprobe: error: --count: 0 is not in 1..2147483647
? 2

$ seqprobe export parity --index 2147483647 --count 2 --out x
! seqprobe: error: --index: 2147483647 and 2 examples are more than 2147483647
? 2

$ seqprobe export parity --split test --batch 32 --out x
! seqprobe: error: --batch: batches are of --split train; test has groups of 64
? 2

$ seqprobe export parity lenght=4 --out x; ls -d x*
! seqprobe: error: unknown option 'lenght' for task parity (did you mean 'len'?)
! ls: ...
? 2

# Interrupted: nothing is left.
$ seqprobe export parity len=64 --count 5000000 --out slow 2> err & pid=$!; until ls -d slow.tmp.* > /dev/null 2>&1; do sleep 0.01; done; kill -INT $pid; kill -TERM $pid; wait $pid; echo $?; cat err; ls -d slow* 2>&1 | wc -l
...
seqprobe: error: interrupted: nothing was written
1
