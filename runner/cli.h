/* SPDX-License-Identifier: Apache-2.0
 * cli.h - a subcommand as data: its flags, help and function; one table in main.c lists them all.
 */
#ifndef SEQPROBE_CLI_H
#define SEQPROBE_CLI_H

#include <stdio.h>

#include "base/grid.h"

typedef enum { FLAG_BOOL, FLAG_INT, FLAG_REAL, FLAG_STRING } FlagKind;
typedef struct Flag {
    const char *name; char brief;      /* "jobs", 'j' (0: none) */
    FlagKind kind; const char *def;    /* default as text; NULL for bool */
    const char *value;                 /* name of the value in help, "N"; or all there are, "table|csv|json" */
    const char *help;
} Flag;
#define FLAG_END    { NULL, 0, FLAG_BOOL, NULL, NULL, NULL }
#define FLAG_FORMAT { "format", 'f', FLAG_STRING, "table", "table|csv|json", "form of the result" }

typedef struct Cli Cli;
typedef struct Command {
    const char *name, *synopsis, *summary, *description;
    const Flag *flags;                 /* ends with FLAG_END */
    int (*run)(Cli *cli, Err *err);    /* exit code; with err->code set, main prints the message and exits with it */
} Command;

/* A parsed command line. Positional arguments and key=value settings keep their order; `--` ends flags. */
struct Cli {
    const Command *command;
    Arena *arena;
    int n_args; const char **args;     /* positional */
    int n_sets; const char **sets;     /* "train.lr=1e-3,3e-3" */
    const char **flag_text;            /* by index of command->flags; NULL: not given */
    const Command *const *commands;    /* all of them, NULL-terminated */
};

/* The program: parses, runs one command, prints its error; returns the exit code. */
int  cli_main(int argc, char **argv, const Command *const *commands);
/* The words after the command's name; usage errors have code EXIT_USAGE. */
bool cli_parse(const Command *command, int argc, char **argv, Arena *a, Cli *out, Err *err);
const Command *cli_find(const Command *const *commands, const char *name, Err *err);   /* NULL if unknown */
extern const Flag cli_common_flags[];
void cli_print_short(const Command *const *commands, FILE *f);
void cli_print_help(const Command *const *commands, FILE *f);
void cli_print_command(const Command *c, FILE *f);

bool        cli_given(const Cli *c, const char *flag);
bool        cli_bool(const Cli *c, const char *flag);
int         cli_int(const Cli *c, const char *flag);
double      cli_real(const Cli *c, const char *flag);
const char *cli_string(const Cli *c, const char *flag);    /* default if not given; may be NULL */
Format      cli_format(const Cli *c);                      /* of a command with FLAG_FORMAT, or more forms */

/* Colour and terminal rules of the project (NO_COLOR, CLICOLOR_FORCE, TERM=dumb); fd is 1 or 2. */
bool term_is_tty(int fd);
bool term_color(int fd);
int  term_width(int fd);                                   /* columns, 80 if unknown */
void        print_version(FILE *f);                        /* that line, then compiler, flags, libraries */

/* Commands, by the room that implements them. */
extern const Command command_check, command_collect, command_compare, command_eval, command_run, command_select,
                     command_slurm, command_status, command_sweep;                                    /* sweep/ */
extern const Command command_completion, command_export, command_help, command_list, command_plot, command_report,
                     command_sample, command_score, command_show, command_table;             /* show/ */

#endif
