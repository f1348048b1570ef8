# Somebody's predictions on an exported set.
% task parity
% task flip_flop
$ seqprobe export parity len=4 layout=final bos=false --count 8 --split test --out d > out; seqprobe score --data d --predictions d/targets.npy
d: 8 examples of parity, 8 positions are scored; headline acc_token
metric     slice  value           lo  hi  n  chance_uniform  chance_majority
acc_token             1  0.675592435   1  8             0.5              0.5
acc_mean              1  0.675592435   1  8             0.5              0.5
acc_exact             1  0.675592435   1  8                              0.5
acc_final             1  0.675592435   1  8             0.5              0.5
acc_macro             1                   8             0.5              0.5

$ seqprobe score parity --data d -p d/targets.npy -f csv | head -n 2
metric,slice,value,lo,hi,n,chance_uniform,chance_majority
acc_token,,1,0.675592435,1,8,0.5,0.5

$ seqprobe export flip_flop len=16 --count 100 --out f > out; seqprobe score --data f -p f/targets.npy -f csv | cut -d, -f1-3 | tail -n +6
acc_macro,,1
acc_token,log2_gap=0,1
acc_token,log2_gap=1,1
acc_token,log2_gap=2,1
acc_token,log2_gap=3,1

$ seqprobe score flip_flop --data d -p d/targets.npy
! seqprobe: error: d holds examples of parity, not of flip_flop
? 2

$ seqprobe score partiy --data d -p d/targets.npy
! seqprobe: error: unknown task 'partiy' (did you mean 'parity'?)
? 2

$ seqprobe score --data d -p f/targets.npy
! seqprobe: error: f/targets.npy is (100, 15), but targets.npy (8, 5)
? 1

$ seqprobe score --data d -p d/lengths.npy
! seqprobe: error: d/lengths.npy is (8,), but targets.npy (8, 5)
? 1

$ seqprobe score --data f -p f/slices.npy
! seqprobe: error: f/slices.npy: row ..., position ...: class ..., not in 0..1
? 1

$ seqprobe score --data none -p d/targets.npy
! seqprobe: error: no folder none
? 1

$ seqprobe score --data . -p d/targets.npy
! seqprobe: error: . has no targets.npy (seqprobe export writes such folders)
? 1

$ seqprobe score --data d -p none.npy
! seqprobe: error: cannot read none.npy: No such file or directory
? 1

$ seqprobe score --data d -p d/meta.yaml
! seqprobe: error: d/meta.yaml: not an .npy file (wrong magic)
? 1

$ seqprobe score parity
! seqprobe: error: usage: seqprobe score [TASK] --data DIR --predictions FILE.npy [--format csv]
? 2

# Reals of two axes are no logits; logits have as many classes as the task; none may be NaN.
$ zero() { printf "\223NUMPY\1\0v\0%-117s\n" "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"; head -c $3 /dev/zero; }; zero '<f4' '8, 5' 160 > p.npy; zero '<f4' '8, 5, 3' 480 > q.npy; zero '<f8' '8, 5, 2' 640 > r.npy; { head -c 672 r.npy; printf '\0\0\0\0\0\0\370\177'; tail -c 88 r.npy; } > s.npy; for f in p q r s; do seqprobe score --data d -p $f.npy -f csv 2>&1 | head -n 2 | tail -n 1; done
seqprobe: error: p.npy is (8, 5) of reals; logits must be (8, 5, classes), class ids integers (8, 5)
seqprobe: error: q.npy has logits of 3 classes, but the task has 2: cut them, logits[..., :2]
acc_token,,0.5,0.215216062,0.784783938,8,0.5,0.5
seqprobe: error: s.npy: row 6, position 4: the logit of class 0 is no number

# Without a description the task must be named; a description that is not of these arrays is refused.
$ cp -r d e; rm e/meta.yaml; seqprobe score --data e -p d/targets.npy; seqprobe score parity --data e -p d/targets.npy -f csv | head -n 2
metric,slice,value,lo,hi,n,chance_uniform,chance_majority
acc_token,,1,0.675592435,1,8,,0.5
! seqprobe: error: e has no meta.yaml: name the task, seqprobe score TASK --data e ...

$ cp -r d g; sed -i 's/^count: 8/count: 9/' g/meta.yaml; seqprobe score --data g -p d/targets.npy
! seqprobe: error: g/meta.yaml says count: 9, but targets.npy has 8
? 1
