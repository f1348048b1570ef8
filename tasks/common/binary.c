/* SPDX-License-Identifier: Apache-2.0
 * binary.c - see binary.h. */
#include "common/binary.h"

bool binary_shape(const BinaryCfg *c, const char *task, int more, TaskShape *out, Err *err)
{
    const Chomsky f = binary_frame(c);
    const int n = length_max(&c->len);
    if (c->score_tail && c->compat)
        return err_set(err, EXIT_USAGE, "%s: compat: chomsky needs score_tail: false", task);
    *out = (TaskShape){
        .vocab_in = chomsky_vocab(&f),
        .vocab_out = 3,
        .max_len = chomsky_len(&f, n, n + more),
        .chance_uniform = 1.0 / 3,
        .ceiling = 1,
        .headline = "acc_token",
        .slice_label = "index",
    };
    return true;
}

const char *binary_symbol(const BinaryCfg *c, const char *sign, int id, bool is_target)
{
    const Chomsky f = binary_frame(c);
    if (is_target && id == BINARY_SEPARATOR) return "<end>";
    if (!is_target && chomsky_symbol(&f, id)) return chomsky_symbol(&f, id);
    return id == BINARY_SEPARATOR ? sign : id ? "1" : "0";
}
