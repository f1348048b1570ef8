/* SPDX-License-Identifier: Apache-2.0
 * cells.c - reading results/<name>/selected.csv (its columns: sweep/select.c) into mixers x cases.
 *
 * A row's label is the mixer's, followed by the cells of further axes ("gla, model_d_model 128"). Theory's verdict is
 * that of the task's own `theory` for the class of the mixer and the number of layers in the config of the best run;
 * of several mixers in one stack the most able one counts.
 */
#include "show/cells.h"
#include "train/metrics.h"

#include <math.h>
#include <string.h>

const Cell *cell_at(const Cells *c, int mixer, int kase) { return c->cell[mixer * c->cases + kase]; }

bool cell_has_points(const Cells *c, int mixer, int kase)
{
    const Cell *cell = cell_at(c, mixer, kase);
    return cell && cell->n_points;
}

const Point *cell_longest(const Cell *c)
{
    const Point *best = NULL;
    for (int i = 1; i < c->n_points; i++)
        if (c->point[i].by_length && c->point[i].len > c->point[0].len && (!best || c->point[i].len > best->len))
            best = &c->point[i];
    return best;
}

Interval point_interval(const Point *p, int n_seeds)
{
    double lo, hi;
    wilson(p->acc, p->n / (n_seeds > 0 ? n_seeds : 1), &lo, &hi);
    return (Interval){ fmin(lo, p->lo), fmax(hi, p->hi) };
}

/* More able first. */
static int able(TheoryVerdict v)
{
    static const int rank[] = {
        [THEORY_OPEN] = 1, [THEORY_YES] = 4, [THEORY_NO] = 0, [THEORY_COND] = 2, [THEORY_APPROX] = 3
    };
    return rank[v];
}

static void read_theory(Cell *c, const RunSpec *s, Arena *a)
{
    for (int i = 0; i < s->n_mixers; i++) {
        MixerUse use;
        Err none = { 0 };
        if (!mixer_read(s->mixers[i], a, &use, &none)) return;
        TheoryClass cls = use.mixer->theory_class(use.cfg);
        Theory t = s->task->theory(s->slices[0].cfg, cls, s->model.layers * s->model.loops);
        if (!c->has_theory || able(t.verdict) > able(c->theory.verdict)) c->theory = t;
        c->has_theory = true;
    }
    /* What no layer can do alone, layers of different classes may do together. */
    if (s->n_mixers > 1 && c->theory.verdict == THEORY_NO)
        c->theory = (Theory){ THEORY_OPEN, "a hybrid of such layers" };
}

/* A slice counts as a length when it sets `len` alone; of tasks without that option, when its examples are longer. */
static void read_slices(Cell *c, const RunSpec *s)
{
    bool has_len = option_find(s->task->options, "len") != NULL;
    for (int i = 0; i < c->n_points; i++)
        for (int k = 0; k < s->n_slices; k++) {
            if (strcmp(s->slices[k].name, c->point[i].slice)) continue;
            const Value *map = s->slices[k].overrides;
            c->point[i].by_length = k == 0 || !has_len || (map && map->count == 1 && value_get(map, "len"));
            if (s->task->memory_bits) c->point[i].memory_bits = s->task->memory_bits(s->slices[k].cfg, s->task_data);
        }
}

static const char *names_of(const RunSpec *s, Arena *a)
{
    Buf b = buf_new(a);
    for (int i = 0; i < s->n_mixers; i++) {
        MixerUse use;
        Err none = { 0 };
        if (mixer_read(s->mixers[i], a, &use, &none)) buf_printf(&b, "%s%s", i ? "+" : "", use.mixer->name);
    }
    return b.s;
}

/* What the config of the best run adds; without it every slice counts as a length. */
static void read_config(Cell *c, const char *results, Arena *a, const char **mixer_name)
{
    Err none = { 0 };
    Value *config;
    RunSpec s;
    const char *path = arena_printf(a, "%s/runs/%s/config.yaml", results, c->best_run);
    for (int i = 0; i < c->n_points; i++) c->point[i].by_length = true;
    if (!*c->best_run || !file_exists(path)) return;
    if (!yaml_read(path, a, &config, &none) || !run_resolve(config, a, &s, &none)) {
        fprintf(stderr, "seqprobe: warning: %s; its lengths and its verdict of theory are not known\n", none.msg);
        return;
    }
    c->task = s.task->name;
    c->task_text = value_canonical(a, value_get(s.config, "task"));
    *mixer_name = names_of(&s, a);
    c->stop_at = s.train.stop_at;
    read_slices(c, &s);
    read_theory(c, &s, a);
}

static int label_index(const char **label, int *n, const char *text)
{
    for (int i = 0; i < *n; i++)
        if (!strcmp(label[i], text)) return i;
    label[*n] = text;
    return (*n)++;
}

static const char *row_label(const Csv *csv, int r, Arena *a)
{
    const char *label = csv_get(csv, r, "mixer");
    for (int c = csv_col(csv, "mixer") + 1; c < csv_col(csv, "lr"); c++)
        if (*csv->cell[r][c]) label = arena_printf(a, "%s, %s %s", label, csv->head[c], csv->cell[r][c]);
    return label;
}

