"""Where attributes of queries stand: the tables in which a column that is asked for is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass

if TYPE_CHECKING:
    from rankmark.inputs.roles import ColumnNames

__all__ = ["Places"]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the slices of queries are to be found.

    Attributes:
        qrels: the judgements, as they were given; None here and below where there are none.
        run: the results.
        attributes: a table of queries.
        columns: their columns, as they are said.
        rows: the query of each row of arrays.
        ordered: whether the rows of tables have an order, so that values can be of them by position.

    """

    qrels: Any = None
    run: Any = None
    attributes: Any = None
    columns: ColumnNames | None = None
    rows: Sequence[Any] | None = None
    ordered: bool = True

    @property
    def of_arrays(self) -> bool:
        """Whether there are no tables with columns, but rows."""
        return self.rows is not None and self.attributes is None
