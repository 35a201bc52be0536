"""Sums whose parts are exact: no rounding is left that the order of values could change."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmark.statistics.exact_sums import exact

NUMBERS = st.floats(-1e200, 1e200, allow_subnormal=False)


@given(st.lists(NUMBERS, max_size=8), st.randoms(use_true_random=False))
def test_parts_add_up_to_the_sum_whatever_the_order(numbers: list[float], random: object) -> None:
    parts = exact(np.array(numbers))
    assert sum(map(Fraction, parts), Fraction()) == sum(map(Fraction, numbers), Fraction())
    random.shuffle(numbers)  # type: ignore[attr-defined]
    assert exact(np.array(numbers)) == parts


def test_what_two_numbers_cannot_hold_is_kept_in_a_third() -> None:
    numbers = np.array([1e40, 1.0, 1e-40])
    assert exact(numbers) == [1e40, 1.0, 1e-40]
