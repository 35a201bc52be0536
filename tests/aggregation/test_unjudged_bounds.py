"""The lowest and the highest value over all that unjudged items can be, against every one of these."""

from __future__ import annotations

import itertools
import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from plain_extremes import PlainSearch
from rankmark.cli import main
from rankmark.kinds.lists import JudgedLists
from rankmark.kinds.ragged import offsets_of
from rankmark.language.choices import NoRelevant
from rankmark.language.extremes import End, Extreme, how_open
from strategies import PAGES, at_most, usable_measures

KNOWN = sorted(name for name, page in PAGES.items() if page.extremes is not None)
fewer = settings(max_examples=at_most(25), deadline=None)


@st.composite
def one_query(draw: Any) -> tuple[dict[str, float], list[str]]:
    """Judgements of some items of a list, none to four of which are open, and of some that are not in it."""
    grades = st.sampled_from([-1.0, 0.0, 1.0, 1.0, 2.0, 3.0])
    length = draw(st.integers(1, 6))
    items = [f"d{i}" for i in range(length)]
    opened = draw(st.sets(st.sampled_from(items), max_size=4))
    judged = {item: draw(grades.filter(lambda g: g >= 0)) for item in items if item not in opened}
    pooled = draw(st.sets(st.sampled_from(sorted(opened)), max_size=2)) if opened else set()
    judged |= dict.fromkeys(sorted(pooled), -1.0)
    judged |= {f"e{i}": draw(grades) for i in range(draw(st.integers(0, 2)))}
    assume(judged)
    return judged, items


def every_value(
    judged: dict[str, float], items: list[str], measure: rm.Measure, highest: float, **choices: Any
) -> list[float]:
    opened = [item for item in items if judged.get(item, -1) < 0]
    grades = sorted({0.0, 1.0, 2.0, 3.0, highest} & {*range(int(highest) + 1), highest})
    values = []
    for assigned in itertools.product(grades, repeat=len(opened)):
        completed = judged | dict(zip(opened, assigned, strict=True))
        values.append(rm.evaluate({"q": completed}, {"q": items}, measure, **choices).values[str(measure)])
    return values


@pytest.mark.parametrize("name", KNOWN)
@fewer
@given(data=st.data(), tables=one_query())
def test_no_judgements_have_values_beyond_and_some_have_them(
    name: str, data: Any, tables: tuple[dict[str, float], list[str]]
) -> None:
    measure = data.draw(usable_measures(name).filter(lambda each: how_open(each) is not None))
    assume(measure.mean != "std" and not isinstance(measure.arguments.get("rel", 1), float))
    judged, items = tables
    highest = max(1.0, *judged.values(), measure.arguments.get("rel", 1.0))
    try:
        every = every_value(judged, items, measure, highest)
    except rm.RankmarkError:
        assume(False)
    result = rm.evaluate({"q": judged}, {"q": items}, measure, bounds="unjudged")
    bounds = result.bounds[str(measure)]
    assert bounds.of == "unjudged"
    assert bounds.worst == pytest.approx(min(every), rel=1e-12, abs=1e-12)
    assert bounds.best == pytest.approx(max(every), rel=1e-12, abs=1e-12)
    assert bounds.tied == (max(every) - min(every) > 1e-12)


