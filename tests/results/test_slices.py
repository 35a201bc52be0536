"""Slices of the queries: from which column, and what of them is computed."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import rankmark as rm
from rankmark.cli import main
from rankmark.statistics.corrections import corrected
from rankmark.statistics.independent import group_difference, studentised_permutation, welch
from rankmark.statistics.intervals import t_interval

# RR 1, 1/2, 1/3 in DE, 1, 1 in FR and 1/2 nowhere.
RANKS = {"q1": 1, "q2": 2, "q3": 3, "q4": 1, "q5": 1, "q6": 2}
COUNTRY = {"q1": "DE", "q2": "DE", "q3": "DE", "q4": "FR", "q5": "FR", "q6": None}
QRELS = {query: {"a": 1} for query in RANKS}
RUN = {query: [*"xyz"[: rank - 1], "a"] for query, rank in RANKS.items()}
USERS = pl.DataFrame({"user": list(COUNTRY), "country": list(COUNTRY.values()), "age": [9, 9, 10, 10, 9, 9]})

TAGS = pl.DataFrame({"query": ["q1"], "tags": [["a", "b"]]})


def table(rows: dict[str, Any], **columns: Any) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"query": q, "item": i, **{k: v[q] for k, v in columns.items()}}
            for q, items in rows.items()
            for i in items
        ]
    )


@pytest.fixture
def result() -> rm.results.ListResult:
    return rm.evaluate(QRELS, RUN, "RR P@1")


def without_reasons(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records as JSON has them, without what it says of each number that is not there."""
    return [{k: v for k, v in each.items() if not k.endswith("_reason")} for each in records]


def rows(
    slices: rm.results.Slices, by: str = "country", measure: str = "RR"
) -> dict[str | None, rm.results.Slice]:
    return {row.slice: row for row in slices.rows if (row.by, row.measure) == (by, measure)}


def test_each_slice_has_its_mean_and_its_difference_from_the_others(result: Any) -> None:
    found = rows(result.by(USERS, "country"))
    assert list(found) == ["DE", "FR", None]
    assert [row.averaged for row in found.values()] == [3, 2, 1]
    assert found["DE"].value == pytest.approx(11 / 18)
    assert found["DE"].difference == pytest.approx(11 / 18 - 5 / 6)
    assert (found["FR"].value, found[None].value) == (1.0, 0.5)


def test_intervals_and_tests_are_those_of_scipy(result: Any) -> None:
    own, others = [1, 1 / 2, 1 / 3], [1, 1, 1 / 2]
    row = rows(result.by(USERS, "country"))["DE"]
    mean = stats.t.interval(0.95, 2, np.mean(own), stats.sem(own))
    assert (row.low, row.high) == (max(mean[0], 0), min(mean[1], 1))
    found = studentised_permutation(np.array(own), np.array(others))
    assert (found.p, row.difference_low, row.difference_high) == (pytest.approx(row.p), -1, 1)
    narrower = rows(result.by(USERS, "country", confidence=0.5))["DE"]
    half = stats.t.interval(0.5, 2, np.mean(own), stats.sem(own))
    assert (narrower.low, narrower.high) == pytest.approx(half)
    apart = studentised_permutation(np.array(own), np.array(others), confidence=0.5)
    assert (narrower.difference_low, narrower.difference_high) == pytest.approx((apart.low, apart.high))


