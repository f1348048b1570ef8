/* SPDX-License-Identifier: Apache-2.0
 * fuzz.h - readers of what comes from outside, each fed with arbitrary bytes.
 *
 * An entry point returns for every input; a crash, a sanitizer's report, a leak, a failed CHECK or a slow answer is a
 * fault. `make fuzz` drives them with libFuzzer (fuzz_main.c), `make test` with the stored corpus (test_fuzz.c).
 */
#ifndef SEQPROBE_FUZZ_H
#define SEQPROBE_FUZZ_H

#include "base/base.h"

void fuzz_config(const unsigned char *data, size_t len);
void fuzz_npy(const unsigned char *data, size_t len);
void fuzz_csv(const unsigned char *data, size_t len);
void fuzz_checkpoint(const unsigned char *data, size_t len);

#endif
