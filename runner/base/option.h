/* SPDX-License-Identifier: Apache-2.0
 * option.h - option tables: the single source of YAML keys, ranges, help, CSV columns and the run hash.
 *
 * A table describes the fields of a Cfg struct. What is not in the table cannot be set; what is in it cannot be
 * ignored. Kinds and the C type of the field:
 *   OPT_INT int · OPT_U64 uint64_t · OPT_REAL double · OPT_BOOL bool · OPT_ENUM int (index into choices) ·
 *   OPT_STRING const char * · OPT_REALS Reals · OPT_LENGTH Length · OPT_MIXER const Value * (a mixer spec)
 */
#ifndef SEQPROBE_OPTION_H
#define SEQPROBE_OPTION_H

#include "base/value.h"

enum { REALS_MAX = 16, LENGTH_MAX = 16 };

typedef struct Reals { int n; double v[REALS_MAX]; } Reals;

/* A law of one integer, drawn once per batch by the runner: plug-ins read .now in sample() and length_max() in shape().
 * YAML: `len: 40` (fixed) · `len: [2, 40]` or `{uniform: [2, 40]}` (uniform, both ends) · `{set: [64, 128]}`. */
typedef enum { LENGTH_FIXED, LENGTH_UNIFORM, LENGTH_SET } LengthKind;
typedef struct Length { LengthKind kind; int n, v[LENGTH_MAX], now; } Length;

int  length_min(const Length *l);
int  length_max(const Length *l);
void length_draw(Length *l, Rng *rng);                    /* sets now */

typedef enum {
    OPT_END_KIND, OPT_INT, OPT_U64, OPT_REAL, OPT_BOOL, OPT_ENUM, OPT_STRING, OPT_REALS, OPT_LENGTH, OPT_MIXER
} OptKind;

typedef struct Option {
    const char *name; OptKind kind; size_t offset;
    const char *def;                   /* default, as one would write it in YAML; strings and mixers: NULL is none,
                                          and then an empty string in a config is none as well */
    double min, max;                   /* numbers, and every number of a list or law */
    const char *choices;               /* OPT_ENUM: "all|generators|swaps" */
    const char *help;                  /* one line, with the unit */
} Option;

#define OPT_I(T, f, d, lo, hi, h)   { #f, OPT_INT,    offsetof(T, f), d, lo, hi, NULL, h }
#define OPT_U(T, f, d, h)           { #f, OPT_U64,    offsetof(T, f), d, 0, 0, NULL, h }
#define OPT_R(T, f, d, lo, hi, h)   { #f, OPT_REAL,   offsetof(T, f), d, lo, hi, NULL, h }
#define OPT_B(T, f, d, h)           { #f, OPT_BOOL,   offsetof(T, f), d, 0, 1, NULL, h }
#define OPT_E(T, f, d, choices, h)  { #f, OPT_ENUM,   offsetof(T, f), d, 0, 0, choices, h }
#define OPT_S(T, f, d, h)           { #f, OPT_STRING, offsetof(T, f), d, 0, 0, NULL, h }
#define OPT_RS(T, f, d, lo, hi, h)  { #f, OPT_REALS,  offsetof(T, f), d, lo, hi, NULL, h }
#define OPT_L(T, f, d, lo, hi, h)   { #f, OPT_LENGTH, offsetof(T, f), d, lo, hi, NULL, h }
#define OPT_M(T, f, d, h)           { #f, OPT_MIXER,  offsetof(T, f), d, 0, 0, NULL, h }
#define OPT_END                     { NULL, OPT_END_KIND, 0, NULL, 0, 0, NULL, NULL }

/* Fill cfg with the defaults, then with map (may be NULL). Unknown keys, wrong types and values out of range fail with
 * "file:line:col: unknown option 'lenght' for task mqar (did you mean 'len'?)". `owner` is e.g. "task mqar".
 * Keys in the NULL-terminated `skip` list (e.g. "name", "label") are left to the caller. Code EXIT_USAGE. */
bool options_read(const Option *table, const Value *map, const char *owner, const char *const *skip,
                  void *cfg, Arena *a, Err *err);
/* Put the place of the option that the message of err names first in front of it (of map itself if map gives none of
 * them); for checks across options, which know no places. Returns false. */
bool options_blame(const Option *table, const Value *map, Err *err);
/* Parse one value into its field. */
bool option_parse(const Option *o, const Value *v, const char *owner, void *cfg, Arena *a, Err *err);
/* The field as a Value with canonical text (integers plain, reals shortest that round-trips in "1.0e-3" form). */
Value *option_value(const Option *o, const void *cfg, Arena *a);
/* One line of text for CSV cells ("uniform 2..40", "set 64 128", "[-1.0, 1.0]"; booleans 0 and 1, as CSV has them). */
char  *option_text(const Option *o, const void *cfg, Arena *a);
bool   option_is_default(const Option *o, const void *cfg, Arena *a);
/* Map of all options (with_defaults) or of those that differ from their default. */
Value *options_value(const Option *table, const void *cfg, bool with_defaults, Arena *a);
const Option *option_find(const Option *table, const char *name);
/* Draw every length law of cfg, in table order. */
void   options_draw_lengths(const Option *table, void *cfg, Rng *rng);
/* "integer 1..65536", "all | generators | swaps", "law of integers 2..512". */
char  *option_type(const Option *o, Arena *a);
/* Help lines for a table: name, type and range, default, text. */
char  *options_help(const Option *table, Arena *a);

#endif
