/* SPDX-License-Identifier: Apache-2.0
 * figures.c - which figures a config asks for, and their files: NAME.csv (exactly the numbers drawn), NAME.txt (the
 * caption), and NAME.svg, .png, .pdf drawn from the CSV by plots/KIND.gp.
 *
 *   figures: [{kind: heatmap, at: longest}, {kind: length, cases: [a, b], mixers: [x, y], name: mine}]
 *
 * Every figure may choose cases and mixers by label and have a name; a kind may have a key of its own (`at`, `x`, `y`).
 * Without `figures:` those kinds are drawn that the results have something for. Columns: figure_table.c,
 * figure_lines.c, figure_runs.c. Fails for unknown keys and labels (exit 2), for a gnuplot that is missing or warns,
 * and when there is nothing to draw at all (exit 1).
 */
#include "show/figures.h"

#include <stdlib.h>
#include <string.h>

#include "show/figure_parts.h"

static const FigureKind figure_kinds[] = {
    { "heatmap", "at", { "train", "longest" }, "no finished runs", data_heatmap, fits_heatmap },
    { "length", NULL, { "" }, "no case was evaluated at several lengths", data_length, fits_length },
    { "state", NULL, { "" }, "no finished runs", data_state, fits_state },
    { "solved", "at", { "train", "longest" }, "no finished runs", data_solved, fits_solved },
    { "curves", "y", { "accuracy", "loss" }, "no curve.csv of its runs", data_curves, fits_curves },
    { "cost", "x", { "cpu", "flops" }, "no timing.csv or result.csv of its runs", data_cost, fits_cost },
};
enum { KINDS = sizeof figure_kinds / sizeof *figure_kinds };

const char *figures_kinds(Arena *a)
{
    Buf b = buf_new(a);
    for (int i = 0; i < KINDS; i++) buf_printf(&b, "%s%s", i ? ", " : "", figure_kinds[i].name);
    return b.s;
}

/* ---- figures of a config ---- */

/* Indices of the labels listed under key, all of them without it. */
static bool choose(const Value *map, const char *key, const char **label, int n, Arena *a, int **out, int *count,
                   Err *err)
{
    char place[256];
    const Value *list = value_get(map, key);
    *out = ARENA_NEW(a, int, n + (list ? list->count : 0) + 1);
    *count = 0;
    for (int i = 0; !list && i < n; i++) (*out)[(*count)++] = i;
    if (!list) return true;
    if (list->kind != VALUE_LIST)
        return err_set(err, EXIT_USAGE, "%sfigures: '%s' must be a list of labels", value_place(list, false, place),
                       key);
    for (const Value *v = list->first; v; v = v->next) {
        int i = 0;
        while (i < n && (v->kind != VALUE_SCALAR || strcmp(label[i], v->text))) i++;
        if (i == n) {
            const char **names = ARENA_NEW(a, const char *, n + 1);
            memcpy(names, label, (size_t)n * sizeof *names);
            const char *name = v->kind == VALUE_SCALAR ? v->text : "", *near = nearest_name(name, names);
            return err_set(err, EXIT_USAGE, "%sfigures: no '%s' among the %s of the results%s%s%s",
                           value_place(v, false, place), name, key, near ? " (did you mean '" : "", near ? near : "",
                           near ? "'?)" : "");
        }
        (*out)[(*count)++] = i;
    }
    return true;
}

