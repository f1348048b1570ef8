#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make calls to the system fail, one at a time, and look at what is left (fault.c says which and how).
#
#   faults.sh PROGRAM [quick]     PROGRAM: build/.../fault/seqprobe; quick: one call of a kind here and there
#   ONLY="run sweep"              these scenarios; FIRST=60
#
# A scenario is a folder and a command. It runs once undisturbed (the reference), once to count its calls, and then once
# for each chosen call: the first FIRST ones, and the first at every place in the program. Each time it must
#   end with 0, 1, 4 or 71, and unless with 0, say why on one line that begins with "seqprobe: error:"
#   without a sanitizer's report, a failed check or a signal, and leave every file absent, as it was, or as it is in the
#   reference (of logs and times, which differ anyway, nothing is asked), and no temporary ones;
#   end with 0 when repeated, with the files of the reference.
# A command may go on without what it cannot read, if it warns; a sweep may leave work to the next one (75).
# With FAULT_SHORT a write that takes half of its bytes must change nothing at all. Prints totals in Check's form.
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") quick=$2
: "${FIRST:=60}"
[ -n "$quick" ] && FIRST=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset SEQPROBE_COLOR CLICOLOR_FORCE FAULT_AT FAULT_LOG FAULT_SHORT
TERM=dumb LC_ALL=C; export TERM LC_ALL
checks=0 failures=0 codes=
config=$here/tiny.yaml
for name in parity mingru lstm; do
    "$program" help task $name > /dev/null 2>&1 || "$program" help mixer $name > /dev/null 2>&1 ||
        { printf 'skipped: not built: %s\n100%%: Checks: 1, Failures: 0, Errors: 0\n' $name; exit 0; }
done

# Files whose bytes tell the time, or grow while a run goes on.
volatile='/(timing\.csv|manifest\.json|log\.txt|lock|status|curve\.csv|checkpoint\.bin|runs\.csv)$|\.html$'
list() { (cd "$1" && find . -type f | grep -vE "$volatile" | sort); }

# Two folders with the same lasting files.
same_tree() {
    list "$1" > "$work/l1"; list "$2" > "$work/l2"
    cmp -s "$work/l1" "$work/l2" || { diff "$work/l1" "$work/l2" | grep '^[<>]'; return 1; }
    while read -r f; do cmp -s "$1/$f" "$2/$f" || { echo "$f differs"; return 1; }; done < "$work/l1"
}

# What was left behind: nothing half-written. A run that failed says so in a result.csv of three columns.
left_whole() {
    find "$work/now" -name '*.tmp*' -o -name checkpoint.bad > "$work/odd"
    [ -s "$work/odd" ] && { cat "$work/odd"; return 1; }
    may_lack= ; case $1 in 4|75) may_lack=1 ;; esac
    [ -n "$warned" ] && may_lack=1
    list "$work/now" | while read -r f; do
        cmp -s "$work/now/$f" "$work/reference/$f" || cmp -s "$work/now/$f" "$work/before/$f" && continue
        case $f in
        */result.csv)
            [ "$(head -n 1 "$work/now/$f") $(wc -l < "$work/now/$f")" = "run_id,status,message 2" ] && continue ;;
        */metrics.csv|*/selected.csv|*/table.md)
            [ -n "$may_lack" ] && [ -z "$(tail -c 1 "$work/now/$f" | tr -d '\n')" ] && continue ;;
        esac
        echo "$f is neither old nor new"
    done > "$work/odd"
    cat "$work/odd"
    [ ! -s "$work/odd" ]
}

