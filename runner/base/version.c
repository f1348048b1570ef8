/* SPDX-License-Identifier: Apache-2.0
 * version.c - the version. SEQPROBE_COMMIT comes from version.h, written by the Makefile ("unknown" outside a git
 * checkout). */
#include "base/base.h"

#include "version.h"

#define VERSION_NUMBER "0.1.0"
#define VERSION_DATE   "2026-11-30"

const char *program_version(void) { return "seqprobe " VERSION_NUMBER " (" SEQPROBE_COMMIT ")"; }
const char *program_date(void) { return VERSION_DATE; }
