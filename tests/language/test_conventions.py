"""Conventions: names, choices and numbers of other tools, by hand; tests/peers asks the tools."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.language.conventions.convention import Variant
from rankmark.language.conventions.limits import Aside

Table = dict[str, dict[str, float]]


def one_query(in_rank_order: list[float], not_retrieved: tuple[float, ...] = ()) -> tuple[Table, Table]:
    """Judgements and a run in which the items with these grades come in this order."""
    grades = [*in_rank_order, *not_retrieved]
    qrels = {"q": {f"item{i:02}": grade for i, grade in enumerate(grades)}}
    return qrels, {"q": {f"item{i:02}": 100.0 - i for i in range(len(in_rank_order))}}


def value(like: str, measure: str, qrels: Table, run: Table, **choices: Any) -> float:
    return rm.evaluate(qrels, run, [measure], like=like, **choices)[measure]


# --- one list, many numbers ------------------------------------------------------------------------------

RETURNED = [0, 3, 1, 0, 0, 0, 2, 0, 0, 0]
ALL = one_query(RETURNED, (3, 2, 2, 1, 1, 1, 1, 1, 1))
"""Grades 3, 3, 2, 2, 2 and seven 1s are judged, a list of ten is returned."""
ROWS = one_query(RETURNED)
"""The same list for a tool that is handed the returned rows alone."""


@pytest.mark.parametrize(
    ("expected", "tables", "who"),
    [
        (0.3354, ALL, "trec_eval:ndcg_cut_10 trec_eval-9:ndcg_cut_10 ir_measures:nDCG@10 ranx:ndcg@10"),
        (0.3354, ALL, "sklearn:ndcg_score@10 torchmetrics:RetrievalNormalizedDCG@10 beir:NDCG@10"),
        (0.3488, ALL, "lightgbm:ndcg@10 tf-ranking:ndcg_10 gdeval:ndcg@10 ranx:ndcg_burges@10"),
        (0.3488, ALL, "xgboost:ndcg@10"),
        (0.3488, ALL, "fuxictr:NDCG(k=10) recommenders:ndcg_at_k(score_type=exp)@10 elliot:nDCG@10"),
        (0.3488, ALL, "ir_measures:nDCG(dcg='exp-log2')@10 catboost:NDCG:top=10;type=Exp"),
        (0.3223, ALL, "replay:NDCG@10 recpack:NDCGK_10 recbole:ndcg@10 recommenders:ndcg_at_k@10"),
        (0.3223, ALL, "rectools:NDCG(divide_by_achievable=True)@10"),
        (0.3782, ALL, "lenskit:NDCG@10"),
        (0.4016, ALL, "lenskit:NDCG(gain)@10"),
        (0.6425, ALL, "evidently:NDCG@10"),
        (0.6425, ROWS, "sklearn:ndcg_score@10 torchmetrics:RetrievalNormalizedDCG@10"),
        (0.1329, ALL, "trec_eval:map_cut_10 trec_eval-9:map_cut_10 ranx:map@10 ir_measures:AP@10"),
        (0.1329, ALL, "rectools:MAP@10"),
        (0.1329, ALL, "recommenders:map@10 tf-ranking:map_10 beir:MAP@10"),
        (0.1595, ALL, "replay:MAP@10 recbole:map@10 recommenders:map_at_k@10 lightgbm:map@10"),
        (0.1595, ALL, "rexmex:average_precision_at_k@10"),
        (0.5317, ALL, "torchmetrics:RetrievalMAP@10"),
        (0.3837, ALL, "elliot:MAP@10"),
        (0.5000, ALL, "trec_eval:recip_rank ranx:mrr@10 ir_measures:RR@10 msmarco:MRR@10"),
        (0.5000, ALL, "lenskit:RecipRank@10"),
        (0.5000, ALL, "rectools:MRR@10 replay:MRR@10 recbole:mrr@10 recpack:ReciprocalRankK_10 beir:MRR@10"),
        (0.5000, ALL, "elliot:MRR@10 evidently:MRR@10 torchmetrics:RetrievalMRR@10 catboost:MRR"),
        (0.3254, ROWS, "fuxictr:MRR"),
        (0.25, ALL, "trec_eval:recall_10 ranx:recall@10 ir_measures:R@10 recpack:RecallK_10"),
        (0.25, ALL, "rectools:Recall@10"),
        (0.30, ALL, "lenskit:Recall@10 recpack:CalibratedRecallK_10 beir:R_cap@10"),
    ],
)
def test_one_list_has_the_numbers_of_the_field(expected: Any, tables: Any, who: Any) -> None:
    for tool in who.split():
        like, _, name = tool.partition(":")
        assert value(like, name, *tables) == pytest.approx(expected, abs=5.001e-5), tool


# --- each choice, by hand ----------------------------------------------------------------------------------


def test_gain() -> None:
    tables = one_query([1, 3])  # ideal 3 at rank 1 and 1 at rank 2
    discount = 1 / np.log2(3)
    linear, exponential = (1 + 3 * discount) / (3 + discount), (1 + 7 * discount) / (7 + discount)
    for like in ("trec_eval", "sklearn", "ranx"):
        assert value(like, "nDCG@10", *tables) == pytest.approx(linear, rel=1e-14)
    for like in ("lightgbm", "xgboost", "tf-ranking", "gdeval", "elliot"):
        assert value(like, "nDCG@10", *tables) == pytest.approx(exponential, rel=1e-14)
    for like in ("replay", "recbole", "recpack", "recommenders", "lenskit"):
        assert value(like, "nDCG@10", *tables) == 1.0


def test_discount_of_the_first_two_ranks() -> None:
    swapped = one_query([0, 1])
    assert value("lenskit", "NDCG@10", *swapped) == 1.0
    assert value("replay", "NDCG@10", *swapped) == pytest.approx(1 / np.log2(3), rel=1e-14)


def test_ideal_list() -> None:
    perfect = one_query([1] + [0] * 9)
    assert value("rectools", "NDCG@10", *perfect) == pytest.approx(0.220, abs=5e-4)
    assert value("rectools", "NDCG(divide_by_achievable=True)@10", *perfect) == 1.0
    found_one_of_two = one_query([1, 0], (1,))
    assert value("evidently", "NDCG@10", *found_one_of_two) == 1.0
    assert value("trec_eval", "ndcg", *found_one_of_two) < 1.0


def test_hits() -> None:
    both = one_query([1, 1], (1, 1))
    for like, name, expected in [
        ("ranx", "hit_rate@2", 1.0),
        ("ranx", "hits@2", 2.0),
        ("trec_eval", "success_2", 1.0),
        ("recpack", "HitK_2", 2.0),
        ("rexmex", "hits_at_k@2", 1.0),
        ("recbole", "hit@2", 1.0),
    ]:
        assert value(like, name, *both) == expected, (like, name)


def test_reciprocal_rank() -> None:
    first_and_third = one_query([1, 0, 1])
    assert value("trec_eval", "recip_rank", *first_and_third) == 1.0
    assert value("rexmex", "mean_reciprocal_rank", *first_and_third) == pytest.approx(
        (1 + 1 / 3) / 2, rel=1e-15
    )


def test_one_library_with_opposite_rules_for_equal_scores() -> None:
    """ir_measures: RR is trec_eval's, RR@10 that of MS MARCO's script."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    result = rm.evaluate(qrels, run, ["RR", "RR@10"], like="ir_measures")
    assert (result["RR"], result["RR@10"]) == (pytest.approx(1 / 3), 1.0)
    assert "|ties:item-desc|" in result.signature("RR")
    assert "|ties:item-asc|" in result.signature("RR@10")
    assert result.choices_of("RR@10")["ties"] == "item-asc"
    assert "(ties: item-desc or item-asc)" in str(result)


