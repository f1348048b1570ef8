/* SPDX-License-Identifier: Apache-2.0
 * sample.c - `seqprobe sample TASK`: examples as numbers, on standard output.
 */
#include "show/examples.h"

#include <string.h>

static int run(Cli *c, Err *err)
{
    static const char *const names[] = { "table", "csv", "jsonl", "json" };
    static const TextForm forms[] = { TEXT_LINES, TEXT_CSV, TEXT_JSONL, TEXT_JSON };
    const int n = cli_int(c, "number");
    Examples x;
    TextForm form = TEXT_LINES;
    for (int i = 0; i < 4; i++)
        if (!strcmp(cli_string(c, "format"), names[i])) form = forms[i];
    if (c->n_args != 1)
        err_set(err, EXIT_USAGE, "usage: seqprobe sample %s", c->command->synopsis);
    else if (n < 1)
        err_set(err, EXIT_USAGE, "-n: %d is not in 1..2147483647", n);
    if (err->code || !examples_open(c, c->args[0], n, &x, err)) return EXIT_USAGE;
    examples_print(&x, form, n, c->arena);
    return EXIT_OK;
}

static const Flag flags[] = {
    { "number", 'n', FLAG_INT, "1", "N", "examples" },
    { "format", 'f', FLAG_STRING, "table", "table|csv|json|jsonl",
      "table: a line of ids for each row; csv: a row per position; jsonl: one object a line" },
    EXAMPLE_FLAGS,
    FLAG_END,
};

const Command command_sample = {
    .name = "sample",
    .synopsis = "TASK [key=value ...] [-n N] [--format csv]",
    .summary = "examples of a task as numbers",
    .description =
        "examples:\n"
        "  seqprobe sample parity len=12 --index 1234\n"
        "  seqprobe sample parity -n 1000 --split test --format jsonl > parity.jsonl\n"
        "\n"
        "Example i depends on the task, its options, seed, split, slice and i alone. A target of -1 is not scored\n"
        "(PyTorch's loss wants -100). train_target is what training scores instead, slice what accuracy is also\n"
        "reported by, for tasks that have them. seqprobe export writes whole sets as arrays.\n",
    .flags = flags,
    .run = run,
};
