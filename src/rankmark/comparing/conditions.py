"""What a candidate has to fulfil, and whether it does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.comparing.deciding import Bound, Decider, Figure, Foreseen
from rankmark.comparing.gates import ROUNDING, Allowance, Gate, GateMover, LimitGate, MeasureGate, Side
from rankmark.comparing.pairs import direction, rows_in
from rankmark.comparing.stored import stored_notes
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError
from rankmark.language.measure import Measure
from rankmark.language.plan import separate
from rankmark.statistics.resampling import USUAL, Floats

if TYPE_CHECKING:
    from rankmark.results.base import Result

__all__ = ["Conditions", "Judged", "Limits", "allowance"]

Limits: TypeAlias = "Mapping[str | Measure, float] | Mapping[str, float] | None"
"""What the value of each measure has to be at least, or may be at most."""


MOST_MOVED = 10
"""Queries that a gate names."""


class Judged:
    """The candidate's result, and the baseline's if there is one.

    Attributes:
        old: the baseline's, the first where there are several seeds.
        new: the candidate's, likewise.
        seeds: all of each, by what they are called.
        stored: whether one of them was evaluated before.

    """

    def __init__(self, old: Sequence[Result], new: Sequence[Result], *, stored: bool) -> None:
        self.old, self.new, self.stored = next(iter(old), None), new[0], stored
        self.seeds = {name: each for name, each in (("baseline", old), ("candidate", new)) if each}

    def both(self, measure: Measure) -> Decider:
        """The values of the baseline and of the candidate, of what has a value of both."""
        raise NotImplementedError

    def candidate(self, measure: Measure) -> Decider:
        """The candidate's value."""
        raise NotImplementedError

    @property
    def results(self) -> dict[str, Result]:
        """Those that there are, by what they are called; of several seeds with their numbers."""
        return {
            name if len(own) == 1 else f"{name} {number}": each
            for name, own in self.seeds.items()
            for number, each in enumerate(own, 1)
        }

    def moved(self, measure: Measure) -> dict[str, Any]:
        """On how many queries the candidate is better and worse, and those that changed most."""
        values = [self._query_values(own, measure) for own in self.seeds.values()]
        if len(values) < 2 or any(each is None for each in values):
            return {}
        old, new = (np.asarray(each) for each in values)
        change = np.nan_to_num(direction(measure) * (new - old))
        most = [row for row in np.argsort(-np.abs(change), kind="stable")[:MOST_MOVED] if change[row]]
        ids = self.new.query_ids
        return {
            "better": int(np.count_nonzero(change > 0)),
            "worse": int(np.count_nonzero(change < 0)),
            "moved": tuple(GateMover(ids[row], float(old[row]), float(new[row])) for row in most),
        }

    def _query_values(self, seeds: Sequence[Result], measure: Measure) -> Floats | None:
        """The mean over seeds of each of the candidate's queries; None where there are no such values."""
        ids = self.new.query_ids
        if any(measure not in each.query_measures or set(ids) - set(each.query_ids) for each in seeds):
            return None
        values: Floats = np.mean([each.query_values(measure)[rows_in(each, ids)] for each in seeds], axis=0)
        return values

    def notes(self) -> Iterator[str]:
        """What a reader should know of them."""
        for name, each in self.results.items():
            yield f"{name}: {each.account()[0]}"
        yield from dict.fromkeys(line for each in self.results.values() for line in each.cautions())
        if self.stored and self.old is not None:
            yield from stored_notes("baseline", self.old, self.new)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What decides.

    Attributes:
        measures: what may not drop.
        allowed: by more than this.
        limits: what has to be at least or at most how much.
        confidence: of the bounds that decide; None where point estimates do.

    """

    measures: tuple[str | Measure, ...]
    allowed: Allowance | None
    limits: tuple[tuple[str | Measure, Side, float], ...]
    confidence: float | None

    @classmethod
    def of(
        cls,
        measures: str | Measure | Iterable[str | Measure] | None,
        max_drop: float | str | None,
        limits: Mapping[Side, Limits],
        confidence: float | None,
        *,
        has_baseline: bool,
        such: str = "",
    ) -> Conditions:
        """Those that were asked for.

        Args:
            measures: those that may not drop.
            max_drop: by how much.
            limits: of measures, at either side.
            confidence: that of bounds, or None.
            has_baseline: whether there is one.
            such: how one is given, where messages say so.

        Raises:
            UsageError: they are none, or go with another baseline.

        """
        _check_confidence(confidence)
        read = tuple(
            (measure, side, _limit(side, measure, value))
            for side, asked in limits.items()
            for measure, value in _items(side, asked)
        )
        listed = () if measures is None else tuple(separate(measures))
        if max_drop is None:
            if not read:
                raise ChoiceError(
                    'nothing decides: give max_drop="0.5%", say, or limits: at_least={"nDCG@10": 0.3}'
                )
            if has_baseline:
                raise UsageError("a baseline decides nothing without max_drop: give that, or leave it out")
            if lacking := [each for each in map(str, listed) if each not in {str(m) for m, _, _ in read}]:
                raise UsageError(f"nothing decides of {', '.join(lacking)}: give max_drop or a limit of it")
            return cls((), None, read, confidence)
        allowed = allowance(max_drop)
        if not has_baseline:
            raise UsageError(f"max_drop={max_drop!r} is from a baseline: give one{such}")
        if not listed:
            raise UsageError("max_drop is of measures: say which")
        return cls(listed, allowed, read, confidence)

    @property
    def asked(self) -> list[str | Measure]:
        """All measures, each once."""
        return list({str(each): each for each in (*self.measures, *(m for m, _, _ in self.limits))}.values())

    def decided(self, judged: Judged, seed: int) -> Gate:
        """Whether they are fulfilled."""
        find = judged.new._find
        drops = tuple(self._drop(measure, judged) for measure in dict.fromkeys(map(find, self.measures)))
        limits = tuple(self._limited(find(m), side, limit, judged) for m, side, limit in self.limits)
        measures = dict.fromkeys(map(find, self.asked))
        return Gate(
            passed=all([*(each.passed for each in drops), *(each.passed for each in limits)]),
            measures=drops,
            limits=limits,
            allowed=self.allowed,
            confidence=self.confidence,
            seed=seed,
            signatures={each.label: judged.new.signature(each) for each in measures},
            inputs={name: each.inputs for name, each in judged.results.items() if each.inputs},
            notes=(*judged.notes(), *_caution([*drops, *limits])),
        )

    def _drop(self, measure: Measure, judged: Judged) -> MeasureGate:
        allowed = self.allowed
        assert allowed is not None
        if measure.better == "neither":
            raise MeasureError(f"{measure}: neither more nor less of it is better, so that nothing is a drop")
        decider = judged.both(measure)
        self._check_units(measure, decider, "of both runs")
        baseline, candidate = decider.values
        _check_value(measure, baseline, "the baseline")
        _check_value(measure, candidate, "the candidate")
        if allowed.relative and not baseline:
            raise DataError(
                f"{measure} of the baseline is 0: no share of it is a drop; give max_drop as a number"
            )
        _check_can_fail(measure, baseline, allowed)

        sign = direction(measure)
        figure = Figure((sign, -sign), (math.copysign(1.0, baseline), 0.0) if allowed.relative else None)
        estimate = float(figure.of([baseline, candidate]))
        bound = self._bound(decider, figure)
        deciding = estimate if bound is None else bound.value
        return MeasureGate(
            measure.label,
            deciding <= allowed.drop + ROUNDING,
            baseline,
            candidate,
            estimate,
            **_how(bound, self._foreseen(decider, figure, allowed.drop), decider),
            **judged.moved(measure),
        )

    def _limited(self, measure: Measure, side: Side, limit: float, judged: Judged) -> LimitGate:
        _check_limit(measure, side, limit)
        decider = judged.candidate(measure)
        self._check_units(measure, decider, "")
        (value,) = decider.values
        _check_value(measure, value, "the candidate")
        sign = -1.0 if side == "least" else 1.0
        figure = Figure((sign,))
        bound = self._bound(decider, figure)
        deciding = value if bound is None else sign * bound.value
        foreseen = self._foreseen(decider, figure, sign * (limit - value))
        how = _how(bound, foreseen, decider)
        if bound is not None and math.isfinite(bound.value):
            how["bound"] = deciding
        passed = sign * deciding <= sign * limit + ROUNDING
        return LimitGate(measure.label, passed, side, limit, value, **how)

    def _bound(self, decider: Decider, figure: Figure) -> Bound | None:
        return None if self.confidence is None else decider.upper(figure, self.confidence)

    def _foreseen(self, decider: Decider, figure: Figure, distance: float) -> Foreseen | None:
        return decider.foreseen(figure, distance, self.confidence or USUAL["confidence"])

    def _check_units(self, measure: Measure, decider: Decider, of: str) -> None:
        if not decider.units:
            value = f"have a value {of}".strip()
            raise DataError(f"{measure}: {decider.units} {decider.unit} {value}; that decides nothing")


def _caution(decided: Sequence[MeasureGate | LimitGate]) -> Iterator[str]:
    """What the bounds do not know."""
    seen = {each.measure: each.unit for each in decided if each.by.endswith("-seen")}
    if seen:
        units = " or ".join(
            dict.fromkeys({"queries": "query", "rows": "row"}[unit] for unit in seen.values())
        )
        yield (
            f"{', '.join(seen)}: the worst {units} seen stands for the worst there is, so that rare greater "
            "losses can make the bound too small"
        )


def _how(bound: Bound | None, foreseen: Foreseen | None, decider: Decider) -> dict[str, Any]:
    """What decided, of how many units, and what these can show."""
    return {
        "bound": None if bound is None or not math.isfinite(bound.value) else bound.value,
        "by": "point" if bound is None else bound.by,
        "resamples": None if bound is None else bound.resamples,
        "units": decider.units,
        "unit": decider.unit,
        "clusters": decider.clusters,
        "detectable": None if foreseen is None else foreseen.detectable,
        "needed": None if foreseen is None else foreseen.needed,
        "seeds": decider.seeds,
    }


def _check_value(measure: Measure, value: float, of: str) -> None:
    if math.isnan(value):
        raise DataError(f"{measure} of {of} has no value; that decides nothing")
    if math.isinf(value):
        raise DataError(f"{measure} of {of} is infinite; that decides nothing")


def _items(side: Side, asked: Limits) -> Iterable[tuple[str | Measure, float]]:
    if asked is not None and not isinstance(asked, Mapping):
        raise ChoiceError(f'at_{side}={asked!r} is not {{measure: value}}, such as {{"nDCG@10": 0.3}}')
    return () if asked is None else tuple(asked.items())


def _limit(side: Side, measure: str | Measure, value: Any) -> float:
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise ChoiceError(f"at_{side} of {measure} is {value!r}, and not a number, such as 0.3")
    return found


def _check_limit(measure: Measure, side: Side, limit: float) -> None:
    """Refuses a limit on the wrong side, one that everything keeps, and one that nothing can keep."""
    better, wrong = ("less", "at_most") if side == "least" else ("more", "at_least")
    if measure.better == better:
        raise MeasureError(f"of {measure} {better} is better: say {wrong}, and not at_{side}")
    low, high = measure.bounds
    kept, lost = (low, high) if side == "least" else (high, low)
    sign = 1 if side == "least" else -1
    if kept is not None and sign * limit <= sign * kept:
        raise ChoiceError(f"at {side} {limit:g}: {measure} is always, so that this gate cannot fail")
    if lost is not None and sign * limit > sign * lost:
        raise ChoiceError(f"at {side} {limit:g}: {measure} is never, its best being {lost:g}; nothing passes")


def allowance(written: float | str) -> Allowance:
    """The greatest drop that passes, as it was written: a number, or as text a share."""
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


def _check_can_fail(measure: Measure, baseline: float, allowed: Allowance) -> None:
    """Refuses to allow whatever a candidate can lose, to the end of the measure's range."""
    low, high = measure.bounds
    worst = high if measure.better == "less" else low
    if worst is None:
        return
    most = abs(baseline - worst) / (abs(baseline) if allowed.relative else 1)
    if not 0 < most <= allowed.drop:
        return
    share = f'; did you mean "{allowed.drop:g}%"?' if not allowed.relative else ""
    raise ChoiceError(
        f"max_drop={allowed}: {measure} of the baseline is {baseline:.4f} and cannot be worse than "
        f"{worst:g}, a drop of {allowed.written(most)}, so that this gate cannot fail{share}"
    )
