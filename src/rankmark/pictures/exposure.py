"""How evenly recommendations fall on items."""

from __future__ import annotations

import numpy as np

from rankmark.errors import NotEvaluatedError, PictureError
from rankmark.figures import Axis, Figure, Line, Panel, Rule, picture
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import System, systems_of
from rankmark.rendering.words import counted
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs
from rankmark.statistics.disparity import gini

__all__ = ["exposure"]

STEPS = 200
"""Points of a curve along either axis, beyond which it looks the same."""
THIS = "this run"
"""What the line of the only system is called, which has no name."""


@picture("exposure", ListResult, Runs, place=45)
def exposure(
    shown: ListResult | Runs,
    *,
    measure: str | Measure | None = None,
    systems: str | list[str] | None = None,
) -> Figure:
    """What share of all recommendations the least recommended items have: a Lorenz curve a system.

    Args:
        shown: results of one system or several, with a measure of the whole run, such as Coverage@10.
        measure: that down to whose cutoff lists are looked at; else the first.
        systems: one or several; else all.

    Raises:
        PictureError: no measure of the whole run was evaluated, or its lists are not here.

    """
    own = systems_of(shown, systems)
    found = {each.name: _exposure(shown, each, measure) for each in own}
    said = {
        name: f"Gini {gini(counts):.3f}, {np.count_nonzero(counts):,} of {counted(len(counts), 'item')}"
        for name, counts in found.items()
    }
    told = "; ".join(f"{name}: {each}" if name else each for name, each in said.items())
    return Figure(
        title="How evenly recommendations fall on items",
        subtitle=told,
        description=f"Lorenz curves of exposure, that is of how many lists each item is in. {told}.",
        panels=(
            Panel(
                x=Axis(label="items, the least recommended first", limits=(0, 1), ticks="percent"),
                y=Axis(label="their share of all recommendations", limits=(0, 1), ticks="percent"),
                marks=(
                    Rule(name="all items alike"),
                    *(_curve(each, found[each.name]) for each in own),
                ),
                square=True,
            ),
        ),
    )


def _exposure(shown: ListResult | Runs, system: System, measure: str | Measure | None) -> Floats:
    """In how many lists each item is."""
    result = shown[system.name] if isinstance(shown, Runs) else shown
    if not isinstance(result, ListResult):
        raise PictureError(f"{system.name}: no lists were evaluated here")
    try:
        counts = result.exposure(measure)
    except NotEvaluatedError as error:
        raise PictureError(str(error)) from None
    if not counts.any():
        raise PictureError(f"{system.name or 'the run'} recommends nothing")
    return counts


def _curve(system: System, counts: Floats) -> Line:
    """The Lorenz curve, thinned."""
    shares = np.concatenate(([0.0], np.cumsum(np.sort(counts)) / counts.sum()))
    items = np.linspace(0, 1, len(shares))
    by_share = np.searchsorted(shares, np.linspace(0, shares[-1], STEPS))  # where a few items have most
    by_item = np.linspace(0, len(shares) - 1, STEPS).astype(int)
    at = np.unique(np.minimum(np.concatenate((by_item, by_share)), len(shares) - 1))
    return Line(x=items[at], y=shares[at], name=system.name or THIS, tone=system.tone, dashed=system.later)
