#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML report of a small sweep with labels that would break careless HTML: well-formed, self-contained, the same
# bytes twice, honest about what failed, diverged or is missing; then opened in headless Chromium (where there is one)
# as desktop and phone, light and dark: not blank, nothing wider than the window, the colours asked for. Reported in
# Check's form. SEQPROBE names the program; KEEP=DIR keeps the page and its pictures.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.." || exit 1
: "${SEQPROBE:=$PWD/build/seqprobe}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checks=0 failures=0 faults=
expect() { # WHAT CODE: 0 is good
    checks=$((checks + 1))
    [ "$2" -eq 0 ] && return
    failures=$((failures + 1)); faults="$faults
test_report.sh: $1"
}
has() { grep -qF "$2" "$work/$1"; expect "no '$2' in $1" $?; }
hasnot() { ! grep -qF "$2" "$work/$1"; expect "'$2' in $1" $?; }

task=$("$SEQPROBE" list tasks --format csv | sed -n 2p | cut -d, -f2)
mixer=$("$SEQPROBE" list mixers --format csv | sed -n 2p | cut -d, -f2)
if [ -z "$task" ] || [ -z "$mixer" ]; then
    echo "skipped: no task or no mixer is built"; echo "100%: Checks: 1, Failures: 0, Errors: 0"; exit 0
fi
cat > "$work/odd name.yaml" <<EOF
name: odd
title: <b>Bold</b> & "quoted" it's
question: Is 1 < 2 & <script>alert(1)</script> harmless?
task: $task
model: {d_model: 8, layers: 1, channel_mixer: none}
train: {steps: 2, batch: 8, eval_every: 2, lr: 1.0e-3}
data: {valid: 8, test: 16}
sweep:
  case: [{label: "a<b & \"c\""}, {label: "it's ±_5", model: {d_model: 16}}]
  mixer: [{label: "<i>one</i>", name: $mixer}, {label: a_very_long_label_without_any_blank_in_it_at_all, name: $mixer}]
  seed: [1, 2]
published:
  - {source: odd2020, place: "Table <1>", task: $task, case: "it's ±_5", measure: acc_token,
     deviation: "two steps & <nothing> else", rows: {"O & <p>": <i>one</i>}}
thresholds:
  - {where: {mixer: <i>one</i>}, max: 1, note: "a <note>"}
  - {where: {mixer: <i>one</i>}, min: 1.0, slice: train, metric: acc_exact, note: it cannot after two steps}
EOF
mkdir -p "$work/results/reference/published"
cat > "$work/results/reference/published/odd2020.csv" <<EOF
$(head -n 1 "$here"/../results/reference/published/grazzi2025.csv)
Odd & Even 2020,,Table <1>,$task,,O & <p>,acc_token,0.5,share,mean,,,,,,,0,
EOF
[ -e plots ] && ln -s "$PWD/plots" "$work/plots"
page=results/odd/report.html
make_report() { # report, check its form; the page is $work/$page
    (cd "$work" && "$SEQPROBE" report "odd name.yaml" "$@") > "$work/out" 2> "$work/err"
    [ $? -eq 0 ] && [ "$(cat "$work/out")" = $page ]; expect "report: $(cat "$work/out" "$work/err")" $?
    awk -f tests/support/wellformed.awk "$work/$page" > "$work/faults"
    [ ! -s "$work/faults" ]; expect "$(head -n 5 "$work/faults")" $?
}

# Nothing run yet: a page that says so.
make_report
has $page '0 of 4 runs finished'; has $page '0 of 4 thresholds hold'
has $page '4 runs have not ended: 4 waiting'; has $page 'not run'

(cd "$work" && "$SEQPROBE" sweep "odd name.yaml" -j 2) > "$work/out" 2>&1; expect "sweep: $(tail -n 3 "$work/out")" $?
make_report
has $page '4 of 4 runs finished'; has $page 'No run failed'; has $page 'No run diverged'
has $page '&lt;b&gt;Bold&lt;/b&gt; &amp; &quot;quoted&quot; it&#39;s'
has $page 'Is 1 &lt; 2 &amp; &lt;script&gt;alert(1)&lt;/script&gt; harmless?'
has $page '<span class="case">a&lt;b &amp; &quot;c&quot;</span>'
has $page "build/seqprobe sweep &#39;odd name.yaml&#39;"
hasnot $page '<script'; hasnot $page '<i>one'; hasnot $page "$work"
for f in runs metrics selected plan; do
    has $page "href=\"$f.csv\""; [ -f "$work/results/odd/$f.csv" ]; expect "$f.csv is not there" $?
done
if command -v gnuplot > /dev/null; then
    [ "$(grep -c '</svg>' "$work/$page")" -eq "$(ls "$work"/results/odd/figures/*.svg | wc -l)" ]
    expect "not every figure is in the page" $?
else
    echo "skipped: figures of the report: no gnuplot"
fi

has $page 'Of 1 numbers:'; has $page 'Odd &amp; Even 2020'; has $page 'O &amp; &lt;p&gt;'
has $page '<li id="note-1">two steps &amp; &lt;nothing&gt; else</li>'; has $page '<a href="#note-1">[1]</a>'
has $page '2 of 4 thresholds hold'; has $page '✓ holds'; has $page '✗ fell'; has $page 'a &lt;note&gt;'

