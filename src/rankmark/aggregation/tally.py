"""What some of the queries come to, in a form that adds up and does not grow with their number.

The tallies of parts of the queries, however they were cut and in whatever order they come, merge into one,
bit for bit: all is counts, exact sums and the least few ids.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark import _native
from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.aggregation.settled import LEAST_FACTOR, tied_queries
from rankmark.errors import DataError
from rankmark.inputs.column_checks import no_rows
from rankmark.language.choices import Choices
from rankmark.language.plan import Group

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.observed import Observed
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure

__all__ = [
    "Fault",
    "MeasureTally",
    "Some",
    "Tally",
    "add_faults",
    "exact",
    "faults_from",
    "merged",
    "some",
    "tallied",
    "total",
]

Id: TypeAlias = int | str

SHOWN = 3
"""Ids kept of those that a message speaks of."""


@dataclass(slots=True)
class Some:
    """How many there are, and the least few of their ids."""

    count: int = 0
    ids: list[Id] = field(default_factory=list)

    def add(self, other: Some) -> None:
        """Takes in those of another part."""
        self.count += other.count
        self.ids = sorted({*self.ids, *other.ids})[:SHOWN]

    def queries(self) -> str:
        """As a message names queries."""
        shown = ", ".join(map(repr, self.ids)) + (", …" if self.count > len(self.ids) else "")
        return f"{self.count} {'query' if self.count == 1 else 'queries'}" + (f" ({shown})" if shown else "")


@dataclass(slots=True)
class Fault:
    """Rows that cannot be evaluated.

    Attributes:
        before: what a message says before their number.
        one: what it says after it, if there is one,
        several: or if there are several.
        remedy: what to do about it.
        rows: how many, and queries in which they are.

    """

    before: str
    one: str
    several: str
    remedy: str
    rows: Some

    def error(self) -> DataError:
        """What is raised."""
        where = f", for example in query {self.rows.ids[0]!r}" if self.rows.ids else ""
        what = self.one if self.rows.count == 1 else self.several
        return DataError(f"{self.before} {self.rows.count:,} {what}{where}; {self.remedy}")


def add_faults(faults: dict[str, Fault], others: Mapping[str, Fault]) -> None:
    """Takes in the faults of another part, by their names."""
    for name, other in others.items():
        if name in faults:
            faults[name].rows.add(other.rows)
        else:
            faults[name] = other


def faults_from(sent: Mapping[str, Any]) -> dict[str, Fault]:
    """Faults that were sent."""
    return {name: Fault(**{**each, "rows": Some(**each["rows"])}) for name, each in sent.items()}


@dataclass(slots=True)
class MeasureTally:
    """What a measure comes to in some of the queries.

    Attributes:
        sums: the sum of the values, or of their logarithms for a geometric mean; for a ratio of sums, the
            numerators' and the denominators'. Each as a few numbers of which it is the exact sum.
        averaged: queries with a value.
        undefined: queries in which nothing is relevant.
        tied: see `MeasureCounts.tied`.

    """

    sums: list[list[float]]
    averaged: int
    undefined: Some
    tied: int | None

    def add(self, other: MeasureTally) -> None:
        """Takes in the queries of another part."""
        self.sums = [one + two for one, two in zip(self.sums, other.sums, strict=True)]
        self.averaged += other.averaged
        self.undefined.add(other.undefined)
        self.tied = None if self.tied is None or other.tied is None else self.tied + other.tied

    def value(self, measure: Measure) -> float:
        """What the measure comes to; NaN where it has no value in any query."""
        first, *below = (total(parts) for parts in self.sums)
        if measure.page.aggregate == "sum":
            return first
        count = below[0] if below else self.averaged
        mean = first / count if count else math.nan
        return math.exp(mean) if measure.mean == "geometric" else mean


@dataclass(slots=True)
class Tally:
    """What all measures come to in some of the queries.

    Attributes:
        qrels_rows: number of judgements.
        run_rows: number of results.
        judged: number of queries with judgements.
        missing: judged queries without results.
        unjudged: queries with results and without judgements.
        hits: number of judged items in the lists.
        seen: the least id of each kind: ``qrels.query``, ``qrels.item``, ``run.query``, ``run.item``.
        measures: what each measure comes to, by its canonical name.
        faults: what cannot be evaluated, by a name of its own.
        digests: the hashes of the judgements (``qrels``) and of the results (``run``), if asked for.

    """

    qrels_rows: int = 0
    run_rows: int = 0
    judged: int = 0
    missing: Some = field(default_factory=Some)
    unjudged: Some = field(default_factory=Some)
    hits: int = 0
    seen: dict[str, Id] = field(default_factory=dict)
    measures: dict[str, MeasureTally] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    digests: dict[str, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Takes in the queries of another part."""
        self.qrels_rows += other.qrels_rows
        self.run_rows += other.run_rows
        self.judged += other.judged
        self.missing.add(other.missing)
        self.unjudged.add(other.unjudged)
        self.hits += other.hits
        for kind, seen in other.seen.items():
            self.seen[kind] = min(self.seen.get(kind, seen), seen)
        for name, measure in other.measures.items():
            if name in self.measures:
                self.measures[name].add(measure)
            else:
                self.measures[name] = measure
        add_faults(self.faults, other.faults)
        for side, digest in other.digests.items():
            self.digests[side] = (self.digests.get(side, 0) + digest) % 2**64

    def counts(self, measures: Iterable[Measure]) -> Counts:
        """The account of the queries."""
        return Counts(
            judged=self.judged,
            answered=self.judged - self.missing.count,
            missing=self.missing.count,
            unjudged=self.unjudged.count,
            measures={
                name: MeasureCounts(tally.averaged, tally.undefined.count, tally.tied)
                for name, tally in ((str(measure), self.measures[str(measure)]) for measure in measures)
            },
        )

    def refuse(self, groups: Iterable[Group]) -> None:
        """Raises what is wrong with the rows, if anything is.

        Raises:
            DataError: rows that cannot be evaluated, or what a choice of these groups of measures refuses.

        """
        for _, fault in sorted(self.faults.items()):
            raise fault.error()
        for choices, group in groups:
            if choices.unjudged_queries == "error" and self.unjudged.count:
                raise DataError(
                    f"run: results for {self.unjudged.queries()} without judgements; "
                    'remove them or choose unjudged_queries="skip"'
                )
            if choices.missing == "error" and self.missing.count:
                raise DataError(
                    f"run has no results for {self.missing.queries()} with judgements; "
                    'choose missing="zero" or "skip", or complete the run'
                )
            for measure in group if choices.no_relevant == "error" else ():
                own = self.measures.get(str(measure))
                if own and own.undefined.count:
                    raise DataError(
                        f"{measure}: nothing is relevant in {own.undefined.queries()}; "
                        'choose no_relevant="zero", "skip" or "one"'
                    )

    def refuse_whole(self) -> None:
        """Raises what is wrong with all rows together.

        Raises:
            DataError: a table without rows, or a run without results for any judged query.

        """
        for side, rows in (("qrels", self.qrels_rows), ("run", self.run_rows)):
            if not rows:
                raise no_rows(side)
        if self.missing.count == self.judged and not self.faults:
            raise DataError(
                f"run has no results for any of the {self.judged} judged queries: its queries are such as "
                f"{self.seen['run.query']!r}, those of qrels such as {self.seen['qrels.query']!r}"
            )

    def match_notes(self) -> list[str]:
        """A word on ids if no item that was returned is judged: they may be written differently."""
        if self.hits:
            return []
        note = (
            f"no returned item is judged: run has items such as {self.seen['run.item']!r}, "
            f"qrels such as {self.seen['qrels.item']!r}"
        )
        return [note]

    def to_json(self) -> str:
        """As text, to be sent."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Tally:
        """A tally that was sent."""
        sent: dict[str, Any] = json.loads(text)
        for name in ("missing", "unjudged"):
            sent[name] = Some(**sent[name])
        sent["measures"] = {
            name: MeasureTally(**{**each, "undefined": Some(**each["undefined"])})
            for name, each in sent["measures"].items()
        }
        sent["faults"] = faults_from(sent["faults"])
        return Tally(**sent)


def merged(tallies: Iterable[Tally]) -> Tally:
    """The tally of all parts together."""
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole


def tallied(
    group: Iterable[Measure], observed: Observed, ids: NDArray[Any], choices: Choices
) -> tuple[dict[str, MeasureTally], dict[str, Values]]:
    """What the measures come to, and their value for each query: NaN where it is left out of the mean.

    Under ``no_relevant="error"`` queries without relevant items are left out and counted.
    """
    counted = observed.answered if choices.missing == "skip" else np.ones(len(ids), dtype=np.bool_)
    filler = {"zero": 0.0, "one": 1.0}.get(choices.no_relevant, math.nan)
    computed = iter(observed.values)
    tallies, per_query = {}, {}
    for measure in group:
        values = next(computed)
        if measure.page.aggregate == "ratio":
            below = next(computed)
            summed = [values[counted], below[counted]]
            values, filler_here = _native.ratio(values, below, below), math.nan
        else:
            summed, filler_here = [], filler
        undefined = np.isnan(values) & counted
        _, averaged, _ = _native.settle(values, counted, filler_here)
        if not summed:
            kept = values[~np.isnan(values)]
            summed = [np.log(np.maximum(kept, LEAST_FACTOR)) if measure.mean == "geometric" else kept]
        tallies[str(measure)] = MeasureTally(
            [exact(each) for each in summed],
            averaged,
            some(ids, undefined),
            tied_queries(observed, measure, choices),
        )
        per_query[str(measure)] = values
    return tallies, per_query


def some(ids: NDArray[Any], which: NDArray[np.bool_]) -> Some:
    """Those of the queries that `which` says."""
    count = int(np.count_nonzero(which))
    return Some(count, sorted(ids[which].tolist())[:SHOWN]) if count else Some()


def exact(values: Values) -> list[float]:
    """A few numbers, mostly two, whose exact sum is that of all values."""
    numbers = values.tolist()
    parts: list[float] = []
    while (rest := total(numbers)) and math.isfinite(rest):
        parts.append(rest)
        numbers.append(-rest)
    return [*parts, rest] if rest else parts


def total(numbers: Iterable[float]) -> float:
    """The sum, rounded once; what plain addition gives where that is no number."""
    numbers = list(numbers)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # beyond the greatest float64, or infinities of both signs
        return sum(numbers)
