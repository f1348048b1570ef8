#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What can happen to a run while it is under way: signals, a full disk, a folder that is read-only, gone or damaged, the
# lock of another process, host or sweep. Always a clear word, never a lost result. Reported in Check's form.
TOP=$(cd "$(dirname "$0")/.." && pwd)
: "${SEQPROBE:=$TOP/build/seqprobe}"
work=$(mktemp -d) || exit 1
mounted=
trap '[ -n "$mounted" ] && umount "$work/disk"; rm -rf "$work"' EXIT
checks=0 failures=0 faults=
cd "$work" || exit 1

fact() { # name, then a command that must succeed
    name=$1; shift; checks=$((checks + 1))
    "$@" >"$work/fact" 2>&1 && return
    failures=$((failures + 1)); faults="$faults
$name: $*
$(head -n 12 "$work/fact"; for f in err out; do [ -s $f ] && { echo "  $f:"; tail -n 5 $f; }; done)"
}
has() { grep -q -- "$1" "$2" || { echo "no '$1' in $2:"; head -n 5 "$2"; return 1; }; }
lacks() { ! grep "$1" "$2"; }
report() { # and out
    [ "$checks" -gt 0 ] || checks=1
    echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
    [ "$failures" -eq 0 ]; exit
}
for part in 'task parity' 'mixer mingru' 'mixer lstm'; do
    "$SEQPROBE" list "${part% *}s" --format csv | cut -d, -f2 | grep -qx "${part#* }" ||
        { echo "skipped: not built: $part"; report; }
done

cp "$TOP/tests/cli/tiny.yaml" .
LONG='train.steps=10000000 train.stop_at=2' # minutes
run() { "$SEQPROBE" run tiny.yaml --row 0 -q "$@" > out 2> err < /dev/null; }
sweep() { "$SEQPROBE" sweep tiny.yaml -j 2 "$@" > out 2> err < /dev/null; }
code() { # expected, command
    want=$1; shift
    "$@"; got=$?
    [ "$got" -eq "$want" ] || { echo "exit code $got, expected $want"; cat err; return 1; }
}
same() { # files of two results folders
    for f in $(cd "$1" && ls runs/*/config.yaml runs/*/curve.csv runs/*/metrics.csv runs/*/result.csv \
               runs/*/weights.npy runs/*/status tiny/metrics.csv tiny/selected.csv 2>/dev/null); do
        cmp "$1/$f" "$2/$f" || return 1
    done
    [ "$(find "$2" -name '*.tmp.*' -o -name checkpoint.bin | wc -l)" -eq 0 ]
}
gone() { until rm -rf "$1" 2>/dev/null; do :; done; } # whatever is being written there
until_file() { # PATTERN [HOW MANY]
    n=0
    until [ "$(ls -d $1 2>/dev/null | wc -l)" -ge "${2:-1}" ] || [ $n -gt 1000 ]; do sleep 0.02; n=$((n + 1)); done
}

fact 'a sweep to compare with' code 0 sweep --results whole

# ---- signals ----
for s in INT:130 TERM:143 HUP:129 USR1:75; do
    rm -rf r
    "$SEQPROBE" run tiny.yaml --row 0 -q $LONG --results r > out 2> err & p=$!
    until_file 'r/runs/*/curve.csv'; sleep 0.1; kill -"${s%:*}" $p; wait $p; got=$?
    fact "SIG${s%:*} of a run" [ $got -eq "${s#*:}" ]
    fact "status after SIG${s%:*}" has interrupted r/runs/*/status
    fact "checkpoint after SIG${s%:*}" [ -s r/runs/*/checkpoint.bin ]
done
timeout -s TERM 0.3 "$SEQPROBE" run tiny.yaml --row 0 -q $LONG --results r > out 2> err
fact 'and on from there' has 'resumed at step' err
fact 'what a stopped run says' sh -c "'$SEQPROBE' run tiny.yaml --row 0 $LONG --results r --max-seconds 0.01 2> err |
    grep 'timeout after .* steps; the same command goes on from there with a larger --max-seconds'"
