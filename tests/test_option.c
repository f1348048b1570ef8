/* SPDX-License-Identifier: Apache-2.0
 * test_option.c - option tables: every kind, every message word for word, round trips, canonical form, help, laws. */
#include "base/option.h"
#include "support/suite.h"

#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cfg {
    int n;
    uint64_t s;
    double lr, any;
    bool flag;
    int which;
    const char *path, *mode;
    Reals eig;
    Length len, fixed;
    const Value *inner, *outer;
} Cfg;

static const Option options[] = { OPT_I(Cfg, n, "64", 1, 4096, "state width N, reals"),
                                  OPT_U(Cfg, s, "0", "seed"),
                                  OPT_R(Cfg, lr, "1e-3", 0, 1, "learning rate"),
                                  OPT_R(Cfg, any, "0.5", -HUGE_VAL, HUGE_VAL, "any real"),
                                  OPT_B(Cfg, flag, "true", "a flag"),
                                  OPT_E(Cfg, which, "all", "all|generators|swaps", "which elements are drawn"),
                                  OPT_S(Cfg, path, NULL, "a file, or none"),
                                  OPT_S(Cfg, mode, "plain text", "a text"),
                                  OPT_RS(Cfg, eig, "[-1, 1]", -2, 2, "eigenvalue range"),
                                  OPT_L(Cfg, len, "[2, 40]", 1, 65536, "sequence length, tokens"),
                                  OPT_L(Cfg, fixed, "7", 0, INT_MAX, "another length"),
                                  OPT_M(Cfg, inner, NULL, "the mixer inside, or none"),
                                  OPT_M(Cfg, outer, "{name: gla, heads: 4}", "the mixer outside"),
                                  OPT_END };

static Arena *arena;
static Cfg cfg;

static void start(void) { arena = arena_new("test"); }
static void stop(void) { arena_free(arena); }

static Value *parse(const char *text)
{
    Err err = { 0 };
    Value *v = value_parse(arena, text, &err);
    ck_assert_msg(v, "%s: %s", text, err.msg);
    return v;
}

static void read(const char *text)
{
    Err err = { 0 };
    memset(&cfg, 0xa5, sizeof cfg);
    ck_assert_msg(options_read(options, text ? parse(text) : NULL, "task mqar", NULL, &cfg, arena, &err), "%s: %s",
                  text, err.msg);
    ck_assert_int_eq(err.code, 0);
}

/* What is set, as one canonical line. */
static const char *changed(void) { return value_canonical(arena, options_value(options, &cfg, false, arena)); }

static const char *text_of(const char *name) { return option_text(option_find(options, name), &cfg, arena); }

/* ---- reading ---- */

START_TEST(defaults)
{
    for (int empty = 0; empty < 2; empty++) {
        read(empty ? "{}" : NULL);
        ck_assert_int_eq(cfg.n, 64);
        ck_assert_uint_eq(cfg.s, 0);
        ck_assert(cfg.lr == 1e-3 && cfg.any == 0.5);
        ck_assert(cfg.flag);
        ck_assert_int_eq(cfg.which, 0);
        ck_assert_ptr_eq(cfg.path, NULL);
        ck_assert_str_eq(cfg.mode, "plain text");
        ck_assert_int_eq(cfg.eig.n, 2);
        ck_assert(cfg.eig.v[0] == -1 && cfg.eig.v[1] == 1);
        ck_assert_int_eq(cfg.len.kind, LENGTH_UNIFORM);
        ck_assert_int_eq(cfg.len.v[0], 2);
        ck_assert_int_eq(cfg.len.v[1], 40);
        ck_assert_int_eq(cfg.len.now, 40);
        ck_assert_int_eq(cfg.fixed.now, 7);
        ck_assert_ptr_eq(cfg.inner, NULL);
        ck_assert_str_eq(value_text(cfg.outer, "name", ""), "gla");
        ck_assert_str_eq(changed(), "{}");
    }
}
END_TEST

