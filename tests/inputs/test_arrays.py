"""Arrays of NumPy in any order of bytes, of any width, and with masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics import corrected, t_interval

SCORES = np.array([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1]])
GRADES = np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, np.nan]])


@pytest.mark.parametrize("dtype", [">f8", "<f8", ">f4", np.longdouble, ">f2"])
def test_neither_the_order_of_bytes_nor_the_width_decides_a_value(dtype: Any) -> None:
    plain = rm.evaluate_arrays(SCORES, GRADES, "RR AP", missing="skip")
    other = rm.evaluate_arrays(SCORES.astype(dtype), GRADES.astype(dtype), "RR AP", missing="skip")
    assert plain.values == other.values
    assert plain.per_query.equals(other.per_query)
    whole = rm.evaluate_arrays(SCORES, [np.array([0], dtype=">i4"), np.array([1], dtype=">u8")], "RR")
    assert whole.per_query["RR"].to_list() == [1 / 3, 1 / 2]
    evaluator = rm.PredictionEvaluator("Brier")
    evaluator.update_arrays(np.array([1, 0], dtype=">i8"), np.array([0.75, 0.5]).astype(dtype))
    assert evaluator.result()["Brier"] == 0.15625


def test_a_mask_of_numpy_is_never_overlooked() -> None:
    masked = np.ma.array(SCORES, mask=[[0, 1, 0], [0, 0, 0]])
    for arrays in ((masked, GRADES), (SCORES, np.ma.array(np.ones((2, 3)), mask=masked.mask))):
        with pytest.raises(rm.UsageError, match="is a masked array, 1 of whose 6 values are masked; say"):
            rm.evaluate_arrays(*arrays, "RR")
    unmasked = np.ma.array(SCORES)
    assert rm.evaluate_arrays(unmasked, np.ones((2, 3)), "RR")["RR"] == 1.0
    with pytest.raises(rm.UsageError, match="labels is a masked array"):
        rm.PredictionEvaluator("AUC").update_arrays(np.ma.array([1, 0], mask=[1, 0]), [0.2, 0.1])


def test_masked_values_of_statistics_are_none() -> None:
    p_values = np.ma.array([0.01, 0.04, 0.5], mask=[0, 0, 1])
    assert corrected(p_values, "bonferroni").tolist()[:2] == [0.02, 0.08]
    values = np.ma.array([1.0, 2.0, 3.0, 99.0], mask=[0, 0, 0, 1])
    assert t_interval(values) == t_interval([1.0, 2.0, 3.0])
