/* SPDX-License-Identifier: Apache-2.0
 * report_setting.c - what was run: cases, mixers, seeds, and every option, each said once.
 *
 * An option that has one value in all runs is listed once, at the end; one that differs stands beside its cases, with
 * all the values it takes there. So nothing of the setting is left out, however the config spreads it.
 */
#include "show/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Different texts in order of appearance. */
typedef struct Texts {
    Arena *a;
    int n, cap;
    const char **text;
} Texts;

static const char *texts_add(Texts *t, const char *text)
{
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->text[i], text)) return t->text[i];
    if (t->n == t->cap) {
        const char **more = ARENA_NEW(t->a, const char *, t->cap ? 2 * t->cap : 4);
        if (t->n) memcpy(more, t->text, (size_t)t->n * sizeof *more);
        t->text = more;
        t->cap = t->cap ? 2 * t->cap : 4;
    }
    return t->text[t->n++] = arena_strdup(t->a, text);
}

static int by_number(const void *x, const void *y)
{
    double a = strtod(*(const char *const *)x, NULL), b = strtod(*(const char *const *)y, NULL);
    return (a > b) - (a < b);
}

/* Rising, if all are numbers. */
static const Texts *texts_sort(Texts *t)
{
    for (int i = 0; i < t->n; i++)
        if (!text_is_number(t->text[i])) return t;
    if (t->n) qsort(t->text, (size_t)t->n, sizeof *t->text, by_number);
    return t;
}

static const char *texts_join(const Texts *t, const char *between)
{
    Buf b = buf_new(t->a);
    buf_puts(&b, "");
    for (int i = 0; i < t->n; i++) buf_printf(&b, "%s%s", i ? between : "", t->text[i]);
    return b.s;
}

/* One option of the backbone, the loop or the data: its values in all runs and by case. */
typedef struct Fact {
    const char *section, *name;
    Texts all, *by_case;
} Fact;

typedef struct CaseFacts {
    const char *label;
    Texts task, slices, metric, chance;
} CaseFacts;

/* An option of a mixer: its values in all runs and by case, and whether one is away from its default. */
typedef struct MixerOption {
    const char *name;
    Texts all, *by_case;
    bool away;
} MixerOption;

enum { MIXER_OPTIONS = 96 };

typedef struct MixerFacts {
    const char *label;
    Texts name, theory;
    int n;
    MixerOption option[MIXER_OPTIONS];
} MixerFacts;

typedef struct Setting {
    Report *r;
    Arena *a;
    int cases, mixers, facts;
    CaseFacts *kase;
    MixerFacts *mixer;
    Fact *fact;
    Texts seeds, axes, rates;
} Setting;

static const char *const sections[] = { "model", "train", "data" };

static const Option *section_options(int i) { return i == 0 ? model_options : i == 1 ? train_options : data_options; }

static const void *section_cfg(const RunSpec *s, int i)
{
    return i == 0 ? (const void *)&s->model : i == 1 ? (const void *)&s->train : (const void *)&s->data;
}

static const char *value_of(const Option *o, const void *cfg, Arena *a)
{
    if (o->kind != OPT_BOOL) return option_text(o, cfg, a);
    return *option_text(o, cfg, a) == '1' ? "true" : "false";
}

/* "len uniform 2..40 · bos true" */
static const char *options_line(const Option *table, const void *cfg, Arena *a)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    for (; table->name; table++) buf_printf(&b, "%s%s %s", b.len ? " · " : "", table->name, value_of(table, cfg, a));
    return b.s;
}

static CaseFacts *case_of(Setting *s, const char *label)
{
    for (int i = 0; i < s->cases; i++)
        if (!strcmp(s->kase[i].label, label)) return &s->kase[i];
    CHECK(s->cases < s->r->cells.cases, "report: case %s is not among the results", label);
    CaseFacts *c = &s->kase[s->cases];
    *c = (CaseFacts){ .label = label, .task = { .a = s->a }, .slices = { .a = s->a } };
    c->metric.a = c->chance.a = s->a;
    for (int i = 0; i < s->facts; i++) s->fact[i].by_case[s->cases].a = s->a;
    s->cases++;
    return c;
}

