/* SPDX-License-Identifier: Apache-2.0
 * manifest.c - manifest.json of a run, one object:
 *
 *   run_id program compiler flags libraries {name: version} host cpu processors os
 *   command started ended (null while it runs) resumed numbers_epoch task_version
 *   warnings [text]                   also on stderr, and so in the log of a worker
 *   declared_constant [name]          parameters that start at one value by their declaration
 *   parameters [{name, shape, offset, init, init_mean, init_std, init_min, init_max}]
 *
 * Nothing of it enters a result. Facts that this system does not tell are empty strings.
 */
#include "train/manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <yaml.h>

#include "base/json.h"

#ifndef SEQPROBE_BUILD_FLAGS
#define SEQPROBE_BUILD_FLAGS ""
#endif

void utc_now(char *buf)
{
    time_t now = time(NULL);
    struct tm t;
    gmtime_r(&now, &t);
    strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &t);
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

/* A law with one outcome: a constant, or a distribution without width. */
static bool declares_constant(const Init *k)
{
    return k->kind == INIT_CONST_KIND || (k->kind == INIT_NORMAL_KIND && k->a == 0) ||
           (k->kind == INIT_UNIFORM_KIND && k->a == k->b);
}

void param_stats(const Param *p, ParamStats *out)
{
    const size_t n = tensor_size(&p->t);
    const real *x = p->t.x;
    double sum = 0, sq = 0;
    *out =
        (ParamStats){ .param = p, .min = (double)x[0], .max = (double)x[0], .declared = declares_constant(&p->init) };
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        if ((double)x[i] < out->min) out->min = (double)x[i];
        if ((double)x[i] > out->max) out->max = (double)x[i];
    }
    out->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) sq += ((double)x[i] - out->mean) * ((double)x[i] - out->mean);
    out->std = sqrt(sq / (double)n);
    out->constant = n > 1 && out->min == out->max;
}

static const char *init_name(const Init *k)
{
    static const char *const names[] = { "linear", "out", "normal", "uniform", "constant", "function" };
    return names[k->kind];
}

static void parameter_json(Buf *b, const ParamStats *s)
{
    const Param *it = s->param;
    buf_puts(b, "    {\"name\": ");
    json_text(b, it->name);
    buf_puts(b, ", \"shape\": [");
    for (int i = 0; i < it->t.rank; i++) buf_printf(b, i ? ", %d" : "%d", it->t.dim[i]);
    buf_printf(b, "], \"offset\": %zu, \"init\": \"%s\"", it->offset, init_name(&it->init));
    const char *const keys[] = { "init_mean", "init_std", "init_min", "init_max" };
    const double values[] = { s->mean, s->std, s->min, s->max };
    for (int i = 0; i < 4; i++) {
        buf_printf(b, ", \"%s\": ", keys[i]);
        json_real(b, values[i]);
    }
    buf_puts(b, "}");
}

Manifest *manifest_open(const RunSpec *spec, const Params *p, Arena *a)
{
    Manifest *m = ARENA_NEW(a, Manifest, 1);
    *m = (Manifest){ .arena = a, .spec = spec, .n = params_number(p) };
    utc_now(m->started);
    m->stats = ARENA_NEW(a, ParamStats, m->n + 1);
    for (int i = 0; i < m->n; i++) {
        ParamStats *s = &m->stats[i];
        param_stats(params_at(p, i), s);
        if (!isfinite(s->mean) || !isfinite(s->std))
            manifest_warn(m, "parameter %s %s starts with values that are not finite", s->param->name,
                          shape_str(&s->param->t));
        else if (s->constant && !s->declared)
            manifest_warn(m,
                          "parameter %s %s starts at %g everywhere, though its law is not a constant: did its "
                          "initialiser run?",
                          s->param->name, shape_str(&s->param->t), s->mean);
    }
    return m;
}

/* ---- warnings --------------------------------------------------------------------------------------------------- */

void manifest_warn(Manifest *m, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "seqprobe: warning: %s\n", text);
    if (m->warnings == WARNINGS_MAX) return;
    const bool last = m->warnings == WARNINGS_MAX - 1;
    m->warning[m->warnings++] = last ? "and others, see log.txt" : arena_strdup(m->arena, text);
}

void manifest_check(Manifest *m, const RunResult *r)
{
    for (int i = 0; i < r->n_slices; i++) {
        const Score *score = &r->test[i];
        if (!score->examples || !score->scored) continue;
        const double chance = slice_chance(&r->spec->slices[i], score), acc = score_value(score, "acc_token");
        const double error = sqrt(chance * (1 - chance) / (double)score->examples);
        if (acc < chance - 3 * error)
            manifest_warn(m, "slice %s: acc_token %.3f is below chance, %.3f, by %.1f standard errors of %ld examples",
                          r->spec->slices[i].name, acc, chance, (chance - acc) / error, score->examples);
    }
}

void manifest_end(Manifest *m) { utc_now(m->ended); }

/* ---- where we are ----------------------------------------------------------------------------------------------- */