# try LABEL AT SHORT COMMAND...: one call fails
try() {
    label=$1 at=$2 short=$3; shift 3
    checks=$((checks + 1)) bad=
    rm -rf "$work/now"; cp -r "$work/before" "$work/now"
    (cd "$work/now" && env FAULT_AT="$at" ${short:+FAULT_SHORT=1} timeout 60 "$program" "$@") \
        > "$work/out" 2> "$work/err" < /dev/null
    code=$?
    codes="$codes $code"
    case $code in 0|1|4|71|75) ;; *) bad="exit code $code" ;; esac
    [ -n "$short" ] && [ $code -ne 0 ] && bad="a short write: exit code $code"
    errors=$(grep -c '^seqprobe: error: ' "$work/err")
    [ $code -eq 1 ] || [ $code -eq 71 ] && [ "$errors" -ne 1 ] && bad="$bad; $errors error lines"
    grep -qE 'Sanitizer|runtime error|check failed|[Ss]egmentation' "$work/err" && bad="$bad; a sanitizer or a check"
    grep -q '^seqprobe: warning: ' "$work/err" && warned=1 || warned=
    if [ $code -eq 0 ] && [ -f "$work/reference.out" ] && [ -z "$warned" ]; then
        cmp -s "$work/out" "$work/reference.out" || bad="$bad; exit 0, other output"
    fi
    odd=$(left_whole "$code") || bad="$bad; $odd"
    (cd "$work/now" && timeout 60 "$program" "$@") > "$work/out2" 2> "$work/err2" < /dev/null ||
        bad="$bad; repeated: exit code $?"
    odd=$(same_tree "$work/reference" "$work/now") || bad="$bad; repeated: $odd"
    [ -z "$bad" ] && return
    failures=$((failures + 1))
    echo "$label, call $at ($(sed -n "${at}p" "$work/log" | cut -d' ' -f2)${short:+, short}):" $bad
    sed 's/^/    /' "$work/err" | head -n 20
}

# scenario NAME STEP COMMAND...: every STEPth of the chosen calls in a quick run
scenario() {
    name=$1 step=$2; shift 2
    case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
    rm -rf "$work/reference"; cp -r "$work/before" "$work/reference"
    (cd "$work/reference" && "$program" "$@") > "$work/reference.out" 2> "$work/err" < /dev/null ||
        { echo "$name: fails undisturbed:"; cat "$work/err"; exit 1; }
    case $1 in sweep|run|report) rm "$work/reference.out" ;; esac
    rm -rf "$work/now"; cp -r "$work/before" "$work/now"
    (cd "$work/now" && env FAULT_LOG="$work/log" "$program" "$@") > /dev/null 2>&1 < /dev/null
    awk -v first="$FIRST" '$1 <= first || !(seen[$2 $3]++)  { print $1, $2 }' "$work/log" > "$work/chosen"
    if [ -n "$quick" ]; then
        awk -v s="$step" 'NR % s == 1 || s == 1' "$work/chosen" > "$work/few"; mv "$work/few" "$work/chosen"
    fi
    before=$checks
    while read -r at what; do
        try "$name" "$at" '' "$@" < /dev/null
        [ "$what" = write ] && try "$name" "$at" short "$@" < /dev/null
    done < "$work/chosen"
    echo "note: $name: $(wc -l < "$work/log") calls, $((checks - before)) faults tried"
}

fresh() { rm -rf "$work/before"; mkdir "$work/before"; cp "$config" "$work/before/tiny.yaml"; }
trained() { fresh; (cd "$work/before" && "$program" sweep tiny.yaml -j 1) > /dev/null 2>&1; }
# A run stopped half-way by its time limit, with a checkpoint.
halfway() {
    fresh
    (cd "$work/before" && "$program" run tiny.yaml --row 0 -q --checkpoint-seconds 0 --max-seconds 1e-6) \
        > /dev/null 2>&1
}

fresh;   scenario plan 9 sweep tiny.yaml --dry-run
fresh;   scenario run 16 run tiny.yaml --row 0 --checkpoint-seconds 0 -q
halfway; scenario resume 40 run tiny.yaml --row 0 --checkpoint-seconds 0 -q
fresh;   scenario sweep 30 sweep tiny.yaml -j 1
trained; scenario collect 40 collect tiny.yaml
trained; scenario table 40 table tiny.yaml --save
trained; scenario select 60 select tiny.yaml
trained; scenario check 60 check tiny.yaml
trained; scenario report 60 report tiny.yaml
fresh;   scenario list 2 list tasks
fresh;   scenario show 9 show parity len=4
fresh;   scenario sample 9 sample parity -n 3
fresh;   scenario export 9 export parity len=4 --count 300 --out data --force
exported() { fresh; (cd "$work/before" && "$program" export parity len=4 --count 300 --out data) > /dev/null 2>&1; }
exported; scenario score 9 score --data data --predictions data/targets.npy
fresh;   scenario help 9 help exit-codes

printf '%s\n' $codes | sort -n | uniq -c |
    awk '{ s = s (s ? ", " : "") $2 " x " $1 } END { print "note: exit codes: " s }'
echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" -eq 0 ]
