/* SPDX-License-Identifier: Apache-2.0
 * theory.h - model classes and verdicts of the expressivity literature, printed beside measured accuracies.
 */
#ifndef SEQPROBE_THEORY_H
#define SEQPROBE_THEORY_H

/* Model classes. DPLR1: one generalised Householder per step with beta in [0,1]; DPLR1_NEG: beta in [0,2];
 * DPLR_H: product of n_h such factors, beta in [0,2]. */
typedef enum {
    CLASS_LTI, CLASS_DIAG_POS, CLASS_DIAG_REAL, CLASS_DIAG_COMPLEX, CLASS_DPLR1, CLASS_DPLR1_NEG, CLASS_DPLR_H,
    CLASS_DENSE, CLASS_RNN, CLASS_ATTENTION, CLASS_OTHER
} ClassKind;
typedef struct TheoryClass { ClassKind kind; int n_h; } TheoryClass;

/* yes: a construction exists for every length; no: impossible at fixed depth and finite precision for all lengths;
 * cond: needs the ingredient named in `why`; approx: only up to a length or precision; open: not settled. */
typedef enum { THEORY_OPEN, THEORY_YES, THEORY_NO, THEORY_COND, THEORY_APPROX } TheoryVerdict;
typedef struct Theory { TheoryVerdict verdict; const char *why; } Theory;   /* why: reason and source, one line */

const char *theory_class_name(ClassKind kind);            /* "diagonal, eigenvalues in [0,1]" ... */
const char *theory_verdict_name(TheoryVerdict v);         /* "yes" "no" "cond" "approx" "open" */

#endif