rm -rf r
BIG='model.d_model=256 model.layers=4 train.batch=256 task.len=200 eval.x2.len=200' # a step of seconds
"$SEQPROBE" run tiny.yaml --row 1 -q $BIG $LONG --results r > out 2> err & p=$!
until_file 'r/runs/*/curve.csv'; kill -TERM $p; sleep 0.05; kill -TERM $p; wait $p; got=$?
fact 'the second SIGTERM leaves at once' [ $got -eq 143 ]
fact 'and says nothing more' has running r/runs/*/status
rm -rf r
"$SEQPROBE" run tiny.yaml --row 0 train.steps=3000 --results r 2>&1 | head -n 1 > out
fact 'a reader of the progress may go' sh -c 'n=0; until grep -q ok r/runs/*/status || [ $n -gt 200 ]; do
    sleep 0.05; n=$((n + 1)); done; grep ok r/runs/*/status'
rm -rf r
"$SEQPROBE" sweep tiny.yaml mixer=lstm $LONG -j 2 --results r > out 2> err & p=$!
until_file 'r/runs/*/curve.csv' 2; sleep 0.3; kill -9 $p; wait $p 2>/dev/null
n=0
until [ "$(cat r/runs/*/status | grep -c interrupted)" -eq 2 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n + 1)); done
fact 'workers of a killed sweep stop by themselves' [ "$(cat r/runs/*/status | grep -c interrupted)" -eq 2 ]
fact 'and keep what they have' [ "$(ls r/runs/*/checkpoint.bin | wc -l)" -eq 2 ]
rm -rf r
fact 'seconds below zero' code 2 run --checkpoint-seconds -1
fact 'are refused' has 'error: --checkpoint-seconds: cannot be negative' err

# ---- locks ----
"$SEQPROBE" run tiny.yaml --row 0 -q $LONG --results r > out 2> err & p=$!
until_file 'r/runs/*/curve.csv'
fact 'a run that is under way' code 1 run $LONG --results r
fact 'names who works on it' has "error: r/runs/r.*: locked by process $p on $(uname -n), which works on this run" err
kill -TERM $p; wait $p
fact 'a run that stopped leaves its lock empty' [ ! -s r/runs/*/lock ]
lock=$(echo r/runs/*/lock)
for age in '5 minutes ago' '5 minutes'; do
    echo 'elsewhere 4711' > "$lock"; touch -d "$age" "$lock"
    fact "the lock of another host, touched $age" code 1 run $LONG --results r
    fact 'names it' has "locked by process 4711 on elsewhere" err
done
for age in '20 minutes ago' '1 day'; do # the clock of the file system may have been set
    echo 'elsewhere 4711' > "$lock"; touch -d "$age" "$lock"
    fact "a lock left behind, touched $age" code 1 run $LONG --results r --max-seconds 0.1
    fact 'is taken over' has "note: r/runs/r.*: lock of host elsewhere, process 4711, not touched for" err
done
echo 'elsewhere 4711' > "$lock"; touch -d '20 minutes ago' "$lock"
fact 'a longer --lock-timeout' code 1 run $LONG --results r --max-seconds 0.1 --lock-timeout 3600
fact 'waits longer' has "locked by process 4711 on elsewhere" err
echo "$(uname -n) 1" > "$lock"
fact 'our own, left by a kill -9, is no obstacle' code 1 run $LONG --results r --max-seconds 0.1
fact 'at all' lacks locked err
rm -rf r
"$SEQPROBE" sweep tiny.yaml train.steps=600 -j 1 --results r > out1 2> err1 & p=$!
"$SEQPROBE" sweep tiny.yaml train.steps=600 -j 1 --results r > out2 2> err2 & q=$!
wait $p; a=$?; wait $q; b=$?
fact 'two sweeps at once on one folder both end well' [ $a -eq 0 ] && fact 'both' [ $b -eq 0 ]
fact 'having run each run once' [ "$(cat r/runs/*/log.txt | grep -c '^---- attempt')" -eq 4 ]
sweep train.steps=600 --results alone
fact 'with the bytes of one' same alone r
rm -rf r alone

# ---- damage ----
cp -r whole r
first=$(ls -d r/runs/* | sed -n 1p) second=$(ls -d r/runs/* | sed -n 2p) third=$(ls -d r/runs/* | sed -n 3p)
head -c 100 whole/runs/"$(basename "$first")"/result.csv > "$first/result.csv"
printf o > "$second/status"
head -c 40 whole/runs/"$(basename "$third")"/config.yaml > "$third/config.yaml"
fact 'collecting what is damaged' code 0 "$SEQPROBE" collect tiny.yaml --results r
fact 'a run whose config is cut off' code 2 "$SEQPROBE" run --dir "$third" --force
"$SEQPROBE" run --dir "$third" --force > out 2> err
fact 'says where' has "error: $third/config.yaml:" err
fact 'a sweep goes over it' code 0 sweep --results r
fact 'naming a result that is cut off' has "warning: $first/result.csv:.*; the run is run again" err
fact 'and a status' has "warning: $second/status: 'o' is no status; the run is run again" err
cp whole/runs/"$(basename "$third")"/config.yaml "$third/config.yaml" # of a finished run: not looked at
fact 'all is as it was' same whole r
fact 'without running the others' [ "$(cat r/runs/*/log.txt | grep -c '^---- attempt')" -eq 6 ]
rm -rf r