static MixerFacts *mixer_of(Setting *s, const char *label)
{
    for (int i = 0; i < s->mixers; i++)
        if (!strcmp(s->mixer[i].label, label)) return &s->mixer[i];
    MixerFacts *m = &s->mixer[s->mixers++];
    m->label = label;
    m->name.a = m->theory.a = s->a;
    return m;
}

static MixerOption *option_of(Setting *s, MixerFacts *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (!strcmp(m->option[i].name, name)) return &m->option[i];
    if (m->n == MIXER_OPTIONS) return &m->option[MIXER_OPTIONS - 1];
    MixerOption *o = &m->option[m->n++];
    o->name = arena_strdup(s->a, name);
    o->all.a = s->a;
    o->by_case = ARENA_NEW(s->a, Texts, s->r->cells.cases);
    for (int k = 0; k < s->r->cells.cases; k++) o->by_case[k].a = s->a;
    return o;
}

static void add_mixers(Setting *s, const RunSpec *spec, MixerFacts *m, int kase, Arena *tmp)
{
    Buf names = buf_new(tmp);
    for (int i = 0; i < spec->n_mixers; i++) {
        MixerUse use;
        Err none = { 0 };
        if (!mixer_read(spec->mixers[i], tmp, &use, &none)) continue;
        buf_printf(&names, "%s%s", names.len ? " + " : "", use.mixer->name);
        for (const Option *o = use.mixer->options; o->name; o++) {
            bool several = spec->n_mixers > 1;
            const char *layer = several ? arena_printf(tmp, "%s.%s", use.mixer->name, o->name) : o->name;
            MixerOption *own = option_of(s, m, layer);
            const char *text = value_of(o, use.cfg, tmp);
            texts_add(&own->all, text);
            texts_add(&own->by_case[kase], text);
            own->away = own->away || !option_is_default(o, use.cfg, tmp);
        }
        texts_add(&m->theory, theory_class_name(use.mixer->theory_class(use.cfg).kind));
    }
    if (names.len) texts_add(&m->name, names.s);
}

static bool add_row(Setting *s, const PlanRow *row, Arena *tmp, Err *err)
{
    RunSpec spec;
    TRY(run_resolve(row->config, tmp, &spec, err));
    CaseFacts *c = case_of(s, row->case_label);
    const char *task = options_line(spec.task->options, spec.slices[0].cfg, tmp);
    texts_add(&c->task, arena_printf(tmp, "%s: %s", spec.task->name, task));
    texts_add(&c->metric, run_headline(&spec));
    for (int i = 1; i < spec.n_slices; i++) {
        const Value *map = spec.slices[i].overrides;
        const char *what = map ? value_canonical(tmp, map) : "";
        texts_add(&c->slices, arena_printf(tmp, "%s %s", spec.slices[i].name, what));
    }
    int f = 0;
    for (int i = 0; i < 3; i++)
        for (const Option *o = section_options(i); o->name; o++, f++) {
            const char *text = value_of(o, section_cfg(&spec, i), tmp);
            texts_add(&s->fact[f].all, text);
            texts_add(&s->fact[f].by_case[c - s->kase], text);
        }
    add_mixers(s, &spec, mixer_of(s, row->mixer_label), (int)(c - s->kase), tmp);
    texts_add(&s->seeds, arena_printf(tmp, "%llu", (unsigned long long)row->seed));
    texts_add(&s->rates, arena_printf(tmp, "%g", row->lr));
    return true;
}

static bool gather(Setting *s, Err *err)
{
    Report *r = s->r;
    s->kase = ARENA_NEW(s->a, CaseFacts, r->plan.rows);
    s->mixer = ARENA_NEW(s->a, MixerFacts, r->plan.rows);
    for (int i = 0; i < 3; i++)
        for (const Option *o = section_options(i); o->name; o++) s->facts++;
    s->fact = ARENA_NEW(s->a, Fact, s->facts);
    int f = 0;
    for (int i = 0; i < 3; i++)
        for (const Option *o = section_options(i); o->name; o++, f++)
            s->fact[f] = (Fact){ sections[i], o->name, { .a = s->a }, ARENA_NEW(s->a, Texts, r->cells.cases + 1) };
    s->seeds.a = s->axes.a = s->rates.a = s->a;
    for (int i = 0; i < r->plan.rows; i++) {
        size_t mark = arena_mark(r->tmp);
        TRY(add_row(s, &r->plan.row[i], r->tmp, err));
        arena_reset(r->tmp, mark);
    }
    return true;
}

