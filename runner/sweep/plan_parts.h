/* SPDX-License-Identifier: Apache-2.0
 * plan_parts.h - the pieces plan.c is made of: loading with includes, merging of sections, axes.
 */
#ifndef SEQPROBE_PLAN_PARTS_H
#define SEQPROBE_PLAN_PARTS_H

#include "sweep/sweep.h"

enum { AXES_MAX = 32, ITEMS_MAX = 4096, LABEL_MAX = 100 };

/* ---- config_load.c ---------------------------------------------------------------------------------------------- */

/* The sections a run is made of, NULL-terminated: task model mixer train eval data seed train_mixture. */
extern const char *const run_sections[];
/* The keys at the top of a config, ended by a NULL name: bits 1 << VALUE_* of the kinds allowed, their names, help. */
typedef struct ConfigKey { const char *name; unsigned kinds; const char *want, *help; } ConfigKey;
extern const ConfigKey config_keys[];
/* The file with its includes merged in, top-level keys and kinds checked. */
bool config_load(const char *path, Arena *a, Value **out, Err *err);
/* The same from memory, where `include` is refused. */
bool config_parse(const char *name, const char *text, size_t len, Arena *a, Value **out, Err *err);
/* Sections of over merged onto base (a new tree). Maps merge key by key. A mixer with `layers` drops an inherited
 * `name` and the other way round. Keys that are no section are taken from base alone. */
Value *config_merge(Arena *a, const Value *base, const Value *over);
/* Only the sections of a run; `mixer: {layers: [...], option: ...}` hands its options down to every layer. */
bool config_finish(Arena *a, const Value *config, Value **out, Err *err);

/* Copy of a map without one key. */
Value *value_without(Arena *a, const Value *map, const char *key);
/* Scalars compare as numbers when both are numbers, else as text; trees by canonical text. */
bool value_same(Arena *a, const Value *x, const Value *y);
/* err_set with the place of v (or of its key) in front; returns false. */
bool fail_at(Err *err, const Value *v, bool of_key, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* ---- axes.c ----------------------------------------------------------------------------------------------------- */

/* When an axis is merged, whatever its place among the loops. */
typedef enum { RANK_CASE, RANK_MIXER, RANK_OTHER, RANK_COMMAND } AxisRank;

typedef struct AxisItem { const Value *value; const char *label; } AxisItem;
typedef struct Axis {
    const char *path; AxisRank rank;
    int n; AxisItem *item;
    int group;                         /* axes of one group move together (zip); groups are the loops, in order */
    int line, col;                     /* of its path in the file; 0: from the command line */
    bool hidden;                       /* one value from the command line: no column */
} Axis;
typedef struct Axes { int n; Axis axis[AXES_MAX]; int groups; } Axes;

/* `sweep:` and `changes:` (there without zip); map may be NULL. */
bool axes_read(const Value *map, bool zip_allowed, Arena *a, Axes *out, Err *err);
/* One command-line setting key=value[,value...] on the axes of the sweep. */
bool axes_command(Axes *axes, const char *setting, Arena *a, Err *err);
/* `case` or a run section, perhaps with a path below it; at is the place of the path. */
bool path_check(const char *path, const Value *at, Err *err);
/* Is there such an option in a run of this config? If not, why holds PATH_WHY bytes of "unknown option ...". */
enum { PATH_WHY = 300 };
bool path_exists(const char *path, const Value *config, Arena *a, char *why);
/* The value of an option as written, else its default; NULL if there is no such option. */
const Value *option_at(const Value *config, const char *path, Arena *a);
/* A mixer's name, or "a+b" for layers; NULL if there is no name. */
const char *mixer_spec_name(const Value *spec, Arena *a);
/* The config with one item of an axis merged in (a new tree). */
bool axis_apply(const Axis *axis, int item, Arena *a, const Value *config, Value **out, Err *err);

#endif
