#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command and every flag of --help, tried: help on standard output, mistakes that end with 2 and a suggestion,
# examples that run, results that are valid CSV and JSON, and a manual page that has it all. Commands and flags are
# read from the program. Reported in Check's form.
TOP=$(cd "$(dirname "$0")/.." && pwd)
: "${SEQPROBE:=$TOP/build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset NO_COLOR CLICOLOR_FORCE SEQPROBE_COLOR
TERM=dumb COLUMNS=300 LC_ALL=C; export TERM COLUMNS LC_ALL
checks=0 failures=0 faults=
# expect CODE WHAT: the exit code of the command before
expect() {
    checks=$((checks + 1))
    [ "$1" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
$2"
}
# fails WITH WORD...: exit code 2, nothing on standard output, WITH (a regular expression) on standard error
fails() {
    want=$1; shift
    "$SEQPROBE" "$@" > "$work/out" 2> "$work/err" < /dev/null; code=$?
    [ $code -eq 2 ] && [ ! -s "$work/out" ] && grep -qE -e "$want" "$work/err"
    expect $? "seqprobe $*: exit code $code, expected 2 and '$want': $(head -n 2 "$work/err")"
}

# Is FILE a complaint about a task or a mixer that the whole tree has and this one lacks?
not_built() {
    name=$(sed -n "s/.*unknown [a-z]* '\([a-z0-9_]*\)'.*/\1/p" "$1" | head -n 1)
    [ -n "$name" ] && { [ -e "$TOP/tests/tasks/$name.facts" ] || grep -qw "$name" "$TOP/tests/golden/numbers.hash"; }
}

# ---- a folder to run examples in: every config is a sweep of a second --------------------------------------------
cd "$work" || exit 1
mkdir configs in && ln -s "$TOP/plots" plots
for c in "$TOP"/configs/*.yaml; do
    sed "s/^name:.*/name: $(basename "$c" .yaml)/" "$TOP/tests/cli/tiny.yaml" > "configs/$(basename "$c")"
    cat >> "configs/$(basename "$c")" <<'END'
thresholds: [{where: {mixer: lstm}, min: 0}, {where: {mixer: mingru}, max: 0}]
published: [{source: grazzi2025, place: Table 3, task: parity, case: short, slice: x2, measure: acc_final,
             deviation: all of it, rows: {Transformer: lstm}}]
END
done
PATH=$work/in:$PATH; ln -s "$SEQPROBE" in/seqprobe
if seqprobe sweep configs/quick.yaml -j 2 > out 2> err && seqprobe collect configs/core.yaml > out 2> err; then
    run=$(ls results/runs | head -n 1)
    cp -r "results/runs/$run" results/runs/r0123456789ab
    mkdir results/reference && cp -r results/quick results/reference/quick
    ln -s "$TOP/results/reference/published" results/reference/
elif not_built err; then
    echo "skipped: the examples: not built:$(sed 's/.*unknown//' err)"
else
    expect 1 "the sweep for the examples: $(cat err)"
fi

# run_example COMMAND-LINE: it is understood and does what it says; 3 and 4 are results
run_example() {
    line=$(printf '%s' "$1" | sed 's/len=1000000/len=1000/; s/-n 1000\b/-n 10/')
    timeout 120 bash -c "$line" > out 2> err < /dev/null; code=$?
    case $code in
    0 | 3 | 4) return 0 ;;
    esac
    grep -qE "is not installed" err && return 0
    not_built err && return 0
    echo "exit code $code: $(head -n 2 err)" > err.1; return 1
}

