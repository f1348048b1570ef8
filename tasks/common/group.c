/* SPDX-License-Identifier: Apache-2.0
 * group.c - multiplication tables of the groups of group.h.
 *
 * Each factor's table is built from what the group acts on (permutations listed in order, corners of a polygon, signs
 * of quaternion units), then factors are multiplied together. A table entry is two bytes, so at most 2 MB in all.
 *
 * Householder factors (reflections): S<n> permutes the coordinates of R^n and a permutation with c cycles is n - c
 * transpositions, each a reflection; S3, A4, S4, A5 are rotation groups of R^3 and a rotation is two reflections, as
 * are those of Z<n> and D<n> in the plane; a unit quaternion acts on R^4 as four (Siems et al. 2025, arXiv:2502.10297).
 */
#include "common/group.h"

#include <stdio.h>
#include <string.h>

static const char KNOWN[] = "Z<n> (n >= 2), D<n> (n >= 3), Q8, S2..S6, A3..A6, joined by _x_";

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Read one factor at *s and move past it; false if it is none. */
static bool factor_read(const char **s, GroupFactor *f)
{
    f->letter = **s;
    if (!f->letter || !strchr("ZDQSA", f->letter)) return false;
    f->n = 0;
    for (++*s; **s >= '0' && **s <= '9'; ++*s) {
        if (f->n == 0 && **s == '0') return false;
        f->n = f->n * 10 + (**s - '0');
        if (f->n > GROUP_ORDER_MAX) return false;
    }
    int n = f->n;
    switch (f->letter) {
    case 'Z': f->order = n; return n >= 2;
    case 'D': f->order = 2 * n; return n >= 3;
    case 'Q': f->order = 8; return n == 8;
    case 'S': f->order = n <= GROUP_POINTS_MAX ? factorial(n) : 0; return n >= 2 && n <= GROUP_POINTS_MAX;
    default: f->order = n <= GROUP_POINTS_MAX ? factorial(n) / 2 : 0; return n >= 3 && n <= GROUP_POINTS_MAX;
    }
}

static int factor_reflections(GroupFactor f)
{
    bool sym = f.letter == 'S' || f.letter == 'A';
    if (f.order == 2) return 1;
    if (f.letter == 'Q') return 4;
    if (!sym || f.order <= 60) return 2;
    return f.letter == 'S' ? f.n - 1 : 4; /* S5: 4, S6: 5, A6: 4 */
}

bool group_facts(const char *name, GroupFacts *out, Err *err)
{
    *out = (GroupFacts){ .order = 1, .abelian = true, .solvable = true, .exponent2 = true, .reflections = 1 };
    const char *s = name;
    for (;;) {
        GroupFactor f;
        if (out->factors == GROUP_FACTORS_MAX)
            return err_set(err, EXIT_USAGE, "group '%s': more than %d factors", name, GROUP_FACTORS_MAX);
        if (!factor_read(&s, &f) || (*s && strncmp(s, "_x_", 3) != 0))
            return err_set(err, EXIT_USAGE, "group '%s': unknown factor; known: %s", name, KNOWN);
        bool sym = f.letter == 'S' || f.letter == 'A';
        out->order *= f.order;
        if (out->order > GROUP_ORDER_MAX)
            return err_set(err, EXIT_USAGE, "group '%s': more than %d elements", name, GROUP_ORDER_MAX);
        out->factor[out->factors++] = f;
        out->abelian &= f.letter == 'Z' || f.order <= 3;
        out->solvable &= !sym || f.n < 5;
        out->exponent2 &= f.order == 2;
        int h = factor_reflections(f);
        if (h > out->reflections) out->reflections = h;
        if (!*s) break;
        s += 3;
    }
    out->two_group = (out->order & (out->order - 1)) == 0;
    return true;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Next permutation in lexicographic order; false after the last. */
static bool perm_next(uint8_t *p, int n)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && p[i] > p[i + 1]) i--;
    if (i < 0) return false;
    while (p[j] < p[i]) j--;
    uint8_t x = p[i];
    p[i] = p[j], p[j] = x;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) x = p[a], p[a] = p[b], p[b] = x;
    return true;
}

static bool perm_odd(const uint8_t *p, int n)
{
    int inversions = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) inversions += p[i] > p[j];
    return inversions & 1;
}

/* All (even) permutations of n points in lexicographic order, order x n. */
static uint8_t *perm_list(GroupFactor f, Arena *a)
{
    uint8_t *list = ARENA_NEW(a, uint8_t, f.order * f.n), p[GROUP_POINTS_MAX];
    int count = 0;
    for (int i = 0; i < f.n; i++) p[i] = (uint8_t)i;
    do {
        if (f.letter == 'A' && perm_odd(p, f.n)) continue;
        memcpy(list + count++ * f.n, p, (size_t)f.n);
    } while (perm_next(p, f.n));
    return list;
}