START_TEST(values_of_every_kind)
{
    read("{n: 4096, s: 18446744073709551615, lr: 2.5e-4, any: -1e300, flag: false, which: swaps, path: 'a: b', "
         "mode: \"40\", eig: [0, 0.5, 1e-3], len: {set: [64, 128, 64]}, fixed: 0, inner: softmax, outer: {name: x, k: "
         "[1]}}");
    ck_assert_int_eq(cfg.n, 4096);
    ck_assert_uint_eq(cfg.s, UINT64_MAX);
    ck_assert(cfg.lr == 2.5e-4 && cfg.any == -1e300);
    ck_assert(!cfg.flag);
    ck_assert_int_eq(cfg.which, 2);
    ck_assert_str_eq(cfg.path, "a: b");
    ck_assert_str_eq(cfg.mode, "40");
    ck_assert_int_eq(cfg.eig.n, 3);
    ck_assert(cfg.eig.v[2] == 1e-3);
    ck_assert_int_eq(cfg.len.kind, LENGTH_SET);
    ck_assert_int_eq(cfg.len.n, 3);
    ck_assert_int_eq(cfg.len.now, 128);
    ck_assert_int_eq(cfg.fixed.v[0], 0);
    ck_assert_str_eq(cfg.inner->text, "softmax");
    ck_assert_str_eq(value_canonical(arena, cfg.outer), "{k: [1], name: x}");
    read("{eig: 0.25, len: 17, which: 'generators', n: 1, path: no}");
    ck_assert_int_eq(cfg.eig.n, 1);
    ck_assert(cfg.eig.v[0] == 0.25);
    ck_assert_int_eq(cfg.len.kind, LENGTH_FIXED);
    ck_assert_int_eq(cfg.which, 1);
    ck_assert_str_eq(cfg.path, "no"); /* typing is by the option: a string here */
    read("{eig: [], len: {uniform: [5, 5]}, path: '', inner: ''}");
    ck_assert_int_eq(cfg.eig.n, 0);
    ck_assert_int_eq(cfg.len.kind, LENGTH_FIXED);
    ck_assert_int_eq(cfg.len.v[0], 5);
    ck_assert_ptr_eq(cfg.path, NULL);
    ck_assert_ptr_eq(cfg.inner, NULL);
}
END_TEST

START_TEST(negative_zero_is_zero)
{
    read("{any: -0.0}");
    ck_assert(!signbit(cfg.any));
    ck_assert_str_eq(text_of("any"), "0.0");
}
END_TEST

START_TEST(skipped_keys)
{
    static const char *const skip[] = { "name", "label", NULL };
    Err err = { 0 };
    ck_assert(options_read(options, parse("{name: mqar, n: 3, label: [x]}"), "task mqar", skip, &cfg, arena, &err));
    ck_assert_int_eq(cfg.n, 3);
    ck_assert(!options_read(options, parse("{names: mqar}"), "task mqar", skip, &cfg, arena, &err));
    ck_assert_str_eq(err.msg, "unknown option 'names' for task mqar");
}
END_TEST

/* ---- messages ---- */

#define INT_N "(expected an integer 1..4096)"
#define LAW   "(expected an integer 1..65536, [min, max], {uniform: [min, max]} or {set: [at most 16 integers]})"
#define REALS "(expected a list of at most 16 numbers -2..2)"
#define SEED  "(expected an integer 0..18446744073709551615)"
#define MIXER "(expected a mixer's name or a map with its name and options)"

