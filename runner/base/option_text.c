/* SPDX-License-Identifier: Apache-2.0
 * option_text.c - fields of a Cfg back as values and text, help, and the length laws.
 *
 * option_value is the inverse of option_parse and writes one text per value, so equal configurations hash equally:
 * integers plain, reals the shortest that reads back as the same double and is a float for a YAML 1.1 reader too (a
 * point always, a sign in every exponent: 1.0, 0.05, 1.0e-3), uniform laws as {uniform: [min, max]}.
 */
#include "base/option.h"

#include "base/file.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- length laws ---- */

int length_min(const Length *l)
{
    int m = l->v[0];
    for (int i = 1; i < l->n; i++) m = l->v[i] < m ? l->v[i] : m;
    return m;
}

int length_max(const Length *l)
{
    int m = l->v[0];
    for (int i = 1; i < l->n; i++) m = l->v[i] > m ? l->v[i] : m;
    return m;
}

void length_draw(Length *l, Rng *rng)
{
    switch (l->kind) {
    case LENGTH_FIXED: l->now = l->v[0]; break; /* draws nothing */
    case LENGTH_UNIFORM: l->now = (int)(l->v[0] + (int64_t)rng_below(rng, (uint32_t)(l->v[1] - l->v[0]) + 1)); break;
    case LENGTH_SET: l->now = l->v[rng_below(rng, (uint32_t)l->n)]; break;
    }
}

void options_draw_lengths(const Option *table, void *cfg, Rng *rng)
{
    for (const Option *o = table; o->name; o++)
        if (o->kind == OPT_LENGTH) length_draw((Length *)(void *)((char *)cfg + o->offset), rng);
}

/* ---- values ---- */

/* s holds 40. Exponent form below 0.01 and from 1e7 on. */
static void real_text(char *s, double v)
{
    char sci[40], digits[24];
    int n = 0, exponent;
    for (int p = 0; p < 17; p++) {
        snprintf(sci, sizeof sci, "%.*e", p, v);
        if (strtod(sci, NULL) == v) break;
    }
    char *e = strchr(sci, 'e');
    exponent = atoi(e + 1);
    for (const char *c = sci; c < e; c++)
        if (*c >= '0' && *c <= '9') digits[n++] = *c;
    digits[n] = 0;
    const char *sign = sci[0] == '-' ? "-" : "";
    if (v == 0)
        snprintf(s, 40, "0.0");
    else if (exponent >= 7 || exponent < -2)
        snprintf(s, 40, "%s%c.%se%c%d", sign, digits[0], n > 1 ? digits + 1 : "0", exponent < 0 ? '-' : '+',
                 abs(exponent));
    else if (exponent < 0)
        snprintf(s, 40, "%s0.%s%s", sign, exponent == -2 ? "0" : "", digits);
    else if (n > exponent + 1)
        snprintf(s, 40, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
    else
        snprintf(s, 40, "%s%s%.*s.0", sign, digits, exponent + 1 - n, "0000000");
}

static Value *real_value(Arena *a, double v)
{
    char s[40];
    real_text(s, v);
    return value_scalar(a, s);
}

static Value *int_value(Arena *a, int v) { return value_scalar(a, arena_printf(a, "%d", v)); }

static Value *string_value(Arena *a, const char *s)
{
    Value *v = value_scalar(a, s ? s : "");
    v->quoted = true; /* written in quotes only where YAML needs them */
    return v;
}

static Value *choice_value(Arena *a, const char *choices, int index)
{
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        CHECK(choices, "choice %d too many", index);
        choices++;
    }
    return string_value(a, arena_printf(a, "%.*s", (int)strcspn(choices, "|"), choices));
}

static Value *length_value(Arena *a, const Length *l)
{
    if (l->kind == LENGTH_FIXED) return int_value(a, l->v[0]);
    Value *law = value_map(a), *list = value_list(a);
    for (int i = 0; i < l->n; i++) value_append(list, int_value(a, l->v[i]));
    value_set(law, l->kind == LENGTH_SET ? "set" : "uniform", list);
    return law;
}

static Value *reals_value(Arena *a, const Reals *r)
{
    Value *list = value_list(a);
    for (int i = 0; i < r->n; i++) value_append(list, real_value(a, r->v[i]));
    return list;
}

/* Without its label, which is for people; just the name if nothing else is left. */
static Value *mixer_value(Arena *a, const Value *spec)
{
    if (!spec || spec->kind == VALUE_SCALAR) return string_value(a, spec ? spec->text : NULL);
    Value *map = value_map(a);
    for (const Value *c = spec->first; c; c = c->next)
        if (strcmp(c->key, "label") != 0) value_set(map, c->key, value_copy(a, c));
    return map->count == 1 ? string_value(a, value_text(map, "name", "")) : map;
}

