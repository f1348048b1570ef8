/* SPDX-License-Identifier: Apache-2.0
 * fuzz_config.c - bytes as a config: YAML, merging, axes, expansion, resolution of every row, thresholds.
 *
 *   config [0xff setting] ...      0xff, which is never UTF-8, separates command-line settings from the config
 *
 * A plan that is accepted must have rows, and the file that a sweep writes for its first row must read back as the
 * same run. Fewer rows than a person may ask for: an input must take milliseconds.
 */
#include <string.h>

#include "fuzz.h"
#include "sweep/sweep.h"

enum { ROWS_MAX = 64, SETS_MAX = 8 };

/* What `run --dir` does with the row. */
static void check_row(const PlanRow *row, Arena *a)
{
    RunSpec spec, again;
    Value *config;
    Err err = { 0 };
    CHECK(run_resolve(row->config, a, &spec, &err), "row of a plan does not resolve: %s", err.msg);
    CHECK(!strcmp(spec.id, row->id), "row %s resolves to %s", row->id, spec.id);
    const char *text = value_yaml(a, spec.config);
    CHECK(yaml_parse("config.yaml", text, a, &config, &err), "%s in\n%s", err.msg, text);
    CHECK(run_resolve(config, a, &again, &err), "%s in\n%s", err.msg, text);
    CHECK(!strcmp(spec.id, again.id), "run %s becomes %s through\n%s", spec.id, again.id, text);
}

void fuzz_config(const unsigned char *data, size_t len)
{
    Arena *a = arena_new("fuzz");
    const char *sets[SETS_MAX], *text = (const char *)data;
    char *copy = ARENA_NEW(a, char, len + 1);
    int n = 0;
    Plan plan;
    Err err = { 0 };
    if (len) memcpy(copy, text, len);
    const unsigned char *mark = len ? memchr(data, 0xff, len) : NULL;
    const size_t config_len = mark ? (size_t)(mark - data) : len;
    for (char *at = copy + config_len, *end = copy + len; at < end && n < SETS_MAX; n++) {
        *at++ = 0;
        sets[n] = at;
        char *next = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
        at = next ? next : end;
    }
    bool ok = plan_parse("fuzz.yaml", copy, config_len, ROWS_MAX, n, sets, a, &plan, &err);
    CHECK(ok == !err.code, "accepted %d, code %d: %s", ok, err.code, err.msg);
    CHECK(ok || (err.code == EXIT_USAGE && err.msg[0]), "code %d without the right message '%s'", err.code, err.msg);
    CHECK(!ok || plan.rows > 0, "a plan without rows");
    if (ok) check_row(&plan.row[0], a);
    arena_free(a);
}