static const struct {
    const char *key, *value, *message;
} refused[] = {
    { "n", "abc", "'abc' is not an integer " INT_N },
    { "n", "''", "\"\" in quotes is a string, not an integer " INT_N },
    { "n", "'5'", "\"5\" in quotes is a string, not an integer " INT_N },
    { "n", "5.0", "'5.0' is not an integer " INT_N },
    { "n", "1e3", "'1e3' is not an integer " INT_N },
    { "n", "0x10", "'0x10' is not an integer " INT_N },
    { "n", "010", "'010' is not an integer " INT_N },
    { "n", "+5", "'+5' is not an integer " INT_N },
    { "n", "1_000", "'1_000' is not an integer " INT_N },
    { "n", "true", "'true' is not an integer " INT_N },
    { "n", "0", "0 is out of range " INT_N },
    { "n", "4097", "4097 is out of range " INT_N },
    { "n", "-3", "-3 is out of range " INT_N },
    { "n", "99999999999999999999", "99999999999999999999 is out of range " INT_N },
    { "n", "4294967297", "4294967297 is out of range " INT_N },
    { "n", "[1]", "a list is not an integer " INT_N },
    { "n", "{x: 1}", "a map is not an integer " INT_N },
    { "s", "-1", "-1 is out of range " SEED },
    { "s", "18446744073709551616", "18446744073709551616 is out of range " SEED },
    { "s", "1.5", "'1.5' is not an integer " SEED },
    { "lr", "fast", "'fast' is not a number (expected a number 0..1)" },
    { "lr", "'0.1'", "\"0.1\" in quotes is a string, not a number (expected a number 0..1)" },
    { "lr", "1.01", "1.01 is out of range (expected a number 0..1)" },
    { "lr", "-1e-9", "-1e-9 is out of range (expected a number 0..1)" },
    { "lr", "inf", "'inf' is not a number (expected a number 0..1)" },
    { "lr", ".nan", "'.nan' is not a number (expected a number 0..1)" },
    { "lr", "0x1p-3", "'0x1p-3' is not a number (expected a number 0..1)" },
    { "any", "1e999", "1e999 is out of range (expected a number)" },
    { "any", "[0.1, 0.2]", "a list is not a number (expected a number)" },
    { "flag", "yes", "'yes' is not a boolean (expected true or false)" },
    { "flag", "1", "'1' is not a boolean (expected true or false)" },
    { "flag", "True", "'True' is not a boolean (expected true or false)" },
    { "flag", "'true'", "\"true\" in quotes is a string, not a boolean (expected true or false)" },
    { "flag", "[]", "a list is not a boolean (expected true or false)" },
    { "which", "swap", "'swap' is not one of the choices (expected all, generators or swaps; did you mean 'swaps'?)" },
    { "which", "none", "'none' is not one of the choices (expected all, generators or swaps)" },
    { "which", "[all]", "a list is not one of the choices (expected all, generators or swaps)" },
    { "mode", "{a: 1}", "a map is not a string (expected a string)" },
    { "eig", "[0.5, x]", "'x' is not a number " REALS },
    { "eig", "[0.5, 3]", "3 is out of range " REALS },
    { "eig", "{a: 1}", "a map is not a list of numbers " REALS },
    { "eig", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "17 numbers are too many " REALS },
    { "len", "x", "'x' is not an integer " LAW },
    { "len", "0", "0 is out of range " LAW },
    { "len", "[5, 2]", "min 5 is greater than max 2 " LAW },
    { "len", "[5]", "uniform needs 2 integers, not 1 " LAW },
    { "len", "[1, 2, 3]", "uniform needs 2 integers, not 3 " LAW },
    { "len", "[1, 65537]", "65537 is out of range " LAW },
    { "len", "[1, '2']", "\"2\" in quotes is a string, not an integer " LAW },
    { "len", "{uniform: 5}", "uniform needs a list [min, max] " LAW },
    { "len", "{uniform: [1, two]}", "'two' is not an integer " LAW },
    { "len", "{set: 5}", "set needs a list of integers " LAW },
    { "len", "{set: []}", "set needs 1..16 integers, not 0 " LAW },
    { "len", "{set: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "set needs 1..16 integers, not 17 " LAW },
    { "len", "{set: [0]}", "0 is out of range " LAW },
    { "len", "{}", "a law of lengths is a map with one key, not 0 " LAW },
    { "len", "{set: [1], uniform: [1, 2]}", "a law of lengths is a map with one key, not 2 " LAW },
    { "len", "{sets: [1]}",
      "unknown law 'sets' (expected an integer 1..65536, [min, max], {uniform: [min, max]} or "
      "{set: [at most 16 integers]}; did you mean 'set'?)" },
    { "fixed", "-1",
      "-1 is out of range (expected an integer >= 0, [min, max], {uniform: [min, max]} or "
      "{set: [at most 16 integers]})" },
    { "inner", "[gla]", "a list is not a mixer " MIXER },
    { "inner", "{heads: 4}", "no mixer is named " MIXER },
    { "inner", "{name: [x]}", "no mixer is named " MIXER },
    { "outer", "''", "no mixer is named " MIXER },
};

START_TEST(messages)
{
    const char *key = refused[_i].key;
    Value *map = parse(arena_printf(arena, "{%s: %s}", key, refused[_i].value));
    Err err = { 0 };
    map->first->file = "configs/x.yaml", map->first->line = 7, map->first->col = 14;
    for (Value *c = map->first->first; c; c = c->next) {
        c->file = "configs/x.yaml", c->line = 7, c->col = 14;
        for (Value *d = c->first; d; d = d->next) d->file = "configs/x.yaml", d->line = 7, d->col = 14;
    }
    ck_assert(!options_read(options, map, "task mqar", NULL, &cfg, arena, &err));
    ck_assert_int_eq(err.code, EXIT_USAGE);
    ck_assert_str_eq(err.msg, arena_printf(arena, "configs/x.yaml:7:14: option '%s' of task mqar: %s", key,
                                           refused[_i].message));
}
END_TEST

START_TEST(unknown_options)
{
    static const char *const cases[][2] = {
        { "lenght", "configs/x.yaml:7:9: unknown option 'lenght' for task mqar (did you mean 'len'?)" },
        { "LR", "configs/x.yaml:7:9: unknown option 'LR' for task mqar (did you mean 'lr'?)" },
        { "fixd", "configs/x.yaml:7:9: unknown option 'fixd' for task mqar (did you mean 'fixed'?)" },
        { "batch", "configs/x.yaml:7:9: unknown option 'batch' for task mqar" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Value *map = parse(arena_printf(arena, "{%s: 1}", cases[i][0]));
        Err err = { 0 };
        map->first->file = "configs/x.yaml", map->first->line = 7, map->first->col = 14;
        map->first->key_line = 7, map->first->key_col = 9;
        ck_assert(!options_read(options, map, "task mqar", NULL, &cfg, arena, &err));
        ck_assert_str_eq(err.msg, cases[i][1]);
        ck_assert_int_eq(err.code, EXIT_USAGE);
    }
    Err err = { 0 }; /* from the command line: no place */
    ck_assert(!options_read(options, parse("{lenght: 1}"), "task mqar", NULL, &cfg, arena, &err));
    ck_assert_str_eq(err.msg, "unknown option 'lenght' for task mqar (did you mean 'len'?)");
    static const Option nothing[] = { OPT_END };
    err = (Err){ 0 };
    ck_assert(!options_read(nothing, parse("{x: 1}"), "mixer none", NULL, &cfg, arena, &err));
    ck_assert_str_eq(err.msg, "unknown option 'x' for mixer none");
}
END_TEST

START_TEST(no_map)
{
    Err err = { 0 };
    Value *list = parse("[1]");
    list->file = "x.yaml", list->line = 2, list->col = 3;
    ck_assert(!options_read(options, list, "task mqar", NULL, &cfg, arena, &err));
    ck_assert_str_eq(err.msg, "x.yaml:2:3: task mqar: expected a map of options, found a list");
    err = (Err){ 0 };
    ck_assert(!options_read(options, parse("mqar"), "task mqar", NULL, &cfg, arena, &err));
    ck_assert_str_eq(err.msg, "task mqar: expected a map of options, found a scalar");
}
END_TEST

START_TEST(ranges_in_words)
{
    static const Option one_sided[] = { { "a", OPT_INT, 0, "5", 1, INT_MAX, NULL, "" },
                                        { "b", OPT_INT, 0, "0", INT_MIN, 5, NULL, "" },
                                        { "c", OPT_INT, 0, "0", INT_MIN, INT_MAX, NULL, "" },
                                        { "d", OPT_REAL, 0, "1", 0.001, HUGE_VAL, NULL, "" },
                                        OPT_END };
    static const char *const cases[][2] = {
        { "{a: x}", "(expected an integer >= 1)" },
        { "{b: x}", "(expected an integer <= 5)" },
        { "{c: x}", "(expected an integer)" },
        { "{d: x}", "(expected a number >= 0.001)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Err err = { 0 };
        double room[2];
        ck_assert(!options_read(one_sided, parse(cases[i][0]), "x", NULL, room, arena, &err));
        ck_assert_msg(strstr(err.msg, cases[i][1]), "%s", err.msg);
    }
}
END_TEST

START_TEST(bad_default_aborts)
{
    static const Option bad[] = { OPT_I(Cfg, n, "0", 1, 4096, "default out of range"), OPT_END };
    Err err = { 0 };
    options_read(bad, NULL, "task x", NULL, &cfg, arena, &err);
}
END_TEST

/* ---- writing ---- */

START_TEST(real_text)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        { 0, "0.0" },
        { 1, "1.0" },
        { -1, "-1.0" },
        { 0.5, "0.5" },
        { 1e-3, "1.0e-3" },
        { 3e-4, "3.0e-4" },
        { 0.01, "0.01" },
        { 0.05, "0.05" },
        { 0.1, "0.1" },
        { 0.125, "0.125" },
        { 1.25e-3, "1.25e-3" },
        { 100, "100.0" },
        { 1e6, "1000000.0" },
        { 1e7, "1.0e+7" },
        { 12345678, "1.2345678e+7" },
        { 1234567.5, "1234567.5" },
        { 1e300, "1.0e+300" },
        { 5e-324, "5.0e-324" },
        { 1.0 / 3, "0.3333333333333333" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { -2.5e-7, "-2.5e-7" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 99.5, "99.5" },
        { 0.98, "0.98" },
        { 10.25, "10.25" },
    };
    read(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cfg.any = cases[i].v;
        ck_assert_str_eq(text_of("any"), cases[i].text);
    }
}
END_TEST

/* Any double comes back as itself, in a form that is a float for YAML 1.1: a point, and a sign in the exponent. */
START_TEST(reals_round_trip)
{
    Rng r = rng_seed(3, 3);
    const Option *o = option_find(options, "any");
    read(NULL);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)rng_u32(&r) << 32 | rng_u32(&r);
        double v, back;
        memcpy(&v, &bits, 8);
        if (i % 2) v = rng_normal(&r) * pow(10, (int)rng_below(&r, 9) - 5);
        if (!isfinite(v) || v == 0) continue;
        cfg.any = v;
        size_t mark = arena_mark(arena);
        Value *text = option_value(o, &cfg, arena);
        Err err = { 0 };
        ck_assert_msg(option_parse(o, text, "x", &cfg, arena, &err), "%s", err.msg);
        back = cfg.any;
        ck_assert_msg(back == v, "%.17g is written as %s", v, text->text);
        const char *point = strchr(text->text, '.'), *e = strchr(text->text, 'e');
        ck_assert(point && (!e || (e > point && (e[1] == '-' || e[1] == '+'))));
        arena_reset(arena, mark);
    }
}
END_TEST

