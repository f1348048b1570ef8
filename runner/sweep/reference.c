/* SPDX-License-Identifier: Apache-2.0
 * reference.c - fresh results against those that were kept: the means over seeds of two selected.csv, row by row.
 *
 *   tolerance = 3 sqrt(v + v'),   v = max(sd^2 / n_seeds, w^2) of either side,   w = (hi - lo) / (2 * 1.96)
 *
 * sd is the standard deviation over seeds and [lo, hi] the Wilson interval of the pooled seeds, so that a cell in which
 * every seed has 1.000 still has the error of its test set. With one seed that error is all there is: such a row holds
 * on the machine class that made it (where the numbers are the same) and says little elsewhere. Never below 1e-9, the
 * digits of the file.
 *
 * reference.csv: case, mixer, axes, slice, metric, value, reference, difference, tolerance, n_seeds,
 * reference_seeds, verdict (holds, fell, missing, new). A row that only the reference has falls, unless settings have
 * narrowed the plan; one that only the fresh results have is named and skipped.
 */
#include <math.h>
#include <string.h>

#include "sweep/verdicts.h"

#define LEAST 1e-9
#define Z95   1.959963984540054

typedef struct Side {
    Csv csv;
    const char **key, **name; /* of each row: what must agree; "parity/lstm x1" */
} Side;

typedef struct Compare {
    const Plan *plan;
    Side fresh, kept;
    bool exact;
    int n;
    Verdict *verdict;
    Buf table;
    Arena *a;
} Compare;

static bool side_read(const char *path, const char *text, Arena *a, Side *s, Err *err)
{
    TRY(text ? csv_parse(path, text, a, &s->csv, err) : csv_read(path, a, &s->csv, err));
    const Csv *c = &s->csv;
    const int mixer = csv_col(c, "mixer"), lr = csv_col(c, "lr");
    if (csv_col(c, "case") != 0 || mixer != 1 || lr < 2 || csv_col(c, "slice") < 0 || csv_col(c, "mean") < 0)
        return err_set(err, EXIT_FAILED, "%s: not a selected.csv", path);
    s->key = ARENA_NEW(a, const char *, c->rows + 1);
    s->name = ARENA_NEW(a, const char *, c->rows + 1);
    for (int r = 0; r < c->rows; r++) {
        Buf key = buf_new(a), name = buf_new(a);
        const char *slice = csv_get(c, r, "slice");
        buf_printf(&name, "%s/%s", c->cell[r][0], c->cell[r][mixer]);
        for (int k = 2; k < lr; k++)
            if (*c->cell[r][k]) buf_printf(&name, " %s=%s", c->head[k], c->cell[r][k]);
        for (int k = 0; k < lr; k++) buf_printf(&key, "%s=%s\n", c->head[k], c->cell[r][k]);
        buf_puts(&key, slice);
        if (*slice) buf_printf(&name, " %s", slice);
        s->key[r] = key.s;
        s->name[r] = name.s;
    }
    return true;
}

/* Squared standard error of a row's mean; sd is used where the row has none of its own. */
static double variance(const Csv *c, int r, double sd)
{
    const double n = csv_num(c, r, "n_seeds"), own = csv_num(c, r, "sd");
    const double w = (csv_num(c, r, "hi") - csv_num(c, r, "lo")) / (2 * Z95);
    const double seeds = isnan(own) ? sd * sd / n : own * own / n;
    return isnan(seeds) || w * w > seeds ? w * w : seeds;
}

static double tolerance_of(const Compare *c, int fresh, int kept)
{
    const Csv *f = &c->fresh.csv, *k = &c->kept.csv;
    if (c->exact) return LEAST;
    const double t = 3 * sqrt(variance(f, fresh, csv_num(k, kept, "sd")) + variance(k, kept, csv_num(f, fresh, "sd")));
    return t > LEAST ? t : LEAST; /* also without intervals */
}

static void put_row(Compare *c, const Csv *csv, int r, const char *metric, const double value[4], const int seeds[2],
                    const char *verdict)
{
    Buf *b = &c->table;
    const int lr = csv_col(csv, "lr");
    for (int k = 0; k < lr; k++) {
        buf_csv(b, csv->cell[r][k]);
        buf_puts(b, ",");
    }
    buf_csv(b, csv_get(csv, r, "slice"));
    buf_printf(b, ",%s", metric);
    for (int i = 0; i < 4; i++) {
        buf_puts(b, ",");
        buf_real(b, value[i]);
    }
    buf_printf(b, ",%d,%d,%s\n", seeds[0], seeds[1], verdict);
}

static int seeds_of(const Csv *c, int r)
{
    const double n = csv_num(c, r, "n_seeds");
    return n > 0 ? (int)n : 0;
}

