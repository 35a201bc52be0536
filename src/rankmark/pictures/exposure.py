"""How evenly recommendations fall on items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import NotEvaluatedError, PictureError
from rankmark.figures import Axis, Figure, Line, Mark, Panel, Rule, picture
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
TENTH = 10
"""What share of the items, one in so many, is told of by popularity."""


@picture("exposure", ListResult, Runs, place=45)
def exposure(
    shown: ListResult | Runs,
    *,
    measure: str | Measure | None = None,
    systems: str | list[str] | None = None,
    by: Literal["exposure", "popularity"] = "exposure",
) -> Figure:
    """What share of all recommendations the least recommended items have: a Lorenz curve a system.

    By popularity it is the share of the items that were had least before, beside their share of what was had.
    A system whose curve is below that prefers popular items more than users did.

    Args:
        shown: results of one system or several, with a measure of the whole run, such as Coverage@10.
        measure: that down to whose cutoff lists are looked at; else the first.
        systems: one or several; else all.
        by: in which order items are, by exposure or by popularity before, which train says.

    Raises:
        PictureError: no measure of the whole run was evaluated, or its lists are not here.

    """
    own = systems_of(shown, systems)
    if by == "popularity":
        return _by_popularity(shown, own, measure)
    if by != "exposure":
        raise PictureError(f"by={by!r}: it is exposure or popularity")
    found = {each.name: _exposure(shown, each, measure) for each in own}
    said = {
        name: f"Gini {gini(counts):.3f}, {np.count_nonzero(counts):,} of {counted(len(counts), 'item')}"
        for name, counts in found.items()
    }
    return _figure(
        "How evenly recommendations fall on items",
        "items, the least recommended first",
        "; ".join(f"{name}: {each}" if name else each for name, each in said.items()),
        [Rule(name="all items alike"), *(_curve(each, np.sort(found[each.name])) for each in own)],
    )


def _by_popularity(shown: ListResult | Runs, own: Sequence[System], measure: str | Measure | None) -> Figure:
    """The share of recommendations of items in the order of how often they were had before."""
    before = _popularity(shown, own[0], measure)
    order = np.argsort(before, kind="stable")
    found = {each.name: _exposure(shown, each, measure) for each in own}
    if any(len(counts) != len(before) for counts in found.values()):
        raise PictureError("the systems recommend other items: give those that can be recommended, items=…")
    head = order[-max(1, len(order) // TENTH) :]
    shares = ", ".join(f"{name} {_share(counts, head)}".strip() for name, counts in found.items())
    return _figure(
        "How recommendations fall on popular items",
        "items, the least popular first",
        f"of recommendations to the most popular tenth: {shares}; of what was had before "
        f"{_share(before, head)}",
        [
            Rule(name="all items alike"),
            _line(before[order], name="what was had before", tone="ink", dashed=True),
            *(_curve(each, found[each.name][order]) for each in own),
        ],
    )


def _share(counts: Floats, head: NDArray[np.intp]) -> str:
    """What share some of the items have, in per cent."""
    return f"{counts[head].sum() / counts.sum():.0%}"


def _figure(title: str, items: str, told: str, marks: Sequence[Mark]) -> Figure:
    """Curves, and what is told of them."""
    return Figure(
        title=title,
        subtitle=told,
        description=f"What share of all recommendations the first items have together: {items}. {told}.",
        panels=(
            Panel(
                x=Axis(label=items, limits=(0, 1), ticks="percent"),
                y=Axis(label="their share of all recommendations", limits=(0, 1), ticks="percent"),
                marks=tuple(marks),
                square=True,
            ),
        ),
    )


def _exposure(shown: ListResult | Runs, system: System, measure: str | Measure | None) -> Floats:
    """In how many lists each item is."""
    counts = _counts(shown, system, lambda result: result.exposure(measure))
    if not counts.any():
        raise PictureError(f"{system.name or 'the run'} recommends nothing")
    return counts


def _popularity(shown: ListResult | Runs, system: System, measure: str | Measure | None) -> Floats:
    """How often each item was had before."""
    counts = _counts(shown, system, lambda result: result.popularity(measure))
    if not counts.any():
        raise PictureError("none of the items was had before")
    return counts


def _counts(shown: ListResult | Runs, system: System, of: Callable[[ListResult], Floats]) -> Floats:
    result = shown[system.name] if isinstance(shown, Runs) else shown
    if not isinstance(result, ListResult):
        raise PictureError(f"{system.name}: no lists were evaluated here")
    try:
        return of(result)
    except NotEvaluatedError as error:
        raise PictureError(str(error)) from None


def _curve(system: System, counts: Floats) -> Line:
    return _line(counts, name=system.name or THIS, tone=system.tone, dashed=system.later)


def _line(counts: Floats, *, name: str, tone: str, dashed: bool) -> Line:
    """The share that the first items have together, thinned."""
    shares = np.concatenate(([0.0], np.cumsum(counts) / counts.sum()))
    items = np.linspace(0, 1, len(shares))
    by_share = np.searchsorted(shares, np.linspace(0, shares[-1], STEPS))  # where a few items have most
    by_item = np.linspace(0, len(shares) - 1, STEPS).astype(int)
    at = np.unique(np.minimum(np.concatenate((by_item, by_share)), len(shares) - 1))
    return Line(x=items[at], y=shares[at], name=name, tone=tone, dashed=dashed)