def t_of(values: np.ndarray, others: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.abs(stats.ttest_ind(values, others, equal_var=False, axis=axis).statistic)


def test_few_values_are_compared_with_all_their_divisions() -> None:
    random = np.random.default_rng(0)
    for own, others in ((random.beta(1, 3, 4), random.beta(1, 2, 7)), (random.random(6), random.random(3))):
        found = studentised_permutation(own, others)
        every = stats.permutation_test((own, others), t_of, vectorized=True, n_resamples=np.inf)
        as_far = every.null_distribution >= every.statistic * (1 - 1e-9)
        assert found.p == pytest.approx(as_far.mean())
        reach = np.quantile(every.null_distribution, 0.95, method="higher")
        error = abs(own.mean() - others.mean()) / every.statistic
        assert (found.mean - found.low) / error == pytest.approx(reach)
        assert found.high - found.mean == pytest.approx(found.mean - found.low)


def test_divisions_that_are_drawn_agree_with_all_of_them() -> None:
    random = np.random.default_rng(3)
    own, others = random.beta(1, 3, 5), random.beta(1, 2, 30)
    drawn = [studentised_permutation(own, others, seed=seed).p for seed in range(20)]
    every = stats.permutation_test((own, others), t_of, vectorized=True, n_resamples=np.inf, batch=10_000)
    as_far = (every.null_distribution >= every.statistic * (1 - 1e-9)).mean()  # of 324,632, not of 2,000
    error = math.sqrt(as_far * (1 - as_far) / 2_000)
    assert np.mean(drawn) == pytest.approx(as_far, abs=3 * error / math.sqrt(20))
    assert np.std(drawn, ddof=1) == pytest.approx(error, rel=0.5)
    far = studentised_permutation(own + 5, others)
    assert far.p == pytest.approx(1 / 20_001, rel=2)


def test_slices_of_few_queries_hold_the_level() -> None:
    # Welch's t test finds .23 of these; of 400 this found .05.
    values = np.array([0, *(1 / np.arange(1, 11))])
    found = 0
    for seed in range(120):
        random = np.random.default_rng(seed)
        own, others = (values[random.integers(0, 11, count)] for count in (5, 100))
        found += studentised_permutation(own, others).p <= 0.05
    assert found <= 14


def test_many_values_are_compared_by_welchs_test() -> None:
    random = np.random.default_rng(0)
    own, others = random.random(50), random.random(60)
    assert group_difference(own, others) == welch(own, others)
    assert group_difference(own[:49], others) == studentised_permutation(own[:49], others)
    test = stats.ttest_ind(own, others, equal_var=False)
    interval = test.confidence_interval(0.95)
    assert welch(own, others)[1:] == pytest.approx((interval.low, interval.high, test.pvalue))


def test_what_needs_more_queries_has_no_value(result: Any) -> None:
    alone = rows(result.by(USERS, "country"))[None]
    assert all(map(math.isnan, (alone.low, alone.high, alone.difference_low, alone.p, alone.p_corrected)))
    assert not math.isnan(alone.difference)
    everything = rows(result.by(dict.fromkeys(RANKS, "all")), by="slice")["all"]
    assert math.isnan(everything.difference)
    assert everything.value == result["RR"]


def test_p_values_are_corrected_over_slices_measures_and_attributes(result: Any) -> None:
    slices = result.by(USERS.with_columns(age=pl.Series([9, 9, 10, 10, 10, 9])))
    # Of age there are two slices, with one test for both; of country two are too small for one.
    tests = [row for row in slices.rows if (row.by, row.slice) != ("age", "10")]
    p_values = corrected([row.p for row in tests]).tolist()
    assert [row.p_corrected for row in tests] == pytest.approx(p_values, nan_ok=True)
    assert slices.tests == 4
    assert len({row.p_corrected for row in slices.rows if (row.by, row.measure) == ("age", "RR")}) == 1
    assert {row.by for row in slices.rows} == {"country", "age"}
    assert {row.measure for row in slices.rows} == {"RR", "P@1"}


def test_holm() -> None:
    # S. Holm's procedure by hand: 3 · .01, max(.03, 2 · .02), max(.04, .03); what is no test does not count.
    assert corrected([0.03, 0.01, math.nan, 0.02]).tolist() == pytest.approx(
        [0.04, 0.03, math.nan, 0.04], nan_ok=True
    )
    assert corrected([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert len(corrected([])) == 0


def test_a_group_that_tells_nothing_of_its_spread_has_no_test() -> None:
    spread = np.array([0.2, 0.5, 0.4, 0.9, 0.0])
    for flat in ([1.0, 1.0], [0.0, 1.0], [0.1, 0.1, 0.1], [1.0] * 20):  # the spread of .1s is 1e-17 in floats
        difference = welch(np.array(flat), spread)
        assert difference.mean == pytest.approx(sum(flat) / len(flat) - 0.4)
        assert np.isnan(difference[1:]).all()
    # By hand: t = .1 / √(.01/3 + .115/5), with .02633² / (.00333²/2 + .023²/4) = 5.03 degrees of freedom.
    difference = welch(np.array([0.4, 0.5, 0.6]), spread)
    assert difference.p == pytest.approx(2 * stats.t.sf(0.1 / 0.1622755, 5.03205), rel=1e-6)


numbers = st.lists(st.floats(0, 1), max_size=8).map(lambda values: np.array(values, dtype=np.float64))


@given(numbers, numbers)
@example(np.array([0, 0, 5e-324]), np.array([0, 0, 5e-324]))
@example(np.array([0, 0, 1e-200]), np.array([0, 0.5e-200, 1]))
@example(np.array([0] * 7 + [5e-324]), np.array([0] * 7 + [5e-324]))
@example(np.array([0, 0, 5e-324]), np.array([1, 1, np.nextafter(1, 0)]))
def test_a_difference_turned_round_is_its_opposite(own: np.ndarray, others: np.ndarray) -> None:
    one, other = welch(own, others), welch(others, own)
    assert one.p == pytest.approx(other.p, nan_ok=True)
    assert (one.mean, one.low, one.high) == (
        pytest.approx(-other.mean, nan_ok=True),
        pytest.approx(-other.high, nan_ok=True),
        pytest.approx(-other.low, nan_ok=True),
    )
    low, high = t_interval(own)
    assert math.isnan(low) or low - 1e-12 <= own.mean() <= high + 1e-12


@given(st.dictionaries(st.sampled_from(list(RANKS)), st.sampled_from(["a", "b", "c"]), min_size=1))
def test_the_slices_together_are_all_queries(slices: dict[str, str]) -> None:
    result = rm.evaluate(QRELS, RUN, "RR")
    found = rows(result.by(slices), by="slice")
    assert sum(row.queries for row in found.values()) == len(RANKS)
    assert sum(row.queries * row.value for row in found.values()) == pytest.approx(len(RANKS) * result["RR"])
    missing = len(set(RANKS) - set(slices))
    assert found[None].queries == missing if missing else None not in found


def test_queries_that_are_left_out_of_the_mean_are_counted_but_not_averaged() -> None:
    result = rm.evaluate(QRELS, {query: RUN[query] for query in ("q1", "q4", "q5")}, "RR", missing="skip")
    found = rows(result.by(USERS, "country"))
    assert [(row.queries, row.averaged) for row in found.values()] == [(3, 1), (2, 2), (1, 0)]
    assert math.isnan(found[None].value)


@pytest.mark.parametrize("measure", ["RR", "NumRet", "RR(mean=geometric)", "HitRatio@2", "MeanRank", "MPR"])
def test_a_slice_has_the_value_that_its_queries_alone_have(measure: str) -> None:
    result = rm.evaluate(QRELS, RUN, measure)
    for row in result.by(USERS, "country").rows:
        inside = [q for q in QRELS if COUNTRY[q] == row.slice]
        alone = rm.evaluate({q: QRELS[q] for q in inside}, RUN, measure)
        assert row.value == alone[measure]
    everything = result.by(dict.fromkeys(QRELS, "all")).rows[0]
    assert everything.value == result[measure]


def test_sums_of_groups_of_queries_are_not_subtracted() -> None:
    found = rows(rm.evaluate(QRELS, RUN, "NumRet").by(USERS, "age"), "age", "NumRet")["9"]
    assert found.value == 6  # 1 + 2 + 1 + 2
    assert math.isnan(found.difference)
    assert math.isnan(found.p)


def test_numbers_are_in_their_order(result: Any) -> None:
    assert list(rows(result.by(USERS, "age"), "age")) == ["9", "10"]


@pytest.mark.parametrize(
    "form",
    [
        lambda t: t,
        lambda t: t.to_pandas(),
        lambda t: t.to_arrow(),
        lambda t: t.lazy(),
        "csv",
        "parquet",
        "jsonl",
    ],
)
def test_attributes_come_in_any_form(form: Any, result: Any, tmp_path: Path) -> None:
    if isinstance(form, str):
        write = {"csv": USERS.write_csv, "parquet": USERS.write_parquet, "jsonl": USERS.write_ndjson}
        write[form](tmp_path / f"users.{form}")
        attributes = tmp_path / f"users.{form}"
    else:
        attributes = form(USERS)
    assert result.by(attributes, "country").frame.equals(result.by(USERS, "country").frame)


def test_a_column_of_the_judgements_or_of_the_results() -> None:
    qrels = table(QRELS, country=COUNTRY)
    ranks = dict.fromkeys(RANKS)
    run = table(RUN, device={query: "phone" if query < "q4" else "web" for query in ranks}).with_columns(
        score=-pl.int_range(pl.len()).over("query")
    )
    result = rm.evaluate(qrels, run, "RR", by=["country", "device"])
    assert result.slices is not None
    assert [row.averaged for row in rows(result.slices).values()] == [3, 2, 1]
    assert [row.averaged for row in rows(result.slices, "device").values()] == [3, 3]
    assert rows(rm.evaluate(qrels, run, "RR", by="country").slices).keys() == {"DE", "FR", None}


def test_attributes_go_before_the_columns_of_other_tables() -> None:
    qrels = table(QRELS, country=dict.fromkeys(RANKS, "XX"))
    slices = rm.evaluate(qrels, RUN, "RR", by="country", attributes=USERS).slices
    assert list(rows(slices)) == ["DE", "FR", None]


def test_a_mapping_of_queries_to_slices() -> None:
    slices = rm.evaluate(QRELS, RUN, "RR", by=COUNTRY).slices
    assert [row.averaged for row in rows(slices, "slice").values()] == [3, 2, 1]
    numbers = rm.evaluate([(1, 1, 1), (2, 1, 1)], [(1, 1, 1.0)], "RR", by={1: True, 2: False}).slices
    assert [(row.slice, row.value) for row in numbers.rows] == [("false", 0.0), ("true", 1.0)]


def test_ids_of_attributes_may_be_of_another_type() -> None:
    qrels = [(7, 1, 1), (8, 1, 1)]
    slices = rm.evaluate(qrels, [(7, 1, 1.0)], "RR").by({"7": "a", "8": "b", "nine": "c"})
    assert [(row.slice, row.value) for row in slices.rows] == [("a", 1.0), ("b", 0.0)]
    with pytest.raises(rm.DataError, match="query 7 has 2 rows of attributes under ids written differently"):
        rm.evaluate(qrels, [(7, 1, 1.0)], "RR").by({"7": "a", "07": "b"})
    categories = table(QRELS).with_columns(pl.col("query").cast(pl.Categorical))
    assert rows(rm.evaluate(categories, RUN, "RR").by(USERS, "country"))["FR"].averaged == 2


def test_a_column_that_is_not_the_same_in_all_rows_of_a_query_is_refused() -> None:
    qrels = pl.DataFrame(
        {"query": [1, 1, 2, 3, 3], "item": range(5), "grade": 1, "device": ["a", "b", "a", "c", "a"]}
    )
    with pytest.raises(
        rm.DataError,
        match="by='device': in 2 of 3 queries of qrels the rows differ in that column; query 1 has 'a', 'b'; "
        "a query can be in one slice only",
    ):
        rm.evaluate(qrels, [(1, 0, 1.0)], "RR", by="device")


def test_a_null_beside_a_value_is_no_second_value() -> None:
    qrels = pl.DataFrame({"query": [1, 1, 2], "item": range(3), "device": [None, "b", None]})
    slices = rm.evaluate(qrels, [(1, 1, 1.0)], "RR", by="device").slices
    assert [(row.slice, row.queries) for row in slices.rows] == [("b", 1), (None, 1)]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"by": "contry", "attributes": USERS}, rm.ColumnError, "such a column; did you mean 'country'"),
        ({"by": "country"}, rm.ColumnError, "dicts and tuples have no further columns: give attributes"),
        ({"by": []}, rm.UsageError, "no column to slice by"),
        ({"attributes": USERS}, rm.UsageError, "attributes without by"),
        ({"by": "user", "attributes": USERS}, rm.ColumnError, "column of attributes is the query itself"),
        (
            {"by": "age", "attributes": USERS[["age"]]},
            rm.ColumnError,
            "attributes has no column for the query",
        ),
        ({"by": "age", "attributes": 7}, rm.UsageError, "are of type int; give a path or a table"),
        ({"by": "age", "attributes": "nowhere.csv"}, rm.FileMissingError, "there is no file 'nowhere.csv'"),
        (
            {"by": {1: "a", "q2": "b"}},
            rm.DataError,
            "queries of the slices holds values of several types",
        ),
        ({"by": {"Q1": "a"}}, rm.DataError, "they are such as 'q1', those with one such as 'Q1'"),
        ({"by": {}}, rm.DataError, "none of the 6 judged queries has a value of 'slice'"),
        ({"by": "tags", "attributes": TAGS}, rm.ColumnError, "is List(String), not single values"),
    ],
)
def test_what_cannot_be_sliced_is_refused(options: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind) as error:
        rm.evaluate(QRELS, RUN, "RR", **options)
    assert message in str(error.value)


