"""Users who go down a list: the cascade model and the dynamic Bayesian network (DBN) of clicks.

A user looks at the first item. One that is looked at attracts a click with probability a, of the item; one
that is clicked satisfies with s, and ends the search; who is not satisfied goes on to the next with γ. The
cascade model is that with s = γ = 1: one click, and all before it was looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import DataError
from rankmark.statistics.position_bias import Whole, accelerated, divided, summed
from rankmark.statistics.resampling import Floats

__all__ = [
    "Browsing",
    "ClickPages",
    "browsing_model",
    "cascade_model",
    "click_pages",
    "looked_at",
    "looked_at_anyhow",
    "simplified_browsing",
]


class ClickPages(NamedTuple):
    """Lists that were shown, one a row, best position first.

    Attributes:
        item: int [lists, positions], the number of the item of the query, from 0; −1 beyond a list's end.
        click: bool [lists, positions].
        items: how many items there are, where some may be in none of these lists; 0 for those here.

    """

    item: Whole
    click: NDArray[np.bool_]
    items: int = 0

    @property
    def there(self) -> NDArray[np.bool_]:
        """Where there is an item."""
        return self.item >= 0

    def of(self, lists: NDArray[np.bool_]) -> ClickPages:
        """Some of them."""
        return ClickPages(self.item[lists], self.click[lists], self.all_items)

    @property
    def all_items(self) -> int:
        """How many items there are."""
        return max(self.items, int(self.item.max(initial=-1)) + 1)


class Browsing(NamedTuple):
    """How users go down lists.

    Attributes:
        attraction: float [items], the probability of a click on an item that is looked at; NaN for one that
            never was.
        satisfaction: float [items], that a click ends the search; NaN for items without a click that says so.
        continuation: γ, that who is not satisfied goes on.

    """

    attraction: Floats
    satisfaction: Floats
    continuation: float


def click_pages(impression: ArrayLike, item: ArrayLike, position: ArrayLike, click: ArrayLike) -> ClickPages:
    """Rows of a log, one an item that was shown, as lists.

    Args:
        impression: int [rows], the number of the list, from 0.
        item: int [rows], the number of the item of the query, from 0.
        position: int [rows], from 1, without gaps in a list.
        click: 0 or 1 a row.

    Raises:
        DataError: a position twice in a list, or not there though a later one is.

    """
    lists, places = np.asarray(impression, dtype=np.int64), np.asarray(position, dtype=np.int64) - 1
    shape = (int(lists.max(initial=-1)) + 1, int(places.max(initial=-1)) + 1)
    items = np.full(shape, -1, dtype=np.int64)
    items[lists, places] = np.asarray(item, dtype=np.int64)
    clicks = np.zeros(shape, dtype=np.bool_)
    clicks[lists, places] = np.asarray(click, dtype=np.bool_)
    there = items >= 0
    if int(there.sum()) != len(lists) or (np.diff(there.astype(np.int8), axis=1) > 0).any():
        raise DataError("lists need each position from 1 to their last once: some have one twice, or none")
    return ClickPages(items, clicks)


def cascade_model(pages: ClickPages, weights: Floats | None = None) -> Browsing:
    """The most likely cascade model: a = clicks / showings down to the first click of each list.

    What stands below the first click is not looked at: later clicks, which the model does not know, are left
    out.

    Source:
        N. Craswell, O. Zoeter, M. Taylor and B. Ramsey, "An experimental comparison of click position-bias
        models", WSDM 2008.

    """
    before = np.asarray(np.cumsum(pages.click, axis=1) == pages.click)
    return Browsing(*_rates(pages, before & pages.there, before & pages.click, weights), 1.0)


def simplified_browsing(pages: ClickPages, weights: Floats | None = None) -> Browsing:
    """The simplified DBN: all down to the last click was looked at, and that one satisfied.

    a = clicks / showings at or above the last click, s = last clicks / clicks; γ is 1, and of a list without
    a click all was looked at.

    Source:
        O. Chapelle and Y. Zhang, "A dynamic Bayesian network click model for web search ranking", WWW 2009,
        algorithm 1.

    """
    after = _after(pages.click)
    none = ~pages.click.any(axis=1, keepdims=True)
    seen = (pages.click | after | none) & pages.there
    attraction, _ = _rates(pages, seen, pages.click, weights)
    last = pages.click & ~after
    satisfaction = _rate(pages.item, pages.click, last, len(attraction), weights)
    return Browsing(attraction, satisfaction, 1.0)


def browsing_model(
    pages: ClickPages, weights: Floats | None = None, start: Browsing | None = None
) -> Browsing:
    """The most likely DBN, by expectation and maximisation.

    Of what stands below the last click it is known with which probability it was looked at; a click at the
    end of a list does not say whether it satisfied.

    Args:
        pages: the lists.
        weights: how much each list counts; None for 1.
        start: where to begin; the simplified model if None.

    Source:
        O. Chapelle and Y. Zhang, "A dynamic Bayesian network click model for web search ranking", WWW 2009.

    """
    begin = simplified_browsing(pages, weights) if start is None else start
    items = len(begin.attraction)

    def step(both: Floats) -> Floats:
        a, s, gamma = both[:items], both[items:-1], float(both[-1])
        return np.concatenate(_maximised(pages, Browsing(a, s, gamma), weights))

    gamma = begin.continuation if begin.continuation < 1 else 0.9
    first = np.concatenate([_inside(begin.attraction), _inside(begin.satisfaction), [gamma]])
    found = accelerated(step, first, tolerance=1e-5 if start is None else 1e-3)
    return Browsing(found[:items], found[items:-1], float(found[-1]))


def _inside(rates: Floats) -> Floats:
    """Rates to begin with: none of 0 or 1, at which no step would move."""
    return np.clip(np.nan_to_num(rates, nan=0.5), 0.05, 0.95)


def _after(click: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether there is a click further down."""
    return np.asarray(np.cumsum(click[:, ::-1], axis=1)[:, ::-1] > click)


