"""How likely positions are to be looked at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def rows(*cells: tuple[int, int, int, int]) -> Rows:
    """Rows of a log: of each item, position, how often it was shown there, and clicked."""
    item, position, click = [], [], []
    for one, place, shown, clicked in cells:
        item += [one] * shown
        position += [place] * shown
        click += [1] * clicked + [0] * (shown - clicked)
    return np.array(item), np.array(position), np.array(click)


SWAPPED = rows((0, 1, 10, 8), (0, 2, 10, 4), (1, 1, 10, 4), (1, 2, 10, 2))
"""Two items, each ten times at each of two positions, and clicked half as often at the second."""


@pytest.mark.parametrize("method", statistics.EXAMINATION_METHODS)
def test_every_method_finds_what_swapped_items_say(method: Any) -> None:
    found = statistics.examination(*SWAPPED, method=method)
    assert found == pytest.approx([1, 0.5], abs=1e-5)


def test_pivot_and_adjacent_are_ratios_of_clicks_per_showing() -> None:
    log = rows((0, 1, 10, 5), (0, 2, 20, 4), (1, 2, 10, 6), (1, 3, 10, 3), (2, 1, 4, 2), (2, 3, 8, 1))
    # Item 0: .5 at the first, .2 at the second. Item 2: .5 and .125. Item 1: .6 and .3.
    assert statistics.examination(*log, method="pivot") == pytest.approx([1, 0.4, 0.25])
    assert statistics.examination(*log, method="adjacent") == pytest.approx([1, 0.4, 0.2])


def test_conditional_is_the_most_likely_of_the_positions_of_clicks() -> None:
    log = rows((0, 1, 10, 5), (0, 2, 20, 4), (1, 2, 10, 6), (1, 3, 10, 3), (2, 1, 4, 2), (2, 3, 8, 1))
    cells = statistics.click_cells(*log)

    def against(logs: NDArray[np.float64]) -> float:
        weight = cells.shown * np.exp(np.concatenate([[0.0], logs]))[cells.position]
        share = weight / np.bincount(cells.item, weights=weight)[cells.item]
        return -float(cells.clicked @ np.log(share))

    best = np.exp(minimize(against, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9}).x)
    assert statistics.examination(*log)[1:] == pytest.approx(best, rel=1e-5)


def test_em_is_the_most_likely_product() -> None:
    log = rows((0, 1, 30, 15), (0, 2, 20, 4), (1, 2, 30, 9), (1, 1, 10, 6))
    cells = statistics.click_cells(*log)

    def against(at: NDArray[np.float64]) -> float:
        chance = np.array([1.0, at[0]])[cells.position] * at[1:][cells.item]
        return -float(cells.clicked @ np.log(chance) + (cells.shown - cells.clicked) @ np.log(1 - chance))

    best = minimize(against, np.full(3, 0.5), method="Nelder-Mead", options={"xatol": 1e-9}).x
    assert statistics.examination(*log, method="em")[1] == pytest.approx(best[0], rel=1e-4)


def test_weights_count_as_rows_do() -> None:
    item, position, click = SWAPPED
    twice = np.where(item == 0, 2, 1)
    repeated = (np.repeat(each, twice) for each in (item, position, click))
    for method in ("conditional", "em", "all-pairs"):
        weighed = statistics.examination(item, position, click, method=method, weights=twice)  # type: ignore[arg-type]
        assert weighed == pytest.approx(statistics.examination(*repeated, method=method), abs=1e-5)  # type: ignore[arg-type]
        repeated = (np.repeat(each, twice) for each in (item, position, click))


def test_positions_that_no_item_links_to_the_first_are_not_known() -> None:
    log = rows((0, 1, 10, 8), (0, 2, 10, 4), (1, 3, 10, 5), (1, 4, 10, 5), (2, 2, 10, 0), (2, 3, 10, 0))
    found = statistics.examination(*log)
    assert found[:2] == pytest.approx([1, 0.5])
    assert all(math.isnan(each) for each in found[2:]), "item 2 was never clicked, and so says nothing"
    linked = statistics.linked_positions(statistics.click_cells(*log), 4)
    assert linked.tolist() == [True, True, False, False]


def test_positions_for_which_all_clicks_speak_are_not_known() -> None:
    # What was shown at 1 and 2 was clicked at 2 alone: 2 would be looked at infinitely more often.
    log = rows((0, 1, 10, 0), (0, 2, 10, 4), (1, 1, 10, 5), (1, 3, 10, 2))
    found = statistics.examination(*log)
    assert found[[0, 2]] == pytest.approx([1, 0.4])
    assert math.isnan(found[1])


def test_a_position_that_nobody_clicks_at_is_never_looked_at() -> None:
    log = rows((0, 1, 10, 8), (0, 2, 10, 0))
    assert statistics.examination(*log) == pytest.approx([1, 0])


def test_conditional_stays_right_where_items_were_shown_seldom_and_em_does_not() -> None:
    rng = np.random.default_rng(3)
    items, truth = 6_000, np.array([1.0, 0.5, 0.25])
    rates = rng.uniform(0.1, 0.7, items)
    item = np.repeat(np.arange(items), 4)
    # The better an item is, the higher it stands.
    position = np.clip(4 - np.ceil(5 * rates[item] * rng.random(len(item))), 1, 3).astype(int)
    click = rng.random(len(item)) < truth[position - 1] * rates[item]
    assert statistics.examination(item, position, click) == pytest.approx(truth, abs=0.03)
    assert abs(statistics.examination(item, position, click, method="em")[2] - 0.25) > 0.05


def test_what_is_no_log_is_refused() -> None:
    with pytest.raises(DataError, match="2 items, 1 positions and 1 clicks"):
        statistics.examination([0, 1], [1], [0])
    with pytest.raises(DataError, match="positions count from 1"):
        statistics.examination([0], [0], [0])
    with pytest.raises(ChoiceError, match="method='guess'"):
        statistics.examination([0], [1], [1], method="guess")  # type: ignore[arg-type]