def test_tables_that_were_read_before_have_no_further_columns() -> None:
    qrels = table(QRELS, country=COUNTRY)
    with pytest.raises(rm.ColumnError, match="that were read before"):
        rm.evaluate(rm.read_qrels(qrels), RUN, "RR", by="country")
    assert rm.evaluate(rm.read_qrels(qrels), RUN, "RR", by="country", attributes=qrels).slices is not None


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5])
def test_a_confidence_is_a_share(confidence: Any, result: Any) -> None:
    with pytest.raises(rm.ChoiceError, match="is not a number between 0 and 1"):
        result.by(USERS, "age", confidence=confidence)


def test_there_are_no_slices_unless_they_were_asked_for(result: Any) -> None:
    assert result.slices is None
    assert "slices" not in json.loads(result.to_json())


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_results_with_slices_can_be_copied_and_pickled(again: Any) -> None:
    result = rm.evaluate(QRELS, RUN, "RR", by=COUNTRY)
    assert again(result).slices.frame.equals(result.slices.frame)
    assert str(again(result)) == str(result)


def test_a_slice_by_its_value(result: Any) -> None:
    slices = result.by(USERS, "country")
    assert [row.measure for row in slices["DE"]] == ["RR", "P@1"]
    assert slices[None][0].slice is None
    with pytest.raises(rm.ChoiceError, match="there is no slice 'DEU'; did you mean 'DE'"):
        slices["DEU"]