@pytest.mark.parametrize(
    ("like", "name", "expected"),
    [
        ("trec_eval", "map_cut_10", 1.5 / 12),
        ("replay", "MAP@10", 1.5 / 10),
        ("lenskit", "AP@10", 1.5 / 4),
        ("rectools", "MAP(divide_by_k=True)@10", 1.5 / 10),
        ("torchmetrics", "RetrievalMAP@10", 1.5 / 2),
    ],
)
def test_what_average_precision_is_divided_by(like: Any, name: str, expected: Any) -> None:
    """Hits at ranks 1 and 4 of a list of four, twelve items are relevant."""
    tables = one_query([1, 0, 0, 1], (1,) * 10)
    assert value(like, name, *tables) == pytest.approx(expected, rel=1e-15)


def test_average_precision_of_one_found_of_ten() -> None:
    assert value("torchmetrics", "RetrievalMAP@1", *one_query([1], (1,) * 9)) == 1.0
    assert value("lenskit", "AP@10", *one_query([1] * 5, (1,) * 5)) == 1.0


def test_what_precision_is_divided_by() -> None:
    two_of_five = one_query([1, 1, 0, 0, 0], (1,) * 8)
    for like, name in [
        ("lenskit", "Precision@10"),
        ("evidently", "Precision@10"),
        ("tf-ranking", "precision_10"),
        ("torchmetrics", "RetrievalPrecision(adaptive_k=True)@10"),
        ("ir_measures", "SetP"),
    ]:
        assert value(like, name, *two_of_five) == 0.4, like
    for like in ("trec_eval", "ranx", "rectools", "replay", "recpack", "recbole", "elliot", "recommenders"):
        assert value(like, "P@10", *two_of_five) == 0.2, like
    assert value("rectools", "Precision(r_precision=True)@10", *one_query([1, 0], (1,))) == 0.5


def test_what_recall_is_divided_by() -> None:
    tables = one_query([1, 1], (1, 1))
    assert value("trec_eval", "recall_2", *tables) == 0.5
    for like, name in [("lenskit", "Recall@2"), ("recpack", "CalibratedRecallK_2"), ("beir", "R_cap@2")]:
        assert value(like, name, *tables) == 1.0, like


NOTHING_RELEVANT = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("trec_eval:ndcg ranx:ndcg sklearn:ndcg_score torchmetrics:RetrievalMAP xgboost:ndcg-", 0.5),
        ("catboost:DCG catboost:MRR catboost:MAP lenskit:Precision@1 xgboost:pre@1", 0.5),
        (
            "lightgbm:ndcg@1 lightgbm:map@1 xgboost:ndcg xgboost:map catboost:NDCG catboost:RecallAt:top=1",
            1.0,
        ),
        ("sklearn:label_ranking_average_precision_score", 1.0),
        (
            "recpack:NDCGK_1 elliot:nDCG@1 evidently:NDCG@1 lenskit:NDCG@1 fuxictr:NDCG(k=1)",
            1.0,
        ),
    ],
)
def test_queries_with_nothing_relevant(who: Any, expected: Any) -> None:
    for tool in who.split():
        like, _, name = tool.partition(":")
        assert value(like, name, *NOTHING_RELEVANT) == expected, tool


def test_left_out_is_not_counted_as_one() -> None:
    counts = rm.evaluate(*NOTHING_RELEVANT, "nDCG@1", like="elliot").counts.measures["nDCG(gain=exp2)@1"]
    assert (counts.averaged, counts.no_relevant) == (1, 1)


MISSING = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}, "q9": {"a": 1.0}}


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (
            "trec_eval-9:map beir:NDCG@10 beir:P@1 lenskit:AP elliot:HR@1 recommenders:map@1",
            1.0,
        ),
        (
            "trec_eval:map ir_measures:AP ranx:map rectools:MAP@1 recpack:RecallK_1 msmarco:MRR@10",
            0.5,
        ),
        ("beir:MRR@10 beir:R_cap@10 recommenders:ndcg_at_k@10 lenskit:NDCG lenskit:RecipRank@5", 0.5),
    ],
)
def test_queries_judged_but_not_answered(who: Any, expected: Any) -> None:
    for tool in who.split():
        like, _, name = tool.partition(":")
        assert value(like, name, *MISSING) == expected, tool


def test_scores_that_are_equal_in_32_bits() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.00000001, "b": 1.0}}
    assert value("trec_eval-9", "recip_rank", qrels, run) == 0.5
    assert value("trec_eval", "recip_rank", qrels, run) == 1.0


def test_item_ids_that_are_integers_break_ties_as_text_where_the_tool_knows_only_text() -> None:
    qrels, run = {"q": {10: 1}}, {"q": {9: 1.0, 10: 1.0}}
    assert rm.evaluate(qrels, run, "RR")["RR"] == 1.0
    for like in ("trec_eval", "trec_eval-9", "ir_measures"):
        result = rm.evaluate(qrels, run, "RR", like=like)
        assert result["RR"] == 0.5
        assert "|item_ids:text|" in result.signature("RR")


@pytest.mark.parametrize(
    ("like", "name", "expected"),
    [
        ("trec_eval", "recip_rank", 0.5),
        ("replay", "MRR@10", 0.5),
        ("msmarco", "MRR@10", 1.0),
        ("lightgbm", "map@10", 1.0),
        ("catboost", "MRR", 0.5),
        ("sklearn", "ndcg_score", (1 + 1 / np.log2(3)) / 2),
        ("torchmetrics", "RetrievalNormalizedDCG", (1 + 1 / np.log2(3)) / 2),
        ("sklearn", "roc_auc_score", 0.5),
        ("sklearn", "coverage_error", 2.0),
        ("sklearn", "label_ranking_loss", 1.0),
        ("fuxictr", "avgAUC", 0.5),
    ],
)
def test_equal_scores(like: Any, name: str, expected: Any) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert value(like, name, qrels, run) == pytest.approx(expected, rel=1e-15)


def test_negative_grades_gain_nothing_and_fractional_ones_are_not_cut_off() -> None:
    assert value("trec_eval", "ndcg", *one_query([-1, 1])) == pytest.approx(1 / np.log2(3), rel=1e-15)
    assert value("ranx", "ndcg", *one_query([0.5, 1])) > 0.5
    assert "0.9 counts as 0" in rm.conventions()["ranx"].page


def test_lists_that_hold_only_one_kind_of_item() -> None:
    assert value("replay", "RocAuc@10", *one_query([0, 0], (1,))) == 0.0
    assert value("replay", "RocAuc@10", *one_query([1, 1])) == 1.0
    with pytest.raises(rm.DataError, match="duplicate"):
        rm.evaluate([("q", "a", 1)], [("q", "a", 1.0), ("q", "a", 2.0)], "NDCG@1", like="replay")


