/* SPDX-License-Identifier: Apache-2.0
 * test_npy.c - .npy arrays: round trips, NumPy's bytes, malformed and cut files; in a temporary folder of its own. */
#include "base/file.h"
#include "support/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena *arena;
static char dir[512];

static const char *at(const char *name) { return path_join(arena, dir, name); }

static void start(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/seqprobe-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    arena = arena_new("test");
    ck_assert_ptr_ne(mkdtemp(dir), NULL);
}

static void stop(void)
{
    unlink(at("x.npy"));
    unlink(at("y.npy"));
    ck_assert_int_eq(rmdir(dir), 0);
    arena_free(arena);
}

static void write_bytes(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_ne(f, NULL);
    ck_assert_uint_eq(fwrite(data, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

static void check_round_trip(NpyType type, int rank, const int *dim)
{
    float f4[6];
    double f8[6];
    int32_t i4[6];
    int64_t i8[6];
    const void *data[] = { [NPY_F4] = f4, [NPY_F8] = f8, [NPY_I4] = i4, [NPY_I8] = i8 };
    const double x[6] = { 0, 1, -2, 100000, -7, 3 };
    size_t count = 1;
    Err err = { 0 };
    Npy n;
    for (int i = 0; i < 6; i++) f4[i] = (float)x[i], f8[i] = x[i], i4[i] = (int32_t)x[i], i8[i] = (int64_t)x[i];
    for (int i = 0; i < rank; i++) count *= (size_t)dim[i];
    ck_assert_msg(npy_write(at("x.npy"), type, rank, dim, data[type], &err), "%s", err.msg);
    ck_assert_msg(npy_read(at("x.npy"), arena, &n, &err), "%s", err.msg);
    ck_assert_int_eq(n.rank, rank);
    ck_assert_uint_eq(n.count, count);
    for (int i = 0; i < rank; i++) ck_assert_int_eq(n.dim[i], dim[i]);
    for (size_t i = 0; i < count; i++) ck_assert_double_eq(n.x[i], x[i]);
    struct stat st;
    stat(at("x.npy"), &st);
    ck_assert_int_eq((int)((size_t)st.st_size - count * (type == NPY_F4 || type == NPY_I4 ? 4 : 8)) % 64, 0);
}

START_TEST(npy_round_trips)
{
    static const struct {
        int rank, dim[3];
    } shapes[] = { { 0, { 0 } },    { 1, { 5 } }, { 2, { 2, 3 } }, { 3, { 1, 3, 2 } },
                   { 2, { 0, 3 } }, { 1, { 0 } }, { 1, { 1 } } };
    for (int type = NPY_F4; type <= NPY_I8; type++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            check_round_trip((NpyType)type, shapes[s].rank, shapes[s].dim);
}
END_TEST

START_TEST(npy_extreme_numbers)
{
    Err err = { 0 };
    Npy n;
    const double f8[] = { 1.7976931348623157e308, 5e-324, -0.0, 1.0 / 3, HUGE_VAL, (double)NAN };
    const int32_t i4[] = { INT32_MIN, INT32_MAX };
    const int64_t i8[] = { -((int64_t)1 << 53), INT64_MIN };
    ck_assert(npy_write(at("x.npy"), NPY_F8, 1, (int[]){ 6 }, f8, &err) && npy_read(at("x.npy"), arena, &n, &err));
    ck_assert_mem_eq(n.x, f8, sizeof f8);
    ck_assert(npy_write(at("x.npy"), NPY_I4, 1, (int[]){ 2 }, i4, &err) && npy_read(at("x.npy"), arena, &n, &err));
    ck_assert(n.x[0] == -2147483648.0 && n.x[1] == 2147483647.0);
    ck_assert(npy_write(at("x.npy"), NPY_I8, 1, (int[]){ 2 }, i8, &err) && npy_read(at("x.npy"), arena, &n, &err));
    ck_assert(n.x[0] == -9007199254740992.0 && n.x[1] == -9223372036854775808.0);
}
END_TEST

/* The bytes that NumPy writes for np.save of a (2, 3) float32 array. */
START_TEST(npy_bytes)
{
    static const char head[] = "\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    const float x[6] = { 1, 2, 3, 4, 5, -0.5f };
    Err err = { 0 };
    char *file;
    size_t len;
    ck_assert(npy_write(at("x.npy"), NPY_F4, 2, (int[]){ 2, 3 }, x, &err));
    ck_assert(file_read(at("x.npy"), 1000, arena, &file, &len, &err));
    ck_assert_uint_eq(len, 128 + 24);
    ck_assert_mem_eq(file, head, sizeof head - 1);
    for (size_t i = sizeof head - 1; i < 127; i++) ck_assert_int_eq(file[i], ' ');
    ck_assert_int_eq(file[127], '\n');
    ck_assert_mem_eq(file + 128, "\0\0\x80\x3f\0\0\0\x40", 8);
    ck_assert_mem_eq(file + 148, "\0\0\0\xbf", 4);
}
END_TEST

/* A file with this dictionary and data. */
static void write_npy(const char *dict, const void *data, size_t len)
{
    size_t n = strlen(dict);
    char *file = ARENA_RAW(arena, char, 10 + n + len);
    memcpy(file, "\x93NUMPY\x01", 8);
    file[8] = (char)(n & 255);
    file[9] = (char)(n >> 8);
    memcpy(file + 10, dict, n);
    memcpy(file + 10 + n, data, len);
    write_bytes(at("x.npy"), file, 10 + n + len);
}

START_TEST(npy_other_writers)
{
    static const struct {
        const char *dict, *data;
        size_t len;
        double first;
    } cases[] = {
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "\xff\1\2", 3, 255 },
        { "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n", "\1\0", 2, 1 },
        { "{\"shape\":(1,2),\"descr\":\"<i4\",\"fortran_order\":False}", "\xfe\xff\xff\xff\0\0\0\0", 8, -2 },
        { "{ 'fortran_order' : False , 'shape' : ( ) , 'descr' : '<i8' } \n", "\7\0\0\0\0\0\0\0", 8, 7 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Err err = { 0 };
        Npy n;
        write_npy(cases[i].dict, cases[i].data, cases[i].len);
        ck_assert_msg(npy_read(at("x.npy"), arena, &n, &err), "%s", err.msg);
        ck_assert_double_eq(n.x[0], cases[i].first);
    }
}
END_TEST

#define HEAD(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static const struct {
    const char *dict;
    size_t len;
    const char *message;
} malformed[] = {
    { HEAD("<f4", "True", "(2,)"), 8, "fortran_order is True; save the array in C order" },
    { HEAD("<f4", "Maybe", "(2,)"), 8, "malformed header: fortran_order is neither True nor False" },
    { HEAD(">f4", "False", "(2,)"), 8, "dtype '>f4', only f4 f8 i1-i8 u1-u8 b1, little-endian, are read" },
    { HEAD("<f2", "False", "(4,)"), 8, "dtype '<f2', only f4 f8 i1-i8 u1-u8 b1, little-endian, are read" },
    { HEAD("|O", "False", "(1,)"), 8, "dtype '|O', only f4 f8 i1-i8 u1-u8 b1, little-endian, are read" },
    { HEAD("<f4", "False", "(3,)"), 8, "truncated: 8 bytes of data, the shape needs more" },
    { HEAD("<f4", "False", "(2,)"), 7, "truncated: 7 bytes of data, the shape needs more" },
    { HEAD("<f4", "False", "(2,)"), 9, "9 bytes of data, the shape needs only 8" },
    { HEAD("<f4", "False", "(1,)"), 8, "8 bytes of data, the shape needs only 4" },
    { HEAD("<f4", "False", "(0, 5)"), 8, "8 bytes of data, the shape needs only 0" },
    { HEAD("<f4", "False", "(2147483647, 2147483647, 2147483647)"), 8,
      "truncated: 8 bytes of data, the shape needs more than any memory" },
    { HEAD("<f4", "False", "(65536, 65536, 65536, 65536)"), 8,
      "truncated: 8 bytes of data, the shape needs more than any memory" },
    { HEAD("<f4", "False", "(4294967297,)"), 8, "an axis is longer than 2147483647" },
    { HEAD("<f4", "False", "(99999999999999999999999999,)"), 8, "an axis is longer than 2147483647" },
    { HEAD("<f4", "False", "(-2,)"), 8, "malformed header: bad axis in shape" },
    { HEAD("<f4", "False", "(1,1,1,1,1,1,1,1,2)"), 8, "more than 8 axes" },
    { HEAD("<f4", "False", "(1 2)"), 8, "malformed header: bad shape" },
    { HEAD("<f4", "False", "[2]"), 8, "malformed header: shape is no tuple" },
    { HEAD("<f4", "False", "(2,"), 8, "malformed header: bad axis in shape" },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8, "arrays of records are not supported" },
    { "{'descr': '<f4', 'shape': (2,)}", 8, "malformed header: needs descr, fortran_order and shape" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8, "malformed header: unknown key 'x'" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8, "malformed header: text after the dictionary" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8, "malformed header: expected ',' or '}'" },
    { "{'descr': '<f4", 8, "malformed header: unclosed quote" },
    { "{'descr' '<f4'}", 8, "malformed header: expected ':'" },
    { "{descr: 1}", 8, "malformed header: expected a quoted word" },
    { "hello", 8, "malformed header: no dictionary" },
    { "", 8, "malformed header: no dictionary" },
};

START_TEST(npy_malformed)
{
    Err err = { 0 };
    Npy n;
    write_npy(malformed[_i].dict, "0123456789", malformed[_i].len);
    ck_assert_msg(!npy_read(at("x.npy"), arena, &n, &err), "accepted %s", malformed[_i].dict);
    ck_assert_str_eq(err.msg, arena_printf(arena, "%s: %s", at("x.npy"), malformed[_i].message));
    ck_assert_int_eq(err.code, EXIT_FAILED);
}
END_TEST

START_TEST(npy_not_an_array)
{
    static const struct {
        const char *data;
        size_t len;
        const char *message;
    } cases[] = {
        { "PK\3\4 a zip file", 15, "not an .npy file (wrong magic)" },
        { "", 0, "truncated: no header" },
        { "\x93NUM", 4, "truncated: no header" },
        { "\x93NUMPY\x01\0v", 9, "truncated: no header" },
        { "\x93NUMPY\x01\0v\0{'descr'", 18, "truncated: the header is cut off" },
        { "\x93NUMPY\x02\0v\0\0\0{'descr'", 20, ".npy version 2.0, only 1.0 is read" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Err err = { 0 };
        Npy n;
        write_bytes(at("x.npy"), cases[i].data, cases[i].len);
        ck_assert(!npy_read(at("x.npy"), arena, &n, &err));
        ck_assert_str_eq(err.msg, arena_printf(arena, "%s: %s", at("x.npy"), cases[i].message));
    }
    Err err = { 0 };
    Npy n;
    ck_assert(!npy_read(at("none.npy"), arena, &n, &err));
    ck_assert(strstr(err.msg, "No such file or directory"));
}
END_TEST

/* Any cut of a good file is refused, whatever byte it ends at. */
START_TEST(npy_cut_anywhere)
{
    const double x[4] = { 1, 2, 3, 4 };
    Err err = { 0 };
    char *file;
    size_t len;
    Npy n;
    ck_assert(npy_write(at("x.npy"), NPY_F8, 2, (int[]){ 2, 2 }, x, &err));
    ck_assert(file_read(at("x.npy"), 1000, arena, &file, &len, &err));
    for (size_t cut = 0; cut < len; cut++) {
        write_bytes(at("y.npy"), file, cut);
        err = (Err){ 0 };
        ck_assert_msg(!npy_read(at("y.npy"), arena, &n, &err), "accepted %zu of %zu bytes", cut, len);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("npy");
    TCase *t = tcase_create("npy");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, npy_round_trips);
    tcase_add_test(t, npy_extreme_numbers);
    tcase_add_test(t, npy_bytes);
    tcase_add_test(t, npy_other_writers);
    tcase_add_loop_test(t, npy_malformed, 0, (int)(sizeof malformed / sizeof *malformed));
    tcase_add_test(t, npy_not_an_array);
    tcase_add_test(t, npy_cut_anywhere);
    suite_add_tcase(s, t);
    return suite_run(s);
}