/* A row of both sides. */
static void compare_rows(Compare *c, int f, int k)
{
    const Csv *fresh = &c->fresh.csv, *kept = &c->kept.csv;
    const char *metric = csv_get(fresh, f, "metric"), *old = csv_get(kept, k, "metric");
    const double x = csv_num(fresh, f, "mean"), y = csv_num(kept, k, "mean"), t = tolerance_of(c, f, k);
    const int seeds[] = { seeds_of(fresh, f), seeds_of(kept, k) };
    const bool same = !strcmp(metric, old), none = isnan(x) && isnan(y);
    const bool ok = same && (none ? seeds[0] > 0 && seeds[1] > 0 : fabs(x - y) <= t);
    Verdict v = { .kind = ok ? VERDICT_HOLDS : VERDICT_FELL, .value = x, .least = y - t, .most = y + t };
    v.what = *metric ? arena_printf(c->a, "%s %s", c->fresh.name[f], metric) : c->fresh.name[f];
    if (!same)
        v.measured = arena_printf(c->a, "measured by %s, the reference by %s", metric, old);
    else if (none)
        v.measured = ok ? "no seed was tested, as in the reference" : "no finished run";
    else
        v.measured = arena_printf(c->a, "mean %s, reference %s, difference %+.2g, tolerance %.2g (%d and %d seeds)%s",
                                  value_digits(x, c->a), value_digits(y, c->a), x - y, t, seeds[0], seeds[1],
                                  !c->exact && seeds[0] < 2 && seeds[1] < 2
                                      ? "; of one seed, which tells little of another machine"
                                      : "");
    const double value[] = { x, y, x - y, t };
    put_row(c, fresh, f, metric, value, seeds, ok ? "holds" : "fell");
    c->verdict[c->n++] = v;
}

/* A row of one side alone: of the reference, or of the fresh results. */
static void lone_row(Compare *c, const Side *side, int r, bool kept)
{
    const double none = (double)NAN, mean = csv_num(&side->csv, r, "mean");
    const int n = seeds_of(&side->csv, r), seeds[] = { kept ? 0 : n, kept ? n : 0 };
    const double value[] = { kept ? none : mean, kept ? mean : none, none, none };
    const bool falls = kept && !c->plan->narrowed;
    if (n == 0) return; /* an empty row beside nothing */
    c->verdict[c->n++] = (Verdict){ .kind = falls ? VERDICT_FELL : VERDICT_SKIPPED,
                                    .what = side->name[r],
                                    .measured = !kept   ? "not in the reference"
                                                : falls ? "in the reference, not in the results"
                                                        : "",
                                    .value = value[0],
                                    .least = none,
                                    .most = none };
    put_row(c, &side->csv, r, csv_get(&side->csv, r, "metric"), value, seeds, kept ? "missing" : "new");
}

static int row_of(const Side *side, const char *key)
{
    for (int r = 0; r < side->csv.rows; r++)
        if (strcmp(side->key[r], key) == 0) return r;
    return -1;
}

static bool compare_all(Compare *c, const char *kept_path, Err *err)
{
    int both = 0;
    const Csv *fresh = &c->fresh.csv, *kept = &c->kept.csv;
    c->verdict = ARENA_NEW(c->a, Verdict, fresh->rows + kept->rows + 1);
    c->table = buf_new(c->a);
    for (int k = 0; k < csv_col(fresh, "lr"); k++) buf_printf(&c->table, "%s,", fresh->head[k]);
    buf_puts(&c->table, "slice,metric,value,reference,difference,tolerance,n_seeds,reference_seeds,verdict\n");
    for (int f = 0; f < fresh->rows; f++) {
        const int k = row_of(&c->kept, c->fresh.key[f]);
        both += k >= 0 && seeds_of(fresh, f);
        if (k >= 0)
            compare_rows(c, f, k);
        else
            lone_row(c, &c->fresh, f, false);
    }
    if (csv_col(kept, "lr") != csv_col(fresh, "lr"))
        return err_set(err, EXIT_FAILED, "%s: of a sweep with other axes", kept_path);
    for (int k = 0; k < kept->rows; k++)
        if (row_of(&c->fresh, c->kept.key[k]) < 0) lone_row(c, &c->kept, k, true);
    return both > 0 || err_set(err, EXIT_FAILED, "%s: no finished row in common with %s", c->plan->name, kept_path);
}

bool reference_measure(const Plan *plan, const char *results, const char *dir, bool exact, Arena *a, int *n,
                       Verdict **out, const char **table, Err *err)
{
    RowResult *rows;
    Compare c = { .plan = plan, .exact = exact, .a = a };
    Buf text = buf_new(a);
    const char *kept = path_join(a, path_join(a, dir, plan->name), "selected.csv");
    const char *own = path_join(a, results, plan->name);
    if (!file_exists(kept)) return err_set(err, EXIT_USAGE, "%s: there is no reference for %s", kept, plan->name);
    TRY(results_read(plan, results, a, &rows, err) && selected_text(plan, rows, &text, err));
    TRY(side_read("fresh selected.csv", text.s, a, &c.fresh, err) && side_read(kept, NULL, a, &c.kept, err));
    TRY(compare_all(&c, kept, err) && dir_make(own, err));
    *n = c.n;
    *out = c.verdict;
    *table = path_join(a, own, "reference.csv");
    return file_write_atomic(*table, c.table.s, c.table.len, err);
}
