/* SPDX-License-Identifier: Apache-2.0
 * cli.c - the command line: seqprobe COMMAND [argument ...] [key=value ...] [--flags].
 *
 *   --name VALUE  --name=VALUE  -n VALUE  -nVALUE      flags, in any order; the last one given counts
 *   key=value                                          a setting: starts with a letter, no '/' before the '='
 *   --                                                 ends flags;  -  alone is an argument (stdin or stdout)
 *   -h --help  -V --version  --color WHEN              understood everywhere
 *
 * Nothing may be abbreviated; an unknown name fails with the nearest known one. A flag with a value that is not given
 * takes it from the environment variable SEQPROBE_NAME, then from its default. Usage errors: stderr, EXIT_USAGE.
 */
#include "cli.h"
#include "base/value.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 64 };

const Flag cli_common_flags[] = {
    { "help", 'h', FLAG_BOOL, NULL, NULL, "this help" },
    { "version", 'V', FLAG_BOOL, NULL, NULL, "version, compiler and libraries" },
    { "color", 0, FLAG_STRING, "auto", "auto|always|never", "colour; auto: on a terminal" },
    FLAG_END,
};

/* ---- parsing ---- */

static bool unknown(Err *err, const char *what, const char *name, const char *const *names)
{
    const char *near = nearest_name(name, names);
    return err_set(err, EXIT_USAGE, "unknown %s '%s'%s%s%s", what, name, near ? " (did you mean '" : "",
                   near ? near : "", near ? "'?)" : "");
}

/* Index into flags of the flag written as `name` (length n; a single letter if brief), or -1. */
static int flag_index(const Flag *flags, const char *name, size_t n, bool brief)
{
    for (int i = 0; flags && flags[i].name; i++) {
        if (brief && flags[i].brief && flags[i].brief == name[0]) return i;
        if (!brief && strlen(flags[i].name) == n && !memcmp(flags[i].name, name, n)) return i;
    }
    return -1;
}

static bool unknown_flag(const Cli *c, const char *word, Err *err)
{
    const char *names[NAMES_MAX];
    int n = 0;
    for (int i = 0; c->command->flags && c->command->flags[i].name && n < NAMES_MAX - 4; i++)
        names[n++] = arena_printf(c->arena, "--%s", c->command->flags[i].name);
    for (int i = 0; cli_common_flags[i].name; i++)
        names[n++] = arena_printf(c->arena, "--%s", cli_common_flags[i].name);
    names[n] = NULL;
    return unknown(err, "flag", word, names);
}

