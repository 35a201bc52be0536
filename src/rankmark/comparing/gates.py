"""What a gate decided, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from rankmark.comparing.deciding import POWER, By
from rankmark.dataclassing import dataclass
from rankmark.language.written import differing
from rankmark.language.written import written as written_of
from rankmark.rendering.blocks import Block, Cell, Grid, Notes, Section
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, printable
from rankmark.results.saved import Saved
from rankmark.statistics.bounded import LEAST_CHANGED, LEAST_UNITS
from rankmark.statistics.resampling import USUAL

if TYPE_CHECKING:
    from rankmark.aggregation.intervals import Unit

__all__ = ["ROUNDING", "Allowance", "Gate", "GateMover", "LimitGate", "MeasureGate", "Side"]

ROUNDING = 1e-12
"""Drops that differ by less are the same but for rounding."""
Side: TypeAlias = Literal["least", "most"]
BOUNDS: Mapping[By, str] = {
    "gaffke": "Gaffke's one-sided bound",
    "gaffke-seen": "Gaffke's one-sided bound from the worst that was seen",
    "gaffke-blocks": "Gaffke's one-sided bound from the worst of some blocks of queries",
    "seeds": "Gaffke's one-sided bound, widened by how much seeds vary (t),",
    "seeds-seen": "Gaffke's one-sided bound from the worst seen, widened by how much seeds vary (t),",
    "betting": "the one-sided bound by betting, which holds at every number of queries at once,",
    "delong": "DeLong's one-sided bound",
    "bca": "the one-sided BCa bootstrap bound",
    "unseen": "the one-sided bound of pairs as bad as can be that were not seen",
    "exact": "the exact one-sided bound",
    "gaps": "the one-sided bound of the bins' gaps",
    "ranks": "the one-sided bound by the ranks of values",
}
"""How the bounds that decide are called."""


@dataclass(frozen=True, slots=True, repr=False)
class Allowance(Record):
    """The greatest drop that passes.

    Attributes:
        drop: how much, at least 0.
        relative: whether it is a share of the baseline's value, and not in the measure's unit.

    """

    drop: float
    relative: bool

    def __str__(self) -> str:
        return self.written(self.drop)

    def written(self, drop: float) -> str:
        """A drop as text."""
        return f"{100 * drop:.4g}%" if self.relative else f"{drop:.4g}"

    def told(self, drop: float) -> str:
        """The same; of less than none as of what is better, which a minus before a drop hides."""
        return f"{self.written(-drop)} better" if drop < -ROUNDING else self.written(abs(drop))


@dataclass(frozen=True, slots=True, repr=False)
class GateMover(Record):
    """A query and what it changed by.

    Attributes:
        query: which.
        baseline: the baseline's value of it, the mean over seeds.
        candidate: the candidate's.

    """

    query: int | str
    baseline: float
    candidate: float


@dataclass(frozen=True, slots=True, repr=False)
class MeasureGate(Record):
    """What was decided of one measure, by how much it dropped.

    Attributes:
        measure: its name.
        passed: whether the drop that decides is no greater than what is allowed.
        baseline: the baseline's value, of the queries that have one of both.
        candidate: the candidate's.
        drop: how much worse the candidate is, in the unit of what is allowed; below 0 if it is better.
        bound: the greatest drop that the data leave possible with the confidence asked for; None without, and
            where too few units differ for one.
        by: what decided, see `deciding.By`.
        resamples: of the bootstrap; None where none were drawn.
        units: how many queries or rows have a value of both.
        unit: which of the two.
        clusters: how many clusters they are in; None where each stands for itself.
        detectable: the least allowance with which a gate of this confidence (95% where there is none) passes
            four of five candidates that are not worse and differ on as many units; None if unknown.
        needed: how many units it takes to pass four of five such candidates with this allowance; None if
            unknown, or no number of them does, as where seeds vary too much.
        seeds: how many the baseline and the candidate have; None where each has one.
        better: how many queries the candidate is better on; None where there are no values of queries.
        worse: how many it is worse on.
        moved: the ten queries that changed most, the greatest change first.

    """

    measure: str
    passed: bool
    baseline: float
    candidate: float
    drop: float
    bound: float | None
    by: By
    resamples: int | None
    units: int
    unit: Unit
    clusters: int | None
    detectable: float | None
    needed: int | None
    seeds: tuple[int, ...] | None = None
    better: int | None = None
    worse: int | None = None
    moved: tuple[GateMover, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class LimitGate(Record):
    """What was decided of one measure, by the candidate's value alone.

    Attributes:
        measure: its name.
        passed: whether the value that decides is within the limit.
        side: whether the limit is the ``least`` or the ``most`` that passes.
        limit: what passes.
        value: the candidate's value.
        bound: the least value, or the greatest, that the data leave possible with the confidence asked for;
            None without, and where too few units differ for one.
        by: what decided, see `deciding.By`.
        resamples: of the bootstrap; None where none were drawn.
        units: how many queries or rows the value is of.
        unit: which of the two.
        clusters: how many clusters they are in; None where each stands for itself.
        detectable: how far within the limit a true value is that passes four of five gates of this confidence
            (95% where there is none); None if unknown.
        needed: how many units it takes for that if the true value is this one; None if unknown, or no number
            of them does.
        seeds: how many the candidate has; None where it is one.

    """

    measure: str
    passed: bool
    side: Side
    limit: float
    value: float
    bound: float | None
    by: By
    resamples: int | None
    units: int
    unit: Unit
    clusters: int | None
    detectable: float | None
    needed: int | None
    seeds: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Saved, Numbered):
    """Whether a candidate passes, and why; ``print(gate)`` shows it. It is true if it passes.

    Attributes:
        passed: whether it does by every measure.
        measures: what was decided of each measure that may not drop.
        limits: what was decided of each that has a limit.
        allowed: the greatest drop that passes; None without a baseline.
        confidence: of the bounds that decide; None where point estimates do.
        seed: of the bootstrap.
        signatures: of each measure, what decides its value.
        inputs: hashes of the tables of ``baseline`` and ``candidate``, if asked for.
        notes: what happened to the queries or rows.

    """

    passed: bool
    measures: tuple[MeasureGate, ...]
    limits: tuple[LimitGate, ...]
    allowed: Allowance | None
    confidence: float | None
    seed: int
    signatures: Mapping[str, str]
    inputs: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]

    _only: ClassVar = ("table", "json", "markdown", "html")

    def __bool__(self) -> bool:
        """Whether it passes."""
        return self.passed

    def __repr__(self) -> str:
        decided = ", ".join(f"{own.measure} {_verdict(own.passed)}" for own in self._decided)
        return f"<Gate {_verdict(self.passed)}: {decided}>"

    def reason(self, own: MeasureGate | LimitGate) -> str:
        """What was decided of a measure, by which numbers, on one line."""
        decided = self._of_limit(own) if isinstance(own, LimitGate) else self._of_drop(own)
        return f"{'passed' if own.passed else 'failed'}: {decided}; {self._by(own)}"

    @property
    def reasons(self) -> list[str]:
        """What was decided of each measure, in lines."""
        return [self.reason(each) for each in self._decided]

    @property
    def _decided(self) -> tuple[MeasureGate | LimitGate, ...]:
        return (*self.measures, *self.limits)

    def _of_drop(self, own: MeasureGate) -> str:
        assert self.allowed is not None
        written = self.allowed.written
        change = "unchanged"
        if abs(own.drop) > ROUNDING:
            change = f"{'worse' if own.drop > 0 else 'better'} by {written(abs(own.drop))}"
        values = (written_of(own.measure, each, 4) for each in (own.baseline, own.candidate))
        line = f"{own.measure} {' → '.join(values)}, {change}"
        if own.bound is not None:
            bound = written(abs(own.bound))
            limit = f"worse by at most {bound}" if own.bound > 0 else f"better by at least {bound}"
            line += f", with {self._confidence} confidence {limit}"
        short = not own.passed and own.drop <= self.allowed.drop
        return f"{line}; allowed {self.allowed}" + (", which is not shown" if short else "")

    def _of_limit(self, own: LimitGate) -> str:
        line = f"{own.measure} {written_of(own.measure, own.value, 4)}"
        if own.bound is not None:
            line += f", with {self._confidence} confidence at {own.side} {own.bound:.4f}"
        return f"{line}; wanted at {own.side} {own.limit:.6g}"

    @property
    def _confidence(self) -> str:
        return f"{100 * (self.confidence or USUAL['confidence']):.4g}%"

    def _by(self, own: MeasureGate | LimitGate) -> str:
        over = _units(own)
        if own.by == "point":
            return f"decided by the point estimate on {over}"
        if own.by == "few":
            if (own.clusters or own.units) < LEAST_UNITS:
                verb = "is" if own.units == 1 else "are"
                return f"{over} {verb} too few for a bound, which takes {LEAST_UNITS}"
            differ = "from the baseline" if isinstance(own, MeasureGate) else "from the others"
            return f"fewer than {LEAST_CHANGED} of {over} differ {differ}, too few for a bound"
        if own.by == "none":
            return "chance adds to it, and no bound of it is known; decide of it without a confidence"
        drawn = "" if own.resamples is None else f" ({own.resamples:,} resamples, seed {self.seed})"
        return f"decided by {BOUNDS[own.by]} on {over}{drawn}"

    def _can_show(self, own: MeasureGate | LimitGate) -> str | None:
        """What the data can show and what that takes, in words; None where it is not known."""
        if own.detectable is None:
            return None
        could = "can" if self.confidence else "could"
        line = f"{own.measure}: with {self._confidence} confidence {_units(own)} {could} show "
        if isinstance(own, MeasureGate):
            assert self.allowed is not None
            shown = f"that an equal candidate is worse by at most {self.allowed.written(own.detectable)}"
            needed = f"{self.allowed} takes"
        else:
            shown = f"a value that keeps the limit by {own.detectable:.4g}"
            needed = "this one takes"
        more = "" if own.needed is None else f"; {needed} about {own.needed:,}"
        return f"{line}{shown} (power {100 * POWER:g}%){more}"

    def _blocks(self, _: int) -> Iterator[Block]:
        shown = (self._can_show(each) for each in self._decided)
        yield Notes([*self.reasons, *filter(None, shown), *self.notes], wrapped=False)

    def _page(self, digits: int, **_: Any) -> Iterator[Block]:
        yield Section(_verdict(self.passed), self.reasons, self._grid(digits))
        if changed := [own for own in self.measures if own.moved]:
            yield Section("Queries that changed most", list(map(_changed, changed)), _movers(changed, digits))
        shown = (self._can_show(each) for each in self._decided)
        yield Notes([*filter(None, shown), *self.notes])

    def _grid(self, digits: int) -> Grid:
        """A row a condition."""
        bound = [] if self.confidence is None else [f"{self._confidence} bound"]
        rows = [["measure", "baseline", "candidate", "drop", *bound, "allowed", "verdict"]]
        for own in self._decided:
            verdict = _verdict(own.passed)
            if isinstance(own, LimitGate):
                cells = ["", written_of(own.measure, own.value, digits), ""]
                limit, allowed = own.bound, f"at {own.side} {own.limit:.6g}"
                cells += [] if self.confidence is None else ["" if limit is None else f"{limit:.{digits}f}"]
            else:
                assert self.allowed is not None
                values = (own.baseline, own.candidate)
                cells = [*(written_of(own.measure, each, digits) for each in values)]
                cells.append(self.allowed.told(own.drop))
                allowed = str(self.allowed)
                if self.confidence is not None:
                    cells.append("" if own.bound is None else self.allowed.told(own.bound))
            rows.append([printable(own.measure), *cells, allowed, verdict])
        return Grid(1, rows, "What was decided")

    def _numbers(self) -> Mapping[Parts, float]:
        numbers: dict[Parts, float | None] = {("passed",): self.passed}
        for own in self.measures:
            for figure in ("baseline", "candidate", "drop", "bound", "passed"):
                numbers[own.measure, figure] = getattr(own, figure)
        for limit in self.limits:
            numbers[limit.measure, "candidate"] = limit.value
            for figure in ("limit", "bound", "passed"):
                numbers[limit.measure, "at", limit.side, figure] = getattr(limit, figure)
        return {parts: number for parts, number in numbers.items() if number is not None}

    def _record(self) -> dict[str, Any]:
        record = asdict(self)
        return record | {"max_drop": record.pop("allowed"), "reasons": self.reasons}


def _verdict(passed: bool) -> str:
    return Cell("passed", "good") if passed else Cell("failed", "bad")


def _changed(own: MeasureGate) -> str:
    """On how many queries the candidate is worse and better, in words."""
    assert own.better is not None
    assert own.worse is not None
    queries = counted(own.units, "query", "queries")
    same = own.units - own.worse - own.better
    return f"{own.measure}: of {queries} {own.worse:,} worse, {own.better:,} better, {same:,} unchanged"


def _movers(measures: Iterable[MeasureGate], digits: int) -> Grid:
    """A row a query."""
    rows = [["measure", "query", "baseline", "candidate", "change"]]
    for own in measures:
        for each in own.moved:
            values = [written_of(own.measure, value, digits) for value in (each.baseline, each.candidate)]
            change = differing(own.measure, each.candidate - each.baseline, digits)
            rows.append([printable(own.measure), printable(str(each.query)), *values, change])
    return Grid(2, rows)


def _units(own: MeasureGate | LimitGate) -> str:
    """How many units there are, in words."""
    clusters = "" if own.clusters is None else f" in {own.clusters:,} clusters"
    seeds = "" if own.seeds is None else f" and {' and '.join(map(str, own.seeds))} seeds"
    unit = {"queries": "query", "rows": "row"}[own.unit] if own.units == 1 else own.unit
    return f"{own.units:,} {unit}{clusters}{seeds}"
