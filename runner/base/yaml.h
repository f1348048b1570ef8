/* SPDX-License-Identifier: Apache-2.0
 * yaml.h - one YAML document as a tree of values.
 */
#ifndef SEQPROBE_YAML_H
#define SEQPROBE_YAML_H

#include "base/value.h"

/* One document; block or flow style; anchors and aliases for scalars and maps. Duplicate keys, `<<`, tags, several
 * documents and nesting deeper than 16 are errors with file:line:col. */
bool yaml_read(const char *path, Arena *a, Value **out, Err *err);
bool yaml_parse(const char *name, const char *text, Arena *a, Value **out, Err *err);
bool yaml_parse_bytes(const char *name, const char *text, size_t len, Arena *a, Value **out, Err *err);

#endif
