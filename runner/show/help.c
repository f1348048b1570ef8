/* SPDX-License-Identifier: Apache-2.0
 * help.c - `seqprobe help`: commands, tasks, mixers, the option tables, exit codes, metrics.
 */
#include "show/show.h"
#include "train/train.h"

#include <string.h>

static const char exit_codes[] =
    "exit codes\n"
    "    0  ok\n"
    "    1  failed: a file, the disk, a run that could not finish\n"
    "    2  usage or configuration: nothing was run\n"
    "    3  check: a threshold or an ordering was missed\n"
    "    4  sweep: finished, but some runs failed or timed out (a diverged run is a result, not a failure)\n"
    "   70  fault in the program (134 when it aborts): please report it with the message\n"
    "   71  out of memory\n"
    "   75  stopped to be continued: run the same command again\n"
    "  130  interrupted (SIGINT), 143 terminated (SIGTERM): run the same command again, it resumes\n";

static const char metrics[] =
    "metrics\n"
    "  A position t of example i is scored when it has a target; c[i,t] = 1 if the most likely class is the target.\n"
    "  n[i] scored positions in example i, N examples.\n"
    "\n"
    "  acc_token   sum of c / sum of n[i]                         pooled over all scored positions\n"
    "  acc_mean    1/N sum over i of (sum over t of c[i,t]) / n[i]   mean over examples\n"
    "  acc_exact   1/N sum over i of [all c[i,t] = 1]             every scored position right\n"
    "  acc_final   1/N sum over i of c[i, last scored t]          the last scored position\n"
    "  acc_prefix  1/N sum over i of [c[i,s] = 1 for all s <= t]  by position t (metrics.csv only)\n"
    "  acc_macro   mean over classes of the accuracy on that class\n"
    "\n"
    "  Each task names its headline metric (seqprobe list tasks). `lo` and `hi` are Wilson's 95 % interval of a\n"
    "  proportion p from n trials:  (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n),  z = 1.96.\n"
    "  chance is the accuracy of the best constant answer; scaled = (acc - chance) / (1 - chance), only in tables.\n"
    "  Learning rate and early stop are chosen on the split valid; test is measured once, at the end.\n";

static void print_options(const char *key, const Option *table, Arena *a)
{
    printf("\n%s\n%s", key, table->kind == OPT_END_KIND ? "  none\n" : options_help(table, a));
}

static int help_task(const char *name, Arena *a, Err *err)
{
    TaskUse use;
    if (!task_open(name, 0, NULL, 0, a, &use, err)) return EXIT_USAGE;
    const Task *t = use.task;
    const TaskShape *s = &use.shape;
    printf("%s - %s\n\n  %s, version %d\n  source    %s\n", t->name, t->summary, t->file, t->version, t->source);
    printf("  default   %d input symbols, %d classes, at most %d positions\n", s->vocab_in, s->vocab_out, s->max_len);
    printf("  metric    %s; chance %.3g uniform", s->headline, s->chance_uniform);
    if (s->chance_majority > 0) printf(", %.3g best constant answer", s->chance_majority);
    if (s->ceiling < 1) printf("; ceiling %.3g", s->ceiling);
    print_options("\noptions (task:)", t->options, a);
    fputs("\ncan a model of this class do it, with two layers, at every length?\n", stdout);
    for (int k = 0; k <= CLASS_OTHER; k++) {
        Theory th = t->theory(use.cfg, (TheoryClass){ .kind = (ClassKind)k, .n_h = 2 }, 2);
        printf("  %-38s %-7s %s\n", theory_class_name((ClassKind)k), theory_verdict_name(th.verdict),
               th.why ? th.why : "");
    }
    printf("\nlook at it: seqprobe show %s\n", t->name);
    return EXIT_OK;
}

static int help_mixer(const char *name, Arena *a, Err *err)
{
    const Mixer *m = mixer_named(name, err);
    MixerUse use;
    size_t fixed, per_token;
    if (!m || !mixer_read(value_scalar(a, name), a, &use, err)) return EXIT_USAGE;
    printf("%s - %s\n\n  %s, version %d\n  source    %s\n", m->name, m->summary, m->file, m->version, m->source);
    printf("  class     %s\n", theory_class_name(m->theory_class(use.cfg).kind));
    if (mixer_state(m, a, &fixed, &per_token)) {
        printf("  state     %zu reals", fixed);
        if (per_token) printf(" and %zu more per token", per_token);
        fputs(", one layer of width 64\n", stdout);
    } else
        fputs("  state     cannot run token by token\n", stdout);
    if (m->approx) fputs("  causal up to rounding (FFT)\n", stdout);
    print_options("options (mixer:)", m->options, a);
    return EXIT_OK;
}

static int run(Cli *c, Err *err)
{
    const char *topic = c->n_args ? c->args[0] : NULL, *name = c->n_args > 1 ? c->args[1] : NULL;
    static const char *const known[] = { "task", "mixer", "model", "train", "data", "exit-codes", "metrics", NULL };
    if (c->n_sets || c->n_args > 2) {
        err_set(err, EXIT_USAGE, "usage: seqprobe help %s", c->command->synopsis);
        return EXIT_USAGE;
    }
    if (!topic)
        cli_print_help(c->commands, stdout);
    else if (!strcmp(topic, "task") && name)
        return help_task(name, c->arena, err);
    else if ((!strcmp(topic, "mixer") || !strcmp(topic, "model")) && name)
        return help_mixer(name, c->arena, err);
    else if (!strcmp(topic, "task") || !strcmp(topic, "mixer")) {
        err_set(err, EXIT_USAGE, "help %s NAME (seqprobe list %ss names them)", topic, topic);
    } else if (name)
        err_set(err, EXIT_USAGE, "help %s takes no name", topic);
    else if (!strcmp(topic, "model"))
        print_options("model: the backbone around the mixers", model_options, c->arena);
    else if (!strcmp(topic, "train"))
        print_options("train: the loop", train_options, c->arena);
    else if (!strcmp(topic, "data"))
        print_options("data: sizes of the evaluation sets", data_options, c->arena);
    else if (!strcmp(topic, "exit-codes"))
        fputs(exit_codes, stdout);
    else if (!strcmp(topic, "metrics"))
        fputs(metrics, stdout);
    else {
        const Command *command = cli_find(c->commands, topic, NULL);
        if (command)
            cli_print_command(command, stdout);
        else
            fail_unknown(err, "topic", topic, known, "seqprobe help names the commands");
    }
    return err->code ? err->code : EXIT_OK;
}

static const Flag flags[] = { FLAG_END };

const Command command_help = {
    .name = "help",
    .synopsis = "[COMMAND | task NAME | mixer NAME | model | train | data | exit-codes | metrics]",
    .summary = "a command, a task, a mixer, the options of a config, exit codes, metrics",
    .description = "examples:\n"
                   "  seqprobe help sweep\n"
                   "  seqprobe help task parity\n"
                   "  seqprobe help train\n",
    .flags = flags,
    .run = run,
};