def test_the_table_for_people(result: Any) -> None:
    # Of the 20 divisions 14 are as far for RR, and more for P@1: twice that is 1. Two queries have no p.
    assert str(result.by(USERS, "country")).splitlines() == [
        "measure  country  queries   value     low    high  difference       p",
        "-------  -------  -------  ------  ------  ------  ----------  ------",
        "RR       DE             3  0.6111  0.0000  1.0000     -0.2222  1.0000",
        "RR       FR             2  1.0000  0.3424  1.0000     +0.4167",
        "RR       (none)         1  0.5000                     -0.2667",
        "P@1      DE             3  0.3333  0.0615  0.7923     -0.3333  1.0000",
        "P@1      FR             2  1.0000  0.3424  1.0000     +0.7500",
        "P@1      (none)         1  0.0000                     -0.6000",
        "",
        "low, high: the 95% interval (t, Wilson); difference: from the value of the other",
        "  queries; p: Welch's t of it among that of random slices of as many queries (of",
        "  50 and more Welch's t test), corrected for 2 tests (Holm)",
        "no p of 4 differences: too few queries on one side (3 are needed)",
        "1 of 6 intervals may cover more or less often: there are fewer than 10 values,",
        "  or clusters of them",
    ]


def test_a_small_p_is_not_shown_as_none() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(40)}
    run = {query: ["a", "x"] if 1 < i < 20 else ["x", "y", "a"][i % 2 :] for i, query in enumerate(qrels)}
    slices = rm.evaluate(qrels, run, "RR").by({query: str(i < 20) for i, query in enumerate(qrels)})
    assert "<0.0001" in str(slices)


