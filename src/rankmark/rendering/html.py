"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from rankmark.rendering.blocks import Block, Grid, Marked, Section

__all__ = ["html"]


def html(blocks: Iterable[Block]) -> str:
    """Tables, and small sentences between and beneath them."""
    return "".join(part for block in blocks for part in _parts(block))


def _parts(block: Block) -> Iterator[str]:
    match block:
        case Grid():
            yield _table(block.stripped())
        case Marked():
            yield _table(block.joined().stripped())
        case Section():
            if block.title:
                yield f"<b>{escape(block.title)}</b><br>"
            yield _small(block.lines)
            if block.grid is not None:
                yield _table(block.grid.stripped())
        case str():
            yield _small(block.split("\n"))
        case _:
            yield _small(block.lines)


def _table(grid: Grid) -> str:
    header, *rows = grid.rows
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _small(lines: Iterable[str]) -> str:
    """Sentences, a line each."""
    shown = "<br>".join(map(escape, lines))
    return f"<small>{shown}</small>" if shown else ""
