"""p-MRR by hand and as MTEB has it."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from installed import peer

draw = random.Random(9)
QUERIES = [f"q{number}" for number in range(20)]
CHANGED = {query: {f"d{draw.randrange(12)}": 0 for _ in range(3)} for query in QUERIES}
BEFORE, AFTER = ({q: {f"d{i}": draw.randrange(6) / 2 for i in range(10)} for q in QUERIES} for _ in range(2))


def test_ranks_that_fall_and_rise_by_hand() -> None:
    changed = {"q": {"a": 0, "d": 0}, "r": {"a": 0}, "s": {"a": 0}}
    before = {"q": ["a", "b", "c"], "r": ["b", "a"]}
    after = {"q": ["b", "a", "c"], "r": ["a", "b"], "s": ["a"]}
    found = rm.evaluate_instructions(changed, before, after)
    assert found.query_values("p-MRR")[:2].tolist() == [(0.5 + 0) / 2, -0.5]
    assert found["p-MRR"] == pytest.approx((0.25 - 0.5) / 2)
    assert "1 query that not both runs have (left out)" in found.notes
    assert found.signature("p-MRR") == f"p-MRR|of:changed|ties:item-desc|rankmark:{found.version}"


def test_it_is_that_of_mteb() -> None:
    mteb: Any = peer("mteb._evaluators.retrieval_metrics", "mteb")
    original = {f"{query}-og": items for query, items in BEFORE.items()}
    new = {f"{query}-changed": items for query, items in AFTER.items()}
    want = mteb.calculate_pmrr(original, new, {query: [*items] for query, items in CHANGED.items()})
    found = rm.evaluate_instructions(CHANGED, BEFORE, AFTER, intervals="t")
    assert found["p-MRR"] == pytest.approx(want, abs=1e-12)
    assert found.intervals["p-MRR"].low < want < found.intervals["p-MRR"].high


def test_a_column_of_attributes_clusters_queries() -> None:
    topics = {query: str(number // 2) for number, query in enumerate(QUERIES)}
    table = pl.DataFrame({"query": [*topics], "topic": [*topics.values()]})
    asked: dict[str, Any] = {"intervals": "t"}
    found = rm.evaluate_instructions(CHANGED, BEFORE, AFTER, clusters="topic", attributes=table, **asked)
    again = rm.evaluate_instructions(CHANGED, BEFORE, AFTER, clusters=topics, **asked)
    assert found.intervals == again.intervals
    assert found.intervals["p-MRR"].units == 10


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(rm.DataError, match="no query in common"):
        rm.evaluate_instructions(CHANGED, BEFORE, {"x": ["d1"]})
    with pytest.raises(rm.DataError, match="item 'a' is twice in the list of query 'q0'"):
        rm.evaluate_instructions(CHANGED, {"q0": ["a", "a"]}, AFTER)
    with pytest.raises(rm.ChoiceError, match="needs judgements"):
        rm.evaluate_instructions(CHANGED, BEFORE, AFTER, ties="best")