def _rates(
    pages: ClickPages, seen: NDArray[np.bool_], clicked: NDArray[np.bool_], weights: Floats | None
) -> tuple[Floats, Floats]:
    """Clicks per showing of each item, and a satisfaction that is 1."""
    items = pages.all_items
    return _rate(pages.item, seen, clicked, items, weights), np.ones(items)


def _rate(
    item: Whole, of: NDArray[np.bool_], those: NDArray[np.bool_], items: int, weights: Floats | None
) -> Floats:
    wide = np.ones(item.shape) if weights is None else np.repeat(weights[:, None], item.shape[1], axis=1)
    above, below = (summed(item[which], wide[which], items) for which in (those, of))
    return divided(above, below)


def _maximised(pages: ClickPages, model: Browsing, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """What is most likely after it is expected, by the model before, who looked at what and was satisfied."""
    item, click, there = pages.item, pages.click, pages.there
    count = item.shape[1]
    a = np.where(there, model.attraction[item], 0.0)
    s = np.where(there, model.satisfaction[item], 0.0)
    gamma = model.continuation
    more = np.zeros_like(there)
    more[:, :-1] = there[:, 1:]
    # From the end: the chance of no click from here on, and after here, if here is looked at.
    silent, onwards = np.ones((len(item), count + 1)), np.ones(item.shape)
    for j in range(count - 1, -1, -1):
        onwards[:, j] = np.where(more[:, j], 1 - gamma + gamma * silent[:, j + 1], 1.0)
        silent[:, j] = np.where(there[:, j], (1 - a[:, j]) * onwards[:, j], 1.0)
    after = _after(click)
    ended = s / np.maximum(s + (1 - s) * onwards, 1e-300)
    satisfied = np.where(click & ~after & more, ended, 0.0)
    looked = np.zeros(item.shape)
    looked[:, 0] = there[:, 0]
    for j in range(count - 1):
        ahead = (
            (looked[:, j] - satisfied[:, j]) * gamma * silent[:, j + 1] / np.maximum(onwards[:, j], 1e-300)
        )
        looked[:, j + 1] = np.where(click[:, j + 1] | after[:, j + 1], 1.0, ahead) * there[:, j + 1]
    wide = np.ones(item.shape) if weights is None else np.repeat(weights[:, None], count, axis=1)
    items = len(model.attraction)

    def total(values: Floats, which: NDArray[np.bool_]) -> Floats:
        return summed(item[which], (wide * values)[which], items)

    def share(above: Floats, below: Floats) -> Floats:
        return np.asarray(np.nan_to_num(divided(above, below)))

    ones = np.ones(item.shape)
    telling = click & more
    attraction = share(total(ones, click), total(looked, there))
    satisfaction = share(total(satisfied, telling), total(ones, telling))
    could = float((wide * (looked - satisfied))[more].sum())
    did = float((wide[:, 1:] * looked[:, 1:])[more[:, :-1]].sum())
    return attraction, satisfaction, np.array([did / could if could else gamma])


def looked_at(pages: ClickPages, model: Browsing) -> Floats:
    """The chance that each item was looked at, given the clicks above it in its list; [lists, positions].

    Source:
        A. Vardasbi, M. de Rijke and I. Markov, "Cascade model-based propensity estimation for counterfactual
        learning to rank", SIGIR 2020.

    """
    a, s = model.attraction[pages.item], model.satisfaction[pages.item]
    found = np.ones(pages.item.shape)
    for j in range(pages.item.shape[1] - 1):
        unclicked = found[:, j] * (1 - a[:, j]) / np.maximum(1 - found[:, j] * a[:, j], 1e-300)
        found[:, j + 1] = model.continuation * np.where(pages.click[:, j], 1 - s[:, j], unclicked)
    return np.where(pages.there, found, 0.0)


def looked_at_anyhow(pages: ClickPages, model: Browsing) -> Floats:
    """The chance that each item is looked at, whatever is clicked; [lists, positions]."""
    onwards = model.continuation * (1 - model.attraction[pages.item] * model.satisfaction[pages.item])
    found = np.cumprod(np.concatenate([np.ones((len(onwards), 1)), onwards[:, :-1]], axis=1), axis=1)
    return np.where(pages.there, found, 0.0)
