#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion in bash and zsh: lines as a person would type them, the last word unfinished, and what is offered. Every
# command, flag, task and mixer must be among it. Reported in Check's form.
TOP=$(cd "$(dirname "$0")/.." && pwd)
: "${SEQPROBE:=$TOP/build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p in configs results/alpha results/beta results/runs && ln -s "$SEQPROBE" in/seqprobe && PATH=$work/in:$PATH
touch configs/a.yaml configs/b.yaml configs/c.txt results/alpha/plan.csv results/beta/plan.csv
unset SEQPROBE_RESULTS SEQPROBE_FORMAT
checks=0 failures=0 faults=
expect() {
    checks=$((checks + 1))
    [ "$1" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
$2"
}

# Lines and what they offer, in any order. The last word is the one at the cursor. A line with a name in brackets
# needs that task or mixer.
task=$(seqprobe list tasks --format csv | sed 1d | cut -d, -f2 | head -n 1)
mixer=$(seqprobe list mixers --format csv | sed 1d | cut -d, -f2 | head -n 1)
all() { seqprobe list "$1" --format csv | sed 1d | cut -d, -f"$2" | tr '\n' ' '; }
cat > lines <<END
|$(all commands 1)
swe|sweep
co|$(all commands 1 | tr ' ' '\n' | grep '^co' | tr '\n' ' ')
zzz|
--c|--color
--color |always auto never
--color always swe|sweep
list |commands configs mixers tasks theory
list --fo|--format
list --format |csv json markdown table
list -f j|json
list --format=|csv json markdown table
list --format=m|markdown
show |$(all tasks 2)
show $task --sp|--split
show $task --split t|test train
show -n 5 --split=v|valid
sample --format js|json jsonl
sweep configs/|configs/a.yaml configs/b.yaml
sweep -j 2 configs/a|configs/a.yaml
sweep --results con|configs
sweep configs/a.yaml train.sched|train.schedule=
sweep configs/a.yaml train.schedule=c|constant cosine_epoch cosine_step
sweep configs/a.yaml model.norm=|layernorm rmsnorm
sweep configs/a.yaml model.tie=|false true
sweep configs/a.yaml data.|data.chunk= data.eval_seed= data.table_seed= data.test= data.valid=
sweep configs/a.yaml mixer=|$(all mixers 2)
sweep configs/a.yaml task=|$(all tasks 2)
sweep configs/a.yaml seed=1 see|seed=
help exit|exit-codes
help topi|topics
help task |$(all tasks 2)
help mixer |$(all mixers 2)
completion |bash zsh
END

# ---- bash: the function is called as the shell would, words broken at '=' -----------------------------------------
cat > bash.sh <<'END'
source <(seqprobe completion bash)
while IFS='|' read -r line want; do
    COMP_WORDS=(seqprobe) last=
    for w in $line; do
        while [[ $w == *=* ]]; do
            [[ ${w%%=*} ]] && COMP_WORDS+=("${w%%=*}")
            COMP_WORDS+=('='); w=${w#*=} last='='
        done
        [[ $w ]] && { COMP_WORDS+=("$w"); last=$w; }
    done
    [[ $line == *[' '=] || ! $line ]] && [[ ! ( $line == *= && $last != '=' ) ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _seqprobe
    got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
    want=$(printf '%s\n' $want | sort | tr '\n' ' ')
    [[ $(echo $got) == $(echo $want) ]] || echo "bash: seqprobe $line: offers '$got', expected '$want'"
    echo "tried: $line"
done < lines
END
if command -v bash > /dev/null; then
    seqprobe completion bash > script && bash -n script; expect $? "bash -n"
    bash --norc bash.sh > out 2> err
    [ "$(grep -c '^tried' out)" -eq "$(wc -l < lines)" ]; expect $? "bash: $(cat err)"
    grep '^bash:' out > bad
    while read -r line; do expect 1 "$line"; done < bad
    checks=$((checks + $(grep -c '^tried' out)))
    [ ! -s err ]; expect $? "bash: $(head -n 3 err)"
    for c in $(all commands 1); do
        COLUMNS=300 seqprobe "$c" --help | sed -n "/^flags:/,\$s/^  \(-.,\|   \) --\([a-z-]*\).*/$c --\2/p"
    done > flags
    cat > flags.sh <<'END'
source ./script
while read -r c f; do
    sp_words=; _seqprobe_flags "$c"
    [[ " $sp_words " == *" $f "* ]] || echo "bash: $c lacks $f"
done < flags
END
    bash flags.sh > bad; [ ! -s bad ]; expect $? "$(cat bad)"
    [ "$(wc -l < flags)" -ge 40 ]; expect $? "bash: only $(wc -l < flags) flags found"
else
    echo "skipped: bash is not installed"
fi

# ---- zsh ---------------------------------------------------------------------------------------------------------
if command -v zsh > /dev/null; then
    seqprobe completion zsh > script.zsh && zsh -n script.zsh; expect $? "zsh -n"
    cat > zsh.sh <<'END'
emulate -R zsh
compdef() { :; }
compset() { :; }
# Stand-ins for the shell's own functions: they print what they are given.
compadd() { local a=$argv[-1]; print -l -- ${(P)a}; }
_describe() { local a=$argv[-1]; print -l -- ${${(P)a}%%:*}; }
_files() { case "$*" in *yaml*) print -l -- ${~:-$sp_cur*.yaml}(N) ;; *-/*) print -l -- ${~:-$sp_cur*}(N-/) ;; esac; }
source script.zsh
while IFS='|' read -r line want; do
    words=(seqprobe ${=line})
    [[ $line == *' ' || -z $line ]] && words+=('')
    CURRENT=$#words
    got=(${(f)"$(_seqprobe)"})
    got=(${(M)got:#${${words[CURRENT]}##*[=,]}*})        # the shell keeps what begins as the word does
    got=(${(o)got}) want=(${(o)=want})
    [[ "$got" == "$want" ]] || print "zsh: seqprobe $line: offers '$got', expected '$want'"
    print "tried: $line"
done < lines
END
    zsh -f zsh.sh > out 2> err
    [ "$(grep -c '^tried' out)" -eq "$(wc -l < lines)" ]; expect $? "zsh: $(cat err)"
    grep '^zsh:' out > bad
    while read -r line; do expect 1 "$line"; done < bad
    checks=$((checks + $(grep -c '^tried' out)))
    [ ! -s err ]; expect $? "zsh: $(head -n 3 err)"
    # And in a real one: words and the tab key are typed on a terminal of its own.
    cat > tab.sh <<'END'
zmodload zsh/zpty 2> /dev/null || exit 0
zpty -b shell 'TERM=dumb zsh -f -i'
key() { zpty -w -n shell "$1"; }
await() {                                        # text that the shell must write
    local all= part= n=0
    until [[ $all == *"$1"* ]]; do
        (( n++ > 400 )) && { print -r -- "not seen: $1; but: $all"; exit 1; }
        zpty -r -t shell part && all+=$part || sleep 0.05
    done
}
key $'PS1=READY; autoload -Uz compinit; compinit -D -u; source <(seqprobe completion zsh)\n'
key $'bindkey "^I" complete-word; stty cols 400; print $((40 + 2))x\n'
await 42x
key $'seqprobe swe\t'; await 'sweep '
key $'configs/a\t'; await 'configs/a.yaml '
key $'train.sched\t'; await 'train.schedule='
key $'const\t'; await 'constant'
END
    timeout 60 zsh -f tab.sh > out 2>&1; expect $? "zsh: the tab key: $(cat out)"
else
    echo "skipped: zsh is not installed"
fi

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
