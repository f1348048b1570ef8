/* SPDX-License-Identifier: Apache-2.0
 * command_select.c - `seqprobe select`: what was chosen on validation and what its seeds reached on test;
 * `seqprobe compare`: two mixers, seed by seed.
 *
 * select, csv and json: case, mixer, axes, lr, valid, n_lr, n_seeds, solved, solved_lo, solved_hi, slice, len, metric,
 *   median, min, max, mean, seed_lo, seed_hi, sd, selected_by, choice (columns of selected.csv; solved is empty for
 *   another metric than the headline)
 * compare, csv and json: case, axes, a, b, slice, metric, n, wins, losses, ties, mean_a, mean_b, difference, lo, hi, p,
 *   verdict
 *
 * A pair is the same case, axes and seed under both mixers, each at its own chosen rate. better, worse: the 95 %
 * interval of the mean difference (Student's, over the seeds) lies on one side of 0. p: exact permutation of signs.
 */
#include <math.h>
#include <string.h>

#include "sweep/plan_parts.h"
#include "sweep/thresholds.h"
#include "sweep/verdicts.h"

enum { COLUMNS_MAX = AXES_MAX + 24, NAMES_MAX = 512 };

/* The groups of a config, and which slice and metric of them to read. */
typedef struct Look {
    const Plan *plan;
    Arena *a;
    const RowResult *rows;
    int n;
    Group *group;
    const char *slice, *metric; /* metric NULL: the headline */
} Look;

/* A grid whose columns are declared, then filled, from left to right. */
typedef struct Table {
    int cols, at;
    const char *head[COLUMNS_MAX];
    char align[COLUMNS_MAX + 1];
    Grid grid;
    const char **row;
    Arena *a;
    bool data; /* csv, json: numbers in full, intervals as two columns */
} Table;

static void column(Table *t, const char *name, char align)
{
    CHECK(t->cols < COLUMNS_MAX, "%d columns", t->cols);
    t->head[t->cols] = name;
    t->align[t->cols++] = align;
}

static void columns(Table *t, const char *const *names, char align)
{
    for (; *names; names++) column(t, *names, align);
}

static void begin_row(Table *t)
{
    if (!t->grid.a) t->grid = grid_new(t->a, t->cols, t->head, t->align);
    t->row = grid_row(&t->grid);
    t->at = 0;
}

static void put(Table *t, const char *text) { t->row[t->at++] = text; }
static void put_count(Table *t, long n) { put(t, arena_printf(t->a, "%ld", n)); }

static void put_number(Table *t, double v)
{
    Buf b = buf_new(t->a);
    buf_puts(&b, "");
    buf_real(&b, v);
    put(t, t->data ? b.s : value_digits(v, t->a));
}

static void put_interval(Table *t, double lo, double hi)
{
    if (t->data) {
        put_number(t, lo);
        put_number(t, hi);
    } else {
        put(t, isnan(lo) ? "" : arena_printf(t->a, "[%s, %s]", value_digits(lo, t->a), value_digits(hi, t->a)));
    }
}

static void axis_columns(Table *t, const Plan *plan)
{
    for (int c = 0; c < plan->axes; c++)
        if (!select_is_over(plan, plan->axis[c]))
            column(t, t->data ? plan_column(t->a, plan->axis[c]) : plan->axis[c], 'l');
}

static void put_axes(Table *t, const Plan *plan, const Group *g)
{
    for (int c = 0; c < plan->axes; c++)
        if (!select_is_over(plan, plan->axis[c])) put(t, g->head->row->cell[c]);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void add_name(const char **names, int *n, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0) return;
    if (*n < NAMES_MAX - 1) names[(*n)++] = name;
    names[*n] = NULL;
}

static bool fail_name(Err *err, const char *what, const char *name, const char *const *names, Arena *a)
{
    char text[96];
    Buf known = buf_new(a);
    const char *near = name_hint(name, names, text);
    for (int i = 0; names[i]; i++) buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
    if (*near) return err_set(err, EXIT_USAGE, "unknown %s '%s'%s", what, name, near);
    return err_set(err, EXIT_USAGE, "unknown %s '%s'; known: %s", what, name, known.s ? known.s : "none");
}

