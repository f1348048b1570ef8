# The script of a Slurm job array, and what `seqprobe slurm` refuses. (Slurm itself: make test-slurm.)
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml "my tiny.yaml"

$ seqprobe slurm "my tiny.yaml" 'train.lr=1e-2,3e-3' --out - --results "it's 5%" --array 3 --parallel 2 --cpus 2 --partition short --sbatch '--account=x' | sed 's/^/|/'
|#!/bin/bash
|# The 8 runs of tiny as 3 array tasks, written by seqprobe ...
|# Task I trains the runs I, I + 3, I + 6, ...; finished ones are skipped and others resumed, so this may
|# be submitted again at any time, whole or in part (sbatch --array=3,7 ...).
|#SBATCH --job-name=tiny
|#SBATCH --array=0-2%2
|#SBATCH --ntasks=1
|#SBATCH --cpus-per-task=2
|#SBATCH --mem=2G
|#SBATCH --time=04:00:00
|#SBATCH --partition=short
|#SBATCH --account=x
|#SBATCH --requeue
|#SBATCH --open-mode=append
|#SBATCH --signal=B:USR1@120
|#SBATCH --output="/.../cwd/it's 5%%/slurm/tiny-%A_%a.log"
|export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
...
|cd /.../cwd || exit 1
|/...seqprobe sweep '/.../cwd/my tiny.yaml' train.lr=1e-2,3e-3 --results '/.../cwd/it'\''s 5%' \
|    --shard "$SLURM_ARRAY_TASK_ID/3" --jobs "${SLURM_CPUS_PER_TASK:-2}" &
|child=$!
...
|    scontrol requeue "$task" # this task alone; Slurm starts it again after two minutes
...
! the folder of its logs has to be there: /...it's 5%/slurm

# Nothing else was written.
$ ls
my tiny.yaml

# By default a file, and the folder of its logs; no more tasks than runs; a warning early enough for a short limit.
$ seqprobe slurm "my tiny.yaml" --array 50 --time 0-00:05 --mem 500M && bash -n results/slurm/tiny.sh && sed -n 's/^#SBATCH --//p' results/slurm/tiny.sh | grep -E '^(array|signal|mem)='
results/slurm/tiny.sh
array=0-3
mem=500M
signal=B:USR1@75
! note: 4 runs, so 4 tasks
! 4 runs as 4 tasks; to submit: sbatch results/slurm/tiny.sh

# What the script makes of the end of its program, with a program and a scontrol that only talk.
$ mkdir bin; printf '#!/bin/sh\necho scontrol "$@"\n' > bin/scontrol; chmod +x bin/scontrol

$ printf 'echo program "$@"; [ "$CODE" ] && exit $CODE\ntrap "echo told; exit 75" USR1; trap "echo ended; exit 143" TERM\ntouch ready; while :; do sleep 0.05; done\n' > program

$ sed "s|^/.*seqprobe sweep|sh $PWD/program|" results/slurm/tiny.sh > job.sh; export SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2; CODE=0 bash job.sh
...7_2: starts on ..., restart 0
program ...my tiny.yaml --results ...results --shard 2/4 --jobs 1
...7_2: exit code 0

$ export PATH=$PWD/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2; CODE=75 bash job.sh | tail -n 2; CODE=75 bash job.sh > out; echo $?
7_2: back into the queue
scontrol requeue 7_2
75

$ export PATH=$PWD/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 CODE=4; bash job.sh | grep -c requeue; CODE=137 bash job.sh | grep -c requeue; CODE=137 SLURM_RESTART_COUNT=3 bash job.sh | tail -n 1
0
1
7_2: started 3 times before; given up, submit it again to go on

$ export PATH=$PWD/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2; bash job.sh > out & while [ ! -e ready ]; do sleep 0.05; done; kill -USR1 $!; wait $!; echo $?; tail -n 4 out
75
told
...7_2: exit code 75
7_2: back into the queue
scontrol requeue 7_2

$ rm ready; export PATH=$PWD/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2; bash job.sh > out & while [ ! -e ready ]; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?; tail -n 2 out
143
ended
...7_2: exit code 143

# Submitting, with an sbatch that only talks, without any, and with one that fails.
$ printf '#!/bin/sh\necho "12;cluster"; echo "$@" >&2\n' > bin/sbatch; chmod +x bin/sbatch; PATH=$PWD/bin:$PATH seqprobe slurm "my tiny.yaml" --submit
12
! --parsable results/slurm/tiny.sh
! submitted results/slurm/tiny.sh: 4 runs as 4 tasks; logs in /...results/slurm

$ P=$(command -v seqprobe); PATH=/nowhere $P slurm "my tiny.yaml" --submit
! seqprobe: error: no sbatch here: submit it where Slurm is, with sbatch results/slurm/tiny.sh
? 1

$ printf '#!/bin/sh\necho "sbatch: error: no such partition" >&2; exit 1\n' > bin/sbatch; PATH=$PWD/bin:$PATH seqprobe slurm "my tiny.yaml" --submit
! sbatch: error: no such partition
! seqprobe: error: sbatch results/slurm/tiny.sh failed, see above
? 1

$ for f in --array=1002 --parallel=-1 --cpus=0 --time=soon --time=0 --time=1:2:3:4 --time=1- --mem=2GB '--partition=a b'; do seqprobe slurm "my tiny.yaml" "$f"; echo $?; done 2>&1
seqprobe: error: --array 1002: 0..1001 expected
2
seqprobe: error: --parallel -1: 0..1001 expected
2
seqprobe: error: --cpus 0: 1..512 expected
2
seqprobe: error: --time 'soon': Slurm's form expected, at least a minute: 04:00:00 or 2-00:00:00
2
seqprobe: error: --time '0': Slurm's form expected, at least a minute: 04:00:00 or 2-00:00:00
2
seqprobe: error: --time '1:2:3:4': Slurm's form expected, at least a minute: 04:00:00 or 2-00:00:00
2
seqprobe: error: --time '1-': Slurm's form expected, at least a minute: 04:00:00 or 2-00:00:00
2
seqprobe: error: --mem '2GB': 2G, 500M, ... expected
2
seqprobe: error: --partition 'a b': a name expected
2

$ seqprobe slurm; seqprobe slurm "my tiny.yaml" --out - --submit; seqprobe slurm none.yaml
! seqprobe: error: slurm: one config expected
! seqprobe: error: slurm: --submit needs a file, not --out -
! seqprobe: error: cannot read none.yaml: No such file or directory
? 2
