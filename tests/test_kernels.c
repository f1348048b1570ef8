/* SPDX-License-Identifier: Apache-2.0
 * test_kernels.c - the fused sequence ops: gradients by central differences, float against double, and both against
 * naive references (support/cases_*.c). */
#include <string.h>

#include "support/cases.h"
#include "support/gradcheck.h"

/* Optional inputs of a case by name; NULL where the row has none. */
static Tensor *opt(Tensor **in, const GradCase *c, const char *name)
{
    for (int i = 0; i < GRAD_IN_MAX && c->in[i].name; i++)
        if (!strcmp(c->in[i].name, name)) return in[i];
    return NULL;
}

static Tensor *scan_diag(Tape *t, Tensor **in, const GradCase *c)
{
    return op_scan_diag(t, in[0], in[1], opt(in, c, "h0"), NULL);
}

static Tensor *scan_dplr(Tape *t, Tensor **in, const GradCase *c)
{
    DplrIn d = { .q = in[0],
                 .w = in[1],
                 .v = in[2],
                 .r = opt(in, c, "r"),
                 .a = opt(in, c, "a"),
                 .scale = 0.5,
                 .s0 = opt(in, c, "s0") };
    return op_scan_dplr(t, &d);
}

/* arg[0]: position of the first token */
static Tensor *scan_levels(Tape *t, Tensor **in, const GradCase *c)
{
    DplrIn d = { .q = in[0],
                 .w = in[1],
                 .v = in[2],
                 .r = opt(in, c, "r"),
                 .a = opt(in, c, "a"),
                 .scale = 0.5,
                 .s0 = opt(in, c, "s0") };
    return op_scan_levels(t, &d, in[3], (int)c->arg[0]);
}

static Tensor *phasor(Tape *t, Tensor **in, const GradCase *c) { return op_phasor(t, in[0], opt(in, c, "z0"), NULL); }

static Tensor *log_past(Tape *t, Tensor **in, const GradCase *c)
{
    return op_log_past(t, in[0], opt(in, c, "w"), opt(in, c, "z0"), NULL);
}

static Tensor *scan_slots(Tape *t, Tensor **in, const GradCase *c)
{
    SlotsIn d = { .q = in[0], .kv = in[1], .w = in[2], .a = in[3], .scale = 0.5, .s0 = opt(in, c, "s0") };
    return op_scan_slots(t, &d);
}

/* arg[0]: eigenvalues may be negative */
static Tensor *scan_selective(Tape *t, Tensor **in, const GradCase *c)
{
    return op_scan_selective(t, in[0], in[1], in[2], in[3], in[4], opt(in, c, "skip"), c->arg[0] != 0, opt(in, c, "h0"),
                             NULL);
}

static Tensor *cell_lstm(Tape *t, Tensor **in, const GradCase *c)
{
    return op_cell_lstm(t, in[0], in[1], opt(in, c, "h0"), opt(in, c, "c0"), NULL, NULL);
}

/* arg[0]: window */
static Tensor *cope(Tape *t, Tensor **in, const GradCase *c)
{
    return op_cope(t, in[0], in[1], in[2], 0.5, (int)c->arg[0]);
}

static Tensor *attention_biased(Tape *t, Tensor **in, const GradCase *c)
{
    ScoreBias b = { .distance = opt(in, c, "distance"), .log_f = opt(in, c, "log_f"), .full = opt(in, c, "full") };
    return op_attention(t, in[0], in[1], in[2], 0.5, (int)c->arg[0], &b);
}

/* arg[0]: window */
static Tensor *attention(Tape *t, Tensor **in, const GradCase *c)
{
    return op_attention(t, in[0], in[1], in[2], 0.5, (int)c->arg[0], NULL);
}

