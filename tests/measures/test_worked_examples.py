"""Worked examples from papers and textbooks, each through the core and through its twin."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rankmark as rm
import reference

TO_SIX_DIGITS = 5e-7

Grades = list[float]
Tables = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


def value(qrels: dict, run: dict, measure: str | rm.Measure) -> float:
    """The measure's value, on which the core and the twin must agree."""
    measure = rm.parse(measure) if isinstance(measure, str) else measure
    result = rm.evaluate(qrels, run, [measure])
    cutoff = {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    twin = reference.per_query(rows(qrels), rows(run), measure.name, **cutoff, **measure.arguments)
    assert result.per_query[str(measure)].to_list() == pytest.approx(
        list(twin.values()), rel=1e-14, abs=1e-14
    )
    return result[measure]


def rows(table: dict[str, dict[str, float]]) -> list[reference.Row]:
    return [(query, item, number) for query, items in table.items() for item, number in items.items()]


def one_query(in_rank_order: Grades, not_retrieved: Grades = ()) -> Tables:
    """Judgements and a run in which the items with these grades come in this order."""
    grades = [*in_rank_order, *not_retrieved]
    qrels = {"q": {f"item{i:02}": grade for i, grade in enumerate(grades)}}
    return qrels, {"q": {f"item{i:02}": -float(i) for i in range(len(in_rank_order))}}


def hit_lists(hits: list[int], relevant: list[int], length: int) -> Tables:
    """One query each: this many hits at the top of a list of this length, of so many relevant items."""
    qrels, run = {}, {}
    for number, (found, total) in enumerate(zip(hits, relevant, strict=True)):
        query = f"q{number}"
        qrels[query] = {f"good{i}": 1.0 for i in range(total)}
        items = [f"good{i}" for i in range(found)] + [f"other{i}" for i in range(length - found)]
        run[query] = {item: -float(i) for i, item in enumerate(items)}
    return qrels, run


# --- DCG and nDCG --------------------------------------------------------------------------------------

TEN_GRADES = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("DCG@2", 4.2618595071429155),
        ("DCG(discount=log2max)@2", 5.0),
        ("DCG(discount=log2max)@10", 9.6051177391888114),
    ],
)
def test_dcg_with_either_first_discount(measure: Any, expected: Any) -> None:
    assert value(*one_query(TEN_GRADES), measure) == pytest.approx(expected, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG(ideal=retrieved)@4", 0.96519546960144276),
        ("nDCG(discount=log2max,ideal=retrieved)@4", 0.9203032077642922),
    ],
)
def test_ndcg_with_the_ideal_from_the_retrieved(measure: Any, expected: Any) -> None:
    assert value(*one_query([2, 1, 2, 0]), measure) == pytest.approx(expected, rel=1e-15, abs=1e-15)


def test_ideal_from_the_retrieved_does_not_know_what_was_missed() -> None:
    qrels, run = one_query([2, 1, 2, 0], not_retrieved=[3, 3])
    assert value(qrels, run, "nDCG(ideal=retrieved)@4") == pytest.approx(0.96519546960144276, abs=1e-15)


@pytest.mark.parametrize("discount", ["log2", "log2max"])
def test_ndcg_of_a_single_item(discount: Any) -> None:
    assert value(*one_query([0]), f"nDCG(discount={discount})@1") == 0
    assert value(*one_query([1]), f"nDCG(discount={discount})@2") == 1


def test_exponential_gain_against_the_ideal() -> None:
    assert value(*one_query([3, 2, 0]), "DCG(gain=exp2)@3") == pytest.approx(8.892789, abs=TO_SIX_DIGITS)
    assert value(*one_query([3, 3, 2]), "DCG(gain=exp2)@3") == pytest.approx(12.916508, abs=TO_SIX_DIGITS)
    judged = one_query([3, 2, 0], not_retrieved=[3])
    assert value(*judged, "nDCG(gain=exp2)@3") == pytest.approx(0.688482, abs=TO_SIX_DIGITS)


def test_exponential_gain_against_a_given_ideal_list() -> None:
    measure = rm.nDCG(gain="exp2", ideal=[3, 3, 2]) @ 3
    assert value(*one_query([3, 2, 0]), measure) == pytest.approx(0.688482, abs=TO_SIX_DIGITS)


@pytest.mark.parametrize(
    ("in_rank_order", "measure", "expected"),
    [
        ([3, 2, 3, 0, 1, 2], "CG", 11),
        ([3, 2, 3, 0, 1, 2], "DCG", 6.861127),
        ([3, 3, 2, 2, 1, 0], "DCG", 7.140995),
        ([3, 2, 3, 0, 1, 2], "nDCG", 0.960808),
    ],
)
def test_cumulated_gain_of_six_judged_items(in_rank_order: Any, measure: Any, expected: Any) -> None:
    assert value(*one_query(in_rank_order), measure) == pytest.approx(expected, abs=TO_SIX_DIGITS)


SONGS = {
    "USER1": dict(zip("ABCDEFGHI", (3, 3, 2, 2, 1, 1, 0, 0, 0), strict=True)),
    "USER2": dict(zip("ABCDEFGHI", (3, 2, 1, 1, 2, 0, 1, 1, 1), strict=True)),
    "USER3": dict(zip("ABCDEFGHI", (0, 1, 0, 1, 2, 3, 3, 1, 0), strict=True)),
}


