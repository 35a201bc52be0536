"""Which of what a result holds a picture shows: what was asked for, or the first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import direction
from rankmark.dataclassing import dataclass
from rankmark.errors import PictureError, did_you_mean
from rankmark.figures.marks import series
from rankmark.language.grammar import split_measures
from rankmark.language.measure import Measure
from rankmark.results.base import Result
from rankmark.results.predictions import PredictionResult
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import Interval
from rankmark.statistics.significance import signs
from rankmark.statistics.spread import apart

if TYPE_CHECKING:
    from rankmark.comparing.pairs import Pair
    from rankmark.figures.marks import Floats

__all__ = [
    "System",
    "Systems",
    "calibrated_of",
    "confidence_of",
    "cutoff_of",
    "families",
    "gains_of",
    "higher_is",
    "how_sure",
    "measures_of",
    "pair_of",
    "some_of",
    "systems_of",
]

CALIBRATED: Mapping[str, float] = {
    "PCOPC": 1.0,
    "COPC": 1.0,
    "CalibrationSlope": 1.0,
    "CalibrationIntercept": 0.0,
}
"""What measures of calibration come to where as much happens as is predicted."""
Systems: TypeAlias = "Comparison | Runs | Result"
"""What has values of systems."""


def pair_of(
    comparison: Comparison, measure: str | Measure | None, system: str | None, baseline: str | None
) -> Pair:
    """The pair of a measure, a system and a baseline that are asked for: the first that has what is.

    Raises:
        PictureError: there is none, or the measure has no values of queries.

    """
    wanted = None if measure is None else comparison._find(measure)
    own = comparison.query_measures
    if not own or wanted not in (None, *own):
        raise PictureError(
            f"{wanted or comparison.measures[0]} is of the whole run, and this picture is of queries; "
            "there is forest"
        )
    for each in comparison.pairs:
        if (
            each.measure in own
            and wanted in (None, each.measure)
            and system in (None, each.system)
            and baseline in (None, each.baseline)
        ):
            return each
    asked = [f"system={system!r}"] * (system is not None) + [f"baseline={baseline!r}"] * (
        baseline is not None
    )
    known = ", ".join(dict.fromkeys(f"{each.system} − {each.baseline}" for each in comparison.pairs))
    raise PictureError(f"{' and '.join(asked)}: no such pair was compared; there is {known}")


@dataclass(frozen=True, slots=True)
class System:
    """One system of what has several, or the only one.

    Attributes:
        name: what it is called; empty for the only one.
        of: what its values are from.
        tone: its colour.
        later: whether it is one of those whose colour another has already: its lines are dotted, and its
            points hollow.

    """

    name: str
    of: Systems
    tone: str
    later: bool

    def value(self, measure: Measure) -> float:
        """Its value; NaN where it has none."""
        if isinstance(self.of, Comparison):
            return self.of.value(self.name, measure)
        if measure not in self._result:
            return math.nan
        return self._result[measure]

    def interval(self, measure: Measure) -> Interval:
        """That of its value; NaN where there is none."""
        if isinstance(self.of, Comparison):
            return self.of.interval(self.name, measure)
        found = self._result.intervals.get(measure.label) if measure in self._result else None
        return Interval(math.nan, math.nan) if found is None else Interval(found.low, found.high)

    def query_values(self, measure: Measure) -> Floats:
        """Those of its queries that have one."""
        if isinstance(self.of, Comparison):
            values = self.of.query_values(self.name, measure)
        else:
            values = self._result.query_values(measure) if measure in self._result else np.empty(0)
        return np.asarray(values[np.isfinite(values)], np.float64)

    @property
    def _result(self) -> Result:
        assert not isinstance(self.of, Comparison)
        return self.of[self.name] if isinstance(self.of, Runs) else self.of


def gains_of(comparison: Comparison, pair: Pair) -> tuple[Floats, Floats]:
    """What each query gains, and whether that is better, 1, worse, -1, or equal, as the pair counts them."""
    one, other = (comparison.query_values(each, pair.measure) for each in (pair.system, pair.baseline))
    gains = direction(pair.measure) * apart(one, other)
    return gains, signs(gains, comparison.plan.tie)


def systems_of(shown: Systems, wanted: str | Iterable[str] | None = None) -> list[System]:
    """The systems that are asked for, or all, with a colour each, which they have among others, too.

    Raises:
        PictureError: one of them is not there, or none is asked for.

    """
    known = [""] if isinstance(shown, Result) else list(shown.results)
    asked = known if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    names = [one for each in asked for one in ([each] if each in known else _names(each, known))]
    if not names:
        raise PictureError("systems is empty: name one or several, or leave it out for all")
    for name in names:
        if name not in known:
            there = f"here are {', '.join(known)}{did_you_mean(str(name), known)}" if known != [""] else ""
            raise PictureError(f"{name!r} is not one of the systems; {there or 'here is one without a name'}")
    return [System(name, shown, *_told_apart(known.index(name))) for name in names]


def _names(text: str, known: Collection[str]) -> list[str]:
    """The systems that a text names with spaces or commas between them; it itself if others are not there."""
    names = str(text).replace(",", " ").split()
    return names if names and all(name in known for name in names) else [text]


def _told_apart(i: int) -> tuple[str, bool]:
    return series(i), series(i) in map(series, range(i))


def measures_of(shown: Systems) -> list[Measure]:
    """Every measure of any system, each once."""
    if isinstance(shown, Runs):
        return list(dict.fromkeys(m for result in shown.results.values() for m in result.measures))
    return list(shown.measures)


def some_of(shown: Systems, asked: str | Measure | Iterable[str | Measure] | None) -> list[Measure]:
    """The measures that are asked for, or all.

    Raises:
        PictureError: none is asked for.

    """
    if asked is None:
        return measures_of(shown)
    several = [asked] if isinstance(asked, str | Measure) else list(asked)
    if not several:
        raise PictureError("measures is empty: name one or several, or leave it out for all")
    here = {name for measure in measures_of(shown) for name in (str(measure), measure.label)}
    return [_found(shown, one) for each in several for one in _one_by_one(each, here)]


def _one_by_one(asked: str | Measure, here: Collection[str]) -> list[str] | list[Measure]:
    """The measures of a text, which is one if that is here."""
    if isinstance(asked, Measure):
        return [asked]
    return [asked] if asked in here else split_measures(asked)


def _found(shown: Systems, measure: str | Measure) -> Measure:
    if not isinstance(shown, Runs):
        return shown._find(measure)
    results = list(shown.results.values())
    known = (found for each in results if (found := each._known(measure)) is not None)
    return next(known, None) or results[0]._find(measure)


def families(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Measures that differ by their cutoff alone, by what they are called with k instead of it."""
    found: dict[str, list[Measure]] = {}
    for each in measures:
        if cutoff_of(each):
            found.setdefault(f"{str(each).rpartition('@')[0]}@k", []).append(each)
    return {name: sorted(own, key=cutoff_of) for name, own in found.items()}


