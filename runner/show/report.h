/* SPDX-License-Identifier: Apache-2.0
 * report.h - the pieces of `seqprobe report`: what it knows of a sweep, HTML, and its sections.
 */
#ifndef SEQPROBE_REPORT_H
#define SEQPROBE_REPORT_H

#include "show/published.h"
#include "sweep/collect.h"
#include "sweep/verdicts.h"

/* Runs made by one program on one host. */
typedef struct Machine {
    const char *program, *compiler, *products, *flags, *host, *first, *last;
    int runs; double cpu;              /* seconds */
} Machine;

enum { WARNINGS_SHOWN = 200 };
typedef struct RunWarning { const RowResult *run; const char *text; int runs; } RunWarning;

typedef struct Report {
    Arena *a, *tmp;                    /* tmp: reset by whoever takes a mark */
    Buf b;                             /* the page so far */
    const char *results, *config;      /* folder and file as given */
    int n_sets; const char *const *sets;
    bool linked;                       /* it lies in results/NAME/: the files beside it can be linked */
    Plan plan;
    Cells cells;
    RowResult *row;                    /* by row of the plan */
    int runs; const RowResult **run;   /* distinct ones, in plan order */
    int count[RUN_INTERRUPTED + 1];    /* of distinct runs, by state */
    int finished;
    int comparisons; Comparison *comparison;
    int machines; Machine *machine;
    int warnings; RunWarning *warning; /* of finished runs; of equal ones in a cell the first */
    int verdicts, fell, skipped; Verdict *verdict;
} Report;

/* ---- report_html.c ---------------------------------------------------------------------------------------------- */

/* Text for an element or a quoted attribute: & < > " ' as entities; bytes that are no UTF-8, and control characters
 * other than newline and tab, as U+FFFD. */
char *html_text(Arena *a, const char *s);
/* As html_text, lower case, with '-' for all but letters and digits: an id or a class. */
char *html_id(Arena *a, const char *prefix, const char *s);

/* A section with its heading; `close` ends it. */
void html_section(Buf *b, const char *id, const char *title);
void html_section_end(Buf *b);
/* A table that scrolls in a container of its own. `head` are texts of column headings, escaped here. */
void html_table(Buf *b, const char *caption, const char *class_name, int cols, const char *const *head);
void html_table_end(Buf *b);
void html_row_head(Buf *b, const char *text);             /* <tr><th scope="row"> */
void html_cell(Buf *b, const char *text);                 /* <td>text</td>, escaped */
/* <details> with a summary. */
void html_details(Buf *b, const char *summary);
void html_details_end(Buf *b);

/* An SVG document as an element of the page: its ids (and what refers to them) get the prefix, the prolog and the
 * document's own title are left out, scripts refused. `label` is what a screen reader says. False: not an SVG. */
bool html_svg(Buf *b, const char *svg, const char *prefix, const char *label);

/* ---- report_style.c --------------------------------------------------------------------------------------------- */
void report_style(Buf *b);

/* ---- sections ---------------------------------------------------------------------------------------------------- */
bool report_setting(Report *r, Err *err);                 /* report_setting.c */
void report_options(Report *r);                           /* report_setting.c: the options all runs share */
void report_table(Report *r);                             /* report_table.c */
bool report_read_literature(Report *r, Err *err);          /* report_literature.c */
void report_literature(Report *r);                        /* report_literature.c */
void report_figures(Report *r);                           /* report_figures.c */
bool report_read_verdicts(Report *r, Err *err);            /* report_verdicts.c */
void report_verdicts(Report *r);                          /* report_verdicts.c */
void report_read_runs(Report *r);                         /* report_runs.c */
void report_failures(Report *r);                          /* report_runs.c */
void report_machines(Report *r);                          /* report_runs.c */
void report_reproduce(Report *r);                         /* report_reproduce.c */
void report_reading(Report *r);                           /* report_reproduce.c */

#endif
