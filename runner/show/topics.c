/* SPDX-License-Identifier: Apache-2.0
 * topics.c - what `seqprobe help TOPIC` and the manual page say beside the commands, as tables.
 */
#include "show/show.h"
#include "sweep/plan_parts.h"
#include "train/train.h"

static const Entry exit_codes[] = {
    { "0", "ok" },
    { "1", "failed: a file, the disk, a run that could not finish" },
    { "2", "usage or configuration: nothing was run" },
    { "3", "check: a threshold, an ordering or the reference was missed" },
    { "4", "sweep: finished, but some runs failed or timed out (a diverged run is a result, not a failure)" },
    { "70", "fault in the program: please report it with the message" },
    { "71", "out of memory" },
    { "75", "stopped to be continued: run the same command again" },
    { "129", "hung up (SIGHUP): run the same command again, it resumes" },
    { "130", "interrupted (SIGINT): likewise" },
    { "141", "nobody reads the output any more (SIGPIPE)" },
    { "143", "terminated (SIGTERM): likewise" },
    { NULL, NULL },
};

static const Entry environment[] = {
    { "SEQPROBE_FLAG",
      "value of --flag where the command line does not give it: SEQPROBE_JOBS=4, SEQPROBE_RESULTS=DIR, "
      "SEQPROBE_FORMAT=csv; for flags that take a value" },
    { "SEQPROBE_COLOR", "auto, always or never, as --color" },
    { "SEQPROBE_DATA", "folder with plots/, configs/ and results/reference/published/; else the working directory, the "
                       "installed or the source tree" },
    { "NO_COLOR", "present and not empty: no colour" },
    { "CLICOLOR_FORCE", "not empty and not 0: colour even if the stream is no terminal (NO_COLOR is stronger)" },
    { "TERM", "unset or dumb: no colour" },
    { "COLUMNS", "width of tables and help, where it is not the terminal's" },
    { NULL, NULL },
};

static const Entry files[] = {
    { "results/runs/ID/",
      "one run, shared by all sweeps that contain it; ID is a hash of all that can change its numbers" },
    { "  config.yaml", "resolved: every option" },
    { "  result.csv", "one row: status, options, sizes, accuracies" },
    { "  metrics.csv", "one row per split, slice, length and metric" },
    { "  curve.csv", "loss and validation accuracy by step" },
    { "  timing.csv", "seconds and host" },
    { "  manifest.json", "version, compiler, libraries, host, table of parameters" },
    { "  weights.npy", "the parameters at the end, for `seqprobe eval`" },
    { "  checkpoint.bin", "only while it is not finished: all that is needed to go on with the same bytes" },
    { "  lock", "held by the process that trains it: process and host" },
    { "  log.txt, status", "messages; running, ok, diverged, failed, timeout or interrupted" },
    { "results/NAME/", "one sweep" },
    { "  plan.csv", "its rows and their runs" },
    { "  runs.csv", "one row per run; columns t_* of the task, m_* of the mixer, b_* of the backbone, train_*" },
    { "  metrics.csv", "those of all its runs" },
    { "  selected.csv", "one row per case, mixer and slice after the choice of the learning rate" },
    { "  table.md, figures/, report.html", "by `seqprobe table --save`, `seqprobe plot` and `seqprobe report`" },
    { NULL, NULL },
};

static const char metrics[] =
    "A position t of example i is scored when it has a target; c[i,t] = 1 if the most likely class is the target.\n"
    "n[i] scored positions in example i, N examples.\n"
    "\n"
    "  acc_token   sum of c / sum of n[i]                         pooled over all scored positions\n"
    "  acc_mean    1/N sum over i of (sum over t of c[i,t]) / n[i]   mean over examples\n"
    "  acc_exact   1/N sum over i of [all c[i,t] = 1]             every scored position right\n"
    "  acc_final   1/N sum over i of c[i, last scored t]          the last scored position\n"
    "  acc_prefix  1/N sum over i of [c[i,s] = 1 for all s <= t]  by position t (metrics.csv only)\n"
    "  acc_macro   mean over classes of the accuracy on that class\n"
    "\n"
    "Each task names its headline metric (seqprobe list tasks). `lo` and `hi` are Wilson's 95 % interval of a\n"
    "proportion p from n trials:\n"
    "\n"
    "  (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n),  z = 1.96\n"
    "\n"
    "chance is the accuracy of the best constant answer; scaled = (acc - chance) / (1 - chance), only in tables.\n"
    "Learning rate and early stop are chosen on the split valid; test is measured once, at the end.\n";

static const char config_intro[] =
    "A config is one YAML map. A section left out has its defaults; unknown keys, wrong types and impossible\n"
    "combinations are errors with file, line and column, before anything runs. What is given later wins: defaults,\n"
    "include, file, case, mixer, other axes, key=value on the command line (commas sweep: train.lr=1e-3,3e-3).\n";

static const char config_example[] = "  name: parity-lengths\n"
                                     "  task: {name: parity, len: [2, 40]}\n"
                                     "  model: {d_model: 32, layers: 1}\n"
                                     "  train: {steps: 1000, lr: 3.0e-3}\n"
                                     "  eval: {x4: {len: 160}}\n"
                                     "  sweep:\n"
                                     "    mixer: [lstm, {label: delta_net ±, name: delta_net, eigenvalues: [-1, 1]}]\n"
                                     "    seed: {range: [0, 3]}\n"
                                     "  thresholds:\n"
                                     "    - {where: {mixer: lstm}, slice: x4, min: 0.99, solved: 2, of: 3}\n";

static const Entry *list_config_keys(Arena *a)
{
    int n = 0;
    while (config_keys[n].name) n++;
    Entry *entry = ARENA_NEW(a, Entry, n + 1);
    for (int i = 0; i < n; i++) entry[i] = (Entry){ config_keys[i].name, config_keys[i].help };
    return entry;
}

const Topic topics[] = {
    { .name = "config",
      .title = "CONFIG FILES",
      .summary = "the keys of a config",
      .before = config_intro,
      .list = list_config_keys,
      .after = config_example },
    { .name = "model", .title = "model:", .summary = "the backbone around the mixers", .options = model_options },
    { .name = "train", .title = "train:", .summary = "the loop", .options = train_options },
    { .name = "data", .title = "data:", .summary = "sizes and seeds of the evaluation sets", .options = data_options },
    { .name = "metrics", .title = "METRICS", .summary = "what the accuracies are", .before = metrics },
    { .name = "environment", .title = "ENVIRONMENT", .summary = "variables that are read", .entries = environment },
    { .name = "files", .title = "FILES", .summary = "what is written", .entries = files },
    { .name = "exit-codes", .title = "EXIT STATUS", .summary = "exit codes", .entries = exit_codes },
    { .name = NULL },
};

const Entry *topic_entries(const Topic *t, Arena *a) { return t->list ? t->list(a) : t->entries; }
