# Looking at tasks and mixers: list, help, show, sample.
% task parity
% mixer mingru
$ seqprobe list tasks --format csv | grep ,parity,
tracking,parity,41,3,2,0.5,1,acc_token,...

$ seqprobe list tasks --format markdown | head -n 2
| family | task | length | vocabulary | classes | chance | ceiling | metric | summary | source | variants |
|---|---|---:|---:|---:|---:|---:|---|---|---|---|

$ seqprobe list tasks --format json | grep '"parity"'
  {"family": "tracking", "task": "parity", "length": 41, "vocabulary": 3, "classes": 2, "chance": 0.5, ...}...

$ seqprobe list mixers --format csv | grep ,mingru,
diagonal,mingru,64,"diagonal, eigenvalues in [0,1]",...

$ seqprobe list mixers | grep -A 2 '^diagonal'
diagonal
...

$ seqprobe list --format csv
! seqprobe: error: --format csv lists one kind: tasks, mixers, configs, theory or commands
? 2

$ seqprobe list task
! seqprobe: error: unknown list 'task' (did you mean 'tasks'?)
? 2

# The program finds its configs from anywhere; SEQPROBE_DATA names another place.
$ seqprobe list configs --format csv | sed -n 's|.*/configs/quick.yaml,.*|found|p'
found

$ SEQPROBE_DATA=/nowhere seqprobe list configs
! seqprobe: error: no folder /nowhere/configs; SEQPROBE_DATA names the one it is in
? 2

# Two examples, with everything that is not scored as a dot.
$ COLUMNS=120 seqprobe show parity len=4 -n 2
parity - ...
  3 input symbols, 2 classes, at most 5 positions; headline acc_token; chance 0.5 (best constant answer)
  target: the class asked for after reading this position; a dot is not scored

example 0 (5 positions, 4 scored)
  input  <bos>    0   1   0   0
  target     . even odd odd odd

example 1 (5 positions, 4 scored)
  input  <bos>    0    0   1   0
  target     . even even odd odd

$ seqprobe show parity task.len=4 -n 1 --color always | grep -c "$(printf '\033')\[1;32modd"
1

# Numbers in place of symbols; blocks as wide as the terminal, with the positions above; no column is broken.
$ seqprobe show parity len=4 -n 1 --ids | tail -n 2
  input  2 0 1 0 0
  target . 0 1 1 1

$ COLUMNS=40 seqprobe show parity len=12 -n 1 | tail -n 12
example 0 (13 positions, 12 scored)
  position     0                    5
  input    <bos>    0   1   0   0   0
  target       . even odd odd odd odd

  position    6                10
  input       1   1    1    0   1    1
  target   even odd even even odd even

  position   12
  input       0
  target   even

$ COLUMNS=40 seqprobe show parity len=12 -n 1 --ids --all | awk 'length > 40' | wc -l
0

$ seqprobe sample parity len=4
input  2 0 1 0 0
target -1 0 1 1 1

# An example does not depend on how many are drawn before it, and splits and seeds differ.
$ seqprobe sample parity len=30 -n 3 -f jsonl | tail -n 1 > a; seqprobe sample parity len=30 --index 2 -f jsonl | cmp - a

$ seqprobe sample parity len=30 -n 3 -f jsonl | tail -n 1 | cut -c 1-20
{"index":2,"input":[

$ seqprobe sample parity len=30 --split test > a; seqprobe sample parity len=30 --split valid | cmp -s - a
? 1

$ seqprobe sample parity len=30 --seed 1 | cmp -s - a
? 1

$ seqprobe sample parity len=2 --format csv
index,position,input,target
0,0,2,-1
0,1,...
0,2,...

$ seqprobe show parity lenght=4
! seqprobe: error: unknown option 'lenght' for task parity (did you mean 'len'?)
? 2

$ seqprobe show parity len=0
! seqprobe: error: ...len...
? 2

$ seqprobe show pariti
! seqprobe: error: unknown task 'pariti' (did you mean 'parity'?)
? 2

$ seqprobe show
! seqprobe: error: usage: seqprobe show TASK [key=value ...] [-n N] [--format csv]
? 2

$ seqprobe show parity -n 0
! seqprobe: error: -n: 0 is not in 1..100000
? 2

$ seqprobe show parity -n two
! seqprobe: error: -n: 'two' is not an integer
? 2

$ seqprobe sample parity --split dev
! seqprobe: error: --split: 'dev' is not one of train, valid, test
? 2

$ seqprobe help task parity
parity - ...

  tasks/tracking/parity.c, version ...
...
options (task:)
...
  len ...
...
can a model of this class do it, with two layers, at every length?
...
  diagonal, eigenvalues in [0,1]         no ...
  diagonal, eigenvalues in [-1,1]        yes ...
...

$ seqprobe help model mingru | head -n 1
mingru - ...

$ seqprobe help mixer mingur
! seqprobe: error: unknown mixer 'mingur' (did you mean 'mingru'?)
? 2

$ seqprobe help task
! seqprobe: error: help task NAME (seqprobe list tasks names them)
? 2

$ seqprobe help train | grep -c ' lr '
1

$ seqprobe help exit-codes | grep -oE '^  [0-9]+' | tr -d '\n'
  0  1  2  3  4  70  71  75  129  130  141  143

$ seqprobe help metrics | grep -c '^  acc_'
6

$ seqprobe help metric
! seqprobe: error: unknown topic 'metric' (did you mean 'metrics'?)
? 2