/* ---- what is printed ---- */

static void put_fact(Buf *b, const char *what, const char *text)
{
    buf_printf(b, "<div><dt>%s</dt><dd>%s</dd></div>\n", html_text(b->a, what), html_text(b->a, text));
}

static void put_summary(Setting *s)
{
    const Report *r = s->r;
    Buf *b = &s->r->b;
    buf_puts(b, "<dl class=\"facts\">\n");
    put_fact(b, "Runs", arena_printf(s->a, "%d of %d finished", r->finished, r->runs));
    put_fact(b, "Cases × mixers", arena_printf(s->a, "%d × %d", s->cases, s->mixers));
    put_fact(b, s->seeds.n == 1 ? "Seed" : "Seeds", texts_join(texts_sort(&s->seeds), ", "));
    put_fact(b, s->rates.n == 1 ? "Learning rate" : "Learning rates", texts_join(texts_sort(&s->rates), ", "));
    for (int i = 0; i < r->plan.axes; i++) {
        Texts values = { .a = s->a };
        if (!strcmp(r->plan.axis[i], "train.lr")) continue;
        for (int k = 0; k < r->plan.rows; k++)
            if (*r->plan.row[k].cell[i]) texts_add(&values, r->plan.row[k].cell[i]);
        put_fact(b, r->plan.axis[i], texts_join(texts_sort(&values), ", "));
    }
    for (int i = 0; i < s->facts; i++) {
        static const char *const shown[] = { "d_model", "layers", "steps", "batch", "test", NULL };
        static const char *const words[] = { "Width (d_model)", "Layers", "Training steps", "Batch (sequences)",
                                             "Test examples per slice" };
        for (int k = 0; shown[k]; k++)
            if (!strcmp(s->fact[i].name, shown[k]))
                put_fact(b, words[k], texts_join(texts_sort(&s->fact[i].all), ", "));
    }
    buf_puts(b, "</dl>\n");
}

static void put_list(Buf *b, const Texts *t)
{
    buf_puts(b, "<td class=\"text\">");
    for (int i = 0; i < t->n; i++) buf_printf(b, "%s%s", i ? "<br />" : "", html_text(b->a, t->text[i]));
    buf_puts(b, "</td>");
}

/* Options of the mixers that differ between cases: "short_conv 4". */
static void add_mixer_options(const Setting *s, int kase, Texts *out)
{
    for (int i = 0; i < s->mixers; i++)
        for (int k = 0; k < s->mixer[i].n; k++) {
            const MixerOption *o = &s->mixer[i].option[k];
            if (o->all.n < 2 || !o->by_case[kase].n) continue;
            texts_add(out, arena_printf(s->a, "mixer %s %s", o->name, texts_join(&o->by_case[kase], " or ")));
        }
}

static void put_cases(const Setting *s)
{
    static const char *const head[] = { "Case", "Task and its options", "Also measured on", "Backbone, loop and data" };
    Buf *b = &s->r->b;
    html_table(b, "The cases: what is learnt", "prose", 4, head);
    for (int k = 0; k < s->cases; k++) {
        const CaseFacts *c = &s->kase[k];
        html_row_head(b, c->label);
        put_list(b, &c->task);
        put_list(b, &c->slices);
        Texts varied = { .a = s->a };
        for (int i = 0; i < s->facts; i++)
            if (s->fact[i].all.n > 1)
                texts_add(&varied,
                          arena_printf(s->a, "%s %s", s->fact[i].name, texts_join(&s->fact[i].by_case[k], " or ")));
        add_mixer_options(s, k, &varied);
        buf_printf(b, "<td class=\"text\">%s</td></tr>\n", html_text(s->a, texts_join(&varied, " · ")));
    }
    html_table_end(b);
}

