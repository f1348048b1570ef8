/* SPDX-License-Identifier: Apache-2.0
 * facts.c - read DIR/SOURCE.csv, choose one row, turn what was printed into a number.
 *
 * units   share, percent, error_percent: an accuracy (or what is missing to one); scaled, scaled_percent:
 *         (acc - chance) / (1 - chance); steps, layers, factors: counts; text: no number
 * value   as printed; a number may be a bound: >=99
 * spread  a standard deviation over `seeds`, or (mad) a median absolute deviation, taken as 1.4826 of it; with them
 *         the 95 % interval of the printed value is Student's t, as for ours
 */
#include "show/facts.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan_parts.h"

static const char *const columns[] = { "source",   "arxiv",     "place",       "task",  "setting",
                                       "model",    "metric",    "value",       "unit",  "over",
                                       "seeds",    "spread",    "spread_kind", "state", "train_len",
                                       "eval_len", "secondary", "notes",       NULL };

typedef struct Unit {
    const char *name, *suffix;
    double per; /* 0: not an accuracy */
    bool scaled, error;
} Unit;
static const Unit units[] = {
    { "share", "", 1, false, false },
    { "percent", " %", 100, false, false },
    { "error_percent", " % error", 100, false, true },
    { "scaled", "", 1, true, false },
    { "scaled_percent", " %", 100, true, false },
    { "steps", " steps", 0, false, false },
    { "layers", " layers", 0, false, false },
    { "factors", " factors", 0, false, false },
    { "text", "", 0, false, false },
};
enum { UNITS = sizeof units / sizeof units[0] };

static const Unit *unit_of(const char *name)
{
    for (int i = 0; i < UNITS; i++)
        if (!strcmp(units[i].name, name)) return &units[i];
    return NULL;
}

/* "97.7" or, with *bound, ">=99". */
static bool read_value(const char *text, double *out, bool *bound)
{
    *bound = !strncmp(text, ">=", 2);
    if (*bound) text += 2;
    if (!text_is_number(text)) return false;
    *out = strtod(text, NULL);
    return true;
}

static bool is_one_of(const char *s, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(*names, s)) return true;
    return false;
}

static bool check_row(const Csv *csv, int r, const char *path, Err *err)
{
    static const char *const overs[] = { "", "best", "median", "mean", NULL }, *const kinds[] = { "std", "mad", NULL };
    double x;
    bool bound;
    const char *unit = csv_get(csv, r, "unit"), *value = csv_get(csv, r, "value"), *spread = csv_get(csv, r, "spread");
    const char *seeds = csv_get(csv, r, "seeds"), *secondary = csv_get(csv, r, "secondary"), *bad = NULL;
    static const char *const filled[] = { "source", "place", "task", "model", "metric", "value", NULL };
    for (int i = 0; filled[i] && !bad; i++)
        if (!*csv_get(csv, r, filled[i])) bad = filled[i];
    if (!bad && strcmp(csv_get(csv, r, "source"), csv_get(csv, 0, "source")) != 0) bad = "source";
    if (!bad && !unit_of(unit)) bad = "unit";
    if (!bad && strcmp(unit, "text") != 0 && !read_value(value, &x, &bound)) bad = "value";
    if (!bad && !is_one_of(csv_get(csv, r, "over"), overs)) bad = "over";
    if (!bad && *seeds && strspn(seeds, "0123456789") != strlen(seeds)) bad = "seeds";
    if (!bad && *spread && !text_is_number(spread)) bad = "spread";
    if (!bad && *spread && !is_one_of(csv_get(csv, r, "spread_kind"), kinds)) bad = "spread_kind";
    if (!bad && strcmp(secondary, "0") != 0 && strcmp(secondary, "1") != 0) bad = "secondary";
    if (!bad) return true;
    return err_set(err, EXIT_FAILED, "%s: fact %d: '%s' is not what README.md there asks for: '%.80s'", path, r + 1,
                   bad, csv_get(csv, r, bad));
}

static int compare(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

const char **facts_sources(const char *dir, Arena *a)
{
    int n = 0, cap = 16;
    const char **names = ARENA_NEW(a, const char *, cap + 1);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len < 5 || strcmp(e->d_name + len - 4, ".csv") != 0) continue;
        if (n == cap) {
            const char **more = ARENA_NEW(a, const char *, 2 * cap + 1);
            memcpy(more, names, (size_t)n * sizeof *names);
            names = more;
            cap *= 2;
        }
        names[n++] = arena_printf(a, "%.*s", (int)(len - 4), e->d_name);
    }
    if (d) closedir(d);
    qsort(names, (size_t)n, sizeof *names, compare);
    return names;
}

bool facts_read(const char *dir, const char *source, Arena *a, Facts *out, Err *err)
{
    const char *path = arena_printf(a, "%s/%s.csv", dir, source);
    out->id = source;
    TRY(csv_read(path, a, &out->csv, err));
    for (int i = 0; columns[i]; i++)
        if (i >= out->csv.cols || strcmp(columns[i], out->csv.head[i]) != 0)
            return err_set(err, EXIT_FAILED, "%s: column %d must be '%s'", path, i + 1, columns[i]);
    for (int r = 0; r < out->csv.rows; r++) TRY(check_row(&out->csv, r, path, err));
    return true;
}