Value *option_value(const Option *o, const void *cfg, Arena *a)
{
    const void *f = (const char *)cfg + o->offset;
    switch (o->kind) {
    case OPT_INT: return int_value(a, *(const int *)f);
    case OPT_U64: return value_scalar(a, arena_printf(a, "%" PRIu64, *(const uint64_t *)f));
    case OPT_REAL: return real_value(a, *(const double *)f);
    case OPT_BOOL: return value_scalar(a, *(const bool *)f ? "true" : "false");
    case OPT_ENUM: return choice_value(a, o->choices, *(const int *)f);
    case OPT_STRING: return string_value(a, *(const char *const *)f);
    case OPT_REALS: return reals_value(a, f);
    case OPT_LENGTH: return length_value(a, f);
    case OPT_MIXER: return mixer_value(a, *(const Value *const *)f);
    case OPT_END_KIND: break;
    }
    CHECK(false, "option '%s' has no kind", o->name);
    return NULL;
}

char *option_text(const Option *o, const void *cfg, Arena *a)
{
    const void *f = (const char *)cfg + o->offset;
    Value *v = option_value(o, cfg, a);
    if (o->kind == OPT_BOOL) return arena_strdup(a, *(const bool *)f ? "1" : "0");
    if (v->kind == VALUE_SCALAR) return arena_strdup(a, v->text);
    if (o->kind != OPT_LENGTH) return value_canonical(a, v);
    const Length *l = f;
    if (l->kind == LENGTH_UNIFORM) return arena_printf(a, "uniform %d..%d", l->v[0], l->v[1]);
    Buf b = buf_new(a);
    buf_puts(&b, "set");
    for (int i = 0; i < l->n; i++) buf_printf(&b, " %d", l->v[i]);
    return b.s;
}

bool option_is_default(const Option *o, const void *cfg, Arena *a)
{
    union {
        int i;
        uint64_t u;
        double r;
        bool b;
        const char *s;
        Reals reals;
        Length length;
        const Value *mixer;
    } field;
    Option at_zero = *o;
    Err err = { 0 };
    at_zero.offset = 0;
    const Value *def = value_parse(a, o->def ? o->def : "", &err);
    CHECK(def && option_parse(&at_zero, def, "defaults", &field, a, &err), "default of '%s': %s", o->name, err.msg);
    const char *is = value_canonical(a, option_value(o, cfg, a));
    return !strcmp(is, value_canonical(a, option_value(&at_zero, &field, a)));
}

Value *options_value(const Option *table, const void *cfg, bool with_defaults, Arena *a)
{
    Value *map = value_map(a);
    for (const Option *o = table; o->name; o++)
        if (with_defaults || !option_is_default(o, cfg, a)) value_set(map, o->name, option_value(o, cfg, a));
    return map;
}

/* ---- help ---- */

char *option_type(const Option *o, Arena *a)
{
    Buf b = buf_new(a);
    switch (o->kind) {
    case OPT_INT:
    case OPT_U64: buf_puts(&b, "integer"); break;
    case OPT_REAL: buf_puts(&b, "real"); break;
    case OPT_BOOL: return arena_strdup(a, "true | false");
    case OPT_ENUM:
        for (const char *c = o->choices; *c; c++)
            if (*c == '|')
                buf_puts(&b, " | ");
            else
                buf_printf(&b, "%c", *c);
        return b.s;
    case OPT_STRING: return arena_strdup(a, "string");
    case OPT_REALS: buf_puts(&b, "list of reals"); break;
    case OPT_LENGTH: buf_puts(&b, "law of integers"); break;
    case OPT_MIXER: return arena_strdup(a, "mixer");
    case OPT_END_KIND: break;
    }
    bool integer = o->kind == OPT_INT || o->kind == OPT_LENGTH;
    bool lo = integer ? o->min > INT_MIN : o->min > -HUGE_VAL, hi = integer ? o->max < INT_MAX : o->max < HUGE_VAL;
    if (o->kind == OPT_U64)
        buf_puts(&b, " >= 0");
    else if (lo && hi)
        buf_printf(&b, " %.10g..%.10g", o->min, o->max);
    else if (lo)
        buf_printf(&b, " >= %.10g", o->min);
    else if (hi)
        buf_printf(&b, " <= %.10g", o->max);
    return b.s;
}

static int widen(int width, const char *s, int limit)
{
    int n = (int)strlen(s);
    return n > width && n <= limit ? n : width;
}

char *options_help(const Option *table, Arena *a)
{
    Buf b = buf_new(a);
    int name_w = 4, type_w = 4, def_w = 7;
    for (const Option *o = table; o->name; o++) {
        name_w = widen(name_w, o->name, 24);
        type_w = widen(type_w, option_type(o, a), 32);
        def_w = widen(def_w, o->def ? o->def : "-", 24);
    }
    if (table->name)
        buf_printf(&b, "  %-*s  %-*s  %-*s  %s\n", name_w, "name", type_w, "type", def_w, "default", "meaning");
    for (const Option *o = table; o->name; o++)
        buf_printf(&b, "  %-*s  %-*s  %-*s  %s\n", name_w, o->name, type_w, option_type(o, a), def_w,
                   o->def && *o->def ? o->def : "-", o->help);
    return b.s;
}
