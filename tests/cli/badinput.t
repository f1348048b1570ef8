# Whatever is wrong with a config: exit code 2, one line on standard error, nothing on standard output, nothing written.
% task parity
% mixer lstm
$ cp -r $TOP/tests/configs_bad bad; for f in bad/*.yaml; do set=$(sed -n 's/^# sets: //p' $f); seqprobe sweep $f ${set:+"$set"} > out 2> err; code=$?; [ "$code $(wc -l < err) $(wc -c < out)" = "2 1 0" ] || { echo "$f: exit $code"; cat err; }; done; ls | sort
bad
err
out

$ seqprobe sweep none.yaml
! seqprobe: error: cannot read none.yaml: No such file or directory
? 2

$ seqprobe sweep /dev/null
! seqprobe: error: /dev/null:1:1: the file is empty
? 2

$ seqprobe sweep /dev/zero
! seqprobe: error: /dev/zero: larger than 1048576 bytes
? 2

$ seqprobe sweep .
! seqprobe: error: cannot read .: Is a directory
? 2
