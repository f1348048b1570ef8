/* SPDX-License-Identifier: Apache-2.0
 * automaton_read.c - a transition table from a YAML file (see automaton.h). */
#include "base/yaml.h"
#include "common/automaton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const Value *v, Err *err, const char *what)
{
    char place[256];
    return err_set(err, EXIT_USAGE, "%s%s", value_place(v, false, place), what);
}

/* A number 0..below-1. */
static bool read_number(const Value *v, int below, const char *what, int *out, Err *err)
{
    char text[160];
    bool number = v->kind == VALUE_SCALAR && !v->quoted && text_is_number(v->text) && !strpbrk(v->text, ".eE-");
    long n = number ? strtol(v->text, NULL, 10) : -1;
    if (n < 0 || n >= below) {
        snprintf(text, sizeof text, "%s: expected an integer 0..%d, found %.40s", what, below - 1,
                 v->kind == VALUE_LIST  ? "a list"
                 : v->kind == VALUE_MAP ? "a map"
                 : v->quoted            ? "text in quotes"
                 : *v->text             ? v->text
                                        : "nothing");
        return wrong(v, err, text);
    }
    *out = (int)n;
    return true;
}

static bool read_row(const Value *row, int s, Automaton *out, Err *err)
{
    char what[160];
    int a = 0, to = 0;
    if (row->kind != VALUE_LIST) {
        snprintf(what, sizeof what, "table: row %d: expected a list, the next state after each symbol", s);
        return wrong(row, err, what);
    }
    if (row->count < 1 || row->count > AUTOMATON_SYMBOLS_MAX) {
        snprintf(what, sizeof what, "table: row %d has %d entries; expected 1..%d, one for each symbol", s, row->count,
                 AUTOMATON_SYMBOLS_MAX);
        return wrong(row, err, what);
    }
    if (s == 0) out->symbols = row->count;
    if (row->count != out->symbols) {
        snprintf(what, sizeof what, "table: row %d has %d entries; expected %d, as row 0 has", s, row->count,
                 out->symbols);
        return wrong(row, err, what);
    }
    snprintf(what, sizeof what, "table: row %d", s);
    for (const Value *v = row->first; v; v = v->next, a++) {
        TRY(read_number(v, out->states, what, &to, err));
        out->next[s * out->symbols + a] = (uint8_t)to;
    }
    return true;
}

static bool read_emission(const Value *list, Automaton *out, Err *err)
{
    char what[160];
    bool differ = false;
    int s = 0, k = 0;
    if (list->kind != VALUE_LIST || list->count != out->states) {
        snprintf(what, sizeof what, "emission: expected a list of %d classes, one for each row of the table",
                 out->states);
        return wrong(list, err, what);
    }
    out->classes = 0;
    for (const Value *v = list->first; v; v = v->next, s++) {
        TRY(read_number(v, AUTOMATON_STATES_MAX, "emission", &k, err));
        out->out[s] = (uint8_t)k;
        differ |= k != out->out[0];
        if (k >= out->classes) out->classes = k + 1;
    }
    return differ || wrong(list, err, "emission: the same class for every state leaves nothing to predict");
}

bool automaton_read(const char *path, Arena *a, Automaton *out, Err *err)
{
    static const char *const keys[] = { "table", "start", "emission", NULL };
    Value *root = NULL;
    int s = 0;
    TRY(yaml_read(path, a, &root, err));
    *out = (Automaton){ 0 };
    if (root->kind != VALUE_MAP) return wrong(root, err, "expected a map with 'table: [[...], ...]'");
    for (const Value *v = root->first; v; v = v->next) {
        int known = 0;
        char hint[NAME_HINT], place[256];
        while (keys[known] && strcmp(keys[known], v->key) != 0) known++;
        if (!keys[known])
            return err_set(err, EXIT_USAGE, "%sunknown key '%.80s'%s; an automaton has table, start, emission",
                           value_place(v, true, place), v->key, name_hint(v->key, keys, hint));
    }
    const Value *table = value_get(root, "table"), *start = value_get(root, "start"),
                *emission = value_get(root, "emission");
    if (!table) return wrong(root, err, "no 'table: [[...], ...]', a list by state of lists by symbol");
    if (table->kind != VALUE_LIST || table->count < 2 || table->count > AUTOMATON_STATES_MAX)
        return wrong(table, err, "table: expected a list of 2..64 rows, one for each state");
    out->states = out->classes = table->count;
    for (const Value *row = table->first; row; row = row->next, s++) TRY(read_row(row, s, out, err));
    if (start) TRY(read_number(start, out->states, "start", &out->start, err));
    for (s = 0; s < out->states; s++) out->out[s] = (uint8_t)s;
    return !emission || read_emission(emission, out, err);
}
