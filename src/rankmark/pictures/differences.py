"""What each query gains and loses."""

from __future__ import annotations

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.figures import Axis, Bars, Figure, Panel, Rule, picture
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import higher_is, pair_of
from rankmark.rendering.words import counted, rounded

__all__ = ["differences"]


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
    one, other = (comparison.query_values(each, pair.measure) for each in (pair.system, pair.baseline))
    values = (one - other)[np.isfinite(one - other)]
    order = np.argsort(-values, kind="stable")
    values, ids = values[order], [str(comparison.query_ids[i]) for i in order]
    sign = -1 if pair.measure.page.better == "less" else 1
    places = np.arange(float(len(values)))
    better, worse = (values * sign > 0), (values * sign < 0)
    bars = [
        Bars(
            start=places[kept],
            end=places[kept] + 1.0,
            value=values[kept],
            labels=tuple(ids[i] for i in np.flatnonzero(kept)),
            name=f"{name}: {counted(int(kept.sum()), 'query', 'queries')}",
            tone=tone,
        )
        for name, tone, kept in (
            (f"{pair.system} better", "good", better),
            (f"{pair.baseline} better", "bad", worse),
        )
    ]
    low, high = pair.interval
    interval = f"{rounded(pair.difference, '+.4f')} [{rounded(low, '+.4f')}, {rounded(high, '+.4f')}]"
    mean = Rule(y=pair.difference, low=low, high=high, text=f"mean {interval}")
    panel = Panel(
        x=Axis(
            label=f"{counted(len(values), 'query', 'queries')}, sorted",
            limits=(0, max(len(values), 1)),
            ticks="none",
        ),
        y=Axis(label=f"difference of {pair.measure} ({higher_is(pair.measure)})", reach=(0.0,)),
        marks=(*bars, Rule(y=0.0, tone="ink", dashed=False), mean),
    )
    return Figure(
        title=f"{pair.measure}: {pair.system} − {pair.baseline}, query by query",
        subtitle=f"mean difference {interval}, p = {pair.corrected:.3g}",
        description=(
            f"Bars of {len(values)} differences, the greatest first: {pair.system} is better on {pair.wins}, "
            f"equal on {pair.ties} and worse on {pair.losses}. The mean is {interval}."
        ),
        panels=(panel,),
    )
