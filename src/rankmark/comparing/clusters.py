"""What is not independent: queries of one cluster, such as a user, and runs of one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import DataError, UsageError
from rankmark.inputs.attributes import ids_like
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.results.base import Result

__all__ = ["are_seeds", "by_query", "cluster_labels"]


def cluster_labels(query_ids: Sequence[Any], clusters: Mapping[Any, Any]) -> NDArray[Any]:
    """The number of each query's cluster.

    Raises:
        UsageError: the clusters are not by query.
        DataError: they do not say it of every query.

    """
    if not isinstance(clusters, Mapping):
        raise UsageError(f"clusters is of type {type(clusters).__name__}; give {{query: what it belongs to}}")
    missing = [query for query in query_ids if query not in clusters]
    if missing:
        queries = counted(len(missing), "query", "queries")
        raise DataError(f"clusters says nothing of {queries}, such as {missing[0]!r}")
    numbers = {label: number for number, label in enumerate(dict.fromkeys(clusters.values()))}
    return np.array([numbers[clusters[query]] for query in query_ids])


def by_query(column: pl.DataFrame, like: Result) -> dict[Any, str]:
    """The value of each query that has one, of a frame of `read_columns`; ids are those of the result."""
    import polars as pl

    return dict(ids_like(column, pl.Series(like.query_ids[:1]).dtype).iter_rows())


def are_seeds(run: Any) -> bool:
    """Whether it is a list of runs, and not one run as a list of rows."""
    return isinstance(run, list) and bool(run) and not isinstance(run[0], tuple | list)
