"""How low and how high the difference of two systems can be, whatever the items are that nobody judged.

An item that both systems have has one grade. Of a measure that is a sum over items of what each adds, with a
denominator that no judgement changes, the difference is such a sum, too: an open item adds its gain times
w_A − w_B, the weights of its ranks, so that the difference is lowest where the items with w_A < w_B have the
highest grade and the others none, and highest the other way round. That is exact. Of other measures the
lowest difference is no lower than the lowest value of the one less the highest of the other. An unjudged item
of the other's list alone is one more to find, which makes no value higher: the highest value is that without
any relevant one of these, the lowest that with all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._native import Table
from rankmark.api.evaluation import evaluate_tables, refuse_bounds
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import MeasureError, UsageError
from rankmark.inputs import with_text_items
from rankmark.inputs.ids import align_ids
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.extremes import SUMS, Extreme, added_alone
from rankmark.language.plan import Plan, behind_bounds
from rankmark.rendering.records import Record

if TYPE_CHECKING:
    import polars as pl

    from rankmark.comparing.pairs import Pair
    from rankmark.inputs import Input
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["OpenDifference", "check_open", "open_differences", "told_of_open"]

NEARLY = 1e-9
"""Sums that differ by no more are the same."""


@dataclass(frozen=True, slots=True, repr=False)
class OpenDifference(Record):
    """What unjudged items leave open of the mean difference of two systems.

    Attributes:
        measure: what was measured.
        system: the one.
        baseline: the other.
        difference: its value less the other's, where no unjudged item is relevant.
        lowest: the lowest that it can be, whatever the items are that are in lists and nobody judged.
        highest: the highest.
        exact: whether these are reached, both systems' unjudged items taken together; if not, the difference
            is between them, and may not come as far.

    """

    measure: Measure
    system: str
    baseline: str
    difference: float
    lowest: float
    highest: float
    exact: bool

    @property
    def holds(self) -> bool:
        """Whether the same system is the better one whatever the unjudged items are."""
        return self.lowest > NEARLY or self.highest < -NEARLY

    @property
    def verdict(self) -> str:
        """Whether the sign of the difference survives, in a word."""
        return "holds" if self.holds else "can change" if self.exact else "may change"

    @property
    def figures(self) -> dict[str, Any]:
        """Everything by its name."""
        return {
            "measure": self.measure.label,
            "system": self.system,
            "baseline": self.baseline,
            "difference": self.difference,
            "lowest": self.lowest,
            "highest": self.highest,
            "exact": self.exact,
            "sign": self.verdict,
        }


def check_open(plan: Plan, bounds: str | bool, systems: Mapping[str, Sequence[Any]]) -> None:
    """Refuses bounds of differences that there are not.

    Args:
        plan: what is evaluated.
        bounds: which bounds are asked for.
        systems: the runs of each system; what is no run is an evaluated result.

    Raises:
        UsageError: bounds of anything but unjudged items, or of systems that have no lists here.
        MeasureError: a measure of which they are not known.

    """
    if not str(bounds).startswith("unjudged"):
        raise UsageError(
            f'bounds={bounds!r} is not "unjudged", nor "unjudged=3" with the highest grade: differences have '
            "no others; rm.evaluate has those of equal scores"
        )
    refuse_bounds(plan, bounds=bounds)
    for measure in plan.measures:
        if not measure.is_mean_of_queries:
            raise MeasureError(f"{measure} is no mean over queries, and bounds of differences are of means")
    if several := next((name for name, own in systems.items() if len(own) > 1), None):
        raise UsageError(f"bounds are of one run a system, and {several!r} has {len(systems[several])}")


def open_differences(
    judged: Input, runs: Mapping[str, Input], plan: Plan, bounds: str, pairs: Sequence[Pair]
) -> tuple[OpenDifference, ...]:
    """What unjudged items leave open of each pair.

    Args:
        judged: the judgements.
        runs: the run of each system.
        plan: by what, and with which choices, they were evaluated.
        bounds: ``unjudged``, or with the highest grade ``unjudged=3``.
        pairs: the systems that are compared.

    """
    found: dict[tuple[Measure, str, str], OpenDifference] = {}
    for choices, measures in plan.groups():
        (_, lowest), (_, highest) = behind_bounds(bounds, choices, measures)
        systems = {
            name: _System(judged, run, replace(plan, measures=(), choices=choices, own={}), lowest, highest)
            for name, run in runs.items()
        }
        for pair in pairs:
            if pair.measure in measures:
                place = measures.index(pair.measure)
                ends = _ends(systems[pair.system], systems[pair.baseline], place)
                key = pair.measure, pair.system, pair.baseline
                found[key] = OpenDifference(*key, pair.difference, *ends)
    return tuple(found[pair.measure, pair.system, pair.baseline] for pair in pairs)


class _System:
    """What unjudged items leave open of one system.

    Attributes:
        lowest: the lowest values of queries, of each measure.
        highest: the highest.
        added: of each measure what every open item adds at its highest grade, ``query``, ``item``, ``adds``;
            None where it is no sum of these.

    """

    def __init__(
        self, judged: Input, run: Input, plan: Plan, lowest: Sequence[Measure], highest: Sequence[Measure]
    ) -> None:
        judged, run = align_ids(judged, run)
        if plan.text_items:
            judged, run = with_text_items(judged), with_text_items(run)
        self._judged, self._run, self._plan, self._measures = judged, run, plan, tuple(lowest)
        self.lowest, self.query_ids = self._values(judged, self._measures)
        self.highest, _ = self._values(judged, tuple(highest))
        self.items = _open_items(judged, run, plan.choices)
        self.added = [
            self._added(place, each, self.items) if each.page.name in SUMS else None
            for place, each in enumerate(lowest)
        ]

    def _values(self, judged: Input, measures: tuple[Measure, ...]) -> tuple[list[Values], list[str]]:
        result = evaluate_tables(judged, self._run, replace(self._plan, measures=measures))
        return [result.query_values(each) for each in measures], list(map(str, result.query_ids))

    def lowest_beside(self, other: _System, place: int) -> Values:
        """The lowest values where the open items of another system's lists alone are relevant."""
        import polars as pl

        measure, judged = self._measures[place], self._judged
        assert isinstance(measure, Extreme)
        beside = other.items.join(self.items, on=["query", "item"], how="anti")
        if beside.is_empty():
            return self.lowest[place]
        grade = pl.lit(1.0) if judged.value is None else pl.col(judged.value).cast(pl.Float64)
        known = pl.DataFrame(judged.table).select(query=judged.query, item=judged.item, grade=grade)
        highest = pl.max_horizontal("grade", pl.lit(float(measure.arguments.get("rel", 1.0))))
        added = beside.select(
            *(pl.col(name).cast(known.schema[name], strict=False) for name in ("query", "item")),
            grade=highest if measure.grade is None else pl.lit(measure.grade),
        )
        if added.null_count().to_numpy().any():
            raise UsageError("bounds of differences take ids of items of one type in all runs")
        rows = known.join(added, on=["query", "item"], how="anti", maintain_order="left")
        table = Table.from_arrow(pl.concat((rows, added)).to_struct())
        more = replace(judged, table=table, query="query", item="item", value="grade", aspects=None)
        (values,), query_ids = self._values(more, (measure,))
        places = {query: number for number, query in enumerate(query_ids)}
        return values[[places[query] for query in self.query_ids]]

    def _added(self, place: int, measure: Measure, items: pl.DataFrame) -> pl.DataFrame | None:
        assert isinstance(measure, Extreme)
        grade = items["grade"].to_numpy()
        grade = np.maximum(grade, measure.arguments.get("rel", 1.0))
        if measure.grade is not None:
            grade = np.full(len(grade), measure.grade)
        rank, retrieved = items["rank"].to_numpy(), items["retrieved"].to_numpy()
        alone = JudgedLists(rank, grade, np.arange(len(rank) + 1), retrieved)
        added = items.select("query", "item").with_columns(adds=added_alone(measure, alone, grade))
        whole = self.lowest[place] + _sums_of(added, self.query_ids)
        there = ~np.isnan(whole)
        same = np.allclose(whole[there], self.highest[place][there], rtol=NEARLY, atol=NEARLY)
        return added if same else None


