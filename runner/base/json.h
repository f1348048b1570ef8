/* SPDX-License-Identifier: Apache-2.0
 * json.h - pieces of JSON appended to a Buf; whoever writes a file puts the braces and commas.
 */
#ifndef SEQPROBE_JSON_H
#define SEQPROBE_JSON_H

#include "base/file.h"

/* A quoted string. Bytes that are not UTF-8 become U+FFFD, so that what is written is always JSON. */
void json_text(Buf *b, const char *s);
/* %.9g, or null for NaN and infinities. */
void json_real(Buf *b, double v);

#endif
