/* SPDX-License-Identifier: Apache-2.0
 * plot.c - `seqprobe plot`: the data of each figure as a CSV, drawn by gnuplot with a script of plots/.
 *
 * A config chooses: figures: [{kind: heatmap}, {kind: length, cases: [a, b]}, {kind: state, cases: [c, d], name: x}].
 * `at: longest` in a heat map takes the greatest length instead of the training lengths. Without `figures`: both heat
 * maps and accuracy against length, the last two if any case was evaluated at several lengths.
 *
 *   heatmap   x, y, case, mixer, acc, scaled, text, ink         scaled = (acc - chance)/(1 - chance) within 0..1
 *   length    case_no, mixer_no, case, mixer, len, acc, lo, hi, chance, train_len
 *   state     mixer_no, mixer, case, state, acc, lo, hi, chance            at the training lengths, by state
 *
 * A gnuplot that says "warning" has failed, whatever its exit status.
 */
#include "show/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Figure {
    const char *kind, *name; /* script plots/KIND.gp; file stem */
    int cases, mixers;       /* chosen ones, as indices into Cells */
    int *kase, *mixer;
    bool longest;          /* heatmap: at the greatest length, for cases that have one */
    int width, height;     /* SVG units */
    const char *variables; /* further gnuplot assignments */
} Figure;

static const char *const kinds[] = { "heatmap", "length", "state", NULL };

/* ---- data ---- */

/* Leave out the cases and mixers that have no number, and, for `lengths`, cases of one length: gnuplot warns of an
 * empty curve or axis. */
static void keep_drawn(const Cells *s, Figure *f, bool lengths)
{
    int cases = 0, mixers = 0;
    for (int k = 0; k < f->cases; k++) {
        bool any = false;
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            for (int i = 0; c && i < c->n_points; i++)
                any = any || !lengths || (c->point[i].by_length && c->point[i].len != c->point[0].len);
        }
        if (any) f->kase[cases++] = f->kase[k];
    }
    for (int m = 0; m < f->mixers; m++) {
        bool any = false;
        for (int k = 0; k < cases; k++) any = any || cell_has_points(s, f->mixer[m], f->kase[k]);
        if (any) f->mixer[mixers++] = f->mixer[m];
    }
    f->cases = cases;
    f->mixers = mixers;
}

static void put(Buf *b, double v)
{
    buf_puts(b, ",");
    buf_real(b, v);
}

static double scaled(double acc, double chance)
{
    double v = isnan(chance) || chance >= 1 ? acc : (acc - chance) / (1 - chance);
    return fmin(fmax(v, 0), 1);
}

/* What a heat map shows of a cell; NULL: nothing (diverged). */
static const Point *shown_point(const Figure *f, const Cell *c)
{
    const Point *far = f->longest ? cell_longest(c) : NULL;
    return far ? far : c->n_points ? &c->point[0] : NULL;
}

static int data_heatmap(const Cells *s, Figure *f, Buf *b)
{
    int points = 0;
    if (f->longest) keep_drawn(s, f, true);
    buf_puts(b, "x,y,case,mixer,acc,scaled,text,ink\n");
    for (int y = 0; y < f->mixers; y++)
        for (int x = 0; x < f->cases; x++) {
            const Cell *c = cell_at(s, f->mixer[y], f->kase[x]);
            if (!c || !c->n_seeds) continue;
            const Point *p = shown_point(f, c);
            double acc = p ? p->acc : 0, v = p ? scaled(acc, p->chance) : 0;
            buf_printf(b, "%d,%d,", x + 1, y + 1);
            buf_csv(b, s->kase[f->kase[x]]);
            buf_puts(b, ",");
            buf_csv(b, s->mixer[f->mixer[y]]);
            put(b, acc);
            put(b, v);
            buf_printf(b, ",%.2f,%d\n", acc >= 0.995 && acc < 1 ? 0.99 : acc, v > 0.6 ? 0xffffff : 0x222222);
            points++;
        }
    int label = 0, below = 0;
    for (int y = 0; y < f->mixers; y++)
        label = text_width(s->mixer[f->mixer[y]]) > label ? text_width(s->mixer[f->mixer[y]]) : label;
    for (int x = 0; x < f->cases; x++)
        below = text_width(s->kase[f->kase[x]]) > below ? text_width(s->kase[f->kase[x]]) : below;
    f->width = 8 * label + 64 * f->cases + 110;
    f->height = 32 * f->mixers + 6 * below + 40;
    if (f->height < 250) f->height = 250;
    f->variables = "";
    return points;
}