/* Slices of the plan: train and what stands under `eval`. */
static bool check_slice(const Plan *plan, const char *slice, Arena *a, Err *err)
{
    const char **names = ARENA_NEW(a, const char *, NAMES_MAX);
    int n = 0;
    add_name(names, &n, "train");
    for (int i = 0; i < plan->rows; i++) {
        const Value *eval = value_get(plan->row[i].config, "eval");
        for (const Value *v = eval ? eval->first : NULL; v; v = v->next) add_name(names, &n, v->key);
    }
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], slice) == 0) return true;
    return fail_name(err, "slice", slice, names, a);
}

static bool check_metric(const char *metric, Arena *a, Err *err)
{
    for (int i = 0; metric_names[i]; i++)
        if (strcmp(metric_names[i], metric) == 0) return true;
    return fail_name(err, "metric", metric, metric_names, a);
}

/* "quick" is configs/quick.yaml. */
static const char *config_path(const char *what, Arena *a)
{
    const size_t n = strlen(what);
    if (strchr(what, '/') || (n > 5 && strcmp(what + n - 5, ".yaml") == 0)) return what;
    return arena_printf(a, "configs/%s.yaml", what);
}

static bool look(Cli *cli, const char *results, Plan *plan, Look *l, Err *err)
{
    Arena *a = cli->arena;
    RowResult *rows;
    int finished = 0;
    *l = (Look){ .plan = plan, .a = a, .slice = cli_string(cli, "slice"), .metric = cli_string(cli, "metric") };
    const char *config = config_path(cli->args[0], a);
    if (config != cli->args[0] && !file_exists(config))
        return err_set(err, EXIT_USAGE, "'%s' is no config file, and there is no %s", cli->args[0], config);
    TRY(plan_read(config, cli->n_sets, cli->sets, a, plan, err));
    TRY(check_slice(plan, l->slice, a, err) && (!l->metric || check_metric(l->metric, a, err)));
    TRY(results_read(plan, results, a, &rows, err));
    for (int i = 0; i < plan->rows; i++) finished += result_counts(&rows[i]);
    if (!finished)
        return err_set(err, EXIT_FAILED, "no finished runs of %s in %s: seqprobe sweep %s", plan->name, results,
                       config);
    if (finished < plan->rows)
        fprintf(stderr, "%s: %d of %d runs have finished; the others may change what follows\n", plan->name, finished,
                plan->rows);
    l->rows = rows;
    l->n = select_groups(plan, rows, a, &l->group);
    return true;
}

static bool measure(const Look *l, const Group *g, Measure *m, Err *err)
{
    Csv *metrics;
    TRY(group_metrics(g, l->a, &metrics, err));
    *m = group_measure(g, metrics, l->slice, l->metric, l->a);
    return true;
}

/* ---- select ----------------------------------------------------------------------------------------------------- */

static void select_columns(const Look *l, Table *t)
{
    static const char *const labels[] = { "case", "mixer", NULL };
    static const char *const data[] = { "lr", "valid", "n_lr", "n_seeds", "solved", "solved_lo", "solved_hi", NULL };
    static const char *const what[] = { "slice", NULL }, *const metric[] = { "metric", NULL };
    static const char *const values[] = { "median", "min", "max", "mean", "seed_lo", "seed_hi", "sd", NULL };
    static const char *const by[] = { "selected_by", "choice", NULL };
    static const char *const texts[] = { "lr",     "valid",    "tried", "solved", "95 %",
                                         "median", "min, max", "mean",  "95 %",   NULL };
    columns(t, labels, 'l');
    axis_columns(t, l->plan);
    columns(t, t->data ? data : texts, 'r');
    if (!t->data) {
        column(t, "metric", 'l');
        return;
    }
    columns(t, what, 'l');
    column(t, "len", 'r');
    columns(t, metric, 'l');
    columns(t, values, 'r');
    columns(t, by, 'l');
}

static void put_solved(Table *t, const Summary *s, bool headline)
{
    if (t->data) {
        put_count(t, s->n);
        put(t, headline ? arena_printf(t->a, "%d", s->solved) : "");
    } else {
        put(t, headline ? arena_printf(t->a, "%d/%d", s->solved, s->n) : arena_printf(t->a, "-/%d", s->n));
    }
    const double none = (double)NAN;
    put_interval(t, headline ? s->solved_share.lo : none, headline ? s->solved_share.hi : none);
}

