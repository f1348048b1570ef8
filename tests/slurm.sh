#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `seqprobe slurm` from end to end (make test-slurm; about ten minutes): a Slurm of one node on loopback, with munge and
# daemons in a folder of its own, runs two job arrays. In the first a program is killed with -9 and another task is
# requeued by hand; the second has a time limit shorter than its run, so Slurm sends USR1, the program stops with 75 and
# is requeued. In the end every file of every run must be that of a local sweep, byte for byte.
# Needs root and the packages slurmctld slurmd slurm-client munge; without them it says so and passes.
# SEQPROBE names the program, SLURM_PORT the first of two ports.
here=$(cd "$(dirname "$0")" && pwd)
: "${SEQPROBE:=$here/../build/seqprobe}"
SEQPROBE=$(readlink -f "$SEQPROBE")
port=${SLURM_PORT:-16817}
began=$(date +%s) failures=0
say() { printf '%4d s  %s\n' $(($(date +%s) - began)) "$*"; }
expect() { # WHAT CODE
    if [ "$2" -eq 0 ]; then say "ok    $1"; else say "FAIL  $1"; failures=$((failures + 1)); fi
}
for tool in slurmctld slurmd sbatch scontrol munged runuser; do
    command -v $tool > /dev/null && continue
    echo "skipped: no $tool (apt-get install slurmctld slurmd slurm-client munge)"; exit 0
done
[ "$(id -u)" = 0 ] || { echo "skipped: daemons of Slurm need root"; exit 0; }
getent passwd munge > /dev/null || { echo "skipped: no user munge"; exit 0; }

# ---- a Slurm of our own ----
D=$(mktemp -d /var/tmp/seqprobe-slurm.XXXXXX) && chmod 755 "$D" || exit 1
stop() {
    [ -s "$D/run/slurmctld.pid" ] && scancel --user root 2> /dev/null && sleep 1
    for p in run/slurmd.pid run/slurmctld.pid mrun/pid; do [ -s "$D/$p" ] && kill "$(cat "$D/$p")" 2> /dev/null; done
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -e "$D/run/slurmd.pid" ] || [ -e "$D/run/slurmctld.pid" ] || [ -e "$D/mrun/pid" ] || break
        sleep 1
    done
    if [ -n "$KEEP" ]; then echo "kept: $D"; else rm -rf "$D"; fi
}
trap stop EXIT
trap 'exit 130' INT TERM
mkdir -p "$D"/{state,spool,log,run,munge,mrun}
chown munge:munge "$D/munge" "$D/mrun"; chmod 700 "$D/munge"; chmod 755 "$D/mrun"
dd if=/dev/urandom of="$D/munge/key" bs=1 count=1024 status=none
chown munge:munge "$D/munge/key"; chmod 400 "$D/munge/key"
runuser -u munge -- munged --key-file="$D/munge/key" --socket="$D/mrun/sock" --pid-file="$D/mrun/pid" \
    --log-file="$D/munge/log" --seed-file="$D/munge/seed" || { echo "munged does not start"; exit 1; }
host=$(hostname -s)
cat > "$D/slurm.conf" <<CONF
ClusterName=loop
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$D/mrun/sock
CredType=cred/munge
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool
SlurmctldPidFile=$D/run/slurmctld.pid
SlurmdPidFile=$D/run/slurmd.pid
SlurmctldLogFile=$D/log/slurmctld.log
SlurmdLogFile=$D/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
ReturnToService=2
JobRequeue=1
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=8000 State=UNKNOWN
PartitionName=debug Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$D/slurm.conf
slurmctld -c -f "$SLURM_CONF" && sleep 2 && slurmd -f "$SLURM_CONF" -N "$host"
for i in $(seq 30); do sinfo -h -o %t 2> /dev/null | grep -qx idle && break; sleep 1; done
sinfo -h -o '%P %a %D %t' | grep -q idle; expect "a node is idle: $(sinfo -h -o '%P %a %D %t' 2>&1)" $?
[ "$failures" -eq 0 ] || { tail -n 5 "$D"/log/*.log; exit 1; }

# ---- two sweeps, as long as this machine needs for the purpose ----
has() { "$SEQPROBE" list "$1" --format csv | cut -d, -f2 | grep -qx "$2"; }
task=$("$SEQPROBE" list tasks --format csv | sed -n 2p | cut -d, -f2); has tasks parity && task=parity
mixer=$("$SEQPROBE" list mixers --format csv | sed -n 2p | cut -d, -f2); has mixers mingru && mixer=mingru
mkdir "$D/with blank" && cd "$D/with blank" || exit 1
config() { # NAME STEPS SEEDS
    cat > "$1.yaml" <<EOF
name: $1
task: $task
model: {d_model: 32, layers: 1, channel_mixer: none}
mixer: $mixer
train: {steps: $2, batch: 32, lr: 1.0e-3, eval_every: $(($2 / 20 + 1)), stop_at: 1.0, stop_patience: 1000}
data: {valid: 32, test: 64}
sweep: {seed: {range: [0, $3]}}
EOF
}
config speed 400 1
"$SEQPROBE" sweep speed.yaml -j 1 --results speed > speed.log 2>&1 || { cat speed.log; exit 1; }
rate=$(cut -d, -f4 speed/runs/*/timing.csv | tail -n 1 | cut -d. -f1)
config array $((rate * 20)) 4
say "$mixer on $task: $rate steps/s; four runs of $((rate * 20)) steps"

