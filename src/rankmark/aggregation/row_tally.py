"""What some of the rows of labelled scores come to, in a form that adds up.

Most measures of predictions look at sums over the rows, which need these in no order. AUC looks at pairs of
rows too: a pair is in one range of scores, or its order is that of the ranges.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.aggregation.counts import RowMeasureCounts
from rankmark.aggregation.refusals import Fault, add_faults, faults_from
from rankmark.aggregation.settled_rows import SettledRows, mean_of_queries
from rankmark.dataclassing import dataclass
from rankmark.kinds.row_core import Core, NotMergedError, Sum
from rankmark.statistics.exact_sums import exact, total

if TYPE_CHECKING:
    from rankmark.aggregation.settled_rows import QueryValues

__all__ = ["LABELS", "QueryTally", "Range", "RowTally", "check_sums", "sums_of", "told_sums"]

Range: TypeAlias = tuple[float, float, float, float]
"""A range of scores: the least, the weight of its positive rows, that of the others, and `Ranked.pairs`."""
LABELS = 6
"""Different labels kept: more than a message shows."""
PARTS = 32
"""Numbers that may add up to a sum."""


@dataclass(slots=True)
class QueryTally:
    """What a measure of each query comes to in some of the queries; attributes as of `RowMeasureCounts`.

    Attributes:
        weights: a few numbers whose exact sum is that of the queries' weights.
        values: the same of the weights times the values.

    """

    weights: list[float]
    values: list[float]
    averaged: int
    skipped: int
    skipped_rows: int
    why_skipped: str

    def add(self, other: QueryTally) -> None:
        """Takes in the queries of another part."""
        self.weights += other.weights
        self.values += other.values
        self.averaged += other.averaged
        self.skipped += other.skipped
        self.skipped_rows += other.skipped_rows

    @classmethod
    def of(cls, values: QueryValues) -> QueryTally:
        """That of queries whose values are here."""
        counts, weights, weighed = values.summands()
        return cls(
            exact(weights),
            exact(weighed),
            counts.averaged or 0,
            counts.skipped or 0,
            counts.skipped_rows or 0,
            values.each.skipped,
        )

    def settled(self) -> SettledRows:
        """What the measure comes to."""
        counts = RowMeasureCounts(self.averaged, self.skipped, self.skipped_rows, self.why_skipped)
        return mean_of_queries(counts, total(self.weights), total(self.values))


@dataclass(slots=True)
class RowTally:
    """What some of the rows come to.

    Attributes:
        rows: how many there are.
        labels: some of the different labels.
        improbable: number of scores outside of 0 to 1.
        shown_improbable: the least of these.
        sums: the sums of the core by their names; each as numbers that add up to it.
        ranges: ranges of scores, none of which overlap.
        queries: what the measures of each query come to, by their canonical names.
        faults: what cannot be evaluated, by a name of its own.

    """

    rows: int = 0
    labels: list[float] = field(default_factory=list)
    improbable: int = 0
    shown_improbable: float = math.inf
    sums: dict[str, list[list[float]]] = field(default_factory=dict)
    ranges: list[Range] = field(default_factory=list)
    queries: dict[str, QueryTally] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)

    def add(self, other: RowTally) -> None:
        """Takes in the rows of another part."""
        self.rows += other.rows
        self.labels = sorted({*self.labels, *other.labels})[:LABELS]
        self.improbable += other.improbable
        self.shown_improbable = min(self.shown_improbable, other.shown_improbable)
        for name, parts in other.sums.items():
            known = self.sums.setdefault(name, [[] for _ in parts])
            self.sums[name] = [[*one, *two] for one, two in zip(known, parts, strict=True)]
        self.ranges += other.ranges
        for name, query in other.queries.items():
            if name in self.queries:
                self.queries[name].add(query)
            else:
                self.queries[name] = query
        add_faults(self.faults, other.faults)

    def compact(self, most: int = PARTS) -> None:
        """Makes a few numbers with the same exact sum of those that add up to each sum, if more than these.

        What numbers they are depends on the sum alone.
        """
        for name, parts in self.sums.items():
            if any(len(numbers) > most for numbers in parts):
                self.sums[name] = [exact(np.array(numbers)) for numbers in parts]

    def to_json(self) -> str:
        """As text, to be sent."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> RowTally:
        """A tally that was sent."""
        sent: dict[str, Any] = json.loads(text)
        sent["queries"] = {name: QueryTally(**each) for name, each in sent["queries"].items()}
        sent["faults"] = faults_from(sent["faults"])
        sent["ranges"] = [tuple(each) for each in sent["ranges"]]
        return RowTally(**sent)


def sums_of(core: Core, sums: Iterable[Sum]) -> dict[str, list[list[float]]]:
    """Sums over the rows in the core, as `RowTally` has them."""
    return {_name(each): [[part] for part in core.sums(each)] for each in sums}


def told_sums(tally: RowTally) -> Callable[[Sum], tuple[float, ...]]:
    """The sums of a tally, for `SumsAlone`; others are not merged."""

    def told(asked: Sum) -> tuple[float, ...]:
        if _name(asked) not in tally.sums:
            raise NotMergedError
        return tuple(map(total, tally.sums[_name(asked)]))

    return told


def _name(asked: Sum) -> str:
    """What the tally calls a sum."""
    method, arguments = asked
    return f"{method}{arguments!r}"


def check_sums(tally: RowTally, sums: Iterable[Sum], like: Core) -> None:
    """Refuses a tally of other sums than of these, which any rows are `like`, or what is none.

    Raises:
        ValueError: it has others, or something else than numbers for them.

    """
    for name, parts in sums_of(like, sums).items():
        there = tally.sums.get(name, [])
        if len(there) != len(parts) or not all(isinstance(n, float) for numbers in there for n in numbers):
            raise ValueError(f"the sums of {name} are not those that its measures need")
    if not isinstance(tally.rows, int) or not all(isinstance(label, float) for label in tally.labels):
        raise ValueError("its rows and labels are no numbers")
