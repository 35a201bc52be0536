"""What is said of, and bounds the difference of, systems whose lists have unjudged items."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.cli import main
from strategies import at_most

QUERIES = [f"q{number}" for number in range(20)]
POOL = {query: {"a": 1, "b": 0, "c": 0, "d": 1} for query in QUERIES}
OLD = {query: ["a", "b", "c", "d"] for query in QUERIES}
NEW = {query: ["x", "a", "y", "z"] for query in QUERIES}


def told(qrels: Any, runs: dict[str, Any], measures: Any = "nDCG@4", **given: Any) -> list[str]:
    return [note for note in rm.compare(qrels, runs, measures, **given).notes if "are unjudged" in note]


def test_a_worse_system_with_more_unjudged_results_is_told_of() -> None:
    (note,) = told(POOL, {"old": OLD, "new": NEW})
    assert note.startswith("75% of the first 4 results of new are unjudged, of old, which is better, 0%: ")
    assert "--bounds-of unjudged" in note
    assert "rankmark pool" in note


def test_nothing_is_told_where_unjudged_results_decide_nothing() -> None:
    assert told(POOL, {"old": OLD, "same": OLD}) == []
    better = {query: ["a", "d", "y", "z"] for query in QUERIES}
    assert told(POOL, {"old": OLD, "new": better}, "P@2") == []  # the one with more of them is not worse
    assert told(POOL, {"old": OLD, "new": NEW}, "nDCG@4", unjudged="ignore") == []


def test_nothing_is_told_where_only_relevant_items_are_judged() -> None:
    bought = {query: {"a": 1, "d": 1} for query in QUERIES}
    assert told(bought, {"old": OLD, "new": NEW}) == []


def test_a_query_without_results_is_no_list_of_judged_items() -> None:
    few = {query: NEW[query] for query in QUERIES[:10]}
    (note,) = told(POOL, {"old": OLD, "new": few})
    assert note.startswith("75% ")


def test_the_share_is_no_measure_that_was_asked_for() -> None:
    compared = rm.compare(POOL, {"old": OLD, "new": NEW}, ["nDCG@4", "AP"])
    for results in compared.results.values():
        assert [*results[0].values] == [*results[0].counts.measures] == ["nDCG@4", "AP"]
    asked = rm.compare(POOL, {"old": OLD, "new": NEW}, "Unjudged(denominator=retrieved)@4, P@4")
    assert asked.value("new", "Unjudged(denominator=retrieved)@4") == 0.75


def test_a_convention_and_no_judgements_are_compared_as_before() -> None:
    assert told(POOL, {"old": OLD, "new": NEW}, "ndcg@4", like="ranx") == []
    assert told(None, {"old": OLD, "new": NEW}, "Coverage@4", items=[*"abcdxyz"]) == []


SOME = ["P@3", "P(denominator=retrieved)@5", "DCG@4", "CG@3", "RBP", "RBP(gain=linear,max_grade=2)"]
OTHERS = ["nDCG@3", "AP", "R@2", "RR", "P(denominator=min)@3"]


@given(data=st.data())
@settings(max_examples=at_most(6), deadline=None)
def test_differences_are_within_bounds_and_sums_reach_them(data: st.DataObject) -> None:
    items = [*"abcd"]
    grades = data.draw(st.dictionaries(st.sampled_from(items), st.sampled_from([-1, 0, 1, 2]), min_size=1))
    lists = st.lists(st.sampled_from(items), min_size=1, unique=True)
    runs = {"one": {"q": data.draw(lists)}, "other": {"q": data.draw(lists)}}
    found = {item for run in runs.values() for item in run["q"]}
    opened = [item for item in sorted(found) if grades.get(item, -1) < 0]
    top = max(1, *grades.values())
    compared = rm.compare({"q": grades}, runs, [*SOME, *OTHERS], bounds="unjudged", resamples=10)
    every: dict[str, list[float]] = {name: [] for name in [*SOME, *OTHERS]}
    for assigned in itertools.product(range(top + 1), repeat=len(opened)):
        judged = {"q": grades | dict(zip(opened, assigned, strict=True))}
        one, other = (rm.evaluate(judged, run, [*every]) for run in runs.values())
        for name, values in every.items():
            values.append(other[name] - one[name])
    for bound in compared.bounds:
        values = every[bound.measure.label]
        assert bound.lowest <= min(values) + 1e-12
        assert bound.highest >= max(values) - 1e-12
        if bound.measure.label in SOME:
            assert bound.exact
            assert (bound.lowest, bound.highest) == pytest.approx((min(values), max(values)), abs=1e-12)
        assert bound.holds <= (min(values) > 0 or max(values) < 0)


def test_an_item_of_both_systems_has_one_grade() -> None:
    # Both have x at the same rank: whatever it is, the difference stays.
    qrels = {"q": {"a": 1, "b": 0}}
    compared = rm.compare(
        qrels, {"old": {"q": ["b", "x"]}, "new": {"q": ["a", "x"]}}, "P@2", bounds="unjudged"
    )
    (bound,) = compared.bounds
    assert (bound.difference, bound.lowest, bound.highest) == (0.5, 0.5, 0.5)
    assert (bound.exact, bound.verdict) == (True, "holds")


def test_ids_of_other_types_and_missing_queries_are_as_in_the_evaluation() -> None:
    qrels = {1: {10: 1, 9: 0}, 2: {10: 2}}
    runs = {"old": {1: {10: 1.0, 8: 1.0, 9: 0.5}}, "new": {1: {7: 1.0, 9: 1.0}, 2: {10: 3.0}, 5: {1: 1.0}}}
    (bound,) = rm.compare(qrels, runs, "DCG@1", bounds="unjudged=3").bounds
    assert (bound.difference, bound.lowest, bound.highest) == (0.5, 0.5, 0.5)
    (bound,) = rm.compare(qrels, runs, "DCG@1", bounds="unjudged=3", missing="skip", ties="item-asc").bounds
    assert (bound.difference, bound.lowest, bound.highest) == (0.0, -3.0, 3.0)


def test_bounds_are_shown_saved_and_asked_for_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "old.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "new.run").write_text("q Q0 x 1 2 t\nq Q0 a 2 1 t\n")
    paths = [str(tmp_path / name) for name in ("qrels.txt", "old.run", "new.run")]
    asked = ["-m", "P@1 nDCG@2", "--baseline", "old", "--bounds-of", "unjudged"]
    assert main(["compare", *paths, *asked]) == 0
    shown = capsys.readouterr().out
    assert "can change" in shown
    assert "may change" in shown
    saved = str(tmp_path / "both.rankmark")
    assert main(["compare", *paths, *asked, "-o", saved]) == 0
    loaded = rm.load(saved)
    assert isinstance(loaded, rm.results.Comparison)
    assert next((each.lowest, each.highest) for each in loaded.bounds) == (-1.0, 0.0)
    assert "may change" in str(loaded)


@pytest.mark.parametrize(
    ("measures", "given", "message"),
    [
        ("P@1", {"bounds": "ties"}, 'not "unjudged"'),
        ("AP(mean=geometric)", {}, "is no mean over queries"),
        ("nERR@3", {}, "is not known"),
        ("P@1", {"weights": {"q0": 1.0}}, "no weights"),
        ("P@1", {"ties": "expected"}, "needs one order"),
    ],
)
def test_bounds_that_there_are_not_are_refused(measures: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.compare(POOL, {"old": OLD, "new": NEW}, measures, **{"bounds": "unjudged", **given})