R="$D/my results"
job=$("$SEQPROBE" slurm array.yaml --array 4 --parallel 2 --time 00:20:00 --mem 500M --submit --results "$R" 2> err)
expect "submitted the array as job $job ($(cat err))" $?
"$SEQPROBE" slurm array.yaml --array 4 --parallel 2 --time 00:20:00 --mem 500M --out - --results "$R" 2> /dev/null |
    cmp -s - "$R/slurm/array.sh"; expect "the script is what --out - prints" $?

id_of() { "$SEQPROBE" sweep "$1.yaml" --list --results "$R" 2> /dev/null | awk -v row="$2" '$1 == row { print $2 }'; }
steps_of() { awk -F, 'END { print $1 + 0 }' "$R/runs/$1/curve.csv" 2> /dev/null || echo 0; }
halfway() { # RUN STEPS: wait until a quarter of its steps is done
    for i in $(seq 300); do [ "$(steps_of "$1")" -ge $(($2 / 4)) ] && return 0; sleep 0.5; done
    return 1
}
state_of() { scontrol -o show job "$1" 2> /dev/null | grep -o 'JobState=[A-Z]*' | head -n 1 | cut -d= -f2; }
log() { cat "$R/slurm/$1-$2_$3.log" 2> /dev/null; }

first=$(id_of array 0) second=$(id_of array 1)
halfway "$first" $((rate * 20)); expect "run $first of task 0 is at step $(steps_of "$first")" $?
# By the folder in its command line, which nobody else has.
pid=$(pgrep -f " sweep $D/with blank/array.yaml .*--shard 0/4" | head -n 1)
kill -9 "$pid"; expect "killed -9 the program of task 0, process $pid" $?
halfway "$second" $((rate * 20)); expect "run $second of task 1 is at step $(steps_of "$second")" $?
scontrol requeue "${job}_1"; expect "requeued task 1 by hand" $?
sleep 3
say "now: $(squeue -h -r -o '%K %T %r' | sort | tr '\n' ';')"

submit_long() { # STEPS: sets limit, the number of the job
    config limit "$1" 1
    limit=$("$SEQPROBE" slurm limit.yaml --time 00:02:00 --mem 500M --submit --results "$R" 2> err)
    expect "submitted a long run of $1 steps as job $limit" $?
}
wait_for_all() {
    before=
    for i in $(seq 1500); do
        now=$(squeue -h -r -o '%i %T %r' | sort | tr '\n' ';')
        [ "$now" = "$before" ] || say "queue: ${now:-empty}"
        before=$now
        [ -z "$now" ] && return
        sleep 1
    done
    expect "the queue is not empty" 1
}
starts() { log "$@" | grep -c ': starts on'; }
steps=$((rate * 100)); submit_long $steps; wait_for_all
for try in 1 2; do
    [ "$(starts limit "$limit" 0)" -eq 1 ] || break
    say "the long run ended before its time: this machine has become faster"
    steps=$((steps * 2)); submit_long $steps; wait_for_all
done
for t in 0 1 2 3; do
    s=$(state_of "${job}_$t"); [ "$s" = COMPLETED ]; expect "task $t of the array is $s" $?
done
s=$(state_of "${limit}_0"); [ "$s" = COMPLETED ]; expect "the long run is $s" $?
[ "$(starts array "$job" 0)" -eq 2 ]; expect "task 0 started twice" $?
log array "$job" 0 | grep -q 'exit code 137'; expect "task 0 saw its program killed" $?
[ "$(starts array "$job" 1)" -eq 2 ]; expect "task 1 started twice" $?
[ "$(starts array "$job" 2)" -eq 1 ]; expect "task 2 started once" $?
log limit "$limit" 0 | grep -q 'exit code 75'; expect "the long run was stopped by USR1 with exit code 75" $?
n=$(starts limit "$limit" 0); [ "$n" -ge 2 ]; expect "the long run started $n times" $?

# ---- the same bytes as here ----
for c in array limit; do
    "$SEQPROBE" sweep $c.yaml --results local > local.log 2>&1; expect "local sweep of $c: $(tail -n 1 local.log)" $?
done
compared=0 differ=0
for run in local/runs/r*; do
    for f in config.yaml metrics.csv curve.csv result.csv weights.npy; do
        compared=$((compared + 1))
        cmp -s "$run/$f" "$R/runs/$(basename "$run")/$f" && continue
        differ=$((differ + 1)); say "differs: $(basename "$run")/$f"
    done
done
[ "$compared" -eq 25 ] && [ "$differ" -eq 0 ]; expect "$compared files compared, $differ differ" $?
for f in plan metrics selected; do cmp -s "local/array/$f.csv" "$R/array/$f.csv"; expect "$f.csv is the same" $?; done
again=$(sbatch --parsable --wait --array=0 "$R/slurm/array.sh"); expect "submitted again, job $again ends at once" $?
log array "$again" 0 | grep -q 'finished before'; expect "and found its runs finished" $?
if [ "$failures" -ne 0 ] || [ -n "$VERBOSE" ]; then
    for f in "$R"/slurm/*.log; do echo "--- $(basename "$f")"; tail -n 40 "$f"; done
fi
echo "slurm: $failures failures, $(($(date +%s) - began)) s"
[ "$failures" -eq 0 ]