/* "512" or "512–1984" over the cases. */
static const char *range_text(const Report *r, int mixer, bool state)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int k = 0; k < r->cells.cases; k++) {
        const Cell *c = cell_at(&r->cells, mixer, k);
        double v = c && c->n_seeds ? state ? c->state : c->params : (double)NAN;
        if (isnan(v)) continue;
        lo = fmin(lo, v);
        hi = fmax(hi, v);
    }
    if (lo > hi) return "";
    return lo == hi ? arena_printf(r->a, "%.0f", lo) : arena_printf(r->a, "%.0f–%.0f", lo, hi);
}

/* What makes this mixer: its options that are not at their defaults in some run. */
static const char *mixer_options(const Setting *s, const MixerFacts *m)
{
    Texts away = { .a = s->a };
    for (int i = 0; i < m->n; i++)
        if (m->option[i].away)
            texts_add(&away, arena_printf(s->a, "%s %s", m->option[i].name, texts_join(&m->option[i].all, " or ")));
    return away.n ? texts_join(&away, " · ") : "defaults";
}

static void put_mixers(const Setting *s)
{
    static const char *const head[] = {
        "Mixer", "Model", "Options away from their defaults", "Class, as theory has it", "State, reals", "Parameters"
    };
    const Cells *cells = &s->r->cells;
    Buf *b = &s->r->b;
    html_table(b, "The mixers: what learns", "prose", 6, head);
    for (int i = 0; i < cells->mixers; i++) {
        const MixerFacts *m = NULL;
        for (int k = 0; k < s->mixers; k++) { /* a label may go on with further axes: "gla, model_d_model 128" */
            size_t n = strlen(s->mixer[k].label);
            if (!strncmp(cells->mixer[i], s->mixer[k].label, n) && (!cells->mixer[i][n] || cells->mixer[i][n] == ','))
                if (!m || n > strlen(m->label)) m = &s->mixer[k];
        }
        html_row_head(b, cells->mixer[i]);
        if (!m) m = &s->mixer[0];
        put_list(b, &m->name);
        buf_printf(b, "<td class=\"text\">%s</td>", html_text(s->a, mixer_options(s, m)));
        put_list(b, &m->theory);
        buf_printf(b, "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", range_text(s->r, i, true),
                   range_text(s->r, i, false));
    }
    html_table_end(b);
    buf_puts(b, "<p class=\"small\">State: reals of recurrent state per sequence, measured after a sequence of the "
                "training lengths; a range where cases differ.</p>\n");
}

static void put_common(const Setting *s)
{
    Buf *b = &s->r->b;
    html_details(b, "Every other option: equal in all runs");
    buf_puts(b, "<dl class=\"options\">\n");
    for (int k = 0; k < 3; k++) {
        Texts same = { .a = s->a };
        for (int i = 0; i < s->facts; i++)
            if (s->fact[i].all.n == 1 && !strcmp(s->fact[i].section, sections[k]))
                texts_add(&same, arena_printf(s->a, "%s %s", s->fact[i].name, s->fact[i].all.text[0]));
        buf_printf(b, "<dt>%s</dt><dd>%s</dd>\n", sections[k], html_text(s->a, texts_join(&same, " · ")));
    }
    buf_puts(b, "</dl>\n<p class=\"small\">seqprobe help model, help train and help data explain them.</p>\n");
    html_details_end(b);
}

bool report_setting(Report *r, Err *err)
{
    Setting s = { .r = r, .a = r->a };
    TRY(gather(&s, err));
    html_section(&r->b, "setting", "Setting");
    put_summary(&s);
    html_details(&r->b, arena_printf(r->a, "The %d cases: tasks, their options, lengths", s.cases));
    put_cases(&s);
    html_details_end(&r->b);
    html_details(&r->b, arena_printf(r->a, "The %d mixers: options, class, state, parameters", r->cells.mixers));
    put_mixers(&s);
    html_details_end(&r->b);
    put_common(&s);
    html_section_end(&r->b);
    return true;
}
