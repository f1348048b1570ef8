#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Line coverage of a build with --coverage: `coverage.sh BUILD`. A line counts as covered if it ran in float or in
# double. Prints one line per folder and the total.
cd "$(dirname "$0")/.." || exit 1
build=$1 top=$PWD
[ -n "$(find "$build" -name '*.gcda' -print -quit 2>/dev/null)" ] || { echo "no coverage data in $build" >&2; exit 1; }
tool=gcov
case $build in *clang*) tool='llvm-cov gcov' ;; esac
for o in $(find "$build/f32" "$build/f64" -name '*.gcno' | grep -v '/tests/'); do
    $tool -t "$o" 2>/dev/null
done | awk -v top="$top/" -F: '
    $3 == "Source" || / 0:Source:/ { file = $NF; sub(top, "", file); next }
    file !~ /^(runner|tasks|models)\// { next }
    { count = $1; gsub(/[ *]/, "", count); line = $2 + 0 }
    line == 0 || count == "-" { next }
    { key = file ":" line; if (!(key in seen)) { seen[key] = 0; lines[file]++ } }
    count !~ /^[#=]/ && !seen[key] { seen[key] = 1; ran[file]++ }
    END { for (f in lines) print f, lines[f], ran[f] + 0 }' | sort > "$build/coverage.txt"
awk '{ dir = $1; sub(/\/[^\/]*$/, "", dir); if (dir ~ /^(tasks|models)/) sub(/\/.*/, "", dir)
       lines[dir] += $2; ran[dir] += $3; all += $2; hit += $3 }
     END { form = "%-16s %6d of %6d lines  %5.1f %%\n"
           for (d in lines) printf form, d, ran[d], lines[d], 100 * ran[d] / lines[d] | "sort"
           close("sort"); printf form, "total", hit, all, 100 * hit / all }' \
    "$build/coverage.txt"
echo "by file: $build/coverage.txt (file, lines, covered)"
