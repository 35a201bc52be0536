"""Explanations come to the very values that are evaluated, for every measure, and read well."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import polars.testing
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.cli import main
from rankmark.engines import local
from rankmark.explaining.listed import listed, of_query
from rankmark.inputs import read_inputs
from rankmark.language.choices import Choices, go_together, values_of
from strategies import Tables, at_most, every_measure, tables, tie_rules, usable_measures

QRELS = {"q1": {"a": 2, "b": 1, "z": 3, "k": 0}, "q2": {"a": 1}}
RUN = {"q1": {"x": 3.0, "b": 3.0, "a": 2.0, "y": 1.0}, "q2": {"b": 1.0}}
OTHER = {"q1": {"a": 9.0, "k": 8.0, "b": 7.0}, "q2": {"a": 1.0}}
# Of each measure; parameters that exclude each other are drawn again, which is often so for some.
few = settings(max_examples=at_most(15), suppress_health_check=[HealthCheck.filter_too_much])


def sums_up(explanation: rm.results.Explanation) -> bool:
    contributions = explanation.rows["contribution"].drop_nulls()
    return math.isclose(
        explanation.start + math.fsum(contributions), explanation.value or 0.0, rel_tol=1e-9, abs_tol=1e-9
    )


@st.composite
def some_choices(draw: Any, measure: rm.Measure) -> dict[str, Any]:
    names = ("missing", "no_relevant", "unjudged", "duplicates", "scores")
    drawn = {name: draw(st.sampled_from(values_of(name))) for name in names}
    drawn = {
        name: "zero" if value == "error" and name != "duplicates" else value for name, value in drawn.items()
    }
    chosen = {"ties": draw(tie_rules(measure)), **drawn}
    assume(go_together(chosen))
    return chosen


@pytest.mark.slow
@every_measure
@few
@given(data=st.data(), rows=tables)
def test_every_measure_is_recomputed_to_the_last_digit(name: str, data: Any, rows: Tables) -> None:
    measure = data.draw(usable_measures(name))
    choices = data.draw(some_choices(measure))
    result = rm.evaluate(*rows, measure, **choices)
    for query, value in zip(result.query_ids, result.query_values(measure).tolist(), strict=True):
        explanation = rm.explain(*rows, measure, query=query, **choices)
        assert repr(explanation.value) == repr(None if math.isnan(value) else value)
        if explanation.value is not None:
            assert sums_up(explanation)


@pytest.mark.slow
@every_measure
@few
@given(data=st.data(), rows=tables)
def test_the_arithmetic_shown_is_that_of_the_value(name: str, data: Any, rows: Tables) -> None:
    measure = data.draw(usable_measures(name))
    choices = {"ties": data.draw(tie_rules(measure)), "no_relevant": "skip"}
    explanation = rm.explain(*rows, measure, query="q1", **choices)
    if explanation.value is None:
        return
    if explanation.numerator is not None:
        assert explanation.denominator is not None
        quotient = explanation.numerator / explanation.denominator if explanation.denominator else 0.0
        assert explanation.value == quotient
    for frame, total in (
        (explanation.rows, explanation.numerator),
        (explanation.ideal, explanation.denominator),
    ):
        terms = [name for name in ("term", "precision", "blended_ratio") if name in frame.columns]
        if not terms:
            continue
        (term,) = terms
        wanted = explanation.value if total is None else total
        assert math.isclose(math.fsum(frame[term].drop_nulls()), wanted, rel_tol=1e-9, abs_tol=1e-9)
        factor = next((name for name in ("discount", "weight") if name in frame.columns), None)
        if factor:
            product = (frame["gain"] * frame[factor]).fill_nan(0.0)
            polars.testing.assert_series_equal(
                product.fill_null(0.0), frame[term].fill_null(0.0), check_names=False
            )


def test_ideal_lists_with_unjudged_items_add_up() -> None:
    explanation = rm.explain(
        {"q": {"a": 1}}, {"q": ["x", "a"]}, "RR(denominator=relevant,bound=upper)", query="q"
    )
    assert explanation.denominator == explanation.ideal["term"].sum() == 2.0


@pytest.mark.slow
@every_measure
@few
@given(data=st.data(), rows=tables, other=tables)
def test_differences_add_up(name: str, data: Any, rows: Tables, other: Tables) -> None:
    measure = data.draw(usable_measures(name))
    choices = {"ties": data.draw(tie_rules(measure))}
    both = rm.explain(*rows, measure, query="q1", other=other[1], **choices)
    query = rm.evaluate(*rows, measure, **choices).query_ids.index("q1")
    values = [
        rm.evaluate(rows[0], run, measure, **choices).query_values(measure)[query]
        for run in (rows[1], other[1])
    ]
    assert [both.first.value, both.second.value] == [None if math.isnan(v) else v for v in values]
    if both.difference is not None:
        assert both.difference == values[1] - values[0]
        assert math.isclose(math.fsum(both.rows["difference"]), both.difference, rel_tol=1e-9, abs_tol=1e-9)


@given(rows=tables, data=st.data())
def test_rows_are_in_the_order_in_which_they_were_evaluated(rows: Tables, data: Any) -> None:
    names = ("ties", "unjudged", "duplicates", "scores")
    drawn = {name: data.draw(st.sampled_from(values_of(name))) for name in names}
    assume(go_together(drawn))
    choices = Choices(**drawn)
    judgements, results = read_inputs(*rows)
    one = listed(of_query(judgements, "q1"), of_query(results, "q1"), choices)
    judged = one.rows.filter(pl.col("grade").is_not_null())
    assert one.lists.rank.tolist() == judged["rank"].to_list()
    assert one.lists.relevance.tolist() == judged["grade"].to_list()
    assert one.lists.ideal.relevance.tolist() == one.ideal["grade"].to_list()
    assert one.lists.retrieved.tolist() == [one.rows.height]
    assert one.rows["rank"].to_list() == list(range(1, one.rows.height + 1))
    scores = one.rows["score"].to_list()
    assert scores == sorted(scores, reverse=True)
    whole, _, _ = local.judged_lists(judgements, results, choices)
    assert len(whole.rank) >= len(one.lists.rank)


def test_gains_discounts_and_the_ideal_list_of_ndcg() -> None:
    """DCG: b at rank 2 with 1/log₂3, a at rank 3 with 2/log₂4; ideal: 3, 2, 1 at ranks 1, 2, 3."""
    explanation = rm.explain(QRELS, RUN, "nDCG@10", query="q1", ties="item-desc")
    b, a = 1 / math.log2(3), 2 / math.log2(4)
    ideal = 3 + 2 / math.log2(3) + 1 / math.log2(4)
    rows = explanation.rows
    assert rows["item"].to_list() == ["x", "b", "a", "y"]
    assert rows["grade"].to_list() == [None, 1, 2, None]
    assert rows["tied"].to_list() == ["1-2", "1-2", None, None]
    assert rows["term"].to_list() == [None, b, a, None]
    assert rows["running"].to_list() == [None, b, b + a, None]
    assert explanation.numerator == pytest.approx(b + a)
    assert explanation.denominator == pytest.approx(ideal)
    assert rows["contribution"].drop_nulls().to_list() == pytest.approx([b / ideal, a / ideal])
    assert explanation.ideal["item"].to_list() == ["z", "a", "b", "k"]
    assert explanation.ideal["found"].to_list() == [None, 3, 2, None]
    assert explanation.ideal["term"].to_list() == pytest.approx([3, 2 / math.log2(3), 0.5, 0])


def test_precision_at_each_hit_of_ap() -> None:
    explanation = rm.explain(QRELS, RUN, "AP", query="q1")
    assert explanation.rows["precision"].to_list() == [None, 1 / 2, 2 / 3, None]
    assert (explanation.numerator, explanation.denominator) == (pytest.approx(7 / 6), 3)
    assert explanation.ideal["term"].to_list() == [1, 1, 1, 0]


def test_chances_to_look_at_a_rank() -> None:
    """ERR: 1/rank · the chance that no item before satisfies; RBP: p^(i−1)."""
    err = rm.explain(QRELS, RUN, "ERR(max_grade=3)", query="q1")
    assert err.rows["gain"].drop_nulls().to_list() == [1 / 8, 3 / 8]
    assert err.rows["weight"].drop_nulls().to_list() == pytest.approx([1 / 2, 7 / 8 / 3])
    rbp = rm.explain(QRELS, RUN, "RBP(p=0.5)", query="q1")
    assert rbp.rows["weight"].drop_nulls().to_list() == [0.5, 0.25]


def test_looks_are_no_products_of_gains() -> None:
    """The expected number of items looked at is 1, though the only item gains nothing."""
    looks = rm.explain({"q": {"a": -1}}, {"q": ["a"]}, "NearlyERR(value=ED)@1", query="q")
    assert looks.value == 1
    assert "weight" not in looks.rows.columns


def test_items_count_what_they_add_where_a_value_is_no_sum() -> None:
    """ListAUC starts at 1/2; b and a stand before k, so each turns half a pair of three into a whole one."""
    explanation = rm.explain(QRELS, RUN, "ListAUC", query="q1")
    assert explanation.start == 0.5
    assert explanation.rows["contribution"].drop_nulls().to_list() == pytest.approx([1 / 6, 1 / 6])


def test_what_moved_between_two_runs() -> None:
    both = rm.explain(QRELS, RUN, "P@2", query="q1", other=OTHER)
    moved = both.rows.select("item", "rank_a", "rank_b", "difference").rows()
    assert moved[:2] == [("a", 3, 1, 0.5), ("b", 2, 3, -0.5)]
    assert {(item, difference) for item, _, _, difference in moved[2:]} == {("x", 0), ("y", 0), ("k", 0)}
    assert both.difference == 0.0
    assert "B − A +0.0000" in str(both)


def test_what_is_said_beneath() -> None:
    nothing = rm.explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "AP", query="q", no_relevant="one")
    assert (nothing.value, nothing.notes) == (1.0, ("nothing is relevant: counted as 1",))
    absent = rm.explain(QRELS, {"q2": {"a": 1.0}}, "AP", query="q1")
    assert (absent.value, absent.notes) == (0.0, ("no results for this query: an empty list",))
    absent = rm.explain(QRELS, {"q2": {"a": 1.0}}, "AP", query="q1", missing="skip")
    assert (absent.value, absent.notes) == (None, ("no results for this query: left out",))
    condensed = rm.explain(QRELS, RUN, "AP", query="q1", unjudged="ignore")
    assert condensed.notes == ("2 items without a judgement taken out of the list",)
    assert condensed.rows["item"].to_list() == ["b", "a"]


def test_ideal_lists_of_other_items_have_no_items() -> None:
    for measure in ("nDCG(ideal=[3,3,2])", "nDCG(gain={1:5,2:1,3:1})"):
        explanation = rm.explain(QRELS, RUN, measure, query="q1")
        assert explanation.ideal["item"].null_count() == explanation.ideal.height
        assert math.fsum(explanation.ideal["term"]) == pytest.approx(explanation.denominator)


def test_long_lists_are_shortened_around_what_counts() -> None:
    run = {"q": [f"d{i}" for i in range(200)]}
    explanation = rm.explain({"q": {"d150": 1, "d0": 1}}, run, "AP", query="q")
    lines = str(explanation).splitlines()
    assert len(lines) < 30
    assert any(line.split()[:2] == ["151", "d150"] for line in lines)
    assert [" ".join(line.split()) for line in lines if "…" in line] == ["… 145 items", "… 49 items"]
    assert "…" not in explanation.format(all_rows=True)
    assert explanation.format("csv").count("\n") == 201


def test_integer_queries_may_be_written_as_text() -> None:
    for query in (7, "7"):
        assert rm.explain({7: {1: 1}}, {7: {1: 1.0}}, "AP", query=query).query == 7


def test_json_has_everything() -> None:
    record = json.loads(rm.explain(QRELS, RUN, "nDCG@10", query="q1").format("json"))
    assert record["signature"].startswith("nDCG@10|")
    assert record["rows"][1]["item"] == "b"
    assert record["value"] == pytest.approx(record["numerator"] / record["denominator"])
    infinite = {"q": {"a": math.inf, "b": 1.0}}
    assert (
        json.loads(rm.explain({"q": {"b": 1}}, infinite, "AP", query="q").format("json"))["rows"][0]["score"]
        is None
    )
    both = json.loads(rm.explain(QRELS, RUN, "AP", query="q1", other=OTHER).format("json"))
    assert both["b"]["value"] - both["a"]["value"] == pytest.approx(both["difference"])


def test_markdown() -> None:
    text = rm.explain({"q": {"a_b": 1}}, {"q": ["a_b"]}, "AP", query="q").format("markdown")
    assert r"| 1 | a\_b |" in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "q11"}, "no judgements of query 'q11'; did you mean 'q1'?"),
        ({"query": "zzz"}, "no judgements of query 'zzz'; its queries are such as 'q1'"),
        ({"measure": "nDGC"}, "did you mean 'nDCG'"),
        ({"measure": "AP RR"}, "one measure is explained at a time, not 2"),
        ({"ties": "best-first"}, "ties='best-first' is not one of"),
        ({"measure": "ERR", "ties": "expected"}, "no closed form"),
    ],
)
def test_what_cannot_be_explained(arguments: dict[str, Any], message: str) -> None:
    given = {"measure": "AP", "query": "q1", **arguments}
    with pytest.raises(rm.UsageError, match=re.escape(message)):
        rm.explain(QRELS, RUN, **given)
    with pytest.raises(rm.ChoiceError, match="format='trec' is not one of table, json, csv, markdown, latex"):
        rm.explain(QRELS, RUN, "AP", query="q1").format("trec")


TWICE = pl.DataFrame({"query": ["q1", "q2", "q1", "q2"], "item": list("abxb"), "score": [3.0, 2.0, 1.0, 0.0]})


def test_other_queries_results_are_not_looked_at() -> None:
    with pytest.raises(rm.DataError, match="'q2'"):
        rm.evaluate(QRELS, TWICE, "AP")
    explained = rm.explain(QRELS, TWICE, "AP", query="q1")
    assert explained.value == rm.evaluate(QRELS, TWICE[::2], "AP").query_values("AP")[0]


def test_what_is_wrong_with_the_query_is_refused_with_its_rows_in_the_table() -> None:
    with pytest.raises(rm.DataError, match=r"item 'b' of query 'q2' in row 3, already in row 1 "):
        rm.explain(QRELS, TWICE, "AP", query="q2")


@pytest.mark.parametrize("query", ["q1", "q2", "q3"])
@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"missing": "error"}, r"run has no results for 1 query \('q2'\)"),
        ({"unjudged_queries": "error"}, "the first is query 'q3' in row 1 "),
        ({"no_relevant": "error", "missing": "skip"}, r"nothing is relevant in 1 query \('q4'\)"),
    ],
)
def test_what_is_to_be_refused_of_any_query_is_looked_for_in_all(
    query: str, choices: dict[str, str], said: str
) -> None:
    judged = {"q1": {"a": 1}, "q2": {"a": 1}, "q4": {"a": 0}}
    run = {"q1": {"a": 2.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}}
    with pytest.raises(rm.DataError, match=said):
        rm.explain(judged, run, "AP", query=query, **choices)


@pytest.mark.parametrize("kind", [pl.Categorical(), pl.Enum(["q1", "q2"])])
def test_categories_are_the_texts_that_they_stand_for(kind: Any) -> None:
    qrels, run = ({"query": ["q1", "q1", "q2"], "item": list("abb")} for _ in range(2))
    judged, found = pl.DataFrame(qrels), pl.DataFrame(run | {"score": [1.0, 2.0, 1.0]})
    as_texts = str(rm.explain(judged, found, "AP", query="q1"))
    for pair in itertools.product(*((each, each.cast({"query": kind})) for each in (judged, found))):
        for unjudged in ("nonrelevant", "ignore"):
            assert str(rm.explain(*pair, "AP", query="q1", unjudged=unjudged)) == as_texts


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    qrels, run, other = (tmp_path / name for name in ("qrels.txt", "a.run", "b.run"))
    qrels.write_text("1 0 a 2\n1 0 b 1\n")
    run.write_text("1 Q0 b 1 3 r\n1 Q0 a 2 2 r\n")
    other.write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n")

    def call(*args: object) -> tuple[int, str, str]:
        return main(["explain", str(qrels), *map(str, args)]), *capfd.readouterr()

    code, out, err = call(run, "-m", "nDCG@10", "--query", 1)
    assert (code, err) == (0, "")
    assert out.startswith("nDCG@10 of query '1' in run ")
    assert "DCG 2.2619 / ideal DCG 2.6309 = 0.8597" in out
    code, out, err = call(run, other, "-m", "nDCG@10", "--query", 1, "--digits", 2)
    assert "differences +0.14 = B − A +0.14 (to rounding)" in out
    code, out, err = call(run, "-m", "AP", "--query", 1, "--format", "csv", "--all")
    assert out.splitlines()[1] == "1,b,3.0,,1.0,true,1.0,1.0,0.5"
    saved = tmp_path / "out.json"
    assert call(run, "-m", "AP", "--query", 1, "-o", saved)[0] == 0
    assert json.loads(saved.read_text())["measure"] == "AP"
    code, out, err = call(run, "-m", "AP", "--query", 2)
    assert (code, out) == (2, "")
    assert "has no judgements of query '2'" in err
    assert call(run, "-m", "AP", "--query", 1, "--format", "trec")[0] == 2
    code, out, err = call(run, "-m", "AP", "--query", 1, "--format", "latex")
    assert (code, err) == (0, "")
    assert out.startswith("% AP of query '1' in run ")
    assert r" & b & 3 & 1 & yes & 1.0000 & 1.0000 & 0.5000 \\" in out
    assert "would overwrite the input" in call(run, "-m", "AP", "--query", 1, "-o", run, "--format", "csv")[2]


def test_a_real_list(data_file: Callable[[str], str]) -> None:
    qrels, run = data_file("trec_eval/qrels.test"), data_file("trec_eval/results.test")
    result = rm.evaluate(qrels, run, ["nDCG@100", "AP", "Bpref", "infAP"])
    for measure in result:
        for query, value in zip(result.query_ids, result.query_values(measure).tolist(), strict=True):
            explanation = rm.explain(qrels, run, measure, query=query)
            assert explanation.value == value
            assert sums_up(explanation)


def test_a_list_that_is_left_out_for_its_few_items_is_told_of() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a"]}
    told = rm.explain(qrels, run, "P@5", query="q", short_lists="skip")
    assert told.value is None
    assert told.notes == ("1 item in the list, fewer than 5: left out",)
    assert rm.explain(qrels, run, "P@5", query="q").notes == ()
    assert rm.explain(qrels, run, "P@1", query="q", short_lists="skip").notes == ()
