/* SPDX-License-Identifier: Apache-2.0
 * fuzz_main.c - libFuzzer's entry point; FUZZ names the one of fuzz.h that is built in. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    FUZZ(data, len);
    return 0;
}
