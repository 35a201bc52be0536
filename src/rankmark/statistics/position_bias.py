"""How likely positions are to be looked at: the position-based model, of clicks on items shown at several.

P(click on item i at position k) = p_k·r_i: a position is examined or not, whatever stands there, and an item
that is examined is clicked or not, wherever it stands. Clicks say p only up to a factor, so p of the first
position is 1 here, and r the rate of clicks there. What tells p from r are items shown at several positions:
positions that no chain of such items links to the first have NaN.

Each estimator takes cells: how often an item of a query was shown at a position, and how often clicked there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import DataError
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats

__all__ = [
    "EXAMINATION_METHODS",
    "ClickCells",
    "ExaminationMethod",
    "accelerated",
    "click_cells",
    "divided",
    "examination",
    "examination_of",
    "linked_positions",
    "numbered",
    "position_relevance",
    "summed",
]

Whole: TypeAlias = NDArray[np.int64]
ExaminationMethod: TypeAlias = Literal["conditional", "em", "all-pairs", "pivot", "adjacent", "randomised"]
EXAMINATION_METHODS: tuple[ExaminationMethod, ...] = get_args(ExaminationMethod)
SPARSE = 4
"""Codes that are this many times as great as there are of them are sorted, and others counted."""
MOST_STEPS = 2_000
"""Of an iteration, if it does not settle before."""
SETTLED = 1e-8
"""So little the estimates move in a step that is the last."""


class ClickCells(NamedTuple):
    """How often items were shown at positions, and clicked there.

    Attributes:
        item: int [cells], from 0; the same item of two queries is two.
        position: int [cells], from 0 for the first.
        shown: float [cells], how often, or how much that weighs.
        clicked: float [cells].

    """

    item: Whole
    position: Whole
    shown: Floats
    clicked: Floats

    def where(self, kept: NDArray[np.bool_]) -> ClickCells:
        """Some of them."""
        return ClickCells(self.item[kept], self.position[kept], self.shown[kept], self.clicked[kept])


def summed(index: Whole, values: ArrayLike, size: int) -> Floats:
    """The sums of values by a number, from 0 and below `size`."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(index, weights=weights, minlength=size).astype(np.float64)


