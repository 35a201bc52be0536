"""Colours of pages and pictures can be told apart by everybody, on the paper and from each other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from rankmark.rendering.theme import DARK, LIGHT, SERIES, variables

Vector = NDArray[np.float64]
SIGHT = {
    "all colours": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""What is left of linear RGB, after Machado, Oliveira & Fernandes (2009), at full severity."""
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def linear(colour: str) -> Vector:
    """A colour as linear RGB."""
    shares = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """How much lighter one is than the other, by WCAG 2.2."""
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def perceived(light: Vector) -> Vector:
    """Linear RGB as CIE L*a*b*, in which distances are how different colours look."""
    whole = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    share = whole @ np.clip(light, 0, 1) / [0.95047, 1.0, 1.08883]
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@THEMES
def test_text_and_lines_stand_out_from_the_paper(theme: Mapping[str, str]) -> None:
    for name in ("ink", "muted", "good", "bad"):
        assert contrast(theme[name], theme["paper"]) >= 4.5, name
        assert contrast(theme[name], theme["shade"]) >= 4.5, name
    for i in range(1, SERIES + 1):
        assert contrast(theme[f"series-{i}"], theme["paper"]) >= 3, i


@THEMES
@pytest.mark.parametrize("sight", SIGHT)
def test_series_differ_for_everybody(theme: Mapping[str, str], sight: str) -> None:
    seen = [perceived(np.asarray(SIGHT[sight]) @ linear(theme[f"series-{i}"])) for i in range(1, SERIES + 1)]
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) >= 14


def test_the_sheet_names_every_colour_for_light_and_dark_pages_and_print() -> None:
    sheet = variables(".x")
    for name in LIGHT:
        assert sheet.count(f"--rm-{name}:{LIGHT[name]}") >= 3
        assert sheet.count(f"--rm-{name}:{DARK[name]}") >= 2
    assert LIGHT.keys() == DARK.keys()
    assert "@media print" in sheet
