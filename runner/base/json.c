/* SPDX-License-Identifier: Apache-2.0
 * json.c - JSON strings and numbers (RFC 8259). */
#include "base/json.h"

#include <math.h>

/* Length of the UTF-8 character at s, 0 if there is none (RFC 3629: no overlong forms, surrogates, > U+10FFFF). */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

void json_text(Buf *b, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    buf_puts(b, "\"");
    while (*s) {
        int n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            buf_printf(b, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            buf_printf(b, "\\u%04x", *s);
        else if (n == 0)
            buf_puts(b, "\\ufffd");
        else
            buf_printf(b, "%.*s", n, (const char *)s);
        s += n ? n : 1;
    }
    buf_puts(b, "\"");
}

void json_real(Buf *b, double v)
{
    if (isfinite(v))
        buf_printf(b, "%.9g", v);
    else
        buf_puts(b, "null");
}
