"""What some of the queries come to, in a form that adds up and does not grow with their number.

The tallies of parts of the queries, however they were cut and in whatever order they come, merge into one,
bit for bit: all is counts, exact sums and the least few ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any, Literal

from rankmark.aggregation.observed import tied_queries
from rankmark.aggregation.refusals import (
    Fault,
    Heading,
    Id,
    OfTables,
    Some,
    add_faults,
    check_rows,
    faults_from,
    raise_faults,
    some,
)
from rankmark.aggregation.settled import Settled, counting, left_out, settled_alone, settled_as, terms
from rankmark.dataclassing import dataclass
from rankmark.language.choices import Choices
from rankmark.language.conventions.limits import Extent, spanning
from rankmark.language.plan import Group
from rankmark.statistics.exact_sums import exact, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.observed import Block
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = ["MeasureTally", "Tally", "tallied"]


@dataclass(slots=True)
class MeasureTally:
    """What a measure comes to in some of the queries.

    Attributes:
        sums: the sum of the values, or of their logarithms for a geometric mean; for a ratio of sums, the
            numerators' and the denominators'. Each as a few numbers of which it is the exact sum.
        averaged: queries with a value.
        undefined: queries in which nothing is relevant.
        tied: see `MeasureCounts.tied`.
        short: queries that are left out for their few items.

    """

    sums: list[list[float]]
    averaged: int
    undefined: Some
    tied: int | None
    short: int = 0

    def add(self, other: MeasureTally) -> None:
        """Takes in the queries of another part."""
        self.sums = [one + two for one, two in zip(self.sums, other.sums, strict=True)]
        self.averaged += other.averaged
        self.undefined.add(other.undefined)
        self.short += other.short
        self.tied = None if self.tied is None or other.tied is None else self.tied + other.tied

    def settled(self, measure: Measure) -> Settled:
        """What the measure comes to."""
        sums = [total(parts) for parts in self.sums]
        value = settled_as(measure, sums, self.averaged, geometric=measure.mean == "geometric")
        return Settled(value, self.averaged, self.undefined.count, self.short, self.tied, None)


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
        below: in how many lists relevant items stand below the others.
        above: in how many above.
        extents: that of the grades (``qrels``) and that of the scores (``run``), if asked for.
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
    below: int = 0
    above: int = 0
    extents: dict[str, Extent] = field(default_factory=dict)
    seen: dict[str, Id] = field(default_factory=dict)
    measures: dict[str, MeasureTally] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    digests: dict[str, int] = field(default_factory=dict)

    @property
    def order(self) -> tuple[int, int]:
        """As `rankmark.aggregation.state.Seen`."""
        return self.below, self.above

    def add(self, other: Tally) -> None:
        """Takes in the queries of another part."""
        self.qrels_rows += other.qrels_rows
        self.run_rows += other.run_rows
        self.judged += other.judged
        self.missing.add(other.missing)
        self.unjudged.add(other.unjudged)
        self.hits += other.hits
        self.below += other.below
        self.above += other.above
        for side, extent in other.extents.items():
            self.extents[side] = spanning(self.extents.get(side), extent) or extent
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

    @property
    def query_ids(self) -> None:
        """The queries are not here."""
        return

    def settled(self, _number: int, group: Group, _k: int | None) -> dict[Measure, Settled]:
        """What the measures come to, of queries that were counted as the choices say."""
        return {measure: self.measures[str(measure)].settled(measure) for measure in group.measures}

    def undefined(self, measure: Measure, _settled: Settled, _choices: Choices) -> Some:
        """The queries in which nothing is relevant to a measure."""
        return self.measures[str(measure)].undefined

    def check(self) -> None:
        """Refuses rows that cannot be evaluated, and tables without any.

        Raises:
            DataError: there are such.

        """
        check_rows({"qrels": self.qrels_rows, "run": self.run_rows})
        raise_faults(self.faults)

    def words(self, item_ids: Literal["integer", "text"] = "text") -> OfTables:
        """How messages speak of the tables."""
        return OfTables(*(self._heading(side, item_ids) for side in ("qrels", "run")))

    def _heading(self, side: str, item_ids: Literal["integer", "text"]) -> Heading:
        query, item = (self.seen.get(f"{side}.{role}", "") for role in ("query", "item"))
        return Heading(side, query, item, item_ids)

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
        sent["extents"] = {side: Extent(*extent) for side, extent in sent["extents"].items()}
        sent["faults"] = faults_from(sent["faults"])
        return Tally(**sent)


def tallied(
    groups: Sequence[Group], block: Block, ids: NDArray[Any]
) -> tuple[dict[str, MeasureTally], dict[Measure, Settled]]:
    """What the measures come to in a block, and the values of each query.

    Under ``no_relevant="error"`` queries without relevant items are left out and counted.
    """
    tallies: dict[str, MeasureTally] = {}
    settled: dict[Measure, Settled] = {}
    for (choices, group), observed in zip(groups, block.observed, strict=True):
        computed = iter(observed.values)
        for measure in group:
            counted = counting(measure, observed.queries, choices)
            tied = tied_queries(observed, measure, choices)
            each = settled_alone((measure, counted), computed, choices, tied)
            assert each.per_query is not None
            sums = [exact(summands) for summands in terms(measure, each.per_query, each.parts)]
            undefined = Some(each.no_relevant)
            if choices.no_relevant == "error" and each.no_relevant:
                undefined = some(ids, left_out(each.per_query, counted.which))
            tallies[str(measure)] = MeasureTally(sums, each.averaged, undefined, tied, counted.short)
            settled[measure] = each
    return tallies, settled