/* One of "table|csv|json"? */
static bool check_choice(Arena *a, const char *choices, const char *origin, const char *text, Err *err)
{
    const char *name[NAMES_MAX];
    char *s = arena_strdup(a, choices);
    Buf list = buf_new(a);
    int n = 0;
    while (s && n < NAMES_MAX - 1) {
        char *bar = strchr(s, '|');
        if (bar) *bar = 0;
        if (!strcmp(s, text)) return true;
        buf_printf(&list, "%s%s", n ? ", " : "", s);
        name[n++] = s;
        s = bar ? bar + 1 : NULL;
    }
    name[n] = NULL;
    const char *near = nearest_name(text, name);
    return err_set(err, EXIT_USAGE, "%s: '%s' is not one of %s%s%s%s", origin, text, list.s,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static bool check_flag(Arena *a, const Flag *flag, const char *origin, const char *text, Err *err)
{
    char *end;
    if (flag->kind == FLAG_STRING && strchr(flag->value, '|')) return check_choice(a, flag->value, origin, text, err);
    errno = 0;
    if (flag->kind == FLAG_INT) {
        long v = strtol(text, &end, 10);
        if (end == text || *end || errno || v < INT_MIN || v > INT_MAX)
            return err_set(err, EXIT_USAGE, "%s: '%s' is not an integer", origin, text);
    }
    if (flag->kind == FLAG_REAL) {
        double v = strtod(text, &end);
        if (end == text || *end || errno || v - v != 0)
            return err_set(err, EXIT_USAGE, "%s: '%s' is not a number", origin, text);
    }
    return true;
}

/* One word that starts with '-'. Advances *i past a separate value. */
static bool parse_flag(Cli *c, int argc, char **argv, int *i, Err *err)
{
    const char *word = argv[*i], *equals = NULL, *text = NULL;
    bool brief = word[1] != '-';
    const char *name = word + (brief ? 1 : 2);
    if (!brief) equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const char *origin = brief ? arena_printf(c->arena, "-%.1s", name) : arena_printf(c->arena, "--%.*s", (int)n, name);
    int own = flag_index(c->command->flags, name, n, brief), common = flag_index(cli_common_flags, name, n, brief);
    if (own < 0 && common < 0) return unknown_flag(c, origin, err);
    const Flag *flag = own >= 0 ? &c->command->flags[own] : &cli_common_flags[common];
    if (equals)
        text = equals + 1;
    else if (brief && name[1])
        text = name + 1;
    if (flag->kind == FLAG_BOOL) {
        if (text) return err_set(err, EXIT_USAGE, "%s takes no value", origin);
        text = "true";
    } else if (!text) {
        if (*i + 1 >= argc) return err_set(err, EXIT_USAGE, "%s needs a value: %s %s", origin, origin, flag->value);
        text = argv[++*i];
    }
    TRY(check_flag(c->arena, flag, origin, text, err));
    if (own < 0) /* --color is for every command */
        return flag->kind == FLAG_BOOL || setenv("SEQPROBE_COLOR", text, 1) == 0 || err_set(err, EXIT_FAILED, "setenv");
    c->flag_text[own] = text;
    return true;
}

/* "train.lr=1e-3": a letter first, and nothing but letters, digits and "._-" before the '='. */
static bool is_setting(const char *word)
{
    if (!isalpha((unsigned char)word[0])) return false;
    for (; *word && *word != '='; word++)
        if (!isalnum((unsigned char)*word) && !strchr("._-", *word)) return false;
    return *word == '=';
}

/* SEQPROBE_NAME for the flags that were not given. */
static bool read_environment(Cli *c, int n_flags, Err *err)
{
    for (int i = 0; i < n_flags; i++) {
        const Flag *flag = &c->command->flags[i];
        if (flag->kind == FLAG_BOOL || c->flag_text[i]) continue;
        char *name = arena_printf(c->arena, "SEQPROBE_%s", flag->name);
        for (char *s = name; *s; s++) *s = *s == '-' ? '_' : (char)toupper((unsigned char)*s);
        const char *text = getenv(name);
        if (!text || !*text) continue;
        TRY(check_flag(c->arena, flag, name, text, err));
        c->flag_text[i] = text;
    }
    const char *color = getenv("SEQPROBE_COLOR");
    int i = flag_index(cli_common_flags, "color", 5, false);
    return !color || !*color || check_flag(c->arena, &cli_common_flags[i], "SEQPROBE_COLOR", color, err);
}

bool cli_parse(const Command *command, int argc, char **argv, Arena *a, Cli *c, Err *err)
{
    int n_flags = 0;
    while (command->flags && command->flags[n_flags].name) n_flags++;
    c->command = command;
    c->arena = a;
    c->n_args = c->n_sets = 0;
    c->args = ARENA_NEW(a, const char *, argc + 1);
    c->sets = ARENA_NEW(a, const char *, argc + 1);
    c->flag_text = ARENA_NEW(a, const char *, n_flags + 1);
    bool flags = true;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (flags && !strcmp(word, "--"))
            flags = false;
        else if (flags && word[0] == '-' && word[1])
            TRY(parse_flag(c, argc, argv, &i, err));
        else if (is_setting(word))
            c->sets[c->n_sets++] = word;
        else
            c->args[c->n_args++] = word;
    }
    return read_environment(c, n_flags, err);
}

/* ---- what a command asks ---- */

static int own_flag(const Cli *c, const char *name, FlagKind kind)
{
    int i = flag_index(c->command->flags, name, strlen(name), false);
    CHECK(i >= 0 && c->command->flags[i].kind == kind, "command %s has no such flag --%s", c->command->name, name);
    return i;
}

bool cli_given(const Cli *c, const char *flag)
{
    int i = flag_index(c->command->flags, flag, strlen(flag), false);
    CHECK(i >= 0, "command %s has no flag --%s", c->command->name, flag);
    return c->flag_text[i] != NULL;
}

bool cli_bool(const Cli *c, const char *flag) { return c->flag_text[own_flag(c, flag, FLAG_BOOL)] != NULL; }

static const char *text_of(const Cli *c, const char *flag, FlagKind kind)
{
    int i = own_flag(c, flag, kind);
    return c->flag_text[i] ? c->flag_text[i] : c->command->flags[i].def;
}

int cli_int(const Cli *c, const char *flag)
{
    const char *text = text_of(c, flag, FLAG_INT);
    return text ? (int)strtol(text, NULL, 10) : 0;
}

double cli_real(const Cli *c, const char *flag)
{
    const char *text = text_of(c, flag, FLAG_REAL);
    return text ? strtod(text, NULL) : 0;
}

const char *cli_string(const Cli *c, const char *flag) { return text_of(c, flag, FLAG_STRING); }

Format cli_format(const Cli *c)
{
    Format format = FORMAT_TABLE;
    Err err = { 0 };
    CHECK(format_read("--format", cli_string(c, "format"), &format, &err), "%s: %s", c->command->name, err.msg);
    return format;
}

/* ---- the program ---- */

/* Is one of the words before "--" this flag? */
static bool asks(int argc, char **argv, const char *brief, const char *name)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], brief) || !strcmp(argv[i], name)) return true;
    return false;
}

