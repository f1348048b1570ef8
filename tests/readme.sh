#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md with its generated lists: `readme.sh print PROGRAM` on standard output, `readme.sh write PROGRAM` in place.
cd "$(dirname "$0")/.." || exit 1
[ $# -eq 2 ] || { echo "usage: readme.sh print|write PROGRAM" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for kind in commands tasks theory mixers; do
    "$2" list $kind --format markdown > "$work/$kind" || exit 1
done
awk -v dir="$work/" '
    /^<!-- list [a-z]+ -->$/ { print; file = dir $3; while ((getline line < file) > 0) print line; skip = 1; next }
    /^<!-- end -->$/ { skip = 0 }
    !skip' README.md > "$work/README.md" || exit 1
if [ "$1" = print ]; then cat "$work/README.md"; else cat "$work/README.md" > README.md; fi