def numbered(codes: Whole) -> tuple[Whole, Whole]:
    """The different codes, from 0 and ascending, and the place of each among them."""
    most = int(codes.max(initial=0)) + 1
    if most > SPARSE * len(codes):
        return np.unique(codes, return_inverse=True)
    found = np.flatnonzero(np.bincount(codes, minlength=most))
    place = np.zeros(most, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[codes]


def click_cells(
    item: ArrayLike, position: ArrayLike, click: ArrayLike, weights: ArrayLike | None = None
) -> ClickCells:
    """The cells of rows of a log, one an item that was shown.

    Args:
        item: int [rows], the number of the item of the query, from 0.
        position: int [rows], from 1.
        click: 0 or 1 a row.
        weights: how much each row counts; None for 1.

    Raises:
        DataError: arrays of different lengths, positions below 1.

    """
    items, places = np.asarray(item, dtype=np.int64), np.asarray(position, dtype=np.int64) - 1
    clicks = np.asarray(click, dtype=np.float64)
    if not len(items) == len(places) == len(clicks):
        raise DataError(
            f"{len(items)} items, {len(places)} positions and {len(clicks)} clicks; give one a row"
        )
    if len(places) and places.min() < 0:
        raise DataError("positions count from 1")
    count = int(places.max(initial=0)) + 1
    cells, codes = numbered(items * count + places)
    how = np.ones(len(items)) if weights is None else np.asarray(weights, dtype=np.float64)
    shown, clicked = (summed(codes, each, len(cells)) for each in (how, how * clicks))
    return ClickCells(cells // count, cells % count, shown, clicked)


def examination(
    item: ArrayLike,
    position: ArrayLike,
    click: ArrayLike,
    *,
    method: ExaminationMethod = "conditional",
    weights: ArrayLike | None = None,
) -> Floats:
    """How likely each position is to be looked at, as a multiple of the first: p_k / p_1.

    ``conditional``: of c_i clicks on an item, shown n_ik times at each position, those at k are expected to
    be c_i·n_ik·p_k / Σ_j n_ij·p_j; p is the most likely one (a Poisson model of items with effects of their
    own). It stays right however seldom each item was shown, as it knows no relevance.
    ``em``: p and r of p_k·r_i together the most likely, by expectation and maximisation; it is biased where
    items were shown a few times, and better ones higher.
    ``all-pairs``: of each two positions the items shown at both, each as if it were shown once at each, which
    have a rate r_kj together; p and r are the most likely (intervention harvesting).
    ``pivot``: the clicks per showing at k of items shown there and at the first, over those at the first.
    ``adjacent``: the product of such ratios of each position and the one before it.
    ``randomised``: the rate of clicks at k over that at the first, for items in random order.

    All take for granted that clicks are p·r, that an item is as relevant wherever it stands (at a position by
    chance, or by rankers that differ, not as it became relevant), and ``randomised`` that what stands at each
    position is as relevant on average.

    Args:
        item: int [rows], the number of the item of the query, from 0.
        position: int [rows], from 1.
        click: 0 or 1 a row.
        method: one of `EXAMINATION_METHODS`.
        weights: how much each row counts; None for 1.

    Returns:
        float [greatest position]; 1 first, NaN where nothing links a position to the first.

    Raises:
        ChoiceError: another method.
        DataError: arrays of different lengths, positions below 1.

    Source:
        T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM
        2017 (swaps with a pivot); A. Agarwal, I. Zaitsev, X. Wang, C. Li, M. Najork and T. Joachims,
        "Estimating position bias without intrusive interventions", WSDM 2019; X. Wang, N. Golbandi, M.
        Bendersky, D. Metzler and M. Najork, "Position bias estimation for unbiased learning to rank in
        personal search", WSDM 2018; for ``conditional`` J. Hausman, B. H. Hall and Z. Griliches, "Econometric
        models for count data", Econometrica 52, 1984.

    Example:
        Both items were shown ten times at each position, and clicked half as often at the second.

        >>> import numpy as np
        >>> from rankmark import statistics
        >>> item, position = np.repeat([0, 0, 1, 1], 10), np.repeat([1, 2, 1, 2], 10)
        >>> click = np.concatenate([np.arange(10) < count for count in (8, 4, 4, 2)])
        >>> statistics.examination(item, position, click).round(4).tolist()
        [1.0, 0.5]

    """
    check_choice("method", method, EXAMINATION_METHODS)
    return examination_of(click_cells(item, position, click, weights), method)


def examination_of(cells: ClickCells, method: ExaminationMethod, count: int | None = None) -> Floats:
    """The same of cells; `count` is how many positions there are."""
    count = int(cells.position.max(initial=0)) + 1 if count is None else count
    found = WAYS[method](cells, count)
    first = found[0]
    return found / first if first > 0 else np.full(count, math.nan)


def linked_positions(cells: ClickCells, count: int) -> NDArray[np.bool_]:
    """Of which positions clicks say how likely they are looked at, beside the first; [positions].

    That are those to which a chain leads from the first, and back, of items that were shown at one position
    and clicked at the next: else none or all clicks would speak for one of them, and p be 0 or infinite. A
    position without clicks has p = 0 if an item that was clicked at one of these was shown there.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    own = _of_clicked(cells)
    size = count + int(own.item.max(initial=0)) + 1
    clicked = own.clicked > 0
    begin = np.concatenate([own.position, count + own.item[clicked]])
    end = np.concatenate([count + own.item, own.position[clicked]])
    edges = coo_array((np.ones(len(begin)), (begin, end)), shape=(size, size))
    _, labels = connected_components(edges, directed=True, connection="strong")
    found = labels[:count] == labels[0]
    reached = found[own.position] & clicked
    items = np.zeros(size, dtype=np.bool_)
    items[own.item[reached]] = True
    clicks = summed(own.position, own.clicked, count)
    beside = np.zeros(count, dtype=np.bool_)
    beside[own.position[items[own.item]]] = True
    return np.asarray(found | (beside & (clicks == 0)))


def position_relevance(cells: ClickCells, examined: Floats, items: int) -> Floats:
    """The most likely rate of each item at the first position: c_i / Σ_k n_ik·p_k; NaN if never seen."""
    own = cells.where(~np.isnan(examined[cells.position]))
    seen = summed(own.item, own.shown * examined[own.position], items)
    return divided(summed(own.item, own.clicked, items), seen)


def divided(above: Floats, below: Floats) -> Floats:
    """Ratios; NaN of nothing."""
    return np.asarray(np.divide(above, below, out=np.full(len(above), math.nan), where=below > 0))


def _of_clicked(cells: ClickCells) -> ClickCells:
    """The cells of items that were clicked anywhere: the others say nothing of positions."""
    clicked = np.bincount(cells.item, weights=cells.clicked) > 0
    return cells.where(clicked[cells.item] & (cells.shown > 0))


def _linked_alone(cells: ClickCells, count: int) -> tuple[ClickCells, NDArray[np.bool_]]:
    linked = linked_positions(cells, count)
    own = _of_clicked(cells)
    return own.where(linked[own.position]), linked


def _conditional(cells: ClickCells, count: int) -> Floats:
    """Newton's steps of log p, in which the likelihood is concave."""
    own, linked = _linked_alone(cells, count)
    clicks = summed(own.position, own.clicked, count)
    # A position without any click has p = 0.
    free = np.flatnonzero(linked & (clicks > 0))
    found = np.where(linked, 0.0, math.nan)
    if not len(free) or free[0] != 0:
        return found
    place = np.full(count, -1)
    place[free] = np.arange(len(free))
    own = own.where(place[own.position] >= 0)
    where = place[own.position]
    items, codes = np.unique(own.item, return_inverse=True)
    totals = summed(codes, own.clicked, len(items))
    logs, table = np.zeros(len(free)), np.zeros((len(items), len(free)))

    def state(at: Floats) -> tuple[float, Floats, Floats]:
        """The log-likelihood, the weight of each cell and of each item."""
        weight = own.shown * np.exp(at[where])
        of_item = summed(codes, weight, len(items))
        return float(clicks[free] @ at - totals @ np.log(of_item)), weight, of_item

    value, weight, of_item = state(logs)
    for _ in range(MOST_STEPS):
        share = weight / of_item[codes]
        expected = summed(where, totals[codes] * share, len(free))
        gradient = (clicks[free] - expected)[1:]
        table[codes, where] = share
        curvature = (np.diag(expected) - table.T @ (table * totals[:, None]))[1:, 1:]
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0] if len(gradient) else gradient
        size = 1.0
        while True:
            ahead = np.concatenate([[0.0], logs[1:] + size * step])
            reached, new_weight, new_items = state(ahead)
            if reached >= value - 1e-12 * abs(value) or size < 1e-6:
                break
            size /= 2
        moved = float(np.abs(ahead - logs).max(initial=0.0))
        logs, value, weight, of_item = ahead, reached, new_weight, new_items
        if moved < SETTLED:
            break
    found[free] = np.exp(logs)
    return found


def _by_item(codes: Whole, where: Whole, values: Floats, items: int, places: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, (codes, where)), shape=(items, places))