def _ends(one: _System, other: _System, place: int) -> tuple[float, float, bool]:
    """The lowest and the highest mean difference, and whether they are reached."""
    import polars as pl

    least = one.lowest[place] - other.lowest[place]
    there = ~np.isnan(least)
    own, theirs = one.added[place], other.added[place]
    if own is None or theirs is None:
        low = one.lowest_beside(other, place) - other.highest[place]
        high = one.highest[place] - other.lowest_beside(one, place)
        return _mean(low[there]), _mean(high[there]), False
    both = pl.concat((own, theirs.with_columns(-pl.col("adds"))))
    both = both.group_by("query", "item").agg(pl.sum("adds"))
    ends = (
        least + _sums_of(both.filter(sign), one.query_ids)
        for sign in (pl.col("adds") < 0, pl.col("adds") > 0)
    )
    low, high = (each[there] for each in ends)
    return _mean(low), _mean(high), True


def _mean(values: Values) -> float:
    return float(values.mean()) if len(values) else math.nan


def _sums_of(added: pl.DataFrame, query_ids: Sequence[str]) -> Values:
    """What items add to each query."""
    import polars as pl

    queries = pl.DataFrame({"query": query_ids}, schema={"query": pl.String})
    sums = added.sort("query", "item").group_by("query", maintain_order=True).agg(pl.sum("adds"))
    found = queries.join(sums, on="query", how="left", maintain_order="left")
    values: Values = found["adds"].fill_null(0.0).to_numpy()
    return values


