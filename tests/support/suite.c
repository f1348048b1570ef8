/* SPDX-License-Identifier: Apache-2.0
 * suite.c - see suite.h. */
#include "suite.h"

#include <stdbool.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static int run(SRunner *r)
{
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int suite_run(Suite *s) { return run(srunner_create(s)); }

int suite_run_together(Suite *s)
{
    SRunner *r = srunner_create(s);
    if (sanitized && !getenv("CK_FORK")) srunner_set_fork_status(r, CK_NOFORK);
    return run(r);
}
