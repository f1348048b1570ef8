/* SPDX-License-Identifier: Apache-2.0
 * solvable.c - the table behind solvable_row().
 *
 * Sources: one per cell. Constructions are for every length with parameters independent of it; "no" is at fixed depth
 * and finite precision. Cells that say "needs depth" follow from cascades (Krohn-Rhodes) and are proved for some
 * classes only.
 */
#include "common/solvable.h"

#include <stdbool.h>

#define OPEN                                                                                                           \
    {                                                                                                                  \
        THEORY_OPEN, "class not settled"                                                                               \
    }
#define YES(w)                                                                                                         \
    {                                                                                                                  \
        THEORY_YES, w                                                                                                  \
    }
#define NO(w)                                                                                                          \
    {                                                                                                                  \
        THEORY_NO, w                                                                                                   \
    }
#define IF(w)                                                                                                          \
    {                                                                                                                  \
        THEORY_COND, w                                                                                                 \
    }
#define UPTO(w)                                                                                                        \
    {                                                                                                                  \
        THEORY_APPROX, w                                                                                               \
    }

static const char LTI_FIXED[] = "time-invariant dynamics at finite precision (arXiv:2405.17394)";
static const char POSITIVE[] = "positive eigenvalues at finite precision (arXiv:2411.12537)";
static const char BETA_1[] = "beta in [0,1] keeps the eigenvalues in [0,1] (arXiv:2411.12537)";
static const char REAL_ODD[] = "counting modulo an odd number needs eigenvalues that are not real (arXiv:2411.12537)";
static const char MATRIX[] = "any finite automaton in one layer (arXiv:2404.08819)";
static const char AUTOMATON[] = "a finite automaton";
static const char SHORTCUT[] = "solvable: shortcuts that depend on the length (arXiv:2210.10749)";
static const char NC1[] = "NC1-complete; fixed depth is in TC0, unless TC0 = NC1 (arXiv:2404.08819)";
static const char PRODUCT[] = "enough reflections per token learn any regular language (arXiv:2411.12537)";
static const char FINITE[] = "a fixed state of finite precision is a finite automaton; up to a bounded depth";
static const char BITS[] = "state of at least as many bits as the bindings (arXiv:2402.18668)";
static const char STRING[] = "a fixed state cannot hold a string of any length; up to its bits (arXiv:2402.01032)";
static const char COUNTER[] = "a counter of log-precision, so up to a length (arXiv:2405.17394)";
static const char STAR_FREE[] = "two layers, exact; not robust to long ignored runs (arXiv:2405.17394)";
static const char BOUNDED[] = "two layers, memory of optimal order (arXiv:2405.17394)";
static const char SELECT[] = "with a state of as many bits as are kept (arXiv:2402.01032)";
static const char WINDOW[] = "a state that holds the window";
static const char SHIFT[] = "two layers, or a short convolution in front (arXiv:2212.14052)";
static const char KEEP[] = "a gate that holds what is marked";
static const char MAP[] = "a fixed map: embedding and feed-forward suffice, in any class";
static const char COMPOSE[] = "state for the rule, and depth for each application";
static const char TWO_TURN[] = "two reflections, in two layers, make a rotation (arXiv:2411.12537)";
static const char ONE_REAL[] = "one layer: a constant input repeats a matrix with real eigenvalues (arXiv:2411.12537)";

/* What every recurrent class shares, in the order of ClassKind. */
#define ALL_SAME(lti, x, rnn, attention)                                                                               \
    {                                                                                                                  \
        lti, x, x, x, x, x, x, x, rnn, attention, OPEN                                                                 \
    }

