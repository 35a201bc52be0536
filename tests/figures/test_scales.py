"""Axes: where numbers stand on them, and what is written there."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankmark.figures import Axis
from rankmark.figures.scales import scale_of, written

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def test_rates_stand_at_their_normal_deviates() -> None:
    scale = scale_of(Axis(scale="normal", limits=(0.001, 0.999), ticks="percent"), (), 0, 100)
    assert float(scale(0.5)) == pytest.approx(50)
    assert float(scale(0.01)) == pytest.approx(100 * (1 - 2.3263 / 3.0902) / 2, abs=0.01)
    assert (float(scale(0.0)), float(scale(1.0))) == (0, 100)
    assert [text for _, text in scale.ticks(5)][:3] == ["0.1 %", "1 %", "5 %"]


def test_numbers_of_different_sizes_are_percent_too() -> None:
    assert written([0.0001, 0.01, 1.0], percent=True) == ["0.01 %", "1 %", "100 %"]


@pytest.mark.parametrize("count", [2, 5])
def test_a_low_panel_has_few_powers(count: int) -> None:
    scale = scale_of(Axis(scale="log", limits=(0.5, 30_000.0)), (), 0, 100)
    assert 2 <= len(scale.ticks(count)) <= count + 1


@given(
    st.lists(NUMBERS, max_size=4),
    st.integers(1, 12),
    st.sampled_from(["linear", "log"]),
    st.sampled_from(["number", "percent"]),
)
@example([1.7e308, -1.7e308], 5, "linear", "number")
@example([5e-324], 5, "log", "number")
@example([5e-324, 1.7e308], 5, "log", "percent")
@example([1e16, 1e16 + 2], 5, "linear", "number")
@example([0.3, 0.1 + 0.2], 5, "linear", "number")
@example([1e6, 1e6 + 3], 5, "linear", "number")
@example([1.0], 1, "log", "number")
def test_every_axis_has_a_few_different_ticks_within_it(
    numbers: list[float], count: int, scale: Literal["linear", "log"], ticks: Literal["number", "percent"]
) -> None:
    found = scale_of(Axis(scale=scale, ticks=ticks), [np.array(numbers, np.float64)], 0.0, 300.0)
    assert math.isfinite(found.low)
    assert math.isfinite(found.high)
    assert found.low < found.high
    values = [value for value, _ in found.ticks(count)]
    assert values == sorted(set(values))
    assert 2 <= len(values) <= 3 * count + 6
    room = 1e-6 * (found.high - found.low)
    assert found.low - room <= values[0]
    assert values[-1] <= found.high + room
    texts = [text for _, text in found.ticks(count)]
    assert len(set(texts)) == len(texts)
    assert all(len(text) <= 20 for text in texts)


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_every_number_stands_within_its_axis(numbers: list[float]) -> None:
    found = scale_of(Axis(), [np.array(numbers, np.float64)], 20.0, 300.0)
    places = found(np.array(numbers, np.float64))
    assert ((places >= 20) & (places <= 300)).all()


def test_numbers_that_differ_by_rounding_alone_have_room_around_them() -> None:
    found = scale_of(Axis(), [np.array([0.3, 0.1 + 0.2])], 0.0, 300.0)
    assert (found.low, found.high) == pytest.approx((0.15, 0.45))


def test_limits_that_are_one_number_have_room_around_them() -> None:
    found = scale_of(Axis(limits=(5.0, 5.0)), [], 0.0, 300.0)
    assert float(found(5.0)) == 150


def test_zeros_stand_at_the_low_end_of_a_log_axis_and_what_is_below_them_nowhere() -> None:
    found = scale_of(Axis(scale="log"), [np.array([0.0, -1.0, 1.0, 100.0])], 0.0, 300.0)
    assert (found.low, found.high) == (1.0, 100.0)
    assert found(np.array([0.0, 10.0])).tolist() == [0.0, 150.0]
    assert math.isnan(found(-1.0))


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([], []),
        ([0.0, 0.2, 0.4], ["0.0", "0.2", "0.4"]),
        ([-1.0, 0.0, 1.0], ["−1", "0", "1"]),
        ([1.0, 100.0, 10_000.0], ["1", "100", "10,000"]),
        ([1e6, 1e6 + 1], ["1,000,000", "1,000,001"]),
        ([0.0, 2e7, 4e7], ["0", "2e7", "4e7"]),
        ([1e7 + 1, 1e7 + 2], ["1.0000001e7", "1.0000002e7"]),
        ([1e-6, 1e-3, 1.0], ["1e−6", "0.001", "1"]),
        ([0.0, 1e-8, 2e-8], ["0", "1e−8", "2e−8"]),
        ([12.5], ["12.5"]),
    ],
)
def test_all_numbers_at_an_axis_have_the_digits_that_tell_them_apart(
    values: list[float], texts: list[str]
) -> None:
    assert written(values) == texts


def test_words_above_what_is_drawn_take_their_room_from_each_name() -> None:
    from dataclasses import replace

    plain = scale_of(Axis(scale="names", names=("a", "b")), [], 0.0, 80.0)
    found = replace(plain, above=16.0)
    # The lower 24 of the 40 pixels of each name: the middle at 28.
    assert found(np.array([0.0, 1.0])).tolist() == pytest.approx([28.0, 68.0])
    assert found(np.array([-0.25, 0.25])).tolist() == pytest.approx([22.0, 34.0])