# The same results, the same bytes; on standard output without links to files that are not beside it.
cp "$work/$page" "$work/first.html"; make_report; cmp -s "$work/$page" "$work/first.html"; expect "other bytes" $?
(cd "$work" && "$SEQPROBE" report "odd name.yaml" --out -) > "$work/std.html" 2> "$work/err"; expect "--out -" $?
has std.html '</html>'; hasnot std.html 'href="runs.csv"'

# A failed run, a diverged one, and one that warns.
set -- "$work"/results/runs/r*
printf 'run_id,status,message\nx,failed,"no <memory> & ""time"""\n' > "$1/result.csv"; echo failed > "$1/status"
sed 's/,ok,/,diverged,/; 2s/,$/,loss is not finite/' "$2/result.csv" > "$work/d" && cp "$work/d" "$2/result.csv"
echo diverged > "$2/status"
sed 's/"warnings": \[\]/"warnings": ["x1 < chance by \\"4\\" errors"]/' "$3/manifest.json" > "$work/d" &&
    cp "$work/d" "$3/manifest.json"
make_report
has $page '1 warning of the runs'; has $page 'x1 &lt; chance by &quot;4&quot; errors'
has $page '3 of 4 runs finished'; has $page '1 failed'; has $page '1 diverged'
has $page "$(basename "$1")</th>"; has $page 'no &lt;memory&gt; &amp; &quot;time&quot;'
has $page "href=\"../runs/$(basename "$1")/log.txt\""; has $page 'loss is not finite'

# ---- in a browser ----
for browser in chromium chromium-browser google-chrome ''; do
    [ -z "$browser" ] || command -v "$browser" > /dev/null && break
done
browse() { # URL FLAGS...
    url=$1; shift
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" "$@" "$url" \
        2> "$work/browser.err"
}
byte() { od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' '; }
shot() { # NAME WIDTH SCHEME (0 dark, 1 light): a picture of the page as a window of that width shows it
    browse "file://$work/$page" --window-size="$2,1600" --blink-settings=preferredColorScheme="$3" \
        --screenshot="$work/$1.png" > /dev/null
    [ -s "$work/$1.png" ]; expect "no picture $1: $(tail -n 2 "$work/browser.err")" $? || return
    wide=$(($(byte "$work/$1.png" 18) * 256 + $(byte "$work/$1.png" 19)))
    [ "$wide" -eq "$2" ]; expect "$1.png is $wide wide" $?
    [ "$(wc -c < "$work/$1.png")" -gt $((4 * $(wc -c < "$work/blank.png"))) ]; expect "$1.png is blank" $?
}
# What the page measures in a frame of that width, all parts unfolded: widths of the frame and of its content,
# brightness of background and ink. (A window has a least width; a frame has none.)
measure() { # WIDTH SCHEME
    cat > "$work/results/odd/frame.html" <<EOF
<!DOCTYPE html><iframe src="measured.html" style="border:0;width:$1px;height:1600px"></iframe>
<script>onmessage = e => document.documentElement.setAttribute('measured', e.data);</script>
EOF
    browse "file://$work/results/odd/frame.html" --window-size=1300,1700 --dump-dom --virtual-time-budget=5000 \
        --blink-settings=preferredColorScheme="$2" | sed -n 's/.*measured="\([^"]*\)".*/\1/p'
}
if [ -z "$browser" ]; then
    echo "skipped: the report in a browser: no chromium"
else
    echo '<!DOCTYPE html><title>blank</title>' > "$work/blank.html"
    browse "file://$work/blank.html" --window-size=1280,1600 --screenshot="$work/blank.png" > /dev/null
    shot desktop-light 1280 1; shot desktop-dark 1280 0; shot phone-light 360 1; shot phone-dark 360 0
    cmp -s "$work/desktop-light.png" "$work/desktop-dark.png"; [ $? -eq 1 ]; expect "light is dark" $?
    { cat "$work/$page"; cat <<'EOF'
<script>
for (const d of document.querySelectorAll('details')) d.open = true;
const bright = c => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);
const root = document.documentElement, style = getComputedStyle(document.body);
const colors = [bright(style.backgroundColor), bright(style.color)];
parent.postMessage([innerWidth, root.scrollWidth].concat(colors).join(' '), '*');
</script>
EOF
    } > "$work/results/odd/measured.html"
    for window in 360 1280; do
        for scheme in 0 1; do
            set -- $(measure $window $scheme)
            [ "${1:-0}" -eq $window ] && [ "${2:-0}" -le $window ]; expect "in $window pixels: ${2:-no} used" $?
            [ $scheme -eq 0 ] && set -- 0 0 "${4:-0}" "${3:-999}"
            [ "${3:-0}" -gt 600 ] && [ "${4:-999}" -lt 200 ]; expect "scheme $scheme: contrast of $3 and $4" $?
        done
    done
fi
if [ -n "$KEEP" ]; then mkdir -p "$KEEP" && cp "$work/$page" "$work"/*.png "$KEEP"; fi
echo "$((100 * (checks - failures) / checks))%: Checks: $checks, Failures: $failures, Errors: 0$faults"
[ "$failures" -eq 0 ]
