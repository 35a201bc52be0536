"""What queries belong to, such as a user or a topic: of one kind, or of two at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.attributes import ids_like, read_columns
from rankmark.inputs.places import Places
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Clustering", "ClustersBy", "kinds_of"]

ClustersBy: TypeAlias = "str | Mapping[Any, Any] | Sequence[str | Mapping[Any, Any]] | None"
"""A column, or ``{query: what it belongs to}``; a list of two of these for clusters of two kinds."""


def kinds_of(clusters: ClustersBy) -> list[str | Mapping[Any, Any]]:
    """What was asked for, one of each kind.

    Raises:
        UsageError: what is neither a column nor a mapping, nor two of these.

    """
    if clusters is None:
        return []
    asked = [clusters] if isinstance(clusters, str | Mapping) else clusters
    few = isinstance(asked, list | tuple) and 1 <= len(asked) <= 2
    if not few or not all(isinstance(each, str | Mapping) for each in asked):
        what = f"has a {type(asked[0]).__name__}" if few else f"is of type {type(clusters).__name__}"
        raise UsageError(
            f"clusters {what}; give {{query: what it belongs to}}, such as dict(zip(query_ids, clusters)), "
            "or two such in a list"
        )
    return list(asked)


@dataclass(frozen=True, slots=True)
class Clustering:
    """What each query belongs to, of one kind or of two.

    Attributes:
        kinds: of each kind what was given, or a frame of queries and their values.

    """

    kinds: tuple[Mapping[Any, Any] | pl.DataFrame, ...]

    @classmethod
    def of(cls, clusters: ClustersBy | Clustering, places: Places | None = None) -> Clustering | None:
        """What was asked for; columns are looked for in these places.

        Raises:
            UsageError: what is neither a column nor a mapping, a column where there is no table, or more than
                two of them.
            DataError: a column that is not there, or has several values for a query.

        """
        if clusters is None or isinstance(clusters, Clustering):
            return clusters
        return cls(tuple(_read(each, places) for each in kinds_of(clusters)))

    @property
    def of_columns(self) -> bool:
        """Whether any of it stood in a column."""
        return any(not isinstance(each, Mapping) for each in self.kinds)

    @property
    def two(self) -> bool:
        """Whether queries are in clusters of two kinds."""
        return len(self.kinds) == 2

    def labels(self, query_ids: Sequence[Any]) -> NDArray[Any]:
        """The number of each query's cluster: [queries], or [queries, 2] of two kinds.

        Raises:
            DataError: a query of which nothing is said.

        """
        columns = [_numbered(query_ids, each) for each in self.kinds]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _read(asked: str | Mapping[Any, Any], places: Places | None) -> Mapping[Any, Any] | pl.DataFrame:
    if isinstance(asked, Mapping):
        return asked
    if places is None:
        raise UsageError(f"clusters={asked!r}: there is no table here; give {{query: what it belongs to}}")
    return read_columns([asked], places, "clusters")


def _numbered(query_ids: Sequence[Any], kind: Mapping[Any, Any] | pl.DataFrame) -> NDArray[Any]:
    if not isinstance(kind, Mapping):
        import polars as pl

        # The ids are those of the result.
        kind = dict(ids_like(kind, pl.Series(query_ids[:1]).dtype).iter_rows())
    missing = [query for query in query_ids if _is_nothing(kind.get(query))]
    if missing:
        queries = counted(len(missing), "query", "queries")
        raise DataError(f"clusters says nothing of {queries}, such as {missing[0]!r}")
    numbers: dict[Hashable, int] = {}
    labels = [numbers.setdefault(kind[query], len(numbers)) for query in query_ids]
    written: dict[str, Hashable] = {}
    for each in numbers:
        if (other := written.setdefault(str(each), each)) is not each:
            raise DataError(
                f"clusters has both {other!r} and {each!r}, which read alike: write them alike, or apart"
            )
    return np.array(labels, dtype=np.intp)


def _is_nothing(value: Any) -> bool:
    """Whether it is what an empty cell of a table is: None, NaN or no text."""
    return value is None or value == "" or value != value
