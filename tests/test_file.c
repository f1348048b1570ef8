/* SPDX-License-Identifier: Apache-2.0
 * test_file.c - buffers, files, folders, hashes, CSV tables; works in a temporary folder of its own. */
#include "base/file.h"
#include "support/suite.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena *arena;
static char dir[512];

static void start(void)
{
    arena = arena_new("test");
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/seqprobe-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    ck_assert_ptr_ne(mkdtemp(dir), NULL);
}

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    if (!d) {
        unlink(path);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove_all(path_join(arena, path, e->d_name));
    closedir(d);
    rmdir(path);
}

static void stop(void)
{
    chmod(dir, 0700);
    remove_all(dir);
    arena_free(arena);
}

static const char *at(const char *name) { return path_join(arena, dir, name); }

static void write_bytes(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_ne(f, NULL);
    ck_assert_uint_eq(fwrite(data, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

/* ---- buffers ---- */

START_TEST(buffers_grow)
{
    Buf b = buf_new(arena);
    ck_assert_str_eq(b.s, "");
    for (int i = 0; i < 5000; i++) buf_printf(&b, "%d,", i % 10);
    buf_puts(&b, "end");
    ck_assert_uint_eq(b.len, 10003);
    ck_assert_uint_eq(strlen(b.s), 10003);
    ck_assert(!strncmp(b.s, "0,1,2,3,", 8) && !strcmp(b.s + 9998, "9,end"));
    Buf big = buf_new(arena);
    buf_puts(&big, "x");
    buf_printf(&big, "%0*d", 100000, 7);
    ck_assert_uint_eq(big.len, 100001);
    ck_assert_int_eq(big.s[100000], '7');
    for (size_t n = 250; n < 262; n++) { /* around the first capacity */
        Buf edge = buf_new(arena);
        buf_printf(&edge, "%0*d", (int)n, 1);
        ck_assert_uint_eq(strlen(edge.s), n);
        buf_puts(&edge, "!");
        ck_assert_int_eq(edge.s[n], '!');
    }
}
END_TEST

START_TEST(csv_cells)
{
    static const char *const cases[][2] = {
        { "", "" },           { "abc", "abc" },         { "a b", "a b" },           { " a", " a" },
        { "a,b", "\"a,b\"" }, { "a\"b", "\"a\"\"b\"" }, { "\"", "\"\"\"\"" },       { "a\nb", "\"a\nb\"" },
        { "a\r", "\"a\r\"" }, { "#x;y", "#x;y" },       { "\"\"", "\"\"\"\"\"\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf b = buf_new(arena);
        buf_csv(&b, cases[i][0]);
        ck_assert_str_eq(b.s, cases[i][1]);
    }
}
END_TEST

START_TEST(csv_reals)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 1, "1" },
        { 0.5, "0.5" },
        { 1.0 / 3, "0.333333333" },
        { 1e-10, "1e-10" },
        { -2.5, "-2.5" },
        { 123456789, "123456789" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf b = buf_new(arena);
        buf_real(&b, cases[i].v);
        ck_assert_str_eq(b.s, cases[i].text);
    }
    Buf b = buf_new(arena);
    buf_real(&b, (double)NAN);
    buf_real(&b, HUGE_VAL);
    buf_real(&b, -HUGE_VAL);
    ck_assert_str_eq(b.s, "");
}
END_TEST

/* ---- whole files ---- */

START_TEST(files_round_trip)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 100000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Err err = { 0 };
        char *data = ARENA_RAW(arena, char, sizes[i] + 1), *back;
        size_t len = 99;
        for (size_t k = 0; k < sizes[i]; k++) data[k] = (char)(k * 7);
        ck_assert_msg(file_write_atomic(at("f"), data, sizes[i], &err), "%s", err.msg);
        ck_assert_msg(file_read(at("f"), sizes[i], arena, &back, &len, &err), "%s", err.msg);
        ck_assert_uint_eq(len, sizes[i]);
        ck_assert_mem_eq(back, data, sizes[i]);
        ck_assert_int_eq(back[len], 0);
        ck_assert(file_read(at("f"), 1 << 20, arena, &back, NULL, &err));
    }
}
END_TEST

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    while (readdir(d)) n++;
    closedir(d);
    return n - 2;
}

START_TEST(atomic_write_leaves_one_file)
{
    Err err = { 0 };
    char *text;
    ck_assert(file_write_atomic(at("f"), "old", 3, &err));
    ck_assert(file_write_atomic(at("f"), "new!", 4, &err));
    ck_assert(file_read(at("f"), 100, arena, &text, NULL, &err));
    ck_assert_str_eq(text, "new!");
    ck_assert_int_eq(entries(), 1);
    ck_assert(file_exists(at("f")));
    ck_assert(!file_exists(at("g")));
    ck_assert(file_exists(dir));
}
END_TEST

