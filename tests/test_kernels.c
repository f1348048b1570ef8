/* SPDX-License-Identifier: Apache-2.0
 * test_kernels.c - the fused sequence ops against naive references, in float and in double. */
#include <check.h>
#include <stdlib.h>

#include "support/cases.h"

int main(void)
{
    Suite *s = suite_create("kernels");
    suite_add_tcase(s, cases_scan());
    if (cases_seq) suite_add_tcase(s, cases_seq());
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
