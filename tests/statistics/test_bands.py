"""Bands of curves: by hand, and how often they hold the curve that rows are drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from rankmark.statistics.bands import Rates, band, wilson


def test_intervals_are_wilsons_and_of_no_rows_everything() -> None:
    low, high = wilson(np.array([0.0, 0.3, 1.0, 0.5]), np.array([10.0, 10, 10, 0]), 0.9)
    for i, positive in enumerate((0, 3, 10)):
        interval = binomtest(positive, 10).proportion_ci(0.9, "wilson")
        assert (low[i], high[i]) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert (low[3], high[3]) == (0, 1)


def test_a_band_is_what_rectangles_cover() -> None:
    # One positive row above one other: rectangles at (0, 1) and (1, 1), as broad as they are high.
    x, y = Rates(np.array([0.0, 0.0, 1.0]), 1.0), Rates(np.array([0.0, 1.0, 1.0]), 1.0)
    low, high = band(x, y, np.arange(3), 0.95)
    interval = binomtest(1, 1).proportion_ci(0.95**0.5, "wilson")
    assert low == pytest.approx([interval.low] * 3)
    assert high == pytest.approx([1, 1, 1])


def test_a_band_holds_the_curve_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    at = np.array([0.05, 0.2, 0.5])
    true = norm.sf(norm.isf(at) - 1.0)
    held = np.zeros(3)
    for _ in range(200):
        positive, other = rng.normal(1.0, 1.0, 60), rng.normal(0.0, 1.0, 300)
        thresholds = np.sort(np.append(positive, other))[::-1]
        rates = [
            np.append(0.0, np.searchsorted(np.sort(-each), -thresholds, side="right") / len(each))
            for each in (other, positive)
        ]
        ends = band(
            Rates(rates[0], 300.0), Rates(rates[1], 60.0), np.arange(len(thresholds) + 1), confidence=0.9
        )
        low, high = (np.interp(at, rates[0], end) for end in ends)
        held += (low <= true) & (true <= high)
    assert (held / 200 >= 0.9).all()
