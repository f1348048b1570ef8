/* SPDX-License-Identifier: Apache-2.0
 * op_embed - table lookup.
 *
 *   id: B T ints in 0..C-1, table (C,D) -> y (B,T,D)    y[b,t] = table[id[b,t]];  dtable[id[b,t]] += dy[b,t]
 *
 * Saves a copy of the ids. An id outside the table is a program fault: tasks declare their vocabulary.
 */
#include "tape/tape.h"
#include "tape/vec.h"

static void back(Node *n)
{
    Tensor *table = n->in[0], *y = n->out;
    const int *id = n->saved;
    size_t D = (size_t)table->dim[1];
    if (!table->g) return;
    for (int r = 0, rows = tensor_rows(y); r < rows; r++)
        vec_add(table->g + (size_t)id[r] * D, y->g + (size_t)r * D, D);
}

Tensor *op_embed(Tape *t, const int *id, int B, int T, Tensor *table)
{
    CHECK(table->rank == 2, "embed: table %s, want (C,D)", shape_str(table));
    int C = table->dim[0], rows = B * T;
    size_t D = (size_t)table->dim[1];
    Tensor *y = TENSOR(t, B, T, table->dim[1]);
    for (int r = 0; r < rows; r++) {
        CHECK(id[r] >= 0 && id[r] < C, "embed: id %d at %d, table has %d rows", id[r], r, C);
        memcpy(y->x + (size_t)r * D, table->x + (size_t)id[r] * D, D * sizeof(real));
    }
    int *kept = NULL;
    if (t->grad) {
        kept = ARENA_RAW(t->arena, int, rows);
        memcpy(kept, id, (size_t)rows * sizeof(int));
    }
    return PUSH(t, "embed", y, kept, table);
}
