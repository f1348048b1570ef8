# Colour in results, and which of two values counts.
% task parity
% mixer mingru
% mixer lstm
$ seqprobe show parity -n 1 --color always | od -c | grep -c 033 | sed 's/[1-9].*/some/'; NO_COLOR=1 seqprobe show parity -n 1 --color always | od -c | grep -c 033 | sed 's/[1-9].*/some/'; CLICOLOR_FORCE=1 seqprobe show parity -n 1 --color=never | od -c | grep -c 033; SEQPROBE_COLOR=always seqprobe show parity -n 1 | od -c | grep -c 033 | sed 's/[1-9].*/some/'
some
some
0
some

# No escape sequence goes into a file, whatever the terminal.
$ TERM=xterm seqprobe show parity -n 1 > out; TERM=xterm seqprobe list >> out; TERM=xterm seqprobe sweep $TOP/tests/cli/tiny.yaml -j 1 >> out 2>&1; grep -c $(printf '\033') out
0
? 1

# Flags before key=value before the file: the seed of the config is 7, the command line's 8.
$ sed '/^sweep:/,$d' $TOP/tests/cli/tiny.yaml > one.yaml; echo 'seed: 7' >> one.yaml; echo 'mixer: lstm' >> one.yaml; seqprobe run one.yaml --dir a -q train.steps=1; seqprobe run one.yaml --dir b seed=8 -q train.steps=1; SEQPROBE_DIR=c seqprobe run one.yaml -q train.steps=1; SEQPROBE_DIR=c seqprobe run one.yaml --dir d -q train.steps=1; grep -h '^seed' a/config.yaml b/config.yaml; ls -d a b c d | tr '\n' ' '; cmp a/metrics.csv c/metrics.csv && cmp a/metrics.csv d/metrics.csv
seed: 7
seed: 8
a b c d
