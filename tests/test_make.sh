#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Makefile where something is missing, and what it installs: a hidden library is one line that names its Debian
# package, installed files are found from any folder, uninstall leaves no file. Reported in Check's form.
TOP=$(cd "$(dirname "$0")/.." && pwd)
: "${SEQPROBE:=$TOP/build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$TOP" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL SEQPROBE_DATA SEQPROBE_RESULTS DESTDIR PREFIX
checks=0 failures=0 faults=
expect() {
    checks=$((checks + 1))
    [ "$1" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
$2"
}

# ---- a library that is not there ---------------------------------------------------------------------------------
mkdir "$work/none" "$work/some"
for f in $(pkg-config --variable=pc_path pkg-config | tr ':' '\n' | sed 's|$|/*.pc|'); do
    case $f in
    *yaml*) ;;
    *) [ -e "$f" ] && ln -sf "$f" "$work/some/" ;;
    esac
done
# hidden FOLDER PACKAGES: only the libraries of FOLDER are found
hidden() {
    PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$1 make BUILD="$work/build" all > "$work/out" 2>&1; code=$?
    [ $code -eq 2 ] && [ "$(wc -l < "$work/out")" -eq 1 ] &&
        grep -qF "missing: $2; \`make deps\` installs them" "$work/out" && [ ! -e "$work/build" ]
    expect $? "make without $2: exit code $code: $(head -n 3 "$work/out")"
}
hidden "$work/none" 'libyaml-dev libopenblas-pthread-dev'
hidden "$work/some" 'libyaml-dev'
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$work/none make help > "$work/out" 2>&1 && grep -q '^  install ' "$work/out"
expect $? "make help without libraries: $(head -n 3 "$work/out")"

# ---- installation: the program of the tests is installed as it is ------------------------------------------------
program=$(readlink -f "$SEQPROBE")
root="$work/a root" prefix=/opt/probe
mkdir "$root"
from_make() { make -o "$program" PROGRAM="$program" PREFIX=$prefix DESTDIR="$work/stage" "$1" > "$work/out" 2>&1; }
from_make install; expect $? "make install: $(tail -n 3 "$work/out")"
mv "$work/stage" "$root/moved"                   # an installed tree may be moved
at=$root/moved$prefix
for f in bin/seqprobe share/man/man1/seqprobe.1 share/bash-completion/completions/seqprobe \
         share/zsh/site-functions/_seqprobe share/seqprobe/plots/style.gp; do
    [ -s "$at/$f" ]; expect $? "not installed: $f"
done
for f in configs/*.yaml plots/*.gp results/reference/published/*.csv; do
    [ -e "$f" ] || continue
    cmp -s "$f" "$at/share/seqprobe/$f"; expect $? "not installed: $f"
done
[ -x "$at/bin/seqprobe" ]; expect $? "bin/seqprobe is not executable"
[ -z "$(find "$at" -perm -002 ! -type l)" ]; expect $? "files that anyone may write: $(find "$at" -perm -002)"
mkdir "$work/empty" && cd "$work/empty" || exit 1
"$at/bin/seqprobe" list configs --format csv > "$work/out" 2>&1; expect $? "list configs: $(cat "$work/out")"
grep -q "^$at/share/seqprobe/configs/quick.yaml," "$work/out"; expect $? "its own configs: $(head -n 3 "$work/out")"
mkdir -p results/quick && cp "$TOP/results/reference/quick/selected.csv" results/quick/
"$at/bin/seqprobe" table quick > "$work/out" 2> "$work/err"; expect $? "table quick: $(head -n 3 "$work/err")"
title=$(sed -n 's/^title: //p' "$TOP/configs/quick.yaml")
# A task or a mixer of the config that was deleted leaves the table, not its title.
if "$SEQPROBE" sweep "$TOP/configs/quick.yaml" --dry-run > /dev/null 2>&1; then
    grep -qF "$title" "$work/out"; expect $? "table quick does not find the config: $(head -n 3 "$work/out")"
else
    echo "skipped: the title of quick: not built: a task or a mixer of it"
fi
! grep -q 'reference/published' "$work/err"; expect $? "table quick: $(cat "$work/err")"
"$at/bin/seqprobe" help --man | cmp -s - "$at/share/man/man1/seqprobe.1"; expect $? "the manual page is another's"
# Asked for by name, it is that folder and no other.
SEQPROBE_DATA=$work/none "$at/bin/seqprobe" list configs > "$work/out" 2>&1; [ $? -eq 2 ]
expect $? "SEQPROBE_DATA: $(head -n 3 "$work/out")"
cd "$TOP" && mv "$root/moved" "$work/stage"
from_make uninstall; expect $? "make uninstall: $(tail -n 3 "$work/out")"
[ -z "$(find "$work/stage" -type f)" ]; expect $? "uninstall leaves $(find "$work/stage" -type f | head -n 3)"

# ---- one version --------------------------------------------------------------------------------------------------
version=$(sed -n 's/^version: //p' CITATION.cff)
"$SEQPROBE" --version | head -n 1 | grep -q "^seqprobe $version (.*)$"; expect $? "CITATION.cff has version $version"

echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