static int by_len(const void *x, const void *y) { return ((const Point *)x)->len - ((const Point *)y)->len; }

/* Lengths in rising order; a slice of exactly the greatest training length stands for it better than the training
 * law, which may draw shorter ones. Returns their number. */
static int lengths_of(const Cell *c, Point *out)
{
    int n = 0;
    for (int i = 0; i < c->n_points; i++) {
        int j = 0;
        if (!c->point[i].by_length) continue;
        while (j < n && out[j].len != c->point[i].len) j++;
        out[j] = c->point[i];
        n += j == n;
    }
    qsort(out, (size_t)n, sizeof *out, by_len);
    return n;
}

static int data_length(const Cells *s, Figure *f, Buf *b)
{
    keep_drawn(s, f, true);
    Buf shown = buf_new(b->a);
    buf_puts(&shown, "SHOWN=\"");
    int points = 0, legend = 13, columns = f->cases <= 3 ? f->cases : f->cases == 4 ? 2 : 3;
    buf_puts(b, "case_no,mixer_no,case,mixer,len,acc,lo,hi,chance,train_len\n");
    for (int k = 0; k < f->cases; k++) {
        buf_puts(&shown, k ? "' '" : "'");
        for (int m = 0; m < f->mixers; m++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            const char *name = s->mixer[f->mixer[m]];
            if (text_width(name) > legend) legend = text_width(name);
            if (!c || !c->n_points) continue;
            buf_printf(&shown, "%d ", m + 1);
            Point *p = ARENA_NEW(b->a, Point, c->n_points);
            int n = lengths_of(c, p);
            for (int i = 0; i < n; i++, points++) {
                buf_printf(b, "%d,%d,", k + 1, m + 1);
                buf_csv(b, s->kase[f->kase[k]]);
                buf_puts(b, ",");
                buf_csv(b, name);
                buf_printf(b, ",%d", p[i].len);
                const double v[] = { p[i].acc, p[i].lo, p[i].hi, p[i].chance, c->point[0].len };
                for (int j = 0; j < 5; j++) put(b, v[j]);
                buf_puts(b, "\n");
            }
        }
    }
    int rows = (f->cases + columns - 1) / columns;
    legend = 10 * legend + 60;
    f->width = 55 + 265 * columns + legend;
    f->height = 40 + 210 * rows;
    f->variables = arena_printf(b->a, "ROWS=%d; COLS=%d; LEGEND=%d; %s'\"; ", rows, columns, legend, shown.s);
    return points;
}

typedef struct Sized {
    double state;
    const Cell *cell;
    int kase;
} Sized;

static int by_state(const void *x, const void *y)
{
    const Sized *a = x, *b = y;
    return (a->state > b->state) - (a->state < b->state);
}