def _em(cells: ClickCells, count: int) -> Floats:
    own, linked = _linked_alone(cells, count)
    found = np.full(count, math.nan)
    if not len(own.item):
        return found
    items, codes = np.unique(own.item, return_inverse=True)
    looked = _most_likely(own._replace(item=codes), count, len(items))
    return np.where(linked, looked, math.nan)


def _most_likely(cells: ClickCells, count: int, items: int) -> Floats:
    """p, where p and r are from 0 to 1, by expectation and maximisation, with squared steps."""
    shown_at = summed(cells.position, cells.shown, count)
    shown_of = summed(cells.item, cells.shown, items)
    missed = cells.shown - cells.clicked

    def step(both: Floats) -> Floats:
        p, r = both[:count][cells.position], both[count:][cells.item]
        skipped = missed / np.maximum(1 - p * r, 1e-12)
        looked = summed(cells.position, cells.clicked + skipped * p * (1 - r), count)
        wanted = summed(cells.item, cells.clicked + skipped * r * (1 - p), items)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nan_to_num(np.concatenate([looked / shown_at, wanted / shown_of])))

    start = np.concatenate([np.full(count, 0.5), np.full(items, 0.5)])
    return accelerated(step, start)[:count]


def accelerated(step: Callable[[Floats], Floats], start: Floats, tolerance: float = 1e-7) -> Floats:
    """The fixed point of a step whose values are probabilities: three steps at once, extrapolated.

    Source:
        R. Varadhan and C. Roland, "Simple and globally convergent methods for accelerating the convergence of
        any EM algorithm", Scandinavian Journal of Statistics 35, 2008 (SqS3).

    """
    at = start
    for _ in range(MOST_STEPS):
        once = step(at)
        twice = step(once)
        first, second = once - at, (twice - once) - (once - at)
        bend = float(np.sqrt(second @ second))
        if bend == 0 or float(np.abs(twice - once).max(initial=0.0)) < tolerance:
            return twice
        length = -max(float(np.sqrt(first @ first)) / bend, 1.0)
        ahead = at - 2 * length * first + length**2 * second
        at = step(ahead) if ahead.min() >= 0 and ahead.max() <= 1 else twice
    return at


