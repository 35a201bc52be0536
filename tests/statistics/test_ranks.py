"""Friedman's and Nemenyi's tests, groups and ranks, against published values, SciPy, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankmark.errors import DataError
from rankmark.statistics import critical_difference, friedman_test, groups_of, nemenyi_test, rank_intervals

ROUNDING_FIRST_BASE = np.array(
    [
        *([5.40, 5.50, 5.55], [5.85, 5.70, 5.75], [5.20, 5.60, 5.50], [5.55, 5.50, 5.40]),
        *([5.90, 5.85, 5.70], [5.45, 5.55, 5.60], [5.40, 5.40, 5.35], [5.45, 5.50, 5.35]),
        *([5.25, 5.15, 5.00], [5.85, 5.80, 5.70], [5.25, 5.20, 5.10], [5.65, 5.55, 5.45]),
        *([5.60, 5.35, 5.45], [5.05, 5.00, 4.95], [5.50, 5.50, 5.40], [5.45, 5.55, 5.50]),
        *([5.55, 5.55, 5.35], [5.45, 5.50, 5.55], [5.50, 5.45, 5.25], [5.65, 5.60, 5.40]),
        *([5.70, 5.65, 5.55], [6.30, 6.30, 6.25]),
    ]
)
"""Hollander and Wolfe, "Nonparametric Statistical Methods", 1973, page 140: seconds to second base."""


def test_friedman_of_a_textbook_with_ties() -> None:
    """R's `friedman.test`, whose example this is, prints 11.143, df = 2, p-value = 0.003805."""
    found = friedman_test(-ROUNDING_FIRST_BASE)
    assert (round(found.statistic, 3), found.freedom, round(found.p, 6)) == (11.143, 2, 0.003805)
    assert found.blocks == 22


@pytest.mark.parametrize(
    ("systems", "quantile"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_critical_values_of_nemenyi(systems: int, quantile: float) -> None:
    """Demšar 2006, table 5 (a)."""
    error = np.sqrt(systems * (systems + 1) / (6 * 14))
    assert critical_difference(systems, 14) / error == pytest.approx(quantile, abs=0.001)


def test_critical_differences_of_four_classifiers_on_fourteen_data_sets() -> None:
    """Demšar 2006, page 16: 1.25 at .05 and 1.12 at .10."""
    assert round(critical_difference(4, 14), 2) == 1.25
    assert round(critical_difference(4, 14, alpha=0.1), 2) == 1.12


def test_iman_and_davenport_by_hand() -> None:
    """Ranks 1 2 3, 1 2 3 and 2 1 3: χ² = 3 · 2 · (4/9 + 1/9 + 1) / 2 = 14/3, F = 2χ² / (6 − χ²) = 7."""
    found = friedman_test([[3, 2, 1], [3, 2, 1], [2, 3, 1]])
    assert found.statistic == pytest.approx(14 / 3)
    assert found.f == pytest.approx(7)
    assert found.f_freedom == (2, 4)


@given(st.integers(3, 6), st.integers(2, 12), st.integers(0, 1000))
def test_friedman_is_scipys(systems: int, blocks: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (blocks, systems)).astype(float)
    if np.ptp(values, axis=1).any():
        expected = stats.friedmanchisquare(*values.T)
        assert friedman_test(values).statistic == pytest.approx(expected.statistic)


def test_nemenyi_at_its_critical_difference() -> None:
    values = np.random.default_rng(0).normal([0, 0.2, 0.5, 1], size=(30, 4))
    p, ranks = nemenyi_test(values), np.array(friedman_test(values).mean_ranks)
    for one, other in combinations(range(4), 2):
        assert (p[one, other] <= 0.05) == (abs(ranks[one] - ranks[other]) >= critical_difference(4, 30))


def test_letters_of_neighbours() -> None:
    """Four in a row of which only neighbours are not told apart share three letters, by hand."""
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert groups_of(better) == [(0, 1), (1, 2), (2, 3)]
    assert rank_intervals(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]


some_order = st.integers(1, 7).flatmap(
    lambda k: st.lists(st.floats(0, 1), min_size=k, max_size=k).map(lambda v: (np.array(v), k))
)


@given(some_order, st.integers(0, 1000))
def test_systems_share_a_letter_just_if_they_are_not_told_apart(
    drawn: tuple[np.ndarray, int], seed: int
) -> None:
    values, k = drawn
    reach = np.random.default_rng(seed).uniform(0, 0.5, (k, k))
    better = values[:, None] - values > np.maximum(reach, reach.T)
    groups = groups_of(better)
    for one, other in combinations(range(k), 2):
        shared = any(one in group and other in group for group in groups)
        assert shared != bool(better[one, other] or better[other, one])
    assert not any(set(a) <= set(b) for a in groups for b in groups if a is not b)


def test_who_is_both_better_and_worse_is_refused() -> None:
    with pytest.raises(DataError, match="both better and worse"):
        groups_of(np.ones((2, 2), dtype=bool))
    with pytest.raises(DataError, match=r"the shape is \[2, 3\]"):
        rank_intervals(np.zeros((2, 3), dtype=bool))
