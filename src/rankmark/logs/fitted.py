"""Click models of a log's rows: fitted, and what they say of each row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.statistics.browsing import (
    Browsing,
    ClickPages,
    browsing_model,
    cascade_model,
    click_pages,
    looked_at,
    looked_at_anyhow,
    simplified_browsing,
)
from rankmark.statistics.position_bias import (
    ClickCells,
    ExaminationMethod,
    examination_of,
    numbered,
    position_relevance,
    summed,
)
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.inputs.click_logs import ClickLog

__all__ = ["LEAST", "Fit", "LogRows", "fit_browsing", "fit_position", "part_of"]

Whole = NDArray[np.int64]
LEAST = 1e-6
"""No probability of what happened is taken to be less, which one surprise would make −∞ of."""


@dataclass(frozen=True, slots=True, eq=False)
class LogRows:
    """The rows of a log, in the order of lists and positions.

    Attributes:
        impression: the number of the list.
        item: the number of the item of the query.
        position: from 1.
        click: whether it was clicked.
        items: how many items there are.
        positions: how many positions.
        pages: the same as lists, for models that go down them; None for the position-based model.

    """

    impression: Whole
    item: Whole
    position: Whole
    click: NDArray[np.bool_]
    items: int
    positions: int
    pages: ClickPages | None

    @classmethod
    def of(cls, log: ClickLog, *, browsing: bool) -> LogRows:
        """Those of a log that was read."""
        impression, position = (log.frame[name].to_numpy() for name in ("impression", "position"))
        click, item = log.frame["click"].to_numpy(), log.numbers_of("query", "item")
        items, positions = int(item.max()) + 1, int(position.max())
        pages = click_pages(impression, item, position, click) if browsing else None
        return cls(impression, item, position, click, items, positions, pages)

    @property
    def impressions(self) -> int:
        """How many lists there are."""
        return int(self.impression[-1]) + 1

    def cells(self) -> tuple[ClickCells, Whole]:
        """How often items were shown at positions and clicked, and the cell of each row."""
        codes, cell = numbered(self.item * self.positions + self.position - 1)
        item, place = codes // self.positions, codes % self.positions
        shown, clicked = (summed(cell, each, len(codes)) for each in (np.ones(len(cell)), self.click))
        return ClickCells(item, place, shown, clicked), cell


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A model that was fitted.

    Attributes:
        examined: of the position-based model how likely each position is to be looked at; else None.
        browsing: how users go down lists; else None.
        relevance: the rate of clicks on each item where it is looked at; NaN where nothing is known.

    """

    examined: Floats | None
    browsing: Browsing | None
    relevance: Floats

    def propensities(self, rows: LogRows) -> Floats:
        """How likely each row was looked at, given the clicks above it in its list."""
        if self.browsing is None:
            assert self.examined is not None
            return np.asarray(self.examined[rows.position - 1])
        assert rows.pages is not None
        return np.asarray(looked_at(rows.pages, self._known())[rows.impression, rows.position - 1])

    def means(self, rows: LogRows) -> Floats:
        """How likely each position is to be looked at, whatever is clicked: the mean over lists."""
        if self.browsing is None:
            assert self.examined is not None
            return self.examined
        return _mean_at(rows, self.anyhow(rows))

    def anyhow(self, rows: LogRows) -> Floats:
        """How likely each row was looked at, whatever was clicked."""
        if self.browsing is None:
            return self.propensities(rows)
        assert rows.pages is not None
        found = looked_at_anyhow(rows.pages, self._known())
        return np.asarray(found[rows.impression, rows.position - 1])

    def drawn_in(self, rows: LogRows) -> Fit:
        """The same, with the rates of items nearer to their mean: what one more showing of it would make."""
        looked = np.nan_to_num(self.propensities(rows))
        seen, clicks = (summed(rows.item, each, rows.items) for each in (looked, rows.click))
        relevance = np.minimum((clicks + clicks.sum() / max(seen.sum(), 1.0)) / (seen + 1), 1.0)
        if self.browsing is None:
            return Fit(self.examined, None, relevance)
        own = self.browsing.satisfaction
        mean = float(np.nansum(own * clicks) / max(clicks[~np.isnan(own)].sum(), 1.0))
        satisfaction = (np.nan_to_num(own, nan=mean) * clicks + mean) / (clicks + 1)
        return Fit(None, self.browsing._replace(attraction=relevance, satisfaction=satisfaction), relevance)

    def _known(self) -> Browsing:
        """How users go down lists, with the mean where nothing is known of an item."""
        assert self.browsing is not None
        a, s, _ = self.browsing
        return self.browsing._replace(
            attraction=np.nan_to_num(a, nan=_nanmean(a)), satisfaction=np.nan_to_num(s, nan=_nanmean(s))
        )


def _nanmean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.5


def _mean_at(rows: LogRows, values: Floats) -> Floats:
    place = rows.position - 1
    return np.asarray(np.bincount(place, weights=values) / np.maximum(np.bincount(place), 1))


def fit_position(
    rows: LogRows, method: ExaminationMethod, labels: Whole | None = None
) -> Callable[[Floats | None], Fit]:
    """What fits the position-based model to a log whose clusters weigh as it is told.

    Args:
        rows: the log.
        method: how.
        labels: the number of each list's cluster; None where none weighs more than others.

    """
    cells, cell = rows.cells()
    size = 1 if labels is None else int(labels.max()) + 1
    own_labels = np.zeros(len(cell), dtype=np.int64) if labels is None else labels[rows.impression]
    both, pair = numbered(cell * size + own_labels)
    shown, clicked = (summed(pair, each, len(both)) for each in (np.ones(len(pair)), rows.click))

    def fit(weights: Floats | None) -> Fit:
        own = cells
        if weights is not None:
            how = weights[both % size]
            sums = (summed(both // size, how * each, len(cells.item)) for each in (shown, clicked))
            own = ClickCells(cells.item, cells.position, *sums)
        examined = examination_of(own, method, rows.positions)
        return Fit(examined, None, position_relevance(own, examined, rows.items))

    return fit


def fit_browsing(
    rows: LogRows, model: str, method: str, labels: Whole | None = None
) -> Callable[[Floats | None], Fit]:
    """The same of a model that goes down lists."""
    pages = rows.pages
    assert pages is not None
    begun: list[Browsing] = []

    def fit(weights: Floats | None) -> Fit:
        own = None if weights is None or labels is None else np.asarray(weights[labels])
        if model == "cascade":
            found = cascade_model(pages, own)
        elif method == "simplified":
            found = simplified_browsing(pages, own)
        else:
            found = browsing_model(pages, own, start=begun[0] if begun else None)
            begun.append(found)
        return Fit(None, found, found.attraction)

    return fit


def part_of(rows: LogRows, lists: NDArray[np.bool_]) -> LogRows:
    """The rows of some lists, with items and positions as they are."""
    kept = lists[rows.impression]
    numbers = np.cumsum(lists) - 1
    return replace(
        rows,
        impression=numbers[rows.impression[kept]],
        item=rows.item[kept],
        position=rows.position[kept],
        click=rows.click[kept],
        pages=None if rows.pages is None else rows.pages.of(lists),
    )
