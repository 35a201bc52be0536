"""Intervals that hold at every number of values at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError


def test_the_capital_is_that_of_the_bets() -> None:
    # Of values 0 the stakes on a mean below m: s² is 1/4 before the first, then (1/4 + 0.25²)/2 …
    values, m, alpha = [0.0, 0.0, 0.0], 0.4, 0.05
    means = [0.5 / (i + 1) for i in (1, 2, 3)]
    before = [0.25] + [(0.25 + sum(x**2 for x in means[:i])) / (i + 1) for i in (1, 2)]
    stakes = [
        min(math.sqrt(2 * math.log(1 / alpha) / (s * i * math.log(1 + i))), 0.5 / (1 - m))
        for i, s in enumerate(before, 1)
    ]
    from rankmark.statistics.sequences import evidence

    expected = np.cumsum([math.log(1 + stake * m) for stake in stakes])
    np.testing.assert_allclose(evidence(np.array(values), m, alpha), expected)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_mean_is_ever_left_out_no_oftener_than_said(share: float) -> None:
    left = 0
    for seed in range(60):
        values = np.random.default_rng([8, seed]).random(300) < share
        sequence = statistics.confidence_sequence(values, low=0, high=1, side="high", confidence=0.8)
        left += bool((sequence.high < share).any())
    assert left / 60 <= 0.2


def test_each_interval_is_within_those_before() -> None:
    values = np.random.default_rng(0).normal(0, 0.1, 400).clip(-1, 1)
    low, high = statistics.confidence_sequence(values, low=-1, high=1)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert low[-1] < values.mean() < high[-1]
    assert high[-1] - low[-1] < 0.12
    # The mirrored values have the mirrored ends, and one end alone is closer.
    mirrored = statistics.confidence_sequence(-values, low=-1, high=1)
    np.testing.assert_allclose(mirrored.low, -high)
    one = statistics.confidence_sequence(values, low=-1, high=1, side="high")
    assert one.high[-1] <= high[-1]
    assert (one.low == -1).all()


def test_what_is_no_range_is_refused() -> None:
    with pytest.raises(ChoiceError, match="give two numbers, the less first"):
        statistics.confidence_sequence([0.5], low=1, high=0)
    with pytest.raises(DataError, match="1 of the values are not from 0 to 1"):
        statistics.confidence_sequence([0.5, 2], low=0, high=1)
    with pytest.raises(ChoiceError, match="side="):
        statistics.confidence_sequence([0.5], low=0, high=1, side="up")  # type: ignore[arg-type]
