#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kill a sweep at random moments until KILLS kills are done, continue it to its end, compare its files with those of a
# sweep that was left alone. `kill.sh [KILLS [SEED]]`; SEQPROBE names the program.
#
# A kill is SIGKILL to the sweep and its workers, to the workers alone, or to the sweep alone, which leaves them a
# SIGTERM; sometimes it is SIGINT to the sweep instead. A sweep that ends before all kills are done is compared and
# begun anew. After each kill the step in every checkpoint.bin is kept: the next attempt has to go on from there, or
# from a later one, and no checkpoint may ever go back. Reported in Check's form.
: "${SEQPROBE:=$(dirname "$0")/../build/seqprobe}"
kills=${1:-100} seed=${2:-$(date +%s)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
SEQPROBE_CHECKPOINT_SECONDS=0.05 OPENBLAS_NUM_THREADS=1; export SEQPROBE_CHECKPOINT_SECONDS OPENBLAS_NUM_THREADS
steps=1500; [ "$kills" -le 10 ] && steps=300
mixers=$("$SEQPROBE" list mixers --format csv | cut -d, -f2 |
         awk '/^(lstm|delta_net|mamba|attention)$/ { printf "%s%s", n++ ? ", " : "", $0 }')
if [ -z "$mixers" ] || ! "$SEQPROBE" list tasks --format csv | cut -d, -f2 | grep -qx parity; then
    echo "skipped: not built: parity, or none of lstm, delta_net, mamba, attention"
    echo "100%: Checks: 1, Failures: 0, Errors: 0"
    exit 0
fi
cat > "$work/kill.yaml" <<YAML
name: kill
task: {name: parity, len: [2, 24]}
model: {d_model: 16, layers: 1, channel_mixer: none}
train: {steps: $steps, batch: 16, eval_every: 50, stop_at: 2}
data: {valid: 64, test: 128}
eval: {x2: {len: 48}, x4: {len: 96}}
sweep:
  case: [{label: stream}, {label: static, train: {examples: 512}}]
  mixer: [$mixers]
YAML

sweep() {
    "$SEQPROBE" sweep "$work/kill.yaml" -j 2 --results "$work/$1" >> "$work/$1.out" 2>> "$work/$1.err" < /dev/null
}
children() { ps -A -o pid= -o ppid= | awk -v p="$1" '$2 == p { print $1 }'; }
alive() { for a in "$@"; do kill -0 "$a" 2>/dev/null && return 0; done; return 1; }
pause() { sleep "$(awk -v ms="$1" 'BEGIN { printf "%.3f", ms / 1000 }')"; }

# Step in each checkpoint, behind the number of attempts so far: "run attempts step".
positions() {
    for f in "$work"/killed/runs/*/checkpoint.bin; do
        [ -f "$f" ] || continue
        d=$(dirname "$f")
        echo "$(basename "$d") $(grep -c '^---- attempt' "$d/log.txt") $(od -An -t d8 -j 72 -N 8 "$f")"
    done
}

# Did every attempt go on from the position kept before it? Positions of a run never fall. Prints what is wrong.
check_positions() {
    for d in "$work"/killed/runs/*/; do
        id=$(basename "$d")
        awk -v id="$id" '
            FNR == NR { if ($1 == id) { if ($3 < last) print id ": the checkpoint fell from step " last " to " $3
                                        last = $3; at[$2] = $3 }; next }
            /^---- attempt/ { n++ }
            /resumed at step/ { for (i = 1; i < NF; i++) if ($i == "step") step = $(i + 1)
                                if (step < at[n - 1]) print id ": attempt " n " began at " step ", not at " at[n - 1] }
            /warning: .*checkpoint/ { print id ": " $0 }' "$work/positions" "$d/log.txt"
        [ -f "$d/checkpoint.bad" ] && echo "$id: checkpoint.bad"
    done
}

compared=0 differing=0 resumed=0 rounds=0 faults=
compare() {
    rounds=$((rounds + 1))
    for f in $(cd "$work/whole" && echo kill/plan.csv kill/metrics.csv kill/selected.csv runs/*/config.yaml \
               runs/*/status runs/*/curve.csv runs/*/metrics.csv runs/*/result.csv runs/*/weights.npy); do
        compared=$((compared + 1))
        cmp -s "$work/whole/$f" "$work/killed/$f" && continue
        differing=$((differing + 1)); faults="$faults
    differs: $f"
    done
    resumed=$((resumed + $(cat "$work"/killed/runs/*/log.txt | grep -c 'resumed at step')))
    wrong=$(check_positions)$(find "$work/killed/runs" -name '*.tmp.*' -o -name checkpoint.bin)
    [ -n "$wrong" ] && faults="$faults
    $wrong"
    rm -rf "$work/killed"; : > "$work/positions"
}

sweep whole || { cat "$work/whole.err"; echo "0%: Checks: 1, Failures: 1, Errors: 0"; exit 1; }
: > "$work/positions"
awk -v n="$kills" -v seed="$seed" 'BEGIN { srand(seed)
    for (i = 0; i < n; i++) print int(50 + 700 * rand()), int(7 * rand()) }' > "$work/kills"
done_kills=0 all=0 workers=0 alone=0 asked=0 p=
while read -r ms kind; do
    while :; do # a sweep that is under way at the moment of the kill
        [ -n "$p" ] || { sweep killed & p=$!; }
        pause "$ms"
        alive "$p" && pids=$(children "$p") && s=$(echo $pids | cut -d' ' -f1) && [ -n "$s" ] && break
        wait "$p"; code=$?; p=
        [ "$code" -eq 0 ] && compare # else: runs whose workers were killed are still to do
    done
    w=$(children "$s") # the function runs in a shell of its own: s is the sweep, w its workers
    case $kind in
    0|1|2) kill -9 $s $w 2>/dev/null; all=$((all + 1)) ;;
    3|4)   [ -n "$w" ] && kill -9 $w 2>/dev/null; workers=$((workers + 1)) ;;
    5)     kill -9 $s 2>/dev/null; alone=$((alone + 1)) ;;
    6)     kill -INT $s 2>/dev/null; asked=$((asked + 1)) ;;
    esac
    done_kills=$((done_kills + 1))
    [ "$kind" -eq 3 ] || [ "$kind" -eq 4 ] && continue # the sweep goes on
    wait "$p"; p=
    while alive $w; do pause 10; done
    positions >> "$work/positions"
done < "$work/kills"
[ -n "$p" ] && wait "$p"
for again in 1 2 3; do
    sweep killed && break
done
compare

echo "note: seed $seed: $done_kills kills ($all of all, $workers of workers, $alone of the sweep, $asked by SIGINT)," \
     "$resumed resumed from a checkpoint, $rounds sweeps"
echo "note: $compared files compared, $differing differing"
[ -z "$faults" ] && [ "$resumed" -gt 0 ] && { echo "100%: Checks: $compared, Failures: 0, Errors: 0"; exit 0; }
failures=$((differing ? differing : 1))
echo "$((100 * (compared - failures) / compared))%: Checks: $compared, Failures: $failures, Errors: 0$faults"
exit 1
