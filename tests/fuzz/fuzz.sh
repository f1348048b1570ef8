#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Build and run the fuzzers that are named as arguments, SECONDS_EACH seconds each. Seeds are the stored corpus, and for
# configs all of configs/ and tests/configs_bad/. New inputs go to $BUILD/corpus/NAME; a crash stops with the input in
# $BUILD/fuzz-NAME.* and exit 1. Without clang or its runtime: one line, exit 0.
#
#   sh tests/fuzz/fuzz.sh --keep config      merge what was found into tests/fuzz/corpus/config, smallest first
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build/clang-fuzz}" "${SECONDS_EACH:=600}"
keep=; [ "$1" = --keep ] && { keep=1; shift; }
probe=$(mktemp -d) || exit 1
trap 'rm -rf "$probe"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { (void)d; (void)n; return 0; }' > "$probe/x.c"
clang -w -fsanitize=fuzzer,address,undefined "$probe/x.c" -o "$probe/x" 2>/dev/null ||
    { echo "skipped: fuzzing needs clang with its fuzzer runtime (libclang-rt-dev)"; exit 0; }
targets=; for id in "$@"; do targets="$targets $BUILD/fuzz/$id"; done
make CC=clang FLAVOUR=fuzz BUILD="$BUILD" $targets || exit 1

for id in "$@"; do
    found=$BUILD/corpus/$id stored=tests/fuzz/corpus/$id dict=tests/fuzz/$id.dict max=4096
    mkdir -p "$found" "$stored"
    [ -f "$dict" ] && dict=-dict=$dict || dict=
    if [ -n "$keep" ]; then
        rm -rf "$probe/all"; mkdir "$probe/all"
        cp "$stored"/* "$probe/all/" 2>/dev/null
        "$BUILD/fuzz/$id" -merge=1 -max_len=512 "$probe/all" "$found" 2>&1 | tail -n 1
        cp "$probe/all"/* "$stored/"
        continue
    fi
    seeds=
    [ "$id" = config ] && seeds="configs tests/configs_bad"
    echo "fuzz $id: $SECONDS_EACH seconds"
    ASAN_OPTIONS=detect_leaks=1 nice -n 10 "$BUILD/fuzz/$id" -max_total_time="$SECONDS_EACH" -timeout=10 \
        -rss_limit_mb=2048 -max_len=$max -print_final_stats=1 -artifact_prefix="$BUILD/fuzz-$id." $dict \
        "$found" "$stored" $seeds > "$BUILD/fuzz-$id.log" 2>&1
    code=$?
    grep -E '^stat::(number_of_exec|average_exec|slowest_unit|peak_rss)|^SUMMARY|^Test unit' "$BUILD/fuzz-$id.log"
    [ $code -eq 0 ] || { echo "fuzz $id: fault; see $BUILD/fuzz-$id.log"; exit 1; }
done
