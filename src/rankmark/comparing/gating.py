"""A gate for continuous integration: a candidate passes unless it is worse than the baseline by too much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from rankmark.aggregation.terms import Terms, resampled_values
from rankmark.comparing.pairs import direction
from rankmark.errors import ChoiceError, DataError, MeasureError
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.measure import Measure
from rankmark.rendering.blocks import Block, Notes
from rankmark.rendering.shown import Shown
from rankmark.statistics.intervals import bca_interval, left_out_means
from rankmark.statistics.resampling import Floats, check_drawn

if TYPE_CHECKING:
    from rankmark.results.base import Result

__all__ = ["Allowance", "Gate", "MeasureGate", "gate"]

ROUNDING = 1e-12
"""Drops that differ by less are the same but for rounding."""


@dataclass(frozen=True, slots=True)
class Allowance:
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


@dataclass(frozen=True, slots=True)
class MeasureGate:
    """What was decided of one measure.

    Attributes:
        measure: its name.
        passed: whether the drop that decides is no greater than what is allowed.
        baseline: the baseline's value, of the queries that have one of both.
        candidate: the candidate's.
        drop: how much worse the candidate is, in the unit of what is allowed; below 0 if it is better.
        bound: the greatest drop that the data leave possible with the confidence asked for; None without.
        queries: how many have a value of both.

    """

    measure: str
    passed: bool
    baseline: float
    candidate: float
    drop: float
    bound: float | None
    queries: int


@dataclass(frozen=True, slots=True)
class Gate(Shown):
    """Whether a candidate passes, and why; ``print(gate)`` shows it.

    Attributes:
        passed: whether it does by every measure.
        measures: what was decided of each.
        allowed: the greatest drop that passes.
        confidence: of the bound that decides; None where the point estimate does.
        resamples: of the bootstrap.
        seed: of the bootstrap.
        notes: what happened to the queries of both runs.

    """

    passed: bool
    measures: tuple[MeasureGate, ...]
    allowed: Allowance
    confidence: float | None
    resamples: int
    seed: int
    notes: tuple[str, ...]

    _only: ClassVar = ("table", "json")

    def __bool__(self) -> bool:
        """Whether it passes."""
        return self.passed

    def reason(self, own: MeasureGate) -> str:
        """What was decided of a measure, by which numbers, on one line."""
        written = self.allowed.written
        verdict = "passed" if own.passed else "failed"
        change = "unchanged"
        if abs(own.drop) > ROUNDING:
            change = f"{'worse' if own.drop > 0 else 'better'} by {written(abs(own.drop))}"
        line = f"{verdict}: {own.measure} {own.baseline:.4f} → {own.candidate:.4f}, {change}"
        if own.bound is None:
            return f"{line}; allowed {self.allowed}; decided by the point estimate on {own.queries:,} queries"
        bound = written(abs(own.bound))
        limit = f"worse by at most {bound}" if own.bound > 0 else f"better by at least {bound}"
        return (
            f"{line}, with {100 * (self.confidence or 0):.4g}% confidence {limit}; allowed {self.allowed}; "
            f"decided by the one-sided BCa bootstrap bound on {own.queries:,} queries "
            f"({self.resamples:,} resamples, seed {self.seed})"
        )

    def _blocks(self, _: int) -> Iterator[Block]:
        yield Notes([*map(self.reason, self.measures), *self.notes], wrapped=False)

    def _record(self) -> dict[str, Any]:
        record = asdict(self)
        return record | {"max_drop": record.pop("allowed"), "reasons": list(map(self.reason, self.measures))}


def gate(
    qrels: Any,
    baseline: Any,
    candidate: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    max_drop: float | str,
    like: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[UnseededChoices],
) -> Gate:
    """Says whether a candidate is worse than a baseline by no more than is allowed.

    With values b and c of the queries that have one of both, the drop is b − c, or (b − c) / b if `max_drop`
    is relative; of a measure of which less is better, its negative. Without `confidence` it passes if the
    drop is at most `max_drop`; with it if the one-sided upper confidence bound of the drop (BCa bootstrap
    over queries) is: non-inferiority, shown and not just not disproved. A gate is true if it passes.

    Args:
        qrels: the judgements, as for `evaluate`.
        baseline: the results of the system that there is.
        candidate: the results of the one that may take its place.
        measures: as for `evaluate`; it must pass by all.
        max_drop: a number in the measure's unit (0.005), or a share of the baseline's value as text
            (``"0.5%"``).
        like: a convention, as for `evaluate`.
        confidence: above 0.5 and below 1, such as 0.95.
        resamples: of the bootstrap.
        seed: of the bootstrap and of ``ties="random"``.
        columns: as for `evaluate`.
        threads: how many to use; all cores if None.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Raises:
        UsageError: a measure of which neither more nor less is better, an argument that is none of its
            values, or a `max_drop` that no candidate can exceed.
        DataError: a table that cannot be evaluated, or no queries to decide by.

    Example:
        >>> import rankmark as rm
        >>> qrels, before = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": ["b"]}
        >>> after = {"q1": ["a"], "q2": ["x", "b"]}
        >>> decided = rm.gate(qrels, before, after, "RR", max_drop="5%")
        >>> decided.passed
        False
        >>> print(decided.reason(decided.measures[0]))
        failed: RR 1.0000 → 0.7500, worse by 25%; allowed 5%; decided by the point estimate on 2 queries

    """
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs import read_qrels

    allowed = _allowance(max_drop)
    check_drawn(resamples, seed, threads)
    _check_confidence(confidence)
    judged = read_qrels(qrels, columns)
    chosen = given(choices, UnseededChoices, gate)
    chosen |= {"like": like, "seed": seed, "columns": columns, "threads": threads}
    old, new = (evaluate(judged, run, measures, **chosen) for run in (baseline, candidate))
    draws = {"resamples": resamples, "seed": seed, "threads": threads}
    decided = tuple(_decided(old, new, measure, allowed, confidence, draws) for measure in old.measures)
    notes = (
        f"{name}: {line}"
        for name, result in (("baseline", old), ("candidate", new))
        for line in result.account()[:1]
    )
    passed = all(each.passed for each in decided)
    return Gate(passed, decided, allowed, confidence, resamples, seed, tuple(notes))


def _allowance(written: float | str) -> Allowance:
    text = str(written).strip()
    try:
        drop = float(text.removesuffix("%"))
    except ValueError:
        drop = math.nan
    if isinstance(written, bool) or not 0 <= drop < math.inf:
        raise ChoiceError(
            f'max_drop={written!r} is neither a number from 0, such as 0.005, nor a share, such as "0.5%"'
        )
    return Allowance(drop / 100, relative=True) if text.endswith("%") else Allowance(drop, relative=False)


def _check_confidence(confidence: float | None) -> None:
    if confidence is not None and not (isinstance(confidence, int | float) and 0.5 < confidence < 1):
        raise ChoiceError(f"confidence={confidence!r} is not a number above 0.5 and below 1, such as 0.95")


def _decided(
    old: Result,
    new: Result,
    measure: Measure,
    allowed: Allowance,
    confidence: float | None,
    draws: Mapping[str, Any],
) -> MeasureGate:
    if measure.page.better == "neither":
        raise MeasureError(f"{measure}: neither more nor less of it is better, so that nothing is a drop")
    both = [result.query_terms(measure) for result in (old, new)]
    there = both[0].there & both[1].there
    queries = int(np.count_nonzero(there))
    terms = [each.at(there) for each in both]
    if any(np.isinf(each.above).any() for each in terms):
        raise DataError(f"{measure} is infinite for some queries: they have no mean")
    if queries < (1 if confidence is None else 2):
        raise DataError(f"{measure}: {queries} queries have a value of both runs; that decides nothing")
    baseline, candidate = (each.value() for each in terms)
    if allowed.relative and not baseline:
        raise DataError(
            f"{measure} of the baseline is 0: no share of it is a drop; give max_drop as a number"
        )
    _check_can_fail(measure, baseline, allowed)

    def drop(before: Floats, after: Floats) -> Floats:
        """How much worse, of values of the one and of the other."""
        lost = direction(measure) * (before - after)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(lost / np.abs(before) if allowed.relative else lost)

    estimate = float(drop(np.array(baseline), np.array(candidate)))
    bound = None if confidence is None else _bound(terms, drop, estimate, confidence, draws)
    deciding = estimate if bound is None else bound
    passed = deciding <= allowed.drop + ROUNDING
    return MeasureGate(measure.label, passed, baseline, candidate, estimate, bound, queries)


def _check_can_fail(measure: Measure, baseline: float, allowed: Allowance) -> None:
    """Refuses to allow whatever a candidate can lose, to the end of the measure's range."""
    low, high = measure.page.bounds
    worst = high if measure.page.better == "less" else low
    if worst is None:
        return
    most = abs(baseline - worst) / (abs(baseline) if allowed.relative else 1)
    if not 0 < most <= allowed.drop:
        return
    share = f'; did you mean "{allowed.drop:g}%"?' if not allowed.relative and allowed.drop >= 1 else ""
    raise ChoiceError(
        f"max_drop={allowed}: {measure} of the baseline is {baseline:.4f} and cannot be worse than "
        f"{worst:g}, a drop of {allowed.written(most)}, so that this gate cannot fail{share}"
    )


def _bound(
    terms: Sequence[Terms],
    drop: Callable[[Floats, Floats], Floats],
    estimate: float,
    confidence: float,
    draws: Mapping[str, Any],
) -> float:
    """The one-sided upper bound: the upper end of the interval that leaves as much out on both sides."""
    resampled = drop(*(each[:, 0] for each in resampled_values(terms, **draws)))
    left_out = drop(*(left_out_means(each.linear()) for each in terms))
    if not np.isfinite(resampled).all():
        raise DataError("some resamples of the baseline have a mean of 0; give max_drop as a number")
    return bca_interval(resampled, estimate, left_out, confidence=2 * confidence - 1).high
