from __future__ import annotations

import math
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.errors import ChoiceError
from rankmark.language.registry import pages
from rankmark.rendering.numbers import Numbered, Parts

PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
QRELS = {f"q{i}": {"a": 2, "b": 1} for i in range(6)}
OLD = {query: ["b", "x"] if i % 2 else ["x", "a"] for i, query in enumerate(QRELS)}
NEW = {query: ["a", "b"] for query in QRELS}
CLICKS = {"label": [1, 0, 1, 0], "one": [0.9, 0.2, 0.3, 0.6], "two": [0.8, 0.1, 0.7, 0.4]}


class Some(Numbered):
    """Numbers of these names."""

    def __init__(self, numbers: Mapping[Parts, float]) -> None:
        self.numbers = numbers

    def _numbers(self) -> Mapping[Parts, float]:
        return self.numbers


def test_a_result_by_the_names_asked_for_and_by_plain_ones() -> None:
    result = rm.evaluate(QRELS, OLD, ["nDCG@10", "map", "nDCG(gain={1:3,2:-1.5})@5", "R(rel=2)@100"])
    assert result.to_dict() == result.values
    assert list(result.to_dict("plain")) == [
        "ndcg_at_10",
        "map",
        "ndcg_gain_1_3_2_minus_1_5_at_5",
        "r_rel_2_at_100",
    ]
    assert list(result.to_dict("plain").values()) == list(result.values.values())
    assert result.plain_names["r_rel_2_at_100"] == "R(rel=2)@100"
    assert result.signature(result.plain_names["map"]) == result.signature("AP")


def test_intervals_and_bounds_stand_beside_their_value() -> None:
    result = rm.evaluate(QRELS, OLD, "RR", intervals=True)
    interval = result.intervals["RR"]
    assert result.to_dict("plain") == {"rr": result["RR"], "rr_low": interval.low, "rr_high": interval.high}
    bounded = rm.evaluate(QRELS, OLD, "RR", bounds=True).to_dict()
    assert list(bounded) == ["RR", "RR worst", "RR expected", "RR best"]


def test_an_evaluator_and_predictions_have_them_too() -> None:
    evaluator = rm.Evaluator("nDCG@3")
    evaluator.update(QRELS, NEW)
    assert list(evaluator.result().to_dict(names="plain")) == ["ndcg_at_3"]
    found = rm.evaluate_predictions(CLICKS, ["AUC", "F1(threshold=max)"], label="label", score="one")
    assert found.to_dict("plain") == {
        "auc": found["AUC"],
        "f1_threshold_max": found["F1(threshold=max)"],
    }


def test_what_has_no_value_is_nan() -> None:
    found = rm.evaluate_predictions({"label": [1, 1], "score": [0.1, 0.2]}, "AUC").to_dict("plain")
    assert math.isnan(found["auc"])


def test_a_comparison_has_the_values_of_systems_and_what_was_found_of_pairs() -> None:
    compared = rm.compare(QRELS, {"old": OLD, "new-2": NEW}, "RR", baseline="old")
    pair = compared.pairs[0]
    numbers = compared.to_dict("plain")
    assert numbers["new_2_rr"] == compared.value("new-2", "RR")
    assert numbers["old_rr_low"] == compared.interval("old", "RR").low
    assert numbers["new_2_vs_old_rr_difference"] == pair.difference
    assert numbers["new_2_vs_old_rr_p"] == pair.p
    assert numbers["new_2_vs_old_rr_significant"] == float(pair.significant)
    assert compared.plain_names["new_2_vs_old_rr_p"] == "new-2 vs old RR p"


def test_a_comparison_of_predictions_has_the_same() -> None:
    found = rm.compare_predictions(CLICKS, {"a": "one", "b": "two"}, "AUC", baseline="a", label="label")
    numbers = found.to_dict("plain")
    assert numbers["b_auc"] == 1
    assert numbers["b_vs_a_auc_difference"] == found.pairs[0].difference


def test_a_gate_has_its_verdict_and_what_it_decided_by() -> None:
    gate = rm.gate(QRELS, OLD, NEW, "RR", max_drop=0.01, at_least={"P@1": 0.5})
    assert gate.to_dict("plain") == {
        "passed": 1,
        "rr_baseline": gate.measures[0].baseline,
        "rr_candidate": 1,
        "rr_drop": gate.measures[0].drop,
        "rr_passed": 1,
        "p_at_1_candidate": 1,
        "p_at_1_at_least_limit": 0.5,
        "p_at_1_at_least_passed": 1,
    }


def test_a_leaderboard_has_values_and_ranks() -> None:
    board = rm.board(rm.compare(QRELS, {"old": OLD, "new": NEW}, "RR")).to_dict("plain")
    assert (board["new_rr"], board["new_rr_rank"], board["old_rr_rank"]) == (1, 1, 2)


def test_of_two_names_that_would_be_equal_each_says_what_it_stands_for() -> None:
    measures = ["P(rel=1.5)@2", "P(rel=15)@2", "nDCG(gain={1:3,2:4})", "nDCG(gain={1:3,2:-4})"]
    alone, both = (
        Some({("a-b", ""): 1.0, ("c",): 3.0}),
        Some({("a-b", ""): 1.0, ("a b", ""): 2.0, ("c",): 3.0}),
    )
    assert list(alone.to_dict("plain")) == ["a_b", "c"]
    first, second, third = both.to_dict("plain")
    assert re.fullmatch(r"a_b_[0-9a-f]{6}", first)
    assert re.fullmatch(r"a_b_[0-9a-f]{6}", second)
    assert first != second
    assert third == "c"
    assert both.plain_names[second] == "a b"
    assert len(rm.evaluate(QRELS, OLD, measures).to_dict("plain")) == len(measures)


def test_names_that_differ_only_in_where_they_are_empty_are_two() -> None:
    some = Some({("", "0"): 1.0, ("0", ""): 2.0})
    assert len(some.to_dict("plain")) == len(some.to_dict("asked")) == 2


def test_every_measure_alone_has_a_name_of_its_own() -> None:
    names = Some({(name,): 0.0 for name in pages()}).to_dict("plain")
    assert list(names) == [name.lower() for name in pages()]


@given(st.lists(st.tuples(st.text(), st.text(max_size=3)), unique=True))
def test_plain_names_are_plain_short_and_as_many_as_the_numbers(names: list[Parts]) -> None:
    plain = Some(dict.fromkeys(names, 0.0)).to_dict("plain")
    assert len(plain) == len(names)
    assert all(PLAIN.fullmatch(name) and len(name) <= 150 for name in plain)


def test_a_long_name_is_cut_and_ends_with_a_hash() -> None:
    (name,) = Some({("x" * 400,): 0.0}).to_dict("plain")
    assert len(name) == 150
    assert re.fullmatch(r"x+_[0-9a-f]{6}", name)


def test_other_names_are_refused() -> None:
    with pytest.raises(
        ChoiceError, match=r"names='plane' is not one of asked, plain; did you mean 'plain'\?"
    ):
        rm.evaluate(QRELS, NEW, "RR").to_dict("plane")