def test_other_formats(result: Any) -> None:
    slices = result.by(USERS, "country")
    assert slices.format("csv").splitlines()[0] == ",".join(slices.frame.columns)
    assert pl.read_csv(slices.format("csv").encode()).equals(slices.frame)
    assert without_reasons(json.loads(slices.format("json"))["slices"]) == slices.records()
    assert slices.records()[2]["slice"] is None
    assert slices.format("markdown").startswith("| measure | country | queries |  value |")
    assert r"country & queries & RR & P@1 \\" in slices.format("latex")
    with pytest.raises(rm.ChoiceError, match="format='trec' is not one of table, json, csv, markdown, latex"):
        slices.format("trec")


def test_a_result_shows_its_slices() -> None:
    result = rm.evaluate(QRELS, RUN, "RR", by=COUNTRY)
    assert str(result.slices) in str(result)
    assert result.to_csv() == result.slices.format("csv")
    assert without_reasons(json.loads(result.to_json())["slices"]) == result.slices.records()
    assert result.slices.format("markdown").rstrip() in result.to_markdown()
    assert result.slices.format("latex").rstrip() in result.to_latex()
    assert result.to_csv(per_query=True).startswith("query,RR\n")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs `rankmark eval` in a folder with a small collection: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    table(QRELS, country=COUNTRY).write_csv("qrels.csv")
    scored = table(RUN).with_columns(score=-pl.int_range(pl.len()).over("query"))
    scored.write_csv("good.csv")
    scored.with_columns(score=-pl.col("score")).write_csv("bad.csv")
    USERS.write_csv("users.csv")

    def call(*args: str) -> tuple[int, str, str]:
        code = main(["eval", *args])
        return code, *capfd.readouterr()

    return call


