/* SPDX-License-Identifier: Apache-2.0
 * fuzz_npy.c - bytes as an .npy file. What is accepted has as many numbers as bytes allow. */
#include "base/file.h"
#include "fuzz.h"

void fuzz_npy(const unsigned char *data, size_t len)
{
    Arena *a = arena_new("fuzz");
    Npy n;
    Err err = { 0 };
    if (npy_parse("x.npy", (const char *)data, len, a, &n, &err)) {
        CHECK(n.count <= len, "%zu numbers from %zu bytes", n.count, len);
        double sum = 0;
        for (size_t i = 0; i < n.count; i++) sum += n.x[i];
        CHECK(sum == sum || sum != sum, "unreachable");
    } else {
        CHECK(err.code == EXIT_FAILED && err.msg[0], "code %d without a message", err.code);
    }
    arena_free(a);
}
