"""Values by labels that are probabilities: means over what the labels could be."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "P(denominator=min)@5", "DCG(gain=exp2)@5", "RBP", "R@5", "ERR@10"]
RUN = {"q": ["a", "x", "b", "c"], "r": ["c", "b"]}
GRADES = pl.DataFrame(
    [
        ("q", "a", 1, 0.25), ("q", "a", 2, 0.5), ("q", "b", 1, 0.9), ("q", "c", 2, 0.1),
        ("q", "d", 1, 1.0), ("r", "b", 3, 0.2), ("r", "c", 1, 0.4),
    ],
    schema=["query", "item", "relevance", "probability"],
    orient="row",
)  # fmt: skip


def one(judgements: Any, run: Any, measures: Any = MEASURES, **how: Any) -> rm.results.DerivedResult:
    """The result of one system."""
    found = rm.evaluate_expected(judgements, run, measures, **how)
    assert isinstance(found, rm.results.DerivedResult)
    return found


def by_outcomes(measure: str, run: dict[str, list[str]], **how: Any) -> dict[str, tuple[float, float]]:
    """The mean and deviation of each query, each outcome evaluated alone."""
    found = {}
    for query in run:
        rows = GRADES.filter(query=query)
        items = rows["item"].unique(maintain_order=True).to_list()
        grades = []
        for item in items:
            own = rows.filter(item=item).select("relevance", "probability").rows()
            rest = 1 - sum(chance for _, chance in own)
            grades.append([*own, (0, rest)] if rest > 1e-9 else own)
        values, chances = [], []
        for outcome in product(*grades):
            labels = {query: dict(zip(items, (grade for grade, _ in outcome), strict=True))}
            values.append(rm.evaluate(labels, {query: run[query]}, measure, **how)[measure])
            chances.append(math.prod(chance for _, chance in outcome))
        mean = float(np.dot(values, chances))
        found[query] = mean, math.sqrt(np.dot((np.array(values) - mean) ** 2, chances))
    return found


@pytest.mark.parametrize("how", [{}, {"ties": "expected"}, {"unjudged": "ignore"}, {"no_relevant": "one"}])
@pytest.mark.parametrize("measure", MEASURES)
def test_values_are_means_over_what_labels_could_be(measure: str, how: dict[str, Any]) -> None:
    if "ERR" in measure and how == {"ties": "expected"}:
        measure = "HR@2"  # of ERR there is no mean over the orders of equal scores
    found, expected = one(GRADES, RUN, measure, **how), by_outcomes(measure, RUN, **how)
    means, deviations = (found.query_values(f"{each}({measure})") for each in ("expected", "deviation"))
    for number, query in enumerate(found.query_ids):
        assert (means[number], deviations[number]) == pytest.approx(expected[str(query)], abs=1e-12)
    assert found[f"expected({measure})"] == pytest.approx(means.mean())


def test_labels_that_are_certain_give_the_values_of_evaluate() -> None:
    rng = np.random.default_rng(0)
    names = [f"q{query}" for query in range(40)]
    rows = [(query, f"d{item}", int(rng.integers(0, 3))) for query in names for item in range(20)]
    judged = pl.DataFrame(rows, schema=["query", "item", "relevance"], orient="row")
    run = {query: [f"d{item}" for item in rng.permutation(30)[:15]] for query in names[:-1]}
    plain = rm.evaluate(judged, run, MEASURES)
    found = one(judged.with_columns(probability=pl.lit(1.0)), run)
    assert found.query_ids == plain.query_ids
    sums = {"P@5", "DCG(gain=exp2)@5", "RBP"}
    for name in MEASURES:
        values, own = plain.query_values(name), found.query_values(f"expected({name})")
        assert own == pytest.approx(values, abs=1e-15 if name in sums else 0.0)
        assert not found.query_values(f"deviation({name})").any()
    binary = judged.with_columns(pl.col("relevance").clip(0, 1))
    for labels in (binary, binary.rename({"relevance": "probability"})):
        assert one(labels, run, "AP")["expected(AP)"] == rm.evaluate(binary, run, "AP")["AP"]


def test_drawn_values_come_near_those_of_all_outcomes() -> None:
    whole = one(GRADES, RUN)
    drawn = one(GRADES, RUN, draws=8)
    for measure in ("nDCG@10", "AP"):
        values = [
            one(GRADES, RUN, measure, draws=8, seed=seed)[f"expected({measure})"] for seed in range(200)
        ]
        error = np.std(values, ddof=1)
        assert abs(np.mean(values) - whole[f"expected({measure})"]) < 4 * error / math.sqrt(200)
        deviations = drawn.query_values(f"deviation({measure})")
        # r has 4 outcomes, all of which are looked at.
        assert deviations[1] == whole.query_values(f"deviation({measure})")[1]
    for exact in ("P@5", "RBP"):
        assert drawn[f"expected({exact})"] == whole[f"expected({exact})"]
    assert any("by drawing them in 1 query" in note for note in drawn.notes)
    assert "draws:8|seed:0" in drawn.signature("expected(AP)")
    assert "draws" not in drawn.signature("expected(P@5)")


def test_all_runs_have_the_same_draws_and_are_compared() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"q{query}", f"d{item}", rng.random()) for query in range(30) for item in range(12)]
    labels = pl.DataFrame(rows, schema=["query", "item", "probability"], orient="row")
    run = {f"q{query}": [f"d{item}" for item in rng.permutation(12)] for query in range(30)}
    found = rm.evaluate_expected(labels, {"a": run, "b": run}, "nDCG@5", draws=50, intervals=True)
    assert isinstance(found, rm.results.Runs)
    values = [each.query_values("expected(nDCG@5)") for each in (found["a"], found["b"])]
    assert np.array_equal(values[0], values[1])
    compared = rm.compare_results(found)
    assert {each.difference for each in compared.pairs} == {0.0}


def test_queries_without_results_count_as_they_do_elsewhere() -> None:
    run = {"q": RUN["q"]}
    assert one(GRADES, run, "AP").query_values("expected(AP)")[1] == 0
    assert np.isnan(one(GRADES, run, "AP", missing="skip").query_values("expected(AP)")[1])
    with pytest.raises(DataError, match="r"):
        one(GRADES, run, "AP", missing="error")


def test_grades_of_a_judge_stand_for_those_that_people_gave() -> None:
    judge = {"p": {"a": 2, "b": 0, "c": 2}, "q": {"a": 2, "b": 0, "d": 2}, "r": {"a": 2, "b": 0}}
    people = {"p": {"a": 2, "b": 0, "c": 1}, "q": {"a": 0, "b": 1, "d": 2}}
    found = rm.label_probabilities(people, judge)
    assert found.filter(query="r").rows() == [
        ("r", "a", 0.0, 0.25), ("r", "a", 1.0, 0.25), ("r", "a", 2.0, 0.5),
        ("r", "b", 0.0, 0.5), ("r", "b", 1.0, 0.5),
    ]  # fmt: skip
    assert found.filter(query="q").rows() == [("q", "a", 0.0, 1), ("q", "b", 1.0, 1), ("q", "d", 2.0, 1)]
    assert one(found, {"r": ["a"]}, "DCG@1", missing="skip")["expected(DCG@1)"] == 0.25 + 2 * 0.5
    by_people = one(judge, {"r": ["a"]}, "DCG@1", people=people, missing="skip")
    assert by_people["expected(DCG@1)"] == 1.25
    numbers = pl.DataFrame({"q": [1, 1, 2, 2], "d": [1, 2, 1, 2], "relevance": [1, 0, 1, 0]})
    columns = {"query": "q", "item": "d"}
    same = rm.label_probabilities(numbers, numbers, columns=columns)
    for labels, how in ((same, {}), (numbers, {"people": numbers})):
        run = pl.DataFrame({"q": [1, 2], "d": [2, 1], "score": [1.0, 1.0]})
        assert one(labels, run, "P@1", columns=columns, **how)["expected(P@1)"] == 0.5
    judge["r"]["c"] = 1
    with pytest.raises(DataError, match="grade 1, which 1 item have that people did not label"):
        rm.label_probabilities(people, judge)


@pytest.mark.parametrize("knows", [0.0, 1.0])
def test_probable_grades_put_right_what_a_judge_overrates_where_runs_know_no_more(knows: float) -> None:
    """A run that orders by what people think and the judge does not say is worth more than is expected."""
    rng = np.random.default_rng(7)
    people, judge, run = {}, {}, {}
    names = [f"d{item}" for item in range(20)]
    for number in range(400):
        true = rng.random(20) < 0.3
        seen = np.where(rng.random(20) < 0.3, rng.random(20) < 0.8, true)
        people[f"q{number}"] = dict(zip(names, true.astype(int).tolist(), strict=True))
        judge[f"q{number}"] = dict(zip(names, seen.astype(int).tolist(), strict=True))
        order = np.argsort(-(seen + knows * true + rng.normal(0, 1, 20)))
        run[f"q{number}"] = [names[item] for item in order]
    few = {query: people[query] for query in list(people)[:100]}
    truth = rm.evaluate(people, run, "P@10")["P@10"]
    alone = rm.evaluate(judge, run, "P@10")["P@10"]
    result = one(judge, run, "P@10", people=few)
    found = result["expected(P@10)"]
    assert alone - truth > 0.1
    said = [note for note in result.notes if "100 queries that people labelled are worth" in note]
    assert len(said) == bool(knows)
    if knows:
        assert truth - found > 0.02
    else:
        assert abs(found - truth) < 0.01


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("q", "a", 1, 1.2)],
            r"no probability from 0 to 1 in 1 row of 'probability', the first is 1.2 in",
        ),
        ([("q", "a", 1, -0.1)], "the first is -0.1 in row 0"),
        ([("q", "a", 1, None)], "1 row without a chance|null"),
        ([("q", "a", 1, 0.7), ("q", "a", 2, 0.7)], "come to more than 1: of query 'q' and item 'a' to 1.4"),
        ([("q", "a", 1, 0.7), ("q", "a", 0, 0.1)], "come to less, though grade 0 is among the grades"),
        ([("q", "a", 1, 0.3), ("q", "a", 1, 0.1)], "2 rows of the same query and item and grade"),
        ([("q", "a", math.inf, 0.3)], "not finite|inf"),
    ],
)
def test_what_is_no_probability_is_refused(rows: list[Any], message: str) -> None:
    table = pl.DataFrame(rows, schema=["query", "item", "relevance", "probability"], orient="row")
    with pytest.raises(DataError, match=message):
        one(table, RUN, "AP")


def test_relevances_alone_are_probabilities() -> None:
    found = one({"q": {"a": 0.5}}, {"q": ["a"]}, "RR")
    assert found["expected(RR)"] == 0.5
    with pytest.raises(DataError, match="without a column of probabilities a relevance is the probability"):
        one({"q": {"a": 2}}, {"q": ["a"]}, "RR")


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"measures": "gm_map"}, MeasureError, "is no mean over queries"),
        ({"no_relevant": "skip"}, ChoiceError, "whether anything is relevant is as uncertain"),
        ({"ties": "best"}, ChoiceError, "orders equal scores by grades"),
        ({"unjudged": "relevant"}, ChoiceError, "give the items that nobody judged theirs"),
        ({"draws": 1}, UsageError, "2 or more"),
        ({"people": {"q": {"a": 1}}, "intervals": True}, UsageError, "and are too short: leave them out"),
        ({"columns": {"probability": "chance"}}, DataError, "qrels does not have a column 'chance'"),
    ],
)
def test_what_has_no_expected_value_is_refused(how: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        one(GRADES, RUN, **({"measures": "AP"} | how))


def test_the_command_shows_what_the_function_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    GRADES.write_csv("likely.csv")
    Path("judge.txt").write_text("q 0 a 1\nq 0 b 0\nr 0 c 1\nr 0 b 0\ns 0 a 1\n")
    Path("people.txt").write_text("q 0 a 1\nq 0 b 0\nr 0 c 0\nr 0 b 0\n")
    Path("a.run").write_text("q Q0 a 1 9 x\nq Q0 b 2 8 x\nr Q0 c 1 9 x\ns Q0 a 1 1 x\n")
    assert main(["eval-expected", "likely.csv", "a.run", "-m", "AP", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["measures"]["expected(AP)"]["value"]
    assert shown == one("likely.csv", "a.run", "AP")["expected(AP)"]
    line = ["eval-expected", "judge.txt", "a.run", "-m", "P@1", "-q", "--people", "people.txt"]
    assert main([*line, "--format", "csv"]) == 0
    assert capsys.readouterr().out == (
        "query,expected(P@1),deviation(P@1)\nq,1.0,0.0\nr,0.0,0.0\ns,0.5,0.5\n"
    )
    assert main(["eval-expected", "judge.txt", "a.run", "--ties", "best"]) == 2


def test_probabilities_that_are_left_behind_are_told() -> None:
    rows = GRADES.to_dicts()
    assert one(rows, RUN, "AP").values == one(GRADES, RUN, "AP").values
    assert not any("no label is uncertain" in note for note in one(GRADES, RUN, "AP").notes)
    certain = GRADES.unique(["query", "item"]).with_columns(relevance=pl.lit(1))
    assert any("no label is uncertain" in note for note in one(rm.read_qrels(certain), RUN, "AP").notes)
    people = {"q": {"a": 1}, "r": {"b": 1}}
    for labels in (GRADES, {"q": {"a": 0.5}, "r": {"b": 1}}):
        with pytest.raises(UsageError, match="is for plain labels of a judge"):
            one(labels, RUN, "AP", people=people)


def test_queries_that_are_missing_or_not_judged_are_told() -> None:
    (missing, unjudged, *_) = one(GRADES, {"q": ["a"], "z": ["a"]}, "AP").notes
    assert missing == "2 queries judged, 1 answered, 1 missing (counted as 0)"
    assert unjudged == "1 query of the run not judged (left out)"
    judge = {"q": {"a": 1, "b": 0}, "r": {"b": 1, "c": 0}, "s": {"a": 1}}
    people = {query: judge[query] for query in "qr"}
    found = one(judge, RUN, "AP", people=people | {"z": {"a": 1}})
    assert found.query_ids == ["q", "r", "s"]
    assert any(
        "1 query with labels of people and none of the judge (left out)" in note for note in found.notes
    )


def test_the_signature_says_who_reads_it() -> None:
    with pytest.raises(rm.RankmarkError, match=r"by which rm\.evaluate_expected computes it"):
        rm.from_signature(one(GRADES, RUN, "AP").signature("expected(AP)"))