static int data_state(const Cells *s, Figure *f, Buf *b)
{
    keep_drawn(s, f, false);
    double lo = (double)INFINITY, hi = 0;
    int points = 0, legend = 13;
    Sized *one = ARENA_NEW(b->a, Sized, f->cases);
    buf_puts(b, "mixer_no,mixer,case,state,acc,lo,hi,chance\n");
    for (int m = 0; m < f->mixers; m++) {
        int n = 0;
        for (int k = 0; k < f->cases; k++) {
            const Cell *c = cell_at(s, f->mixer[m], f->kase[k]);
            if (c && c->n_points && c->state > 0) one[n++] = (Sized){ c->state, c, f->kase[k] };
        }
        qsort(one, (size_t)n, sizeof *one, by_state);
        for (int i = 0; i < n; i++, points++) {
            const Point *p = &one[i].cell->point[0];
            lo = fmin(lo, one[i].state);
            hi = fmax(hi, one[i].state);
            const double v[] = { one[i].state, p->acc, p->lo, p->hi, p->chance };
            buf_printf(b, "%d,", m + 1);
            buf_csv(b, s->mixer[f->mixer[m]]);
            buf_puts(b, ",");
            buf_csv(b, s->kase[one[i].kase]);
            for (int j = 0; j < 5; j++) put(b, v[j]);
            buf_puts(b, "\n");
        }
        if (text_width(s->mixer[f->mixer[m]]) > legend) legend = text_width(s->mixer[f->mixer[m]]);
    }
    f->width = 400 + 10 * legend + 60;
    f->height = 60 + 21 * (f->mixers + 1);
    if (f->height < 340) f->height = 340;
    f->variables = arena_printf(b->a, "XMIN=%.9g; XMAX=%.9g; ", lo / 1.2, hi * 1.2);
    return points;
}

/* ---- figures of a config ---- */

/* Indices of the labels listed under key, all of them without it. */
static bool choose(const Value *map, const char *key, const char **label, int n, Arena *a, int **out, int *count,
                   Err *err)
{
    char place[256];
    const Value *list = value_get(map, key);
    *out = ARENA_NEW(a, int, n + (list ? list->count : 0));
    *count = 0;
    for (int i = 0; !list && i < n; i++) (*out)[(*count)++] = i;
    if (!list) return true;
    if (list->kind != VALUE_LIST)
        return err_set(err, EXIT_USAGE, "%s%s must be a list", value_place(list, false, place), key);
    for (const Value *v = list->first; v; v = v->next) {
        int i = 0;
        while (i < n && (v->kind != VALUE_SCALAR || strcmp(label[i], v->text))) i++;
        const char **names = ARENA_NEW(a, const char *, n + 1);
        memcpy(names, label, (size_t)n * sizeof *names);
        if (i == n) {
            const char *name = v->kind == VALUE_SCALAR ? v->text : "", *near = nearest_name(name, names);
            return err_set(err, EXIT_USAGE, "%sfigures: no '%s' among the %s of the results%s%s%s",
                           value_place(v, false, place), name, key, near ? " (did you mean '" : "", near ? near : "",
                           near ? "'?)" : "");
        }
        (*out)[(*count)++] = i;
    }
    return true;
}

