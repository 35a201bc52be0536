"""What systems are worth by labels of people on some queries and of a judge on all, as it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.errors import NotEvaluatedError
from rankmark.language.names import parse
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.drawn import Column, ranges
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, printable, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.intervals import Interval

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.measure import Measure

__all__ = ["JudgeEvaluation", "JudgedValue"]


@dataclass(frozen=True, slots=True, repr=False)
class JudgedValue(Record):
    """A system's value, or the difference of two, by labels of people and of a judge.

    Attributes:
        measure: what was measured.
        system: the system.
        baseline: of a difference, the system whose value is taken away; None of a value.
        by: of a slice, what it is by; None of all queries.
        slice: its value; None of queries that have none.
        labelled: how many queries have labels of people.
        queries: how many there are, by the judge's labels.
        value: the estimate by both; NaN where no query is labelled.
        low: the lower end of its confidence interval; NaN where fewer than two are.
        high: the upper end.
        p: of a difference, the chance of one as far from 0 if there is none; None of a value.
        corrected: the same, corrected for all differences of the evaluation.
        human: the value by the labels of people alone, on the queries that have such.
        human_low: the lower end of its interval, made in the same way.
        human_high: the upper end.
        judge: the value by the judge's labels alone, on all queries.
        bias: how much higher the judge is than people, in the units of the measure, by the queries that both
            labelled; each stratum counts by how many queries it has.
        bias_low: the lower end of its interval; NaN where nothing says how far off other queries can be.
        bias_high: the upper end.
        power: λ, how much the judge counts; a difference has its own, so that it is not quite that of values.
        effective: how many queries labelled by people alone would say as much.
        caution: which of `rankmark.statistics.CAUTIONS` speaks against the interval; empty if none.

    """

    measure: str
    system: str
    baseline: str | None
    by: str | None
    slice: str | None
    labelled: int
    queries: int
    value: float
    low: float
    high: float
    p: float | None
    corrected: float | None
    human: float
    human_low: float
    human_high: float
    judge: float
    bias: float
    bias_low: float
    bias_high: float
    power: float
    effective: float
    caution: str = ""

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return Interval(self.low, self.high)

    @property
    def name(self) -> str:
        """The system, or both."""
        return self.system if self.baseline is None else f"{self.system} − {self.baseline}"


class JudgeEvaluation(Saved, Numbered):
    """What systems are worth by labels of people on some queries and of a judge on all; ``print`` shows it.

    ``evaluation["nDCG@10"]`` is the estimate of a single system; of several take `of`.

    Attributes:
        values: of each system, each measure.
        differences: of each system from those that it is compared with, each measure.
        slices: the values of each system in slices of the queries.
        confidence: of the intervals, 0 to 1.
        labelled: how many queries have labels of people.
        queries: how many there are.
        signatures: of each measure, all that decides its value but the tables.
        notes: what a reader should know.

    """

    def __init__(
        self,
        *,
        values: tuple[JudgedValue, ...],
        differences: tuple[JudgedValue, ...] = (),
        slices: tuple[JudgedValue, ...] = (),
        confidence: float,
        labelled: int,
        queries: int,
        signatures: Mapping[str, str],
        notes: tuple[str, ...] = (),
    ) -> None:
        self.values = values
        self.differences = differences
        self.slices = slices
        self.confidence = confidence
        self.labelled = labelled
        self.queries = queries
        self.signatures = dict(signatures)
        self.notes = notes

    def _kept(self) -> dict[str, Any]:
        return dict(vars(self))

    def of(self, measure: str | Measure, system: str | None = None) -> JudgedValue:
        """The value of a system by a measure; of the only one if none is named.

        Raises:
            NotEvaluatedError: it was not evaluated, or there are several.

        """
        labels = {each.measure for each in self.values}
        asked = str(measure) if str(measure) in labels else str(parse(str(measure)))
        found = [each for each in self.values if each.measure == asked and system in (None, each.system)]
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(each.system for each in found)
            raise NotEvaluatedError(f"{measure} was evaluated of {several}: say of which")
        known = ", ".join(dict.fromkeys(f"{each.measure} of {each.system}" for each in self.values))
        which = str(measure) if system is None else f"{measure} of {system}"
        raise NotEvaluatedError(f"{which} was not evaluated; here are {known}")

    def __getitem__(self, measure: str | Measure) -> float:
        return self.of(measure).value

    def signature(self, measure: str | Measure) -> str:
        """Everything that decides the value of a measure, on one line, to be quoted beside it."""
        return self.signatures[self.of(measure, self.values[0].system).measure]

    @property
    def table(self) -> pl.DataFrame:
        """A row a value, difference and slice, with the columns of `JudgedValue`."""
        import polars as pl

        kinds = {"int": pl.Int64, "float": pl.Float64, "float | None": pl.Float64}
        types = {each.name: kinds.get(str(each.type), pl.String) for each in fields(JudgedValue)}
        rows = (*self.values, *self.differences, *self.slices)
        columns = {name: [getattr(row, name) for row in rows] for name in types}
        return pl.DataFrame(columns, schema=types).fill_nan(None)

    def _numbers(self) -> Mapping[Parts, float]:
        return {
            (*_told(row), figure): number
            for row in (*self.values, *self.differences)
            for figure, number in {
                "": row.value,
                "low": row.low,
                "high": row.high,
                "human": row.human,
                "judge": row.judge,
            }.items()
        }

    def __repr__(self) -> str:
        systems = len(dict.fromkeys(each.system for each in self.values))
        return (
            f"<JudgeEvaluation of {counted(systems, 'system')}: {self.labelled:,} of "
            f"{counted(self.queries, 'query', 'queries')} with labels of people>"
        )

    def _blocks(self, digits: int) -> Iterator[Block]:
        yield from self._grids(self.values, digits, "By labels of people and of the judge")
        if self.differences:
            yield from self._grids(self.differences, digits, "Differences")
        for by in dict.fromkeys(row.by for row in self.slices):
            rows = [row for row in self.slices if row.by == by]
            yield from self._grids(rows, digits, f"Slices by {printable(by or '')}")
        yield Notes(self.account(), closing=True)

    def _grids(self, rows: Sequence[JudgedValue], digits: int, title: str) -> Iterator[Grid]:
        """Rows of one kind as tables: by both labels, and by each alone."""
        width = f"{100 * self.confidence:g}% interval"
        first = rows[0]
        named = ["system", "measure", *(["slice"] if first.by is not None else [])]
        labelled = ["labelled"] if first.by is not None else []
        p = ["p"] if first.baseline is not None else []
        both = [*named, *labelled, "value", width, *p, "worth", "lambda"]
        cells = [self._both(row, digits) for row in rows]
        yield Grid(len(named), [both, *cells], title, partial(_drawn, rows))
        alone = [*named, "people alone", width, "judge alone", "judge's bias", width]
        yield Grid(len(named), [alone, *(self._alone(row, digits) for row in rows)], f"{title}: each alone")

    def _both(self, row: JudgedValue, digits: int) -> list[str]:
        """A row by both labels."""
        labelled = [] if row.by is None else [f"{row.labelled:,}"]
        p = [] if row.corrected is None else [chance(row.corrected, digits)]
        worth = "" if math.isnan(row.effective) else f"{row.effective:,.0f}"
        value = [_number(row.value, digits), _ends(row.low, row.high, digits)]
        return [*_named(row), *labelled, *value, *p, worth, _number(row.power, digits)]

    def _alone(self, row: JudgedValue, digits: int) -> list[str]:
        """A row by the labels of people and by those of the judge."""
        human = [_number(row.human, digits), _ends(row.human_low, row.human_high, digits)]
        bias = [_number(row.bias, digits), _ends(row.bias_low, row.bias_high, digits)]
        return [*_named(row), *human, _number(row.judge, digits), *bias]

    def account(self) -> list[str]:
        """What the figures are, and what speaks against them."""
        powers = [each.power for each in (*self.values, *self.differences)]
        tuned = any(not math.isclose(each, powers[0]) for each in powers)
        labelled = f"{self.labelled:,} of {counted(self.queries, 'query', 'queries')}"
        lines = [
            f"labels of people: {labelled}; of the judge: all",
            "value: by both (prediction-powered), right on average however wrong the judge is",
            "worth: as many queries labelled by people alone would say as much",
            f"lambda: how much the judge counts, 0 not at all{', of each row as is best' if tuned else ''}",
            "judge's bias: its value less that of people, in the units of the measure",
            *self._trust(),
        ]
        if self.differences and tuned:
            lines.append("differences have a lambda of their own, and so are not quite those of the values")
        if self.differences:
            tests = counted(len(self.differences), "test")
            lines.append(f"p: of a difference as far from 0 if there is none, corrected for {tests} (Holm)")
        return [*lines, *self.notes]

    def _trust(self) -> Iterator[str]:
        """Whether the judge can stand alone, and whether it helps beside people."""
        known = [each for each in (*self.values, *self.differences) if not math.isnan(each.bias_low)]
        if not known:
            return
        several = f"{len(known)} values"
        if biased := [each for each in known if each.bias_low > 0 or each.bias_high < 0]:
            first = max(biased, key=lambda each: abs(each.bias))
            yield (
                f"the judge alone is not to be trusted: {len(biased)} of {several} have a bias whose "
                f"interval leaves out 0, as {first.measure} of {printable(first.name)}"
            )
        else:
            first = max(known, key=lambda each: max(-each.bias_low, each.bias_high))
            reach = max(-first.bias_low, first.bias_high)
            yield (
                f"the judge alone: no bias was found in {counted(len(known), 'value')}, but one of "
                f"{reach:.2g} may be there, as of {first.measure} of {printable(first.name)}"
            )
        if useless := [each for each in known if each.effective <= each.labelled]:
            yield (
                f"beside people the judge adds nothing to {len(useless)} of {several}, as to "
                f"{useless[0].measure} of {printable(useless[0].name)}: worth no more than are labelled"
            )

    def _frame(self) -> pl.DataFrame:
        return self.table

    def _record(self) -> dict[str, Any]:
        return {
            "labelled": self.labelled,
            "queries": self.queries,
            "confidence": self.confidence,
            "values": list(map(asdict, self.values)),
            "differences": list(map(asdict, self.differences)),
            "slices": list(map(asdict, self.slices)),
            "signatures": self.signatures,
            "notes": list(self.notes),
        }


def _told(row: JudgedValue) -> Parts:
    """Of what a number is."""
    return (row.system, row.measure) if row.baseline is None else (row.system, row.baseline, row.measure)


def _number(value: float, digits: int) -> str:
    return "" if math.isnan(value) else rounded(value, f".{digits}f")


def _ends(low: float, high: float, digits: int) -> str:
    return "" if math.isnan(low) else f"{_number(low, digits)} … {_number(high, digits)}"


def _named(row: JudgedValue) -> list[str]:
    """The first cells of a row."""
    sliced = [] if row.by is None else [printable(row.slice or "(none)")]
    return [printable(row.name), row.measure, *sliced]


def _drawn(rows: Sequence[JudgedValue]) -> Column | None:
    """The intervals beside values of one measure, which have one scale."""
    if len({row.measure for row in rows}) > 1:
        return None
    return ranges("interval", ((row.low, row.value, row.high) for row in rows), behind="value")
