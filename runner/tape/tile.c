/* SPDX-License-Identifier: Apache-2.0
 * tile.c - register tiles of R rows by C vectors, R C <= 12 accumulators of the 16 vector registers of AVX2. */
#include "tape/tile.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* It takes UNROLL for a function. */
/* clang-format off */
/* What a tile reads and writes. step: of a from one l to the next, in bytes (in elements gcc clones the loop for a step
 * of one and then spills the accumulators around both). */
typedef struct Tile { const real *a, *b; real *out; size_t ra, step, ldb, ldo; int len; bool add; } Tile;

/* One tile; R and C are constants at every call, so the loops over them unroll and acc stays in registers. */
static inline __attribute__((always_inline)) void tile(const int R, const int C, const Tile *t, size_t row)
{
    const char *a = (const char *)(t->a + row * t->ra);
    const real *b = t->b;
    real *out = t->out + row * t->ldo;
    const size_t ra = t->ra, step = t->step, ldb = t->ldb, ldo = t->ldo;
    vreal acc[6][TILE_WIDTH];
    UNROLL for (int i = 0; i < R; i++)
        UNROLL for (int j = 0; j < C; j++) acc[i][j] = v_set(0);
    for (int l = 0; l < t->len; l++, a += step, b += ldb) {
        vreal w[TILE_WIDTH], x[6];                        /* the shorter side is held: 12 + 3 + 1 registers at most */
        if (R < C) {
            UNROLL for (int i = 0; i < R; i++) x[i] = v_set(((const real *)a)[(size_t)i * ra]);
            UNROLL for (int j = 0; j < C; j++) {
                w[0] = v_load(b + j * VLEN);
                UNROLL for (int i = 0; i < R; i++) acc[i][j] += x[i] * w[0];
            }
        } else {
            UNROLL for (int j = 0; j < C; j++) w[j] = v_load(b + j * VLEN);
            UNROLL for (int i = 0; i < R; i++) {
                x[0] = v_set(((const real *)a)[(size_t)i * ra]);
                UNROLL for (int j = 0; j < C; j++) acc[i][j] += x[0] * w[j];
            }
        }
    }
    if (t->add) {
        UNROLL for (int i = 0; i < R; i++)
            UNROLL for (int j = 0; j < C; j++) acc[i][j] += v_load(out + (size_t)i * ldo + (size_t)(j * VLEN));
    }
    UNROLL for (int i = 0; i < R; i++)
        UNROLL for (int j = 0; j < C; j++) v_store(out + (size_t)i * ldo + (size_t)(j * VLEN), acc[i][j]);
}

#define TILE(R, C) static void tile_##R##x##C(const Tile *t, size_t row) { tile(R, C, t, row); }
TILE(6, 1) TILE(3, 1) TILE(2, 1) TILE(1, 1)
TILE(6, 2) TILE(3, 2) TILE(2, 2) TILE(1, 2)
TILE(3, 3) TILE(2, 3) TILE(1, 3)
TILE(3, 4) TILE(2, 4) TILE(1, 4)
#undef TILE

void tile_mul(int m, int c, int len, const real *a, size_t ra, size_t ca, const real *b, size_t ldb, real *out,
              size_t ldo, bool add)
{
    static void (*const table[TILE_WIDTH][4])(const Tile *, size_t) = {   /* rows 1, 2, 3, 6 or 3 */
        { tile_1x1, tile_2x1, tile_3x1, tile_6x1 },
        { tile_1x2, tile_2x2, tile_3x2, tile_6x2 },
        { tile_1x3, tile_2x3, tile_3x3, tile_3x3 },
        { tile_1x4, tile_2x4, tile_3x4, tile_3x4 },
    };
    const Tile t = { a, b, out, ra, ca * sizeof(real), ldb, ldo, len, add };
    int tall = c <= 2 ? 6 : 3, row = 0;
    for (; row + tall <= m; row += tall) table[c - 1][3](&t, (size_t)row);
    for (int r; row < m; row += r) {
        r = m - row >= 3 ? 3 : m - row;
        table[c - 1][r - 1](&t, (size_t)row);
    }
}
