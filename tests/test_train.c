/* SPDX-License-Identifier: Apache-2.0
 * test_train.c - metrics against hand counts, batches, the loop, run files byte for byte, run ids.
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "support/suite.h"
#include "sweep/sweep.h"
#include "train/batch.h"
#include "train/optim.h"
#include "train/results.h"

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

/* The task and mixer these tests train; a program without them skips the test. */
static bool built(const char *task, const char *mixer)
{
    if (task_find(task) && mixer_find(mixer)) return true;
    printf("skipped: not built: %s or %s\n", task, mixer);
    return false;
}

static const char SMALL[] = "task: {name: parity, len: [2, 12]}\n"
                            "mixer: {name: mingru}\n"
                            "model: {d_model: 8, layers: 1, channel_mixer: none}\n"
                            "train: {steps: 20, batch: 16, eval_every: 10}\n"
                            "data: {valid: 32, test: 32}\n"
                            "eval: {x2: {len: 24}}\n";

static RunSpec resolve(const char *text)
{
    Value *v;
    RunSpec s;
    Err err = { 0 };
    ck_assert_msg(yaml_parse("test", text, arena, &v, &err), "%s", err.msg);
    ck_assert_msg(run_resolve(v, arena, &s, &err), "%s", err.msg);
    return s;
}

static RunSpec resolve_with(const char *text, const char *path, const char *value)
{
    Value *v, *x;
    RunSpec s;
    Err err = { 0 };
    ck_assert_msg(yaml_parse("test", text, arena, &v, &err), "%s", err.msg);
    ck_assert_msg(yaml_parse("value", value, arena, &x, &err), "%s", err.msg);
    ck_assert_msg(value_put(arena, v, path, x, &err), "%s", err.msg);
    ck_assert_msg(run_resolve(v, arena, &s, &err), "%s", err.msg);
    return s;
}

static const char *refusal(const char *text)
{
    Value *v;
    RunSpec s;
    Err err = { 0 };
    ck_assert_msg(yaml_parse("c.yaml", text, arena, &v, &err), "%s", err.msg);
    ck_assert(!run_resolve(v, arena, &s, &err));
    ck_assert_int_eq(err.code, EXIT_USAGE);
    return arena_strdup(arena, err.msg);
}

START_TEST(metrics_by_hand)
{
    /* two examples: (1 right of 2, last wrong) and (2 right of 2) */
    const int target[2][4] = { { 0, IGNORE, 1, IGNORE }, { 2, 0, IGNORE, IGNORE } };
    const int pred[2][4] = { { 0, 7, 0, 7 }, { 2, 0, 7, 7 } },
              bin[2][4] = { { 3, IGNORE, 3, 5 }, { 40, IGNORE, 0, 0 } };
    Score s = score_new(3, 4, arena);
    for (int i = 0; i < 2; i++) score_add(&s, target[i], pred[i], bin[i], 4);
    ck_assert_double_eq(score_value(&s, "acc_token"), 0.75);
    ck_assert_double_eq(score_value(&s, "acc_mean"), 0.75);
    ck_assert_double_eq(score_value(&s, "acc_exact"), 0.5);
    ck_assert_double_eq(score_value(&s, "acc_final"), 0.5);
    ck_assert_double_eq_tol(score_value(&s, "acc_macro"), (1.0 + 0 + 1.0) / 3, 1e-15); /* class 1 was never right */
    ck_assert_double_eq(score_majority(&s), 0.5);                                      /* class 0: 2 of 4 */
    ck_assert_int_eq(s.prefix_n[0], 2);
    ck_assert_int_eq(s.prefix_ok[0], 2);
    ck_assert_int_eq(s.prefix_n[2], 1);
    ck_assert_int_eq(s.prefix_ok[2], 0);
    ck_assert_int_eq(s.bin_n[3], 2);
    ck_assert_int_eq(s.bin_ok[3], 1);
    ck_assert_int_eq(s.bin_n[SLICE_BINS - 1], 1); /* 40 lands in the last bin */
}
END_TEST