static bool check_keys(const Value *map, Err *err)
{
    char place[256];
    const char *keys[5 + KINDS] = { "kind", "name", "cases", "mixers" };
    int n = 4;
    for (int k = 0; k < KINDS; k++) {
        int i = 0;
        while (figure_kinds[k].key && i < n && strcmp(keys[i], figure_kinds[k].key)) i++;
        if (figure_kinds[k].key && i == n) keys[n++] = figure_kinds[k].key;
    }
    if (map->kind != VALUE_MAP)
        return err_set(err, EXIT_USAGE, "%sfigures: a figure is a map such as {kind: heatmap}",
                       value_place(map, false, place));
    for (const Value *v = map->first; v; v = v->next) {
        int i = 0;
        while (i < n && strcmp(v->key, keys[i])) i++;
        const char *near = i == n ? nearest_name(v->key, keys) : NULL;
        if (i == n)
            return err_set(err, EXIT_USAGE, "%sfigures: unknown key '%s'%s%s%s", value_place(v, true, place), v->key,
                           near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    return true;
}

/* The kind and its own key. */
static bool read_kind(const Value *map, Arena *a, Figure *f, Err *err)
{
    char place[256];
    const char *kind = value_text(map, "kind", ""), *names[KINDS + 1] = { NULL };
    for (int i = 0; i < KINDS; i++) {
        names[i] = figure_kinds[i].name;
        if (!strcmp(kind, names[i])) f->kind = &figure_kinds[i];
    }
    const char *near = f->kind ? NULL : nearest_name(kind, names);
    if (!f->kind)
        return err_set(err, EXIT_USAGE, "%sfigures: kind '%s' is not one of %s%s%s%s", value_place(map, false, place),
                       kind, figures_kinds(a), near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    for (int i = 0; i < KINDS; i++) {
        const char *key = figure_kinds[i].key;
        if (key && value_get(map, key) && (!f->kind->key || strcmp(key, f->kind->key)))
            return err_set(err, EXIT_USAGE, "%sfigures: kind %s has no '%s'",
                           value_place(value_get(map, key), true, place), kind, key);
    }
    if (!f->kind->key || !value_get(map, f->kind->key)) return true;
    const char *text = value_text(map, f->kind->key, "");
    while (f->kind->choice[f->choice] && strcmp(text, f->kind->choice[f->choice])) f->choice++;
    if (f->kind->choice[f->choice]) return true;
    Buf known = buf_new(a);
    for (int i = 0; f->kind->choice[i]; i++) buf_printf(&known, "%s%s", i ? " or " : "", f->kind->choice[i]);
    return err_set(err, EXIT_USAGE, "%sfigures: '%s' of kind %s is %s, not '%s'",
                   value_place(value_get(map, f->kind->key), false, place), f->kind->key, kind, known.s, text);
}

static bool read_figure(const Value *map, const Cells *s, Arena *a, Figure *f, Err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char place[256];
    TRY(check_keys(map, err) && read_kind(map, a, f, err));
    const char *own = f->choice ? arena_printf(a, "%s-%s", f->kind->name, f->kind->choice[f->choice]) : f->kind->name;
    f->name = value_text(map, "name", own);
    if (f->name[strspn(f->name, letters)] || !*f->name)
        return err_set(err, EXIT_USAGE, "%sfigures: name '%s' may have letters, digits, '_' and '-'",
                       value_place(value_get(map, "name"), false, place), f->name);
    return choose(map, "cases", s->kase, s->cases, a, &f->kase, &f->cases, err) &&
           choose(map, "mixers", s->mixer, s->mixers, a, &f->mixer, &f->mixers, err);
}

/* What a config that lists none gets. */
static const Value *default_figures(const Cells *s, Arena *a)
{
    Value *list = value_list(a);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 4 && figure_kinds[k].choice[i]; i++) {
            if (!figure_kinds[k].fits(s, i)) continue;
            Value *map = value_map(a);
            value_set(map, "kind", value_scalar(a, figure_kinds[k].name));
            if (figure_kinds[k].key) value_set(map, figure_kinds[k].key, value_scalar(a, figure_kinds[k].choice[i]));
            value_append(list, map);
        }
    return list;
}

static bool read_figures(const Cells *s, Arena *a, Figure **out, int *n, Err *err)
{
    char place[256];
    const Value *list = s->figures ? s->figures : default_figures(s, a);
    *n = 0;
    *out = ARENA_NEW(a, Figure, list->count + 1);
    if (list->kind != VALUE_LIST)
        return err_set(err, EXIT_USAGE, "%sfigures: must be a list such as [{kind: heatmap}]",
                       value_place(list, false, place));
    for (const Value *v = list->first; v; v = v->next) {
        TRY(read_figure(v, s, a, &(*out)[*n], err));
        for (int i = 0; i < *n; i++)
            if (!strcmp((*out)[i].name, (*out)[*n].name))
                return err_set(err, EXIT_USAGE, "%sfigures: two are called '%s'; give them a name",
                               value_place(v, false, place), (*out)[i].name);
        ++*n;
    }
    return true;
}

static bool find_figure(const Figure *f, int n, const char *name, Arena *a, int *at, Err *err)
{
    const char **names = ARENA_NEW(a, const char *, n + 1);
    Buf known = buf_new(a);
    buf_puts(&known, "");
    for (*at = 0; *at < n && strcmp(f[*at].name, name); ++*at) {
        names[*at] = f[*at].name;
        buf_printf(&known, "%s%s", *at ? ", " : "", names[*at]);
    }
    if (*at < n) return true;
    const char *near = nearest_name(name, names);
    return near ? err_set(err, EXIT_USAGE, "no figure '%s' (did you mean '%s'?)", name, near)
                : err_set(err, EXIT_USAGE, "no figure '%s'; there are: %s", name, known.s);
}

/* ---- drawing ---- */

/* What tells mixers apart in every figure of this sweep: the mixer's name and how many rows of it came before. */
static void set_looks(const Cells *s, const Figure *f, bool dumb, Buf *b)
{
    const char **label = ARENA_NEW(b->a, const char *, f->mixers), **name = ARENA_NEW(b->a, const char *, f->mixers);
    Buf variants = buf_new(b->a), numbers = buf_new(b->a);
    for (int i = 0; i < f->mixers; i++) {
        int m = f->mixer[i], variant = 0;
        label[i] = shortened(b->a, s->mixer[m], dumb ? LABEL_DUMB : LABEL_MAX);
        name[i] = s->mixer_name[m];
        for (int k = 0; k < m; k++) variant += !strcmp(s->mixer_name[k], name[i]);
        buf_printf(&variants, "%d ", variant);
        buf_printf(&numbers, "%d ", m + 1);
    }
    set_words(b, "MIXERS", label, f->mixers);
    set_words(b, "NAMES", name, f->mixers);
    set_text(b, "VARIANTS", variants.s);
    set_text(b, "NUMBERS", numbers.s);
}

static bool draw(const Cells *s, const Figure *f, const char *scripts, const char *stem, const char *term, Arena *a,
                 Err *err)
{
    Buf b = buf_new(a);
    bool dumb = !strcmp(term, "dumb");
    set_text(&b, "DIR", scripts);
    set_text(&b, "IN", arena_printf(a, "%s.csv", stem));
    set_text(&b, "OUT", dumb ? "" : arena_printf(a, "%s.%s", stem, term));
    set_text(&b, "TERM", term);
    buf_printf(&b, "WIDTH=%d; HEIGHT=%d; ", dumb ? term_width(1) - 1 : f->width, dumb ? f->rows : f->height);
    buf_puts(&b, f->variables.s);
    set_looks(s, f, dumb, &b);
    return gnuplot_run(b.s, arena_printf(a, "%s/%s.gp", scripts, f->kind->name), a, err);
}

static void print_caption(const Figure *f, Arena *a)
{
    Buf b = buf_new(a);
    buf_wrap(&b, arena_printf(a, "%s: %s", f->name, f->caption), term_width(1) - 1);
    if (f->note) buf_wrap(&b, f->note, term_width(1) - 1);
    fputs(b.s, stdout);
}

/* Writes and draws one figure; *drawn is false if it had nothing to show. */
static bool make_figure(const Cells *s, Figure *f, int formats, const char *scripts, Arena *a, Drawn *out, bool *drawn,
                        Err *err)
{
    static const char *const terms[] = { "svg", "png", "pdf", "dumb" };
    Buf csv = buf_new(a);
    const char *dir = path_join(a, s->dir, "figures"), *stem = path_join(a, dir, f->name);
    f->variables = buf_new(a);
    buf_puts(&f->variables, "");
    f->rows = 24;
    TRY(f->kind->data(s, f, &csv, err));
    *drawn = f->points > 0;
    if (!*drawn) return true;
    Buf text = buf_new(a);
    buf_wrap(&text, f->caption, 100);
    TRY(dir_make(dir, err) && file_write_atomic(arena_printf(a, "%s.csv", stem), csv.s, csv.len, err) &&
        file_write_atomic(arena_printf(a, "%s.txt", stem), text.s, text.len, err));
    if (formats & DRAW_DUMB) print_caption(f, a);
    for (int i = 0; i < 4; i++)
        if (formats & 1 << i) TRY(draw(s, f, scripts, stem, terms[i], a, err));
    *out = (Drawn){ f->kind->name, f->name, f->caption, stem };
    return true;
}

bool figures_draw_from(const Cells *s, int formats, const char *scripts, const char *only, Arena *a, int *n,
                       Drawn **out, Err *err)
{
    Figure *figure;
    int all, at = 0;
    if (!scripts) scripts = path_dir(a, data_find(a, "plots/style.gp"));
    if (!file_exists(path_join(a, scripts, "style.gp")))
        return err_set(err, EXIT_USAGE, "no %s/style.gp: run seqprobe in the source tree or give --plots DIR", scripts);
    TRY(read_figures(s, a, &figure, &all, err));
    if (only) TRY(find_figure(figure, all, only, a, &at, err));
    *out = ARENA_NEW(a, Drawn, all + 1);
    *n = 0;
    for (int i = only ? at : 0; i < (only ? at + 1 : all); i++) {
        bool drawn = false;
        TRY(make_figure(s, &figure[i], formats, scripts, a, &(*out)[*n], &drawn, err));
        *n += drawn;
        if (!drawn && (only || all == 1))
            return err_set(err, EXIT_FAILED, "figure %s: nothing to draw (%s)", figure[i].name, figure[i].kind->empty);
        if (!drawn)
            fprintf(stderr, "seqprobe: note: figure %s: nothing to draw (%s)\n", figure[i].name, figure[i].kind->empty);
    }
    return *n || err_set(err, EXIT_FAILED, "%s: no figure has anything to draw", s->name);
}

bool figures_draw(const Cells *s, int formats, Arena *a, int *n, Drawn **out, Err *err)
{
    return figures_draw_from(s, formats, NULL, NULL, a, n, out, err);
}
