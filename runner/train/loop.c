/* SPDX-License-Identifier: Apache-2.0
 * loop.c - the training loop: read this file to know what a run does.
 *
 *   for each step:  batch -> shards of train.shard sequences, each on its own tape:
 *                     forward -> cross-entropy / (scored positions of the whole batch) -> backward
 *                   gradient buffers added in shard order -> clip -> AdamW at the scheduled rate
 *   every eval_every steps: accuracy on the validation set; stop after stop_patience successes in a row
 *   every minute or so, and when asked to stop: a checkpoint, from which the same bytes follow
 *
 * Every number is a function of the configuration and the seed: no time, no thread, no order enters.
 */
#include "train/loop.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "train/batch.h"
#include "train/checkpoint.h"

typedef struct Trainer {
    const RunSpec *spec;
    Model *model;
    Tape *tape, *eval_tape;
    Arena *batch_arena;
    AdamW opt;
    size_t n;                /* parameters, reals */
    real *shard_grad, *grad; /* of one shard; of the batch */
} Trainer;

typedef struct StepStats {
    double nll, norm, lr;
    long scored, correct, tokens;
    const char *bad_op;
} StepStats;

double wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Loss of a shard. loss_norm batch: every scored position weighs 1/(scored of the batch); example: every example
 * weighs 1/batch. Rows come example by example, so that an example's logits are a view of consecutive rows. */
static Tensor *shard_loss(const Trainer *tr, const Shard *sh, Tensor *logits, long scored, double *nll, int *pred)
{
    Tape *t = tr->tape;
    if (tr->spec->train.loss_norm == LOSS_BATCH)
        return op_cross_entropy(t, logits, sh->target, 1 / (double)scored, nll, pred);
    const int C = tensor_last(logits);
    Tensor *loss = NULL;
    for (int from = 0, to; from < sh->n; from = to) {
        for (to = from; to < sh->n && sh->row[to] / sh->T == sh->row[from] / sh->T; to++) {}
        Tensor *view = ARENA_NEW(t->arena, Tensor, 1);
        const size_t at = (size_t)from * (size_t)C;
        *view = (Tensor){ .x = logits->x + at, .g = logits->g + at, .rank = 2, .dim = { to - from, C } };
        double sum = 0, scale = 1 / ((double)(to - from) * tr->spec->train.batch);
        Tensor *one = op_cross_entropy(t, view, sh->target + from, scale, &sum, pred + from);
        *nll += sum;
        loss = loss ? op_add(t, loss, one) : one;
    }
    return loss;
}

/* Name of the first op whose output is not finite, in the order of computation. */
static const char *first_bad_op(const Tape *t)
{
    const char *bad = "loss";
    for (const Node *n = t->last; n; n = n->prev)
        for (size_t i = 0, size = tensor_size(n->out); i < size; i++)
            if (!isfinite(n->out->x[i])) {
                bad = n->op;
                break;
            }
    return bad;
}

static void shard_step(Trainer *tr, const Batch *b, int from, int step, StepStats *st)
{
    const TrainCfg *cfg = &tr->spec->train;
    Tape *t = tr->tape;
    Shard sh;
    shard_cut(b, from, cfg->shard, tr->batch_arena, &sh);
    if (sh.n == 0) return;
    Ctx c = { .tape = t, .training = true, .step = step, .seed = tr->spec->seed, .shard = from / cfg->shard };
    double nll = 0;
    int *pred = ARENA_RAW(t->arena, int, sh.n);
    memset(tr->shard_grad, 0, tr->n * sizeof(real));
    Tensor *logits = model_forward(tr->model, &c, sh.id, sh.B, sh.T, sh.row, sh.n);
    Tensor *loss = shard_loss(tr, &sh, logits, b->scored, &nll, pred);
    if (c.aux_loss) loss = op_add(t, loss, op_affine(t, c.aux_loss, (double)sh.B / b->n, 0));
    if (!isfinite(nll) || !isfinite(loss->x[0]))
        st->bad_op = first_bad_op(t);
    else
        tape_backward(t, loss);
    for (int i = 0; i < sh.n; i++) st->correct += pred[i] == sh.target[i];
    for (size_t i = 0; i < tr->n; i++) tr->grad[i] += tr->shard_grad[i];
    st->nll += nll;
    tape_reset(t);
}

static void update(Trainer *tr, double lr)
{
    const TrainCfg *cfg = &tr->spec->train;
    const Params *p = tr->model->params;
    adamw_tick(&tr->opt);
    for (int i = 0; i < params_number(p); i++) {
        const Param *it = params_at(p, i);
        bool decay = cfg->decay_groups == DECAY_ALL || (it->t.rank >= 2 && !it->init.no_decay);
        adamw_update(&tr->opt, it->offset, tensor_size(&it->t), it->t.x, tr->grad + it->offset, lr,
                     decay ? cfg->weight_decay : 0);
    }
}