static const Theory table[SOLVABLE_ROWS][CLASS_OTHER + 1] = {
    [SOLVABLE_PARITY] = { NO(LTI_FIXED), NO(POSITIVE), YES("eigenvalue -1 (arXiv:2411.12537)"),
                          YES("rotation by pi (arXiv:2507.05238)"), NO(BETA_1), YES("a reflection (arXiv:2411.12537)"),
                          YES("a reflection (arXiv:2411.12537)"), YES(MATRIX), YES(AUTOMATON),
                          UPTO("precision must grow with length (arXiv:2202.12172; limits: 1906.06755)"), OPEN },
    [SOLVABLE_CYCLIC] = { NO(LTI_FIXED), NO(POSITIVE), NO(REAL_ODD), YES("a rotation (arXiv:2507.05238)"), NO(BETA_1),
                          YES(TWO_TURN), YES("two reflections make a rotation (arXiv:2502.10297)"), YES(MATRIX),
                          YES(AUTOMATON), UPTO(SHORTCUT), OPEN },
    [SOLVABLE_CYCLIC_2] = { NO(LTI_FIXED), NO(POSITIVE), IF("needs depth: a cascade of parities"),
                            YES("a rotation (arXiv:2507.05238)"), NO(BETA_1), YES(TWO_TURN),
                            YES("two reflections make a rotation (arXiv:2502.10297)"), YES(MATRIX), YES(AUTOMATON),
                            UPTO(SHORTCUT), OPEN },
    [SOLVABLE_ENDS] = ALL_SAME(IF("the first symbol must survive: a mode that does not decay"),
                               YES("keeps the first symbol: star-free (arXiv:2405.17394)"), YES(AUTOMATON),
                               UPTO("attends to both ends; precision must grow with length")),
    [SOLVABLE_STAR_FREE] = ALL_SAME(NO("time-invariant dynamics cannot reset (arXiv:2405.17394)"), YES(STAR_FREE),
                                    YES("a finite automaton, robustly"),
                                    UPTO("attends to the last reset; sporadic errors (arXiv:2306.00946)")),
    [SOLVABLE_SOLVABLE] = { NO(LTI_FIXED), NO(POSITIVE), NO(REAL_ODD),
                            IF("needs depth: a cascade of rotations (arXiv:2507.05238)"), NO(BETA_1),
                            IF("needs depth: a cascade of reflections (arXiv:2411.12537)"), YES(PRODUCT), YES(MATRIX),
                            YES(AUTOMATON), UPTO(SHORTCUT), OPEN },
    [SOLVABLE_UNSOLVABLE] = { NO(NC1), NO(NC1), NO(NC1), NO(NC1), NO(BETA_1),
                              IF("needs depth: layers that read earlier ones (arXiv:2502.10297)"),
                              IF("n_h at least the states less one, or depth (arXiv:2502.10297)"), YES(MATRIX),
                              YES(AUTOMATON), NO(NC1), OPEN },
    [SOLVABLE_STACK] = ALL_SAME(NO(FINITE), NO(FINITE), NO(FINITE), UPTO("a bounded depth only")),
    [SOLVABLE_BOUNDED_STACK] =
        ALL_SAME(IF("only while nothing must be forgotten"), YES(BOUNDED),
                 YES("O(depth log types) units (arXiv:2010.07515)"), YES("constant depth (arXiv:2105.11115)")),
    [SOLVABLE_RECALL] = { IF("width must grow with the bindings (arXiv:2312.04927)"), IF(BITS), IF(BITS), IF(BITS),
                          IF(BITS), IF(BITS), IF(BITS), IF(BITS), IF(BITS),
                          YES("two layers, width independent of the bindings (arXiv:2312.04927)"), OPEN },
    [SOLVABLE_COPY] = ALL_SAME(NO(STRING), NO(STRING), NO(STRING),
                               YES("two layers copy exponentially long strings (arXiv:2402.01032)")),
    [SOLVABLE_COUNTERS] =
        ALL_SAME(UPTO(COUNTER), UPTO(COUNTER), UPTO("counters of an LSTM; not a GRU (arXiv:1805.04908)"),
                 UPTO("uniform attention counts; precision must grow with length")),
    [SOLVABLE_MULTIPLY] = ALL_SAME(NO(STRING), NO(STRING), NO(STRING),
                                   UPTO("in TC0; no construction of fixed depth is known to be learned")),
    [SOLVABLE_SELECT] = ALL_SAME(NO("time-invariant dynamics cannot skip noise (arXiv:2312.00752)"), YES(SELECT),
                                 YES(SELECT), YES("two layers: count, then look up (arXiv:2312.00752)")),
    [SOLVABLE_INDUCTION] = ALL_SAME(UPTO("long convolutions, up to their width (arXiv:2302.10866)"), YES(SHIFT),
                                    YES("remembers what followed"), YES("an induction head (arXiv:2209.11895)")),
    [SOLVABLE_NEEDLE] = ALL_SAME(NO("time-invariant dynamics cannot tell the mark's neighbour from filler"), YES(KEEP),
                                 YES(KEEP), YES("attends to the mark's neighbour: two layers, or a shift")),
    [SOLVABLE_WINDOW] = ALL_SAME(YES("a convolution as wide as the window, with a nonlinear read-out"), YES(WINDOW),
                                 YES(WINDOW), YES("with positions")),
    [SOLVABLE_MEMORISED] = ALL_SAME(YES(MAP), YES(MAP), YES(MAP), YES(MAP)),
    [SOLVABLE_RULE] = ALL_SAME(IF(COMPOSE), IF(COMPOSE), IF(COMPOSE), IF(COMPOSE)),
};

Theory solvable_row(SolvableRow row, TheoryClass cls, int layers)
{
    const bool linear = cls.kind >= CLASS_DIAG_POS && cls.kind <= CLASS_DENSE;
    const bool cyclic = row == SOLVABLE_CYCLIC || row == SOLVABLE_CYCLIC_2;
    if (cyclic && layers < 2 && (cls.kind == CLASS_DPLR1_NEG || (cls.kind == CLASS_DPLR_H && cls.n_h < 2)))
        return (Theory)NO(ONE_REAL);
    if (layers < 2 && cls.kind == CLASS_ATTENTION &&
        (row == SOLVABLE_RECALL || row == SOLVABLE_SELECT || row == SOLVABLE_INDUCTION || row == SOLVABLE_COPY))
        return (Theory)IF("one layer needs a shift by one in front (arXiv:2312.04927)");
    if (layers < 2 && linear && (row == SOLVABLE_STAR_FREE || row == SOLVABLE_BOUNDED_STACK) && cls.kind < CLASS_DENSE)
        return (Theory)IF("one layer suffices for some; two for all (arXiv:2405.17394)");
    if (layers < 2 && linear && (row == SOLVABLE_INDUCTION || row == SOLVABLE_NEEDLE))
        return (Theory)IF("two layers, or a short convolution in front (arXiv:2212.14052)");
    return table[row][cls.kind];
}