START_TEST(wilson_known_values)
{
    double lo, hi;
    wilson(0.5, 100, &lo, &hi);
    ck_assert_double_eq_tol(lo, 0.4038315, 1e-6);
    ck_assert_double_eq_tol(hi, 0.5961685, 1e-6);
    wilson(1, 10, &lo, &hi);
    ck_assert_double_eq_tol(lo, 0.7224672, 1e-6);
    ck_assert_double_eq_tol(hi, 1, 1e-12);
    wilson(0, 10, &lo, &hi);
    ck_assert_double_eq_tol(hi, 0.2775328, 1e-6);
}
END_TEST

START_TEST(examples_do_not_depend_on_the_batch)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve(SMALL);
    Batch all, part;
    batch_draw(&s, &s.slices[0], "test", 7, 0, 64, EVAL_GROUP, false, arena, &all);
    batch_draw(&s, &s.slices[0], "test", 7, 37, 5, EVAL_GROUP, false, arena, &part);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(part.len[i], all.len[37 + i]);
        ck_assert_mem_eq(part.input + i * part.stride, all.input + (37 + i) * all.stride,
                         sizeof(int) * (size_t)all.stride);
        ck_assert_mem_eq(part.target + i * part.stride, all.target + (37 + i) * all.stride,
                         sizeof(int) * (size_t)all.stride);
    }
    Batch other;
    batch_draw(&s, &s.slices[0], "valid", 7, 0, 64, EVAL_GROUP, false, arena, &other);
    ck_assert_int_ne(memcmp(all.input, other.input, sizeof(int) * 64 * (size_t)all.stride), 0);
    long scored = 0;
    for (int i = 0; i < 64 * all.stride; i++) scored += all.target[i] != IGNORE;
    ck_assert_int_eq(scored, all.scored);
}
END_TEST

START_TEST(length_law_is_shared_by_a_batch_and_covers_its_range)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve(SMALL);
    int seen[32] = { 0 };
    for (int step = 0; step < 400; step++) {
        Batch b;
        batch_train(&s, step, arena, &b);
        for (int i = 1; i < b.n; i++) ck_assert_int_eq(b.len[i], b.len[0]);
        seen[b.len[0]]++;
    }
    for (int bits = 2; bits <= 12; bits++) { /* one position more than bits: BOS */
        double expected = 400.0 / 11, sd = sqrt(400 * (1.0 / 11) * (10.0 / 11));
        ck_assert_double_lt(fabs(seen[bits + 1] - expected), 4 * sd);
    }
}
END_TEST

START_TEST(static_set_is_permuted_every_epoch)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve_with(SMALL, "train.examples", "32");
    Batch a, b, c, d;
    batch_train(&s, 0, arena, &a);
    batch_train(&s, 1, arena, &b);
    batch_train(&s, 2, arena, &c);
    batch_train(&s, 3, arena, &d);
    long first = 0, second = 0; /* the same 32 examples, in another order */
    for (int i = 0; i < 16; i++) {
        for (int t = 0; t < a.stride; t++) {
            int w = (t + 3) * (t + 7);
            first += w * (a.input[i * a.stride + t] + b.input[i * a.stride + t]);
            second += w * (c.input[i * a.stride + t] + d.input[i * a.stride + t]);
        }
    }
    ck_assert_int_eq(first, second);
    ck_assert_int_ne(memcmp(a.input, c.input, sizeof(int) * 16 * (size_t)a.stride), 0);
}
END_TEST

START_TEST(shard_pads_and_lists_scored_rows)
{
    int len[2] = { 2, 3 }, input[8] = { 5, 6, 0, 0, 7, 8, 9, 0 }, slice[8];
    int target[8] = { IGNORE, 1, IGNORE, IGNORE, 2, IGNORE, 3, IGNORE };
    Batch b = { .n = 2, .stride = 4, .len = len, .input = input, .target = target, .slice_of = slice, .scored = 3 };
    Shard s;
    shard_cut(&b, 0, 8, arena, &s);
    ck_assert_int_eq(s.B, 2);
    ck_assert_int_eq(s.T, 3);
    ck_assert_int_eq(s.n, 3);
    const int id[6] = { 5, 6, 0, 7, 8, 9 }, row[3] = { 1, 3, 5 }, tgt[3] = { 1, 2, 3 };
    ck_assert_mem_eq(s.id, id, sizeof id);
    ck_assert_mem_eq(s.row, row, sizeof row);
    ck_assert_mem_eq(s.target, tgt, sizeof tgt);
}
END_TEST

