/* SPDX-License-Identifier: Apache-2.0
 * test_group.c - finite groups: tables against hashes of the published ones, axioms, and what names say.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/group.h"
#include "support/suite.h"

static Arena *arena;
static void setup(void) { arena = arena_new("test"); }
static void teardown(void) { arena_free(arena); }

static Group build(const char *name)
{
    Group g;
    Err err = { 0 };
    ck_assert_msg(group_build(name, arena, &g, &err), "%s", err.msg);
    return g;
}

typedef struct TableHash {
    const char *name;
    int order;
    uint64_t hash;
} TableHash;

static const TableHash tables[] = {
    { "S3", 6, 0x809cdfd8fa5c9a9bu },   { "S4", 24, 0x67094d599eda49a5u }, { "S5", 120, 0xa29365133501af45u },
    { "A4", 12, 0x22cba69b3710863du },  { "A5", 60, 0x73f6f47a0f98270du }, { "A4_x_Z5", 60, 0x653ad6d9a445857du },
    { "Z60", 60, 0x86e4e27372b5d96du },
};

START_TEST(group_tables)
{
    Group g = build(tables[_i].name);
    uint64_t h = 0xcbf29ce484222325u;
    ck_assert_int_eq(g.order, tables[_i].order);
    for (int i = 0; i < g.order * g.order; i++) h = (h ^ g.mul[i]) * 0x100000001b3u;
    ck_assert_msg(h == tables[_i].hash, "table of %s", g.name);
}
END_TEST

START_TEST(group_axioms)
{
    static const char *const names[] = { "S3", "D3", "D5", "D8", "Q8", "Z2_x_Q8", "D4_x_S3", "A6", "S2", "A3" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        Group g = build(names[k]);
        int n = g.order;
        Rng rng = rng_named(3, names[k]);
        for (int a = 0; a < n; a++) {
            int inverse = 0, seen = 0;
            ck_assert(g.mul[a] == a && g.mul[a * n] == a);
            for (int b = 0; b < n; b++) {
                inverse += g.mul[a * n + b] == 0 && g.mul[b * n + a] == 0;
                for (int x = 0; x < n && n <= 48; x++) seen += g.mul[a * n + x] == b;
            }
            ck_assert_int_eq(inverse, 1);
            if (n <= 48) ck_assert_int_eq(seen, n);
        }
        for (int i = 0; i < 5000; i++) {
            int a = (int)rng_below(&rng, (uint32_t)n), b = (int)rng_below(&rng, (uint32_t)n);
            int c = (int)rng_below(&rng, (uint32_t)n);
            ck_assert(g.mul[g.mul[a * n + b] * n + c] == g.mul[a * n + g.mul[b * n + c]]);
        }
    }
    static const int s3[] = { 0, 1, 2, 3, 4, 5, 1, 0, 4, 5, 2, 3, 2, 3, 0, 1, 5, 4,
                              3, 2, 5, 4, 0, 1, 4, 5, 1, 0, 3, 2, 5, 4, 3, 2, 1, 0 };
    static const int even[] = { 0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23 };
    Group g = build("S3"), a5 = build("A5"), s5 = build("S5"), q = build("Q8");
    for (int i = 0; i < 36; i++) ck_assert_int_eq(g.mul[i], s3[i]);
    for (int i = 0; i < 12; i++) ck_assert(!memcmp(a5.perm + 5 * i, s5.perm + 5 * even[i], 5));
    ck_assert(q.mul[2 * 8 + 4] == 6 && q.mul[4 * 8 + 2] == 7 && q.mul[2 * 8 + 2] == 1); /* ij = k, ji = -k, ii = -1 */
}
END_TEST

START_TEST(group_names)
{
    static const char *const bad[] = { "",      "S",   "S1",    "S7",      "A2",      "Z1",
                                       "Z0",    "Z05", "D2",    "Q4",      "S3_x_",   "S3xZ2",
                                       "_x_S3", "E8",  "Z2000", "S6_x_Z2", "S5_x_S4", "Z99999999999" };
    GroupFacts f;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err err = { 0 };
        ck_assert_msg(!group_facts(bad[i], &f, &err) && err.code == EXIT_USAGE, "'%s' is accepted", bad[i]);
    }
    char buf[32];
    ck_assert(group_facts("A4_x_Z5", &f, NULL) && f.order == 60 && f.solvable && !f.abelian && !f.two_group);
    ck_assert(group_facts("A5_x_Z2", &f, NULL) && !f.solvable && f.reflections == 2);
    ck_assert(group_facts("Z2_x_Z2", &f, NULL) && f.abelian && f.exponent2 && f.two_group && f.reflections == 1);
    ck_assert(group_facts("S5", &f, NULL) && f.reflections == 4);
    ck_assert_str_eq(group_symbol(&f, 24, buf, sizeof buf), "10234");
    ck_assert(group_facts("A4_x_D3_x_Q8", &f, NULL));
    ck_assert_str_eq(group_symbol(&f, (1 * 6 + 4) * 8 + 3, buf, sizeof buf), "0231.s1.-i");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("group");
    TCase *c = tcase_create("group");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, group_tables, 0, (int)(sizeof tables / sizeof *tables));
    tcase_add_test(c, group_axioms);
    tcase_add_test(c, group_names);
    suite_add_tcase(s, c);
    return suite_run(s);
}
