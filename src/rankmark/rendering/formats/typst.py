"""Typst for papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rankmark.rendering.blocks import Grid
from rankmark.rendering.paper_format import BEST, SECOND, PaperFormat, with_minus

if TYPE_CHECKING:
    from rankmark.rendering.papers import Laid, PaperCell

__all__ = ["FORMAT"]

SPECIAL = re.compile(r"[\\#$*_`@<\[\]~\"']|^\s*[=+/-]|-(?=[-?\d])|/(?=[/*])|^\s*\d+\.(?!\d)|\.(?=\.)")
"""What Typst would understand: marks, at the beginning those of headings and lists, comments and dots."""


class Typst(PaperFormat):
    """Tables to be put into a paper; sentences are comments."""

    name = "typst"
    endings = (".typ",)
    place = 5
    comment = "//"

    def grid(self, grid: Grid) -> str:
        """A table."""
        header, *rows = ([_text(cell) for cell in row] for row in with_minus(grid).rows)
        lines = "\n".join(
            _indented(_table(grid.names, len(header), [", ".join(header)], [map(", ".join, rows)]))
        )
        return f"#table(\n{lines}\n)"

    def table(self, laid: Laid) -> str:
        """A figure with its caption above it, as tables have."""
        groups = [
            (", ".join([*map(_text, names), *map(_cell, cells)]) for names, cells in own)
            for own in laid.groups
        ]
        label = "" if laid.label is None else f" <{laid.label}>"
        lines = [
            "table(",
            *_indented(_table(laid.names, laid.width, list(_header(laid)), groups)),
            "),",
            f"caption: figure.caption(position: top)[{_escaped(laid.caption)}],",
        ]
        return "\n".join(["#figure(", *_indented(lines), f"){label}"])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _table(names: int, width: int, header: Sequence[str], groups: Iterable[Iterable[str]]) -> Iterator[str]:
    """What a table is made of, with the rules of booktabs."""
    yield f"columns: {width},"
    yield f"align: ({', '.join(['left'] * names + ['right'] * (width - names))}),"
    yield "stroke: none,"
    yield "inset: (x: 0.5em, y: 0.35em),"
    yield "table.hline(stroke: 0.08em),"
    yield from ("table.header(", *(f"  {line}," for line in header), "),")
    for rows in groups:
        yield "table.hline(stroke: 0.05em),"
        yield from (f"{row}," for row in rows)
    yield "table.hline(stroke: 0.08em),"


def _header(laid: Laid) -> Iterator[str]:
    """Lines above the columns, the last over each one and others over several."""
    *above, last = laid.header
    for line in above:
        yield ", ".join(
            _text(text) if span == 1 else f"table.cell(colspan: {span}, align: center){_text(text)}"
            for text, span in line
        )
        yield ", ".join(_rules(line))
    yield ", ".join(_text(text) for text, _ in last)


def _rules(line: Sequence[tuple[str, int]]) -> Iterator[str]:
    """A rule under each text but the first, which is what names are."""
    column = 0
    for text, span in line:
        if column and text:
            yield f"table.hline(start: {column}, end: {column + span}, stroke: 0.03em)"
        column += span


def _text(text: str) -> str:
    return f"[{_escaped(text)}]"


def _cell(cell: PaperCell) -> str:
    if not cell.number:
        return "[–]"
    beside, marks = cell.room
    room = _hidden(_raised(marks)) + _hidden(_small(beside))
    return f"[{_placed(cell)}{_raised(cell.marks)}{room}]"


def _placed(cell: PaperCell) -> str:
    """The number, and what is beside it, as the best or second best or neither."""
    text = cell.number + _small(cell.beside)
    if cell.ends is not None:
        up, down = cell.ends
        text += f'$""^({up})_({down})$'
    if cell.place == BEST:
        return f"#strong[{text}]"
    return f"#underline[{text}]" if cell.place == SECOND else text


def _small(beside: str) -> str:
    return f"#text(size: 0.7em)[#h(0.2em){_escaped(beside)}]" if beside else ""


def _hidden(text: str) -> str:
    return f"#hide[{text}]" if text else ""


def _raised(marks: str) -> str:
    return f"#super[{marks}]" if marks else ""


def _escaped(text: str) -> str:
    """The text with what Typst would understand escaped."""
    return SPECIAL.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", text)


FORMAT = Typst()
