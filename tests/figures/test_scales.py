"""Axes: where numbers stand on them, and what is written there."""

from __future__ import annotations

import pytest

from rankmark.figures import Axis
from rankmark.figures.scales import scale_of, written


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
