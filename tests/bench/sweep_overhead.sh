#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a sweep costs beside training: RUNS (500) runs of one step.
#
#   overhead     wall time of the sweep with -j 1, less what the runs say they took (wall_s of timing.csv), per run
#   processor    the same in processor time, which other programs on the machine change least
#   efficiency   two processes with a shard each and -j 1, which share nothing, against one with -j 2
#
# SEQPROBE names the program. Run it on a machine that does nothing else; the middle of ROUNDS (3) counts.
: "${SEQPROBE:=build/seqprobe}" "${RUNS:=500}" "${ROUNDS:=3}"
SEQPROBE=$(cd "$(dirname "$SEQPROBE")" && pwd)/$(basename "$SEQPROBE")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
task=$("$SEQPROBE" list tasks --format csv | sed -n '/,parity,/s/.*/parity/p;')
mixer=$("$SEQPROBE" list mixers --format csv | sed -n '/,lstm,/s/.*/lstm/p;')
[ -n "$task" ] && [ -n "$mixer" ] || { echo "skipped: uses parity and lstm; not built"; exit 0; }
cat > overhead.yaml <<YAML
task: {name: $task, len: 4}
mixer: $mixer
model: {d_model: 8, layers: 1, channel_mixer: none}
train: {steps: 1, batch: 1, eval_every: 1}
data: {valid: 1, test: 1}
sweep: {seed: {range: [0, $RUNS]}}
YAML
now() { date +%s.%N; }
middle() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }
sweep() { "$SEQPROBE" sweep overhead.yaml --results "$@" > /dev/null 2> err || { cat err; exit 1; }; }

over='' eff='' cpu=''
for round in $(seq "$ROUNDS"); do
    rm -rf a b c
    times > before; t=$(now); sweep a -j 1; times > after; one=$(echo "$(now) $t" | awk '{ print $1 - $2 }')
    own=$(cat a/runs/*/timing.csv | awk -F, '$1 + 0 > 0 { s += $1 } END { print s + 0 }')
    t=$(now); sweep b --shard 0/2 -j 1 & sweep b --shard 1/2 -j 1; wait
    two=$(echo "$(now) $t" | awk '{ print $1 - $2 }')
    t=$(now); sweep c -j 2; pool=$(echo "$(now) $t" | awk '{ print $1 - $2 }')
    own_cpu=$(cat a/runs/*/timing.csv | awk -F, '$2 + 0 > 0 { s += $2 } END { print s + 0 }')
    p=$(cat before after | awk -v own="$own_cpu" -v n="$RUNS" '
        NR % 2 == 0 { gsub("s", ""); split($1, u, "m"); split($2, k, "m"); t[NR] = 60 * (u[1] + k[1]) + u[2] + k[2] }
        END { printf "%.1f", 1000 * (t[4] - t[2] - own) / n }')
    o=$(awk "BEGIN { printf \"%.1f\", 1000 * ($one - $own) / $RUNS }")
    e=$(awk "BEGIN { printf \"%.1f\", 100 * $two / $pool }")
    printf 'round %d: -j 1 %.2f s, of which runs %.2f s; two shards %.2f s; -j 2 %.2f s\n' "$round" "$one" "$own" \
        "$two" "$pool"
    over="$over $o" eff="$eff $e" cpu="$cpu $p"
done
echo "overhead per run: $(middle $over) ms," \
     "processor time $(middle $cpu) ms; -j 2 against two processes: $(middle $eff) %"