static const GradCase cases[] = {
    GRAD("op_log_past", "one", log_past, .in = { IN("x", 1, 1, 1), IN("w", 1), IN("z0", 1, 1) }),
    GRAD("op_log_past", "odd", log_past, .in = { IN("x", 2, 7, 5), IN("w", 5), IN("z0", 2, 5) }),
    GRAD("op_log_past", "empty", log_past, .in = { IN("x", 2, 65, 3), IN("w", 3) }),
    GRAD("op_log_past", "plain", log_past, .in = { IN("x", 2, 9, 17) }),
    GRAD("op_scan_slots", "one", scan_slots,
         .in = { IN("q", 1, 1, 1, 1), IN("kv", 1, 1, 1, 2), IN("w", 1, 1, 1, 1), IN("a", 1, 1, 1, 1) }),
    GRAD("op_scan_slots", "odd", scan_slots,
         .in = { IN("q", 2, 7, 3, 4), IN("kv", 2, 7, 3, 9), IN("w", 2, 7, 3, 6), IN("a", 2, 7, 3, 6),
                 IN("s0", 2, 3, 6, 9) }),
    GRAD("op_scan_slots", "chunks", scan_slots,
         .in = { IN("q", 1, 67, 1, 3), IN("kv", 1, 67, 1, 5), IN("w", 1, 67, 1, 9), IN("a", 1, 67, 1, 9),
                 IN("s0", 1, 9, 5) }),
    GRAD("op_phasor", "one", phasor, .in = { IN("phase", 1, 1, 1), IN("z0", 1, 1) }),
    GRAD("op_phasor", "odd", phasor, .in = { IN("phase", 2, 7, 3, 5), IN("z0", 2, 3, 5) }),
    GRAD("op_phasor", "long", phasor, .in = { IN("phase", 1, 65, 9) }),
    GRAD("op_scan_diag", "one", scan_diag, .in = { IN("a", 1, 1, 1), IN("u", 1, 1, 1), IN("h0", 1, 1) }),
    GRAD("op_scan_diag", "odd", scan_diag, .in = { IN("a", 2, 7, 9), IN("u", 2, 7, 9) }),
    GRAD("op_scan_diag", "shared start", scan_diag, .in = { IN("a", 3, 5, 17), IN("u", 3, 5, 17), IN("h0", 17) }),
    GRAD("op_scan_diag", "long", scan_diag, .in = { IN("a", 1, 67, 33), IN("u", 1, 67, 33), IN("h0", 1, 33) },
         .stride = 7),
    GRAD("op_scan_dplr", "one", scan_dplr, .in = { IN("q", 1, 1, 1, 1), IN("w", 1, 1, 1, 1), IN("v", 1, 1, 1, 1) }),
    GRAD("op_scan_dplr", "additive", scan_dplr,
         .in = { IN("q", 2, 7, 3, 5), IN("w", 2, 7, 3, 5), IN("v", 2, 7, 3, 9) }),
    GRAD("op_scan_dplr", "delta, start", scan_dplr,
         .in = { IN("q", 2, 7, 2, 5), IN("w", 2, 7, 2, 5), IN("v", 2, 7, 2, 9), IN("r", 2, 7, 2, 5),
                 IN("s0", 2, 2, 5, 9) }),
    GRAD("op_scan_dplr", "scalar decay, shared start", scan_dplr,
         .in = { IN("q", 2, 7, 2, 5), IN("w", 2, 7, 2, 5), IN("v", 2, 7, 2, 9), IN("r", 2, 7, 2, 5),
                 IN_RANGE("a", 0.3, 1, 2, 7, 2), IN("s0", 2, 5, 9) }),
    GRAD("op_scan_dplr", "channel decay, micro-steps", scan_dplr,
         .in = { IN("q", 2, 5, 2, 6), IN("w", 2, 5, 3, 2, 6), IN("v", 2, 5, 3, 2, 7), IN("r", 2, 5, 3, 2, 6),
                 IN("a", 2, 5, 2, 6) }),
    GRAD("op_scan_dplr", "long", scan_dplr,
         .in = { IN("q", 1, 67, 1, 8), IN_RANGE("w", -0.3, 0.3, 1, 67, 1, 8), IN("v", 1, 67, 1, 33),
                 IN_RANGE("r", -0.3, 0.3, 1, 67, 1, 8), IN_RANGE("a", 0.8, 1, 1, 67, 1, 8) },
         .stride = 11),
    GRAD("op_scan_levels", "one", scan_levels,
         .in = { IN("q", 1, 1, 1, 1), IN("w", 1, 1, 1, 1), IN("v", 1, 1, 1, 1), IN("lam", 1, 1, 1, 2) }),
    GRAD("op_scan_levels", "one level", scan_levels,
         .in = { IN("q", 2, 7, 2, 5), IN("w", 2, 7, 2, 5), IN("v", 2, 7, 2, 9), IN("lam", 2, 7, 2, 1),
                 IN("r", 2, 7, 2, 5), IN("s0", 2, 2, 1, 5, 9) }),
    GRAD("op_scan_levels", "additive", scan_levels,
         .in = { IN("q", 2, 9, 3, 5), IN("w", 2, 9, 3, 5), IN("v", 2, 9, 3, 9), IN("lam", 2, 9, 3, 5) }),
    GRAD("op_scan_levels", "delta, decay, start, full last level", scan_levels,
         .in = { IN("q", 2, 9, 2, 5), IN("w", 2, 9, 2, 5), IN("v", 2, 9, 2, 9), IN("lam", 2, 9, 2, 4),
                 IN("r", 2, 9, 2, 5), IN_RANGE("a", 0.3, 1, 2, 9, 2), IN("s0", 2, 2, 3, 5, 9) },
         .arg = { 13 }),
    GRAD("op_scan_levels", "long", scan_levels,
         .in = { IN("q", 1, 67, 1, 8), IN_RANGE("w", -0.3, 0.3, 1, 67, 1, 8), IN("v", 1, 67, 1, 33),
                 IN("lam", 1, 67, 1, 8), IN_RANGE("r", -0.3, 0.3, 1, 67, 1, 8), IN_RANGE("a", 0.8, 1, 1, 67, 1) },
         .stride = 11),
    GRAD("op_scan_selective", "one", scan_selective,
         .in = { IN("u", 1, 1, 1), IN_RANGE("dt", 0.1, 1, 1, 1, 1), IN("a_log", 1, 1), IN("b", 1, 1, 1),
                 IN("c", 1, 1, 1), IN("skip", 1), IN("h0", 1, 1, 1) }),
    GRAD("op_scan_selective", "odd", scan_selective,
         .in = { IN("u", 2, 7, 5), IN_RANGE("dt", 0.1, 1, 2, 7, 5), IN("a_log", 5, 3), IN("b", 2, 7, 3),
                 IN("c", 2, 7, 3) }),
    GRAD("op_scan_selective", "negative, shared start", scan_selective,
         .in = { IN("u", 2, 7, 5), IN_RANGE("dt", 0.1, 1, 2, 7, 5), IN("a_log", 5, 16), IN("b", 2, 7, 16),
                 IN("c", 2, 7, 16), IN("skip", 5), IN("h0", 5, 16) },
         .arg = { 1 }),
    GRAD("op_scan_selective", "long", scan_selective,
         .in = { IN("u", 1, 67, 9), IN_RANGE("dt", 0.01, 0.2, 1, 67, 9), IN("a_log", 9, 17), IN("b", 1, 67, 17),
                 IN("c", 1, 67, 17), IN("skip", 9) },
         .stride = 7),
    GRAD("op_cell_lstm", "one", cell_lstm, .in = { IN("xw", 1, 1, 4), IN("u", 1, 4), IN("h0", 1, 1), IN("c0", 1, 1) }),
    GRAD("op_cell_lstm", "odd", cell_lstm, .in = { IN("xw", 2, 5, 28), IN("u", 7, 28) }),
    GRAD("op_cell_lstm", "shared start", cell_lstm,
         .in = { IN("xw", 3, 5, 36), IN("u", 9, 36), IN("h0", 9), IN("c0", 9) }, .stride = 3),
    GRAD("op_cell_lstm", "long", cell_lstm,
         .in = { IN("xw", 2, 35, 68), IN_RANGE("u", -0.3, 0.3, 17, 68), IN("h0", 2, 17) }, .stride = 23),
    GRAD("op_attention", "one", attention, .in = { IN("q", 1, 1, 1, 1), IN("k", 1, 1, 1, 1), IN("v", 1, 1, 1, 1) }),
    GRAD("op_attention", "odd", attention, .in = { IN("q", 2, 7, 3, 5), IN("k", 2, 7, 3, 5), IN("v", 2, 7, 3, 9) }),
    GRAD("op_attention", "groups, cache, window", attention,
         .in = { IN("q", 2, 5, 4, 6), IN("k", 2, 9, 2, 6), IN("v", 2, 9, 2, 3) }, .arg = { 3 }),
    GRAD("op_attention", "distances", attention_biased,
         .in = { IN("q", 2, 7, 3, 5), IN("k", 2, 7, 3, 5), IN("v", 2, 7, 3, 9), IN("distance", 7, 3) }),
    GRAD("op_attention", "forget gates", attention_biased,
         .in = { IN("q", 2, 7, 2, 5), IN("k", 2, 7, 1, 5), IN("v", 2, 7, 1, 3), IN_RANGE("log_f", -2, 0, 2, 7, 2) }),
    GRAD("op_attention", "full bias", attention_biased,
         .in = { IN("q", 2, 5, 2, 4), IN("k", 2, 6, 1, 4), IN("v", 2, 6, 1, 3), IN("full", 2, 2, 5, 6) }),
    GRAD("op_attention", "all biases, groups, cache, window", attention_biased,
         .in = { IN("q", 2, 5, 4, 6), IN("k", 2, 9, 2, 6), IN("v", 2, 9, 2, 3), IN("distance", 9, 4),
                 IN_RANGE("log_f", -2, 0, 2, 9, 4), IN("full", 2, 4, 5, 9) },
         .arg = { 3 }),
    GRAD("op_attention", "all biases, few rows", attention_biased,
         .in = { IN("q", 2, 2, 2, 6), IN("k", 2, 11, 2, 6), IN("v", 2, 11, 2, 3), IN("distance", 11, 2),
                 IN_RANGE("log_f", -2, 0, 2, 11, 2), IN("full", 2, 2, 2, 11) }),
    GRAD("op_attention", "all biases, long", attention_biased,
         .in = { IN("q", 1, 67, 1, 8), IN("k", 1, 67, 1, 8), IN("v", 1, 67, 1, 9), IN("distance", 67, 1),
                 IN_RANGE("log_f", -1, 0, 1, 67, 1), IN("full", 1, 1, 67, 67) },
         .stride = 17),
    GRAD("op_cope", "one", cope, .in = { IN("q", 1, 1, 1, 1), IN("k", 1, 1, 1, 1), IN("z", 1, 1, 1, 2) }),
    GRAD("op_cope", "odd", cope, .in = { IN("q", 2, 7, 3, 5), IN("k", 2, 7, 3, 5), IN("z", 2, 7, 3, 9) }),
    GRAD("op_cope", "groups, cache, window, a cap", cope,
         .in = { IN("q", 2, 5, 4, 6), IN("k", 2, 9, 2, 6), IN("z", 2, 5, 4, 3) }, .arg = { 6 }),
    GRAD("op_cope", "long", cope, .in = { IN("q", 1, 67, 1, 8), IN("k", 1, 67, 1, 8), IN("z", 1, 67, 1, 20) },
         .stride = 11),
    GRAD("op_attention", "long", attention, .in = { IN("q", 1, 67, 1, 8), IN("k", 1, 67, 1, 8), IN("v", 1, 67, 1, 33) },
         .stride = 11),
};

static void more(Suite *s)
{
    suite_add_tcase(s, cases_scan());
    suite_add_tcase(s, cases_levels());
    suite_add_tcase(s, cases_slots());
    suite_add_tcase(s, cases_seq());
    suite_add_tcase(s, cases_attention());
}

int main(int argc, char **argv)
{
    return gradcheck_main(argc, argv, "kernels", cases, (int)(sizeof cases / sizeof *cases), more);
}