@st.composite
def some_lists(draw: Any) -> JudgedLists:
    """Lists of up to 40 items, of which few or many are judged, some below 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grades = draw(st.sampled_from([[0, 1], [-1, 0, 1, 2, 3], [0, 0.5, 1, 2.5], [1], [0]]))
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    ranks, relevance, ideals, retrieved = [], [], [], rng.integers(0, 41, draw(st.integers(1, 6)))
    for length in retrieved:
        rank = np.flatnonzero(rng.random(length) < share) + 1
        own, missed = (rng.choice(grades, size).astype(float) for size in (len(rank), rng.integers(0, 20)))
        ranks.append(rank)
        relevance.append(own)
        ideals.append(-np.sort(-np.concatenate((own, missed))))
    ends, best_ends = (offsets_of(np.array([len(each) for each in of])) for of in (ranks, ideals))
    ideal = JudgedLists.perfect(np.concatenate(ideals), best_ends)
    return JudgedLists(np.concatenate(ranks), np.concatenate(relevance), ends, retrieved, ideal=ideal)


@pytest.mark.parametrize("name", KNOWN)
@fewer
@given(data=st.data(), lists=some_lists())
def test_extremes_are_those_of_the_plain_search_to_the_last_bit(
    name: str, data: Any, lists: JudgedLists
) -> None:
    measure = data.draw(usable_measures(name).filter(lambda each: how_open(each) is not None))
    grade = data.draw(st.sampled_from([None, 0.5, 2.0]))
    for end, no_relevant in itertools.product(get_args(End), get_args(NoRelevant)):
        if no_relevant in ("zero", "skip"):
            extreme = Extreme.at(measure, end, no_relevant, grade)
            np.testing.assert_array_equal(extreme.compute(lists), PlainSearch(extreme, lists).values())


def test_long_lists_have_the_extremes_of_the_plain_search() -> None:
    rng = np.random.default_rng(3)
    retrieved = np.full(4, 700)
    ranks = [np.flatnonzero(rng.random(700) < share) + 1 for share in (0.02, 0.2, 0.5, 0.9)]
    relevance = [rng.integers(0, 4, len(rank)).astype(float) for rank in ranks]
    ends = offsets_of(np.array([len(rank) for rank in ranks]))
    ideal = JudgedLists.perfect(np.concatenate([-np.sort(-own) for own in relevance]), ends)
    lists = JudgedLists(np.concatenate(ranks), np.concatenate(relevance), ends, retrieved, ideal=ideal)
    for name, end in itertools.product(["AP", "nDCG", "nDCG(gain=exp2)@600", "YAAP", "MeanR"], get_args(End)):
        extreme = Extreme.at(rm.parse(name), end, "zero", None)
        np.testing.assert_array_equal(extreme.compute(lists), PlainSearch(extreme, lists).values())


def test_the_highest_ndcg_may_need_a_grade_in_between() -> None:
    judged = {"a": 2, "c": 1}
    bounds = rm.evaluate({"q": judged}, {"q": ["a", "b", "c"]}, "nDCG", bounds="unjudged=3").bounds["nDCG"]
    each = [rm.evaluate({"q": judged | {"b": g}}, {"q": ["a", "b", "c"]}, "nDCG")["nDCG"] for g in (0, 1, 3)]
    assert bounds.best == each[1] == 1
    assert max(each[0], each[2]) < 1


def test_the_best_order_goes_on_to_the_cutoff_where_lists_end_above_it() -> None:
    judged, items = {"a": 2.0, "c": 1.0, "d": 3.0, "missed": 1.0}, ["a", "b", "c", "d", "e"]
    bounds = rm.evaluate({"q": judged}, {"q": items}, "nDCG@10", bounds="unjudged").bounds["nDCG@10"]
    every = every_value(judged, items, rm.nDCG @ 10, 3.0)
    assert (bounds.worst, bounds.best) == (min(every), max(every))


def test_great_grades_come_to_an_end() -> None:
    rng = np.random.default_rng(5)
    run = {str(q): [f"d{i}" for i in range(60)] for q in range(200)}
    qrels = {q: {f"d{i}": float(rng.choice([0, 1e-3, 1e3, 7e5])) for i in range(0, 60, 2)} for q in run}
    result = rm.evaluate(qrels, run, ["nDCG@10", "nDCG"], bounds="unjudged")
    for name in result.values:
        assert result.bounds[name].worst <= result[name] <= result.bounds[name].best <= 1


def test_ndcg_is_lowest_where_the_best_order_gains_more_than_a_number_can_hold() -> None:
    # One or two relevant items gain 10³⁰⁸ · (1 + .63) at the most, three of them infinitely much.
    judged, run = {"q": {"a": 1.0, "x": 1e308}}, {"q": list("abcde")}
    bounds = rm.evaluate(judged, run, "nDCG@5", bounds="unjudged").bounds["nDCG@5"]
    assert (bounds.worst, bounds.best) == (0.0, 1e-308)


def test_ap_is_not_highest_where_all_are_relevant() -> None:
    # One relevant item first: each unjudged relevant one below it that stands after others lowers the mean.
    result = rm.evaluate(
        {"q": {"a": 1, "b": 0, "c": 0}}, {"q": ["a", "b", "c", "x"]}, "AP", bounds="unjudged"
    )
    assert (result["AP"], result.bounds["AP"].best, result.bounds["AP"].worst) == (1.0, 1.0, 0.75)


def test_a_relevant_item_below_the_cutoff_is_one_more_to_find() -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x", "y"]}, ["R@1", "nDCG@1"], bounds="unjudged")
    assert (result.bounds["R@1"].worst, result.bounds["R@1"].best) == (1 / 3, 1.0)
    assert (result.bounds["nDCG@1"].worst, result.bounds["nDCG@1"].best) == (1.0, 1.0)


def test_a_grade_is_said() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["x", "a"]}
    found = {
        bounds: rm.evaluate(qrels, run, "DCG@1", bounds=bounds).bounds["DCG@1"].best
        for bounds in ("unjudged", "unjudged=3")
    }
    assert found == {"unjudged": 1.0, "unjudged=3": 3.0}


def test_what_a_query_without_relevant_items_is_decides_of_it() -> None:
    qrels, run = {"q": {"a": 0}, "r": {"b": 1}}, {"q": ["x"], "r": ["b"]}
    for no_relevant, expected in {"zero": (0.5, 1.0), "skip": (1.0, 1.0)}.items():
        result = rm.evaluate(qrels, run, "RR", bounds="unjudged", no_relevant=no_relevant)
        assert (result.bounds["RR"].worst, result.bounds["RR"].best) == expected


def test_many_long_lists_are_as_each_alone() -> None:
    rng = np.random.default_rng(2)
    run = {str(q): [f"d{i}" for i in rng.permutation(400)[:300]] for q in range(12)}
    qrels = {q: {f"d{i}": int(rng.integers(0, 3)) for i in rng.permutation(400)[:80]} for q in run}
    measures = ["AP", "nDCG", "Bpref", "P@10", "nDCG@10"]
    together = rm.evaluate(qrels, run, measures, bounds="unjudged")
    for name in measures:
        alone = [rm.evaluate({q: qrels[q]}, {q: run[q]}, name, bounds="unjudged").bounds[name] for q in run]
        for end in ("worst", "best"):
            mean = math.fsum(getattr(each, end) for each in alone) / len(alone)
            assert getattr(together.bounds[name], end) == pytest.approx(mean, rel=1e-14)
    assert together.bounds["AP"].worst <= together["AP"] < together.bounds["AP"].best


@pytest.mark.parametrize(
    ("measure", "given", "message"),
    [
        ("ERR(max_grade=4)@3, nERR", {}, "how low and how high nERR can be is not known"),
        ("AP(mean=std)", {}, "how low and how high"),
        ("HitRatio", {}, "quotient of sums"),
        ("AP", {"ties": "expected"}, "needs one order of equal scores"),
        ("AP", {"unjudged": "ignore"}, "leave out one of them"),
        ("AP", {"no_relevant": "one"}, "choose zero or skip"),
        ("AP", {"bounds": "unjudged=0"}, "the highest grade is a number above 0"),
        ("Judged@10", {}, "counts what is judged, and would not be the same if more were"),
        ("AP", {"bounds": "pooled"}, "is not one of ties, unjudged"),
        ("AP", {"weights": {"q": 1.0}}, "leave out bounds or weights"),
    ],
)
def test_where_extremes_are_not_known_it_says_so(measure: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, measure, **{"bounds": "unjudged", **given})


def test_the_stream_and_saved_results_have_them(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nr 0 b 1\n")
    (tmp_path / "a.run").write_text("q Q0 x 1 2.0 t\nq Q0 a 2 1.0 t\nr Q0 b 1 2.0 t\n")
    paths = [str(tmp_path / name) for name in ("qrels.txt", "a.run")]
    found = [
        rm.evaluate(*paths, ["AP", "RR"], bounds="unjudged", engine=engine) for engine in ("local", "stream")
    ]
    assert found[0].bounds == found[1].bounds
    found[0].save(tmp_path / "x.rankmark")
    again = rm.load(tmp_path / "x.rankmark")
    assert isinstance(again, rm.results.ListResult)
    assert again.bounds == found[0].bounds
    assert main(["eval", *paths, "-m", "AP", "--bounds-of", "unjudged"]) == 0
    shown = capsys.readouterr().out
    assert "measure   value  lowest  highest" in shown
    assert "AP       0.7500  0.7500   1.0000" in shown
    assert "leave the value of 1 query open" in " ".join(shown.split())
