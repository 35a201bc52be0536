"""Sums of which some terms are known and all are predicted: by hand, and over all samples there can be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankmark.errors import DataError
from rankmark.statistics import difference_estimates

TRUE = np.array([1.0, 0.0, 0.5, 1.0, 0.0, 0.25])
PREDICTED = np.array([0.5, 0.25, 0.5, 1.0, 0.75, 0.0])


def test_it_is_right_on_average_over_all_samples_and_its_variance_is() -> None:
    values, variances = [], []
    for chosen in combinations(range(6), 3):
        known = np.full(6, np.nan)
        known[list(chosen)] = TRUE[list(chosen)]
        found = difference_estimates(known, PREDICTED, np.zeros(6))
        values.append(found.values[0])
        variances.append(found.errors[0] ** 2)
    assert np.mean(values) == pytest.approx(TRUE.sum())
    assert np.mean(variances) == pytest.approx(np.var(values))


def test_with_chances_of_their_own_it_is_so_over_all_draws() -> None:
    chance = np.array([0.9, 0.5, 0.2, 0.7, 0.4, 1.0])
    value = variance = second = 0.0
    for draw in range(2**6):
        drawn = np.array([draw >> place & 1 for place in range(6)], dtype=bool)
        weight = float(np.prod(np.where(drawn, chance, 1 - chance)))
        found = difference_estimates(np.where(drawn, TRUE, np.nan), PREDICTED, np.zeros(6), chance)
        value += weight * found.values[0]
        second += weight * found.values[0] ** 2
        variance += weight * found.errors[0] ** 2
    assert value == pytest.approx(TRUE.sum())
    assert variance == pytest.approx(second - value**2)


def test_groups_are_estimated_each_by_itself() -> None:
    known = [1, np.nan, 0, np.nan, 1, 1]
    found = difference_estimates(known, [0, 0, 0, 0, 1, 0], ["b", "b", "b", "a", "c", "c"])
    assert found.groups.tolist() == ["a", "b", "c"]
    assert found.values == pytest.approx([np.nan, 1.5, 2], nan_ok=True)
    # 9·(1 − 2/3)·.5/2 of b; of c everything is known.
    assert found.errors == pytest.approx([np.nan, np.sqrt(0.75), 0], nan_ok=True)
    assert found.known.tolist() == [0, 2, 2]


def test_labels_of_any_one_kind_are_groups() -> None:
    for labels in (
        ["b", "a"],
        (2, 1),
        np.array([2.5, 1]),
        [np.int64(2), 1],
        np.array(["b", "a"], dtype=object),
    ):
        found = difference_estimates([1, 2], [0, 0], labels)
        assert found.values.tolist() == [2, 1]
        assert found.groups.tolist() == sorted(labels)


def test_what_cannot_be_is_refused() -> None:
    for given, message in (
        (([1], [1, 2], ["a"]), r"1 known terms, 2 predictions, 1 groups"),
        (([1], [np.nan], ["a"]), r"1 terms have no finite prediction"),
        (([1], [1], ["a"], [0]), r"above 0 and 1 at most"),
        (([1, np.nan], [1, 1], ["a", None]), r"1 terms have no group"),
        (([1, np.nan], [1, 1], [1.0, np.nan]), r"1 terms have no group"),
        (([1, 1, 1], [1, 1, 1], ["a", 1, 1]), r"labels of one kind, and these are numbers and text"),
        (([1, 1], [1, 1], [["a"], ["a"]]), r"2 known terms"),
    ):
        with pytest.raises(DataError, match=message):
            difference_estimates(*given)
