"""Discounts, which are kept for the first ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmark.kinds.gains import KEPT, Discount, discounts


@pytest.mark.parametrize("discount", ["log2", "log2max", 2, 3, 1.5, math.e])
def test_those_that_are_kept_are_those_of_longer_lists(discount: Discount) -> None:
    longer = discounts(discount, KEPT + 1)
    for depth in (1, 10, KEPT):
        kept = discounts(discount, depth)
        assert len(kept) == depth
        assert kept == pytest.approx(longer[:depth], rel=1e-15)


def test_discounts_are_one_over_the_logarithm() -> None:
    assert np.array_equal(discounts("log2", 3), [1.0, 1 / math.log2(3), 0.5])
    assert np.array_equal(discounts("log2max", 3), [1.0, 1.0, 1 / math.log2(3)])
    assert discounts(4, 15)[[0, 2, 14]] == pytest.approx([2.0, 1.0, 0.5])
