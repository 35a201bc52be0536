"""Neyman's allocation: by trying all others, and by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import neyman_allocation


def variance(counts: Any, sizes: Any, deviations: Any) -> float:
    return float(np.sum((np.array(sizes) * deviations) ** 2 / np.array(counts)))


@pytest.mark.parametrize("units", [6, 9, 14, 20])
@pytest.mark.parametrize("known", [None, [5, 0, 1]])
def test_no_other_allocation_has_a_smaller_variance(units: int, known: list[int] | None) -> None:
    sizes, deviations = [10, 7, 12], np.array([1.0, 3.5, 0.4])
    least = np.maximum(2, known or [0, 0, 0])
    if least.sum() > units:
        with pytest.raises(ChoiceError, match="9 at least"):
            neyman_allocation(units, sizes, deviations, known=known)
        return
    found = neyman_allocation(units, sizes, deviations, known=known)
    all_others = product(*(range(low, high + 1) for low, high in zip(least, sizes, strict=True)))
    best = min(variance(each, sizes, deviations) for each in all_others if sum(each) == units)
    assert found.sum() == units
    assert variance(found, sizes, deviations) == pytest.approx(best)


def test_a_stratum_is_never_asked_for_more_than_it_has() -> None:
    assert neyman_allocation(9, [3, 50], [100, 1]).tolist() == [3, 6]


def test_strata_without_spread_come_last() -> None:
    assert neyman_allocation(8, [4, 6], [0, 1]).tolist() == [2, 6]
    assert neyman_allocation(9, [4, 6], [0, 1]).tolist() == [3, 6]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(DataError, match="one of each of 2 strata"):
        neyman_allocation(5, [4, 4], [1, -1])
    with pytest.raises(DataError, match="not more than it has"):
        neyman_allocation(5, [4, 4], [1, 1], known=[5, 0])
    with pytest.raises(ChoiceError, match="8 at most"):
        neyman_allocation(9, [4, 4], [1, 1])
