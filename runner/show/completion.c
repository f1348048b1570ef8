/* SPDX-License-Identifier: Apache-2.0
 * completion.c - `seqprobe completion bash|zsh`: completion scripts from the tables of commands, flags and options.
 *
 * Both scripts share functions in sh that look at the words before the cursor and set
 *   sp_words   candidates, separated by blanks ("key=" wants its value without a blank)
 *   sp_files   yaml, dirs or files, if those are candidates too
 *   sp_what    commands or flags, if that is what they are
 *   sp_cur     the part of the last word that is completed (behind a '=')
 * What a command takes is read from its synopsis: CONFIG NAME TASK DIR FILE COMMAND TOPIC key=value, and words in small
 * letters that are meant as they are; what stands in brackets after a flag is the flag's.
 */
#include "show/show.h"
#include "base/option.h"
#include "mixer.h"
#include "task.h"
#include "train/train.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets of words ---- */

enum { WORDS_MAX = 8192 };

typedef struct Words {
    Arena *a;
    int n;
    const char **word;
} Words;

static Words words_new(Arena *a) { return (Words){ .a = a, .word = ARENA_NEW(a, const char *, WORDS_MAX) }; }

static void add(Words *w, const char *word)
{
    CHECK(w->n < WORDS_MAX, "more than %d words to complete", WORDS_MAX);
    w->word[w->n++] = word;
}

