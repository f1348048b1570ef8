# Examples of one's own, from a folder of arrays.
% task dataset
% task parity
% mixer lstm
$ seqprobe show dataset
! seqprobe: error: path: no folder given; dataset reads PATH/inputs.npy and PATH/targets.npy
? 2

$ seqprobe help task dataset | sed -n 's/^  default  *//p'
none: path: no folder given; dataset reads PATH/inputs.npy and PATH/targets.npy

$ seqprobe list tasks --format csv | grep ,dataset,
own,dataset,,,,,,,"examples of your own, from .npy arrays",the user's files,

# What was exported comes back as it was, row by row.
$ seqprobe export parity len=[2,9] --batch 4 --count 40 --out d/train > out; for s in valid test; do seqprobe export parity len=[2,9] --split $s --count 40 --out d/$s > out; done; seqprobe sample dataset path=d --split train -n 40 > got; seqprobe sample parity len=[2,9] --batch 4 -n 40 | cmp - got

$ seqprobe export dataset path=d --split test --count 40 --out e > out; for f in inputs targets lengths; do cmp d/test/$f.npy e/$f.npy; done; grep symbols e/meta.yaml
symbols_in: ["0", "1", <bos>]
symbols_out: [even, odd]

$ seqprobe show dataset path=d --split test --index 38 -n 3
! seqprobe: error: examples 38 to 40 are asked for, but split test of dataset has 40
? 2

# A sweep over them; other data are other runs, the same data the same.
$ printf 'task: {name: dataset, path: d}\nmixer: lstm\nmodel: {d_model: 8, layers: 1}\ntrain: {steps: 4, batch: 8}\n' > c.yaml; seqprobe sweep c.yaml -j 1 > out 2> err; ls results/runs > first; grep -E '^  (examples: |test: [1-9])' results/runs/r*/config.yaml
  examples: 40
  test: 40

$ seqprobe export parity len=[2,9] --batch 4 --seed 1 --count 40 --out d/train --force > out; seqprobe sweep c.yaml -j 1 > out 2> err; ls results/runs | wc -l
2

$ seqprobe export parity len=[2,9] --batch 4 --seed 0 --count 40 --out d/train --force > out; seqprobe sweep c.yaml -j 1 2> err | grep -c .; ls results/runs | wc -l
...
2

$ printf '\377\377\377\377' | dd of=d/train/inputs.npy bs=1 seek=128 conv=notrunc 2> err; seqprobe sweep c.yaml -j 1
! seqprobe: error: c.yaml:1:29: path: d/train/inputs.npy: row 0, position 0: id -1, not in 0..2
? 2