START_TEST(ids_follow_what_changes_numbers)
{
    if (!built("parity", "mingru")) return;
    RunSpec a = resolve(SMALL);
    ck_assert_str_eq(resolve_with(SMALL, "train.lr", "0.003").id, a.id); /* the default, written out */
    ck_assert_str_eq(resolve_with(SMALL, "train.lr", "3e-3").id, a.id);
    ck_assert_str_eq(resolve_with(SMALL, "mixer.label", "short name").id, a.id);
    ck_assert_str_ne(resolve_with(SMALL, "train.lr", "0.001").id, a.id);
    ck_assert_str_ne(resolve_with(SMALL, "seed", "2").id, a.id);
    ck_assert_str_ne(resolve_with(SMALL, "eval.x4", "{len: 48}").id, a.id);
    Value *again;
    RunSpec b;
    Err err = { 0 };
    ck_assert(yaml_parse("config.yaml", value_yaml(arena, a.config), arena, &again, &err));
    ck_assert_msg(run_resolve(again, arena, &b, &err), "%s", err.msg);
    ck_assert_str_eq(a.id, b.id);
    ck_assert_str_eq(value_canonical(arena, a.config), value_canonical(arena, b.config));
}
END_TEST

START_TEST(refusals_name_place_and_option)
{
    if (!built("parity", "mingru")) return;
    ck_assert_str_eq(refusal("task: parity\nmixer: mingru\ntrian: {}\n"),
                     "c.yaml:3:1: unknown section 'trian' (did you mean 'train'?)");
    ck_assert_str_eq(refusal("task: {name: party}\nmixer: mingru\n"),
                     "c.yaml:1:14: unknown task 'party' (did you mean 'parity'?)");
    ck_assert_str_eq(refusal("task: parity\nmixer: mingrew\n"),
                     "c.yaml:2:8: unknown mixer 'mingrew' (did you mean 'mingru'?)");
    ck_assert_str_eq(refusal("task: parity\nmixer: mingru\ntrain: {stop_slice: far}\n"),
                     "c.yaml:3:21: train.stop_slice: no slice 'far' in eval");
    ck_assert_str_eq(refusal(
                         "task: {name: parity, len: 8}\nmixer: mingru\nmodel: {pos: learned}\neval: {x2: {len: 16}}\n"),
                     "c.yaml:3:14: model.pos: learned has no position beyond the training length 9, a slice needs 17");
    ck_assert_str_eq(refusal("task: parity\nmixer: mingru\ntrain: {schedule: cosine_step, warmup: 0.1}\n"),
                     "c.yaml:3:40: train.warmup: this schedule has none; use warmup_cosine or warmup: 0");
}
END_TEST

static Model build(const RunSpec *s)
{
    Model m;
    Err err = { 0 };
    ck_assert_msg(model_build(&m, s, arena, &err), "%s", err.msg);
    return m;
}

static double loss_after(const char *path, const char *value, int steps)
{
    RunSpec s = path ? resolve_with(SMALL, path, value) : resolve(SMALL);
    s.train.steps = s.train.eval_every = steps;
    Model m = build(&s);
    Tape *tape = tape_new("eval", false);
    TrainOutcome o;
    train_loop(&m, tape, NULL, 0, NULL, arena, &o);
    tape_free(tape);
    ck_assert_str_eq(o.status, "ok");
    return o.train_loss;
}

START_TEST(shards_change_rounding_only)
{
    if (!built("parity", "mingru")) return;
    double whole = loss_after("train.shard", "16", 20), eight = loss_after("train.shard", "8", 20),
           one = loss_after("train.shard", "1", 20);
    ck_assert_double_eq_tol(whole, eight, 1e-5);
    ck_assert_double_eq_tol(whole, one, 1e-5);
}
END_TEST

START_TEST(loss_norms_agree_on_equal_lengths)
{
    if (!built("parity", "mingru")) return;
    ck_assert_double_eq_tol(loss_after(NULL, NULL, 20), loss_after("train.loss_norm", "example", 20), 1e-5);
}
END_TEST