START_TEST(write_failures)
{
    Err err = { 0 };
    const char *path = at("no/such/f");
    ck_assert(!file_write_atomic(path, "x", 1, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot write %s: No such file or directory", path));
    ck_assert_int_eq(err.code, EXIT_FAILED);
    err = (Err){ 0 }; /* the target is a folder: rename fails, tmp is removed */
    ck_assert(dir_make(at("d/e"), &err));
    ck_assert(!file_write_atomic(at("d"), "x", 1, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot write %s: Is a directory", at("d")));
    ck_assert_int_eq(entries(), 1);
    char *deep = ARENA_RAW(arena, char, 6000);
    memset(deep, 'x', 5999);
    deep[5999] = 0;
    err = (Err){ 0 };
    ck_assert(!file_write_atomic(deep, "x", 1, &err));
    ck_assert(!strncmp(err.msg, "cannot write xxxx", 17));
}
END_TEST

START_TEST(read_only_folder)
{
    if (geteuid() == 0) return; /* root may write anywhere */
    Err err = { 0 };
    chmod(dir, 0500);
    ck_assert(!file_write_atomic(at("f"), "x", 1, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot write %s: Permission denied", at("f")));
    err = (Err){ 0 };
    ck_assert(!dir_make(at("d"), &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot make folder %s: Permission denied", at("d")));
}
END_TEST

START_TEST(disk_full)
{
    Err err = { 0 };
    if (access("/dev/full", W_OK) != 0) return;
    ck_assert_int_eq(symlink("/dev/full", arena_printf(arena, "%s.tmp.%ld", at("f"), (long)getpid())), 0);
    ck_assert(!file_write_atomic(at("f"), "x", 1, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot write %s: No space left on device", at("f")));
    ck_assert_int_eq(entries(), 0);
}
END_TEST

START_TEST(read_failures)
{
    Err err = { 0 };
    char *text = NULL;
    ck_assert(!file_read(at("none"), 100, arena, &text, NULL, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot read %s: No such file or directory", at("none")));
    err = (Err){ 0 };
    ck_assert(!file_read(dir, 100, arena, &text, NULL, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot read %s: Is a directory", dir));
    err = (Err){ 0 };
    write_bytes(at("f"), "12345678901", 11);
    ck_assert(!file_read(at("f"), 10, arena, &text, NULL, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "%s: larger than 10 bytes", at("f")));
    err = (Err){ 0 }; /* a device without a size is read to the limit */
    ck_assert(!file_read("/dev/zero", 1000000, arena, &text, NULL, &err));
    ck_assert_str_eq(err.msg, "/dev/zero: larger than 1000000 bytes");
    ck_assert_ptr_eq(text, NULL);
}
END_TEST

START_TEST(folders)
{
    Err err = { 0 };
    struct stat st;
    ck_assert(dir_make(at("a/b//c/"), &err));
    ck_assert_int_eq(stat(at("a/b/c"), &st), 0);
    ck_assert(S_ISDIR(st.st_mode));
    ck_assert(dir_make(at("a/b/c"), &err));
    ck_assert(dir_make("/", &err) && dir_make(".", &err) && dir_make("", &err));
    write_bytes(at("a/file"), "x", 1);
    ck_assert(!dir_make(at("a/file/d"), &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot make folder %s: Not a directory", at("a/file")));
}
END_TEST

START_TEST(paths)
{
    static const char *const joins[][3] = {
        { "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "", "b", "b" },
        { "a", "/b", "/b" }, { "/", "b", "/b" },   { ".", "b", "./b" },
    };
    static const char *const dirs[][2] = {
        { "a/b", "a" }, { "a", "." }, { "/a", "/" }, { "/a/b/c", "/a/b" }, { "a//b", "a" }, { "./a", "." }, { "", "." },
    };
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        ck_assert_str_eq(path_join(arena, joins[i][0], joins[i][1]), joins[i][2]);
    ck_assert_str_eq(path_join(arena, NULL, "b"), "b");
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) ck_assert_str_eq(path_dir(arena, dirs[i][0]), dirs[i][1]);
}
END_TEST

/* ---- hash ---- */

/* These values name folders of results: they may never change. */
START_TEST(hash_is_stable)
{
    ck_assert_uint_eq(hash_bytes("", 0, 0), 0x238275bc38fcbe91u);
    ck_assert_uint_eq(hash_bytes("a", 1, 0), 0xaa2a39fe9bde47a0u);
    ck_assert_uint_eq(hash_bytes("seqprobe", 8, 0), 0x4a1809fe543a78edu);
    ck_assert_uint_eq(hash_bytes("a sequence of 23 bytes.", 23, 7), 0x212fbfe00088ca52u);
}
END_TEST

START_TEST(hash_sees_every_bit)
{
    unsigned char x[41] = { 0 };
    double flipped = 0;
    int n = 0;
    for (size_t len = 1; len <= 41; len += 8)
        for (size_t bit = 0; bit < len * 8; bit++, n++) {
            uint64_t before = hash_bytes(x, len, 1);
            x[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t d = before ^ hash_bytes(x, len, 1);
            x[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int ones = 0;
            for (; d; d &= d - 1) ones++;
            ck_assert_int_ge(ones, 10);
            flipped += ones;
        }
    ck_assert_double_eq_tol(flipped / n, 32, 4 * 4 / sqrt(n));
    ck_assert_uint_ne(hash_bytes(x, 8, 1), hash_bytes(x, 9, 1)); /* zeros count */
    ck_assert_uint_ne(hash_bytes(x, 0, 1), hash_bytes(x, 1, 1));
    ck_assert_uint_ne(hash_bytes(x, 8, 1), hash_bytes(x, 8, 2));
    char text[] = "0123456789abcdef", moved[] = "x0123456789abcdef";
    ck_assert_uint_eq(hash_bytes(text, 16, 0), hash_bytes(moved + 1, 16, 0)); /* alignment does not */
}
END_TEST

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(hash_does_not_collide)
{
    enum { N = 100000 };
    uint64_t *h = ARENA_RAW(arena, uint64_t, N);
    for (int i = 0; i < N; i++) {
        char text[32];
        h[i] = hash_bytes(text, (size_t)snprintf(text, sizeof text, "lr: 1.0e-3, seed: %d", i), 0) >> 16; /* a run id */
    }
    qsort(h, N, sizeof *h, by_value);
    for (int i = 1; i < N; i++) ck_assert_uint_ne(h[i], h[i - 1]);
}
END_TEST

/* ---- CSV ---- */

static Csv csv(const char *text)
{
    Csv c;
    Err err = { 0 };
    ck_assert_msg(csv_parse("t.csv", text, arena, &c, &err), "%s", err.msg);
    return c;
}

START_TEST(csv_tables)
{
    Csv c = csv("a,b,c\n1,x y,\n,\"q,\"\"r\"\"\",-2.5e3\n");
    ck_assert_int_eq(c.cols, 3);
    ck_assert_int_eq(c.rows, 2);
    ck_assert_str_eq(c.head[1], "b");
    ck_assert_int_eq(csv_col(&c, "c"), 2);
    ck_assert_int_eq(csv_col(&c, "d"), -1);
    ck_assert_str_eq(csv_get(&c, 0, "b"), "x y");
    ck_assert_str_eq(csv_get(&c, 1, "b"), "q,\"r\"");
    ck_assert_str_eq(csv_get(&c, 0, "d"), "");
    ck_assert_double_eq(csv_num(&c, 0, "a"), 1);
    ck_assert_double_eq(csv_num(&c, 1, "c"), -2500);
    ck_assert(isnan(csv_num(&c, 0, "c")) && isnan(csv_num(&c, 0, "b")) && isnan(csv_num(&c, 0, "d")));
}
END_TEST

START_TEST(csv_forms)
{
    static const char *const texts[] = {
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r\n1,2\r\n3,4",
        "\xef\xbb\xbf\x61,b\n1,2\n3,4\n",
        "a,b\n\n1,2\n\n3,4\n\n",
        "\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"",
        "\"a\",\"b\"\r\n\"1\",2\r\n3,\"4\"\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Csv c = csv(texts[i]);
        ck_assert_int_eq(c.rows, 2);
        ck_assert_int_eq(c.cols, 2);
        ck_assert_str_eq(csv_get(&c, 0, "a"), "1");
        ck_assert_str_eq(csv_get(&c, 0, "b"), "2");
        ck_assert_str_eq(csv_get(&c, 1, "a"), "3");
        ck_assert_str_eq(csv_get(&c, 1, "b"), "4");
    }
    ck_assert_int_eq(csv("a,b\n").rows, 0);
    ck_assert_int_eq(csv("a").rows, 0);
    Csv one = csv("a\nx\n\ny\n"); /* one column: an empty line is an empty cell */
    ck_assert_int_eq(one.rows, 3);
    ck_assert_str_eq(csv_get(&one, 1, "a"), "");
    Csv lines = csv("a,b\n\"1\n2\",\"3\r\n4\"\n5,6\n");
    ck_assert_int_eq(lines.rows, 2);
    ck_assert_str_eq(csv_get(&lines, 0, "a"), "1\n2");
    ck_assert_str_eq(csv_get(&lines, 0, "b"), "3\r\n4");
    Csv empty = csv("a,b\n\"\",\n");
    ck_assert_str_eq(csv_get(&empty, 0, "a"), "");
}
END_TEST

START_TEST(csv_errors)
{
    static const char *const cases[][2] = {
        { "", "t.csv: no header line" },
        { "a,b\n1,2\n3\n", "t.csv:3: 1 cells, but the header has 2" },
        { "a,b\n1,2,3\n", "t.csv:2: 3 cells, but the header has 2" },
        { "a,b\n\"1\n2\",3\n4\n", "t.csv:4: 1 cells, but the header has 2" },
        { "a,b\n1,\"2\n3,4\n", "t.csv:2: unclosed quote" },
        { "a,b\n1,\"2\"x\n", "t.csv:2: text after a closing quote" },
        { "a,b\n1,2\"x\"\n", "t.csv:2: a quote inside a cell that does not start with one" },
        { "a,b,a\n1,2,3\n", "t.csv:1: two columns are named 'a'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Csv c;
        Err err = { 0 };
        ck_assert_msg(!csv_parse("t.csv", cases[i][0], arena, &c, &err), "accepted: %s", cases[i][0]);
        ck_assert_str_eq(err.msg, cases[i][1]);
        ck_assert_int_eq(err.code, EXIT_FAILED);
    }
}
END_TEST

START_TEST(csv_files)
{
    Err err = { 0 };
    Csv c;
    Buf b = buf_new(arena);
    buf_puts(&b, "k,text\n");
    for (int i = 0; i < 1000; i++) { /* what buf_csv writes is read as it was */
        buf_printf(&b, "%d,", i);
        buf_csv(&b, arena_printf(arena, "%s %d%s", i % 3 ? "a\"b" : "x,y", i, i % 5 ? "" : "\nz"));
        buf_puts(&b, "\n");
    }
    ck_assert(file_write_atomic(at("t.csv"), b.s, b.len, &err));
    ck_assert_msg(csv_read(at("t.csv"), arena, &c, &err), "%s", err.msg);
    ck_assert_int_eq(c.rows, 1000);
    for (int i = 0; i < 1000; i++) {
        ck_assert_double_eq(csv_num(&c, i, "k"), i);
        ck_assert_str_eq(csv_get(&c, i, "text"),
                         arena_printf(arena, "%s %d%s", i % 3 ? "a\"b" : "x,y", i, i % 5 ? "" : "\nz"));
    }
    ck_assert(!csv_read(at("none.csv"), arena, &c, &err));
    ck_assert_str_eq(err.msg, arena_printf(arena, "cannot read %s: No such file or directory", at("none.csv")));
    err = (Err){ 0 };
    write_bytes(at("nul.csv"), "a,b\n1\0,2\n", 9);
    ck_assert(!csv_read(at("nul.csv"), arena, &c, &err));
    ck_assert(strstr(err.msg, "holds a NUL byte"));
}
END_TEST

static TCase *files(void)
{
    TCase *t = tcase_create("files");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, buffers_grow);
    tcase_add_test(t, csv_cells);
    tcase_add_test(t, csv_reals);
    tcase_add_test(t, files_round_trip);
    tcase_add_test(t, atomic_write_leaves_one_file);
    tcase_add_test(t, write_failures);
    tcase_add_test(t, read_only_folder);
    tcase_add_test(t, disk_full);
    tcase_add_test(t, read_failures);
    tcase_add_test(t, folders);
    tcase_add_test(t, paths);
    tcase_add_test(t, hash_is_stable);
    tcase_add_test(t, hash_sees_every_bit);
    tcase_add_test(t, hash_does_not_collide);
    return t;
}

int main(void)
{
    Suite *s = suite_create("file");
    suite_add_tcase(s, files());
    TCase *t = tcase_create("csv");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, csv_tables);
    tcase_add_test(t, csv_forms);
    tcase_add_test(t, csv_errors);
    tcase_add_test(t, csv_files);
    suite_add_tcase(s, t);
    return suite_run(s);
}
