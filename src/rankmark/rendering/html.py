"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from rankmark.rendering.blocks import Grid

__all__ = ["html"]


def html(grids: Iterable[Grid], notes: Iterable[str]) -> str:
    """Tables, and small notes beneath them."""
    return f"{''.join(map(_table, grids))}<small>{'<br>'.join(map(escape, notes))}</small>"


def _table(grid: Grid) -> str:
    header, *rows = grid.rows
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