static void select_row(const Look *l, Table *t, const Group *g, const Measure *m)
{
    const double none = (double)NAN;
    const bool headline = !l->metric || strcmp(m->metric, csv_get(&g->chosen[0]->result, 0, "headline")) == 0;
    const Summary s = measure_summary(m, row_goal(g->head->row, l->a), l->a);
    begin_row(t);
    put(t, g->case_label);
    put(t, g->mixer_label);
    put_axes(t, l->plan, g);
    put(t, g->chosen_n ? arena_printf(l->a, "%.9g", g->lr) : "");
    put_number(t, g->chosen_n ? g->valid : none);
    put_count(t, g->candidates);
    put_solved(t, &s, headline && s.n);
    if (t->data) {
        put(t, m->slice);
        put_count(t, m->len);
        put(t, m->metric);
    }
    put_number(t, s.median);
    put_interval(t, s.min, s.max);
    put_number(t, s.mean);
    put_interval(t, s.seeds.lo, s.seeds.hi);
    if (!t->data) {
        put(t, m->metric);
        return;
    }
    put_number(t, s.sd);
    put(t, g->chosen_n ? "valid_headline" : "");
    put(t, group_choice(l->plan, g, l->a));
}

static bool has_slice(const Look *l, const Group *g)
{
    return strcmp(l->slice, "train") == 0 || value_get(value_get(g->head->row->config, "eval"), l->slice);
}

/* Case by case, in the order of the plan. */
static bool select_rows(const Look *l, Table *t, Err *err)
{
    for (int first = 0; first < l->n; first++) {
        const char *label = l->group[first].case_label;
        bool seen = false;
        for (int k = 0; k < first && !seen; k++) seen = strcmp(l->group[k].case_label, label) == 0;
        for (int k = first; k < l->n && !seen; k++) {
            Measure m;
            if (strcmp(l->group[k].case_label, label) != 0 || !has_slice(l, &l->group[k])) continue;
            TRY(measure(l, &l->group[k], &m, err));
            select_row(l, t, &l->group[k], &m);
        }
    }
    return true;
}

static int select_command(Cli *cli, Err *err)
{
    Plan plan;
    Look l;
    const char *results = cli_string(cli, "results");
    const Format format = cli_format(cli);
    Table t = { .a = cli->arena, .data = format == FORMAT_CSV || format == FORMAT_JSON };
    if (cli->n_args != 1) {
        err_set(err, EXIT_USAGE, "select: one config expected");
        return EXIT_USAGE;
    }
    if (!look(cli, results, &plan, &l, err)) return EXIT_FAILED;
    select_columns(&l, &t);
    if (!select_rows(&l, &t, err)) return EXIT_FAILED;
    grid_print(&t.grid, format);
    if (format == FORMAT_TABLE)
        printf("\nTest slice %s, at the rate with the best valid: the mean over seeds of the validation headline.\n"
               "solved: seeds that reach train.stop_at, with Wilson's interval; then the seeds, their mean and its\n"
               "Student interval.\n",
               l.slice);
    if (plan.narrowed) return EXIT_OK; /* the file is of the whole sweep */
    if (!dir_make(path_join(cli->arena, results, plan.name), err) || !select_write(&plan, l.rows, results, err))
        return EXIT_FAILED;
    fprintf(stderr, "%s/%s/selected.csv\n", results, plan.name);
    return EXIT_OK;
}

