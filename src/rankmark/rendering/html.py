"""Blocks as HTML: in cells of notebooks and on pages, light and dark, without scripts or other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from rankmark.rendering.blocks import Block, Cell, Code, Formulas, Grid, Marked, Section
from rankmark.rendering.drawn import DRAWINGS, svg
from rankmark.rendering.formulas import UnreadableError, read_formula
from rankmark.rendering.theme import variables
from rankmark.rendering.words import counted, minus

__all__ = ["STYLE", "html", "in_cell"]

MOST_ROWS = 200
"""Rows of a table in a cell of a notebook; a page has them all."""

STYLE = variables(".rankmark") + DRAWINGS + "".join(
    line.strip()
    for line in """
    .rankmark:where(:not(svg)){font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
     sans-serif;color:var(--rm-ink);background:var(--rm-paper);padding:.5em .75em;border-radius:6px;
     text-align:left;
     overflow-wrap:anywhere;color-scheme:light dark}
    .rankmark .rm-table{overflow:auto;max-height:32em;max-width:100%;margin:.5em 0 .75em;width:fit-content;
     border:1px solid var(--rm-line);border-radius:6px}
    .rankmark .rm-table:focus-visible{outline:2px solid var(--rm-series-1);outline-offset:2px}
    .rankmark table{table-layout:auto;border-collapse:separate;border-spacing:0;margin:0;border:0;
     font-size:13px;font-variant-numeric:tabular-nums lining-nums;color:var(--rm-ink)}
    .rankmark caption{caption-side:top;text-align:left;padding:.45em .8em .1em;color:var(--rm-muted);
     font-size:12px;font-weight:600}
    .rankmark table th,.rankmark table td{padding:.3em .8em;text-align:right;vertical-align:baseline;
     white-space:nowrap;border:0;max-width:none;overflow-wrap:normal;background:var(--rm-paper);
     color:var(--rm-ink);font-weight:400;line-height:1.4}
    .rankmark table thead th,.rankmark table thead td{position:sticky;top:0;z-index:1;font-weight:600;
     color:var(--rm-muted);border-bottom:1px solid var(--rm-line)}
    .rankmark table tbody tr+tr>*{border-top:1px solid var(--rm-line)}
    .rankmark table tbody tr:hover>*{background:var(--rm-shade)}
    .rankmark table .n,.rankmark table tbody th,.rankmark table thead th.n{text-align:left}
    .rankmark table .w{white-space:normal;min-width:min(14em,50vw);max-width:44em}
    .rankmark table th[scope=row],.rankmark table thead th.n:first-child{position:sticky;left:0}
    .rankmark table thead th.n:first-child{z-index:2}
    .rankmark table .best{font-weight:700;background:var(--rm-shade)}
    .rankmark table .good,.rankmark .t.good{color:var(--rm-good)}
    .rankmark table .bad,.rankmark .t.bad{color:var(--rm-bad)}
    .rankmark table .quiet{color:var(--rm-muted)}
    .rankmark td.good::before,.rankmark td.bad::before{font-size:.7em;padding-right:.35em}
    .rankmark td.good::before{content:"▲";content:"▲" / "better"}
    .rankmark td.bad::before{content:"▼";content:"▼" / "worse"}
    .rankmark .good.v::before{content:"✓ ";content:"✓ " / "";font-size:inherit;padding:0}
    .rankmark .bad.v::before{content:"✗ ";content:"✗ " / "";font-size:inherit;padding:0}
    .rankmark table sup{line-height:0;font-size:.8em;color:var(--rm-muted)}
    .rankmark .t{font-weight:650;font-size:15px;margin:.6em 0 .2em}
    .rankmark .s{margin:.35em 0}
    .rankmark>style+.a>p:first-child,.rankmark>h1+.a>p:first-child{font-weight:650;font-size:15px}
    .rankmark .notes{color:var(--rm-muted);font-size:12px;margin:.4em 0}
    .rankmark .notes p,.rankmark .s p{margin:.12em 0;max-width:100ch;font-size:inherit;line-height:1.45}
    .rankmark p.in{padding-left:1.4em}
    .rankmark pre{margin:.5em 0;padding:.6em .8em;overflow:auto;background:var(--rm-shade);border-radius:6px;
     color:var(--rm-ink);font:12px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
     white-space:pre;overflow-wrap:normal}
    .rankmark pre code{font:inherit;color:inherit;background:none;padding:0}
    .rankmark .f{margin:.6em 0;overflow-x:auto;padding:.2em 0}
    .rankmark .f div{margin:.55em 0}
    .rankmark .f math{font-size:17px;margin-right:2.5em;color:var(--rm-ink)}
    @media print{.rankmark .rm-table{max-height:none;overflow:visible}.rankmark:where(:not(svg)){padding:0}}
    """.strip().splitlines()
)  # fmt: skip
"""The style sheet of all that has the class ``rankmark``.

Pictures have it for its colours, and words of their own sizes.
"""


def in_cell(blocks: Iterable[Block]) -> str:
    """Blocks as the output of a notebook's cell, of long tables the first rows."""
    return f'<div class="rankmark"><style>{STYLE}</style>{html(blocks, MOST_ROWS)}</div>'