START_TEST(a_view_has_gradients_of_its_own)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve(SMALL);
    Model m = build(&s), v;
    Err err = { 0 };
    ck_assert(model_view(&v, &m, arena, &err));
    ck_assert_ptr_eq(params_values(m.params), params_values(v.params));
    ck_assert_ptr_ne(params_grads(m.params), params_grads(v.params));
    int id[6] = { 0, 1, 0, 1, 1, 0 }, row[2] = { 2, 5 }, target[2] = { 1, 0 };
    Tape *t = tape_new("train", true);
    for (int k = 0; k < 2; k++) {
        Ctx c = { .tape = t, .training = true };
        Tensor *logits = model_forward(k ? &v : &m, &c, id, 2, 3, row, 2);
        tape_backward(t, op_cross_entropy(t, logits, target, 1, NULL, NULL));
        tape_reset(t);
    }
    ck_assert_mem_eq(params_grads(m.params), params_grads(v.params), params_count(m.params) * sizeof(real));
    ck_assert_double_gt(grad_norm(params_grads(v.params), params_count(v.params)), 0);
    tape_free(t);
}
END_TEST

/* Chunked evaluation through carried state predicts what one pass predicts. */
static void chunks_equal_whole(const Mixer *mixer)
{
    char text[512];
    snprintf(text, sizeof text,
             "task: {name: parity, len: 50}\nmixer: %s\nmodel: {d_model: 16, layers: 2, loops: 2, conv_first: true}\n"
             "train: {batch: 8}\ndata: {valid: 8, test: 24, chunk: %%d}\n",
             mixer->name);
    Tape *tape = tape_new("eval", false);
    Score score[2];
    for (int k = 0; k < 2; k++) {
        char each[512];
        snprintf(each, sizeof each, text, k ? 7 : 2048);
        RunSpec s = resolve(each);
        Model m = build(&s);
        ck_assert(evaluate(&m, &s.slices[0], "test", 24, tape, arena, NULL, &score[k]));
    }
    ck_assert_msg(fabs(score[0].nll - score[1].nll) < 2e-3 * fabs(score[0].nll),
                  "%s: loss %.9g whole, %.9g in chunks of 7", mixer->name, score[0].nll, score[1].nll);
    ck_assert_int_le(labs(score[0].correct - score[1].correct), 2);
    tape_free(tape);
}

START_TEST(chunks_equal_whole_for_every_mixer)
{
    if (!task_find("parity")) return;
    for (int i = 0; all_mixers[i]; i++)
        if (!all_mixers[i]->no_stream) chunks_equal_whole(all_mixers[i]);
}
END_TEST

static char *read_file(const char *dir, const char *name)
{
    char *text;
    Err err = { 0 };
    ck_assert_msg(file_read(path_join(arena, dir, name), 1 << 24, arena, &text, NULL, &err), "%s", err.msg);
    return text;
}

