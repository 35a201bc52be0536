"""What can be shown as text in several formats, made of lines and tables of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark.rendering.formats import (
    Grid,
    format_of,
    grid_text,
    known_format,
    note_text,
    printable,
    write_whole,
)

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FORMATS", "Shown"]

FORMATS = ("table", "json", "csv", "markdown", "latex")


class Shown:
    """Something with a table, which `format` shows."""

    # Each takes the options of its class by name.
    _blocks: Callable[..., Iterator[str | Grid]]
    """Lines and tables for people, with so many `digits`."""
    _record: Callable[..., dict[str, Any]]
    """What JSON holds."""
    _frame: Callable[..., pl.DataFrame]
    """What CSV holds."""

    def format(self, name: str = "table", *, digits: int = 4, **options: bool) -> str:
        """It as text, with a line end.

        Args:
            name: ``table``, ``json``, ``csv``, ``markdown`` or ``latex``. JSON has everything, CSV one table;
                both have all digits. In LaTeX lines are comments.
            digits: how many are shown after the point.
            **options: what else to show; the class says which there are.

        """
        known = known_format(name, FORMATS)
        if known == "json":
            record = _finite(self._record(**options))
            return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        if known == "csv":
            return self._frame(**options).write_csv()
        return "\n\n".join(_text(block, known) for block in self._blocks(digits, **options)) + "\n"

    def write(self, path: str | Path, name: str | None = None, **options: Any) -> None:
        """Write `format` to a file, whole or not at all; the path's ending says how unless `name` does."""
        write_whole(path, self.format(name or format_of(path), **options))

    def __str__(self) -> str:
        return self.format().rstrip("\n")


def _text(block: str | Grid, name: str) -> str:
    """Lines, or a table, in a format."""
    if isinstance(block, Grid):
        return grid_text(block, name)
    lines = map(printable, block.split("\n"))
    return "\n".join(lines if name == "table" else (note_text(line, name) for line in lines))


def _finite(value: Any) -> Any:
    """The value without NaN and infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(_finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value