static void read_point(const Csv *csv, int r, Cell *c)
{
    bool several = c->n_seeds > 1;
    Point *p = &c->point[c->n_points++];
    *p = (Point){ .slice = csv_get(csv, r, "slice"),
                  .len = (int)csv_num(csv, r, "len"),
                  .solved = (int)csv_num(csv, r, "solved"),
                  .acc = csv_num(csv, r, "median"),
                  .lo = csv_num(csv, r, several ? "min" : "lo"),
                  .hi = csv_num(csv, r, several ? "max" : "hi"),
                  .chance = csv_num(csv, r, "chance"),
                  .memory_bits = (double)NAN,
                  .n = (long)csv_num(csv, r, "n"),
                  .mean = csv_num(csv, r, "mean"),
                  .wilson_lo = csv_num(csv, r, "lo"),
                  .wilson_hi = csv_num(csv, r, "hi") };
}

static const char **split_words(Arena *a, const char *text, int *n)
{
    char *s = arena_strdup(a, text);
    const char **out = ARENA_NEW(a, const char *, strlen(s) / 2 + 1);
    *n = 0;
    for (char *end; *s; s = end) {
        end = s + strcspn(s, " ");
        out[(*n)++] = s;
        if (*end) *end++ = 0;
    }
    return out;
}

static void read_cell(const Csv *csv, int r, Arena *a, Cell *c)
{
    c->n_seeds = (int)csv_num(csv, r, "n_seeds");
    c->metric = csv_get(csv, r, "metric");
    c->best_run = csv_get(csv, r, "best_run");
    c->lr = csv_num(csv, r, "lr");
    c->step_solved = csv_num(csv, r, "step_solved");
    c->state = csv_num(csv, r, "state_reals");
    c->params = csv_num(csv, r, "params");
    c->flops = csv_num(csv, r, "train_flops");
    c->run = split_words(a, csv_get(csv, r, "runs"), &c->n_runs);
    c->stop_at = (double)NAN;
    c->task = c->task_text = "";
}

static bool read_selected(const char *path, const char *results, Arena *a, Cells *out, Err *err)
{
    Csv csv;
    TRY(csv_read(path, a, &csv, err));
    if (csv_col(&csv, "case") < 0 || csv_col(&csv, "lr") < csv_col(&csv, "mixer") || csv_col(&csv, "best_run") < 0)
        return err_set(err, EXIT_FAILED, "%s: not written by this version of seqprobe", path);
    out->mixer = ARENA_NEW(a, const char *, csv.rows + 1);
    out->kase = ARENA_NEW(a, const char *, csv.rows + 1);
    int *mixer = ARENA_NEW(a, int, csv.rows + 1), *kase = ARENA_NEW(a, int, csv.rows + 1);
    for (int r = 0; r < csv.rows; r++) {
        mixer[r] = label_index(out->mixer, &out->mixers, row_label(&csv, r, a));
        kase[r] = label_index(out->kase, &out->cases, csv_get(&csv, r, "case"));
    }
    if (csv.rows == 0) return err_set(err, EXIT_FAILED, "%s: no rows", path);
    out->cell = ARENA_NEW(a, Cell *, out->mixers * out->cases);
    out->mixer_name = ARENA_NEW(a, const char *, out->mixers);
    memcpy(out->mixer_name, out->mixer, (size_t)out->mixers * sizeof *out->mixer);
    for (int r = 0; r < csv.rows; r++) {
        Cell **at = &out->cell[mixer[r] * out->cases + kase[r]];
        if (!*at) {
            *at = ARENA_NEW(a, Cell, 1);
            (*at)->point = ARENA_NEW(a, Point, csv.rows);
            read_cell(&csv, r, a, *at);
        }
        if ((*at)->n_seeds && *csv_get(&csv, r, "slice")) read_point(&csv, r, *at);
    }
    for (int i = 0; i < out->mixers * out->cases; i++)
        if (out->cell[i]) read_config(out->cell[i], results, a, &out->mixer_name[i / out->cases]);
    return true;
}

static bool is_config(const char *what)
{
    size_t n = strlen(what);
    return (n > 5 && !strcmp(what + n - 5, ".yaml")) || strchr(what, '/');
}

bool cells_read(const char *what, const char *results, Arena *a, Cells *out, Err *err)
{
    Plan plan = { .name = what };
    const char *config = is_config(what) ? what : data_find(a, arena_printf(a, "configs/%s.yaml", what));
    memset(out, 0, sizeof *out);
    if (is_config(what)) {
        int finished;
        TRY(plan_read(config, 0, NULL, a, &plan, err) && collect_results(&plan, results, &finished, err));
        if (!finished)
            return err_set(err, EXIT_FAILED, "no finished runs of %s in %s: seqprobe sweep %s", plan.name, results,
                           config);
    }
    out->name = plan.name;
    out->dir = path_join(a, results, plan.name);
    out->results = results;
    const char *selected = path_join(a, out->dir, "selected.csv");
    if (!file_exists(selected))
        return err_set(err, EXIT_USAGE, "no %s; '%s' is neither a config file nor a sweep with results", selected,
                       what);
    if (!is_config(what) && file_exists(config)) {
        Err none = { 0 };
        bool ok = plan_read(config, 0, NULL, a, &plan, &none);
        if (!ok) out->config_fault = arena_strdup(a, none.msg);
        if (!ok || strcmp(plan.name, what)) plan = (Plan){ .name = what };
    }
    out->figures = plan.figures;
    out->published = plan.published;
    out->reference = data_find(a, "results/reference/published");
    out->title = plan.title;
    out->question = plan.question;
    return read_selected(selected, results, a, out, err);
}
