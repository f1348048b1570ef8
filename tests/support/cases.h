/* SPDX-License-Identifier: Apache-2.0
 * cases.h - groups of cases that live outside the test program that runs them (test_kernels.c). */
#ifndef SEQPROBE_TESTS_CASES_H
#define SEQPROBE_TESTS_CASES_H

#include <check.h>

TCase *cases_scan(void);               /* scan_dplr, scan_diag, scan_selective */
TCase *cases_levels(void);             /* scan_levels */
TCase *cases_slots(void);               /* scan_slots, log_past, phasor */
TCase *cases_seq(void);                /* cell_lstm, attention */
TCase *cases_attention(void);          /* biases of attention, cope */

#endif