static const Flag select_flags[] = {
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ and the sweep's folder are" },
    { "slice", 0, FLAG_STRING, "train", "SLICE", "of the test split" },
    { "metric", 0, FLAG_STRING, NULL, "METRIC", "instead of the headline of each task" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|markdown", "form of the result" },
    FLAG_END
};

const Command command_select = {
    .name = "select",
    .synopsis = "CONFIG|NAME [key=value...] [--slice x4]",
    .summary = "the learning rates chosen on validation, and what their seeds reached",
    .description =
        "  seqprobe select quick\n"
        "  seqprobe select configs/core.yaml mixer=lstm --metric acc_exact --format csv\n"
        "\n"
        "The rate with the highest mean validation headline over its seeds is chosen, never by test; ties go to the\n"
        "lower one. Without settings it also writes DIR/NAME/selected.csv, as collect does.\n",
    .flags = select_flags,
    .run = select_command,
};

/* ---- compare ---------------------------------------------------------------------------------------------------- */

static const char *mixer_of(const Group *g, Arena *a)
{
    const char *name = mixer_spec_name(value_get(g->head->row->config, "mixer"), a);
    return name ? name : "";
}

/* The label that is meant: exactly this one, or the only one of a mixer with this name. */
static bool find_mixer(const Look *l, const char *name, const char **label, Err *err)
{
    const char **names = ARENA_NEW(l->a, const char *, NAMES_MAX), **same = ARENA_NEW(l->a, const char *, NAMES_MAX);
    int n = 0, n_same = 0;
    for (int k = 0; k < l->n; k++) {
        add_name(names, &n, l->group[k].mixer_label);
        if (strcmp(mixer_of(&l->group[k], l->a), name) == 0) add_name(same, &n_same, l->group[k].mixer_label);
    }
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) same[0] = names[i], n_same = 1;
    *label = same[0];
    if (n_same == 1) return true;
    if (n_same == 0) return fail_name(err, "mixer", name, names, l->a);
    Buf b = buf_new(l->a);
    for (int i = 0; i < n_same; i++) buf_printf(&b, "%s'%s'", i ? ", " : "", same[i]);
    return err_set(err, EXIT_USAGE, "mixer '%s' has several rows; one of %s", name, b.s);
}

static bool check_case(const Look *l, const char *name, Err *err)
{
    const char **names = ARENA_NEW(l->a, const char *, NAMES_MAX);
    int n = 0;
    for (int k = 0; k < l->n; k++) add_name(names, &n, l->group[k].case_label);
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return fail_name(err, "case", name, names, l->a);
}

/* The group of another mixer in the same case and axes. */
static const Group *partner(const Look *l, const Group *g, const char *label)
{
    for (int k = 0; k < l->n; k++) {
        const Group *h = &l->group[k];
        bool same = strcmp(h->mixer_label, label) == 0 && strcmp(h->case_label, g->case_label) == 0;
        for (int c = 0; c < l->plan->axes && same; c++)
            same =
                select_is_over(l->plan, l->plan->axis[c]) || strcmp(g->head->row->cell[c], h->head->row->cell[c]) == 0;
        if (same) return h;
    }
    return NULL;
}

static const char *paired_verdict(const Paired *p, bool low_is_good)
{
    if (p->n == 0) return "no seed in common";
    if (p->n == 1) return "one seed";
    if (p->interval.lo > 0 || p->interval.hi < 0) return (p->interval.lo > 0) != low_is_good ? "better" : "worse";
    return "no difference shown";
}

static void compare_columns(const Look *l, Table *t)
{
    static const char *const who[] = { "a", "b", "slice", "metric", NULL };
    static const char *const data[] = { "n",          "wins", "losses", "ties", "mean_a", "mean_b",
                                        "difference", "lo",   "hi",     "p",    NULL };
    static const char *const texts[] = { "A", "B", "seeds", "wins/losses/ties", "A - B", "95 %", "p", NULL };
    column(t, "case", 'l');
    axis_columns(t, l->plan);
    if (t->data) columns(t, who, 'l');
    columns(t, t->data ? data : texts, 'r');
    column(t, "verdict", 'l');
}

static bool compare_row(const Look *l, Table *t, const Group *g, const Group *h, Paired *p, Err *err)
{
    Measure x, y;
    TRY(measure(l, g, &x, err) && measure(l, h, &y, err));
    double *px = ARENA_NEW(l->a, double, x.n + 1), *py = ARENA_NEW(l->a, double, x.n + 1);
    const bool low = metric_low_is_good(x.metric);
    const int n = seeds_paired(g, &x, h, &y, px, py);
    *p = paired_compare(px, py, n, l->a);
    const int wins = low ? p->losses : p->wins, losses = low ? p->wins : p->losses;
    begin_row(t);
    put(t, g->case_label);
    put_axes(t, l->plan, g);
    if (t->data) {
        put(t, g->mixer_label);
        put(t, h->mixer_label);
        put(t, l->slice);
        put(t, *x.metric ? x.metric : y.metric);
        put_count(t, n);
        put_count(t, wins);
        put_count(t, losses);
        put_count(t, p->ties);
    }
    put_number(t, mean_of(px, n));
    put_number(t, mean_of(py, n));
    if (!t->data) {
        put_count(t, n);
        put(t, arena_printf(l->a, "%d/%d/%d", wins, losses, p->ties));
    }
    put_number(t, p->mean);
    put_interval(t, p->interval.lo, p->interval.hi);
    put_number(t, p->p);
    put(t, paired_verdict(p, low));
    return true;
}