# ---- each command ------------------------------------------------------------------------------------------------
seqprobe list commands --format csv > commands.csv; expect $? "seqprobe list commands"
commands=$(sed 1d commands.csv | cut -d, -f1)
[ "$(echo "$commands" | wc -l)" -ge 12 ]; expect $? "fewer than 12 commands"
seqprobe help --man > man.1; expect $? "seqprobe help --man"
seqprobe --help > help 2> err; expect $? "seqprobe --help"
[ ! -s err ]; expect $? "seqprobe --help: $(cat err)"
for c in $commands; do
    seqprobe "$c" --help > "$c.help" 2> err; code=$?
    [ $code -eq 0 ] && [ ! -s err ] && head -n 1 "$c.help" | grep -q "^seqprobe $c - ."
    expect $? "seqprobe $c --help: exit code $code: $(head -n 1 "$c.help")"
    seqprobe "$c" -h | cmp -s - "$c.help"; expect $? "seqprobe $c -h is not --help"
    seqprobe help "$c" | cmp -s - "$c.help"; expect $? "seqprobe help $c is not $c --help"
    grep -q "^  $c  " help; expect $? "seqprobe --help lacks $c"
    grep -qx "\.SS $c" man.1; expect $? "the manual page lacks $c"
    grep -qE "^ +(.*; )?(seqprobe|source <\(seqprobe) $c" "$c.help"; expect $? "seqprobe $c --help has no example"
    fails "unknown flag '--no-such-flag'" "$c" --no-such-flag
    fails "unknown flag '-%'" "$c" -%
    short=$(printf '%s' "$c" | sed 's/.$//')
    echo "$commands" | grep -qx "$short" || fails "unknown command '$short'.*did you mean" "$short"
    case $(grep "^$c," commands.csv | cut -d, -f2 | tr -d '"') in
    [A-Z]*) fails . "$c" ;;                      # an argument that must be there
    esac

    # Its flags: "  -j, --jobs N   ..." with the letter and the value where it has them.
    sed -nE '/^flags:/,$s/^  (-(.), |    )--([a-z-]*)( ([^ ]*))?( .*)?$/\3 -\2 \5/p' "$c.help" > flags
    [ "$(wc -l < flags)" -ge 3 ]; expect $? "seqprobe $c --help: no flags found"
    while read -r flag letter value; do
        letter=${letter#-}
        case $value in [A-Za-z]*) ;; *) value='' ;; esac
        sed -n "/^\.SS $c\$/,/^\.S[HS]/p; /^\.SS flags of/,/^\.SH/p" man.1 | grep -qF -e "--$flag" -e \
            "$(printf '%s' "--$flag" | sed 's/-/\\-/g')"
        expect $? "the manual page lacks $c --$flag"
        fails "unknown flag.*did you mean '--" "$c" "--${flag%?}"
        if [ -z "$value" ]; then
            fails "takes no value" "$c" "--$flag=x"
            continue
        fi
        fails "--$flag needs a value" "$c" "--$flag"
        [ -z "$letter" ] || fails "-$letter needs a value" "$c" "-$letter"
        name=SEQPROBE_$(printf '%s' "$flag" | tr a-z- A-Z_)
        case $value in
        *'|'*) fails "'x%' is not one of $(echo "$value" | sed 's/|/, /g')" "$c" "--$flag" x%
               eval "export $name=x%"; fails "$name: 'x%' is not one of" "$c"; unset "$name" ;;
        N | S | H | T) fails "--$flag: 'x%' is not a" "$c" "--$flag=x%"
               eval "export $name=x%"; fails "$name: 'x%' is not a" "$c"; unset "$name" ;;
        esac
    done < flags
    [ -d results ] || continue

    # Its examples, and its results as CSV and JSON.
    sed -n 's/^  *\(seqprobe .*\)/\1/p' "$c.help" | sed 's/   .*//' > examples
    while read -r line; do
        run_example "$line"; expect $? "$line: $(cat err.1 2>/dev/null)"
    done < examples
    for form in csv json; do
        grep -qE "^ +(-f, )?--format ([a-z]*\|)*$form(\||  |\$)" "$c.help" || continue
        good=1
        grep "^seqprobe $c " examples | sed 's/ --format [a-z]*//; s/ [>|].*//' > lines
        [ "$c" = list ] && echo "seqprobe list commands" >> lines
        while read -r line && [ $good -ne 0 ]; do
            run_example "$line --format $form" && awk -f "$TOP/tests/support/$form.awk" out > err.1
            good=$?
        done < lines
        expect $good "no example of $c has a valid --format $form: $(cat err.1 2>/dev/null)"
    done
done

# ---- the rest of the examples, and topics ------------------------------------------------------------------------
seqprobe help topics > topics; expect $? "seqprobe help topics"
for t in $(sed -n 's/^  \([a-z-]*\)  .*/\1/p' topics); do
    seqprobe help "$t" > out 2> err; code=$?
    [ $code -eq 0 ] && [ ! -s err ] && [ "$(wc -l < out)" -ge 4 ]; expect $? "seqprobe help $t: $(cat err)"
done
[ "$(grep -cE '^  (config|train|exit-codes|environment|files) ' topics)" -eq 5 ]; expect $? "topics are missing"
fails "unknown topic 'confg' .did you mean 'config'" help confg
if [ -d results ]; then
    sed -n 's/^  \(seqprobe [^A-Z]*\)$/\1/p' help | sed 's/   .*//' > examples
    while read -r line; do run_example "$line"; expect $? "$line: $(cat err.1 2>/dev/null)"; done < examples
    seqprobe help config | sed -n '/^  name: /,$s/^  //p' > example.yaml
    seqprobe sweep example.yaml --dry-run > out 2> err || not_built err
    expect $? "the example of help config: $(cat err)"
fi
# Every key that a config may have is explained, and none that it may not.
seqprobe help config | sed -n 's/^  \([a-z_]*\)  .*/\1/p' > keys
[ "$(wc -l < keys)" -ge 18 ]; expect $? "help config lists fewer than 18 keys"
while read -r k; do
    printf '%s: {%s: 1}\n' "$k" x > key.yaml
    seqprobe sweep key.yaml --list 2>&1 | grep -q "unknown key '$k'"; [ $? -ne 0 ]; expect $? "config key $k is unknown"
done < keys

# ---- manual page -------------------------------------------------------------------------------------------------
for s in NAME SYNOPSIS DESCRIPTION COMMANDS 'CONFIG FILES' ENVIRONMENT FILES 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
    grep -qx "\.SH $s" man.1; expect $? "the manual page has no $s"
done
for o in d_model weight_decay eval_every table_seed; do
    grep -q "^.fB$o.fR (" man.1; expect $? "the manual page lacks option $o"
done
if command -v mandoc > /dev/null; then
    mandoc -Tlint -Wwarning man.1 > lint; [ ! -s lint ]; expect $? "mandoc: $(head -n 5 lint)"
else
    echo "skipped: mandoc is not installed: the manual page is not linted"
fi

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
