"""Arrays of lists of different lengths."""

from __future__ import annotations

import numpy as np
import pytest

from rankmark.kinds.ragged import sums_by_key


@pytest.mark.parametrize("size", [5, 1_000_000], ids=["a place for each", "sorted"])
def test_sums_by_key(size: int) -> None:
    keys, x = np.array([3, 0, 3, 4, 3]), np.array([1.0, 2.0, 0.5, 0.0, 0.25])
    distinct, sums = sums_by_key(keys, x, size)
    assert distinct.tolist() == [0, 3, 4]
    assert sums.tolist() == [2.0, 1.75, 0.0]
