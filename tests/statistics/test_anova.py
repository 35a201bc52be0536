"""Analysis of variance of balanced tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import balanced_anova, crossed, paired_t_test, two_way_anova

# Box, Hunter and Hunter, "Statistics for Experimenters", 1978, section 10.2: yield of a pilot plant by
# temperature, concentration and catalyst, in the standard order.
YIELD = np.array([60, 72, 54, 68, 52, 83, 45, 80]).reshape(2, 2, 2)  # [catalyst, concentration, temperature]


def test_a_published_factorial() -> None:
    # The effects as printed; a sum of squares is twice the squared effect of eight values.
    effects = {
        "temperature": 23.0,
        "concentration": -5.0,
        "catalyst": 1.5,
        "concentration × temperature": 1.5,
        "catalyst × temperature": 10.0,
        "catalyst × concentration": 0.0,
        "residual": 0.5,
    }
    found = balanced_anova(YIELD, ("catalyst", "concentration", "temperature"))
    assert {name: row.squares for name, row in found.rows.items()} == pytest.approx(
        {name: 2 * effect**2 for name, effect in effects.items()}
    )
    assert found["temperature"].f == pytest.approx(1058 / 0.5)
    assert found["temperature"].error == "residual"
    assert found["temperature"].omega_squared == pytest.approx(2115 / (2115 + 8))
    # F with 1 and 1 degrees of freedom is t² of Cauchy's t.
    assert found["temperature"].p == pytest.approx(1 - 2 / math.pi * math.atan(math.sqrt(2116)))


def test_random_factors_have_other_errors() -> None:
    # E[MS] of the system holds those of its interactions with topics and with shards: over their sum. The
    # residual is in both, but two shards say too little to take it away.
    found = balanced_anova(YIELD, ("topic", "system", "shard"), random=("topic", "shard"))
    assert found["system"].error == "topic × system + system × shard"
    assert found["system"].f == pytest.approx(50 / (0 + 4.5))
    assert found["system"].error_freedom == pytest.approx(1)
    assert found["topic × shard"].f == pytest.approx(200 / 0.5)
    # Two values of each topic and shard.
    assert found["topic × shard"].variance == pytest.approx((200 - 0.5) / 2)
    assert found["topic × system"].variance == 0
    assert found["residual"].variance == 0.5
    assert math.isnan(found["system"].variance)


def test_seeds_are_nested_in_systems() -> None:
    table = np.random.default_rng(0).normal(size=(9, 2, 4))
    table[:, 0] += 0.5
    found = balanced_anova(
        table, ("query", "system", "seed"), random=("query", "seed"), nested={"seed": "system"}
    )
    assert list(found.rows) == ["query", "system", "seed(system)", "query × system", "residual"]
    assert [row.freedom for row in found.rows.values()] == [8, 1, 6, 8, 48]
    assert sum(row.squares for row in found.rows.values()) == pytest.approx(table.var() * table.size)
    assert found["system"].error == "seed(system) + query × system − 1/2 residual"


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_of_two_systems_with_seeds_it_is_the_test_of_the_crossed_model(seeds: int) -> None:
    rng = np.random.default_rng(seeds)
    table = rng.normal(size=(9, 2, seeds)) + rng.normal(size=(1, 2, seeds)) * [[[0.5], [2.0]]]
    table[:, 0] += seeds
    for factors in (("query", "system", "seed"), ("seed", "query", "system")):
        axes = [("query", "system", "seed").index(each) for each in factors]
        values = table.transpose(axes)
        found = balanced_anova(values, factors, random=("query", "seed"), nested={"seed": "system"})["system"]
        by_t = crossed(table[:, 0], table[:, 1])
        assert found.f == pytest.approx((by_t.estimate / by_t.error) ** 2)
        assert found.p == pytest.approx(by_t.p(), rel=1e-8)
    # Without a difference, and with one beyond all chance.
    for gap, p in ((0.0, 1.0), (1e9, 1e-8)):
        moved = table - table.mean(axis=(0, 2), keepdims=True) + [[[gap], [0.0]]]
        row = balanced_anova(
            moved, ("query", "system", "seed"), random=("query", "seed"), nested={"seed": "system"}
        )
        assert row["system"].p == 1.0 if p == 1.0 else row["system"].p < p


def test_few_seeds_find_few_differences_that_are_none() -> None:
    # Satterthwaite's degrees of freedom of the whole sum find 18 and 8 of these.
    rng = np.random.default_rng(6)
    shape = (300, 12, 4, 2)
    tables = rng.normal(size=shape) + rng.normal(size=(300, 1, 4, 2)) + rng.normal(size=(300, 12, 4, 1))
    how: dict[str, Any] = {"random": ("query", "seed"), "nested": {"seed": "system"}}
    p = [balanced_anova(each, ("query", "system", "seed"), **how)["system"].p for each in tables]
    assert np.mean(np.less_equal(p, 0.05)) <= 0.05
    assert np.mean(np.less_equal(p, 0.01)) <= 0.01


def test_of_two_systems_it_is_the_t_test_also_by_clusters() -> None:
    rng = np.random.default_rng(1)
    table, users = rng.random((40, 2)), rng.permutation(np.arange(40) % 8)
    d = table[:, 0] - table[:, 1]
    assert two_way_anova(table)["system"].p == pytest.approx(paired_t_test(d))
    assert two_way_anova(table, clusters=users)["system"].p == pytest.approx(paired_t_test(d, clusters=users))
    with pytest.raises(DataError, match="clusters of one kind"):
        two_way_anova(table, clusters=np.column_stack([users, users]))


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"factors": ("a", "b")}, "3 dimensions, and 2 factors"),
        ({"factors": ("a", "a", "b")}, "give two or more, each once"),
        ({"factors": ("a", "b", "c"), "random": ("d",)}, "'d' is not one of the factors a, b, c"),
        ({"factors": ("a", "b", "c"), "nested": {"c": "d"}}, "'d' is not one of the factors a, b, c"),
    ],
)
def test_factors_that_are_not_there_are_refused(how: dict[str, Any], why: str) -> None:
    with pytest.raises(ChoiceError, match=why):
        balanced_anova(YIELD, **how)


def test_levels_without_all_values_are_left_out() -> None:
    table = np.concatenate([YIELD, np.full((1, 2, 2), np.nan)])
    assert balanced_anova(table, ("a", "b", "c")) == balanced_anova(YIELD, ("a", "b", "c"))
    with pytest.raises(DataError, match=r"two or more levels of each factor \(a: 1, b: 2, c: 2\)"):
        balanced_anova(table[1:], ("a", "b", "c"))


def test_seeds_of_several_systems_have_a_p_value_whatever_the_degrees_of_freedom() -> None:
    # SciPy's quantiles of the beta distribution are NaN for shares below 1e-130 and some degrees of freedom.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        runs = rng.normal(size=(25, 4, 3)) + rng.normal(0, 0.5, (4, 3)) + rng.normal(0, 2, (25, 1, 1))
        found = balanced_anova(
            runs, ("query", "system", "seed"), random=("query", "seed"), nested={"seed": "system"}
        )
        assert 0 < found["system"].p <= 1