static int by_text(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

/* Each word once, in order. */
static void sort(Words *w)
{
    int n = 0;
    if (w->n) qsort(w->word, (size_t)w->n, sizeof *w->word, by_text);
    for (int i = 0; i < w->n; i++)
        if (n == 0 || strcmp(w->word[i], w->word[n - 1]) != 0) w->word[n++] = w->word[i];
    w->n = n;
}

/* "table|csv|json" */
static void add_choices(Words *w, const char *choices)
{
    while (*choices) {
        size_t n = strcspn(choices, "|");
        add(w, arena_printf(w->a, "%.*s", (int)n, choices));
        choices += n + (choices[n] == '|');
    }
}

static void put_words(Buf *b, const Words *w)
{
    buf_puts(b, "sp_words='");
    for (int i = 0; i < w->n; i++) buf_printf(b, i ? " %s" : "%s", w->word[i]);
    buf_puts(b, "'");
}

static Words task_names(Arena *a)
{
    Words w = words_new(a);
    for (int i = 0; all_tasks[i]; i++) add(&w, all_tasks[i]->name);
    return w;
}

static Words mixer_names(Arena *a)
{
    Words w = words_new(a);
    for (int i = 0; all_mixers[i]; i++) add(&w, all_mixers[i]->name);
    return w;
}

static void add_keys(Words *w, const char *section, const Option *o)
{
    for (; o && o->name; o++) add(w, arena_printf(w->a, "%s%s=", section, o->name));
}

/* ---- what a command takes ---- */

typedef struct Takes {
    bool task, keys, sweeps;
    const char *files; /* "", "yaml", "dirs", "files" */
    Words words;
} Takes;

static void take_word(Takes *t, const char *word, const Command *const *commands)
{
    if (!strcmp(word, "CONFIG"))
        t->files = "yaml";
    else if (!strcmp(word, "NAME"))
        t->sweeps = true;
    else if (!strcmp(word, "TASK")) {
        t->task = true;
        for (int i = 0; all_tasks[i]; i++) add(&t->words, all_tasks[i]->name);
    } else if (!strcmp(word, "COMMAND"))
        for (; *commands; commands++) add(&t->words, (*commands)->name);
    else if (!strcmp(word, "TOPIC")) {
        add(&t->words, "topics");
        for (const Topic *p = topics; p->name; p++) add(&t->words, p->name);
    } else if (strstr(word, "DIR"))
        t->files = "dirs";
    else if (strstr(word, "FILE"))
        t->files = "files";
    else if (islower((unsigned char)*word))
        add(&t->words, word);
}

static Takes read_synopsis(const Command *c, const Command *const *commands, Arena *a)
{
    Takes t = { .files = "", .words = words_new(a) };
    bool literal = false; /* "task NAME": NAME belongs to the word before it */
    t.keys = strstr(c->synopsis, "key=value") != NULL;
    for (const char *s = c->synopsis; *s;) {
        size_t n = strcspn(s, " []|");
        if (*s == '-') n = strcspn(s, "]"); /* a flag and its value */
        if (n && *s != '-' && !memchr(s, '=', n) && memcmp(s, "...", 3 < n ? 3 : n) != 0) {
            const char *word = arena_printf(a, "%.*s", (int)n, s);
            if (!literal) take_word(&t, word, commands);
            literal = islower((unsigned char)*word) != 0;
        }
        s += n;
        if (*s == '|' || *s == ']') literal = false;
        if (*s) s++;
    }
    return t;
}

/* ---- the functions both shells share ---- */

static const char *flag_pattern(Arena *a, const char *command, const Flag *f)
{
    if (!f->brief) return arena_printf(a, "%s --%s'", command, f->name);
    return arena_printf(a, "%s --%s' | %s -%c'", command, f->name, command, f->brief);
}

static void put_flag_values(Buf *b, const char *command, const Flag *f)
{
    for (; f && f->name; f++) {
        if (f->kind == FLAG_BOOL) continue;
        buf_printf(b, "    %s) ", flag_pattern(b->a, command, f));
        if (strchr(f->value, '|')) {
            Words w = words_new(b->a);
            add_choices(&w, f->value);
            put_words(b, &w);
        } else if (!strcmp(f->value, "DIR") || !strcmp(f->value, "FILE"))
            buf_printf(b, "sp_files=%s", !strcmp(f->value, "DIR") ? "dirs" : "files");
        else
            buf_puts(b, ":");
        buf_puts(b, " ;;\n");
    }
}

static void put_flags(Buf *b, const Command *const *commands)
{
    buf_puts(b, "# Candidates for the value of flag $2 of command $1; fails if it takes none.\n"
                "_seqprobe_flag_value() {\n    case \"$1 $2\" in\n");
    for (int i = 0; commands[i]; i++)
        put_flag_values(b, arena_printf(b->a, "'%s", commands[i]->name), commands[i]->flags);
    put_flag_values(b, "*'", cli_common_flags);
    buf_puts(
        b, "    *) return 1 ;;\n    esac\n}\n\n# The flags of command $1.\n_seqprobe_flags() {\n    case \"$1\" in\n");
    for (int i = 0; commands[i]; i++) {
        Words w = words_new(b->a);
        for (const Flag *f = commands[i]->flags; f && f->name; f++) add(&w, arena_printf(b->a, "--%s", f->name));
        buf_printf(b, "    %s) ", commands[i]->name);
        put_words(b, &w);
        buf_puts(b, " ;;\n");
    }
    buf_puts(b, "    esac\n    sp_words=\"$sp_words");
    for (const Flag *f = cli_common_flags; f->name; f++) buf_printf(b, " --%s", f->name);
    buf_puts(b, "\"\n}\n\n");
}

/* case lines "prefix.option) words": the choices of enumerable options, one line per key with those of all tables. */
typedef struct Values {
    Arena *a;
    int n;
    struct {
        const char *key;
        Words words;
    } value[1024];
} Values;

static void add_values(Values *v, const char *section, const Option *o)
{
    for (; o && o->name; o++) {
        const char *choices = o->kind == OPT_BOOL ? "true|false" : o->choices, *key;
        if (!choices) continue;
        key = arena_printf(v->a, "%s%s", section, o->name);
        int i = 0;
        while (i < v->n && strcmp(v->value[i].key, key) != 0) i++;
        CHECK(i < 1024, "too many options with choices");
        if (i == v->n) {
            v->value[v->n].key = key;
            v->value[v->n++].words = words_new(v->a);
        }
        add_choices(&v->value[i].words, choices);
    }
}

static void put_values(Buf *b, Values *v)
{
    for (int i = 0; i < v->n; i++) {
        sort(&v->value[i].words);
        buf_printf(b, "    '%s') ", v->value[i].key);
        put_words(b, &v->value[i].words);
        buf_puts(b, " ;;\n");
    }
    v->n = 0;
}

static void put_keys(Buf *b, Values *v)
{
    Arena *a = b->a;
    buf_puts(b, "# Settings of task $1.\n_seqprobe_task_keys() {\n    case \"$1\" in\n");
    for (int i = 0; all_tasks[i]; i++) {
        Words w = words_new(a);
        add_keys(&w, "", all_tasks[i]->options);
        buf_printf(b, "    %s) ", all_tasks[i]->name);
        put_words(b, &w);
        buf_puts(b, " ;;\n");
        add_values(v, arena_printf(a, "%s ", all_tasks[i]->name), all_tasks[i]->options);
    }
    buf_puts(b, "    esac\n}\n\n# Values of option $2 of task $1.\n_seqprobe_task_values() {\n    case \"$1 $2\" in\n");
    put_values(b, v);
    Words w = words_new(a), mixers = mixer_names(a), tasks = task_names(a);
    for (int i = 0; all_tasks[i]; i++) {
        add_keys(&w, "task.", all_tasks[i]->options);
        add_values(v, "task.", all_tasks[i]->options);
    }
    for (int i = 0; all_mixers[i]; i++) {
        add_keys(&w, "mixer.", all_mixers[i]->options);
        add_values(v, "mixer.", all_mixers[i]->options);
    }
    const struct {
        const char *name;
        const Option *options;
    } section[] = { { "model.", model_options }, { "train.", train_options }, { "data.", data_options } };
    for (int i = 0; i < 3; i++) {
        add_keys(&w, section[i].name, section[i].options);
        add_values(v, section[i].name, section[i].options);
    }
    add_choices(&w, "seed=|case=|name=|task=|mixer=|task.name=|mixer.name=");
    sort(&w);
    buf_puts(b, "    esac\n}\n\n# Settings of a config.\n_seqprobe_run_keys() {\n    ");
    put_words(b, &w);
    buf_puts(b, "\n}\n\n# Values of setting $1 of a config.\n_seqprobe_run_values() {\n    case \"$1\" in\n");
    put_values(b, v);
    buf_puts(b, "    'mixer' | 'mixer.name') ");
    put_words(b, &mixers);
    buf_puts(b, " ;;\n    'task' | 'task.name') ");
    put_words(b, &tasks);
    buf_puts(b, " ;;\n    esac\n}\n\n");
}

static void put_arguments(Buf *b, const Command *const *commands)
{
    Arena *a = b->a;
    Words tasks = task_names(a), mixers = mixer_names(a);
    buf_puts(b, "# What command $1 takes after its first argument $2.\n_seqprobe_arguments() {\n    case \"$1 $2\" in\n"
                "    'help task') ");
    put_words(b, &tasks);
    buf_puts(b, "; return ;;\n    'help mixer') ");
    put_words(b, &mixers);
    buf_puts(b, "; return ;;\n    esac\n    case \"$1\" in\n");
    for (int i = 0; commands[i]; i++) {
        Takes t = read_synopsis(commands[i], commands, a);
        buf_printf(b, "    %s)\n", commands[i]->name);
        if (t.keys)
            buf_printf(b, "        [ -n \"$2\" ] && { _seqprobe_%s \"$2\"; return; }\n",
                       t.task ? "task_keys" : "run_keys");
        if (t.words.n) {
            buf_puts(b, "        ");
            put_words(b, &t.words);
            buf_puts(b, "\n");
        }
        if (*t.files) buf_printf(b, "        sp_files=%s\n", t.files);
        if (t.sweeps) buf_puts(b, "        _seqprobe_sweeps\n");
        buf_puts(b, "        ;;\n");
    }
    buf_puts(b, "    esac\n}\n\n# Values of setting $3 of command $1 with first argument $2.\n"
                "_seqprobe_setting() {\n    case \"$1\" in\n");
    for (int i = 0; commands[i]; i++) {
        Takes t = read_synopsis(commands[i], commands, a);
        if (!t.keys) continue;
        buf_printf(b, "    %s) _seqprobe_%s \"$3\" ;;\n", commands[i]->name,
                   t.task ? "task_values \"$2\"" : "run_values");
    }
    buf_puts(b, "    esac\n}\n\n");
}

static const char search[] =
    "# Names of sweeps with results.\n"
    "_seqprobe_sweeps() {\n"
    "    local sp_f\n"
    "    for sp_f in \"${SEQPROBE_RESULTS:-results}\"/*/plan.csv; do\n"
    "        [ -f \"$sp_f\" ] || continue\n"
    "        sp_f=${sp_f%/plan.csv}\n"
    "        sp_words=\"$sp_words ${sp_f##*/}\"\n"
    "    done\n"
    "}\n"
    "\n"
    "# The words of the line behind `seqprobe`, up to the cursor.\n"
    "_seqprobe_search() {\n"
    "    local sp_first= sp_flag= sp_w\n"
    "    sp_words= sp_files= sp_command= sp_cur= sp_what=\n"
    "    while [ $# -gt 1 ]; do\n"
    "        sp_w=$1; shift\n"
    "        if [ -n \"$sp_flag\" ]; then sp_flag=; continue; fi\n"
    "        case $sp_w in\n"
    "        -*=*) ;;\n"
    "        -*) if _seqprobe_flag_value \"$sp_command\" \"$sp_w\"; then sp_flag=$sp_w; fi ;;\n"
    "        *=*) ;;\n"
    "        *) if [ -z \"$sp_command\" ]; then sp_command=$sp_w; elif [ -z \"$sp_first\" ]; then sp_first=$sp_w; fi "
    ";;\n"
    "        esac\n"
    "    done\n"
    "    sp_words= sp_files= sp_cur=$1\n"
    "    case $1 in\n"
    "    *=*)\n"
    "        sp_w=${1%%=*} sp_cur=${1#*=}\n"
    "        case $1 in\n"
    "        -*) _seqprobe_flag_value \"$sp_command\" \"$sp_w\" ;;\n"
    "        *) sp_cur=${sp_cur##*,}; _seqprobe_setting \"$sp_command\" \"$sp_first\" \"$sp_w\" ;;\n"
    "        esac\n"
    "        return ;;\n"
    "    esac\n"
    "    if [ -n \"$sp_flag\" ]; then _seqprobe_flag_value \"$sp_command\" \"$sp_flag\"; return; fi\n"
    "    case $1 in\n"
    "    -*) sp_what=flags; _seqprobe_flags \"$sp_command\" ;;\n"
    "    *) if [ -z \"$sp_command\" ]; then sp_what=commands sp_words=$_seqprobe_commands\n"
    "       else _seqprobe_arguments \"$sp_command\" \"$sp_first\"; fi ;;\n"
    "    esac\n"
    "}\n"
    "\n";

static void put_shared(Buf *b, const Command *const *commands)
{
    Values *v = ARENA_NEW(b->a, Values, 1);
    v->a = b->a;
    buf_puts(b, "_seqprobe_commands='");
    for (int i = 0; commands[i]; i++) buf_printf(b, i ? " %s" : "%s", commands[i]->name);
    buf_puts(b, "'\n\n");
    put_flags(b, commands);
    put_keys(b, v);
    put_arguments(b, commands);
    buf_puts(b, search);
}

/* ---- bash ---- */

static const char bash_end[] =
    "# bash breaks words at '='; they are put together again first.\n"
    "_seqprobe() {\n"
    "    local sp_words sp_files sp_command sp_cur sp_what i n=0 prefix= line=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        if ((n > 0)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == = ]]; then\n"
    "            line[n - 1]+=${COMP_WORDS[i]}\n"
    "        else\n"
    "            line[n++]=${COMP_WORDS[i]}\n"
    "        fi\n"
    "    done\n"
    "    _seqprobe_search \"${line[@]}\"\n"
    "    i=${line[n - 1]}\n"
    "    prefix=${i%\"$sp_cur\"}\n"
    "    [[ $COMP_WORDBREAKS == *=* ]] && prefix=${prefix##*=}\n"
    "    COMPREPLY=()\n"
    "    case $sp_files in\n"
    "    yaml)\n"
    "        mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- \"$sp_cur\"; compgen -d -- \"$sp_cur\") ;;\n"
    "    files) mapfile -t COMPREPLY < <(compgen -f -- \"$sp_cur\") ;;\n"
    "    dirs) mapfile -t COMPREPLY < <(compgen -d -- \"$sp_cur\") ;;\n"
    "    esac\n"
    "    [ -n \"$sp_files\" ] && compopt -o filenames 2>/dev/null\n"
    "    for i in $sp_words; do\n"
    "        [[ $i == \"$sp_cur\"* ]] || continue\n"
    "        COMPREPLY+=(\"$prefix$i\")\n"
    "        [[ $i == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    done\n"
    "    return 0\n"
    "}\n"
    "complete -F _seqprobe seqprobe\n";

/* ---- zsh ---- */

static void put_described(Buf *b, const char *name, const char *text)
{
    buf_printf(b, " '%s:", name);
    for (; *text; text++) buf_printf(b, *text == '\'' ? "'\\%c'" : "%c", *text);
    buf_puts(b, "'");
}

static void put_descriptions(Buf *b, const Command *const *commands)
{
    buf_puts(b, "# Commands, or flags of command $1, with what they are.\n_seqprobe_described() {\n    case \"$1\" in\n"
                "    '') sp_list=(");
    for (int i = 0; commands[i]; i++) put_described(b, commands[i]->name, commands[i]->summary);
    buf_puts(b, ") ;;\n");
    for (int i = 0; commands[i]; i++) {
        buf_printf(b, "    %s) sp_list=(", commands[i]->name);
        for (const Flag *f = commands[i]->flags; f && f->name; f++)
            put_described(b, arena_printf(b->a, "--%s", f->name), f->help);
        for (const Flag *f = cli_common_flags; f->name; f++)
            put_described(b, arena_printf(b->a, "--%s", f->name), f->help);
        buf_puts(b, ") ;;\n");
    }
    buf_puts(b, "    esac\n}\n\n");
}

static const char zsh_end[] = "_seqprobe_sh() { emulate -L sh; _seqprobe_search \"$@\"; }\n"
                              "\n"
                              "_seqprobe() {\n"
                              "    local sp_words sp_files sp_command sp_cur sp_what last=$words[CURRENT]\n"
                              "    local -a sp_list open closed\n"
                              "    _seqprobe_sh \"${(@)words[2,CURRENT]}\"\n"
                              "    if [[ $sp_what == commands || ( $sp_what == flags && -n $sp_command ) ]]; then\n"
                              "        _seqprobe_described \"$sp_command\"\n"
                              "        _describe -t $sp_what $sp_what sp_list\n"
                              "        return\n"
                              "    fi\n"
                              "    [[ $last == *=* ]] && compset -P '*[=,]'\n"
                              "    closed=(${(z)sp_words}); open=(${(M)closed:#*=}); closed=(${closed:#*=})\n"
                              "    (( $#open )) && compadd -S '' -a open\n"
                              "    (( $#closed )) && compadd -a closed\n"
                              "    case $sp_files in\n"
                              "    yaml) _files -g '*.yaml' ;;\n"
                              "    dirs) _files -/ ;;\n"
                              "    files) _files ;;\n"
                              "    esac\n"
                              "}\n"
                              "compdef _seqprobe seqprobe\n";

bool completion_script(const char *shell, const Command *const *commands, Arena *a, char **out, Err *err)
{
    static const char *const known[] = { "bash", "zsh", NULL };
    Buf b = buf_new(a);
    if (!strcmp(shell, "bash")) {
        buf_puts(&b, "# bash completion of seqprobe, written by `seqprobe completion bash`. To use it now:\n"
                     "#   source <(seqprobe completion bash)\n\n");
        put_shared(&b, commands);
        buf_puts(&b, bash_end);
    } else if (!strcmp(shell, "zsh")) {
        buf_puts(&b,
                 "#compdef seqprobe\n# zsh completion of seqprobe, written by `seqprobe completion zsh`. To use it now "
                 "(after compinit):\n#   source <(seqprobe completion zsh)\n\n");
        put_shared(&b, commands);
        put_descriptions(&b, commands);
        buf_puts(&b, zsh_end);
    } else
        return fail_unknown(err, "shell", shell, known, "bash or zsh");
    *out = b.s;
    return true;
}

static int run(Cli *c, Err *err)
{
    char *text;
    if (c->n_args != 1 || c->n_sets) err_set(err, EXIT_USAGE, "usage: seqprobe completion %s", c->command->synopsis);
    if (err->code || !completion_script(c->args[0], c->commands, c->arena, &text, err)) return EXIT_USAGE;
    fputs(text, stdout);
    return EXIT_OK;
}

static const Flag flags[] = { FLAG_END };

const Command command_completion = {
    .name = "completion",
    .synopsis = "bash | zsh",
    .summary = "completion for the shell",
    .description = "examples:\n"
                   "  source <(seqprobe completion bash)           in this shell; in ~/.bashrc: for all\n"
                   "  source <(seqprobe completion zsh)            likewise, after compinit\n"
                   "\n"
                   "`make install` puts both where the shells look.\n",
    .flags = flags,
    .run = run,
};
