/* SPDX-License-Identifier: Apache-2.0
 * export.c - `seqprobe export TASK`: a set of examples as arrays, CSV or JSON lines, for other programs.
 *
 * The examples are drawn twice: once for the longest and what else has to be known first, once to be written; in
 * memory that does not depend on their number. The folder appears whole or not at all (outdir.h).
 */
#include "show/examples.h"
#include "show/outdir.h"
#include "sweep/pool.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const known_files[] = { "inputs.npy",        "targets.npy", "lengths.npy",
                                           "train_targets.npy", "slices.npy",  "examples.csv",
                                           "examples.jsonl",    "meta.yaml",   NULL };

static volatile sig_atomic_t stop_signal; /* all that the signal handler can reach */

static void on_stop(int sig) { stop_signal = sig; }

static void catch_signals(void)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction stop = { .sa_handler = on_stop }, was;
    sigemptyset(&stop.sa_mask);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (sigaction(stops[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN) sigaction(stops[i], &stop, NULL);
    signal(SIGPIPE, SIG_IGN); /* whoever reads the progress may go */
}

typedef struct Export {
    Examples x;
    Arena *a;
    OutDir out;
    int count, width, longest; /* examples; columns of the arrays; positions of the longest example */
    bool has_train, sliced;
    long scored, *class_n;
    Display display;
    double began;
    long done, work; /* examples drawn and to be drawn, in both passes */
} Export;

/* Some work has been done: progress, and whether to go on. */
static bool step(Export *e, int n, Err *err)
{
    const double now = clock_seconds(), spent = now - e->began;
    e->done += n;
    if (display_due(&e->display, now) && e->done < e->work) {
        char head[160], left[32];
        duration_text(spent * (double)(e->work - e->done) / (double)e->done, left);
        snprintf(head, sizeof head, "export %s: %s, %.0f %%, %.0f examples/s, %s left", e->x.use.task->name,
                 e->done <= e->count ? "looking" : "writing", 100.0 * (double)e->done / (double)e->work,
                 (double)e->done / spent, left);
        display_update(&e->display, now, head, NULL, 0);
    }
    return !stop_signal || err_set(err, 128 + stop_signal, "interrupted: nothing was written");
}

typedef bool Visit(Export *e, int first, const Batch *b, const Batch *train, void *self, Err *err);

/* All examples, piece by piece. */
static bool for_examples(Export *e, Visit *visit, void *self, Err *err)
{
    const int chunk = examples_chunk(&e->x);
    const size_t mark = arena_mark(e->a);
    for (int done = 0; done < e->count; done += chunk) {
        const int first = e->x.first + done, n = e->count - done < chunk ? e->count - done : chunk;
        Batch b, train;
        examples_draw(&e->x, first, n, false, e->a, &b);
        if (e->has_train) examples_draw(&e->x, first, n, true, e->a, &train);
        TRY(visit(e, first, &b, e->has_train ? &train : NULL, self, err));
        arena_reset(e->a, mark);
        TRY(step(e, n, err));
    }
    return true;
}

/* ---- first pass ---- */

static bool survey(Export *e, int first, const Batch *b, const Batch *train, void *self, Err *err)
{
    bool *has_train = self;
    (void)train, (void)err, (void)first;
    *has_train |= b->has_train;
    e->scored += b->scored;
    for (int i = 0; i < b->n; i++) {
        const int *target = b->target + (size_t)i * (size_t)b->stride;
        if (b->len[i] > e->longest) e->longest = b->len[i];
        for (int t = 0; t < b->len[i]; t++)
            if (target[t] != IGNORE) e->class_n[target[t]]++;
    }
    return true;
}

/* ---- arrays ---- */

typedef struct Arrays {
    NpyWriter inputs, targets, lengths, train_targets, slices;
} Arrays;

/* The rows of a batch at the width of the array; `pad` where an example has ended. */
static bool put_rows(Export *e, NpyWriter *w, const Batch *b, const int *v, int pad, Err *err)
{
    int *row = ARENA_RAW(e->a, int, e->width);
    for (int i = 0; i < b->n; i++) {
        const int *from = v + (size_t)i * (size_t)b->stride;
        for (int t = 0; t < e->width; t++) row[t] = t < b->len[i] ? from[t] : pad;
        TRY(npy_put(w, (size_t)e->width, row, err));
    }
    return true;
}

static bool put_arrays(Export *e, int first, const Batch *b, const Batch *train, void *self, Err *err)
{
    Arrays *w = self;
    (void)first;
    TRY(put_rows(e, &w->inputs, b, b->input, 0, err));
    TRY(put_rows(e, &w->targets, b, b->target, IGNORE, err));
    if (train) TRY(put_rows(e, &w->train_targets, b, train->target, IGNORE, err));
    if (e->sliced) TRY(put_rows(e, &w->slices, b, b->slice_of, IGNORE, err));
    return npy_put(&w->lengths, (size_t)b->n, b->len, err);
}

static bool create(const Export *e, const char *name, int rank, NpyWriter *w, Err *err)
{
    return npy_create(outdir_file(&e->out, name), NPY_I4, rank, (int[]){ e->count, e->width }, w, err);
}

static bool write_arrays(Export *e, Err *err)
{
    Arrays w = { 0 };
    bool ok = create(e, "inputs.npy", 2, &w.inputs, err) && create(e, "targets.npy", 2, &w.targets, err) &&
              create(e, "lengths.npy", 1, &w.lengths, err) &&
              (!e->has_train || create(e, "train_targets.npy", 2, &w.train_targets, err)) &&
              (!e->sliced || create(e, "slices.npy", 2, &w.slices, err));
    ok = ok && for_examples(e, put_arrays, &w, err);
    NpyWriter *const all[] = { &w.inputs, &w.targets, &w.lengths, &w.train_targets, &w.slices };
    for (int i = 0; i < 5; i++) {
        if (ok && all[i]->f) ok = npy_finish(all[i], err);
        npy_drop(all[i]);
    }
    return ok;
}

/* ---- text ---- */

typedef struct Text {
    FILE *f;
    const char *path;
    TextForm form;
} Text;

static bool text_failed(const Text *t, Err *err)
{
    return err_set(err, EXIT_FAILED, "cannot write %s: %s", t->path, strerror(errno ? errno : ENOSPC));
}

static bool put_text(Export *e, int first, const Batch *b, const Batch *train, void *self, Err *err)
{
    const Text *t = self;
    errno = 0;
    examples_text(&e->x, t->form, first, b, train, t->f);
    return !ferror(t->f) || text_failed(t, err);
}

static bool write_text(Export *e, TextForm form, Err *err)
{
    Text t = { .form = form, .path = outdir_file(&e->out, form == TEXT_CSV ? "examples.csv" : "examples.jsonl") };
    t.f = fopen(t.path, "wb");
    if (!t.f) return text_failed(&t, err);
    examples_text_head(&e->x, form, e->has_train, t.f);
    bool ok = for_examples(e, put_text, &t, err);
    if (ok) ok = (fflush(t.f) == 0 && fsync(fileno(t.f)) == 0) || text_failed(&t, err);
    errno = 0;
    if (fclose(t.f) != 0 && ok) ok = text_failed(&t, err);
    return ok;
}

/* ---- meta.yaml ---- */

static void put_value(Buf *b, const char *key, const Value *v)
{
    buf_printf(b, "%s: %s\n", key, value_canonical(b->a, v));
}

static void put_text_value(Buf *b, const char *key, const char *text)
{
    Value *v = value_scalar(b->a, text);
    v->quoted = true;
    put_value(b, key, v);
}

static void put_real(Buf *b, const char *key, double x)
{
    static const Option number = { "", OPT_REAL, 0, "0", 0, 0, NULL, "" };
    put_value(b, key, option_value(&number, &x, b->a));
}

static void put_symbols(const Export *e, Buf *b, const char *key, int n, bool is_target)
{
    enum { MOST = 16384 };
    Value *list = value_list(b->a);
    if (!e->x.use.task->symbol || n > MOST) return;
    for (int id = 0; id < n; id++) {
        Value *v = value_scalar(b->a, symbol_text(b->a, &e->x.use, id, is_target));
        v->quoted = true;
        value_append(list, v);
    }
    put_value(b, key, list);
}

static const char meta_head[] =
    "# Targets: the class asked for after reading inputs[i, 0..t]; -1: position t is not scored (PyTorch: -100).\n"
    "# Row i is right-padded from lengths[i] on: inputs with 0, everything else with -1.\n";

static char *meta_text(const Export *e)
{
    const Examples *x = &e->x;
    const TaskShape *s = &x->use.shape;
    Buf b = buf_new(e->a);
    long most = 0;
    for (int k = 0; k < s->vocab_out; k++)
        if (e->class_n[k] > most) most = e->class_n[k];
    buf_puts(&b, meta_head);
    put_text_value(&b, "task", x->use.task->name);
    buf_printf(&b, "task_version: %d\n", x->use.task->version);
    put_text_value(&b, "split", x->split);
    put_text_value(&b, "slice", x->slice.name);
    buf_printf(&b, "seed: %llu\ntable_seed: %llu\nindex: %d\ncount: %d\n", (unsigned long long)x->seed,
               (unsigned long long)x->table_seed, x->first, e->count);
    buf_printf(&b, "length_group: %d\nT: %d\nvocab_in: %d\nvocab_out: %d\nn_scored: %ld\n", x->group, e->width,
               s->vocab_in, s->vocab_out, e->scored);
    put_text_value(&b, "headline", s->headline);
    put_real(&b, "chance_uniform", s->chance_uniform);
    put_real(&b, "chance_majority", e->scored ? (double)most / (double)e->scored : 0);
    put_real(&b, "ceiling", s->ceiling);
    if (s->slice_label) put_text_value(&b, "slice_label", s->slice_label);
    for (const Option *o = x->use.task->options; o->name; o++)
        put_value(&b, arena_printf(e->a, "t_%s", o->name), option_value(o, x->use.cfg, e->a));
    if (x->use.task->tables)
        for (const Value *v = x->use.task->tables(x->use.cfg, x->use.data, e->a)->first; v; v = v->next)
            put_value(&b, v->key, v);
    put_symbols(e, &b, "symbols_in", s->vocab_in, false);
    put_symbols(e, &b, "symbols_out", s->vocab_out, true);
    put_text_value(&b, "program", program_version());
    return b.s;
}

/* ---- the command ---- */

static bool open_export(const Cli *c, Export *e, Err *err)
{
    *e = (Export){ .a = c->arena, .count = cli_int(c, "count"), .width = cli_int(c, "width") };
    if (c->n_args != 1) return err_set(err, EXIT_USAGE, "usage: seqprobe export %s", c->command->synopsis);
    if (e->count < 1) return err_set(err, EXIT_USAGE, "--count: %d is not in 1..2147483647", e->count);
    if (e->width < 0) return err_set(err, EXIT_USAGE, "--width: %d is below 0", e->width);
    TRY(examples_open(c, c->args[0], e->count, &e->x, err));
    e->sliced = e->x.use.shape.slice_label != NULL;
    e->class_n = ARENA_NEW(e->a, long, e->x.use.shape.vocab_out);
    e->work = 2L * e->count;
    return true;
}

/* Both passes and the description, into the folder that is not yet in place. */
static bool write_all(Export *e, const char *format, Err *err)
{
    bool has_train = false;
    TRY(for_examples(e, survey, &has_train, err));
    e->has_train = has_train;
    if (!e->width) e->width = e->longest;
    if (e->width < e->longest)
        return err_set(err, EXIT_USAGE, "--width: %d, but an example has %d positions", e->width, e->longest);
    if (!strcmp(format, "npy"))
        TRY(write_arrays(e, err));
    else
        TRY(write_text(e, !strcmp(format, "csv") ? TEXT_CSV : TEXT_JSONL, err));
    const char *meta = meta_text(e);
    return file_write(outdir_file(&e->out, "meta.yaml"), meta, strlen(meta), WRITE_DATA, err);
}

static void print_summary(const Export *e, const char *format)
{
    const Examples *x = &e->x;
    const bool arrays = !strcmp(format, "npy");
    printf("%s: %d examples of %s, split %s, seed %llu; %ld positions are scored\n", e->out.path, e->count,
           x->use.task->name, x->split, (unsigned long long)x->seed, e->scored);
    if (!arrays) {
        printf("  examples.%s, meta.yaml\n", format);
        return;
    }
    printf("  inputs.npy, targets.npy%s%s (int32, %d x %d), lengths.npy, meta.yaml\n",
           e->has_train ? ", train_targets.npy" : "", e->sliced ? ", slices.npy" : "", e->count, e->width);
    printf("  measure predictions (class ids, %d x %d): seqprobe score --data %s --predictions FILE.npy\n", e->count,
           e->width, e->out.path);
}

static int run(Cli *c, Err *err)
{
    const char *format = cli_string(c, "format"), *dir = cli_string(c, "out");
    Export e;
    if (!open_export(c, &e, err)) return EXIT_USAGE;
    if ((!dir || !*dir) && strcmp(format, "npy") != 0) { /* text may go to standard output */
        examples_print(&e.x, !strcmp(format, "csv") ? TEXT_CSV : TEXT_JSONL, e.count, e.a);
        return EXIT_OK;
    }
    if (!dir || !*dir) {
        err_set(err, EXIT_USAGE, "--out DIR is needed: a folder for the arrays (csv and jsonl may go without)");
        return EXIT_USAGE;
    }
    catch_signals(); /* before there is anything to leave behind */
    if (!outdir_open(dir, known_files, cli_bool(c, "force"), e.a, &e.out, err)) return EXIT_USAGE;
    e.display = display_open();
    e.began = clock_seconds();
    const bool ok = write_all(&e, format, err) && outdir_commit(&e.out, err);
    display_close(&e.display);
    if (!ok) {
        outdir_drop(&e.out);
        return EXIT_FAILED;
    }
    print_summary(&e, format);
    return EXIT_OK;
}

static const Flag flags[] = {
    { "count", 'n', FLAG_INT, "1000", "N", "examples" },
    { "out", 'o', FLAG_STRING, NULL, "DIR", "folder to write; made if need be" },
    { "format", 'f', FLAG_STRING, "npy", "npy|csv|jsonl", "arrays, a row per position, or an object a line" },
    { "force", 0, FLAG_BOOL, NULL, NULL, "replace an earlier export in DIR; other files there stay" },
    { "width", 0, FLAG_INT, "0", "T", "columns of the arrays; 0: as many as the longest example of the set" },
    EXAMPLE_FLAGS,
    FLAG_END,
};

const Command command_export = {
    .name = "export",
    .synopsis = "TASK [key=value ...] --count N --out DIR [--split test] [--seed K]",
    .summary = "a set of examples as arrays for other programs",
    .description =
        "examples:\n"
        "  seqprobe export parity len=[2,40] --count 1000 --out data/train\n"
        "  seqprobe export parity len=160 --count 1000 --split test --out data/x4\n"
        "  seqprobe export parity --count 100 --format csv > parity.csv\n"
        "\n"
        "Files in DIR (int32, N examples, T positions, -1: nothing there):\n"
        "  inputs.npy (N, T)         ids, right-padded with 0\n"
        "  targets.npy (N, T)        the class asked for after reading that position, or -1: not scored\n"
        "  lengths.npy (N)           positions of each example\n"
        "  train_targets.npy         what training asks for instead, for tasks that have it\n"
        "  slices.npy                what accuracy is also reported by (gap, depth), for tasks that have it\n"
        "  meta.yaml                 task, version, options, seed, vocabularies, chance, ceiling\n"
        "\n"
        "Example i is the one that a run with this seed and split sees as its example i; an evaluation set is drawn\n"
        "with --split test and data.eval_seed (default 0). If len is a law, one length is drawn for each --batch\n"
        "examples in training, for each 64 in validation and test. PyTorch's loss wants targets of -100 where there\n"
        "is nothing to score: targets[targets < 0] = -100.\n",
    .flags = flags,
    .run = run,
};
