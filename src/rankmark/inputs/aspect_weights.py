"""How much aspects of queries weigh, where a table of their own says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import ColumnError, DataError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs import column_names_of, read_shared
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.input import Input
from rankmark.inputs.names import fitting, listed
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["weighed"]

NAME = "aspect_weights"
WEIGHTS = ("weight", "aspect_weight", "probability", "p")
"""What a column of weights is called; where there are three columns, that which is left is it."""


def weighed(judgements: Input, weights: Any) -> Input:
    """Judgements of aspects that weigh what a table says.

    Args:
        judgements: a row an item and aspect, or `by_aspect`.
        weights: a path or a table of query, aspect and weight, or ``{query: {aspect: weight}}``.

    Raises:
        UsageError: what holds no such table; or a column of weights, too.
        DataError: a weight that is none, two of one aspect, or an aspect of a query without one.

    """
    import polars as pl

    if judgements.aspect_weight is not None:
        raise UsageError(
            f"{NAME} is given, and of {judgements.name} the column {judgements.aspect_weight!r} is said to "
            "be the aspect_weight: leave out one of them"
        )
    found = by_aspect(judgements, NAME)
    rows = found.aspects
    if rows is None:  # NaN and nulls, which whoever matches them refuses
        return found
    queries = pl.DataFrame(found.table)[found.query].cast(pl.String)
    names = pl.Series(list(rows.names)).cast(pl.String)
    pairs = pl.DataFrame({"query": queries[rows.row], "aspect": names[rows.aspect]})
    table = _read(weights)
    joined = pairs.join(table, on=["query", "aspect"], how="left", maintain_order="left")
    _check_missing(joined, table)
    others = table.join(pairs, on=["query", "aspect"], how="anti")
    others = others.filter(pl.col("query").is_in(queries.unique().implode()))
    notes = found.notes
    if others.height:
        query, aspect, *_ = others.row(0)
        unjudged = counted(others.height, "aspect")
        notes = (*notes, f"{NAME}: no item is judged for {unjudged}, such as {aspect!r} of query {query!r}")
    return replace(found, notes=notes, aspects=replace(rows, weight=joined["weight"].to_numpy()))


def _read(source: Any) -> pl.DataFrame:
    """The weights as ``query`` and ``aspect``, which are texts, and ``weight``."""
    import polars as pl

    try:
        read = read_shared(source, "qrels", _columns(source))
    except RankmarkError as error:
        raise type(error)(re.sub(r"^qrels\b", NAME, str(error))) from error
    where = re.sub(r"^qrels\b", NAME, read.name)
    if read.value is None:
        raise ColumnError(f"{where} has no column of weights: call it weight, beside query and aspect")
    table = pl.DataFrame(read.table).select(
        query=pl.col(read.query).cast(pl.String),
        aspect=pl.col(read.item).cast(pl.String),
        weight=pl.col(read.value).cast(pl.Float64),
    )
    weight = pl.col("weight")
    wrong = table.filter((weight.is_finite() & (weight >= 0)).fill_null(False).not_())
    if wrong.height:
        query, aspect, value = wrong.row(0)
        raise DataError(
            f"{where}: {counted(wrong.height, 'weight')} of {table.height:,} "
            f"{'is' if wrong.height == 1 else 'are'} none, such as {value} of aspect {aspect!r} of query "
            f"{query!r}; weights are finite numbers from 0"
        )
    again = table.filter(table.select("query", "aspect").is_duplicated())
    if again.height:
        query, aspect, _ = again.row(0)
        raise DataError(f"{where}: aspect {aspect!r} of query {query!r} has several weights; give it one")
    return table


def _columns(source: Any) -> Mapping[str, str]:
    """Which columns of a table hold aspects and weights, if it names its columns."""
    names = column_names_of(source)
    aspects = fitting(names, "aspect")
    if len(aspects) != 1:
        if names and not isinstance(source, Mapping):
            some = "several columns" if aspects else "no column"
            raise ColumnError(
                f"{NAME} has {some} of aspects among {listed(names)}: call them query, aspect and weight"
            )
        return {}
    queries = fitting([name for name in names if name not in aspects], "query")
    rest = [name for name in names if name not in (*aspects, *queries)]
    known = [name for name in rest if name.lower() in WEIGHTS] or rest
    if len(known) != 1:
        some = "several columns" if known else "no column"
        raise ColumnError(f"{NAME} has {some} of weights among {listed(names)}: call it weight")
    return {"item": aspects[0], "relevance": known[0]}


def _check_missing(joined: pl.DataFrame, table: pl.DataFrame) -> None:
    """Refuses aspects without a weight."""
    import polars as pl

    pairs = joined.unique(["query", "aspect"], maintain_order=True)
    missing = pairs.filter(pl.col("weight").is_null())
    if not missing.height:
        return
    query, aspect, _ = missing.row(0)
    own = table.filter(pl.col("query") == query)["aspect"].to_list()
    there = f"{did_you_mean(aspect, own) or ';'} it has {listed(own)}" if own else "; it has no such query"
    raise DataError(
        f"{NAME}: {missing.height:,} of the {counted(pairs.height, 'aspect')} for which items are judged "
        f"{'has' if missing.height == 1 else 'have'} no weight, the first is {aspect!r} of query {query!r}"
        f"{there}; give each one, 0 where it is not to count"
    )
