/* SPDX-License-Identifier: Apache-2.0
 * display.c - progress of a sweep on stderr: moving lines on a terminal, one line a minute elsewhere.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sweep/pool.h"

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *duration_text(double seconds, char *buf)
{
    if (!(seconds >= 0 && seconds < 1e9)) return strcpy(buf, "?");
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(buf, 32, "%ld h %02ld min", s / 3600, s % 3600 / 60);
    else if (s >= 60)
        snprintf(buf, 32, "%ld min %02ld s", s / 60, s % 60);
    else if (seconds < 9.95)
        snprintf(buf, 32, "%.1f s", seconds);
    else
        snprintf(buf, 32, "%ld s", s);
    return buf;
}

Display display_open(void)
{
    Display d = { .tty = term_is_tty(2), .color = term_color(2), .width = term_width(2), .last = clock_seconds() };
    if (d.tty) d.last = 0;
    return d;
}

/* Up to the first moving line, everything below erased. */
static void erase(Display *d)
{
    if (d->drawn) fprintf(stderr, "\r\033[%dA\033[J", d->drawn);
    d->drawn = 0;
}

/* Bytes of s that fill at most `columns` characters. */
static int clip(const char *s, int columns)
{
    int n = 0;
    while (s[n] && columns > 0) {
        n++;
        while (((unsigned char)s[n] & 0xc0) == 0x80) n++;
        columns--;
    }
    return n;
}

static void print_clipped(const Display *d, const char *text)
{
    fprintf(stderr, "%.*s\n", clip(text, d->width - 1), text);
}

static void worker_line(const DisplayLine *l, char *out, size_t size)
{
    enum { LABEL = 26 };
    const RunProgress *p = l->progress;
    char a[32], b[32], loss[32] = "", acc[32] = "";
    int bytes = clip(l->label, LABEL), pad = LABEL;
    for (int i = 0; i < bytes; i++) pad -= ((unsigned char)l->label[i] & 0xc0) != 0x80;
    duration_text(l->seconds, a);
    if (p->steps <= 0) {
        snprintf(out, size, "  %.*s%*s  starting, %s", bytes, l->label, pad, "", a);
        return;
    }
    if (isfinite(p->loss)) snprintf(loss, sizeof loss, "  loss %.3f", p->loss);
    if (isfinite(p->valid_acc)) snprintf(acc, sizeof acc, "  acc %.3f", p->valid_acc);
    snprintf(out, size, "  %.*s%*s %6d/%d%s%s  %s left  %.0fk tok/s", bytes, l->label, pad, "", p->step, p->steps, loss,
             acc, duration_text(p->eta_s, b), p->tokens_per_s / 1000);
}

bool display_due(const Display *d, double now) { return now - d->last >= (d->tty ? 0.2 : 60); }

void display_update(Display *d, double now, const char *head, const DisplayLine *line, int lines)
{
    char text[512];
    d->last = now;
    d->width = term_width(2);
    erase(d);
    for (int i = -1; i < lines; i++) {
        if (i >= 0) worker_line(&line[i], text, sizeof text);
        if (d->tty)
            print_clipped(d, i < 0 ? head : text);
        else
            fprintf(stderr, "%s\n", i < 0 ? head : text);
    }
    if (d->tty) d->drawn = 1 + lines;
    fflush(stderr);
}

void display_print(Display *d, const char *text)
{
    erase(d);
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

void display_close(Display *d)
{
    erase(d);
    fflush(stderr);
}
