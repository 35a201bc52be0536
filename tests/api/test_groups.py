"""The worst of each group of queries: by hand, and as MTEB has robustness and paired accuracy."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from installed import peer

QUERIES = [f"{group}_q{number}" for group in range(12) for number in (1, 2)]
draw = random.Random(4)
QRELS = {query: {f"d{draw.randrange(5)}": 1} for query in QUERIES}
RUN = {query: {f"d{item}": draw.random() for item in range(8)} for query in QUERIES}
GROUPS = {query: query.partition("_")[0] for query in QUERIES}


def test_the_worst_of_groups_by_hand() -> None:
    result = rm.evaluate(QRELS, RUN, "nDCG@10, MaxRank")
    worst = rm.worst_of_groups(result, GROUPS)
    for measure, extreme in (("nDCG@10", min), ("MaxRank", max)):
        by_group: dict[str, list[float]] = {}
        for query, value in zip(result.query_ids, result.query_values(measure), strict=True):
            by_group.setdefault(GROUPS[str(query)], []).append(value)
        values = [extreme(each) for each in by_group.values()]
        assert worst.query_values(f"worst({measure})").tolist() == values
        assert worst[f"worst({measure})"] == pytest.approx(sum(values) / len(values))
    assert worst.signature("worst(nDCG@10)").startswith("worst(nDCG@10)|groups:slice|nDCG@10|gain:linear|")
    interval = worst.with_intervals("t").intervals["worst(nDCG@10)"]
    assert interval.low < worst["worst(nDCG@10)"] < interval.high
    assert "12 groups" in str(worst)


def test_intervals_say_that_they_are_over_groups(tmp_path: Path) -> None:
    worst = rm.worst_of_groups(rm.evaluate(QRELS, RUN, "RR"), GROUPS).with_intervals("t")
    worst.save(tmp_path / "worst.rankmark")
    for each in (worst, rm.load(tmp_path / "worst.rankmark")):
        assert "low, high: 95% intervals over 12 groups: worst(RR) by t" in str(each)
    assert worst.intervals["worst(RR)"].unit == "groups"
    one = rm.worst_of_groups(rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR"), {"q": "g"}).with_intervals()
    assert one.intervals["worst(RR)"].unit == "groups"


def test_queries_without_a_group_or_a_value_are_left_out() -> None:
    result = rm.evaluate(QRELS | {"0_q1": {"d1": 0}}, RUN, "RR", no_relevant="skip")
    worst = rm.worst_of_groups(result, {query: group for query, group in GROUPS.items() if group != "1"})
    assert worst.query_ids == sorted(set(GROUPS.values()) - {"1"}, key=int)
    assert "2 queries in no group (left out)" in worst.notes
    assert worst.query_values("worst(RR)")[0] == result.per_query["RR"][1]


def test_what_has_no_worst_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match="is no mean of queries' values"):
        rm.worst_of_groups(rm.evaluate(QRELS, RUN, "NumRelRet"), GROUPS)
    with pytest.raises(rm.UsageError, match="leave out weights"):
        rm.worst_of_groups(rm.evaluate(QRELS, RUN, "AP", weights=dict.fromkeys(QUERIES, 2)), GROUPS)


def test_it_is_robustness_and_paired_accuracy_of_mteb() -> None:
    mteb: Any = peer("mteb._evaluators.retrieval_metrics", "mteb")
    result = rm.evaluate(QRELS, RUN, "nDCG@10, R@1", like="mteb")
    scores = {
        row["query"]: {"ndcg_cut_10": row["nDCG@10"], "recall_1": row["R@1"]}
        for row in result.per_query.rows(named=True)
    }
    worst = rm.worst_of_groups(result, GROUPS)
    assert worst["worst(nDCG@10)"] == pytest.approx(mteb.robustness_at_10(QRELS, RUN, scores), abs=1e-12)
    assert worst["worst(R@1)"] == mteb.paired_accuracy(QRELS, RUN, scores)
