/* SPDX-License-Identifier: Apache-2.0
 * test_html.c - what the report is made of: escaping, ids, SVG put into a page, words for a shell.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "show/report.h"
#include "support/suite.h"

static Arena *a;

static void open_arena(void) { a = arena_new("test html"); }
static void close_arena(void) { arena_free(a); }

START_TEST(text_is_escaped)
{
    ck_assert_str_eq(html_text(a, "a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    ck_assert_str_eq(html_text(a, "delta ± → 数 😀\n\t"), "delta ± → 数 😀\n\t");
    ck_assert_str_eq(html_text(a, ""), "");
    ck_assert_str_eq(html_text(a, "&amp;"), "&amp;amp;");
}
END_TEST

/* Each is no UTF-8 or no character of a page: one U+FFFD per byte, and what follows is kept. */
START_TEST(bad_bytes_are_replaced)
{
#define R "\xef\xbf\xbd"
    static const char *const bad[][2] = {
        { "\x01x\x7f", R "x" R },
        { "\xffx", R "x" },
        { "\x80x", R "x" },
        { "\xc3x", R "x" },
        { "\xc3", R },
        { "\xe2\x86", R R },
        { "\xc0\xaf", R R },
        { "\xe0\x80\xaf", R R R },
        { "\xed\xa0\x80", R R R },
        { "\xf4\x90\x80\x80", R R R R },
        { "\xf0\x9f\x98", R R R },
        { "\xf8\x88\x80\x80\x80", R R R R R },
        { "\xc3\xa9<\xc3(", "\xc3\xa9&lt;" R "(" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ck_assert_str_eq(html_text(a, bad[i][0]), bad[i][1]);
}
END_TEST

START_TEST(ids_are_plain)
{
    ck_assert_str_eq(html_id(a, "fig-", "Length x4_b"), "fig-length-x4-b");
    ck_assert_str_eq(html_id(a, "fig-", "<\">"), "fig----");
}
END_TEST

static const char *svg_of(const char *inside, bool *ok)
{
    Buf b = buf_new(a);
    buf_puts(&b, "");
    const char *svg = arena_printf(a,
                                   "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg\n width=\"9\" viewBox=\"0 0 100 50\" "
                                   "onload=\"x\" xmlns=\"http://www.w3.org/2000/svg\"><title>Gnuplot</title>\n"
                                   "<desc>by a program</desc>%s</svg>\n",
                                   inside);
    *ok = html_svg(&b, svg, "fig", "A & B");
    return b.s;
}

START_TEST(svg_keeps_its_own_ids)
{
    bool ok;
    const char *s = svg_of("<g id='p1'><title>lstm</title><use xlink:href='#p2' href=\"#p3\" fill = 'url(#p4)' "
                           "style=\"a:url('#p5');color:#123\"/></g><!-- id='no' --><text id = \"t\">#x url(#y)</text>",
                           &ok);
    ck_assert(ok);
    ck_assert_ptr_nonnull(strstr(s, "viewBox=\"0 0 100 50\""));
    ck_assert_ptr_nonnull(strstr(s, "role=\"img\""));
    ck_assert_ptr_nonnull(strstr(s, "aria-label=\"A &amp; B\""));
    ck_assert_ptr_null(strstr(s, "onload"));
    ck_assert_ptr_null(strstr(s, "Gnuplot"));
    ck_assert_ptr_null(strstr(s, "by a program"));
    ck_assert_ptr_null(strstr(s, "<!"));
    ck_assert_ptr_null(strstr(s, "<?xml"));
    ck_assert_ptr_nonnull(strstr(s, "<g id='fig-p1'><title>lstm</title>"));
    ck_assert_ptr_nonnull(strstr(s, "<use xlink:href='#fig-p2' href=\"#fig-p3\" fill = 'url(#fig-p4)' "
                                    "style=\"a:url('#fig-p5');color:#123\"/>"));
    ck_assert_ptr_nonnull(strstr(s, "<text id = \"fig-t\">#x url(#y)</text></svg>"));
}
END_TEST

START_TEST(svg_that_a_page_cannot_take)
{
    static const char *const bad[] = { "<script>1</script>", "<image href='x.png'/>", "<foreignObject/>" };
    bool ok;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        svg_of(bad[i], &ok);
        ck_assert_msg(!ok, "%s", bad[i]);
    }
    Buf b = buf_new(a);
    ck_assert(!html_svg(&b, "", "fig", "x"));
    ck_assert(!html_svg(&b, "<html></html>", "fig", "x"));
    ck_assert(!html_svg(&b, "<svg></svg>", "fig", "x"));
    ck_assert(!html_svg(&b, "<svg viewBox='0 0'></svg>", "fig", "x"));
    ck_assert(!html_svg(&b, "<svg viewBox='0 0 1 1'><g", "fig", "x"));
}
END_TEST

START_TEST(words_of_a_shell)
{
    static const char *const word[][2] = {
        { "configs/core.yaml", "configs/core.yaml" },
        { "train.lr=1e-3,3e-3", "train.lr=1e-3,3e-3" },
        { "", "''" },
        { "my file", "'my file'" },
        { "it's", "'it'\\''s'" },
        { "$(x)`y`\"\\", "'$(x)`y`\"\\'" },
        { "mixer=delta_net ±", "'mixer=delta_net ±'" },
        { "a*", "'a*'" },
        { "~", "'~'" },
        { "a;b", "'a;b'" },
    };
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        Buf b = buf_new(a);
        buf_shell(&b, word[i][0]);
        ck_assert_str_eq(b.s, word[i][1]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("html");
    TCase *c = tcase_create("html");
    tcase_add_checked_fixture(c, open_arena, close_arena);
    tcase_add_test(c, text_is_escaped);
    tcase_add_test(c, bad_bytes_are_replaced);
    tcase_add_test(c, ids_are_plain);
    tcase_add_test(c, svg_keeps_its_own_ids);
    tcase_add_test(c, svg_that_a_page_cannot_take);
    tcase_add_test(c, words_of_a_shell);
    suite_add_tcase(s, c);
    return suite_run(s);
}