/* In our unit; the interval from the spread, if any. */
static void read_number(const Csv *csv, int r, const Unit *unit, Fact *f)
{
    double value = 0, half = 0, seeds = csv_num(csv, r, "seeds"), spread = csv_num(csv, r, "spread");
    f->value = f->interval.lo = f->interval.hi = (double)NAN;
    if (unit->per <= 0 || !read_value(csv_get(csv, r, "value"), &value, &f->bound)) return;
    f->value = unit->error ? 1 - value / unit->per : value / unit->per;
    if (f->bound) f->interval = (Interval){ f->value, 1 };
    if (isnan(spread) || !(seeds >= 2)) return;
    if (!strcmp(csv_get(csv, r, "spread_kind"), "mad")) spread *= 1.4826;
    half = student_t95((int)seeds - 1) * spread / unit->per / sqrt(seeds);
    f->interval = (Interval){ f->value - half, fmin(f->value + half, 1) };
}

Fact fact_at(const Facts *facts, int r, Arena *a)
{
    const Csv *csv = &facts->csv;
    const Unit *unit = unit_of(csv_get(csv, r, "unit"));
    const char *arxiv = csv_get(csv, r, "arxiv"), *value = csv_get(csv, r, "value"), *suffix = unit->suffix;
    Fact f = { .source = csv_get(csv, r, "source"),
               .place = csv_get(csv, r, "place"),
               .model = csv_get(csv, r, "model"),
               .setting = csv_get(csv, r, "setting"),
               .metric = csv_get(csv, r, "metric"),
               .over = csv_get(csv, r, "over"),
               .train_len = csv_get(csv, r, "train_len"),
               .eval_len = csv_get(csv, r, "eval_len"),
               .notes = csv_get(csv, r, "notes"),
               .scaled = unit->scaled,
               .secondary = !strcmp(csv_get(csv, r, "secondary"), "1") };
    if (*arxiv) f.source = arena_printf(a, "%s (%s)", f.source, arxiv);
    if (unit->per <= 0 && !strcmp(value, "1") && *suffix)
        f.printed = arena_printf(a, "1%.*s", (int)strlen(suffix) - 1, suffix); /* 1 layer */
    else
        f.printed = arena_printf(a, "%s%s", value, suffix);
    read_number(csv, r, unit, &f);
    return f;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

static const char *cell_of(const Csv *csv, int r, int pick) { return csv_get(csv, r, pick_names[pick]); }

static bool picked(const Csv *csv, int r, int pick, const char *text)
{
    const char *cell = cell_of(csv, r, pick);
    if (pick != PICK_SETTING) return !strcmp(cell, text);
    for (const char *at = cell; (at = strstr(at, text)); at++)
        if (at == cell || at[-1] == ' ') return true; /* from the beginning of a word */
    return false;
}

/* The distinct values of a column among the rows still in play. */
static const char **values_of(const Csv *csv, const bool *in, int pick, Arena *a, int *n)
{
    const char **out = ARENA_NEW(a, const char *, csv->rows + 1);
    *n = 0;
    for (int r = 0; r < csv->rows; r++) {
        bool seen = !in[r];
        for (int i = 0; i < *n && !seen; i++) seen = !strcmp(out[i], cell_of(csv, r, pick));
        if (!seen) out[(*n)++] = cell_of(csv, r, pick);
    }
    return out;
}

static bool fail_none(const Facts *f, const Counterpart *c, int pick, const bool *in, Arena *a, Err *err)
{
    int n;
    char text[96];
    const char **values = values_of(&f->csv, in, pick, a, &n);
    const char *near = name_hint(c->pick[pick], values, text);
    if (!*near && n == 1 && *values[0]) near = arena_printf(a, " (it is '%.120s')", values[0]);
    return fail_at(err, c->pick_at[pick], c->pick_is_key[pick], "published: %s has no %s '%s'%s%s", f->id,
                   pick_names[pick], c->pick[pick], pick ? " where the other keys hold" : "", near);
}

/* Several rows: name the first column that tells them apart. */
static bool fail_several(const Facts *f, const Counterpart *c, const bool *in, int left, Arena *a, Err *err)
{
    for (int pick = 0; pick < PICKS; pick++) {
        int n;
        const char **values = values_of(&f->csv, in, pick, a, &n);
        if (n < 2) continue;
        return fail_at(err, c->pick_at[PICK_MODEL], c->pick_is_key[PICK_MODEL],
                       "published: %d facts of %s fit; add '%s' ('%.80s', '%.80s'%s)", left, f->id, pick_names[pick],
                       values[0], values[1], n > 2 ? ", ..." : "");
    }
    return fail_at(err, c->pick_at[PICK_MODEL], c->pick_is_key[PICK_MODEL],
                   "published: %d facts of %s are the same: %s.csv needs a row less", left, f->id, f->id);
}

bool fact_find(const Facts *f, const Counterpart *c, Arena *a, Fact *out, Err *err)
{
    const Csv *csv = &f->csv;
    bool *in = ARENA_NEW(a, bool, csv->rows + 1);
    int left = csv->rows, found = 0;
    for (int r = 0; r < csv->rows; r++) in[r] = true;
    for (int pick = 0; pick < PICKS; pick++) {
        int stay = 0;
        if (!c->pick[pick]) continue;
        for (int r = 0; r < csv->rows; r++) stay += in[r] && picked(csv, r, pick, c->pick[pick]);
        if (!stay) return fail_none(f, c, pick, in, a, err);
        for (int r = 0; r < csv->rows; r++) in[r] = in[r] && picked(csv, r, pick, c->pick[pick]);
        left = stay;
    }
    if (left > 1) return fail_several(f, c, in, left, a, err);
    while (!in[found]) found++;
    *out = fact_at(f, found, a);
    return true;
}