static bool read_figure(const Value *map, const Cells *s, Arena *a, Figure *f, Err *err)
{
    static const char *const keys[] = { "kind", "name", "cases", "mixers", "at", NULL };
    char place[256];
    for (const Value *v = map->first; v; v = v->next) {
        int i = 0;
        while (keys[i] && (map->kind != VALUE_MAP || strcmp(v->key, keys[i]))) i++;
        if (!keys[i])
            return err_set(err, EXIT_USAGE, "%sfigures: unknown key '%s'; known: kind, name, cases, mixers, at",
                           value_place(v, true, place), v->key ? v->key : "");
    }
    const char *kind = value_text(map, "kind", "");
    int i = 0;
    while (kinds[i] && strcmp(kinds[i], kind)) i++;
    if (!kinds[i])
        return err_set(err, EXIT_USAGE, "%sfigures: kind '%s' is not one of heatmap, length, state",
                       value_place(map, false, place), kind);
    f->kind = kinds[i];
    const char *at = value_text(map, "at", "train");
    f->longest = !strcmp(at, "longest");
    if ((!f->longest && strcmp(at, "train")) || (f->longest && f->kind != kinds[0]))
        return err_set(err, EXIT_USAGE, "%sfigures: 'at' of a heatmap is train or longest",
                       value_place(value_get(map, "at"), false, place));
    f->name = value_text(map, "name", f->longest ? "heatmap-longest" : f->kind);
    if (f->name[strspn(f->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] || !*f->name)
        return err_set(err, EXIT_USAGE, "%sfigures: name '%s' may have letters, digits, '_' and '-'",
                       value_place(value_get(map, "name"), false, place), f->name);
    return choose(map, "cases", s->kase, s->cases, a, &f->kase, &f->cases, err) &&
           choose(map, "mixers", s->mixer, s->mixers, a, &f->mixer, &f->mixers, err);
}

static bool read_figures(const Cells *s, Arena *a, Figure **out, int *n, Err *err)
{
    const Value *list = s->figures;
    if (!list) {
        bool lengths = false;
        for (int i = 0; i < s->mixers * s->cases; i++) lengths = lengths || (s->cell[i] && cell_longest(s->cell[i]));
        const char *text =
            lengths ? "[{kind: heatmap}, {kind: heatmap, at: longest}, {kind: length}]" : "[{kind: heatmap}]";
        Value *own;
        TRY(yaml_parse(NULL, text, a, &own, err));
        list = own;
    }
    *n = 0;
    *out = ARENA_NEW(a, Figure, list->count);
    if (list->kind != VALUE_LIST) return err_set(err, EXIT_USAGE, "figures: must be a list");
    for (const Value *v = list->first; v; v = v->next) {
        TRY(read_figure(v, s, a, &(*out)[*n], err));
        for (int i = 0; i < *n; i++)
            if (!strcmp((*out)[i].name, (*out)[*n].name))
                return err_set(err, EXIT_USAGE, "figures: two are called '%s'; give them a name", (*out)[i].name);
        ++*n;
    }
    return true;
}

/* ---- gnuplot ---- */

/* A double-quoted gnuplot string. */
static void put_string(Buf *b, const char *name, const char *text)
{
    buf_printf(b, "%s=\"", name);
    for (; *text; text++) buf_printf(b, *text == '"' || *text == '\\' || *text == '`' ? "\\%c" : "%c", *text);
    buf_puts(b, "\"; ");
}

/* 'a' 'b c': gnuplot's words, with a typographic apostrophe inside. */
static void put_words(Buf *b, const char *name, const char **label, const int *index, int n)
{
    Buf words = buf_new(b->a);
    buf_puts(&words, "");
    for (int i = 0; i < n; i++) {
        buf_puts(&words, "'");
        for (const char *s = label[index[i]]; *s; s++)
            *s == '\'' ? buf_puts(&words, "’") : buf_printf(&words, "%c", *s);
        buf_puts(&words, "' ");
    }
    put_string(b, name, words.s);
}

/* Everything gnuplot writes on standard error, and its wait status. */
static bool run_gnuplot(const char *assignments, const char *script, Arena *a, Err *err)
{
    int ends[2], status = 0;
    char part[512];
    Buf said = buf_new(a);
    buf_puts(&said, "");
    fflush(stdout);
    if (pipe(ends)) return err_set(err, EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0) return err_set(err, EXIT_FAILED, "cannot start gnuplot: %s", strerror(errno));
    if (pid == 0) {
        setenv("LC_ALL", "C.UTF-8", 1); /* else `set encoding utf8` warns in the C locale */
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execlp("gnuplot", "gnuplot", "-e", assignments, script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], part, sizeof part - 1)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        part[n] = 0;
        buf_puts(&said, part);
    }
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, EXIT_FAILED, "gnuplot is not installed: apt-get install gnuplot-nox (or make deps)");
    if (status == 0 && !strstr(said.s, "arning")) return true;
    const char *text = said.s + strspn(said.s, "\n ");
    return err_set(err, EXIT_FAILED, "gnuplot %s: %.*s", script, (int)strcspn(text, "\n"),
                   *text ? text : "failed without a word");
}

