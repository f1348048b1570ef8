/* SPDX-License-Identifier: Apache-2.0
 * report_verdicts.c - the thresholds of the config, and whether they hold.
 */
#include "show/report.h"

#include <string.h>

bool report_read_verdicts(Report *r, Err *err)
{
    TRY(verdicts_measure(&r->plan, r->results, r->a, &r->verdicts, &r->verdict, err));
    for (int i = 0; i < r->verdicts; i++) {
        r->fell += r->verdict[i].kind == VERDICT_FELL;
        r->skipped += r->verdict[i].kind == VERDICT_SKIPPED;
    }
    return true;
}

void report_verdicts(Report *r)
{
    static const char *const head[] = { "Verdict", "Claim", "Measured", "Note" };
    static const char *const class_name[] = { "ok", "fell", "skipped" };
    static const char *const word[] = { "✓ holds", "✗ fell", "– skipped" };
    Buf *b = &r->b;
    html_section(b, "verdicts", "Verdicts");
    if (!r->verdicts) {
        buf_puts(b, "<p>The config states no thresholds.</p>\n");
        html_section_end(b);
        return;
    }
    int asked = r->verdicts - r->skipped;
    buf_printf(b, "<p>%d of %d hold", asked - r->fell, asked);
    if (r->skipped) buf_printf(b, "; %d speak of rows that are not part of this plan", r->skipped);
    buf_puts(b, r->fell ? ". Those that fell come first.</p>\n" : ".</p>\n");
    bool notes = false;
    for (int i = 0; i < r->verdicts; i++) notes = notes || r->verdict[i].note;
    html_table(b, "What had to come out, and what did", "prose", notes ? 4 : 3, head);
    static const VerdictKind order[] = { VERDICT_FELL, VERDICT_HOLDS, VERDICT_SKIPPED };
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < r->verdicts; i++) {
            const Verdict *v = &r->verdict[i];
            if (v->kind != order[k]) continue;
            buf_printf(b, "<tr><td class=\"%s\">%s</td>", class_name[v->kind], word[v->kind]);
            buf_printf(b, "<th scope=\"row\" class=\"text\">%s</th>", html_text(r->a, v->what));
            buf_printf(b, "<td class=\"text\">%s</td>", html_text(r->a, v->measured));
            if (notes) buf_printf(b, "<td class=\"text\">%s</td>", html_text(r->a, v->note ? v->note : ""));
            buf_puts(b, "</tr>\n");
        }
    html_table_end(b);
    html_section_end(b);
}