def test_slices_on_the_command_line(run: Run) -> None:
    code, out, err = run(
        "qrels.csv", "good.csv", "-m", "RR", "--by", "country", "--by", "age", "--attributes", "users.csv"
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "measure  country  queries   value" in out
    assert "RR       FR             2  1.0000" in out
    assert "RR       9          4  0.7500" in out
    assert lines[0].split() == ["measure", "value"]


def test_slices_of_several_runs(run: Run) -> None:
    _, out, _ = run("qrels.csv", "good.csv", "bad.csv", "-m", "RR", "--by", "country")
    assert "run   measure  country  queries   value" in out
    assert "bad   RR       FR             2  1.0000" in out
    _, out, _ = run("qrels.csv", "good.csv", "bad.csv", "-m", "RR", "--by", "country", "--format", "csv")
    assert pl.read_csv(out.encode())["run"].to_list() == ["good"] * 3 + ["bad"] * 3
    _, out, _ = run("qrels.csv", "good.csv", "bad.csv", "-m", "RR", "--by", "country", "--format", "json")
    assert len(json.loads(out)["runs"]["bad"]["slices"]) == 3


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--by", "contry"), 1, "did you mean 'country'"),
        (("--by", "score"), 1, "in 3 of 6 queries of run 'good.csv'"),
        (("--by", "country", "--format", "trec"), 2, "--format trec has no place for --by"),
        (("--attributes", "users.csv"), 2, "attributes without by"),
        (("--by", "country", "--attributes", "user.csv"), 2, "did you mean 'users.csv'"),
        (("--by", "country", "--attributes", "users.csv", "-o", "users.csv"), 2, "would overwrite the input"),
    ],
)
def test_mistakes_are_answered(args: tuple[str, ...], code: int, message: str, run: Run) -> None:
    answer, out, err = run("qrels.csv", "good.csv", *args)
    assert (answer, out) == (code, "")
    assert message in err


def test_queries_may_be_the_index_of_a_pandas_table() -> None:
    users = USERS.to_pandas().set_index("user")
    assert isinstance(users, pd.DataFrame)
    assert rows(rm.evaluate(QRELS, RUN, "RR").by(users, "country"))["FR"].averaged == 2


def test_slices_are_walked_by_row_and_found_by_value(result: Any) -> None:
    slices = result.by({"q1": 1, "q2": 1, "q3": 2})
    assert list(slices) == list(slices.rows)
    assert len(slices) == 6
    assert slices[1] == slices[1.0] == slices["1"] != slices[None]
    assert [each in slices for each in (1, "2", None, slices.rows[0], 3, "nix")] == [True] * 4 + [False] * 2
    assert True not in slices
    assert True in result.by(lambda query: query == "q1")
    with pytest.raises(rm.ChoiceError, match=r"^there is no slice 'nix'; there are '1', '2', None$"):
        slices["nix"]
    qrels = {query: [1] for query in range(12)}
    many = rm.evaluate(qrels, qrels, "RR", by=str).slices
    assert many is not None
    with pytest.raises(rm.ChoiceError, match=r"'0', '1', .*'8', '9', …$"):
        many["nix"]


GROUPS = {query: "few" if query >= 35 else "old" if query >= 20 else "young" for query in range(40)}


@pytest.fixture
def unequal() -> rm.results.Slices:
    """RR is 1/2 for every young query, for every second old one and for none of the few, and else 1."""
    run = {
        query: ["x", "a"] if group == "young" or (group == "old" and query % 2) else ["a", "x"]
        for query, group in GROUPS.items()
    }
    found = rm.evaluate({query: {"a": 1} for query in GROUPS}, run, ["RR", "MeanRank"], by=GROUPS).slices
    assert isinstance(found, rm.results.Slices)
    return found


