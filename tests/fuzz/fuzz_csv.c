/* SPDX-License-Identifier: Apache-2.0
 * fuzz_csv.c - bytes as a table. What is accepted and written again reads back as the same cells. */
#include <string.h>

#include "base/file.h"
#include "fuzz.h"

static void check_table(const Csv *c, Arena *a)
{
    Buf b = buf_new(a);
    Csv again;
    Err err = { 0 };
    for (int i = -1; i < c->rows; i++)
        for (int k = 0; k < c->cols; k++) {
            buf_csv(&b, i < 0 ? c->head[k] : c->cell[i][k]);
            buf_puts(&b, k + 1 < c->cols ? "," : "\n");
        }
    if (c->cols == 1) return; /* an empty cell of a table of one column is a blank line */
    CHECK(csv_parse("again.csv", b.s, a, &again, &err), "%s in\n%s", err.msg, b.s);
    CHECK(again.rows == c->rows && again.cols == c->cols, "%d x %d became %d x %d", c->rows, c->cols, again.rows,
          again.cols);
    for (int i = 0; i < c->rows; i++)
        for (int k = 0; k < c->cols; k++)
            CHECK(!strcmp(c->cell[i][k], again.cell[i][k]), "cell '%s' became '%s'", c->cell[i][k], again.cell[i][k]);
}

void fuzz_csv(const unsigned char *data, size_t len)
{
    Arena *a = arena_new("fuzz");
    char *text = ARENA_NEW(a, char, len + 1);
    Csv c;
    Err err = { 0 };
    if (len) memcpy(text, data, len);
    if (csv_parse("x.csv", text, a, &c, &err)) {
        check_table(&c, a);
        if (c.rows) csv_num(&c, 0, c.head[0]);
    } else {
        CHECK(err.code && err.msg[0], "refused without a message");
    }
    arena_free(a);
}