static bool draw(const Cells *s, const Figure *f, const char *plots, const char *dir, const char *term, Arena *a,
                 Err *err)
{
    Buf b = buf_new(a);
    bool dumb = !strcmp(term, "dumb");
    int width = dumb ? term_width(1) : f->width,
        height = dumb ? (f->kind == kinds[0] ? 2 * f->mixers + 4 : 22) : f->height;
    const char *out = arena_printf(a, "%s/%s.%s", dir, f->name, term);
    put_string(&b, "DIR", plots);
    put_string(&b, "IN", arena_printf(a, "%s/%s.csv", dir, f->name));
    put_string(&b, "OUT", dumb ? "" : out);
    put_string(&b, "TERM", term);
    buf_printf(&b, "WIDTH=%d; HEIGHT=%d; %s", width, height, f->variables);
    put_words(&b, "MIXERS", s->mixer, f->mixer, f->mixers);
    put_words(&b, "CASES", s->kase, f->kase, f->cases);
    TRY(run_gnuplot(b.s, arena_printf(a, "%s/%s.gp", plots, f->kind), a, err));
    if (!dumb) printf("%s\n", out);
    return true;
}

static bool make_figure(const Cells *s, Figure *f, const char *plots, const char *dir, const char *term, Arena *a,
                        Err *err)
{
    Buf b = buf_new(a);
    int points = f->kind == kinds[0]   ? data_heatmap(s, f, &b)
                 : f->kind == kinds[1] ? data_length(s, f, &b)
                                       : data_state(s, f, &b);
    const char *path = arena_printf(a, "%s/%s.csv", dir, f->name);
    if (!points)
        return err_set(err, EXIT_FAILED, "figure %s: nothing to draw%s", f->name,
                       f->kind == kinds[1] ? " (no case was evaluated at several lengths)" : " (no finished runs)");
    TRY(dir_make(dir, err) && file_write_atomic(path, b.s, b.len, err));
    if (term) return draw(s, f, plots, dir, term, a, err);
    printf("%s\n", path);
    return draw(s, f, plots, dir, "svg", a, err) && draw(s, f, plots, dir, "png", a, err);
}

static int run(Cli *c, Err *err)
{
    static const char *const terms[] = { "svg", "png", "dumb" };
    Cells s;
    Figure *figure;
    int n, known = 0;
    const char *term = cli_string(c, "term"), *plots = cli_string(c, "plots");
    for (int i = 0; i < 3; i++) known += term && !strcmp(term, terms[i]);
    if (c->n_args != 1 || c->n_sets)
        err_set(err, EXIT_USAGE, "usage: seqprobe plot %s", c->command->synopsis);
    else if (term && !known)
        err_set(err, EXIT_USAGE, "--term: '%s' is not one of svg, png, dumb", term);
    else if (!file_exists(path_join(c->arena, plots, "style.gp")))
        err_set(err, EXIT_USAGE, "no %s/style.gp: run seqprobe in the source tree or give --plots DIR", plots);
    if (err->code || !cells_read(c->args[0], cli_string(c, "results"), c->arena, &s, err)) return EXIT_USAGE;
    if (!read_figures(&s, c->arena, &figure, &n, err)) return EXIT_USAGE;
    const char *dir = path_join(c->arena, s.dir, "figures");
    for (int i = 0; i < n; i++)
        if (!make_figure(&s, &figure[i], plots, dir, term, c->arena, err)) return EXIT_FAILED;
    return EXIT_OK;
}

static const Flag flags[] = {
    { "term", 0, FLAG_STRING, NULL, "TERM", "svg, png, or dumb (draws on the terminal); default: svg and png" },
    { "results", 0, FLAG_STRING, "results", "DIR", "where the sweep's folder is" },
    { "plots", 0, FLAG_STRING, "plots", "DIR", "where the gnuplot scripts are" },
    FLAG_END,
};

const Command command_plot = {
    .name = "plot",
    .synopsis = "CONFIG | NAME [--term TERM]",
    .summary = "figures, and the CSVs they are drawn from",
    .description =
        "examples:\n"
        "  seqprobe plot configs/quick.yaml\n"
        "  seqprobe plot quick --term dumb\n"
        "\n"
        "Writes DIR/NAME/figures/*.csv, exactly the numbers drawn, and draws them with gnuplot and plots/*.gp.\n"
        "`figures:` in a config chooses: [{kind: heatmap}, {kind: length, cases: [...]}, {kind: state, cases: "
        "[...]}].\n",
    .flags = flags,
    .run = run,
};
