"""Whether a system follows what an instruction changes: how the ranks of items move with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import ChoiceError, DataError
from rankmark.explaining.listed import ranked
from rankmark.inputs import Input, align_ids, read_shared
from rankmark.inputs.added_up import added_up
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.inputs.places import Places
from rankmark.inputs.roles import check_names
from rankmark.language.choices import Choices, Ties
from rankmark.language.given_measure import DerivedMeasure
from rankmark.rendering.words import counted
from rankmark.results.given import DerivedResult
from rankmark.statistics.intervals import IntervalName

if TYPE_CHECKING:
    import polars as pl

__all__ = ["evaluate_instructions"]


def evaluate_instructions(
    changed: Any,
    original: Any,
    instructed: Any,
    *,
    ties: Ties = "item-desc",
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    attributes: Any = None,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
) -> DerivedResult:
    """p-MRR: how far items that a changed instruction makes irrelevant fall in the ranking.

    With the rank r of such an item by the original instruction and r′ by the changed one, and one after the
    last where a list lacks it::

        p(item) = r′ / r − 1 if r ≥ r′, else 1 − r / r′        in −1 … 1

    A query's value is the mean over its changed items, p-MRR that over queries: 1 where all fall out of
    sight, 0 where nothing moves, and negative where they rise.

    Args:
        changed: of each query the items that the change makes irrelevant, as judgements: all of a query's
            items there are such, whatever their grade.
        original: the results by the original instruction, as `evaluate` takes them.
        instructed: those by the changed one, under the same queries.
        ties: the order of equal scores.
        intervals: whether to give intervals over queries, or by which method, as for `evaluate`.
        confidence: of these.
        attributes: a path or table with a column of queries, for `clusters`.
        clusters: ``{query: what it belongs to}``, or a column of `attributes` or of the tables.
        resamples: of intervals that draw.
        seed: of these, and of ``ties="random"``.
        columns: the columns to use, where their names do not say it.

    Raises:
        DataError: a table that cannot be read, an item twice in a list, no query that both have.
        ChoiceError: an order of ties that needs judgements.

    Source:
        O. Weller et al., "FollowIR: evaluating and teaching information retrieval models to follow
        instructions", NAACL 2025.

    Example:
        >>> import rankmark as rm
        >>> before, after = {"q": ["a", "b", "c"]}, {"q": ["b", "c", "a"]}
        >>> round(rm.evaluate_instructions({"q": {"a": 0}}, before, after)["p-MRR"], 4)
        0.6667

    """
    import polars as pl

    if ties in ("best", "worst", "expected"):
        raise ChoiceError(f"ties={ties!r} needs judgements; here it is item-desc, item-asc, input or random")
    judged = read_shared(changed, "qrels", columns)
    runs = [read_shared(each, "run", columns) for each in (original, instructed)]
    check_names(columns, {"qrels": judged.names, "run": [*runs[0].names, *runs[1].names]})
    choices = Choices(ties=ties, seed=seed)
    first, second = (_ranks(judged, run, choices) for run in runs)
    before, after = (each["rank"].cast(pl.Float64).fill_null(np.nan).to_numpy() for each in (first, second))
    moved = pl.Series("moved", np.where(before >= after, after / before - 1, 1 - before / after))
    means = added_up(first.with_columns(moved), ["query"], means={"moved": pl.col("moved")})
    queries, values = means["query"], means["moved"].to_numpy().copy()
    if np.isnan(values).all():
        raise DataError(f"{runs[0].name} and {runs[1].name} have no query in common with {judged.name}")
    told = ("of:changed", f"ties:{ties}", *([f"seed:{seed}"] if ties == "random" else []))
    measure = DerivedMeasure("p-MRR", told, "more", (-1.0, 1.0))
    notes = [f"{counted(len(first), 'item')} changed by instructions"]
    if lost := int(np.isnan(values).sum()):
        notes.append(f"{counted(lost, 'query', 'queries')} that not both runs have (left out)")
    result = DerivedResult.of({measure: values}, queries, notes=notes)
    if not intervals:
        return result
    method: IntervalName = "auto" if isinstance(intervals, bool) else intervals
    clustering = Clustering.of(clusters, Places(changed, original, attributes, columns))
    return result.with_intervals(
        method, confidence=confidence, clusters=clustering, resamples=resamples, seed=seed
    )


def _ranks(changed: Input, run: Input, choices: Choices) -> pl.DataFrame:
    """The changed items with their ranks, one after the last where a list lacks them; null without a list."""
    import polars as pl

    judged, results = align_ids(changed, run)
    given = pl.DataFrame(results.table).select(query=results.query, item=results.item)
    again = given.filter(given.is_duplicated())
    if again.height:
        query, item = again.row(0)
        raise DataError(f"{run.name}: item {item!r} is twice in the list of query {query!r}; give it once")
    rows = ranked(judged, results, choices).select("query", "item", "rank")
    ends = rows.group_by("query").agg(after=pl.len() + 1)
    items = pl.DataFrame(judged.table).select(query=judged.query, item=judged.item)
    found = items.unique(maintain_order=True)
    found = found.join(rows, on=["query", "item"], how="left", maintain_order="left")
    found = found.join(ends, on="query", how="left", maintain_order="left")
    return found.select("query", "item", pl.coalesce("rank", "after").alias("rank"))
