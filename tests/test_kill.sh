#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A short form of `make test-kill`: five kills of a short sweep.
exec sh "$(dirname "$0")/kill.sh" 5
