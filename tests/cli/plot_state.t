# Accuracy against state: one panel per task with its memory floor, looks and floors from the configs of the runs.
% task mqar
% mixer lstm
$ mkdir -p results/demo results/runs/ra results/runs/rb results/runs/rc && ln -s $TOP/plots plots

$ for r in ra rb rc; do printf 'task: {name: mqar, len: 32, kv: %d, vocab: 64}\nmixer: {name: lstm}\n' $([ $r = rc ] && echo 3 || echo 2) > results/runs/$r/config.yaml; done

$ { echo 'case,mixer,lr,valid,n_lr,n_seeds,solved,step_solved,slice,len,metric,median,min,max,mean,lo,hi,n,chance,params,state_reals,train_flops,best_run,runs'; for r in ra:small:8:0.4 rb:wide:64:1 rc:other:16:0.2; do IFS=:; set -- $r; echo "$2,mine,0.01,1,1,1,0,,train,32,acc_mean,$4,$4,$4,$4,0.1,1,100,0.03,9,$3,1e9,$1,$1"; done; } > results/demo/selected.csv

$ seqprobe plot demo --figure state --format svg
results/demo/figures/state.csv
results/demo/figures/state.svg

# log2(32 31) and log2(32 31 30) bits.
$ cat results/demo/figures/state.csv
panel,mixer_no,case,mixer,state,acc,lo,hi,chance,memory_bits,memory_reals
1,1,small,mine,8,0.4,0.1,1,0.03,9.95419631,0.311068635
1,1,wide,mine,64,1,0.1,1,0.03,9.95419631,0.311068635
2,1,other,mine,16,0.2,0.1,1,0.03,14.8610869,0.464408966

$ grep -oE '>(small, wide|other|9.95 bits|14.9 bits|memory floor|mine)<' results/demo/figures/state.svg | sort -u
>14.9 bits<
>9.95 bits<
>memory floor<
>mine<
>other<
>small, wide<

# The look is the mixer's (orange), whatever its label.
$ grep -ci 'e69f00\|230, 159,   0' results/demo/figures/state.svg | sed 's/[1-9][0-9]*/some/'
some
