"""Ratios, sums and geometric means over queries: what queries add to them, and what resamples come to."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.aggregation.terms import BEYOND, Terms, exchangeable, resampled_values
from rankmark.language.names import as_measure
from rankmark.statistics.resampling import bootstrap_means
from rankmark.statistics.significance import randomisation_test

RATIO, SUM, GEOMETRIC, MEAN = map(as_measure, ("MeanRank", "NumRet", "AP(mean=geometric)", "AP"))
ABOVE, BELOW = np.array([7.0, 1.0, 4.0, 0.0]), np.array([10.0, 1.0, 5.0, 2.0])
VALUES = np.array([0.5, 0.1, 1.0, 0.0])

small = st.lists(st.tuples(*[st.integers(0, 6), st.integers(1, 6)] * 2), min_size=2, max_size=7)


def ratio(above: np.ndarray = ABOVE, below: np.ndarray = BELOW) -> Terms:
    return Terms.of(RATIO, above / below, (above, below))


@pytest.mark.parametrize(
    ("terms", "value"),
    [
        (ratio(), 12 / 18),
        (Terms.of(SUM, ABOVE, None), 12),
        (Terms.of(MEAN, VALUES, None), 0.4),
        # trec_eval's geometric mean takes 0 for 0.00001.
        (Terms.of(GEOMETRIC, VALUES, None), (0.5 * 0.1 * 1e-5) ** (1 / 4)),
    ],
)
def test_the_value_and_the_mean_of_its_linearisation_are_one(terms: Terms, value: float) -> None:
    assert terms.value() == pytest.approx(value, rel=1e-15)
    assert terms.linear().mean() == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("terms", [ratio(), Terms.of(MEAN, VALUES, None), Terms.of(GEOMETRIC, VALUES, None)])
def test_the_linearisation_is_how_a_query_moves_the_value(terms: Terms) -> None:
    # The derivative by the weight of query i is (linear_i − value) / n: of 1,000 copies and one more of i.
    rows = np.repeat(np.arange(4), 1000)
    for query, linear in enumerate(terms.linear()):
        moved = terms.at(np.append(rows, query)).value() - terms.value()
        assert moved * 4001 == pytest.approx(linear - terms.value(), abs=1e-3)


def test_resamples_of_a_ratio_draw_both_its_sums() -> None:
    (found,) = resampled_values([ratio()], resamples=50, seed=3)
    sums = bootstrap_means(np.column_stack([ABOVE, BELOW]), resamples=50, seed=3)
    np.testing.assert_array_equal(found[:, 0], sums[:, 0] / sums[:, 1])


def test_resamples_of_a_sum_and_of_a_geometric_mean_are_such() -> None:
    total, geometric = resampled_values(
        [Terms.of(SUM, ABOVE, None), Terms.of(GEOMETRIC, VALUES, None)], resamples=50, seed=3
    )
    np.testing.assert_allclose(total[:, 0], 4 * bootstrap_means(ABOVE, resamples=50, seed=3))
    logarithms = np.log(np.maximum(VALUES, 1e-5))
    np.testing.assert_allclose(geometric[:, 0], np.exp(bootstrap_means(logarithms, resamples=50, seed=3)))


def test_queries_that_are_left_out_are_in_no_resample() -> None:
    holes = Terms.of(SUM, np.append(ABOVE, np.nan), None)
    assert holes.there.tolist() == [True] * 4 + [False]
    (found,) = resampled_values([holes], resamples=20, seed=1)
    np.testing.assert_allclose(found[:, 0], 4 * bootstrap_means(ABOVE, resamples=20, seed=1))


@given(small)
def test_swapping_systems_where_denominators_are_shared_is_the_exact_test_of_the_ratio(
    rows: list[tuple[int, int, int, int]],
) -> None:
    table = np.array(rows, dtype=float)
    pairs = np.stack([table[:, 0], table[:, 2]], axis=1)
    below = table[:, 1]
    one, other = (ratio(column, below) for column in pairs.T)
    differences = np.subtract(*exchangeable([one, other]))
    observed = abs(one.value() - other.value())
    swaps = [
        abs(sum(row[place] - row[1 - place] for row, place in zip(pairs, places, strict=True))) / below.sum()
        for places in product((0, 1), repeat=len(rows))
    ]
    share = np.mean(np.array(swaps) >= observed - 1e-12)
    assert randomisation_test(differences, method="exact") == pytest.approx(share)


@given(small)
def test_what_is_swapped_has_the_sign_of_the_difference(rows: list[tuple[int, int, int, int]]) -> None:
    a, b, c, d = np.array(rows, dtype=float).T
    one, other = ratio(a, b), ratio(c, d)
    differences = np.subtract(*exchangeable([one, other]))
    difference = one.value() - other.value()
    if abs(difference) > 1e-9:
        assert math.copysign(1, differences.sum()) == math.copysign(1, difference)
    else:
        assert differences.sum() == pytest.approx(0, abs=1e-9)


def test_a_system_of_several_seeds_has_the_mean_of_their_values() -> None:
    seeds = Terms.of_seeds([ratio(), ratio(ABOVE[::-1].copy(), BELOW)])
    assert seeds.value() == pytest.approx(12 / 18)
    assert seeds.linear().mean() == pytest.approx(12 / 18)
    each = [ratio().value(), ratio(ABOVE[::-1].copy(), BELOW).value()]
    assert seeds.linear_by_seed().mean(axis=0) == pytest.approx(each)
    assert seeds.linear_by_seed().mean(axis=1) == pytest.approx(seeds.linear())


@given(
    st.lists(st.floats(-2, 3) | st.sampled_from([math.nan, 0.0, -0.0, 1.0, 1 + 1e-9, 1 + 2e-9]), max_size=20),
    st.sampled_from(["AP", "AP(mean=geometric)", "RBP", "MaxRank", "NumRel"]),
)
def test_a_seed_alone_is_as_one_of_several(values: list[float], name: str) -> None:
    own = Terms.of(as_measure(name), np.array(values, dtype=np.float64), None)
    twice = Terms.of_seeds([own, own])
    for each in (own.at(own.there), own.at(np.flatnonzero(own.there)), own.at(slice(0, 3))):
        assert not each.below
        several = np.asarray(each.linear_by_seed().mean(axis=1))
        assert each.linear().tobytes() == several.tobytes()
    assert own.bounds == twice.bounds
    above = np.exp(own.above) if name == "AP(mean=geometric)" else own.above
    low, high = own.measure.bounds
    beyond = [low is not None and np.any(low - above > BEYOND)]
    beyond += [high is not None and np.any(above - high > BEYOND), name == "NumRel"]  # a sum
    assert own.bounds == ((None, None) if any(beyond) else (low, high))