def _open_items(judged: Input, run: Input, choices: Choices) -> pl.DataFrame:
    """The items of lists that nobody judged: ``query``, ``item``, ``rank``, ``retrieved``, ``grade``.

    The grade is the highest of their query's judgements, at least 1; ids are text.
    """
    import polars as pl

    grade = pl.lit(1.0) if judged.value is None else pl.col(judged.value).cast(pl.Float64)
    grades = pl.DataFrame(judged.table).select(query=judged.query, item=judged.item, grade=grade)
    highest = grades.group_by("query").agg(pl.max("grade").clip(lower_bound=1.0))
    listed = pl.DataFrame(run.table).select(query=run.query, item=run.item).unique(maintain_order=True)
    known = grades.filter(pl.col("grade") >= 0)
    opened = listed.join(known, on=["query", "item"], how="anti", maintain_order="left")
    opened = opened.join(highest, on="query", how="inner", maintain_order="left")
    opened = opened.with_columns(number=pl.int_range(pl.len()).cast(pl.Float64))
    table = Table.from_arrow(opened.select("query", "item", "number").to_struct())
    numbered = replace(judged, table=table, query="query", item="item", value="number", aspects=None)
    texts = opened.select(pl.col("query", "item").cast(pl.String), "grade")
    if opened.is_empty():
        return texts.with_columns(rank=pl.lit(1, pl.Int64), retrieved=pl.lit(1, pl.Int64)).clear()
    lists, _, _ = local.judged_lists(numbered, run, replace(choices, unjudged_queries="skip"))
    lengths = np.repeat(lists.retrieved, np.diff(lists.offsets))
    found = texts[lists.relevance.astype(np.int64)]
    return found.with_columns(rank=pl.Series(lists.rank), retrieved=pl.Series(lengths))


def told_of_open(found: Sequence[OpenDifference]) -> Iterator[str]:
    """What the bounds of differences are of."""
    if found:
        yield (
            "unjudged items can each have any grade from 0 to the highest; one that both systems have has one"
        )
    if any(not each.exact for each in found):
        yield (
            "lowest and highest of what may change are the lowest value of the one less the highest of the "
            "other, and need not be reached"
        )
