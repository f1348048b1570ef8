/* SPDX-License-Identifier: Apache-2.0
 * version.c - `seqprobe --version`: the version, and the facts of the build that can move numbers.
 */
#include "cli.h"
#include "base/vmath.h"
#include "tape/tape.h"

#include <yaml.h>

void print_version(FILE *f)
{
    fprintf(f, "%s\n", program_version());
#ifdef __clang__
    fprintf(f, "compiler  clang %s\n", __clang_version__);
#else
    fprintf(f, "compiler  gcc %s\n", __VERSION__);
#endif
    fprintf(f, "flags     %s\n", SEQPROBE_BUILD_FLAGS);
    fprintf(f, "reals     %d bits, vectors of %d\n", REAL_BITS, VLEN);
    fprintf(f, "products  %s\n", gemm_name());
    fprintf(f, "yaml      libyaml %s\n", yaml_get_version_string());
}
