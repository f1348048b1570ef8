#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Check programs and a few commands under valgrind: `valgrind.sh PROGRAM TEST...`. Fails on any error and any leak.
cd "$(dirname "$0")/.." || exit 1
command -v valgrind > /dev/null || { echo "valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
program=$1; shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0 n=0
OPENBLAS_NUM_THREADS=1 CK_FORK=no; export OPENBLAS_NUM_THREADS CK_FORK
under() {
    name=$1; shift; n=$((n + 1))
    if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@" \
        > "$work/out" 2> "$work/err" < /dev/null; then
        echo "ok   $name"
    else
        code=$?; bad=$((bad + 1))
        echo "FAIL $name (exit $code)"; tail -n 20 "$work/out"; head -n 40 "$work/err"
    fi
}
for t in "$@"; do under "$(basename "$t")" "$t"; done
under help "$program" help config
under man "$program" help --man
under completion "$program" completion bash
under list "$program" list configs --format json
under plan "$program" sweep configs/smoke.yaml --list --results "$work"
echo "$((n - bad)) passed, $bad failed"
[ "$bad" -eq 0 ]
