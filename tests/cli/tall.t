# Many cases and few mixers: a row per case.
% task parity
% mixer mingru
$ { sed '/^sweep:/,$d' $TOP/tests/cli/tiny.yaml; echo 'mixer: mingru'; echo 'sweep:'; echo '  case:'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "    - {label: c$i, task: {len: $((i + 3))}}"; done; } > tall.yaml; seqprobe sweep tall.yaml -j 1 2> err | head -n 1
tiny: 13 runs: 13 ok, ...

$ seqprobe table tall.yaml --format markdown | sed -n '/^| case | chance/,/^$/p' | cut -d '|' -f 2-3 | sed '4,14d; s, *$,,; /^$/d'
 case | chance
---|---
 c1 | 0.50 → 0.50
 c13 | 0.50

$ seqprobe table tall.yaml | sed -n '/^case  chance/,/^$/p' | awk 'NF { print $1, $2, $3, $4 }' | sed '3,13d'
case chance mingru (state
c1 0.50 → 0.50
c13 0.50 ...

