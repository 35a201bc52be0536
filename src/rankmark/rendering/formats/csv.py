"""CSV with full precision: one table, for programs.

Names and ids stand there as they are, so that they read back; quotes stand around what has commas, quotes or
ends of lines in it. A spreadsheet takes what begins with ``=``, ``+``, ``-`` or ``@`` for a formula unless it
is told to import the column as text, which it has to be where ids come from strangers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.rendering.blocks import Grid
from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Csv(Format):
    """One table, with a header; nothing stands where there is no value."""

    name = "csv"
    endings = (".csv",)
    place = 3
    needs = "_frame"
    one_table = True

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:  # noqa: ARG002 - all digits
        """The table."""
        shown._check_table(**options)
        table = shown._frame(**options)
        return _written(table) if isinstance(table, Grid) else table.write_csv()


def _written(grid: Grid) -> str:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(grid.rows)
    return text.getvalue()


FORMAT = Csv()