def test_rank_biased_precision() -> None:
    tables = one_query([2, 1])
    assert value("lenskit", "RBP", *tables) == pytest.approx(0.15 * (1 + 0.85), rel=1e-15)
    assert value("ranx", "rbp.95", *tables) == pytest.approx(0.05 * (2 + 0.95), rel=1e-14)
    assert value("ranx", "RBP(p=0.5)", *tables) == pytest.approx(0.5 * (2 + 0.5), rel=1e-15)


def test_recall_levels_are_rounded_otherwise_in_trec_eval_9() -> None:
    three = one_query([1, 0, 0, 0, 1, 1])
    name = "iprec_at_recall_0.40"  # 1.2 of three hits: one, or two
    assert value("trec_eval", name, *three) == 1.0
    assert value("trec_eval-9", name, *three) == 0.5
    assert value("trec_eval", "11pt_avg", *three) > value("trec_eval-9", "11pt_avg", *three)


def test_ranking_evaluation_of_elasticsearch() -> None:
    """By the formulas of its documentation, by hand; the first list is Wikipedia's example of DCG."""
    qrels = {"q": {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2, "x": 1}, "none": {"a": 0}, "unanswered": {"a": 1}}
    run = {"q": ["a", "b", "c", "d", "e", "f"], "none": ["a"]}
    gains = [7, 3, 7, 0, 1, 3]
    dcg = sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))
    ideal = sum(gain / np.log2(rank + 1) for rank, gain in enumerate([7, 7, 3, 3, 1, 1], 1))
    chances = [7 / 8, 3 / 8, 7 / 8, 0, 1 / 8, 3 / 8]
    err = sum(chances[r] / (r + 1) * np.prod([1 - chance for chance in chances[:r]]) for r in range(6))
    of_one = {
        "dcg@10": dcg,
        "dcg(normalize=true)@10": dcg / ideal,
        "precision@10": 5 / 6,  # of what was returned
        "precision(relevant_rating_threshold=2)@10": 4 / 6,
        "recall@10": 5 / 6,
        "recall(relevant_rating_threshold=2)@3": 3 / 4,
        "mean_reciprocal_rank@10": 1,
        "expected_reciprocal_rank(maximum_relevance=3)@10": err,
    }
    for name, expected in of_one.items():
        for like in ("elasticsearch", "opensearch"):
            assert value(like, name, qrels, run) == pytest.approx(expected / 3, rel=1e-14), name


def test_recall_by_distance_of_ann_benchmarks() -> None:
    """Its threshold is the distance at rank k plus 0.001: any item as near as that is a hit."""
    true = {"a": 0.1, "b": 0.2, "c": 0.2, "d": 0.2005, "e": 0.3}
    within = {item: 1 for item, distance in true.items() if distance <= true["b"] + 0.001}
    run = {"q": ["c", "d"]}
    assert value("ann-benchmarks", "k-nn@2", {"q": within}, run) == 1.0
    assert value("ann-benchmarks", "k-nn@2", {"q": within}, {"q": ["c", "e"]}) == 0.5
    assert value("ann-benchmarks", "k-nn@2", {"q": within}, {"q": ["c"]}) == 0.5


# --- what XGBoost, CatBoost and LensKit gave for a table without random numbers ----------------------------

ROWS = np.arange(240)
SCORES = ROWS * 7919 % 1000 / 1000 - 0.5
GRADES = (ROWS * ROWS * 31 + ROWS * 17) % 11 // 3
CLICKS = np.where(GRADES > 2, 1, 0)
XGBOOST = {  # 3.2.0
    "grades": {"ndcg": 0.4517353353309907, "ndcg-": 0.4517353353309907, "ndcg@60": 0.6398271778469171},
    "clicks": {
        "map": 0.10619172381596317,
        "map-": 0.10619172381596317,
        "map@60": 0.14850738108074835,
        "pre": 0.1015625,
        "pre-": 0.1015625,
        "pre@5-": 0.1,
    },
    "rows": {
        "auc": 0.5350291909924938,
        "logloss": 0.7004860352724791,
        "error": 0.4875,
        "error@0.4": 0.825,
        "rmse": 0.5035966949340289,
        "mae": 0.4984840995321671,
    },
    "classes": {"merror": 0.6916666666666667, "mlogloss": 1.255521214256684, "auc": 0.48888231537825866},
}
CATBOOST = {  # 1.2.10
    "grades": {
        "NDCG:top=5;type=Base": 0.3361811368365546,
        "NDCG:type=Exp;top=5": 0.22331395210873153,
        "NDCG:top=-1": 0.73269137665947,
        "DCG:type=Base": 14.7158172717203,
        "MAP": 0.6610165962321661,
        "PrecisionAt:top=5": 0.65,
        "RecallAt:top=5": 0.08502024291497975,
        "MRR": 0.75,
    },
    "clicks": {
        "PFound": 0.5059751504652659,
        "PFound:top=5": 0.39312499999999995,
        "PFound:top=5;decay=0.5": 0.1875,
        "QueryAUC": 0.5455527497194164,
        "QueryAUC:type=Classic": 0.5455527497194164,
    },
    "rows": {
        "AUC": 0.5350291909924938,
        "Logloss": 0.7004860341309043,
        "BrierScore": 0.2536096312838344,
        "Accuracy": 0.5125,
        "ZeroOneLoss": 0.48750000000000004,
        "BalancedAccuracy": 0.5477481234361968,
        "Precision": 0.10743801652892562,
        "Recall": 0.5909090909090909,
        "F1": 0.18181818181818182,
        "MCC": 0.055113719927830804,
        "Kappa": 0.0315905642157539,
        "NormalizedGini": 0.0700583819849876,
        "PRAUC": 0.09963472569783881,
    },
}
FLOAT32 = 1e-7


