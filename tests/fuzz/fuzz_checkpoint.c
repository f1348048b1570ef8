/* SPDX-License-Identifier: Apache-2.0
 * fuzz_checkpoint.c - bytes as changes to the checkpoint of a tiny run, so that an input fits every build.
 *
 *   flags | op offset(2) length(1) bytes... | ...       op % 4: 0 overwrite, 1 add to each byte, 2 cut off, 3 append
 *
 * Flag 1 puts the length and the checksum right again, so that the fields behind them are read. What is accepted can
 * be put back into a model, and what that writes is accepted again.
 */
#include <string.h>

#include "fuzz.h"
#include "sweep/sweep.h"
#include "train/checkpoint.h"

enum { LENGTH_AT = 16, APPEND_MAX = 4096 };

/* Apply the changes; returns the new length. file has room for APPEND_MAX more bytes. */
static size_t apply(char *file, size_t len, const unsigned char *data, size_t n)
{
    size_t room = len + APPEND_MAX;
    while (n >= 4) {
        size_t at = len ? (data[1] + 256u * data[2]) % len : 0, take = data[3];
        int op = data[0] % 4;
        data += 4;
        n -= 4;
        if (take > n) take = n;
        for (size_t i = 0; i < take && op < 2 && at + i < len; i++)
            file[at + i] = (char)(op == 0 ? data[i] : (unsigned char)file[at + i] + data[i]);
        if (op == 2) len = at;
        for (size_t i = 0; i < take && op == 3 && len < room; i++) file[len++] = (char)data[i];
        data += take;
        n -= take;
    }
    return len;
}

static void seal(char *file, size_t len)
{
    const int64_t length = (int64_t)len;
    if (len < LENGTH_AT + 2 * sizeof length) return;
    memcpy(file + LENGTH_AT, &length, sizeof length);
    const uint64_t hash = hash_bytes(file, len - sizeof hash, 1);
    memcpy(file + len - sizeof hash, &hash, sizeof hash);
}

static void check(const char *file, size_t len, Model *m, AdamW *opt, Arena *a)
{
    Checkpoint c, again;
    Err err = { 0 };
    const size_t n = params_count(m->params);
    checkpoint_none(&c, m->spec, n);
    if (checkpoint_decode(&c, file, len, &err)) {
        checkpoint_restore(&c, m->params, c.moments ? opt : NULL);
        char *copy = checkpoint_encode(&c, m->params, c.moments ? opt : NULL, a, &len);
        checkpoint_none(&again, m->spec, n);
        CHECK(checkpoint_decode(&again, copy, len, &err), "written again, refused: %s", err.msg);
        checkpoint_free(&again);
    } else {
        CHECK(err.code && err.msg[0], "refused without a message");
    }
    checkpoint_free(&c);
}

void fuzz_checkpoint(const unsigned char *data, size_t len)
{
    static const char text[] = "task: {name: parity, len: 3}\nmixer: {name: mingru, width: 2}\ntrain: {batch: 8}\n"
                               "model: {d_model: 2, layers: 1, channel_mixer: none}\neval: {x2: {len: 4}}\n";
    if (!task_find("parity") || !mixer_find("mingru")) return;
    Arena *a = arena_new("fuzz");
    Value *config;
    RunSpec spec;
    Model model;
    AdamW opt;
    Checkpoint c;
    Err err = { 0 };
    bool ok = yaml_parse("x.yaml", text, a, &config, &err) && run_resolve(config, a, &spec, &err) &&
              model_build(&model, &spec, a, &err);
    CHECK(ok, "%s", err.msg);
    const size_t n = params_count(model.params);
    adamw_init(&opt, n, spec.train.beta1, spec.train.beta2, spec.train.eps, a);
    checkpoint_none(&c, &spec, n);
    size_t size;
    char *file = checkpoint_encode(&c, model.params, &opt, a, &size), *copy = ARENA_NEW(a, char, size + APPEND_MAX);
    memcpy(copy, file, size);
    checkpoint_free(&c);
    if (len) size = apply(copy, size, data + 1, len - 1);
    if (len && data[0] & 1) seal(copy, size);
    check(copy, size, &model, &opt, a);
    arena_free(a);
}