static const char *temp_dir(void)
{
    char *dir = arena_strdup(arena, "/tmp/seqprobe-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    return dir;
}

static void remove_run(const char *dir)
{
    static const char *const name[] = { "config.yaml", "curve.csv",     "metrics.csv", "result.csv", "checkpoint.bin",
                                        "timing.csv",  "manifest.json", "weights.npy", "status" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) unlink(path_join(arena, dir, name[i]));
    rmdir(dir);
}

START_TEST(two_runs_write_the_same_bytes)
{
    if (!built("parity", "mingru")) return;
    static const char *const same[] = { "config.yaml", "curve.csv", "metrics.csv", "result.csv", "weights.npy" };
    RunSpec s = resolve(SMALL);
    const char *dir[2];
    char *text[2][5];
    for (int k = 0; k < 2; k++) {
        Err err = { 0 };
        dir[k] = temp_dir();
        ck_assert_msg(run_execute(&s, dir[k], 0, NULL, &err), "%s", err.msg);
        for (int i = 0; i < 5; i++) text[k][i] = read_file(dir[k], same[i]);
        ck_assert_str_eq(read_file(dir[k], "status"), "ok\n");
    }
    for (int i = 0; i < 4; i++) ck_assert_str_eq(text[0][i], text[1][i]);
    Npy w[2];
    Err err = { 0 };
    for (int k = 0; k < 2; k++) ck_assert(npy_read(path_join(arena, dir[k], "weights.npy"), arena, &w[k], &err));
    ck_assert_mem_eq(w[0].x, w[1].x, w[0].count * sizeof(double));
    Csv m;
    ck_assert_msg(csv_parse("metrics.csv", text[0][2], arena, &m, &err), "%s", err.msg);
    ck_assert_int_gt(m.rows, 20);
    for (int k = 0; k < 2; k++) remove_run(dir[k]);
}
END_TEST

static const char *status_of(const RunSpec *s, const RunHooks *hooks, double seconds)
{
    Err err = { 0 };
    const char *dir = temp_dir();
    ck_assert_msg(run_execute(s, dir, seconds, hooks, &err), "%s", err.msg);
    const char *status = read_file(dir, "status");
    Csv c;
    ck_assert_msg(csv_parse("result.csv", read_file(dir, "result.csv"), arena, &c, &err), "%s", err.msg);
    ck_assert_int_eq(c.rows, 1);
    const char *out = arena_printf(arena, "%s%s", status, csv_get(&c, 0, "message"));
    remove_run(dir);
    return out;
}

START_TEST(ends_other_than_ok)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve(SMALL);
    volatile int stop = 1;
    ck_assert_str_eq(status_of(&s, &(RunHooks){ .stop = &stop }, 0), "interrupted\n");
    ck_assert_str_eq(status_of(&s, NULL, 1e-9), "timeout\n");
    s.model.emb_std = 1e60; /* the tables overflow to infinity */
    const char *said = status_of(&s, NULL, 0);
    ck_assert_msg(!strncmp(said, "diverged\nstep 1: loss is not finite, first seen after ", 54), "%s", said);
}
END_TEST

START_TEST(weights_come_back)
{
    if (!built("parity", "mingru")) return;
    RunSpec s = resolve(SMALL);
    Model a = build(&s);
    s.seed = 99;
    Model b = build(&s);
    const char *dir = temp_dir();
    Err err = { 0 };
    const size_t bytes = params_count(a.params) * sizeof(real);
    ck_assert_int_ne(memcmp(params_values(a.params), params_values(b.params), bytes), 0);
    ck_assert(weights_write(a.params, dir, &err));
    ck_assert(weights_read(b.params, dir, arena, &err));
    ck_assert_mem_eq(params_values(a.params), params_values(b.params), bytes);
    remove_run(dir);
}
END_TEST

START_TEST(training_learns)
{
    if (!built("parity", "lstm")) return;
    RunSpec s =
        resolve("task: {name: parity, len: [2, 8]}\nmixer: lstm\nmodel: {d_model: 16, layers: 1, channel_mixer: none}\n"
                "train: {steps: 600, batch: 32, eval_every: 50, lr: 0.02}\ndata: {valid: 128, test: 128}\n");
    Model m = build(&s);
    Tape *tape = tape_new("eval", false);
    TrainOutcome o;
    train_loop(&m, tape, NULL, 0, NULL, arena, &o);
    ck_assert_double_ge(o.valid, 0.99);
    ck_assert(o.stopped_early);
    ck_assert_int_gt(o.step_solved, 0);
    ck_assert_double_gt(o.train_flops, 1e6);
    tape_free(tape);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("train");
    TCase *t = tcase_create("train");
    real_setup();
    gemm_setup();
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, metrics_by_hand);
    tcase_add_test(t, wilson_known_values);
    tcase_add_test(t, examples_do_not_depend_on_the_batch);
    tcase_add_test(t, length_law_is_shared_by_a_batch_and_covers_its_range);
    tcase_add_test(t, static_set_is_permuted_every_epoch);
    tcase_add_test(t, shard_pads_and_lists_scored_rows);
    tcase_add_test(t, ids_follow_what_changes_numbers);
    tcase_add_test(t, refusals_name_place_and_option);
    tcase_add_test(t, shards_change_rounding_only);
    tcase_add_test(t, loss_norms_agree_on_equal_lengths);
    tcase_add_test(t, a_view_has_gradients_of_its_own);
    tcase_add_test(t, chunks_equal_whole_for_every_mixer);
    tcase_add_test(t, two_runs_write_the_same_bytes);
    tcase_add_test(t, ends_other_than_ok);
    tcase_add_test(t, weights_come_back);
    tcase_add_test(t, training_learns);
    suite_add_tcase(s, t);
    return suite_run(s);
}
