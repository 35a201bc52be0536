"""What blocks of queries add to measures of the whole run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmark as rm
from rankmark.aggregation.whole_runs import BLOCKS, blocks_of, terms_of_run
from rankmark.language.names import as_measure

COVERAGE = as_measure("CatalogueCoverage@2")


def test_queries_are_in_the_same_blocks_in_any_order_and_each_alone_while_they_are_few() -> None:
    ids = [f"u{i}" for i in range(5 * BLOCKS)]
    blocks = dict(zip(ids, blocks_of(ids).tolist(), strict=True))
    assert dict(zip(ids[::-1], blocks_of(ids[::-1]).tolist(), strict=True)) == blocks
    assert np.bincount(list(blocks.values())).tolist() == [5] * BLOCKS
    assert sorted(blocks_of(ids[:7]).tolist()) == list(range(7))


def test_clusters_of_queries_stay_together() -> None:
    labels = np.array([0, 0, 1, 2, 2, 2])
    blocks = blocks_of(list("abcdef"), labels)
    assert [len(set(blocks[labels == label].tolist())) for label in range(3)] == [1, 1, 1]
    assert len(set(blocks.tolist())) == 3
    with pytest.raises(rm.ChoiceError, match="one kind"):
        blocks_of(list("ab"), np.array([[0, 1], [1, 1]]))


def test_terms_have_the_value_as_their_mean_and_spread_as_the_jackknife() -> None:
    left_out = np.array([0.7, 0.6, 0.7, 0.5])
    terms = terms_of_run(COVERAGE, left_out, 3)
    assert terms.value() == 0.7
    assert terms.linear().mean() == pytest.approx(0.7)
    # (B - 1) / B times the sum of squares around the mean 0.6: 2/3 * 0.02.
    assert terms.linear().var(ddof=1) / 3 == pytest.approx(2 / 3 * 0.02)
    assert terms.queries == 3


def test_an_interval_leaves_out_one_user_after_the_other() -> None:
    run = {"u1": ["a", "b"], "u2": ["a", "c"], "u3": ["d", "e"]}
    result = rm.evaluate(None, run, "Coverage@2", items=list("abcdefghij"), intervals=True)
    # Without u1 there are a, c, d, e; without u2 a, b, d, e; without u3 a, b, c: of ten.
    terms = 0.5 + 2 * (np.mean([0.4, 0.4, 0.3]) - np.array([0.4, 0.4, 0.3]))
    expected = rm.statistics.t_interval(terms)
    found = result.intervals["Coverage@2"]
    assert (found.low, found.high) == pytest.approx((max(expected.low, 0), expected.high))
    assert (found.units, found.unit) == (3, "queries")


def test_without_a_value_of_some_block_there_is_no_interval() -> None:
    result = rm.evaluate(None, {"u1": ["a"], "u2": ["a"]}, "Personalisation@1", intervals=True)
    assert result["Personalisation@1"] == 0
    assert math.isnan(result.intervals["Personalisation@1"].low)


def test_clusters_widen_it() -> None:
    users = [f"u{i}" for i in range(80)]
    run = {user: [f"i{i // 8 % 4}", f"i{i // 8 + 10}"] for i, user in enumerate(users)}
    how = {"items": [f"i{i}" for i in range(40)], "intervals": True}
    alone = rm.evaluate(None, run, "ExposureGini@2", **how).intervals["ExposureGini@2"]
    clusters = {user: i // 8 for i, user in enumerate(users)}
    found = rm.evaluate(None, run, "ExposureGini@2", clusters=clusters, **how).intervals["ExposureGini@2"]
    assert (found.unit, found.units) == ("clusters", 10)
    assert found.high - found.low > 1.5 * (alone.high - alone.low)
