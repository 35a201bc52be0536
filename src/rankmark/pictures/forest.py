"""Differences of systems with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from rankmark.comparing import prediction_words, words
from rankmark.comparing.caveats import apart_about_0
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import Pair, direction
from rankmark.comparing.prediction_tests import PredictionPlan
from rankmark.comparing.predictions import PredictionComparison, PredictionPair
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Rule, Segments, picture
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.words import axis_of, difference_words, p_words
from rankmark.rendering.words import chance, counted
from rankmark.results.base import Result

__all__ = ["forest"]

Compared: TypeAlias = "Comparison | PredictionComparison"
SomePair: TypeAlias = "Pair | PredictionPair"
MOST, FEWEST = 66, 6
"""Pairs that are drawn, all those of twelve systems; and of a measure even where there are many measures."""
NOT_SURE = "too few queries for intervals"
"""What stands there instead of how intervals were made."""
TOLD = 12
"""Pairs of which the description has the numbers."""


@picture("forest", Comparison, PredictionComparison, place=20)
def forest(
    comparison: Compared,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """Differences of all pairs of systems by all measures, with their intervals and what is significant.

    Args:
        comparison: what was compared.
        measure: the measure; else all.
        system: pairs of this one alone.
        baseline: pairs against this one alone.

    Raises:
        PictureError: there is no such pair.

    """
    wanted = None if measure is None else next(iter(_results(comparison)))._find(measure)
    pairs = [
        each
        for each in comparison.pairs
        if wanted in (None, each.measure)
        and system in (None, each.system)
        and baseline in (None, each.baseline)
    ]
    if not pairs:
        known = ", ".join(dict.fromkeys(f"{each.system} − {each.baseline}" for each in comparison.pairs))
        raise PictureError(f"system={system!r}, baseline={baseline!r}: no such pair; there is {known}")
    of_measure: dict[Measure, list[SomePair]] = {}
    for each in pairs:
        of_measure.setdefault(each.measure, []).append(each)
    most = max(MOST // len(of_measure), FEWEST)
    significant = sum(each.significant for each in pairs)
    found = (
        f"{significant} of {counted(len(pairs), 'difference')} significant (p ≤ {comparison.plan.alpha:g})"
    )
    told = (
        f"{each.measure.label} of {each.system} − {each.baseline}: {_told(comparison, each)}"
        for each in pairs[:TOLD]
    )
    return Figure(
        title=(
            f"Differences {f'from {against}' if (against := _against(pairs)) else 'between systems'} by "
            f"{', '.join(each.label for each in of_measure)}"
        ),
        subtitle=f"{found}{_sure(comparison, pairs)}",
        description=f"{found}. {'; '.join(told)}{'; …' * (len(pairs) > TOLD)}.",
        panels=tuple(
            _panel(comparison, own[:most], titled=len(of_measure) > 1) for own in of_measure.values()
        ),
        notes=tuple(_notes(comparison, pairs, most, max(map(len, of_measure.values())))),
    )


def _panel(comparison: Compared, pairs: Sequence[SomePair], *, titled: bool) -> Panel:
    """The pairs of one measure."""
    measure = pairs[0].measure
    against = _against(pairs)
    names = tuple(each.system if against else f"{each.system} − {each.baseline}" for each in pairs)
    return Panel(
        title=measure.label if titled else "",
        x=Axis(label=axis_of(measure, f"difference of {measure.label}"), reach=(0.0,)),
        y=Axis(
            scale="names",
            names=names,
            asides=tuple(chance(each.corrected, 4) for each in pairs),
            beside="p",
        ),
        marks=(Rule(x=0.0, tone="ink", dashed=False), *_marks(comparison, pairs)),
    )


def _against(pairs: Sequence[SomePair]) -> str:
    """The baseline of all pairs, or nothing if there are several."""
    baselines = {each.baseline for each in pairs}
    return baselines.pop() if len(baselines) == 1 and len(pairs) > 1 else ""


def _marks(comparison: Compared, pairs: Sequence[SomePair]) -> Iterator[Mark]:
    places = np.arange(float(len(pairs)))
    low, high = (_figures(pairs, f"simultaneous_{end}") for end in ("low", "high"))
    if (apart := _beyond(pairs, low, high)).any():
        at = places[apart]
        yield Segments(
            x=low[apart],
            y=at,
            to_x=high[apart],
            to_y=at,
            name=f"{_confidence(comparison)} for all at once",
            tone="muted",
        )
    sign = np.array([direction(each.measure) for each in pairs])
    difference = _figures(pairs, "difference") * sign
    shown = np.array([each.significant for each in pairs])
    judged = np.array([each.measure.better != "neither" for each in pairs])
    for name, tone, kept in (
        ("significantly better", "good", shown & judged & (difference > 0)),
        ("significantly worse", "bad", shown & judged & (difference < 0)),
        ("significantly different", "series-1", shown & ~judged & (difference != 0)),
        ("not significant", "ink", ~shown | (difference == 0)),
    ):
        if kept.any():
            own = [each for each, is_kept in zip(pairs, kept, strict=True) if is_kept]
            yield Points(
                x=_figures(own, "difference"),
                y=places[kept],
                left=_figures(own, "low"),
                right=_figures(own, "high"),
                labels=tuple(_told(comparison, each) for each in own),
                name=name,
                tone=tone,
                hollow=tone == "ink",
            )


def _beyond(
    pairs: Sequence[SomePair], low: Floats, high: Floats
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where simultaneous intervals go beyond those of each alone."""
    return (low < _figures(pairs, "low")) | (high > _figures(pairs, "high"))


def _figures(pairs: Sequence[SomePair], name: str) -> Floats:
    return np.array([each.figures.get(name, np.nan) for each in pairs], np.float64)


def _confidence(comparison: Compared) -> str:
    plan = comparison.plan
    sure = plan.sampling.confidence if isinstance(plan, PredictionPlan) else plan.confidence
    return f"{100 * sure:g}% interval"


def _sure(comparison: Compared, pairs: Sequence[SomePair]) -> str:
    """Which intervals are drawn."""
    if not np.isfinite(_figures(pairs, "low")).any():
        return "; without intervals"
    return f"; each with its {_confidence(comparison)}"


def _told(comparison: Compared, pair: SomePair) -> str:
    """A difference, its interval and its p-value."""
    figures = pair.figures
    difference = difference_words(pair.difference, (figures["low"], figures["high"]))
    return ", ".join(filter(None, (difference, p_words(pair.corrected, comparison))))


def _notes(comparison: Compared, pairs: Sequence[SomePair], most: int, there: int) -> Iterator[str]:
    sure = np.isfinite(_figures(pairs, "low")).any()
    if isinstance(comparison, Comparison):
        yield words.queries_line(comparison)
        yield words.interval_line(comparison) if sure else NOT_SURE
        yield words.test_line(comparison)
        own = [each for each in pairs if isinstance(each, Pair)]
        yield from words.caution_lines(own)
        yield from apart_about_0(own, comparison.plan.confidence)
    else:
        yield prediction_words.interval_line(comparison.plan, comparison.pairs)
        yield prediction_words.test_line(comparison.plan, comparison.pairs)
    if _beyond(pairs, *(_figures(pairs, f"simultaneous_{end}") for end in ("low", "high"))).any():
        yield "for all at once: intervals that hold all truths together, of pairs and measures (Bonferroni)"
    if there > most:
        yield (
            f"the first {most} of {there:,} pairs of a measure; the options measure, system and baseline "
            "choose others"
        )


def _results(comparison: Compared) -> Iterator[Result]:
    for each in comparison.results.values():
        yield each if isinstance(each, Result) else each[0]
