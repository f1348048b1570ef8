/* SPDX-License-Identifier: Apache-2.0
 * base.h - what every other file may use: the real type, errors, arenas, random numbers.
 *
 * The library is compiled twice from the same sources: REAL_BITS=32 trains, REAL_BITS=64 proves (gradient checks,
 * golden cases). Write `real`, never `float` literals; sums that feed a loss or a metric accumulate in double.
 *
 * Three kinds of fault: a user's or the environment's (bool + Err, propagated with TRY), the program's (CHECK, always
 * on, aborts with a message), and numerical ones, which are results and never errors.
 */
#ifndef SEQPROBE_BASE_H
#define SEQPROBE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef REAL_BITS
#define REAL_BITS 32
#endif
#if REAL_BITS == 64
typedef double real;
#else
typedef float real;
#endif

const char *program_version(void);      /* "seqprobe 0.1.0 (commit)" */
const char *program_date(void);         /* of that version, "2026-11-30" */

enum { IGNORE = -1 };                  /* a target that is not scored */

/* Exit codes, documented in `seqprobe help exit-codes`. */
enum {
    EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_THRESHOLD = 3, EXIT_SOME_FAILED = 4,
    EXIT_FAULT = 70, EXIT_MEMORY = 71, EXIT_CONTINUE = 75
};

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* Filled once, at the deepest place that knows what, where, what was expected. `code` is the exit code. */
typedef struct Err { int code; char msg[512]; } Err;

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* Fill e (unless it is filled already) and return false, so that callers write `return err_set(...)`. e may be NULL. */
bool err_set(Err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Put "fmt: " in front of the message of a filled e; returns false. */
bool err_prefix(Err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print file, line, condition and message to stderr and abort; the program's handler makes that EXIT_FAULT. */
_Noreturn void check_fail(const char *file, int line, const char *cond, const char *fmt, ...) PRINTF_LIKE(4, 5);

#define TRY(expr) do { if (!(expr)) return false; } while (0)
#define CHECK(cond, ...) ((cond) ? (void)0 : check_fail(__FILE__, __LINE__, #cond, __VA_ARGS__))

/* ---- arenas ---------------------------------------------------------------------------------------------------- */

/* Chained blocks, 64-byte aligned, freed all at once. Never returns NULL: out of memory prints requested and used
 * bytes and exits with EXIT_MEMORY. Built with -DPOISON, fresh memory of arena_alloc is filled with NaN. */
typedef struct Arena Arena;

Arena *arena_new(const char *name);
/* The line and the exit of a failed allocation, for memory that lies in no arena. */
__attribute__((noreturn)) void out_of_memory(const char *what, size_t want, size_t have);
void   arena_free(Arena *a);                                       /* a may be NULL */
void  *arena_alloc(Arena *a, size_t count, size_t size);           /* uninitialised (NaN under POISON) */
void  *arena_zalloc(Arena *a, size_t count, size_t size);          /* zeroed */
size_t arena_mark(const Arena *a);
void   arena_reset(Arena *a, size_t mark);                         /* forget everything allocated after mark */
size_t arena_peak(const Arena *a);                                 /* high-water mark, bytes */
char  *arena_strdup(Arena *a, const char *s);
char  *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define ARENA_NEW(a, T, n) ((T *)arena_zalloc((a), (size_t)(n), sizeof(T)))
#define ARENA_RAW(a, T, n) ((T *)arena_alloc((a), (size_t)(n), sizeof(T)))

/* ---- random numbers -------------------------------------------------------------------------------------------- */

/* PCG32 (XSH-RR, 64-bit state). All state is explicit. */
typedef struct Rng { uint64_t state, inc; } Rng;

static inline uint32_t rng_u32(Rng *r)
{
    uint64_t old = r->state;
    r->state = old * 6364136223846793005u + r->inc;
    uint32_t x = (uint32_t)(((old >> 18u) ^ old) >> 27u), rot = (uint32_t)(old >> 59u);
    return (x >> rot) | (x << ((32u - rot) & 31u));
}
Rng      rng_seed(uint64_t initstate, uint64_t initseq);            /* as pcg32_srandom_r */
uint32_t rng_below(Rng *r, uint32_t n);                             /* 0..n-1, unbiased (rejection); n >= 1 */
double   rng_uniform(Rng *r);                                       /* [0,1), 53 bits */
double   rng_normal(Rng *r);                                        /* N(0,1), Box-Muller, two uniforms a call */
void     rng_shuffle(Rng *r, int *v, int n);                        /* Fisher-Yates */
/* k distinct values of 0..n-1 in random order into out; scratch holds n ints. */
void     rng_choose(Rng *r, int n, int k, int *out, int *scratch);

uint64_t mix64(uint64_t x);                                         /* 64-bit finaliser (splitmix64's) */
uint64_t fnv1a64(const char *s);
/* Stream of a named purpose, such as "init/blocks.0.mixer.wq" or "step/17". */
Rng      rng_named(uint64_t seed, const char *name);
/* Example i of (task, split, slice): a pure function of its arguments (design: key = mix64(fnv1a64("task/split/slice")
 * ^ mix64(seed)), state = mix64(key + i), increment = mix64(state ^ 0x9e3779b97f4a7c15) | 1). */
Rng      rng_example(const char *task, const char *split, const char *slice, uint64_t seed, uint64_t i);

#endif