/* One update. A non-finite gradient norm skips the update; a non-finite loss names the op it came from. */
static void train_step(Trainer *tr, int step, StepStats *st)
{
    const TrainCfg *cfg = &tr->spec->train;
    Batch b;
    arena_reset(tr->batch_arena, 0);
    batch_train(tr->spec, step, tr->batch_arena, &b);
    memset(tr->grad, 0, tr->n * sizeof(real));
    *st = (StepStats){ .scored = b.scored };
    for (int i = 0; i < b.n; i++) st->tokens += b.len[i];
    for (int from = 0; from < b.n && !st->bad_op; from += cfg->shard) shard_step(tr, &b, from, step, st);
    const long warmup = (long)(cfg->warmup * cfg->steps + 0.5), epoch = cfg->examples / cfg->batch;
    st->lr = schedule_lr((Schedule)cfg->schedule, step, cfg->steps, warmup, epoch, cfg->lr, cfg->lr * cfg->min_lr);
    st->norm = grad_norm(tr->grad, tr->n);
    if (st->bad_op || !isfinite(st->norm)) return;
    grad_clip(tr->grad, tr->n, st->norm, cfg->clip);
    update(tr, st->lr);
}

static void trainer_open(Trainer *tr, Model *model, Tape *eval_tape, Arena *a)
{
    const TrainCfg *cfg = &model->spec->train;
    *tr = (Trainer){ .spec = model->spec, .model = model, .eval_tape = eval_tape, .n = params_count(model->params) };
    tr->tape = tape_new("tape", true);
    tr->batch_arena = arena_new("batch");
    tr->grad = ARENA_NEW(a, real, tr->n);
    tr->shard_grad = ARENA_NEW(a, real, tr->n);
    params_bind(model->params, tr->shard_grad);
    adamw_init(&tr->opt, tr->n, cfg->beta1, cfg->beta2, cfg->eps, a);
}

static void trainer_close(Trainer *tr)
{
    params_bind(tr->model->params, NULL);
    tape_free(tr->tape);
    arena_free(tr->batch_arena);
}

/* A fault of the disk, as the run's end. */
static bool fail(TrainOutcome *o, const Err *err)
{
    o->status = "failed";
    snprintf(o->message, sizeof o->message, "%.255s", err->msg);
    return false;
}

/* Is a validation due, here and now? The window is empty when it was done, or when every update was skipped. */
static bool validation_due(const TrainCfg *cfg, const TrainState *s)
{
    const int step = s->out.steps_done;
    return s->window.steps > 0 && (step % cfg->eval_every == 0 || step == cfg->steps);
}

/* Measure, remember what was best and when, add a row to the curve. False if stopped. */
static bool validate(Trainer *tr, Checkpoint *keep, Arena *a, size_t mark, const RunHooks *hooks)
{
    const RunSpec *s = tr->spec;
    TrainState *now = &keep->state;
    TrainOutcome *o = &now->out;
    const Window *w = &now->window;
    Score score;
    char row[256];
    arena_reset(a, mark);
    if (!evaluate(tr->model, run_slice(s, s->train.stop_slice), "valid", s->data.valid, tr->eval_tape, a,
                  hooks ? hooks->stop : NULL, &score)) {
        o->status = "interrupted";
        return false;
    }
    score_copy(&o->valid_score, &score);
    o->valid = score_value(&score, run_headline(s));
    o->valid_loss = score.nll / (double)score.scored;
    o->train_loss = w->nll / (double)w->scored;
    if (o->valid > o->best_valid) o->best_valid = o->valid;
    if (o->valid >= 0.9 && !o->step_090) o->step_090 = o->steps_done;
    if (o->valid >= s->train.stop_at && !o->step_solved) o->step_solved = o->steps_done;
    now->wins = o->valid >= s->train.stop_at ? now->wins + 1 : 0;
    snprintf(row, sizeof row, "%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", o->steps_done, o->tokens, w->lr, o->train_loss,
             (double)w->correct / (double)w->scored, w->norm / w->steps, o->valid_loss, o->valid);
    now->window = (Window){ 0 };
    checkpoint_row(keep, row);
    return true;
}