def cutoff_of(measure: Measure) -> int:
    """The cutoff that a measure's name says, also of one whose values were computed elsewhere; 0 for none."""
    _, _, number = str(measure).rpartition("@")
    return int(number) if number.isdecimal() else 0


def higher_is(measure: Measure) -> str:
    """What higher values are, for an axis; empty where they are neither better nor worse."""
    return {"more": "higher is better", "less": "lower is better"}.get(measure.better, "")


def calibrated_of(measure: Measure) -> float | None:
    """What a measure of calibration is aimed at, of which neither more nor less is better; None of others."""
    found = CALIBRATED.get(measure.name)
    return 0.0 if found is not None and measure.parameters.get("scale") == "log" else found


def confidence_of(shown: Systems) -> str:
    """How sure intervals are, such as ``95%``; empty where no value has one."""
    if isinstance(shown, Comparison):
        return f"{100 * shown.plan.confidence:g}%" if _is_sure(shown) else ""
    results: Mapping[str, Result] = shown.results if isinstance(shown, Runs) else {"": shown}
    return " or ".join(dict.fromkeys(_confidences(results.values())))


def how_sure(shown: Systems) -> str:
    """Why there are no intervals, or what to do to have some."""
    results = list(shown.results.values()) if isinstance(shown, Runs) else [shown]
    if any(isinstance(each, Comparison) or each.intervals for each in results):
        return "too few queries for intervals: nothing says how sure the values are"
    if any(isinstance(each, PredictionResult) for each in results):
        return "evaluated with intervals, the picture says how sure values are"
    return "evaluated with intervals (of a result, with_intervals), the picture says how sure values are"


def _is_sure(comparison: Comparison) -> bool:
    """Whether a value of any system has an interval."""
    return any(
        math.isfinite(comparison.interval(system, measure).low)
        for measure in comparison.measures
        for system in comparison.results
    )


def _confidences(results: Iterable[Result]) -> Iterator[str]:
    for result in results:
        for each in result.intervals.values():
            if math.isfinite(each.low):
                yield f"{100 * each.confidence:g}%"
