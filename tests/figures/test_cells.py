"""Cells of matrices and the words in them."""

from __future__ import annotations

import numpy as np
import pytest

from rankmark.figures import Axis, Cells, Figure, Panel


@pytest.mark.parametrize(("count", "shown"), [(4, True), (20, True), (60, False)])
def test_words_stand_in_every_cell_or_in_none(count: int, shown: bool) -> None:
    names = tuple(f"n{i}" for i in range(count))
    texts = tuple(tuple("123" if i == j else "7" for j in range(count)) for i in range(count))
    cells = Cells(values=np.full((count, count), 0.5), texts=texts)
    panel = Panel(x=Axis(scale="names", names=names), y=Axis(scale="names", names=names), marks=(cells,))
    drawn = Figure(title="t", description="d", panels=(panel,)).to_svg(theme="light")
    assert (drawn.count(">123</text>"), drawn.count(">7</text>")) == (
        (count, count * (count - 1)) if shown else (0, 0)
    )
