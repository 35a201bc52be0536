"""What each query gains and loses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import Pair, direction
from rankmark.comparing.words import interval_line, test_line
from rankmark.figures import Axis, Bars, Figure, Panel, Rule, picture
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import gains_of, pair_of
from rankmark.pictures.words import axis_of, between, difference_words, p_words, queries
from rankmark.rendering.words import counted
from rankmark.statistics.intervals import CAUTIONS

__all__ = ["differences"]

FEW = 8
"""Queries from which on bars take the whole axis."""


@picture("differences", Comparison, place=10)
def differences(
    comparison: Comparison,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """Differences of each query between two systems, sorted, with their mean and its interval.

    Args:
        comparison: what was compared.
        measure: the measure; else the first.
        system: one of the pair; else the first pair's.
        baseline: the other.

    """
    pair = pair_of(comparison, measure, system, baseline)
    gains, towards = gains_of(comparison, pair)
    there = np.flatnonzero(np.isfinite(gains))
    order = there[np.argsort(-gains[there], kind="stable")]
    values, towards, tie = direction(pair.measure) * gains[order], towards[order], comparison.plan.tie
    bars = [
        _bars(comparison, order, values, kept, f"{name}: {queries(int(kept.sum()))}", tone)
        for name, tone, kept in (
            (f"{pair.system} better", "good", towards > 0),
            (f"equal within {tie:g}", "muted", (towards == 0) & (tie > 0)),
            (f"{pair.baseline} better", "bad", towards < 0),
        )
        if kept.any()
    ]
    rules = [Rule(y=0.0, tone="ink", dashed=False)]
    if pair.measure.page.aggregate != "sum":  # A sum is beyond what queries can have.
        low, high = pair.interval if between(pair.interval) else (None, None)
        rules.append(Rule(y=pair.difference, low=low, high=high, name=_mean(pair, values)))
    equal = f", {pair.ties:,} of them equal" if pair.ties else ""
    panel = Panel(
        x=Axis(
            label=f"{queries(len(values))}{equal}, what gains most first",
            limits=_ends(len(values)),
            ticks="none",
        ),
        y=Axis(label=axis_of(pair.measure, f"difference of {pair.measure.label}"), reach=(0.0,)),
        marks=(*bars, *rules),
    )
    return Figure(
        title=f"{pair.measure.label}: {pair.system} − {pair.baseline}, query by query",
        subtitle=", ".join(filter(None, (_mean(pair, values), p_words(pair.corrected, comparison)))),
        description=(
            f"Bars of {len(values)} differences, the greatest gain first: {pair.system} is better on "
            f"{pair.wins}, equal on {pair.ties} and worse on {pair.losses}. "
            f"{_mean(pair, values).capitalize()}."
        ),
        panels=(panel,),
        notes=tuple(_notes(comparison, pair)),
    )


def _ends(count: int) -> tuple[float, float]:
    """From where to where so many bars stand: few of them in the middle, and no broader than others."""
    beside = max(FEW - count, 0) / 2
    return -beside, count + beside


def _bars(
    comparison: Comparison,
    order: NDArray[np.intp],
    values: Floats,
    kept: NDArray[np.bool_],
    name: str,
    tone: str,
) -> Bars:
    """The bars of some of the queries."""
    places = np.flatnonzero(kept).astype(np.float64)
    labels = tuple(str(comparison.query_ids[i]) for i in order[kept])
    return Bars(start=places, end=places + 1, value=values[kept], labels=labels, name=name, tone=tone)


def _mean(pair: Pair, values: Floats) -> str:
    """The difference of both systems in words: whether it is the mean of the queries', and its interval."""
    alike = len(values) and np.isclose(values.mean(), pair.difference)
    return f"{'mean' if alike else 'overall'} difference {difference_words(pair.difference, pair.interval)}"


def _notes(comparison: Comparison, pair: Pair) -> Iterator[str]:
    yield interval_line(comparison)
    yield test_line(comparison)
    for caution, why in CAUTIONS.items():
        if caution == pair.caution:
            yield f"the interval may cover more or less often: {why}"
    if comparison.weighed is not None:
        yield f"bars do not show what queries weigh: {comparison.weighed.line()}"
    if comparison.plan.seeded:
        yield "each bar is of means over seeds"
    others = len(comparison.pairs) - 1
    if others:
        yield f"{counted(others, 'more difference')} of systems and measures; the picture forest shows all"
