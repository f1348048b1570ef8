/* SPDX-License-Identifier: Apache-2.0
 * report_style.c - the style sheet of the report: one column on a phone, light and dark, and on paper.
 *
 * Only .scroll may be wider than the page. Tints v0..v5 carry their own ink, so they read alike in light and dark.
 * Figures keep a white card: gnuplot drew them for white.
 */
#include "show/report.h"

static const char *const lines[] = {
    ":root{--bg:#fdfdfb;--ink:#1d2126;--soft:#5b6470;--line:#d9dce0;--band:#f2f3f1;--link:#0b5a8f;--good:#16683f;"
    "--bad:#a3241c;--open:#7a5200;--goodbg:#e2f2e8;--badbg:#fbe6e3;--openbg:#faf0d7}",
    "@media (prefers-color-scheme:dark){:root{--bg:#14171a;--ink:#e4e7ea;--soft:#a3acb5;--line:#363c43;--band:#1d2226;"
    "--link:#7cc0ee;--good:#86d6a8;--bad:#ff9f94;--open:#e6c176;--goodbg:#16321f;--badbg:#3d1c19;--openbg:#382b10}}",
    "*{box-sizing:border-box}",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0 auto;padding:1.5rem 1.25rem 4rem;max-width:90rem;background:var(--bg);color:var(--ink);"
    "font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;overflow-wrap:break-word}",
    "a{color:var(--link)}",
    "h1{font-size:1.75rem;line-height:1.2;margin:.2rem 0 .6rem}",
    "h2{font-size:1.25rem;margin:2.6rem 0 .8rem;padding-top:.8rem;border-top:2px solid var(--line)}",
    "p,dl,ul{max-width:72ch}",
    ".name{margin:0;color:var(--soft);font-size:.9rem;letter-spacing:.02em}",
    ".question{margin:0 0 1rem;font-size:1.1rem;max-width:72ch}",
    ".small,.legend,figcaption{color:var(--soft);font-size:.875rem}",
    ".legend{max-width:100ch;line-height:1.7}",
    "nav ul,.chips{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem 1rem;max-width:none}",
    ".chips{gap:.5rem;margin-bottom:1rem}",
    ".chips a{display:block;padding:.2rem .7rem;border-radius:1rem;font-size:.9rem;text-decoration:none}",
    ".good a{background:var(--goodbg);color:var(--good)}",
    ".bad a{background:var(--badbg);color:var(--bad)}",
    ".open a{background:var(--openbg);color:var(--open)}",
    "nav{font-size:.9rem}",
    ".notice{background:var(--openbg);color:var(--open);padding:.7rem 1rem;border-radius:.4rem}",
    ".scroll{overflow-x:auto;margin:.6rem 0 1rem;max-width:100%;-webkit-overflow-scrolling:touch}",
    ".scroll:focus-visible,summary:focus-visible,pre:focus-visible,a:focus-visible{outline:2px solid var(--link);"
    "outline-offset:2px}",
    "table{border-collapse:separate;border-spacing:0;font-size:.875rem;line-height:1.35}",
    "caption{text-align:left;font-weight:600;padding:.2rem 0 .5rem;caption-side:top}",
    "caption span{display:inline-block;position:sticky;left:0;max-width:min(72ch,calc(100vw - 1.8rem))}",
    "th,td{padding:.4rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}",
    "thead th{vertical-align:bottom;border-bottom:2px solid var(--line);background:var(--bg)}",
    "tbody "
    "th{font-weight:600;white-space:nowrap;overflow-wrap:anywhere;position:sticky;left:0;background:var(--bg);z-index:"
    "1}",
    "thead th:first-child{position:sticky;left:0;z-index:2}",
    "tbody tr:nth-child(even) td,tbody tr:nth-child(even) th{background:var(--band)}",
    "table.main td,table.main thead th{white-space:nowrap;font-variant-numeric:tabular-nums;padding:.4rem .45rem}",
    "table.prose tbody th{position:static}",
    "table.prose tbody th,table.prose td{min-width:5rem}",
    "td.text{min-width:14rem;max-width:38rem}",
    "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}",
    "td.none{color:var(--soft)}",
    ".case{display:block}",
    ".sub,.solved,.theory{display:block;font-weight:400;font-size:.78rem;color:var(--soft)}",
    ".row{display:block}",
    ".v{display:inline-block;min-width:2.9em;padding:.05em .3em;border-radius:.25em;text-align:center;"
    "font-variant-numeric:tabular-nums}",
    ".legend .v{min-width:0;line-height:1.3}",
    ".v0{background:#ecece6;color:#333}.v1{background:#d5e6de;color:#1d2f2a}.v2{background:#a9d3c6;color:#12302a}",
    ".v3{background:#5aa9a6;color:#04211f}.v4{background:#2b6f8c;color:#fff}.v5{background:#20456e;color:#fff}",
    "table.published td{white-space:nowrap;padding:.3rem .5rem}",
    "table.published tbody th{white-space:normal;min-width:9.5rem;max-width:9.5rem;padding:.3rem .5rem}",
    "table.published td.n{white-space:normal;max-width:9.5rem}",
    "table.published td.text{white-space:normal;min-width:11rem;max-width:18rem}",
    "table.published tbody tr.part th{position:static;padding-top:1rem;max-width:none;background:var(--bg)}",
    "tr.part th>span{position:sticky;left:.5rem;display:inline-block;max-width:min(100ch,calc(100vw - 2.8rem))}",
    "th.n{text-align:right}",
    "h3{font-size:1rem}",
    ".notes{max-width:100ch}",
    ".notes li:target{background:var(--openbg)}.order{font-weight:600;white-space:nowrap}",
    ".t-no{color:var(--bad)}.t-yes{color:var(--good)}",
    ".ok{color:var(--good);white-space:nowrap;font-weight:600}.fell{color:var(--bad);white-space:nowrap;font-weight:"
    "600}",
    ".skipped{color:var(--soft);white-space:nowrap}",
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.8rem 1.2rem;max-width:none;"
    "margin:0 0 1rem}",
    ".facts dt{color:var(--soft);font-size:.8rem}.facts dd{margin:0;font-weight:600}",
    ".options dt,.reading dt{font-weight:600}.options dd,.reading dd{margin:0 0 .6rem}",
    "details{margin:.8rem 0;border:1px solid var(--line);border-radius:.4rem;padding:0 .9rem}",
    "details[open]{padding-bottom:.6rem}",
    "summary{cursor:pointer;padding:.55rem 0;font-weight:600}",
    "figure{margin:1.2rem 0 2rem}",
    ".card{background:#fff;border:1px solid var(--line);border-radius:.4rem;padding:.6rem}",
    ".card svg{display:block;width:100%;height:auto;color:#000;margin:0 auto}",
    "figcaption{max-width:100ch}",
    "pre{overflow-x:auto;background:var(--band);border:1px solid var(--line);border-radius:.4rem;padding:.8rem 1rem;"
    "font-size:.82rem;line-height:1.5;max-width:100%}",
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}",
    "p code,td code{font-size:.85em;overflow-wrap:anywhere}",
    "pre.file{max-height:36rem;overflow:auto}",
    ".why{color:var(--soft)}",
    "@media (max-width:40rem){body{padding:1rem .8rem 3rem}h1{font-size:1.4rem}h2{margin-top:2rem}"
    ".facts{grid-template-columns:repeat(2,minmax(0,1fr))}th,td{padding:.35rem .45rem}"
    "tbody th,table.published tbody th{white-space:normal;min-width:7.4rem;max-width:8rem}td.text{min-width:12rem}}",
    "@media print{:root{--bg:#fff;--ink:#000;--soft:#444;--line:#bbb;--band:#fff;--link:#000;--good:#000;--bad:#000;"
    "--open:#000;--goodbg:#fff;--badbg:#fff;--openbg:#fff}",
    "@page{size:A4 landscape;margin:12mm}body{padding:0;max-width:none;font-size:10pt}nav{display:none}",
    ".scroll{overflow:visible}table{font-size:7pt}th,td{padding:.15rem .25rem;position:static!important}",
    "table.main td,table.main thead th{white-space:normal}.v{min-width:0;-webkit-print-color-adjust:exact;"
    "print-color-adjust:exact}.card svg{min-width:0!important}tr,figure{break-inside:avoid}h2{break-after:avoid}",
    ".sub,.solved,.theory{font-size:6pt;line-height:1.2}.row{white-space:nowrap}.v{padding:0 .15em}",
    "thead{display:table-header-group}pre{white-space:pre-wrap}pre.file{max-height:none}",
    "details::details-content{content-visibility:visible;block-size:auto}}",
};

void report_style(Buf *b)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) buf_printf(b, "%s\n", lines[i]);
}
