# What is done, running, failed and waiting.
% task parity
% mixer mingru
% mixer lstm
$ cp $TOP/tests/cli/tiny.yaml . && seqprobe status tiny.yaml
tiny: 4 runs: 4 waiting

$ seqprobe status tiny
! seqprobe: error: status: 'tiny' is no config file, and there is neither results/tiny/plan.csv nor configs/tiny.yaml
? 2

$ seqprobe status
! seqprobe: error: status: one config or name of a sweep expected
? 2

$ seqprobe status tiny seed=2
! seqprobe: error: status: settings need a config file; there is no configs/tiny.yaml
? 2

$ seqprobe sweep tiny.yaml mixer=lstm train.lr=1e-2,2e-2 > out 2>&1; seqprobe status tiny
tiny: 4 runs: 4 ok

$ seqprobe status tiny.yaml
tiny: 4 runs: 2 ok, 2 waiting

$ seqprobe status tiny --format csv | cut -d, -f2-10
case,mixer,seed,train_lr,state,step,steps,loss,valid
short,lstm,1,1e-2,ok,,,,
short,lstm,1,2e-2,ok,,,,
last,lstm,1,1e-2,ok,,,,
last,lstm,1,2e-2,ok,,,,

$ seqprobe status tiny --format json | head -n 2
[
  {"run_id": "r...", "case": "short", "mixer": "lstm", "seed": 1, "train_lr": 1e-2, "state": "ok", "step": null, ..., "message": null, "log": null},

# A process that died, a failure, a time limit, and one that another process works on.
$ seqprobe sweep tiny.yaml --shard 3/4 > out 2>&1; for r in 0 1 2 3; do sed -n "s/^$r,\([^,]*\),.*/results\/runs\/\1/p" results/tiny/plan.csv > dir$r; mkdir -p $(cat dir$r); done; echo running > $(cat dir0)/status; echo failed > $(cat dir1)/status; printf 'run_id,status,message\nr,failed,"no such, thing"\n' > $(cat dir1)/result.csv; echo timeout > $(cat dir2)/status; printf 'first\nseqprobe: error: too late\n' > $(cat dir2)/log.txt; rm -f $(cat dir2)/result.csv

$ seqprobe status tiny
tiny: 4 runs: 1 ok, 1 failed, 1 timeout, 1 interrupted

  failed  short lstm seed=1  r...: no such, thing (results/runs/r.../log.txt)
  timeout  last mingru seed=1  r...: too late (results/runs/r.../log.txt)
? 4

$ seqprobe status tiny.yaml --format csv | cut -d, -f2-5,13-
case,mixer,seed,state,left_s,message,log
short,mingru,1,interrupted,,,
short,lstm,1,failed,,"no such, thing",results/runs/r.../log.txt
last,mingru,1,timeout,,too late,results/runs/r.../log.txt
last,lstm,1,ok,,,

$ echo 'farhost 77' > $(cat dir0)/lock; touch $(cat dir0)/lock; printf 'step,tokens,lr,train_loss,train_acc_token,grad_norm,valid_loss,valid_headline\n5,1,1,0.5,1,1,0.25,0.75\n10,1,1,0.' > $(cat dir0)/curve.csv; printf 'train:\n  steps: 20\n' > $(cat dir0)/config.yaml; seqprobe status tiny | head -n 4
tiny: 4 runs: 1 ok, 1 failed, 1 timeout, 1 running; about 0... s left

running ...  step  steps   %   loss  valid ...  left  host     process
short mingru seed=1     5     20  25  0.500  0.750 ... s  farhost       77

$ touch -d '1 hour ago' $(cat dir0)/lock; seqprobe status tiny | head -n 1
tiny: 4 runs: 1 ok, 1 failed, 1 timeout, 1 interrupted

$ seqprobe status tiny --lock-timeout 7200 | head -n 1
tiny: 4 runs: 1 ok, 1 failed, 1 timeout, 1 running; about 0... s left

# Nothing is written: the same on a folder that cannot be.
$ chmod -R a-w results; find results | sort > before; seqprobe status tiny | head -n 1; find results | sort | cmp - before; chmod -R u+w results
tiny: 4 runs: 1 ok, 1 failed, 1 timeout, 1 interrupted

# A sweep at work is seen and not disturbed, and what it leaves behind when it is killed.
$ rm -r results; seqprobe sweep tiny.yaml case=short mixer=lstm train.steps=1000000 train.stop_at=2 > out 2>&1 & p=$!; until seqprobe status tiny 2> /dev/null | grep -q '^short lstm'; do sleep 0.1; done; for i in 1 2 3 4 5 6 7 8 9 10; do seqprobe status tiny > now; done; head -n 3 now; tail -n 1 now | awk '{ print $1, $2, $3, $5 }'; kill -9 $p; until seqprobe status tiny | grep -q interrupted; do sleep 0.1; done; seqprobe status tiny
tiny: 1 run: 1 running...

running ...  process
short lstm seed=1 1000000
tiny: 1 run: 1 interrupted
