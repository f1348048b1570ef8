/* SPDX-License-Identifier: Apache-2.0
 * main.c - the subcommands, and nothing else. Parsing, help, messages and exit codes are in show/cli.c.
 */
#include "cli.h"
#include "tape/tape.h"

/* In the order of `seqprobe help`. */
static const Command *const commands[] = {
    &command_sweep,  &command_status,  &command_table, &command_plot,       &command_report,
    &command_select, &command_compare, &command_check, &command_list,       &command_show,
    &command_sample, &command_export,  &command_score, &command_help,       &command_run,
    &command_eval,   &command_collect, &command_slurm, &command_completion, NULL,
};

int main(int argc, char **argv)
{
    gemm_setup();
    real_setup();
    return cli_main(argc, argv, commands);
}