/* What the numbers may and may not say. */
static void print_legend(const Look *l, const char *a, const char *b, int least, bool single)
{
    printf("\nA: %s, B: %s; %s on test slice %s, seed by seed, each at the rate chosen on validation.\n", a, b,
           l->metric ? l->metric : "the headline metric", l->slice);
    if (l->metric && metric_low_is_good(l->metric)) printf("Lower is better.\n");
    printf("95 %%: Student's interval of the mean difference; better, worse: it excludes 0. p: exact permutation of "
           "signs.\n");
    if (least > 1) printf("With %d seeds no p is below %.3g.\n", least, pow(2, 1 - least));
    if (single) printf("One seed: the difference may be the seed's and says nothing about the mixers.\n");
}

static bool compare_all(const Look *l, Table *t, const char *label[2], const char *kase, int *least, bool *single,
                        Err *err)
{
    int rows = 0, pairs = 0;
    for (int k = 0; k < l->n; k++) {
        Paired p;
        const Group *g = &l->group[k], *h;
        if (strcmp(g->mixer_label, label[0]) != 0 || (kase && strcmp(g->case_label, kase) != 0)) continue;
        if (!has_slice(l, g) || !(h = partner(l, g, label[1]))) continue;
        TRY(compare_row(l, t, g, h, &p, err));
        rows++;
        pairs += p.n;
        *single = *single || p.n == 1;
        if (p.n > 1 && (*least == 0 || p.n < *least)) *least = p.n;
    }
    if (!rows)
        return err_set(err, EXIT_FAILED, "'%s' and '%s' share no case%s%s with the slice '%s'", label[0], label[1],
                       kase ? " " : "", kase ? kase : "", l->slice);
    return pairs || err_set(err, EXIT_FAILED, "'%s' and '%s' have no finished seed in common", label[0], label[1]);
}

static int compare_command(Cli *cli, Err *err)
{
    Plan plan;
    Look l;
    int least = 0;
    bool single = false;
    const char *label[2], *kase = cli_string(cli, "case");
    const Format format = cli_format(cli);
    Table t = { .a = cli->arena, .data = format == FORMAT_CSV || format == FORMAT_JSON };
    if (cli->n_args != 3) {
        err_set(err, EXIT_USAGE, "compare: a config and two mixers expected");
        return EXIT_USAGE;
    }
    if (!look(cli, cli_string(cli, "results"), &plan, &l, err)) return EXIT_FAILED;
    for (int i = 0; i < 2; i++)
        if (!find_mixer(&l, cli->args[1 + i], &label[i], err)) return EXIT_USAGE;
    if (label[0] == label[1]) err_set(err, EXIT_USAGE, "compare: '%s' with itself", label[0]);
    if (err->code || (kase && !check_case(&l, kase, err))) return EXIT_USAGE;
    compare_columns(&l, &t);
    if (!compare_all(&l, &t, label, kase, &least, &single, err)) return EXIT_FAILED;
    grid_print(&t.grid, format);
    if (format == FORMAT_TABLE) print_legend(&l, label[0], label[1], least, single);
    return EXIT_OK;
}

static const Flag compare_flags[] = {
    { "results", 0, FLAG_STRING, "results", "DIR", "where runs/ is" },
    { "case", 0, FLAG_STRING, NULL, "CASE", "only this one" },
    { "slice", 0, FLAG_STRING, "train", "SLICE", "of the test split" },
    { "metric", 0, FLAG_STRING, NULL, "METRIC", "instead of the headline of each task" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|markdown", "form of the result" },
    FLAG_END
};

const Command command_compare = {
    .name = "compare",
    .synopsis = "CONFIG|NAME MIXER MIXER [key=value...] [--case CASE]",
    .summary = "two mixers seed by seed: difference, interval, verdict",
    .description =
        "  seqprobe compare core lstm mingru\n"
        "  seqprobe compare configs/quick.yaml lstm mingru --slice x2 --format csv\n"
        "\n"
        "Mixers by their label in the config ('mamba +'), or by name where only one row has it. Both were measured on\n"
        "the same test set, and a pair is the same seed in the same case.\n",
    .flags = compare_flags,
    .run = compare_command,
};
