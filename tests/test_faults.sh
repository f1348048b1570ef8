#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Some calls to the system fail (all of them: `make faults`). BUILD: the folder with fault/seqprobe.
here=$(cd "$(dirname "$0")" && pwd)
exec sh "$here/fault/faults.sh" "${BUILD:-$here/../build/gcc-release}/fault/seqprobe" quick