const Command *cli_find(const Command *const *commands, const char *name, Err *err)
{
    const char *names[NAMES_MAX];
    int n = 0;
    for (int i = 0; commands[i]; i++) {
        if (!strcmp(commands[i]->name, name)) return commands[i];
        if (n < NAMES_MAX - 1) names[n++] = commands[i]->name;
    }
    names[n] = NULL;
    unknown(err, "command", name, names);
    return NULL;
}

static void print_error(const Err *err, const Command *command)
{
    bool color = term_color(2);
    fflush(stdout);
    fprintf(stderr, "seqprobe: %serror:%s %s\n", color ? "\033[1;31m" : "", color ? "\033[0m" : "", err->msg);
    if (err->code == EXIT_USAGE && !command) fputs("seqprobe --help lists the commands.\n", stderr);
}

static int run_command(const Command *const *commands, int argc, char **argv, Arena *a, Err *err)
{
    int at = 1; /* only common flags may come before the command */
    while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--"))
        at += !strcmp(argv[at], "--color") && at + 1 < argc ? 2 : 1;
    if (at < argc && !strcmp(argv[at], "--")) at++;
    if (asks(argc - 1, argv + 1, "-V", "--version")) {
        print_version(stdout);
        return EXIT_OK;
    }
    bool help = asks(argc - 1, argv + 1, "-h", "--help");
    if (argc < 2) cli_print_short(commands, stdout);
    if (at >= argc && help) cli_print_help(commands, stdout);
    if (argc < 2 || (at >= argc && help)) return EXIT_OK;
    if (at >= argc) {
        static const Command none = { .name = "" };
        Cli c = { .commands = commands };
        if (cli_parse(&none, argc - 1, argv + 1, a, &c, err)) err_set(err, EXIT_USAGE, "no command given");
        return EXIT_USAGE;
    }
    const Command *command = cli_find(commands, argv[at], err);
    if (!command) return EXIT_USAGE;
    if (help) {
        cli_print_command(command, stdout);
        return EXIT_OK;
    }
    char **words = ARENA_NEW(a, char *, argc); /* all words but the command's name */
    int n = 0;
    for (int i = 1; i < argc; i++)
        if (i != at) words[n++] = argv[i];
    Cli c = { .commands = commands };
    if (!cli_parse(command, n, words, a, &c, err)) {
        err_set(err, EXIT_USAGE, "usage");
        return EXIT_USAGE;
    }
    return command->run(&c, err);
}

/* A failed CHECK has said what is wrong; a debugger stops before this. */
static void on_abort(int sig)
{
    (void)sig;
    _exit(EXIT_FAULT);
}

int cli_main(int argc, char **argv, const Command *const *commands)
{
    signal(SIGPIPE, SIG_DFL); /* `seqprobe list | head` ends quietly */
    signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` is a failed write, which says so */
    signal(SIGABRT, on_abort);
    Arena *a = arena_new("command line");
    Err err = { 0 };
    int code = run_command(commands, argc, argv, a, &err);
    if (err.code) {
        print_error(&err, argc > 1 ? cli_find(commands, argv[1], NULL) : NULL);
        code = err.code;
    }
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_OK) {
        fprintf(stderr, "seqprobe: error: cannot write to standard output: %s\n", strerror(errno));
        code = EXIT_FAILED;
    }
    arena_free(a);
    return code;
}