def as_run(values: Any) -> list[tuple[int, int, float]]:
    return [(row // 60, row, float(value)) for row, value in enumerate(values)]


@pytest.mark.parametrize(("like", "recorded"), [("xgboost", XGBOOST), ("catboost", CATBOOST)])
def test_recorded_values_of_lists(like: str, recorded: Any) -> None:
    for name, labels in (("grades", GRADES), ("clicks", CLICKS)):
        for asked, theirs in recorded[name].items():
            result = rm.evaluate(as_run(labels), as_run(SCORES), asked, like=like)
            assert result[asked] == pytest.approx(theirs, rel=0, abs=1e-12), asked


@pytest.mark.parametrize(("like", "recorded"), [("xgboost", XGBOOST), ("catboost", CATBOOST)])
def test_recorded_values_of_rows(like: str, recorded: Any) -> None:
    table = {"label": CLICKS, "score": 1 / (1 + np.exp(-SCORES))}  # both tools take logits
    for asked, theirs in recorded["rows"].items():
        result = rm.evaluate_predictions(table, asked, like=like)
        assert result[asked] == pytest.approx(theirs, rel=0, abs=FLOAT32), asked


def test_recorded_values_of_classes_of_xgboost() -> None:
    logits = np.stack([np.sin(ROWS), np.sin(2 * ROWS + 1), np.cos(ROWS * 0.7)], axis=1)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    table = {"label": np.minimum(GRADES, 2), "score": list(chances)}
    for asked, theirs in XGBOOST["classes"].items():
        result = rm.evaluate_predictions(table, asked, like="xgboost")
        assert result[asked] == pytest.approx(theirs, rel=0, abs=FLOAT32), asked


def test_an_empty_list_is_0_in_lenskit_but_for_precision_and_ap() -> None:
    """LensKit 2025.8.1: measure_list of an empty list, and of one for which nothing is relevant."""
    empty = {"q": {"a": 1}, "p": {"b": 1}}, {"q": ["a"]}
    for name in ("NDCG", "NDCG(gain)@5", "DCG", "Recall@5", "RecipRank", "Hit@5"):
        assert value("lenskit", name, *empty) == 0.5, name
    assert value("lenskit", "AP", *empty) == value("lenskit", "Precision@5", *empty) == 1.0
    assert value("lenskit", "DCG", *NOTHING_RELEVANT) == 0.5
    assert value("lenskit", "NDCG", *NOTHING_RELEVANT) == 1.0


# --- LightGBM's own numbers for its own predictions ------------------------------------------------------


def test_lightgbm_on_its_example(data_file: Callable[[str], str]) -> None:
    published = json.loads(Path(data_file("lightgbm_ltr/lambdarank/lightgbm470_eval.json")).read_text())
    (expected,) = (of for name, of in published.items() if name.startswith("eval_on_rank.test"))
    lines = Path(data_file("lightgbm_ltr/lambdarank/rank.test")).read_text().splitlines()
    labels = [float(line.split()[0]) for line in lines]
    scores = np.loadtxt(data_file("lightgbm_ltr/lambdarank/lightgbm470_pred.rank.test.txt"))
    sizes = np.loadtxt(data_file("lightgbm_ltr/lambdarank/rank.test.query"), dtype=int)
    queries = np.repeat(np.arange(len(sizes)), sizes).tolist()
    rows = range(len(labels))
    result = rm.evaluate(
        list(zip(queries, rows, labels, strict=True)),
        list(zip(queries, rows, scores.tolist(), strict=True)),
        list(expected),
        like="lightgbm",
    )
    assert len(expected) == 8
    for name, theirs in expected.items():
        assert result[name] == pytest.approx(theirs, rel=0, abs=1e-12), name


def test_ir_measures_and_gdeval_give_all_values_of_the_tests_of_ir_measures(
    data_file: Callable[[str], str], tmp_path: Path
) -> None:
    published = json.loads(Path(data_file("ir_measures/expected_values.json")).read_text())
    compared = 0
    for group, tables in published.items():
        like = "gdeval" if group.startswith("gdeval") else "ir_measures"
        (tmp_path / "qrels").write_text(tables["qrels"].strip() + "\n")
        (tmp_path / "run").write_text(tables["run"].strip() + "\n")
        for name, where, theirs in tables["expected"]:
            measure = name.removeprefix("ir_measures.")
            result = rm.evaluate(tmp_path / "qrels", tmp_path / "run", [measure], like=like)
            ours = dict(zip(result.query_ids, result.query_values(measure), strict=True))
            found = result[measure] if where == "aggregate" else ours[where.removeprefix("query ")]
            # Those that are not noted in full are noted with four digits.
            assert found == pytest.approx(float(theirs), rel=0, abs=5.01e-5), (name, where)
            compared += 1
    assert compared == 117


# --- data that meet what a record says cannot be reproduced -------------------------------------------------

GRADED = {"q": {"a": 2, "b": 0, "c": 1}}
CLEAR = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
FRACTIONS = {"q": {"a": 0.9, "b": 0, "c": 1}}
NEGATIVE = {"q": {"a": -1, "b": 0, "c": 1}}
ONES = {"q": {"a": 1, "c": 1}}
MORE = {"q": {"a": 1, "elsewhere": 1}}
FULL = {"q": {"a": 2.0, "c": 1.0}}
EITHER = {"q": {"a": 1}, "empty": {"a": 0}}
LOW = {"q": {"a": 0.5, "b": 0.0, "c": -1.0}}


MEET = [
        ("trec_eval", "ndcg", (FRACTIONS, CLEAR), "Fractional grades: it cuts them off"),
        ("trec_eval-9", "ndcg", (FRACTIONS, CLEAR), "Fractional grades: it cuts them off"),
        ("ir_measures", "nDCG", (FRACTIONS, CLEAR), "Fractional grades: it cuts them off"),
        ("beir", "NDCG@10", (FRACTIONS, CLEAR), "Fractional grades, which pytrec_eval refuses"),
        ("trec_eval", "rbp", (GRADED, CLEAR), "rbp of grades outside 0 to 1"),
        ("ranx", "map", (GRADED, TIED), "Equal scores"),
        ("torchmetrics", "RetrievalMAP", (GRADED, LOW), "Scores of 0 and below"),
        ("torchmetrics", "RetrievalMRR", (GRADED, TIED), "Equal scores"),
        ("sklearn", "average_precision_score", (GRADED, TIED), "where scores are equal"),
        ("sklearn", "ndcg_score", (NEGATIVE, CLEAR), "Negative labels"),
        ("rectools", "MAP@3", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("replay", "MAP@3", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("lenskit", "NDCG", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("recbole", "map@3", (ONES, TIED), "Equal scores"),
        ("recpack", "NDCGK_3", (GRADED, CLEAR), "Ratings instead of ones"),
        ("recommenders", "map@3", (ONES, TIED), "Equal scores"),
        ("evidently", "NDCG@3", (GRADED, TIED), "Equal scores"),
        ("lightgbm", "ndcg@3", (FRACTIONS, CLEAR), "Grades other than 0, 1, … 30"),
        ("catboost", "MRR", (FRACTIONS, CLEAR), "Grades between 0.5 and 1"),
        ("tf-ranking", "ndcg_3", (GRADED, TIED), "which it shuffles"),
        ("tf-ranking", "ndcg_3", (NEGATIVE, CLEAR), "Negative labels"),
        ("fuxictr", "MRR", (GRADED, TIED), "the later row comes first"),
        ("ir_measures", "Compat(p=0.8)", (GRADED, TIED), "Compat where scores are equal"),
        ("ranx", "ndcg", (FRACTIONS, CLEAR), "Fractional grades: it cuts them off"),
        ("ranx", "bpref", (ONES, CLEAR), "bpref where no item is judged not relevant"),
        ("recbole", "map@3", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("recpack", "ReciprocalRankK_3", (ONES, TIED), "Equal scores"),
        ("recpack", "RecallK_3", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("recommenders", "map@3", (GRADED, CLEAR), "Judged rows of a grade below 1"),
        ("evidently", "Recall@3", (MORE, CLEAR), "MAP and Recall where relevant items are not in the table"),
        ("rexmex", "mean_reciprocal_rank", (MORE, CLEAR), "where a relevant item is not in the list"),
            ("catboost", "QueryAUC", (GRADED, CLEAR), "QueryAUC of grades"),
        ("beir", "NDCG@10", ({"q": {"a": 1}}, {"q": {"q": 1.0, "a": 0.5}}), "whose id is that of the query"),
        ("mteb", "ndcg_at_10", (FRACTIONS, CLEAR), "Fractional grades, which pytrec_eval refuses"),
        ("mteb", "accuracy", ({"q": {"a": 1}}, {"q": {"q": 1.0, "a": 0.5}}), "whose id is that of the query"),
        ("sentence-transformers-reranking", "map", (GRADED, TIED), "Equal scores: for mrr their order"),
        ("sentence-transformers-reranking", "map", (ONES, FULL), "whose documents are all relevant"),
        ("keras-rs", "NDCG", (GRADED, TIED), "which it shuffles"),
        ("keras-rs", "NDCG", (NEGATIVE, CLEAR), "Negative labels"),
        ("mlflow", "ndcg_at_3", (ONES, {"q": {"a": 1.0}}), "ndcg_at_k of lists that are shorter"),
        ("mlflow", "recall_at_3", (EITHER, CLEAR), "neither relevant items nor results"),
        ("haystack", "DocumentNDCGEvaluator", (NEGATIVE, CLEAR), "Negative grades, which lose something"),
        ("elasticsearch", "dcg(normalize=true)@3", (ONES, {"q": {"a": 1.0}}), "dcg with normalize of lists"),
        ("elasticsearch", "dcg@3", (FRACTIONS, CLEAR), "Ratings that are not whole numbers"),
        ("elasticsearch", "dcg@3", (NEGATIVE, CLEAR), "Negative ratings"),
        ("vespa", "ndcg(graded)@3", (GRADED, CLEAR), "of grades outside of 0 to 1"),
        ("beir", "MRR@10", ({7: {1: 1}}, {7: {7: 1.0, 1: 0.5}}), "whose id is that of the query"),
]  # fmt: skip


@pytest.mark.parametrize(("like", "name", "data", "said"), MEET)
def test_what_keeps_a_number_from_being_the_tools_is_said_beside_it(
    like: str, name: str, data: Any, said: str
) -> None:
    result = rm.evaluate(*data, name, like=like)
    (note,) = [note for note in result.notes if said in note]
    label = rm.conventions()[like].label
    assert note.startswith(f"not as in {label}, {result.measures[0]}: ")
    account = " ".join(result.account())
    assert f", by the rules of {label}, but see below" in account
    assert f", as in {label}" not in account
    assert said in account
    in_parts = rm.Evaluator(name, like=like)
    in_parts.update(*data)
    assert note in in_parts.result().notes


@pytest.mark.parametrize("like", [r.name for r in rm.conventions().values() if r.measures])
def test_nothing_is_said_where_nothing_keeps_it_from_being_so(like: str) -> None:
    record = rm.conventions()[like]
    asked = next(each for each in ("nDCG@10", "RR", "RR@10", "AP", "P@10") if record.has(each))
    result = rm.evaluate(ONES, {"q": {"a": 3.0, "x": 2.0, "c": 1.0}}, asked, like=like)
    assert result.notes == ()
    assert result.account()[0].endswith(f", as in {record.label}")


def test_what_a_tool_refuses_is_refused() -> None:
    for name, data in (("map@3", GRADED), ("pre", GRADED), ("ndcg", FRACTIONS), ("ndcg@3", NEGATIVE)):
        with pytest.raises(rm.DataError, match=r"as in xgboost-3\.2\.0: .* take"):
            rm.evaluate(data, CLEAR, name, like="xgboost")
    assert rm.evaluate(GRADED, CLEAR, "ndcg", like="xgboost").notes == ()
    assert rm.evaluate(ONES, CLEAR, "map", like="xgboost").notes == ()


def test_files_that_are_streamed_are_looked_at_whole(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0.5\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 0.5 t\nq Q0 b 2 -0.5 t\n")
    files = tmp_path / "qrels.txt", tmp_path / "run.txt"
    for like, name in (("trec_eval", "map"), ("torchmetrics", "RetrievalMAP")):
        here, streamed = (rm.evaluate(*files, name, like=like, engine=each) for each in ("local", "stream"))
        assert here.notes == streamed.notes
        assert len(here.notes) == 1


TWICE = [("q", "a", 3.0), ("q", "a", 2.0), ("q", "c", 1.0)]


@pytest.mark.parametrize(
    ("like", "name"),
    [
        *[("trec_eval-9", "map"), ("ir_measures", "AP"), ("ranx", "map"), ("rectools", "MAP@3")],
        *[("replay", "MAP@3"), ("lenskit", "Recall@3"), ("spark", "recallAt(3)")],
        *[("mteb", "map_at_3"), ("sentence-transformers", "map@3"), ("mlflow", "precision_at_3")],
        *[("haystack", "DocumentMRREvaluator"), ("llama-index", "ap"), ("ragas", "context_precision")],
        *[("vespa", "map@3"), ("ann-benchmarks", "k-nn@3")],
    ],
)
def test_what_a_tool_makes_of_the_same_item_twice_is_said_where_it_is_there_and_taken(
    like: str, name: str
) -> None:
    for run, duplicates, said in ((TWICE, "best", 1), (TWICE[1:], "best", 0), (TWICE[1:], None, 0)):
        notes = rm.evaluate(ONES, run, name, like=like, duplicates=duplicates).notes  # type: ignore[arg-type]
        assert sum("`duplicates` refuses it" in note for note in notes) == said, (run, duplicates)
    twice = [("q", "a", 1), ("q", "a", 1)]
    assert rm.evaluate(twice, TWICE[1:], name, like=like, duplicates="best").notes


def test_files_that_are_streamed_tell_of_items_that_are_queries(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    for item in ("a", "q"):
        (tmp_path / "run.txt").write_text(f"q Q0 {item} 1 0.5 t\n")
        files = tmp_path / "qrels.txt", tmp_path / "run.txt"
        notes = rm.evaluate(*files, "NDCG@10", like="beir", engine="stream").notes
        assert any("whose id is that of the query" in note for note in notes) == (item == "q")


ROWS_THAT_MEET = [
    ("torchrec", "auc", {"score": [0.5, 0.5, 0.2, 0.1]}, "auc and gauc where scores are equal"),
    ("torchrec", "gauc", {"score": [0.5, 0.5, 0.2, 0.1]}, "auc and gauc where scores are equal"),
    ("torchrec", "gauc", {"score": [0.5, 0.5, 0.2, 0.1]}, "gauc of queries whose scores are all equal"),
    ("torchrec", "gauc", {"score": [0.5, 0.4, 0.2, 0.0]}, "gauc of scores of exactly 0"),
    ("recommenders", "group_auc", {"label": [1, 1, 1, 0]}, "where a user has rows of one class"),
    ("sklearn", "log_loss", {"score": np.float32([0.9, 0.4, 0.6, 0.1])}, "log_loss of float32"),
    ("xgboost", "logloss", {"score": [0.9, 1.0, 0.6, 0.1]}, "a probability of exactly 1"),
    ("torchmetrics", "BinaryAccuracy", {"score": [2.0, -1.0, 0.3, 0.1]}, "which it takes for logits"),
    (
        *("torchmetrics", "BinaryAccuracy(threshold=0.3)"),
        {"score": np.float32([0.9, 0.3, 0.6, 0.1])},
        "Decisions on scores of float32",
    ),
    ("torchmetrics", "BinaryCalibrationError", {"score": [0.9, 0.4, 0.65, 0.12]}, "at the border of a bin"),
]
LABELLED = {"label": [1, 0, 1, 0], "score": [0.9, 0.41, 0.65, 0.12], "query": ["a", "a", "b", "b"]}


@pytest.mark.parametrize(("like", "name", "data", "said"), ROWS_THAT_MEET)
def test_what_rows_keep_from_being_the_tools_is_said_beside_it(
    like: str, name: str, data: Any, said: str
) -> None:
    assert rm.evaluate_predictions(LABELLED, name, like=like).notes == ()
    result = rm.evaluate_predictions({**LABELLED, **data}, name, like=like)
    assert [note for note in result.notes if said in note]
    assert "but see below" in result.account()[0]


CLASSES_THAT_MEET = [
    ("sklearn", "log_loss", np.float32([[0.75, 0.125, 0.125]] * 3), "log_loss of classes in float32"),
    (
        *("torchmetrics", "MulticlassAccuracy(average=micro,top_k=2)", [[0.5, 0.25, 0.25]] * 3),
        "with top_k where scores at the border are equal",
    ),
]


@pytest.mark.parametrize(("like", "name", "scores", "said"), CLASSES_THAT_MEET)
def test_what_rows_of_classes_keep_from_being_the_tools_is_said_beside_it(
    like: str, name: str, scores: Any, said: str
) -> None:
    usual = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]]
    assert rm.evaluate_predictions({"label": [0, 1, 2], "score": usual}, name, like=like).notes == ()
    (note,) = rm.evaluate_predictions({"label": [0, 1, 2], "score": scores}, name, like=like).notes
    assert said in note


EVEN = {"u": ["a", "b"], "v": ["b", "c"]}
HAD = {"u": ["c"], "v": ["a"], "w": ["b"]}
JUDGED = {"u": {"a": 1}, "v": {"b": 1}}
CATEGORIES = {item: {"category": item} for item in "abcdef"}
ITEMS_THAT_MEET = [
    ("rectools", "MeanInvUserFreq@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("replay", "Surprisal@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("replay", "Novelty@2", {"qrels": {**JUDGED, "w": {"a": 1}}}, "users of train without results"),
    ("recommenders", "novelty@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("recommenders", "novelty@2", {"run": {**EVEN, "v": ["b"]}}, "lists are of different lengths"),
    ("recommenders", "diversity@2", {"train": {**HAD, "w": ["b", "b"]}}, "more than once before"),
    (
        "recpack",
        "IntraListDiversityK_2",
        {"qrels": {**JUDGED, "w": {"a": 1}}},
        "users without recommendations",
    ),
    ("lenskit", "MeanPopRank@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("elliot", "ARP@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("elliot", "SEntropy@2", {"run": {**EVEN, "v": ["b"]}}, "SEntropy where lists are of different lengths"),
    ("elliot", "APLT@2", {"train": {**HAD, "w": ["b", "b"]}}, "had more than once before"),
    ("elliot", "ARP@2", {"run": {**EVEN, "v": ["e", "c"]}}, "Items that nobody had"),
    ("elliot", "EPC@2", {"qrels": {**JUDGED, "v": {"b": 0}}}, "of users without relevant items"),
    ("evidently", "Novelty@2", {"qrels": {"u": {"a": 1}}}, "recommended to users without judgements"),
    ("evidently", "Personalization@2", {"run": {**EVEN, "v": ["b"]}}, "where a list has fewer than k items"),
    ("rexmex", "novelty@2", {"run": {**EVEN, "v": ["b"]}}, "novelty of lists that are shorter than k"),
]


@pytest.mark.parametrize(("like", "name", "data", "said"), ITEMS_THAT_MEET)
def test_what_lists_and_interactions_keep_from_being_the_tools_is_said_beside_it(
    like: str, name: str, data: Any, said: str
) -> None:
    usual = {"qrels": JUDGED, "run": EVEN, "train": HAD}
    for given, notes in ((usual, 0), ({**usual, **data}, 1)):
        qrels, run = given["qrels"], given["run"]
        result = rm.evaluate(qrels, run, name, like=like, items=CATEGORIES, train=given["train"])
        assert sum(said in note for note in result.notes) == notes, result.notes
        assert sum("not as in" in note for note in result.notes) == notes, result.notes


ASPECTS = [("1", "a", 1), ("2", "b", 1)]
ASPECTS_THAT_MEET = [
    ("ndeval", "strec@2", [*ASPECTS, ("1", "c", -1)], "Grades below 0"),
    ("ndeval", "strec@2", [*ASPECTS, ("1", "c", 0.5)], "Fractional grades"),
    ("ndeval", "strec@2", [*ASPECTS, ("1", "a", 1)], "judged twice for the same aspect"),
    ("pyndeval", "strec@2", [*ASPECTS, ("1", "a", 1)], "judged twice for the same aspect"),
]


@pytest.mark.parametrize(("like", "name", "rows", "said"), ASPECTS_THAT_MEET)
def test_what_aspects_keep_from_being_the_tools_is_said_beside_it(
    like: str, name: str, rows: Any, said: str
) -> None:
    for judged, notes in ((ASPECTS, 0), (rows, 1)):
        qrels = [
            {"query": "q", "subtopic": aspect, "item": item, "relevance": grade}
            for aspect, item, grade in judged
        ]
        result = rm.evaluate(qrels, {"q": ["a", "b"]}, name, like=like, duplicates="best")
        assert sum(said in note for note in result.notes) == notes, result.notes


def test_nothing_is_said_of_users_without_judgements_where_nobody_has_any() -> None:
    for like, name in (("rectools", "MeanInvUserFreq@2"), ("replay", "Novelty@2"), ("elliot", "ARP@2")):
        result = rm.evaluate(None, EVEN, name, like=like, train=HAD)
        assert not [note for note in result.notes if "not as in" in note]


def test_every_sentence_of_what_cannot_be_reproduced_is_held_against_data_or_says_why_not() -> None:
    shown = {
        (like, said)
        for like, _, _, said in (
            *MEET,
            *ROWS_THAT_MEET,
            *CLASSES_THAT_MEET,
            *ITEMS_THAT_MEET,
            *ASPECTS_THAT_MEET,
        )
    }
    for record in rm.conventions().values():
        for each in record.cannot:
            if isinstance(each, Aside):
                assert each.why
            elif not each.refused and "`duplicates` refuses it" not in each.text:
                assert any(like == record.name and said in each.text for like, said in shown), (
                    f"{record.name}: no data here meet {each.text!r}"
                )


def test_decisions_on_logits_are_not_those_of_torchmetrics() -> None:
    table = {"label": [1, 0, 1], "score": [2.0, -1.0, 0.3]}
    result = rm.evaluate_predictions(table, "BinaryAccuracy", like="torchmetrics")
    assert any("which it takes for logits" in note for note in result.notes)
    assert "but see below" in result.account()[0]


# --- the records -------------------------------------------------------------------------------------------

NAMES = [(record, name) for record in rm.conventions().values() for name in record.measures]
NUMBERS = {"k": "7", "rel": "2", "p": "95", "x": "0.5", "b": "2", "square": "4"}


def filled(name: str) -> str:
    return re.sub(r"\{([a-z]+)\}", lambda found: NUMBERS[found[1]], name)


@pytest.mark.parametrize(("record", "name"), NAMES, ids=[f"{r.name}:{name}" for r, name in NAMES])
def test_every_name_of_every_tool_is_understood_and_read_back(record: Any, name: str) -> None:
    asked = filled(name)
    measure = record.measure(asked)
    result = rm.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "b"]}, [asked], like=record.name)
    assert result.measures == (measure,)
    assert result[asked] == result[measure] == result[str(measure)]
    assert asked in result
    assert f"|like:{record.label}|" in result.signature(asked)


def test_every_tool_of_the_field_has_a_record_that_says_what_it_cannot_do() -> None:
    expected = (
        "trec_eval trec_eval-9 ir_measures ranx sklearn torchmetrics rectools replay recbole recpack "
        "lenskit recommenders elliot evidently rexmex lightgbm xgboost catboost tf-ranking gdeval "
        "msmarco ndeval pyndeval beir fuxictr torchrec mteb sentence-transformers "
        "sentence-transformers-reranking keras-rs "
        "mlflow spark haystack llama-index ragas elasticsearch vespa ann-benchmarks"
    )
    assert list(rm.conventions()) == expected.split()
    for record in rm.conventions().values():
        assert record.version
        assert record.measures or record.predictions or record.items
        assert record.cannot
        assert record.label in (f"{record.tool}-{record.version}",)
        assert record.page.startswith(f"{record.tool} {record.version}")
        assert max(map(len, record.page.splitlines())) <= 110


def test_the_guide_says_how_many_there_are() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "conventions.md"
    assert f"lists the {len(rm.conventions())} conventions" in guide.read_text()


def test_a_measures_name_here_is_the_tools_variant_of_it() -> None:
    assert str(rm.conventions()["lightgbm"].measure("nDCG@10")) == "nDCG(gain=exp2)@10"
    assert str(rm.conventions()["lenskit"].measure(rm.AP @ 5)) == "AP(denominator=retrieved)@5"
    assert str(rm.conventions()["rectools"].measure("nDCG@3")) == "nDCG(gain=binary,ideal=[1,1,1])@3"
    assert (
        str(rm.conventions()["trec_eval-9"].measure("IPrec(recall=0.5)")) == "IPrec(recall=0.5,rounding=up)"
    )


def test_parameters_and_choices_that_are_given_override_the_tools() -> None:
    assert str(rm.conventions()["replay"].measure("nDCG(gain=exp2)@10")) == "nDCG(gain=exp2)@10"
    result = rm.evaluate(*NOTHING_RELEVANT, "ndcg@10", like="lightgbm", no_relevant="zero", ties="worst")
    assert result["ndcg@10"] == 0.5
    assert "|like:lightgbm-4.7.0|ties:worst|missing:zero|unjudged_queries:skip|no_relevant:zero|" in (
        result.signature("ndcg@10")
    )


def test_without_a_convention_the_standard_holds() -> None:
    result = rm.evaluate(*NOTHING_RELEVANT, "nDCG@10")
    assert result.convention is None
    assert "like:" not in result.signature("nDCG@10")
    assert result.choices["ties"] == "item-desc"


def test_other_names_of_a_convention_and_its_label() -> None:
    for like in ("trec_eval-9", "pytrec_eval", "TREC_EVAL-9", "trec_eval-9.0.8"):
        assert rm.evaluate(*MISSING, "map", like=like).convention == "trec_eval-9.0.8"


def test_a_result_keeps_its_convention_when_it_is_copied_or_saved() -> None:
    result = rm.evaluate(*MISSING, ["RR@10", "AP"], like="ir_measures")
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.convention == "ir_measures-0.4.3"
        assert again.signature("RR@10") == result.signature("RR@10")
    assert json.loads(result.to_json())["convention"] == "ir_measures-0.4.3"
    assert pickle.loads(pickle.dumps(rm.conventions()["ranx"])) is rm.conventions()["ranx"]


@pytest.mark.parametrize(
    ("measure", "like", "message"),
    [
        ("nDCG@10", "rnx", "like='rnx' is no convention; did you mean 'ranx'"),
        ("nDCG@10", 3, "like=3 is no convention"),
        ("RR", "lightgbm", r"lightgbm has no RR; it has ndcg@<k>, map@<k>"),
        ("nDCG", "lightgbm", "lightgbm has no nDCG; it has ndcg@<k>"),
        ("AP@10", "elliot", "elliot has no AP@10; it has .*MAP@<k>"),
        ("ndgc@10", "ranx", "no measure 'ndgc'; did you mean"),
        ("average_precision_score label_ranking_average_precision_score", "sklearn", "under two names"),
    ],
)
def test_refusals(measure: Any, like: Any, message: Any) -> None:
    with pytest.raises(rm.UsageError, match=message):
        rm.evaluate(*MISSING, measure, like=like)


def test_a_variant_is_written_with_what_it_decides_itself() -> None:
    own = rm.conventions()["ir_measures"].measures["RR@{k}"]
    assert own == Variant("RR@{k}", {"ties": "item-asc", "scores": "float64"})
    assert "RR@<k>" in rm.conventions()["ir_measures"].page
    assert "(ties: item-asc, scores: float64)" in rm.conventions()["ir_measures"].page


# --- where tools differ, and why ---------------------------------------------------------------------------


def test_differences_are_changed_one_at_a_time() -> None:
    qrels, run = {"q1": {"a": 3, "b": 1}, "q2": {"c": 0}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
    found = rm.differences(qrels, run, "nDCG@10", like=["trec_eval", "lightgbm"])
    effects = {each.what: each.effect for each in found.why}
    for what, given in {"gain": {}, "no_relevant": {"no_relevant": "one"}, "ties": {"ties": "input"}}.items():
        measure = "nDCG(gain=exp2)@10" if what == "gain" else "nDCG@10"
        alone = rm.evaluate(qrels, run, measure, **given)[measure]
        assert effects[what] == pytest.approx(alone - found.values["nDCG@10"]["trec_eval"], abs=1e-15)
    assert effects.keys() == {"gain", "no_relevant", "ties"}
    assert found.queries == {"nDCG@10": {"trec_eval": 0, "lightgbm": 2}}
    assert found.values["nDCG@10"]["lightgbm"] == value("lightgbm", "nDCG@10", qrels, run)


def test_differences_of_one_name_for_two_measures() -> None:
    qrels, run = one_query([0, 1, 1])
    found = rm.differences(qrels, run, ["MAP@3", "HR@1"], like=["ranx", "elliot", "lightgbm"])
    first = found.why[0]
    assert (first.what, first.first, first.other) == ("measure", "AP@3", "MeanP@3")
    assert found.lacking == ("lightgbm has no HR@1; it has ndcg@<k>, map@<k>",)
    assert "lightgbm" not in found.values["HR@1"]


def test_differences_need_two_conventions() -> None:
    with pytest.raises(rm.UsageError, match="two conventions or more"):
        rm.differences(*MISSING, "AP", like=["ranx"])
    with pytest.raises(rm.MeasureError, match="lightgbm has no RR"):
        rm.differences(*MISSING, "RR", like=["lightgbm", "gdeval"])


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels.txt").write_text("q1 0 a 3\nq1 0 b 1\nq2 0 c 0\n")
    (tmp_path / "one.run").write_text("q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n")
    return [str(tmp_path / "qrels.txt"), str(tmp_path / "one.run")]


def test_the_command_line_shows_one_convention(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *files, "-m", "ndcg@10", "--like", "lightgbm"]) == 0
    out = capsys.readouterr().out
    assert "ndcg@10" in out
    assert "as in lightgbm" in out


def test_without_a_measure_the_command_line_shows_the_usual_ones_that_the_tool_has(
    files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[0]).write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 0\n")
    assert main(["eval", *files, "--like", "xgboost", "--format", "csv"]) == 0
    names = [line.rpartition(",")[0].strip('"') for line in capsys.readouterr().out.splitlines()[1:]]
    assert names == ["nDCG(gain=exp2)@10", "P(denominator=retrieved)@10"]


@pytest.mark.parametrize("name", ["table", "markdown", "latex", "csv", "json"])
def test_the_command_line_shows_several_side_by_side(
    files: Any, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    arguments = ["eval", *files, "-m", "nDCG@10 RR", "--like", "trec_eval", "--like", "lightgbm"]
    assert main([*arguments, "--format", name]) == 0
    out = capsys.readouterr().out
    if name == "json":
        record = json.loads(out)
        assert record["like"] == ["trec_eval", "lightgbm"]
        assert [each["what"] for each in record["why"]] == ["gain", "ties", "no_relevant"]
    elif name == "csv":
        assert out.splitlines()[0] == "measure,trec_eval,lightgbm"
    else:
        for word in ("gain", "linear", "exp2", "relevant", "lightgbm has no RR"):
            assert word in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--like", "ranx", "--like", "elliot", "--per-query"], "several --like show one run"),
        (["--like", "ranx", "--like", "elliot", "--format", "trec"], "--format trec shows one convention"),
        (["--like", "lightgmb"], "did you mean 'lightgbm'"),
        (["--like", "ranx", "--ties", "sideways"], "--ties sideways is not one of"),
    ],
)
def test_the_command_line_refuses(
    files: Any, capsys: pytest.CaptureFixture[str], more: Any, message: Any
) -> None:
    assert main(["eval", *files, *more]) == 2
    assert message in capsys.readouterr().err


def test_the_command_line_lists_conventions_and_shows_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convention"]) == 0
    assert ["ranx", "ranx", "0.3.21"] in [line.split() for line in capsys.readouterr().out.splitlines()]
    assert main(["convention", "pytrec_eval"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("trec_eval 9.0.8\nalso pytrec_eval")
    assert "scores: float32" in out
    assert main(["convention", "rankx"]) == 2
    assert "did you mean 'ranx'" in capsys.readouterr().err


# --- conventions together with signatures, bounds and hashes ---------------------------------------------

GRADED_QRELS = {"q1": {"7": 2, "12": 1, "9": 0}, "q2": {"3": 1}}
TIED_RUN = {"q1": {"7": 0.5, "12": 0.5, "9": 0.5}, "q2": {"5": 1.0, "3": 1.0}}


@pytest.mark.parametrize("like", [r.name for r in rm.conventions().values() if r.measures])
@pytest.mark.parametrize("short", [False, True])
def test_the_signature_of_a_convention_gives_its_number_again(like: Any, short: Any) -> None:
    record = rm.conventions()[like]
    asked = next(each for each in ("nDCG@10", "RR", "RR@10", "AP", "P@10") if record.has(each))
    result = rm.evaluate(GRADED_QRELS, TIED_RUN, asked, like=like)
    signature = result.signature(result.measures[0], short=short)
    assert f"|like:{record.label}|" in signature
    again = rm.from_signature(signature).evaluate(GRADED_QRELS, TIED_RUN)
    assert list(again.values.values()) == list(result.values.values())
    assert again.signature(again.measures[0], short=short) == signature


def test_bounds_are_those_of_each_measure_s_own_choices() -> None:
    # ir_measures breaks ties by item, RR@10 upwards and RR downwards; the bounds of both are the same.
    result = rm.evaluate(GRADED_QRELS, TIED_RUN, ["RR", "RR@10"], like="ir_measures", bounds=True)
    assert result.choices_of("RR")["ties"] != result.choices_of("RR@10")["ties"]
    for measure in ("RR", "RR@10"):
        bounds = result.bounds[measure]
        assert (bounds.worst, bounds.best) == (0.5, 1.0)


def test_integer_items_are_ordered_as_text_by_tools_that_know_only_text() -> None:
    qrels = {"q": {9: 1, 12: 0}}
    run = {"q": {9: 1.0, 12: 1.0}}  # 12 > 9, and "9" > "12"
    assert rm.evaluate(qrels, run, "RR")["RR"] == 0.5
    assert rm.evaluate(qrels, run, "RR", like="trec_eval")["RR"] == 1.0
    why = rm.differences(qrels, run, "RR", like=["trec_eval", "lenskit"]).why
    (ids,) = (each for each in why if each.what == "item_ids")
    assert (ids.first, ids.other, ids.effect) == ("text", "integer", -0.5)


@pytest.mark.parametrize(
    ("asked", "like", "value"),
    [("rbp.p=0.8", "trec_eval", 0.8), ("RBP(p=0.8)", "lenskit", 0.8), ("RBP(p=0.85)", "lenskit", 0.85)],
)
def test_a_parameter_that_is_given_holds_where_it_is_the_default_here(
    asked: str, like: str, value: float
) -> None:
    (measure,) = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, asked, like=like).measures
    assert measure.arguments["p"] == value


def test_a_default_that_is_given_is_another_measure_than_the_tools() -> None:
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    asked: list[str | rm.Measure] = ["nDCG(gain=linear)@5", "nDCG@5", rm.nDCG(gain="linear") @ 5]
    linear, exponential, again = (rm.evaluate(qrels, run, each, like="lightgbm") for each in asked)
    assert (
        [*linear.values.values()] == [*again.values.values()] == [rm.evaluate(qrels, run, "nDCG@5")["nDCG@5"]]
    )
    assert exponential["nDCG(gain=exp2)@5"] != linear[rm.nDCG @ 5]
    assert len(rm.evaluate(qrels, run, asked[:2], like="lightgbm").measures) == 2


@pytest.mark.parametrize(
    ("like", "asked", "theirs"),
    [("ranx", "HR@3", "hit_rate@3"), ("recpack", "R@2", "RecallK_2"), ("vespa", "nDCG@3", "ndcg@3")],
)
def test_a_name_of_here_is_the_measure_that_a_tool_gives_that_name(
    like: str, asked: str, theirs: str
) -> None:
    """Tools have several of a kind: ranx's hits count what its hit_rate only looks for."""
    record = rm.conventions()[like]
    assert record.measure(asked) == record.measure(theirs)
