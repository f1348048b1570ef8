/* SPDX-License-Identifier: Apache-2.0
 * optim.h - AdamW, gradient clipping, learning-rate schedules.
 */
#ifndef SEQPROBE_OPTIM_H
#define SEQPROBE_OPTIM_H

#include "tape/tape.h"

typedef struct AdamW { double beta1, beta2, eps; long t; double beta1_t, beta2_t; real *m, *v; size_t n; } AdamW;

void adamw_init(AdamW *o, size_t n, double beta1, double beta2, double eps, Arena *a);
/* One update has begun: t += 1 (call before the adamw_update calls of a step). */
void adamw_tick(AdamW *o);
/* Update p[n] (at offset `at` of the moments) with gradient g: decay by the scheduled lr, then Adam with eps after the
 * bias-corrected root. Source: Loshchilov & Hutter 2019 (arXiv:1711.05101), PyTorch's order. */
void adamw_update(AdamW *o, size_t at, size_t n, real *p, const real *g, double lr, double weight_decay);

double grad_norm(const real *g, size_t n);                          /* Euclidean, summed in double */
/* g *= min(1, clip / (norm + 1e-6)); clip <= 0 leaves g alone. */
void   grad_clip(real *g, size_t n, double norm, double clip);

typedef enum { SCHEDULE_WARMUP_COSINE, SCHEDULE_CONSTANT, SCHEDULE_COSINE_STEP, SCHEDULE_COSINE_EPOCH } Schedule;
/* Rate of step s (from 0) of n. warmup_cosine: peak (s+1)/w for s < w, then
 * floor + (peak-floor)(1+cos(pi (s-w)/(n-w)))/2, floor from s = n. cosine_step: the same with w = 0. cosine_epoch:
 * constant inside an epoch of `epoch` steps. */
double schedule_lr(Schedule kind, long s, long n, long w, long epoch, double peak, double floor);

#endif