def test_the_disparity_of_slices_is_of_the_worst_and_the_best(unequal: rm.results.Slices) -> None:
    found = unequal.disparity("RR")
    assert (found.by, found.slices, found.left_out) == ("slice", 2, 1)  # of five queries chance is the best
    assert (found.worst, found.worst_value, found.worst_queries) == ("young", 0.5, 20)
    assert (found.best, found.best_queries) == ("old", 15)
    assert found.best_value == pytest.approx((7 / 2 + 8) / 15)
    assert found.difference == pytest.approx(found.best_value - 0.5)
    assert found.ratio == pytest.approx(0.5 / found.best_value)
    assert 0 < found.low < found.difference < found.high <= 1
    assert found.ratio_low < found.ratio < found.ratio_high <= 1


def test_the_worst_slice_of_what_should_be_small_is_that_of_the_highest_value(
    unequal: rm.results.Slices,
) -> None:
    found = unequal.disparity(rm.MeanRank, by="slice")
    assert (found.worst, found.best, found.worst_value) == ("young", "old", 2)
    assert found.ratio == pytest.approx(found.best_value / 2)


def test_inequality_is_of_all_queries(unequal: rm.results.Slices) -> None:
    found = unequal.inequalities[0]
    assert (found.measure, found.queries) == ("RR", 40)
    # 27 halves and 13 wholes: Σ|x − y| = 2 · 27 · 13 / 2 over 2 · 40² · 26.5/40.
    assert found.gini == pytest.approx(27 * 13 / (2 * 1600 * 26.5 / 40))
    assert found.lowest_tenth == pytest.approx(2 / 26.5)


def test_disparities_are_shown_kept_and_in_json(unequal: rm.results.Slices, tmp_path: Path) -> None:
    said = " ".join(unequal.format().split())
    assert "MeanRank young 2.0000 old" in said
    assert "RR across 40 queries: Gini 0.166" in said
    assert "by chance: the mean difference where all are alike" in said
    unequal.save(tmp_path / "slices.rankmark")
    kept = rm.load(tmp_path / "slices.rankmark")
    assert isinstance(kept, rm.results.Slices)
    assert (kept.disparities, kept.inequalities) == (unequal.disparities, unequal.inequalities)
    found = json.loads(unequal.format("json"))
    assert [each["worst"] for each in found["disparities"]] == ["young", "young"]
    assert found["inequalities"][0]["queries"] == 40


def test_what_cannot_be_compared_has_no_disparity(
    unequal: rm.results.Slices, result: rm.results.ListResult
) -> None:
    with pytest.raises(rm.NotEvaluatedError, match=r"no disparity of AP: there is that of RR by slice"):
        unequal.disparity("AP")
    with pytest.raises(rm.NotEvaluatedError, match=r"there is none; 2 to 200 slices of 10 queries"):
        result.by(USERS, "country").disparity("RR")
    run = {query: ["a"] for query in GROUPS}
    both = {"qrels": {q: {"a": 1} for q in GROUPS}, "run": run, "measures": "RR"}
    table = pl.DataFrame(
        {"query": list(GROUPS), "age": list(GROUPS.values()), "odd": [q % 2 for q in GROUPS]}
    )
    slices = rm.evaluate(**both, by=["age", "odd"], attributes=table).slices
    assert isinstance(slices, rm.results.Slices)
    with pytest.raises(rm.ChoiceError, match=r"slices by age and odd: say which"):
        slices.disparity("RR")
    assert slices.disparity("RR", by="odd").difference == 0


def test_the_table_of_users_is_that_of_attributes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{query},{group}" for query, group in GROUPS.items()]
    Path("users.csv").write_text("\n".join(["user_id,age", *rows]))
    lines = [f"{query},{item},{score}" for query in GROUPS for item, score in (("a", query % 3), ("b", 1))]
    Path("run.csv").write_text("\n".join(["user_id,item_id,score", *lines]))
    Path("qrels.csv").write_text("\n".join(["user_id,item_id,rating", *(f"{query},a,1" for query in GROUPS)]))
    assert main(["eval", "qrels.csv", "run.csv", "-m", "RR", "--by", "age", "--attributes", "users.csv"]) == 0
    said = capsys.readouterr().out
    assert "by chance" in said
    assert "RR across 40 queries: Gini" in said