START_TEST(whole_configs_round_trip)
{
    static const char *const cases[][2] = {
        { "{}", "{}" },
        { "{n: 64, lr: 0.001, flag: true, which: all, eig: [-1.0, 1], len: {uniform: [2, 40]}}", "{}" },
        { "{outer: {heads: 4, name: gla, label: x}}", "{}" },
        { "{n: 3, s: 9, lr: 3e-4, any: 1e9}", "{any: 1.0e+9, \"n\": 3, lr: 3.0e-4, s: 9}" },
        { "{flag: false, which: swaps, path: yes, mode: '12'}",
          "{flag: false, mode: \"12\", path: \"yes\", which: swaps}" },
        { "{eig: 0.5, len: {set: [9, 3]}}", "{eig: [0.5], len: {set: [9, 3]}}" },
        { "{len: [5, 9], fixed: [1, 2]}", "{fixed: {uniform: [1, 2]}, len: {uniform: [5, 9]}}" },
        { "{len: 9}", "{len: 9}" },
        { "{inner: {name: gla}}", "{inner: gla}" },
        { "{inner: {heads: 2, name: gla, label: y}}", "{inner: {heads: 2, name: gla}}" },
        { "{outer: softmax, eig: []}", "{eig: [], outer: softmax}" },
        { "{mode: ''}", "{mode: \"\"}" },
        { "{path: ''}", "{}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read(cases[i][0]);
        const char *want = value_canonical(arena, parse(cases[i][1])), *first = changed();
        ck_assert_str_eq(first, want);
        read(first);
        ck_assert_str_eq(changed(), first);
        const char *all = value_canonical(arena, options_value(options, &cfg, true, arena));
        read(all);
        ck_assert_str_eq(value_canonical(arena, options_value(options, &cfg, true, arena)), all);
        ck_assert_str_eq(changed(), first);
    }
}
END_TEST

START_TEST(is_default)
{
    read("{n: 64, lr: 0.002}");
    ck_assert(option_is_default(option_find(options, "n"), &cfg, arena));
    ck_assert(!option_is_default(option_find(options, "lr"), &cfg, arena));
    cfg.len.now = 11; /* what was drawn is no setting */
    ck_assert(option_is_default(option_find(options, "len"), &cfg, arena));
    cfg.len.v[1] = 41;
    ck_assert(!option_is_default(option_find(options, "len"), &cfg, arena));
    ck_assert_int_eq(options_value(options, &cfg, false, arena)->count, 2);
    ck_assert_int_eq(options_value(options, &cfg, true, arena)->count, 13);
}
END_TEST

START_TEST(one_line_texts)
{
    read("{len: {set: [64, 128]}, fixed: [3, 9], flag: false, which: generators, inner: softmax, path: a b, lr: 3e-4}");
    static const char *const cases[][2] = {
        { "n", "64" },
        { "s", "0" },
        { "lr", "3.0e-4" },
        { "flag", "0" },
        { "which", "generators" },
        { "path", "a b" },
        { "eig", "[-1.0, 1.0]" },
        { "len", "set 64 128" },
        { "fixed", "uniform 3..9" },
        { "inner", "softmax" },
        { "outer", "{heads: 4, name: gla}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) ck_assert_str_eq(text_of(cases[i][0]), cases[i][1]);
    read(NULL);
    ck_assert_str_eq(text_of("flag"), "1");
    ck_assert_str_eq(text_of("path"), "");
    ck_assert_str_eq(text_of("inner"), "");
    ck_assert_str_eq(text_of("fixed"), "7");
}
END_TEST

START_TEST(finding)
{
    ck_assert_ptr_eq(option_find(options, "lr"), &options[2]);
    ck_assert_ptr_eq(option_find(options, "l"), NULL);
    ck_assert_ptr_eq(option_find(options, "lrs"), NULL);
}
END_TEST

START_TEST(help_lines)
{
    static const Option table[] = {
        OPT_L(Cfg, len, "[2, 40]", 1, 65536, "sequence length, tokens"),
        OPT_E(Cfg, which, "all", "all|swaps", "which elements are drawn"),
        OPT_S(Cfg, path, NULL, "a file, or none"),
        OPT_B(Cfg, flag, "true", "a flag"),
        OPT_END,
    };
    ck_assert_str_eq(options_help(table, arena),
                     "  name   type                      default  meaning\n"
                     "  len    law of integers 1..65536  [2, 40]  sequence length, tokens\n"
                     "  which  all | swaps               all      which elements are drawn\n"
                     "  path   string                    -        a file, or none\n"
                     "  flag   true | false              true     a flag\n");
    static const Option nothing[] = { OPT_END };
    ck_assert_str_eq(options_help(nothing, arena), "");
}
END_TEST

/* ---- laws of lengths ---- */

START_TEST(length_draws)
{
    Rng r = rng_seed(8, 1);
    read("{len: [3, 6], fixed: {set: [10, 20, 10, 40]}}");
    ck_assert_int_eq(length_min(&cfg.len), 3);
    ck_assert_int_eq(length_max(&cfg.len), 6);
    ck_assert_int_eq(length_min(&cfg.fixed), 10);
    ck_assert_int_eq(length_max(&cfg.fixed), 40);
    int uniform[8] = { 0 }, set[5] = { 0 };
    for (int i = 0; i < 40000; i++) {
        options_draw_lengths(options, &cfg, &r);
        ck_assert(cfg.len.now >= 3 && cfg.len.now <= 6);
        ck_assert(cfg.fixed.now == 10 || cfg.fixed.now == 20 || cfg.fixed.now == 40);
        uniform[cfg.len.now]++;
        set[cfg.fixed.now / 10]++;
    }
    for (int k = 3; k <= 6; k++) ck_assert_double_eq_tol(uniform[k], 10000, 4 * sqrt(40000 * 0.25 * 0.75));
    ck_assert_double_eq_tol(set[1], 20000, 4 * sqrt(40000 * 0.25)); /* given twice, drawn twice as often */
    ck_assert_double_eq_tol(set[2], 10000, 4 * sqrt(40000 * 0.25 * 0.75));
}
END_TEST

START_TEST(fixed_lengths_draw_nothing)
{
    Rng r = rng_seed(8, 1), before = r;
    read("{len: 40, fixed: [5, 5]}");
    options_draw_lengths(options, &cfg, &r);
    ck_assert_int_eq(cfg.len.now, 40);
    ck_assert_int_eq(cfg.fixed.now, 5);
    ck_assert_uint_eq(r.state, before.state);
    ck_assert_int_eq(length_min(&cfg.len), 40);
    ck_assert_int_eq(length_max(&cfg.len), 40);
}
END_TEST

START_TEST(widest_uniform_law)
{
    Rng r = rng_seed(8, 1);
    read("{fixed: [0, 2147483647]}");
    for (int i = 0; i < 1000; i++) {
        length_draw(&cfg.fixed, &r);
        ck_assert_int_ge(cfg.fixed.now, 0);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("option");
    TCase *t = tcase_create("reading");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, defaults);
    tcase_add_test(t, values_of_every_kind);
    tcase_add_test(t, negative_zero_is_zero);
    tcase_add_test(t, skipped_keys);
    tcase_add_loop_test(t, messages, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(t, unknown_options);
    tcase_add_test(t, no_map);
    tcase_add_test(t, ranges_in_words);
    tcase_add_test_raise_signal(t, bad_default_aborts, 6);
    suite_add_tcase(s, t);
    t = tcase_create("writing");
    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, real_text);
    tcase_add_test(t, reals_round_trip);
    tcase_add_test(t, whole_configs_round_trip);
    tcase_add_test(t, is_default);
    tcase_add_test(t, one_line_texts);
    tcase_add_test(t, finding);
    tcase_add_test(t, help_lines);
    suite_add_tcase(s, t);
    t = tcase_create("lengths");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, length_draws);
    tcase_add_test(t, fixed_lengths_draw_nothing);
    tcase_add_test(t, widest_uniform_law);
    suite_add_tcase(s, t);
    return suite_run(s);
}
