"""How far a judge's labels agree with those of people, as it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, printable, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "GradeAgreement",
    "LabelAgreement",
    "LabelCoefficient",
    "LabelSlice",
    "OrderAgreement",
    "PairAgreement",
    "SystemBias",
]


@dataclass(frozen=True, slots=True, repr=False)
class LabelCoefficient(Record):
    """A coefficient of agreement; see the functions of `rankmark.statistics` for what each is.

    Attributes:
        coefficient: its name.
        value: 1 if judge and people always agree.
        low: the lower end of its interval, by leaving out each query.
        high: the upper end.
        caution: which of `rankmark.statistics.CAUTIONS` speaks against the interval; empty if none.

    """

    coefficient: str
    value: float
    low: float
    high: float
    caution: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class GradeAgreement(Record):
    """What the judge makes of a grade.

    Attributes:
        grade: it.
        people: how many items people gave it.
        judge: how many the judge gave it.
        both: how many both.
        recall: of the items that people gave it the share to which the judge gives it, too.
        precision: of those that the judge gave it the share to which people give it, too.
        bias: how much higher than this grade the judge's is, on average, where people gave it.
        low: the lower end of its interval, queries being clusters of items.
        high: the upper end.

    """

    grade: float
    people: int
    judge: int
    both: int
    recall: float
    precision: float
    bias: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class LabelSlice(Record):
    """How judge and people agree in a slice of the queries.

    Attributes:
        by: what it is by.
        slice: its value; None of queries that have none.
        queries: how many there are.
        items: how many items both labelled.
        bias: how much higher than people the judge is, on average.
        low: the lower end of its interval.
        high: the upper end.
        kappa: weighted kappa with quadratic costs.
        kappa_low: the lower end of its interval.
        kappa_high: the upper end.

    """

    by: str
    slice: str | None
    queries: int
    items: int
    bias: float
    low: float
    high: float
    kappa: float
    kappa_low: float
    kappa_high: float


@dataclass(frozen=True, slots=True, repr=False)
class SystemBias(Record):
    """How much higher than people the judge grades what a system finds.

    Attributes:
        system: its name.
        items: how many of its first items both labelled.
        bias: how much higher the judge is, on average.
        low: the lower end of its interval.
        high: the upper end.
        beyond: by how much that is more than for the first items of all systems.
        beyond_low: the lower end of its interval.
        beyond_high: the upper end.
        p: the chance of one as far from 0 if there is none.
        corrected: the same, corrected for all systems (Holm).

    """

    system: str
    items: int
    bias: float
    low: float
    high: float
    beyond: float
    beyond_low: float
    beyond_high: float
    p: float
    corrected: float


@dataclass(frozen=True, slots=True, repr=False)
class OrderAgreement(Record):
    """How far the judge orders systems as people do, on the queries that both labelled.

    Attributes:
        measure: by which.
        tau: Kendall's τ of both orders.
        tau_low: the lower end of its interval, by the percentile bootstrap over queries; NaN, as all such
            ends, of fewer than three pairs.
        tau_high: the upper end.
        tau_ap: AP correlation, people's order being the reference.
        tau_ap_low: the lower end of its interval.
        tau_ap_high: the upper end.
        swaps: how many pairs of systems stand the other way round.
        swaps_low: the lower end of its interval.
        swaps_high: the upper end.
        pairs: how many pairs there are.

    """

    measure: str
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_ap_low: float
    tau_ap_high: float
    swaps: int
    swaps_low: float
    swaps_high: float
    pairs: int


@dataclass(frozen=True, slots=True, repr=False)
class PairAgreement(Record):
    """What two systems differ by, by labels of people and of the judge on the same queries.

    Attributes:
        measure: by which.
        system: one of them.
        baseline: the other, whose value is taken away.
        people: the difference by labels of people.
        low: the lower end of its interval (Student's t).
        high: the upper end.
        judge: the difference by the judge's labels.
        judge_low: the lower end of its interval.
        judge_high: the upper end.

    """

    measure: str
    system: str
    baseline: str
    people: float
    low: float
    high: float
    judge: float
    judge_low: float
    judge_high: float

    @property
    def verdict(self) -> str:
        """What the judge makes of what people say.

        ``same`` side of 0, or ``swapped``; ``wrong`` where swapped and both intervals leave out 0.
        """
        if self.people * self.judge >= 0:
            return "same"
        decided = [low > 0 or high < 0 for low, high in self._ends()]
        return "wrong" if all(decided) else "swapped"

    def _ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return (self.low, self.high), (self.judge_low, self.judge_high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelAgreement(Saved, Numbered):
    """How far a judge's labels agree with those of people; ``print`` shows it.

    ``agreement["kappa"]`` is a coefficient.

    Attributes:
        queries: how many queries have items that both labelled.
        items: how many these are.
        confidence: of the intervals, 0 to 1.
        coefficients: how far both agree.
        grades: what the judge makes of each grade.
        confusion: how often two grades come together: ``people``, ``judge``, ``items``, and ``share``, of
            the items that people gave this grade.
        slices: how they agree in slices of the queries.
        systems: how much higher than people the judge grades what each system finds.
        orders: how far it orders systems as people do, by each measure.
        pairs: the same of every two systems.
        depth: how many items of each list `systems` is of.
        signatures: of each measure of `orders`.
        notes: what a reader should know.

    """

    queries: int
    items: int
    confidence: float
    coefficients: tuple[LabelCoefficient, ...]
    grades: tuple[GradeAgreement, ...]
    confusion: pl.DataFrame
    slices: tuple[LabelSlice, ...]
    systems: tuple[SystemBias, ...]
    orders: tuple[OrderAgreement, ...]
    pairs: tuple[PairAgreement, ...]
    depth: int
    signatures: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        queries = counted(self.queries, "query", "queries")
        return f"<LabelAgreement of {counted(self.items, 'item')} in {queries}>"

    def __getitem__(self, coefficient: str) -> float:
        return {each.coefficient: each.value for each in self.coefficients}[coefficient]

    def _numbers(self) -> Mapping[Parts, float]:
        own = {(each.coefficient,): each for each in self.coefficients}
        return {
            (*name, figure): number
            for name, each in own.items()
            for figure, number in {"": each.value, "low": each.low, "high": each.high}.items()
        }

    def _blocks(self, digits: int) -> Iterator[Block]:
        show = _Showing(digits)
        width = f"{100 * self.confidence:g}% interval"
        rows = [
            [each.coefficient, show(each.value), show.ends(each.low, each.high)] for each in self.coefficients
        ]
        yield Grid(1, [["agreement", "value", width], *rows], "People and judge")
        yield self._confused(show)
        header = ["grade", "people", "judge", "recall", "precision", "judge's bias", width]
        yield Grid(1, [header, *(self._graded(each, show) for each in self.grades)], "Grades")
        for by in dict.fromkeys(each.by for each in self.slices):
            header = ["slice", "queries", "items", "judge's bias", width, "quadratic kappa", width]
            own = [self._sliced(each, show) for each in self.slices if each.by == by]
            yield Grid(1, [header, *own], f"Slices by {printable(by)}")
        if self.systems:
            header = ["system", "items", "judge's bias", width, "beyond all systems'", width, "p"]
            rows = [self._biased(each, show) for each in self.systems]
            yield Grid(1, [header, *rows], f"The first {counted(self.depth, 'item')} of each list")
        if self.orders:
            header = ["measure", "tau", width, "tau_ap", width, "swaps", width, "pairs"]
            yield Grid(1, [header, *(self._ordered(each, show) for each in self.orders)], "Order of systems")
        if swapped := [each for each in self.pairs if each.verdict != "same"]:
            header = ["swapped", "measure", "by people", width, "by the judge", width, ""]
            yield Grid(2, [header, *(self._paired(each, show) for each in swapped)], "Swapped systems")
        yield Notes(self.account(), closing=True)

    def _confused(self, show: _Showing) -> Grid:
        """The confusion matrix, shares of people's grades."""
        judged = sorted({float(each) for each in self.confusion["judge"]})
        cells = {(row["people"], row["judge"]): row for row in self.confusion.to_dicts()}
        rows = [
            [
                f"{grade:g}",
                *(show(cells[grade, other]["share"]) if (grade, other) in cells else "" for other in judged),
            ]
            for grade in sorted({float(each) for each in self.confusion["people"]})
        ]
        return Grid(
            1, [["people \\ judge", *(f"{each:g}" for each in judged)], *rows], "Shares of people's grades"
        )

    def _graded(self, each: GradeAgreement, show: _Showing) -> list[str]:
        shares = [show(each.recall), show(each.precision), show(each.bias), show.ends(each.low, each.high)]
        return [f"{each.grade:g}", f"{each.people:,}", f"{each.judge:,}", *shares]

    def _sliced(self, each: LabelSlice, show: _Showing) -> list[str]:
        counts = [f"{each.queries:,}", f"{each.items:,}"]
        bias = [show(each.bias), show.ends(each.low, each.high)]
        kappa = [show(each.kappa), show.ends(each.kappa_low, each.kappa_high)]
        return [printable(each.slice or "(none)"), *counts, *bias, *kappa]

    def _biased(self, each: SystemBias, show: _Showing) -> list[str]:
        bias = [show(each.bias), show.ends(each.low, each.high)]
        beyond = [show(each.beyond), show.ends(each.beyond_low, each.beyond_high)]
        p = "" if math.isnan(each.corrected) else chance(each.corrected, show.digits)
        return [printable(each.system), f"{each.items:,}", *bias, *beyond, p]

    def _ordered(self, each: OrderAgreement, show: _Showing) -> list[str]:
        tau = [show(each.tau), show.ends(each.tau_low, each.tau_high)]
        top = [show(each.tau_ap), show.ends(each.tau_ap_low, each.tau_ap_high)]
        ends = "" if math.isnan(each.swaps_low) else f"{each.swaps_low:g} … {each.swaps_high:g}"
        return [each.measure, *tau, *top, f"{each.swaps:,}", ends, f"{each.pairs:,}"]

    def _paired(self, each: PairAgreement, show: _Showing) -> list[str]:
        people = [show(each.people), show.ends(each.low, each.high)]
        judge = [show(each.judge), show.ends(each.judge_low, each.judge_high)]
        return [printable(f"{each.system} − {each.baseline}"), each.measure, *people, *judge, each.verdict]

    def account(self) -> list[str]:
        """What the figures are, and what speaks against them."""
        queries = counted(self.queries, "query", "queries")
        lines = [f"{counted(self.items, 'item')} in {queries} with labels of people and of the judge"]
        lines.append("intervals: by leaving out each query, whose items depend on each other")
        lines.append("judge's bias: its grade less that of people, on average")
        if self.systems:
            lines.append(
                f"p: of a bias beyond that of all systems' items, corrected for {len(self.systems)} (Holm)"
            )
        if self.orders:
            few = all(math.isnan(each.swaps_low) for each in self.orders)
            how = "none of so few pairs of systems" if few else "percentile bootstrap over queries"
            lines.append(f"intervals of tau, tau_ap and swaps: {how}")
        if any(each.verdict == "wrong" for each in self.pairs):
            lines.append("wrong: people and judge say the opposite, and either's interval leaves out 0")
        return [*lines, *self.notes]

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(list(map(asdict, self.coefficients))).fill_nan(None)

    def _record(self) -> dict[str, Any]:
        parts = ("coefficients", "grades", "slices", "systems", "orders")
        return {
            "queries": self.queries,
            "items": self.items,
            "confidence": self.confidence,
            **{name: list(map(asdict, getattr(self, name))) for name in parts},
            "pairs": [asdict(each) | {"verdict": each.verdict} for each in self.pairs],
            "confusion": self.confusion.to_dicts(),
            "depth": self.depth,
            "signatures": dict(self.signatures),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class _Showing:
    """Numbers with so many digits."""

    digits: int

    def __call__(self, value: float) -> str:
        return "" if math.isnan(value) else rounded(value, f".{self.digits}f")

    def ends(self, low: float, high: float) -> str:
        """Those of an interval."""
        return "" if math.isnan(low) else f"{self(low)} … {self(high)}"
