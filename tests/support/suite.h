/* SPDX-License-Identifier: Apache-2.0
 * suite.h - the end of every test program's main(). */
#ifndef SEQPROBE_TESTS_SUITE_H
#define SEQPROBE_TESTS_SUITE_H

#include <check.h>

/* Run a suite, a process per test, and free it; returns the exit code of main(). */
int suite_run(Suite *s);
/* The same, but under AddressSanitizer all in this process (unless CK_FORK says otherwise): for thousands of small
 * tests, whose forks would take longer than they do. A test that crashes then ends the program. */
int suite_run_together(Suite *s);

#endif