def _pairs(cells: ClickCells, count: int) -> tuple[Floats, Floats]:
    """Of each two positions, of the items shown at both, the sum of their rates at the first; how many."""
    own = cells.where(cells.shown > 0)
    items, codes = np.unique(own.item, return_inverse=True)
    there = _by_item(codes, own.position, np.ones(len(codes)), len(items), count)
    rates = _by_item(codes, own.position, own.clicked / own.shown, len(items), count)
    return np.asarray((rates.T @ there).toarray()), np.asarray((there.T @ there).toarray())


def _pivot(cells: ClickCells, count: int) -> Floats:
    sums, _ = _pairs(cells, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = sums[:, 0] / sums[0]
    found[0] = 1.0
    return np.where(np.isfinite(found), found, math.nan)


def _adjacent(cells: ClickCells, count: int) -> Floats:
    sums, _ = _pairs(cells, count)
    places = np.arange(1, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.cumprod(np.concatenate([[1.0], sums[places, places - 1] / sums[places - 1, places]]))
    return np.where(np.isfinite(found), found, math.nan)


def _all_pairs(cells: ClickCells, count: int) -> Floats:
    sums, both = _pairs(cells, count)
    one, other = np.nonzero(np.triu((both > 0) & (sums + sums.T > 0), 1))
    pair = np.arange(len(one))
    harvested = ClickCells(
        np.concatenate([pair, pair]),
        np.concatenate([one, other]),
        np.concatenate([both[one, other]] * 2),
        np.concatenate([sums[one, other], sums[other, one]]),
    )
    return _em(harvested, count)


def _randomised(cells: ClickCells, count: int) -> Floats:
    shown, clicked = (summed(cells.position, each, count) for each in (cells.shown, cells.clicked))
    return divided(clicked, shown)


WAYS: Mapping[ExaminationMethod, Callable[[ClickCells, int], Floats]] = {
    "conditional": _conditional,
    "em": _em,
    "all-pairs": _all_pairs,
    "pivot": _pivot,
    "adjacent": _adjacent,
    "randomised": _randomised,
}
