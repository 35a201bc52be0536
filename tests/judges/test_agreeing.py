"""How far a judge agrees with people: by hand, and by the functions that it is made of."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.statistics import cohens_kappa, gwets_ac, krippendorffs_alpha, t_interval

QUERIES, ITEMS = 30, 10
RNG = np.random.default_rng(3)
GRADES = RNG.integers(0, 3, (QUERIES, ITEMS))
LIKED = RNG.random((QUERIES, ITEMS)) < 0.4
JUDGED = np.where(LIKED, 3, np.where(RNG.random(GRADES.shape) < 0.8, GRADES, 1))


def labels(grades: Any) -> dict[str, dict[str, int]]:
    return {f"q{q}": {f"d{i}": int(grade) for i, grade in enumerate(row)} for q, row in enumerate(grades)}


def run(scores: Any) -> dict[str, dict[str, float]]:
    return {f"q{q}": {f"d{i}": float(score) for i, score in enumerate(row)} for q, row in enumerate(scores)}


PEOPLE, JUDGE = labels(GRADES), labels(JUDGED) | {"r": {"d0": 1}}
NOISE = RNG.normal(size=(3, QUERIES, ITEMS))
RUNS = {
    "fair": run(GRADES + NOISE[0]),
    "flattering": run(0.2 * GRADES + 2 * LIKED + NOISE[1]),
    "poor": run(NOISE[2]),
}
KINDS = {f"q{q}": "a" if q % 2 else "b" for q in range(QUERIES)}
CLUSTERS = np.repeat(np.arange(QUERIES), ITEMS)


def test_coefficients_are_those_of_items_in_queries() -> None:
    found = rm.agree_on_labels(PEOPLE, JUDGE, confidence=0.9)
    both, how = np.column_stack([GRADES.ravel(), JUDGED.ravel()]), {"clusters": CLUSTERS, "confidence": 0.9}
    want = {
        "kappa": cohens_kappa(*both.T, **how),  # type: ignore[arg-type]
        "quadratic kappa": cohens_kappa(*both.T, cost="quadratic", **how),  # type: ignore[arg-type]
        "ordinal alpha": krippendorffs_alpha(both, level="ordinal", **how),  # type: ignore[arg-type]
        "AC1": gwets_ac(both, **how),  # type: ignore[arg-type]
    }
    for row in found.coefficients:
        if row.coefficient in want:
            each = want.pop(row.coefficient)
            assert (row.value, row.low, row.high) == pytest.approx((each.value, *each.interval))
    assert not want
    assert (found.queries, found.items) == (QUERIES, QUERIES * ITEMS)
    assert found["kappa"] == pytest.approx(cohens_kappa(*both.T).value)


def test_grades_have_shares_and_biases_by_hand() -> None:
    people = {"p": {"a": 2, "b": 0, "c": 0}, "q": {"a": 0, "b": 2}}
    judge = {"p": {"a": 2, "b": 0, "c": 1}, "q": {"a": 0, "b": 1}}
    found = rm.agree_on_labels(people, judge)
    assert found.confusion.rows() == [(0, 0, 2, 2 / 3), (0, 1, 1, 1 / 3), (2, 1, 1, 0.5), (2, 2, 1, 0.5)]
    none, one, two = found.grades
    assert (none.people, none.judge, none.both) == (3, 2, 2)
    assert (none.bias, none.recall, none.precision) == pytest.approx((1 / 3, 2 / 3, 1))
    assert (one.people, one.judge, one.precision) == (0, 2, 0)
    assert math.isnan(one.recall)
    assert (two.recall, two.precision, two.bias) == (0.5, 1, -0.5)
    binary = rm.agree_on_labels({"p": {"a": 1}, "q": {"a": 0}}, {"p": {"a": 1}, "q": {"a": 1}})
    assert [each.coefficient for each in binary.coefficients] == [
        "observed agreement",
        "kappa",
        "nominal alpha",
        "AC1",
    ]


def test_slices_have_their_own_bias_and_kappa() -> None:
    found = rm.agree_on_labels(PEOPLE, JUDGE, by=KINDS)
    for row in found.slices:
        own = np.arange(QUERIES) % 2 == (row.slice == "a")
        apart = (JUDGED - GRADES)[own].ravel()
        low, high = t_interval(apart, clusters=np.repeat(np.arange(15), ITEMS))
        assert (row.bias, row.low, row.high) == pytest.approx((apart.mean(), low, high))
        kappa = cohens_kappa(GRADES[own].ravel(), JUDGED[own].ravel(), cost="quadratic")
        assert row.kappa == pytest.approx(kappa.value)
        assert (row.queries, row.items) == (15, 150)


def test_a_system_whose_items_the_judge_overrates_is_found() -> None:
    found = rm.agree_on_labels(PEOPLE, JUDGE, RUNS, depth=3)
    fair, flattering, poor = found.systems
    assert {fair.items, flattering.items, poor.items} == {3 * QUERIES}
    top = np.argsort(-np.array([list(row.values()) for row in RUNS["flattering"].values()]), axis=1)[:, :3]
    apart = np.take_along_axis(JUDGED - GRADES, top, axis=1)
    assert flattering.bias == pytest.approx(apart.mean())
    assert flattering.beyond == pytest.approx(apart.mean() - (fair.bias + flattering.bias + poor.bias) / 3)
    assert flattering.beyond_low > 0
    assert flattering.corrected < 0.01
    assert fair.beyond_high < 0


def test_a_single_system_is_beyond_nothing() -> None:
    (only,) = rm.agree_on_labels(PEOPLE, JUDGE, RUNS["poor"]).systems
    assert (only.system, math.isnan(only.beyond), math.isnan(only.corrected)) == ("run", True, True)


def test_orders_are_those_of_both_labels_on_the_same_queries() -> None:
    found = rm.agree_on_labels(PEOPLE, JUDGE, RUNS, ["P(rel=2)@3", "nDCG@10"], resamples=200)
    same = {query: JUDGE[query] for query in PEOPLE}
    order = found.orders[0]
    values = [
        [rm.evaluate(qrels, each, "P(rel=2)@3")["P(rel=2)@3"] for each in RUNS.values()]
        for qrels in (PEOPLE, same)
    ]
    assert order.tau == pytest.approx(rm.rank_correlation(values[0], values[1]))
    assert order.tau_ap == pytest.approx(rm.rank_correlation(values[0], values[1], "TauAP"))
    assert order.tau_low <= order.tau <= order.tau_high
    assert order.swaps_low == int(order.swaps_low)
    assert order.swaps_high == int(order.swaps_high)
    assert order.swaps_low <= order.swaps <= order.swaps_high <= order.pairs == 3
    pairs = [each for each in found.pairs if each.measure == order.measure]
    assert [(each.system, each.baseline) for each in pairs] == [
        ("flattering", "fair"),
        ("poor", "fair"),
        ("poor", "flattering"),
    ]
    assert pairs[0].people == pytest.approx(values[0][1] - values[0][0])
    assert sum(each.verdict != "same" for each in pairs) == order.swaps
    assert pairs[0].verdict == "wrong"
    assert "wrong: people and judge say the opposite" in str(found)


def test_the_same_labels_agree_on_everything() -> None:
    found = rm.agree_on_labels(PEOPLE, PEOPLE, RUNS, resamples=50)
    assert found["kappa"] == 1
    assert (found.orders[0].tau, found.orders[0].swaps) == (1, 0)
    assert "percentile bootstrap over queries" in str(found)
    two = rm.agree_on_labels(PEOPLE, PEOPLE, dict(list(RUNS.items())[:2]), resamples=50)
    assert np.isnan([two.orders[0].tau_low, two.orders[0].tau_ap_low, two.orders[0].swaps_high]).all()
    assert "none of so few pairs of systems" in str(two)


def test_what_one_of_both_labelled_is_said_and_left_out() -> None:
    some = {query: dict(list(items.items())[:4]) for query, items in list(PEOPLE.items())[:6]}
    found = rm.agree_on_labels(some, JUDGE)
    assert (found.items, found.queries) == (24, 6)
    assert "people labelled 24 of 60 items" in str(found)
    assert "6 queries are too few for intervals that hold" in str(found)


def test_numbers_as_ids_and_columns_to_slice_by_are_found() -> None:
    def frame(grades: Any, value: str) -> pl.DataFrame:
        rows = [(q, i, float(x), q % 2) for q, row in enumerate(grades) for i, x in enumerate(row)]
        return pl.DataFrame(rows, schema=["query", "item", value, "half"], orient="row")

    people, judge = frame(GRADES[:20], "relevance"), frame(JUDGED, "relevance")
    runs = {"a": frame(NOISE[0], "score"), "b": frame(NOISE[1], "score")}
    found = rm.agree_on_labels(people, judge, runs, by="half", resamples=9)
    assert [(each.slice, each.queries) for each in found.slices] == [("0", 10), ("1", 10)]
    assert found["kappa"] == rm.agree_on_labels(labels(GRADES[:20]), JUDGE)["kappa"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rm.agree_on_labels({"z": {"a": 1}}, JUDGE), DataError, "0 queries with labels of people"),
        (
            lambda: rm.agree_on_labels({"q1": {"x": 1}, "q2": {"x": 1}}, JUDGE),
            DataError,
            "labelled no item in common",
        ),
        (lambda: rm.agree_on_labels(PEOPLE, JUDGE, RUNS, "AP(mean=geometric)"), MeasureError, "no mean over"),
        (lambda: rm.agree_on_labels(PEOPLE, JUDGE, depth=0), UsageError, "depth=0 is not a whole number"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_command_line_says_how_labels_agree(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, table in (("people.csv", PEOPLE), ("judge.csv", JUDGE)):
        rows = [(q, i, grade) for q, items in table.items() for i, grade in items.items()]
        pl.DataFrame(rows, schema=["query", "item", "relevance"], orient="row").write_csv(name)
    for name, scores in RUNS.items():
        lines = [f"{q} Q0 {i} 1 {s} x" for q, items in scores.items() for i, s in items.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    assert main(["judge", "people.csv", "judge.csv", "--format", "json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert shown["coefficients"][1]["value"] == pytest.approx(rm.agree_on_labels(PEOPLE, JUDGE)["kappa"])
    line = "judge people.csv judge.csv fair.run poor.run --agreement --depth 3 -m P@3"
    assert main(line.split()) == 0
    assert "beyond all systems'" in capfd.readouterr().out
    assert main(["judge", "people.csv", "judge.csv", "--power", "1"]) == 2
    assert "--power is not of --agreement" in capfd.readouterr().err
    assert main(["judge", "people.csv", "judge.csv", "fair.run", "--depth", "3"]) == 2
    assert "--depth is of --agreement" in capfd.readouterr().err
