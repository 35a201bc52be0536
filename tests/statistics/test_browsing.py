"""Users who go down a list."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from rankmark import statistics
from rankmark.errors import DataError
from rankmark.statistics import Browsing, ClickPages

A, S, GAMMA = np.array([0.5, 0.4, 0.3]), np.array([0.6, 0.5, 0.9]), 0.8


def pages(*clicks: str) -> ClickPages:
    """Lists of the items 0, 1, 2 …, with 1 for a click."""
    click = np.array([[each == "1" for each in own] for own in clicks])
    return ClickPages(np.tile(np.arange(click.shape[1]), (len(click), 1)), click)


def chance_of(clicks: tuple[int, ...], model: Browsing) -> float:
    """P(clicks), by summing over all that a user can have done."""

    def from_here(j: int) -> float:
        if j == len(clicks):
            return 1.0
        silent = not any(clicks[j + 1 :])
        a, s = model.attraction[j], model.satisfaction[j]
        onwards = (1 - model.continuation) * silent + model.continuation * from_here(j + 1)
        if j + 1 == len(clicks):
            onwards = 1.0
        if clicks[j]:
            return float(a * (s * silent + (1 - s) * onwards))
        return float((1 - a) * onwards)

    return from_here(0)


def test_the_cascade_model_sees_what_is_above_the_first_click() -> None:
    found = statistics.cascade_model(pages("100", "010", "011", "000"))
    # Item 0 was seen in 4 lists, item 1 in 3, item 2 in 1.
    assert found.attraction == pytest.approx([1 / 4, 2 / 3, 0])
    assert found.continuation == 1


def test_the_simplified_model_sees_what_is_above_the_last_click() -> None:
    found = statistics.simplified_browsing(pages("100", "010", "110", "000"))
    # Seen: item 0 in 4 lists; item 1 in the last three; item 2 in the list without clicks alone.
    assert found.attraction == pytest.approx([2 / 4, 2 / 3, 0])
    # Of two clicks on item 0 one is the last, of two on item 1 both.
    assert found.satisfaction[:2] == pytest.approx([1 / 2, 1])
    assert math.isnan(found.satisfaction[2])


def test_em_finds_the_most_likely_model() -> None:
    """Of lists in their expected numbers the true model is the most likely one."""
    truth = Browsing(A, S, GAMMA)
    patterns = list(product((0, 1), repeat=3))
    chances = np.array([chance_of(each, truth) for each in patterns])
    assert chances.sum() == pytest.approx(1)
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    item = np.array([order for order in orders for _ in patterns])
    click = np.array([each for _ in orders for each in patterns], dtype=bool)
    weights = np.concatenate(
        [[chance_of(each, _ordered(truth, order)) for each in patterns] for order in orders]
    )
    found = statistics.browsing_model(ClickPages(item, click), 1000 * weights)
    assert found.continuation == pytest.approx(GAMMA, abs=0.01)
    assert found.attraction == pytest.approx(A, abs=0.01)
    assert found.satisfaction == pytest.approx(S, abs=0.03)


def _ordered(model: Browsing, order: tuple[int, ...]) -> Browsing:
    own: NDArray[np.int64] = np.array(order)
    return Browsing(model.attraction[own], model.satisfaction[own], model.continuation)


def test_what_is_looked_at_is_known_by_the_clicks_above() -> None:
    truth = Browsing(A, S, GAMMA)
    looked = statistics.looked_at(pages("100", "010", "000"), truth)
    after_click = GAMMA * (1 - S[0])
    silent = after_click * (1 - A[1]) / (1 - after_click * A[1])
    assert looked[0] == pytest.approx([1, after_click, GAMMA * silent])
    assert looked[1] == pytest.approx([1, GAMMA * 1.0, GAMMA * (1 - S[1])])
    # P(looked at the third | no click above) by what is likely of all lists.
    unclicked = chance_of((0, 0, 0), truth) + chance_of((0, 0, 1), truth)
    assert looked[2, 2] * A[2] == pytest.approx(chance_of((0, 0, 1), truth) / unclicked)


def test_some_lists_know_of_all_items() -> None:
    made = statistics.click_pages([0, 1], [0, 3], [1, 1], [1, 0])
    part = made.of(np.array([True, False]))
    for model in (statistics.cascade_model, statistics.simplified_browsing, statistics.browsing_model):
        assert len(model(part).attraction) == 4


def test_lists_of_several_lengths_and_gaps() -> None:
    made = statistics.click_pages([0, 0, 1], [5, 6, 5], [1, 2, 1], [0, 1, 1])
    assert made.item.tolist() == [[5, 6], [5, -1]]
    assert statistics.cascade_model(made).attraction[[5, 6]] == pytest.approx([0.5, 1])
    with pytest.raises(DataError, match="each position from 1 to their last once"):
        statistics.click_pages([0, 0], [5, 6], [1, 3], [0, 1])
