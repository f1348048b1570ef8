/* SPDX-License-Identifier: Apache-2.0
 * registry.c - finding plug-ins by name, opening mixers from specs, and the words of theory.h. */
#include "mixer.h"
#include "task.h"

#include <stdio.h>
#include <string.h>

const Task *task_find(const char *name)
{
    for (int i = 0; all_tasks[i]; i++)
        if (!strcmp(all_tasks[i]->name, name)) return all_tasks[i];
    return NULL;
}

const Mixer *mixer_find(const char *name)
{
    for (int i = 0; all_mixers[i]; i++)
        if (!strcmp(all_mixers[i]->name, name)) return all_mixers[i];
    return NULL;
}

bool mixer_read(const Value *spec, Arena *a, MixerUse *out, Err *err)
{
    static const char *const skip[] = { "name", "label", NULL };
    char place[256], owner[64];
    memset(out, 0, sizeof *out);
    const char *name = spec && spec->kind == VALUE_SCALAR ? spec->text : value_text(spec, "name", NULL);
    const Value *given = value_get(spec, "name");
    if (!name)
        return err_set(err, EXIT_USAGE, "%smixer: %s", value_place(given ? given : spec, false, place),
                       given ? "the name must be a word" : "no name given: a mixer is a name or a map with a name");
    out->mixer = mixer_find(name);
    if (!out->mixer) {
        const char *names[512];
        int n = 0;
        for (; all_mixers[n] && n < 511; n++) names[n] = all_mixers[n]->name;
        names[n] = NULL;
        char near[NAME_HINT];
        name_hint(name, names, near);
        return err_set(err, EXIT_USAGE, "%sunknown mixer '%.80s'%s", value_place(given ? given : spec, false, place),
                       name, near[0] ? near : " (see `seqprobe list mixers`)");
    }
    snprintf(owner, sizeof owner, "mixer %s", name);
    out->cfg = ARENA_NEW(a, char, out->mixer->cfg_size);
    return options_read(out->mixer->options, spec->kind == VALUE_MAP ? spec : NULL, owner, skip, out->cfg, a, err);
}

bool mixer_build(MixerUse *use, const Place *at, Params *p, const char *where, Arena *a, Err *err)
{
    use->self = ARENA_NEW(a, char, use->mixer->self_size);
    snprintf(use->where, sizeof use->where, "%s", where);
    params_enter(p, "%s", where);
    if (!use->mixer->build(use->cfg, at, p, use->self, err)) return err_prefix(err, "mixer %s", use->mixer->name);
    params_leave(p);
    return true;
}

Tensor *mixer_run(const MixerUse *use, Ctx *c, Tensor *x)
{
    size_t at = strlen(c->prefix);
    snprintf(c->prefix + at, sizeof c->prefix - at, "%s.", use->where);
    Tensor *y = use->mixer->forward(use->cfg, use->self, c, x);
    c->prefix[at] = 0;
    CHECK(same_shape(x, y), "mixer %s maps %s to %s", use->mixer->name, shape_str(x), shape_str(y));
    return y;
}

bool mixer_open(const Place *at, const Value *spec, Params *p, const char *where, Arena *a, MixerUse *out, Err *err)
{
    TRY(mixer_read(spec, a, out, err));
    return mixer_build(out, at, p, where, a, err);
}

const char *theory_class_name(ClassKind kind)
{
    static const char *const name[] = {
        [CLASS_LTI] = "linear, time-invariant",
        [CLASS_DIAG_POS] = "diagonal, eigenvalues in [0,1]",
        [CLASS_DIAG_REAL] = "diagonal, eigenvalues in [-1,1]",
        [CLASS_DIAG_COMPLEX] = "diagonal, complex eigenvalues",
        [CLASS_DPLR1] = "one Householder factor, beta in [0,1]",
        [CLASS_DPLR1_NEG] = "one Householder factor, beta in [0,2]",
        [CLASS_DPLR_H] = "product of Householder factors",
        [CLASS_DENSE] = "dense input-dependent transition",
        [CLASS_RNN] = "nonlinear recurrence",
        [CLASS_ATTENTION] = "softmax attention",
        [CLASS_OTHER] = "unclassified",
    };
    return name[kind];
}

const char *theory_verdict_name(TheoryVerdict v)
{
    static const char *const name[] = { "open", "yes", "no", "cond", "approx" };
    return name[v];
}
