/* SPDX-License-Identifier: Apache-2.0
 * shell.c - text as one word of a POSIX shell.
 */
#include "base/file.h"

#include <string.h>

void buf_shell(Buf *b, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && !word[strspn(word, plain)]) {
        buf_puts(b, word);
        return;
    }
    buf_puts(b, "'");
    for (; *word; word++) *word == '\'' ? buf_puts(b, "'\\''") : buf_printf(b, "%c", *word);
    buf_puts(b, "'");
}