@pytest.mark.parametrize(
    ("gain", "recommended", "expected"),
    [
        ("linear", ("AECDF", "GEABD", "CGFBE"), (0.823294, 0.824107, 0.685090)),
        ("linear", ("ABCGE", "BAGEF", "EGFBI"), (0.879379, 0.864255, 0.867837)),
        ("exp2", ("AECDF", "GEABD", "CGFBE"), (0.740632, 0.720022, 0.692276)),
        ("exp2", ("ABCGE", "BAGEF", "EGFBI"), (0.911477, 0.821434, 0.826209)),
    ],
)
def test_songs_recommended_to_three_users_by_two_systems(gain: Any, recommended: Any, expected: Any) -> None:
    run = {
        user: {song: -float(rank) for rank, song in enumerate(songs)}
        for user, songs in zip(SONGS, recommended, strict=True)
    }
    measure = rm.parse(f"nDCG(gain={gain})@5")
    result = rm.evaluate(SONGS, run, [measure])
    assert result.per_query[str(measure)].to_list() == pytest.approx(expected, abs=TO_SIX_DIGITS)
    assert value(SONGS, run, measure) == pytest.approx(sum(expected) / 3, abs=TO_SIX_DIGITS)


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"), [(["US", "FR", "CN"], "US", 1), (["FR", "US", "CN"], "CN", 0.5)]
)
def test_one_relevant_country(predicted: Any, truth: Any, expected: Any) -> None:
    run = {"user": {country: -float(rank) for rank, country in enumerate(predicted)}}
    assert value({"user": {truth: 1.0}}, run, "nDCG") == expected


# --- hits ----------------------------------------------------------------------------------------------


def test_average_precision_of_hits_at_1_4_5_6() -> None:
    tables = one_query([1, 0, 0, 1, 1, 1])
    assert value(*tables, "AP") == pytest.approx((1 / 1 + 2 / 4 + 3 / 5 + 4 / 6) / 4, rel=1e-15)
    assert value(*tables, "AP") == pytest.approx(0.691667, abs=TO_SIX_DIGITS)


def test_hit_ratio_sums_hits_and_relevant_items_over_all_queries() -> None:
    assert value(*hit_lists(hits=[6, 5, 4], relevant=[10, 12, 8], length=10), "HitRatio@10") == 0.5


def test_hit_rate_is_the_share_of_queries_with_a_hit() -> None:
    qrels, run = hit_lists(hits=[1, 3, 2, 0, 0], relevant=[1, 3, 4, 2, 1], length=3)
    assert value(qrels, run, "HR@3") == pytest.approx(0.6, rel=1e-15)


def test_a_hit_below_the_cutoff_does_not_count() -> None:
    assert value(*one_query([0, 0, 0, 1]), "HR@3") == 0


@pytest.mark.parametrize(
    ("in_rank_order", "first", "all_hits"), [([1, 0, 1], 1, 1 / 1 + 1 / 3), ([0, 0, 0], 0, 0)]
)
def test_reciprocal_rank_of_the_first_hit_and_of_all(in_rank_order: Any, first: Any, all_hits: Any) -> None:
    tables = one_query(in_rank_order, not_retrieved=[1])
    assert value(*tables, "RR") == first
    assert value(*tables, "RR(hits=all)") == pytest.approx(all_hits, rel=1e-15)


@pytest.mark.parametrize(
    ("n", "precision", "recall"),
    [(1, 1 / 1, 1 / 4), (2, 1 / 2, 1 / 4), (3, 2 / 3, 2 / 4), (5, 2 / 5, 2 / 4), (10, 2 / 10, 2 / 4)],
)
def test_precision_recall_and_f1_at_n_by_hand(n: Any, precision: Any, recall: Any) -> None:
    tables = one_query([1, 0, 1, 0, 0], not_retrieved=[1, 1])
    assert value(*tables, f"P@{n}") == pytest.approx(precision, rel=1e-15)
    assert value(*tables, f"R@{n}") == pytest.approx(recall, rel=1e-15)
    f1 = 2 * precision * recall / (precision + recall)
    assert value(*tables, f"F@{n}") == pytest.approx(f1, rel=1e-15)


def test_the_same_list_under_the_names_of_the_field() -> None:
    """One query with grades 3,3,2,2,2 and seven 1s; grades 0 3 1 0 0 0 2 0 0 0 were returned."""
    tables = one_query([0, 3, 1, 0, 0, 0, 2, 0, 0, 0], not_retrieved=[3, 2, 2, 1, 1, 1, 1, 1, 1])
    for measure, expected in {
        "nDCG@10": 0.3354,
        "nDCG(gain=exp2)@10": 0.3488,
        "nDCG(ideal=retrieved)@10": 0.6425,
        "AP@10": 0.1329,
        "AP(denominator=min)@10": 0.1595,
        "AP(denominator=hits)@10": 0.5317,
        "RR": 0.5,
        "R@10": 0.25,
        "R(denominator=min)@10": 0.30,
    }.items():
        assert value(*tables, measure) == pytest.approx(expected, abs=5e-5), measure


def test_gain_from_a_mapping_or_a_function() -> None:
    tables = one_query([3, 2, 3, 0, 1, 2])
    by_hand = sum(g / math.log2(i + 2) for i, g in enumerate([9, 4, 9, 0, 1, 4]))
    assert value(*tables, rm.DCG(gain={1: 1, 2: 4, 3: 9})) == pytest.approx(by_hand, rel=1e-15)
    assert value(*tables, rm.DCG(gain=lambda grade: grade**2)) == pytest.approx(by_hand, rel=1e-15)
