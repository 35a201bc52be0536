"""CSV with full precision: one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.rendering.blocks import Grid
from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from rankmark.rendering.content import Content

__all__ = ["FORMAT"]


class Csv(Format):
    """One table, with a header; nothing stands where there is no value."""

    name = "csv"
    endings = (".csv",)
    place = 3
    needs = "_frame"

    def text(self, shown: Content, digits: int, options: Mapping[str, Any]) -> str:  # noqa: ARG002 - all digits
        """The table."""
        table = shown._frame(**options)
        return _written(table) if isinstance(table, Grid) else table.write_csv()


def _written(grid: Grid) -> str:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(grid.rows)
    return text.getvalue()


FORMAT = Csv()