# ---- disks ----
(ulimit -f 1; sweep --results r; echo $? > got) # files of at most 512 bytes
fact 'a limit on the size of files' [ "$(cat got)" -ne 0 ]
fact 'is named' sh -c "cat err r/runs/*/log.txt | grep 'File too large'"
fact 'nothing half is left' [ "$(find r -name '*.tmp.*' | wc -l)" -eq 0 ]
fact 'without it the same command ends well' code 0 sweep --results r
fact 'in the same bytes' same whole r
rm -rf r
"$SEQPROBE" run tiny.yaml --row 0 -q $LONG --results r --checkpoint-seconds 0.1 > out 2> err & p=$!
until_file 'r/runs/*/checkpoint.bin'; gone r; wait $p; got=$?
fact 'a folder that vanishes ends its run' [ $got -eq 1 ]
fact 'with a word' has 'error: r/runs/r.*: the folder has vanished' err
SEQPROBE_CHECKPOINT_SECONDS=0.1 "$SEQPROBE" sweep tiny.yaml train.steps=30000 train.stop_at=2 -j 1 --results r \
    > out 2> err & p=$!
until_file 'r/runs/*/checkpoint.bin'; gone "$(dirname "$(ls r/runs/*/checkpoint.bin | head -n 1)")"; wait $p; got=$?
fact 'in a sweep it is one failure' [ $got -eq 4 ]
fact 'of one run' has '3 ok, 1 failed' out
rm -rf r
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null; then
    mounted=1
    sweep case=short --results disk/r
    free=$(df -Pk disk | awk 'NR == 2 { print $4 }')
    head -c $(((free - 4) * 1024)) /dev/zero > disk/filler
    fact 'a full disk' sh -c "! '$SEQPROBE' sweep tiny.yaml -j 2 --results disk/r > out 2> err"
    fact 'is named' sh -c "cat err disk/r/runs/*/log.txt | grep 'No space left on device'"
    rm disk/filler
    fact 'with space again the same command ends well' code 0 sweep --results disk/r
    fact 'in the same bytes' same whole disk/r
    "$SEQPROBE" run tiny.yaml --row 0 -q train.steps=40000 train.stop_at=2 --results disk/r --checkpoint-seconds 0.05 \
        > out 2> err & p=$!
    until_file 'disk/r/runs/*/checkpoint.bin'
    free=$(df -Pk disk | awk 'NR == 2 { print $4 }')
    head -c $((free * 1024)) /dev/zero > disk/filler 2>/dev/null; sleep 0.3; rm disk/filler; wait $p; got=$?
    fact 'a disk that is full for a moment does not end a run' [ $got -eq 0 ]
    mount -o remount,ro disk
    fact 'a read-only folder' code 1 sweep --results disk/r
    fact 'is named' has 'error: .*disk/r.*Read-only file system' err
    fact 'also for a run' code 1 run $LONG --results disk/r
    fact 'by name' has 'error: .*disk/r.*Read-only file system' err
else
    echo 'note: a full disk is tried as root where tmpfs can be mounted'
    mkdir disk/r && chmod 555 disk/r
    [ "$(id -u)" -eq 0 ] || fact 'a read-only folder' code 1 sweep --results disk/r
    [ "$(id -u)" -eq 0 ] || fact 'is named' has 'error: .*disk/r.*Permission denied' err
    chmod 755 disk/r
fi

# ---- clocks: durations are monotonic; the wall clock is read for `started`, `ended` and the ages `status` shows ----
clocks='(^|[^a-z_])(time|gettimeofday|clock|localtime|ftime)\(|CLOCK_REALTIME'
fact 'two places read the wall clock' sh -c "! grep -rnE '$clocks' '$TOP/runner' --include='*.c' |
    grep -vE 'runner/(train/manifest|sweep/command_status).c:.*time\(NULL\)'"
report
