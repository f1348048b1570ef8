/* SPDX-License-Identifier: Apache-2.0
 * walk.c - see walk.h.
 */
#include "common/walk.h"

bool walk_check_lengths(const char *task, const Length *len, int step, Err *err)
{
    if (len->kind == LENGTH_UNIFORM) {
        if (length_min(len) % step == 0 && length_max(len) % step == step - 1) return true;
        return err_set(err, EXIT_USAGE,
                       "%s: len comes in steps of %d, so a range starts at a multiple of %d and ends just before one: "
                       "[%d, %d]",
                       task, step, step, step, 6 * step - 1);
    }
    for (int i = 0; i < len->n; i++)
        if (len->v[i] % step)
            return err_set(err, EXIT_USAGE, "%s: len: %d must be a multiple of %d", task, len->v[i], step);
    return true;
}

int walk_weight(const Length *len, int step, int n)
{
    int weight = 0;
    if (len->kind == LENGTH_UNIFORM) return n >= length_min(len) && n <= length_max(len) && n % step == 0;
    for (int i = 0; i < len->n; i++) weight += len->v[i] == n;
    return weight;
}

/* Backwards from the end: returns[d] = expected visits of depth 0 to come, at depth d with `left` symbols to come. */
double walk_share_empty(const Length *len, double p)
{
    double row[2][WALK_MAX / 2 + 2] = { { 0 } }, visits = 0, positions = 0;
    int longest = walk_length(length_max(len), 2);
    for (int left = 1; left <= longest; left++) {
        const double *next = row[(left - 1) % 2];
        double *returns = row[left % 2];
        int deepest = left < longest - left ? left : longest - left; /* and of the parity of what is left */
        for (int d = left % 2; d <= deepest; d += 2) {
            double close = d == 0 ? 0 : next[d - 1] + (d == 1);
            returns[d] = d == 0 ? next[1] : d == left ? close : p * next[d + 1] + (1 - p) * close;
        }
        int weight = left % 2 ? 0 : walk_weight(len, 2, left);
        visits += weight * returns[0];
        positions += (double)weight * left;
    }
    return visits / positions;
}
