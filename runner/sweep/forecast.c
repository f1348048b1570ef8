/* SPDX-License-Identifier: Apache-2.0
 * forecast.c - the distinct runs of a plan, what a run costs, and how long a sweep will take.
 *
 * A run is expected to cost what finished runs like it cost on the mean: those of the same case and mixer, else of the
 * same mixer, else all. Costs are CPU seconds, which other programs on the machine change least. The time that is left
 * follows by handing the waiting runs, in order, to whichever worker is free first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/pool.h"

/* ---- distinct texts --------------------------------------------------------------------------------------------- */

/* Texts numbered in order of appearance; open addressing, room for `most` of them. */
typedef struct Names {
    size_t size;
    int n, *slot; /* number + 1 */
    const char **name;
} Names;

static Names names_new(int most, Arena *a)
{
    Names t = { .size = 16 };
    while (t.size < 2 * (size_t)most) t.size *= 2;
    t.slot = ARENA_NEW(a, int, t.size);
    t.name = ARENA_NEW(a, const char *, most + 1);
    return t;
}

static int name_number(Names *t, const char *name)
{
    size_t at = fnv1a64(name) & (t->size - 1);
    while (t->slot[at] && strcmp(t->name[t->slot[at] - 1], name) != 0) at = (at + 1) & (t->size - 1);
    if (t->slot[at]) return t->slot[at] - 1;
    t->name[t->n] = name;
    t->slot[at] = ++t->n;
    return t->n - 1;
}

int *plan_run_index(const Plan *plan, Arena *a, int *distinct)
{
    Names ids = names_new(plan->rows, a);
    int *index = ARENA_NEW(a, int, plan->rows + 1);
    for (int i = 0; i < plan->rows; i++) index[i] = name_number(&ids, plan->row[i].id);
    *distinct = ids.n;
    return index;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* "parity gla seed=1 lr=1.0e-3" */
static const char *run_label(const Plan *plan, const PlanRow *row, Arena *a)
{
    Buf label = buf_new(a);
    buf_printf(&label, "%s %s seed=%llu", row->case_label, row->mixer_label, (unsigned long long)row->seed);
    for (int c = 0; c < plan->axes; c++) {
        const char *dot = strrchr(plan->axis[c], '.');
        if (row->cell[c][0]) buf_printf(&label, " %s=%s", dot ? dot + 1 : plan->axis[c], row->cell[c]);
    }
    return label.s;
}

static void add_run(Pool *pool, const Plan *plan, const PlanRow *row, Arena *a)
{
    PoolRun *r = &pool->run[pool->n++];
    const char *dir = run_dir(a, pool->results, row->id);
    *r = (PoolRun){ .row = row, .label = run_label(plan, row, a), .seconds = (double)NAN, .wall = (double)NAN };
    Err damage = { 0 };
    r->state = run_state_why(dir, &damage);
    if (damage.code) fprintf(stderr, "seqprobe: warning: %s; the run is run again\n", damage.msg);
    if (!run_state_final(r->state)) return;
    r->skipped = r->ended = true;
    r->seconds = run_cpu_seconds(dir, &r->wall);
}

void pool_open(Pool *pool, const Plan *plan, Arena *a)
{
    int distinct, next = 0;
    const int *index = plan_run_index(plan, a, &distinct);
    Names pairs = names_new(distinct, a), mixers = names_new(distinct, a);
    pool->n = 0;
    pool->run = ARENA_NEW(a, PoolRun, distinct + 1);
    pool->cost = ARENA_NEW(a, RunCost, 2 * distinct + 1);
    for (int i = 0; i < plan->rows; i++) {
        const PlanRow *row = &plan->row[i];
        if (index[i] != next) continue; /* an earlier row has this run */
        next++;
        if (pool->shards && index[i] % pool->shards != pool->shard) continue;
        add_run(pool, plan, row, a);
        PoolRun *r = &pool->run[pool->n - 1];
        r->like[0] = name_number(&pairs, arena_printf(a, "%s\n%s", row->case_label, row->mixer_label));
        r->like[1] = distinct + name_number(&mixers, row->mixer_label);
        r->like[2] = 2 * distinct;
        cost_add(pool, r);
    }
}

/* ---- costs ------------------------------------------------------------------------------------------------------ */

void cost_add(Pool *pool, const PoolRun *r)
{
    for (int c = 0; c < 3 && r->seconds >= 0; c++) {
        pool->cost[r->like[c]].seconds += r->seconds;
        pool->cost[r->like[c]].wall += isnan(r->wall) ? r->seconds : r->wall;
        pool->cost[r->like[c]].runs++;
    }
}

double cost_expected(const Pool *pool, const PoolRun *r)
{
    for (int c = 0; c < 3; c++) {
        const RunCost *k = &pool->cost[r->like[c]];
        if (k->runs) return k->seconds / k->runs;
    }
    return (double)NAN;
}

double cost_factor(const Pool *pool)
{
    const RunCost *all = pool->n ? &pool->cost[pool->run[0].like[2]] : NULL;
    return all && all->seconds > 0 ? all->wall / all->seconds : 1;
}

/* ---- schedule --------------------------------------------------------------------------------------------------- */

/* Restore the heap of least values below i. */
static void sift(double *heap, int n, int i)
{
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1] < heap[child]) child++;
        if (heap[i] <= heap[child]) return;
        double t = heap[i];
        heap[i] = heap[child];
        heap[child] = t;
    }
}

Forecast pool_forecast(const Pool *pool, int jobs, const double *rest, int running, double factor, double unknown,
                       double limit, Arena *a)
{
    Forecast f = { 0 };
    double *heap = ARENA_NEW(a, double, jobs + 1);
    CHECK(running <= jobs, "%d running on %d workers", running, jobs);
    for (int i = 0; i < running; i++) {
        heap[i] = rest[i] > 0 ? rest[i] : 0;
        f.within += heap[i] <= limit;
        if (isnan(rest[i])) f.seconds = (double)NAN;
        if (heap[i] > f.seconds) f.seconds = heap[i];
    }
    for (int i = jobs / 2 - 1; i >= 0; i--) sift(heap, jobs, i);
    for (int k = 0; k < pool->n; k++) {
        const PoolRun *r = &pool->run[k];
        if (r->ended || r->active) continue;
        double cost = cost_expected(pool, r) * factor;
        heap[0] += isnan(cost) ? unknown : cost;
        if (isnan(heap[0])) return (Forecast){ .seconds = (double)NAN };
        f.within += heap[0] <= limit;
        if (heap[0] > f.seconds) f.seconds = heap[0];
        sift(heap, jobs, 0);
    }
    return f;
}