static int perm_find(const uint8_t *list, int order, const uint8_t *p, int n)
{
    int lo = 0, hi = order - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (memcmp(list + mid * n, p, (size_t)n) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Index of the symmetry that sends corner 0 to at0 and corner 1 to at1. */
static int dihedral_find(int n, int at0, int at1) { return (at0 + 1) % n == at1 ? at0 : n + at0; }
static int dihedral_act(int n, int id, int x) { return id < n ? (id + x) % n : (id - x) % n; }

static int quaternion_mul(int a, int b)
{
    static const char sign[4][4] = { { 0, 0, 0, 0 }, { 0, 1, 0, 1 }, { 0, 1, 1, 0 }, { 0, 0, 1, 1 } };
    int u = a / 2, v = b / 2;
    return 2 * (u ^ v) + ((a + b + sign[u][v]) & 1);
}

static int factor_mul(GroupFactor f, const uint8_t *perm, int a, int b)
{
    uint8_t p[GROUP_POINTS_MAX];
    switch (f.letter) {
    case 'Z': return (a + b) % f.n;
    case 'D':
        return dihedral_find(f.n, dihedral_act(f.n, a, dihedral_act(f.n, b, 0)),
                             dihedral_act(f.n, a, dihedral_act(f.n, b, 1)));
    case 'Q': return quaternion_mul(a, b);
    default:
        for (int i = 0; i < f.n; i++) p[i] = perm[a * f.n + perm[b * f.n + i]];
        return perm_find(perm, f.order, p, f.n);
    }
}

/* Multiply the table of G (order g) with the factor's: (g * |F|)^2 entries. */
static uint16_t *table_extend(const uint16_t *table, int g, GroupFactor f, const uint8_t *perm, Arena *a)
{
    int n = f.order, order = g * n;
    uint16_t *own = ARENA_NEW(a, uint16_t, n * n), *mul = ARENA_NEW(a, uint16_t, order * order);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++) own[x * n + y] = (uint16_t)factor_mul(f, perm, x, y);
    for (int x = 0; x < order; x++)
        for (int y = 0; y < order; y++)
            mul[x * order + y] = (uint16_t)(table[(x / n) * g + y / n] * n + own[(x % n) * n + y % n]);
    return mul;
}

bool group_build(const char *name, Arena *a, Group *out, Err *err)
{
    *out = (Group){ .name = name };
    TRY(group_facts(name, &out->facts, err));
    static const uint16_t trivial[] = { 0 };
    const uint16_t *table = trivial;
    for (int i = 0, g = 1; i < out->facts.factors; i++) {
        GroupFactor f = out->facts.factor[i];
        bool sym = f.letter == 'S' || f.letter == 'A';
        uint8_t *perm = sym ? perm_list(f, a) : NULL;
        table = out->mul = table_extend(table, g, f, perm, a);
        out->order = g *= f.order;
        if (out->facts.factors > 1 || !sym) continue;
        out->points = f.n;
        out->perm = perm;
        out->moved = ARENA_NEW(a, uint8_t, f.order);
        for (int x = 0; x < f.order; x++)
            for (int p = 0; p < f.n; p++) out->moved[x] = (uint8_t)(out->moved[x] + (perm[x * f.n + p] != p));
    }
    return true;
}

/* ---- notation ---------------------------------------------------------------------------------------------------- */

/* Element id of S<n> or A<n> as digits. Of two neighbours 2i, 2i+1 of S<n> exactly one is even. */
static void perm_symbol(GroupFactor f, int id, char *out)
{
    uint8_t p[GROUP_POINTS_MAX];
    for (int i = 0; i < f.n; i++) p[i] = (uint8_t)i;
    for (int left = f.letter == 'A' ? 2 * id : id; left > 0; left--) perm_next(p, f.n);
    if (f.letter == 'A' && perm_odd(p, f.n)) perm_next(p, f.n);
    for (int i = 0; i < f.n; i++) out[i] = (char)('0' + p[i]);
    out[f.n] = 0;
}

const char *group_symbol(const GroupFacts *facts, int id, char *buf, size_t size)
{
    static const char *const unit[] = { "1", "-1", "i", "-i", "j", "-j", "k", "-k" };
    size_t used = 0;
    buf[0] = 0;
    for (int i = 0, rest = facts->order; i < facts->factors && used < size; i++) {
        GroupFactor f = facts->factor[i];
        rest /= f.order;
        int x = id / rest % f.order;
        char one[16];
        switch (f.letter) {
        case 'Z': snprintf(one, sizeof one, "%d", x); break;
        case 'D': snprintf(one, sizeof one, "%s%d", x < f.n ? "r" : "s", x % f.n); break;
        case 'Q': snprintf(one, sizeof one, "%s", unit[x]); break;
        default: perm_symbol(f, x, one); break;
        }
        int n = snprintf(buf + used, size - used, "%s%s", i ? "." : "", one);
        used += (size_t)n;
    }
    return buf;
}