def html(blocks: Iterable[Block], most: int | None = None) -> str:
    """Blocks as elements to be put into one of the class ``rankmark``.

    Args:
        blocks: what to show.
        most: how many rows of a table are shown; all if None.

    """
    return "".join(part for block in blocks for part in _parts(block, most))


def _parts(block: Block, most: int | None) -> Iterator[str]:
    match block:
        case str():
            yield _sentences("s a", block.split("\n"))
        case Grid():
            yield _table(block, most)
        case Marked():
            yield _table(block.grid, most, block.marks)
        case Section():
            if block.title:
                yield _titled(block.title)
            yield _sentences("s", block.lines)
            if block.grid is not None:
                yield _table(block.grid, most)
        case Code():
            yield f'<pre tabindex="0"><code>{_text(chr(10).join(block.lines))}</code></pre>'
        case Formulas():
            yield f'<div class="f" tabindex="0">{"".join(map(_formula, block.lines))}</div>'
        case _:
            yield _sentences("notes", block.lines)


def _titled(title: str) -> str:
    tone = f" {title.tone} v" if isinstance(title, Cell) else ""
    return f'<div class="t{tone}" role="heading" aria-level="2">{_text(title)}</div>'


def _sentences(kind: str, lines: Iterable[str]) -> str:
    """Lines, of which those that are indented belong to the one before."""
    shown = "".join(
        f"<p{' class=in' if line[:1].isspace() else ''}>{_text(minus(line.strip()))}</p>"
        for line in lines
        if line
    )
    return f'<div class="{kind}">{shown}</div>' if shown else ""


def _table(grid: Grid, most: int | None, marks: Sequence[Sequence[str]] | None = None) -> str:
    """A table in a box that scrolls, with a word on the rows that are not shown."""
    header, *rows = grid.stripped().rows
    shown = rows if most is None else rows[:most]
    wordy = _wordy(shown, len(header))
    column = grid.drawn() if grid.drawn else None
    place = len(header) if column is None or not column.behind else header.index(column.behind) + 1
    head = [
        f'<th scope="col"{_classed(at, grid.names, wordy)}>{_text(cell)}</th>' if cell else "<td></td>"
        for at, cell in enumerate(header)
    ]
    cells = [_cells(row, grid.names, wordy, marks[at] if marks else ()) for at, row in enumerate(shown)]
    if column is not None:
        head.insert(place, f'<th scope="col" class="n">{_text(column.title)}</th>')
        for row, shape in zip(cells, column.shapes, strict=False):  # of which there are more
            row.insert(place, f'<td class="n">{"" if shape is None else svg(shape)}</td>')
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    named = f"<caption>{_text(grid.caption)}</caption>" if grid.caption else ""
    label = escape(grid.caption or ", ".join(header), quote=True)
    table = (
        f'<div class="rm-table" role="group" tabindex="0" aria-label="{label}">'
        f"<table>{named}<thead><tr>{''.join(head)}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    if hidden := len(rows) - len(shown):
        table += _sentences("notes", [f"{counted(hidden, 'more row')}: to_html() and to_csv() have them all"])
    return table


LONG = 48
"""Characters of a cell that may be broken into lines."""


def _wordy(rows: Sequence[Sequence[str]], columns: int) -> frozenset[int]:
    """The columns of sentences."""
    return frozenset(at for at in range(columns) if any(len(row[at]) > LONG for row in rows))


def _cells(row: Sequence[str], names: int, wordy: frozenset[int], marks: Sequence[str]) -> list[str]:
    cells = []
    for at, cell in enumerate(row):
        tone: str = cell.tone if isinstance(cell, Cell) else ""
        if tone and not any(map(str.isdigit, cell)):
            tone += " v"
        text = _text(cell if at < names else minus(cell))
        if at >= names and marks and (mark := marks[at - names].strip()):
            text += f"<sup>{_text(mark)}</sup>"
        classed = _classed(at, names, wordy, tone)
        cells.append(
            f'<th scope="row"{classed}>{text}</th>'
            if text and at == 0 < names
            else f"<td{classed}>{text}</td>"
        )
    return cells


def _classed(at: int, names: int, wordy: frozenset[int], tone: str = "") -> str:
    is_left = at < names or at in wordy
    classes = " ".join(filter(None, ("n" if is_left else "", "w" if at in wordy else "", tone)))
    return f' class="{classes}"' if classes else ""


def _formula(line: str) -> str:
    """A line of formulas; as it is written, where it cannot be read."""
    try:
        found = read_formula(line)
    except UnreadableError:
        return f"<div><code>{_text(line.strip())}</code></div>"
    said = escape(line.strip(), quote=True)
    shown = "".join(f'<math displaystyle="true">{each.mathml()}</math>' for each in found)
    return f'<div title="{said}">{shown}</div>'


RIGHT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
FROM_RIGHT = re.compile(f"{RIGHT}(?:[^A-Za-z0-9<>&]*{RIGHT})*")
"""Words that are written from right to left, one after another."""


def _text(text: str) -> str:
    """A text as itself, in which words written from right to left do not turn their neighbours round."""
    shown = escape(text, quote=False)
    return shown if shown.isascii() else FROM_RIGHT.sub(r"<bdi>\g<0></bdi>", shown)
