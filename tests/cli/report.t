# What `seqprobe report` refuses, and what it says. (The page itself: tests/test_report.sh.)
% task parity
% mixer mingru
% mixer lstm
$ mkdir configs && cp $TOP/tests/cli/tiny.yaml configs

$ seqprobe report
! seqprobe: error: usage: seqprobe report CONFIG | NAME [key=value...] [--out FILE]
? 2

$ seqprobe report tyni
! seqprobe: error: 'tyni' is no config file and there is no configs/tyni.yaml: give the file the sweep was made from
? 2

$ seqprobe report configs/none.yaml
! seqprobe: error: cannot read configs/none.yaml: No such file or directory
? 2

$ seqprobe report tiny --results out
out/tiny/report.html

$ grep -o '[0-9]* of [0-9]* runs finished' out/tiny/report.html
0 of 4 runs finished

# Settings narrow the sweep, and the commands to make it again have them.
$ seqprobe report tiny mixer=lstm 'name=one lstm' --out -
! seqprobe: error: name 'one lstm': use letters, digits, '_', '-' and '.'
? 2

$ seqprobe report tiny mixer=lstm name=one --out - | grep -c 'build/seqprobe sweep configs/tiny.yaml mixer=lstm name=one<'
1

$ seqprobe report tiny --out none/x.html
! seqprobe: error: cannot write none/x.html: No such file or directory
? 1

