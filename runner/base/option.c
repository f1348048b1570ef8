/* SPDX-License-Identifier: Apache-2.0
 * option.c - reading values into the fields of a Cfg, by the option's kind.
 *
 * Typing is by the option, never by the text: `len: 40` is an integer because len is one. A quoted scalar is a string
 * and nothing else; booleans are true and false; integers are plain decimals, reals plain or with an exponent, both
 * finite. Every failure is EXIT_USAGE and says where, which option of what, what was found and what was expected.
 */
#include "base/option.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECT_MAX = 320 };

const Option *option_find(const Option *table, const char *name)
{
    for (const Option *o = table; o->name; o++)
        if (!strcmp(o->name, name)) return o;
    return NULL;
}

/* ---- what is expected, in words ---- */

/* "1..65536", ">= 1", "<= 0", "" of the range, with numbers as people write them. */
static void range_text(char *s, size_t size, const Option *o)
{
    bool integer = o->kind == OPT_INT || o->kind == OPT_LENGTH;
    bool lo = integer ? o->min > INT_MIN : o->min > -HUGE_VAL, hi = integer ? o->max < INT_MAX : o->max < HUGE_VAL;
    if (o->kind == OPT_U64)
        snprintf(s, size, " 0..%" PRIu64, UINT64_MAX);
    else if (lo && hi)
        snprintf(s, size, " %.10g..%.10g", o->min, o->max);
    else if (lo)
        snprintf(s, size, " >= %.10g", o->min);
    else if (hi)
        snprintf(s, size, " <= %.10g", o->max);
    else
        s[0] = 0;
}

/* "all, generators or swaps" of "all|generators|swaps". */
static void choices_text(char *s, size_t size, const char *choices)
{
    size_t at = 0;
    for (const char *c = choices; c && at < size;) {
        size_t n = strcspn(c, "|");
        bool last = c[n] == 0, before_last = !last && c[n + 1 + strcspn(c + n + 1, "|")] == 0;
        at += (size_t)snprintf(s + at, size - at, "%.*s%s", (int)n, c, last ? "" : before_last ? " or " : ", ");
        c = last ? NULL : c + n + 1;
    }
}

static void expect_text(char *s, size_t size, const Option *o)
{
    char range[80];
    range_text(range, sizeof range, o);
    switch (o->kind) {
    case OPT_INT:
    case OPT_U64: snprintf(s, size, "an integer%s", range); break;
    case OPT_REAL: snprintf(s, size, "a number%s", range); break;
    case OPT_BOOL: snprintf(s, size, "true or false"); break;
    case OPT_ENUM: choices_text(s, size, o->choices); break;
    case OPT_STRING: snprintf(s, size, "a string"); break;
    case OPT_REALS: snprintf(s, size, "a list of at most %d numbers%s", REALS_MAX, range); break;
    case OPT_LENGTH:
        snprintf(s, size, "an integer%s, [min, max], {uniform: [min, max]} or {set: [at most %d integers]}", range,
                 LENGTH_MAX);
        break;
    case OPT_MIXER: snprintf(s, size, "a mixer's name or a map with its name and options"); break;
    case OPT_END_KIND: s[0] = 0; break;
    }
}

typedef struct Where {
    const Option *o;
    const char *owner;
    Err *err;
} Where;

