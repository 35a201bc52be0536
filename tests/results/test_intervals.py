"""Intervals of one system's values, by whatever door, and where they are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.statistics.intervals import made_interval

RNG = np.random.default_rng(5)
QUERIES = [f"q{i:02}" for i in range(40)]
ITEMS = [f"d{i}" for i in range(8)]
QRELS = {q: {d: int(RNG.integers(0, 3)) for d in ITEMS} for q in QUERIES}
RUN = {q: {d: float(RNG.normal()) for d in ITEMS} for q in QUERIES}
MEASURES = ["nDCG@5", "P@1", "AP(mean=geometric)", "NumRel", "Judged@3"]


@pytest.fixture(scope="module")
def result() -> rm.results.ListResult:
    return rm.evaluate(QRELS, RUN, MEASURES, intervals=True)


def test_intervals_are_those_of_the_values_of_queries(result: Any) -> None:
    values = result.query_values("nDCG@5")
    found = result.intervals["nDCG@5"]
    assert (found.low, found.high) == pytest.approx(statistics.t_interval(values))
    assert (found.method, found.unit, found.units, found.confidence) == ("t", "queries", 40, 0.95)
    share = result.intervals["P@1"]
    assert share.method == "wilson"
    assert share[:2] == pytest.approx(statistics.wilson_interval(result.query_values("P@1")))
    assert result.intervals["NumRel"].low < result["NumRel"] < result.intervals["NumRel"].high


def test_that_of_a_geometric_mean_is_of_the_logarithms(result: Any) -> None:
    values = result.query_values("AP(mean=geometric)")
    ends = made_interval("auto", np.log(values), differences=True, confidence=0.95, together=1).ends
    assert result.intervals["AP(mean=geometric)"][:2] == pytest.approx(np.exp(ends))


def test_they_are_those_of_a_comparison(result: Any) -> None:
    compared = rm.compare(QRELS, {"one": RUN, "other": dict.fromkeys(QUERIES, ITEMS)}, MEASURES)
    for name, found in result.intervals.items():
        assert (found.low, found.high) == pytest.approx(tuple(compared.interval("one", name)))
        assert found.method == compared.made_interval("one", name).method


def test_those_of_resamples_are_those_of_a_comparison() -> None:
    names = ["AP(mean=geometric)", "nDCG@5"]
    compared = rm.compare(QRELS, {"one": RUN, "two": dict(RUN)}, names, interval="bca", resamples=100)
    found = rm.evaluate(QRELS, RUN, names, intervals="bca", resamples=100).intervals
    for name in names:
        assert found[name][:2] == pytest.approx(tuple(compared.interval("one", name)), rel=1e-12)
        assert (found[name].method, found[name].resamples) == ("bca", 100)


def test_every_door_gives_the_same() -> None:
    scores = np.array([[RUN[q][d] for d in ITEMS] for q in QUERIES])
    grades = np.array([[QRELS[q][d] for d in ITEMS] for q in QUERIES], dtype=float)
    expected = rm.evaluate(QRELS, RUN, "nDCG@5", intervals="studentised", confidence=0.9).intervals
    how: Any = {"intervals": "studentised", "confidence": 0.9}
    arrays = rm.evaluate_arrays(scores, grades, "nDCG@5", **how)
    factors = rm.evaluate_factors(scores, np.eye(len(ITEMS)), grades, "nDCG@5", **how)
    model = rm.evaluate_model(
        lambda users, k: [sorted(RUN[u], key=RUN[u].__getitem__, reverse=True)[:k] for u in users],
        QRELS,
        "nDCG@5",
        **how,
    )
    evaluator = rm.Evaluator("nDCG@5")
    evaluator.update(QRELS, RUN)
    later = rm.evaluate(QRELS, RUN, "nDCG@5").with_intervals("studentised", confidence=0.9)
    for each in (arrays, factors, model, evaluator.result(**how), later):
        assert each.intervals == expected
    rows = [(q, QRELS[q][d] > 0, RUN[q][d]) for q in QUERIES for d in ITEMS]
    table = pl.DataFrame(rows, schema=["query", "label", "score"], orient="row")
    binary = {q: {d: int(g > 0) for d, g in own.items()} for q, own in QRELS.items()}
    lists = rm.evaluate(binary, RUN, "nDCG@5", intervals=True)
    assert rm.evaluate_predictions(table, "nDCG@5", intervals=True).intervals == lists.intervals


def test_clusters_are_a_column_or_a_mapping_or_two() -> None:
    users = {q: f"u{number % 12}" for number, q in enumerate(QUERIES)}
    topics = {q: number % 11 for number, q in enumerate(QUERIES)}
    frame = pl.DataFrame({"query": QUERIES, "user": users.values(), "topic": topics.values()})
    named: Any = {"attributes": frame, "columns": {"query": "query"}}
    one = rm.evaluate(QRELS, RUN, "nDCG@5", intervals=True, clusters=users)
    again = rm.evaluate(QRELS, RUN, "nDCG@5", intervals=True, clusters="user", **named)
    assert one.intervals == again.intervals
    found = one.intervals["nDCG@5"]
    assert (found.unit, found.units) == ("clusters", 12)
    values = one.query_values("nDCG@5")
    expected = statistics.auto_interval(values, clusters=list(users.values()))
    assert (found.low, found.high) == pytest.approx(expected.ends)
    both = rm.evaluate(QRELS, RUN, "nDCG@5", intervals=True, clusters=["user", "topic"], by="user", **named)
    labels = np.column_stack([np.arange(40) % 12, np.arange(40) % 11])
    assert both.intervals["nDCG@5"][:2] == pytest.approx(statistics.t_interval(values, clusters=labels))
    assert both.intervals["nDCG@5"].units == 11
    # Of zeros and ones no other way than t knows clusters of two kinds.
    share = rm.evaluate(QRELS, RUN, "P@1", intervals=True, clusters=[users, topics])
    assert share.intervals["P@1"].method == "t"
    assert both.slices is not None


def test_they_are_shown_in_every_format_and_saved(result: Any, tmp_path: Path) -> None:
    text = str(result)
    assert text.splitlines()[0].split() == ["measure", "value", "low", "high"]
    assert "95% intervals over 40 queries" in " ".join(text.split())
    record = json.loads(result.to_json())["measures"]["P@1"]["interval"]
    assert (record["method"], record["note"], record["unit"]) == ("wilson", "", "queries")
    assert result.to_csv().splitlines()[0] == "measure,value,low,high"
    assert " high" in result.format("latex")
    assert "high" in result._repr_html_()
    result.save(tmp_path / "saved.rankmark")
    again = rm.load(tmp_path / "saved.rankmark")
    assert isinstance(again, rm.results.ListResult)
    assert again.intervals == result.intervals
    assert str(again) == text


def test_what_speaks_against_an_interval_is_said() -> None:
    qrels = {q: {"a": 1} for q in QUERIES}
    run = {q: ["a", "b"] if q in QUERIES[:4] else ["b", "a"] for q in QUERIES}
    found = rm.evaluate(qrels, run, ["RR", "P@1"], intervals=True)
    assert found.intervals["RR"].note == "fewer than 10 values are others than the most frequent one"
    assert found.intervals["P@1"].note == ""
    assert "RR: fewer than 10 values are others" in " ".join(str(found).split())
    same = rm.evaluate(qrels, {q: ["b", "a"] for q in QUERIES}, ["RR", "P@1"], intervals=True)
    assert same.intervals["RR"].note.startswith("all values are the same")
    assert same.intervals["P@1"].high > 0.05


def test_slices_have_the_interval_that_their_values_ask_for() -> None:
    halves = {q: "a" if number % 2 else "b" for number, q in enumerate(QUERIES)}
    found = rm.evaluate(QRELS, RUN, ["nDCG@5", "P@1"], intervals=True, confidence=0.9, by=halves)
    assert found.slices is not None
    row = next(row for row in found.slices.rows if (row.measure, row.slice) == ("P@1", "a"))
    values = found.query_values("P@1")[1::2]
    assert (row.low, row.high) == pytest.approx(statistics.wilson_interval(values, confidence=0.9))
    assert (row.method, row.caution) == ("wilson", "")


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"intervals": "wald"}, ChoiceError, "intervals='wald' is not one of auto, t, studentised"),
        ({"intervals": "wilson"}, ChoiceError, 'nDCG@5: interval="wilson" is of values that are 0 or 1'),
        ({"intervals": True, "confidence": 95}, ChoiceError, "did you mean 0.95"),
        ({"intervals": True, "clusters": {"q00": 1}}, DataError, "clusters says nothing of 39 queries"),
        ({"clusters": {"q00": 1}}, UsageError, "clusters are for intervals"),
        ({"intervals": True, "resamples": 0}, ChoiceError, "resamples=0 is not a whole number"),
    ],
)
def test_what_cannot_be_is_refused(how: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        rm.evaluate(QRELS, RUN, "nDCG@5", **how)


def test_of_runs_whose_intervals_make_a_table_too_wide_each_has_a_row_of_its_own() -> None:
    runs = {"a system with a long name": RUN, "b": RUN, "another with a long one": RUN}
    results = rm.evaluate(QRELS, runs, MEASURES, intervals=True)
    header, _, *rows = (re.split(r" {2,}", line) for line in str(results).splitlines())
    assert header == ["measure", "run", "value", "low", "high"]
    first = next(iter(results["b"].intervals.values()))
    values = [results["b"].values[results["b"].measures[0]], first.low, first.high]
    assert rows[1] == [results["b"].measures[0].label, "b", *(f"{value:.4f}" for value in values)]
    assert max(map(len, str(results).splitlines())) <= 80
    narrow = rm.evaluate(QRELS, {"a": RUN, "b": RUN}, MEASURES, intervals=True)
    assert str(narrow).splitlines()[0].split() == [
        "measure",
        "a",
        "a",
        "low",
        "a",
        "high",
        "b",
        "b",
        "low",
        "b",
        "high",
    ]