/* Value of the first line "key<blanks>SEPARATOR value" of a small file of the system, unquoted; "" if there is none. */
static const char *system_fact(const char *path, const char *key, char separator, Arena *a)
{
    char line[512];
    const char *found = "";
    FILE *f = fopen(path, "r");
    if (!f) return found;
    while (!*found && fgets(line, sizeof line, f)) {
        size_t n = strlen(key);
        if (strncmp(line, key, n) != 0) continue;
        char *s = line + n + strspn(line + n, " \t");
        if (*s++ != separator) continue;
        s += strspn(s, " \t\"");
        s[strcspn(s, "\"\n")] = '\0';
        found = arena_strdup(a, s);
    }
    fclose(f);
    return found;
}

static void field(Buf *b, const char *key, const char *text)
{
    buf_printf(b, "  \"%s\": ", key);
    json_text(b, text);
    buf_puts(b, ",\n");
}

static void write_program(Buf *b)
{
    field(b, "program", program_version());
#ifdef __clang__
    field(b, "compiler", "clang " __clang_version__);
#else
    field(b, "compiler", "gcc " __VERSION__);
#endif
    field(b, "flags", SEQPROBE_BUILD_FLAGS);
    buf_puts(b, "  \"libraries\": {\"products\": ");
    json_text(b, gemm_name());
    buf_puts(b, ", \"openblas\": ");
    json_text(b, gemm_config());
    buf_puts(b, ", \"libyaml\": ");
    json_text(b, yaml_get_version_string());
    buf_puts(b, "},\n");
}

static void write_machine(Buf *b)
{
    struct utsname u;
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    field(b, "host", host);
    field(b, "cpu", system_fact("/proc/cpuinfo", "model name", ':', b->a));
    buf_printf(b, "  \"processors\": %ld,\n", sysconf(_SC_NPROCESSORS_ONLN));
    const char *name = system_fact("/etc/os-release", "PRETTY_NAME", '=', b->a), *comma = *name ? ", " : "";
    field(b, "os",
          uname(&u) == 0 ? arena_printf(b->a, "%s %s %s%s%s", u.sysname, u.release, u.machine, comma, name) : name);
}

bool manifest_write(const Manifest *m, const char *dir, Err *err)
{
    Arena *a = arena_new("manifest");
    Buf b = buf_new(a);
    buf_puts(&b, "{\n");
    field(&b, "run_id", m->spec->id);
    write_program(&b);
    write_machine(&b);
    field(&b, "command", m->command ? m->command : "");
    field(&b, "started", m->started);
    if (m->ended[0])
        field(&b, "ended", m->ended);
    else
        buf_puts(&b, "  \"ended\": null,\n");
    buf_printf(&b, "  \"resumed\": %d,\n  \"numbers_epoch\": %d,\n  \"warnings\": [", m->resumed, NUMBERS_EPOCH);
    for (int i = 0; i < m->warnings; i++) {
        if (i) buf_puts(&b, ", ");
        json_text(&b, m->warning[i]);
    }
    buf_puts(&b, "],\n  \"declared_constant\": [");
    for (int i = 0, first = 1; i < m->n; i++) {
        if (!m->stats[i].declared || !m->stats[i].constant) continue;
        if (!first) buf_puts(&b, ", ");
        first = 0;
        json_text(&b, m->stats[i].param->name);
    }
    buf_puts(&b, "],\n  \"parameters\": [\n");
    for (int i = 0; i < m->n; i++) {
        parameter_json(&b, &m->stats[i]);
        buf_puts(&b, i + 1 < m->n ? ",\n" : "\n");
    }
    buf_puts(&b, "  ]\n}\n");
    bool ok = file_write(path_join(a, dir, "manifest.json"), b.s, b.len, WRITE_SOON, err);
    arena_free(a);
    return ok;
}

/* Text of the JSON string at s (behind its opening quote), as json_text writes it: one byte per \\u00XX. */
static const char *read_text(const char *s, Arena *a, const char **end)
{
    Buf b = buf_new(a);
    for (; *s && *s != '"'; s++) {
        unsigned code;
        if (*s == '\\' && s[1] == 'u' && sscanf(s + 2, "%4x", &code) == 1) {
            buf_puts(&b, code < 0x80 ? (const char[]){ (char)code, 0 } : "?");
            s += 5;
        } else {
            s += *s == '\\' && s[1];
            buf_puts(&b, (const char[]){ *s, 0 });
        }
    }
    *end = *s ? s + 1 : s;
    return b.s;
}

int manifest_warnings(const char *dir, Arena *a, const char **first)
{
    static const char key[] = "\n  \"warnings\": [";
    char *text;
    const char *path = path_join(a, dir, "manifest.json"), *s;
    int n = 0;
    if (!file_exists(path) || !file_read(path, 1 << 26, a, &text, NULL, NULL) || !(s = strstr(text, key))) return 0;
    for (s += strlen(key); *s == '"'; n++) {
        const char *warning = read_text(s + 1, a, &s);
        if (n == 0) *first = warning;
        s += strspn(s, ", ");
    }
    return n;
}