/* "place: option 'len' of task mqar: <what> (expected ...; did you mean 'near'?)"; near may be NULL. */
static bool refuse_near(const Where *w, const Value *at, const char *near, const char *what)
{
    char place[256], expect[EXPECT_MAX];
    expect_text(expect, sizeof expect, w->o);
    return err_set(w->err, EXIT_USAGE, "%soption '%s' of %s: %s (expected %s%s%s%s)", value_place(at, false, place),
                   w->o->name, w->owner, what, expect, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static bool refuse(const Where *w, const Value *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool refuse(const Where *w, const Value *at, const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return refuse_near(w, at, NULL, what);
}

/* "<what> is not <type>", for any kind of value. */
static bool refuse_type(const Where *w, const Value *v, const char *type)
{
    if (v->kind == VALUE_LIST) return refuse(w, v, "a list is not %s", type);
    if (v->kind == VALUE_MAP) return refuse(w, v, "a map is not %s", type);
    if (v->quoted) return refuse(w, v, "\"%.80s\" in quotes is a string, not %s", v->text, type);
    return refuse(w, v, "'%.80s' is not %s", v->text, type);
}

static bool refuse_range(const Where *w, const Value *v) { return refuse(w, v, "%.80s is out of range", v->text); }

/* ---- scalars ---- */

static bool is_plain(const Value *v) { return v->kind == VALUE_SCALAR && !v->quoted; }

static bool text_is_integer(const char *s) { return text_is_number(s) && !s[strspn(s, "-0123456789")]; }

static bool read_int(const Where *w, const Value *v, int *out)
{
    if (!is_plain(v) || !text_is_integer(v->text)) return refuse_type(w, v, "an integer");
    errno = 0;
    long long x = strtoll(v->text, NULL, 10);
    if (errno || x < INT_MIN || x > INT_MAX || (double)x < w->o->min || (double)x > w->o->max)
        return refuse_range(w, v);
    *out = (int)x;
    return true;
}

static bool read_u64(const Where *w, const Value *v, uint64_t *out)
{
    if (!is_plain(v) || !text_is_integer(v->text)) return refuse_type(w, v, "an integer");
    errno = 0;
    unsigned long long x = strtoull(v->text, NULL, 10);
    if (errno || v->text[0] == '-') return refuse_range(w, v);
    *out = x;
    return true;
}

static bool read_real(const Where *w, const Value *v, double *out)
{
    if (!is_plain(v) || !text_is_number(v->text)) return refuse_type(w, v, "a number");
    double x = strtod(v->text, NULL);
    if (!isfinite(x) || x < w->o->min || x > w->o->max) return refuse_range(w, v);
    if (x == 0 && strcspn(v->text, "123456789") < strcspn(v->text, "eE"))
        return refuse(w, v, "%.80s is too small and would be read as 0", v->text);
    *out = x + 0.0; /* -0 is 0 */
    return true;
}

static bool read_bool(const Where *w, const Value *v, bool *out)
{
    *out = is_plain(v) && !strcmp(v->text, "true");
    return *out || (is_plain(v) && !strcmp(v->text, "false")) || refuse_type(w, v, "a boolean");
}

static bool read_enum(const Where *w, const Value *v, Arena *a, int *out)
{
    enum { NAMES = 64 };
    const char *names[NAMES];
    char what[128];
    int n = 0;
    if (v->kind != VALUE_SCALAR) return refuse_type(w, v, "one of the choices");
    for (char *c = arena_strdup(a, w->o->choices); c && n < NAMES - 1; n++) {
        names[n] = c;
        c = strchr(c, '|');
        if (c) *c++ = 0;
        if (!strcmp(names[n], v->text)) {
            *out = n;
            return true;
        }
    }
    names[n] = NULL;
    snprintf(what, sizeof what, "'%.80s' is not one of the choices", v->text);
    return refuse_near(w, v, nearest_name(v->text, names), what);
}

/* ---- lists, laws, specs ---- */

static bool read_reals(const Where *w, const Value *v, Reals *out)
{
    out->n = 0;
    if (v->kind == VALUE_SCALAR) return read_real(w, v, &out->v[out->n++]); /* one number is a list of one */
    if (v->kind != VALUE_LIST) return refuse_type(w, v, "a list of numbers");
    if (v->count > REALS_MAX) return refuse(w, v, "%d numbers are too many", v->count);
    for (const Value *c = v->first; c; c = c->next) TRY(read_real(w, c, &out->v[out->n++]));
    return true;
}

static bool read_ints(const Where *w, const Value *list, Length *out)
{
    out->n = 0;
    for (const Value *c = list->first; c; c = c->next) TRY(read_int(w, c, &out->v[out->n++]));
    return true;
}

static bool read_uniform(const Where *w, const Value *list, Length *out)
{
    if (list->kind != VALUE_LIST) return refuse(w, list, "uniform needs a list [min, max]");
    if (list->count != 2) return refuse(w, list, "uniform needs 2 integers, not %d", list->count);
    TRY(read_ints(w, list, out));
    if (out->v[0] > out->v[1]) return refuse(w, list, "min %d is greater than max %d", out->v[0], out->v[1]);
    out->kind = out->v[0] == out->v[1] ? LENGTH_FIXED : LENGTH_UNIFORM;
    out->n = out->kind == LENGTH_FIXED ? 1 : 2;
    return true;
}

static bool read_set(const Where *w, const Value *list, Length *out)
{
    if (list->kind != VALUE_LIST) return refuse(w, list, "set needs a list of integers");
    if (list->count < 1 || list->count > LENGTH_MAX)
        return refuse(w, list, "set needs 1..%d integers, not %d", LENGTH_MAX, list->count);
    TRY(read_ints(w, list, out));
    out->kind = out->n == 1 ? LENGTH_FIXED : LENGTH_SET;
    return true;
}

static bool read_law(const Where *w, const Value *map, Length *out)
{
    static const char *const laws[] = { "uniform", "set", NULL };
    const Value *law = map->first;
    char what[64];
    if (map->count != 1) return refuse(w, map, "a law of lengths is a map with one key, not %d", map->count);
    if (!strcmp(law->key, "uniform")) return read_uniform(w, law, out);
    if (!strcmp(law->key, "set")) return read_set(w, law, out);
    snprintf(what, sizeof what, "unknown law '%.40s'", law->key);
    return refuse_near(w, law, nearest_name(law->key, laws), what);
}

static bool read_length(const Where *w, const Value *v, Length *out)
{
    *out = (Length){ .kind = LENGTH_FIXED, .n = 1 };
    if (v->kind == VALUE_SCALAR)
        TRY(read_int(w, v, &out->v[0]));
    else if (v->kind == VALUE_LIST)
        TRY(read_uniform(w, v, out));
    else
        TRY(read_law(w, v, out));
    for (int i = out->n; i < LENGTH_MAX; i++) out->v[i] = 0;
    out->now = length_max(out);
    return true;
}

static bool read_mixer(const Where *w, const Value *v, Arena *a, const Value **out)
{
    const char *name = v->kind == VALUE_SCALAR ? v->text : value_text(v, "name", "");
    if (!*name && v->kind == VALUE_SCALAR && !w->o->def) { /* none, where none is the default */
        *out = NULL;
        return true;
    }
    if (v->kind == VALUE_LIST) return refuse_type(w, v, "a mixer");
    if (!*name) return refuse(w, v, "no mixer is named");
    *out = value_copy(a, v);
    return true;
}

static bool read_string(const Where *w, const Value *v, Arena *a, const char **out)
{
    if (v->kind != VALUE_SCALAR) return refuse_type(w, v, "a string");
    *out = *v->text || w->o->def ? arena_strdup(a, v->text) : NULL; /* "" is none, where none is the default */
    return true;
}

bool option_parse(const Option *o, const Value *v, const char *owner, void *cfg, Arena *a, Err *err)
{
    const Where w = { o, owner, err };
    void *field = (char *)cfg + o->offset;
    switch (o->kind) {
    case OPT_INT: return read_int(&w, v, field);
    case OPT_U64: return read_u64(&w, v, field);
    case OPT_REAL: return read_real(&w, v, field);
    case OPT_BOOL: return read_bool(&w, v, field);
    case OPT_ENUM: return read_enum(&w, v, a, field);
    case OPT_STRING: return read_string(&w, v, a, field);
    case OPT_REALS: return read_reals(&w, v, field);
    case OPT_LENGTH: return read_length(&w, v, field);
    case OPT_MIXER: return read_mixer(&w, v, a, field);
    case OPT_END_KIND: break;
    }
    CHECK(false, "option '%s' of %s has no kind", o->name, owner);
    return false;
}

/* ---- tables ---- */

static void set_default(const Option *o, const char *owner, void *cfg, Arena *a)
{
    Err err = { 0 };
    const Value *v = value_parse(a, o->def ? o->def : "", &err);
    CHECK(v && option_parse(o, v, owner, cfg, a, &err), "default of option '%s': %s", o->name, err.msg);
}

static bool listed(const char *key, const char *const *list)
{
    for (; list && *list; list++)
        if (!strcmp(key, *list)) return true;
    return false;
}

static bool unknown_option(const Option *table, const Value *v, const char *owner, Arena *a, Err *err)
{
    char place[256];
    int n = 0;
    while (table[n].name) n++;
    const char **names = ARENA_NEW(a, const char *, n + 1);
    for (int i = 0; i < n; i++) names[i] = table[i].name;
    char near[NAME_HINT];
    return err_set(err, EXIT_USAGE, "%sunknown option '%.80s' for %s%s", value_place(v, true, place), v->key, owner,
                   name_hint(v->key, names, near));
}

bool options_read(const Option *table, const Value *map, const char *owner, const char *const *skip, void *cfg,
                  Arena *a, Err *err)
{
    for (const Option *o = table; o->name; o++) set_default(o, owner, cfg, a);
    if (!map) return true;
    if (map->kind != VALUE_MAP) {
        char place[256];
        return err_set(err, EXIT_USAGE, "%s%s: expected a map of options, found a %s", value_place(map, false, place),
                       owner, map->kind == VALUE_LIST ? "list" : "scalar");
    }
    for (const Value *v = map->first; v; v = v->next) {
        if (listed(v->key, skip)) continue;
        const Option *o = option_find(table, v->key);
        if (!o) return unknown_option(table, v, owner, a, err);
        TRY(option_parse(o, v, owner, cfg, a, err));
    }
    return true;
}

/* Where name stands in text as a whole word, NULL if nowhere. */
static const char *find_word(const char *text, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || !strchr(word, at[-1])) && (!at[n] || !strchr(word, at[n]))) return at;
    return NULL;
}

bool options_blame(const Option *table, const Value *map, Err *err)
{
    const Value *at = map;
    const char *first = NULL;
    char place[256];
    for (const Option *o = table; o->name; o++) {
        const char *named = find_word(err->msg, o->name);
        const Value *given = value_get(map, o->name);
        if (!named || !given || (first && named >= first)) continue;
        first = named;
        at = given;
    }
    value_place(at, false, place);
    if (place[0]) place[strlen(place) - 2] = 0; /* err_prefix writes ": " itself */
    return place[0] ? err_prefix(err, "%s", place) : false;
}
