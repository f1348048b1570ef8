# The command line itself: help, version, unknown names, colour, exit codes.
$ seqprobe
seqprobe - what can a sequence model express, and what does it learn to express?
...
seqprobe --help says more.

$ seqprobe --help
seqprobe - what can a sequence model express, and what does it learn to express?

examples:
...
usage: seqprobe COMMAND [argument ...] [key=value ...] [--flags]

commands:
...
  list ...
...

$ seqprobe list -h
seqprobe list - ...

usage: seqprobe list ...
...
flags:
...
  -h, --help ...
  -V, --version ...
      --color auto|always|never
...(default auto)

$ seqprobe -h list | head -n 1
seqprobe list - ...

$ seqprobe list --nonsense --help | head -n 1
seqprobe list - ...

$ seqprobe --version | head -n 1
seqprobe 0.1.0 (...)

$ seqprobe list -V | sed -n 's/ .*//p'
seqprobe
compiler
flags
reals
products
yaml

# Unknown names: exit 2, the nearest known one, nothing on standard output.
$ seqprobe lsit
! seqprobe: error: unknown command 'lsit' (did you mean 'list'?)
! seqprobe --help lists the commands.
? 2

$ seqprobe lis
! seqprobe: error: unknown command 'lis' (did you mean 'list'?)
! ...
? 2

$ seqprobe list --fromat csv
! seqprobe: error: unknown flag '--fromat' (did you mean '--format'?)
? 2

$ seqprobe list --form csv
! seqprobe: error: unknown flag '--form'...
? 2

$ seqprobe list -z
! seqprobe: error: unknown flag '-z'
? 2

$ seqprobe --wrong
! seqprobe: error: unknown flag '--wrong'
! ...
? 2

$ seqprobe --color=never
! seqprobe: error: no command given
! ...
? 2

$ seqprobe list --format
! seqprobe: error: --format needs a value: --format table|csv|json|markdown
? 2

$ seqprobe list --color=blue
! seqprobe: error: --color: 'blue' is not one of auto, always, never
? 2

$ seqprobe list --help=yes
! seqprobe: error: --help takes no value
? 2

$ seqprobe list --format pdf
! seqprobe: error: --format: 'pdf' is not one of table, csv, json, markdown
? 2

# Colour: off unless asked for, NO_COLOR over CLICOLOR_FORCE, --color over both.
$ seqprobe lsit --color=always 2>&1 | od -c | head -n 2 | grep -c 033
0
? 1

$ CLICOLOR_FORCE=1 seqprobe lsit 2>&1 | od -c | grep -c 033
2

$ NO_COLOR=1 CLICOLOR_FORCE=1 seqprobe lsit 2>&1 | od -c | grep -c 033
0
? 1

$ NO_COLOR= CLICOLOR_FORCE=1 seqprobe lsit 2>&1 | od -c | grep -c 033
2

# A closed pipe ends quietly; a full disk does not.
$ seqprobe list tasks | true

$ seqprobe list tasks > /dev/full
! seqprobe: error: cannot write to standard output: ...
? 1

# The environment gives flags their default; the command line wins.
$ SEQPROBE_FORMAT=csv seqprobe list tasks | head -n 1 | cut -d, -f1
family

$ SEQPROBE_FORMAT=pdf seqprobe list tasks --format csv | head -n 1 | cut -d, -f1
family

# On a terminal: colour, unless it is dumb or unset, or NO_COLOR; --color wins over all.
$ tty() { script -qec "$1" /dev/null < /dev/null | od -c | grep -c 033; }; tty 'env TERM=xterm seqprobe lsit'; tty 'env TERM=dumb seqprobe lsit'; tty 'env -u TERM seqprobe lsit'; tty 'env TERM=xterm NO_COLOR=1 seqprobe lsit'; tty 'env TERM=xterm NO_COLOR= seqprobe lsit'; tty 'env TERM=xterm CLICOLOR_FORCE=0 seqprobe lsit'
2
0
0
0
2
2
