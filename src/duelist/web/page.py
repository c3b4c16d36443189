"""One HTML page that needs nothing else: its frame, its looks, and the few parts it is made of."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from string import Template

STYLE = """
:root { color-scheme: light dark; --ink: #1d2328; --soft: #5b6670; --line: #dfe3e6; --paper: #fdfdfc;
        --card: #f4f5f4; --accent: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e8; --soft: #9aa4ad; --line: #343b41; --paper: #16191c; --card: #1f2327;
          --accent: #56b4e9; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
       font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.25; font-weight: 650; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; font-weight: 650; margin: 2.8rem 0 .7rem; }
p { margin: .5rem 0; max-width: 46rem; }
.lead { font-size: 1.1rem; color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .45rem .8rem; text-align: right; white-space: nowrap;
         border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; font-size: .9rem; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
tbody tr:first-child td { font-weight: 650; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: 1.4rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption, footer { color: var(--soft); font-size: .92rem; margin-top: .5rem; max-width: 46rem; }
pre { font: .92rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace;
      background: var(--card); border-left: 3px solid var(--accent); border-radius: 4px;
      padding: .9rem 1.1rem; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); max-width: none; }
"""

FRAME = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")


def page(title: str, parts: Iterable[str]) -> str:
    """Return the page; the parts are HTML already, the title is text."""
    return FRAME.substitute(title=escape(title), style=STYLE, body="\n".join(parts))


def element(tag: str, text: str, kind: str = "") -> str:
    """Return an element that holds a text.

    Examples
    --------
    >>> element("p", "a < b", "lead")
    '<p class="lead">a &lt; b</p>'
    """
    mark = f' class="{kind}"' if kind else ""
    return f"<{tag}{mark}>{escape(text)}</{tag}>"


def section(title: str, *parts: str) -> str:
    """Return a part of the page under its own heading."""
    return "\n".join(["<section>", element("h2", title), *parts, "</section>"])


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts.

    Examples
    --------
    >>> grid(["learner"], [["RUCB"]])
    '<div class="scroll"><table><thead><tr><th>learner</th></tr></thead><tbody><tr><td>RUCB</td></tr>...'
    """
    head = "".join(element("th", heading) for heading in headings)
    body = "".join(f"<tr>{''.join(element('td', cell) for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def definitions(entries: Mapping[str, str]) -> str:
    """Return terms with what there is to say about each."""
    return f"<dl>{''.join(element('dt', term) + element('dd', text) for term, text in entries.items())}</dl>"


def picture(drawing: str, caption: str) -> str:
    """Return a drawing with a line that tells how to read it."""
    return f"<figure>{drawing}{element('figcaption', caption)}</figure>"