static void report(const RunHooks *hooks, const RunSpec *s, const StepStats *st, const TrainOutcome *o, double spent)
{
    if (!hooks || !hooks->progress) return;
    RunProgress p = { .step = o->steps_done,
                      .steps = s->train.steps,
                      .loss = st->nll / (double)(st->scored ? st->scored : 1),
                      .valid_acc = o->valid,
                      .tokens_per_s = o->tokens / spent,
                      .eta_s = spent / o->steps_done * (s->train.steps - o->steps_done) };
    hooks->progress(hooks->self, &p);
}

/* One step and its bookkeeping; false ends the run with the status set. */
static bool advance(Trainer *tr, TrainState *s, StepStats *st)
{
    TrainOutcome *o = &s->out;
    Window *w = &s->window;
    train_step(tr, o->steps_done++, st);
    s->flops = tr->tape->flops;
    o->train_flops = 3 * s->flops;
    o->tokens += (double)st->tokens;
    w->lr = st->lr;
    if (st->bad_op) {
        o->status = "diverged";
        snprintf(o->message, sizeof o->message, "step %d: loss is not finite, first seen after %s", o->steps_done,
                 st->bad_op);
        return false;
    }
    if (!isfinite(st->norm)) {
        o->skipped++;
        if (o->skipped <= 10) return true;
        o->status = "diverged";
        snprintf(o->message, sizeof o->message, "step %d: gradient norm not finite in %ld updates", o->steps_done,
                 o->skipped);
        return false;
    }
    w->nll += st->nll;
    w->norm += st->norm;
    w->scored += st->scored;
    w->correct += st->correct;
    w->steps++;
    return true;
}

/* Why training ends before the next step, if it does: status "ok" with over set, or another status. */
static bool ends(TrainState *s, const TrainCfg *cfg, const RunHooks *hooks, double max_seconds, double spent)
{
    TrainOutcome *o = &s->out;
    s->over = o->steps_done == cfg->steps || s->wins >= cfg->stop_patience;
    if (s->over)
        o->stopped_early = o->steps_done < cfg->steps;
    else if (hooks && hooks->stop && *hooks->stop)
        o->status = "interrupted";
    else if (max_seconds > 0 && spent > max_seconds)
        o->status = "timeout";
    return s->over || strcmp(o->status, "ok") != 0;
}

/* From where keep stands to an end. Its state is whole wherever a checkpoint is written: between two steps. */
static void train(Trainer *tr, Checkpoint *keep, double max_seconds, const RunHooks *hooks, Arena *a)
{
    const TrainCfg *cfg = &tr->spec->train;
    TrainState *s = &keep->state;
    const size_t mark = arena_mark(a);
    double shown = wall_seconds();
    StepStats st = { 0 };
    Err err = { 0 };
    while (!s->over) {
        const bool check = validation_due(cfg, s);
        if (check && !validate(tr, keep, a, mark, hooks)) break;
        if (check || (s->out.steps_done > 0 && wall_seconds() - shown > 1)) {
            report(hooks, tr->spec, &st, &s->out, checkpoint_wall(keep));
            shown = wall_seconds();
        }
        if (ends(s, cfg, hooks, max_seconds, checkpoint_wall(keep))) break;
        if (checkpoint_due(keep, DBL_MAX) && !checkpoint_save(keep, tr->model->params, &tr->opt, &err)) {
            fail(&s->out, &err);
            break;
        }
        if (!advance(tr, s, &st)) break;
    }
}

void train_loop(Model *model, Tape *eval_tape, Checkpoint *keep, double max_seconds, const RunHooks *hooks, Arena *a,
                TrainOutcome *out)
{
    Trainer tr;
    Checkpoint nothing;
    Err err = { 0 };
    if (!keep) checkpoint_none(keep = &nothing, model->spec, params_count(model->params));
    TrainOutcome *o = &keep->state.out;
    trainer_open(&tr, model, eval_tape, a);
    checkpoint_restore(keep, model->params, &tr.opt);
    tr.tape->flops = keep->state.flops;
    train(&tr, keep, max_seconds, hooks, a);
    if (arena_peak(tr.tape->arena) > o->tape_bytes) o->tape_bytes = arena_peak(tr.tape->arena);
    const bool over = keep->state.over, stopped = !strcmp(o->status, "interrupted") || !strcmp(o->status, "timeout");
    if ((over ? checkpoint_due(keep, 2) : stopped) &&
        !checkpoint_save(keep, model->params, over ? NULL : &tr.opt, &err))
        fail(o, &err);
    trainer_close(&tr);
    *out = *o;
    out->valid_score = slice_score(model->spec, run_slice(model->spec, model->spec->train.stop_slice), a);
    score_copy(&out->valid_score, &o->valid_score);
    if (keep == &nothing) checkpoint_free(keep);
}
