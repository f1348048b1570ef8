#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The archive of `make dist` is complete: `distcheck.sh FILE.tar.gz` unpacks it outside of the checkout, builds the
# program there, installs it and runs it from the root folder.
[ $# -eq 1 ] || { echo "usage: distcheck.sh FILE.tar.gz" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "distcheck: $*" >&2; exit 1; }
commit=$(git -C "$(dirname "$1")" describe --always --exclude '*' 2>/dev/null)
name=$(basename "$1" .tar.gz) version=$(basename "$1" .tar.gz | sed 's/.*-//')
tar -xzf "$1" -C "$work" || fail "cannot unpack $1"
cd "$work/$name" || fail "it does not unpack into $name"
make PREFIX=/usr DESTDIR="$work/root" install > "$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "does not build"; }
first=$("$work/root/usr/bin/seqprobe" --version | head -n 1)
[ "$first" = "seqprobe $version ($commit)" ] || fail "--version says '$first', expected seqprobe $version ($commit)"
cd / || exit 1
rm -rf "${work:?}/$name"                       # nothing may be read from where it was built
"$work/root/usr/bin/seqprobe" list configs | grep -q "$work/root/usr/share/seqprobe/configs/quick.yaml" ||
    fail "the installed program does not find its configs"
[ -s "$work/root/usr/share/man/man1/seqprobe.1" ] || fail "no manual page"
echo "$first: unpacked, built, installed, run"
