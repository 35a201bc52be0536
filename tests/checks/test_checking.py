"""Every finding on data made for it, and none on data without fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.checks import lists
from rankmark.checks.finding import CODES, NEEDED
from rankmark.cli import main

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}}
RUN = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"d": 2.0, "e": 1.0}}
MEASURES = "nDCG@2 RR"


def found(code: str, qrels: Any, *runs: Any, measures: Any = MEASURES, **options: Any) -> rm.results.Finding:
    """The one finding of this code."""
    (finding,) = rm.check(qrels, *runs, measures=measures, **options)[code]
    return finding


def codes(qrels: Any, *runs: Any, measures: Any = MEASURES, **options: Any) -> list[str]:
    return [finding.code for finding in rm.check(qrels, *runs, measures=measures, **options).findings]


def otherwise(finding: rm.results.Finding) -> dict[str, tuple[float | None, dict[str, float]]]:
    return {effect.measure: (effect.as_is, dict(effect.otherwise)) for effect in finding.effects}


def table(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


def test_data_without_fault_give_no_finding() -> None:
    report = rm.check(QRELS, RUN, measures=MEASURES)
    assert report.findings == ()
    assert report.no_sign_of == tuple(code for code in CODES if {*NEEDED.get(code, ())} <= {"qrels"})
    whole = rm.check(QRELS, RUN, items=[*"abcdez"], train={"q1": ["z"], "q2": ["z"]}, measures=MEASURES)
    assert (whole.findings, whole.no_sign_of) == ((), tuple(CODES))


def test_nulls_are_counted_by_row_and_left_out() -> None:
    run = table(query=["q1", None, "q1"], item=["a", "b", None], score=[1.0, 2.0, None])
    finding = found("null", {"q1": {"a": 1}}, run)
    assert (finding.severity, finding.where, finding.count) == ("serious", "run", 2)
    assert finding.statement == "a null in 2 of 3 rows"
    assert finding.examples[0] == {"row": 1, "query": None, "item": "b", "score": 2.0}
    assert otherwise(finding)["RR"] == (None, {"without": 1.0})
    with pytest.raises(rm.DataError):
        rm.evaluate({"q1": {"a": 1}}, run, "RR")


def test_nan_is_found_in_scores_and_in_grades() -> None:
    run = [("q1", "x", float("nan")), ("q1", "a", 1.0)]
    finding = found("nan", {"q1": {"a": 1}}, run)
    assert (finding.severity, finding.count) == ("serious", 1)
    assert otherwise(finding)["RR"] == (None, {"without": 1.0})
    finding = found("nan", [("q1", "a", 1.0), ("q1", "b", float("nan"))], {"q1": {"a": 1.0}})
    assert (finding.where, finding.statement) == ("qrels", "NaN in 1 of 2 rows")


@pytest.mark.parametrize("line", ["q1 Q0 x 1 NaN tag", "q1 x nan"])
def test_nan_is_found_in_trec_text_which_is_otherwise_not_read(line: Any, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(
        f"# a comment\n\n{line}\n{line.replace('x', 'a').lower().replace('nan', '2')}\n"
    )
    with pytest.raises(rm.FormatError):
        rm.read_run(tmp_path / "a.run")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    finding = found("nan", tmp_path / "qrels.txt", tmp_path / "a.run")
    assert (finding.where, finding.examples[0]["item"]) == (f"run {str(tmp_path / 'a.run')!r}", "x")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b nan\n")
    assert len(rm.check(tmp_path / "qrels.txt", tmp_path / "a.run")["nan"]) == 2


@pytest.mark.parametrize(
    "text", ["q1 x nan\nq1 y zwei\n", "q1 x nan\nq1 y\n", "q1 x nan tag\n", "q1 \xff nan\n"]
)
def test_what_else_is_wrong_with_trec_text_is_an_error(text: Any, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(text.encode("latin-1"))
    with pytest.raises(rm.FormatError, match=re.escape("a.run")):
        rm.check(QRELS, tmp_path / "a.run")


def test_infinite_grades_are_refused_and_infinite_scores_are_not() -> None:
    finding = found("infinite", [("q1", "a", 1.0), ("q1", "b", float("inf"))], {"q1": {"a": 1.0}})
    assert (finding.severity, finding.where, finding.count) == ("serious", "qrels", 1)
    run = {"q1": {"a": float("inf"), "b": 1.0, "c": float("-inf")}}
    finding = found("infinite", {"q1": {"a": 1}}, run)
    assert finding.severity == "worth knowing"
    assert finding.statement == "2 of 3 scores are infinite (1 of them negative)"


def test_a_table_of_which_no_row_can_be_used_is_an_error() -> None:
    with pytest.raises(rm.DataError, match="run: there is a null, NaN or an infinite grade in every row"):
        rm.check({"q1": {"a": 1}}, [("q1", "a", float("nan"))])


def test_items_returned_twice() -> None:
    run = [("q1", "x", 3.0), ("q1", "a", 2.0), ("q1", "a", 4.0), ("q1", "a", 1.0)]
    finding = found("duplicate-results", {"q1": {"a": 1}}, run)
    assert (finding.severity, finding.count) == ("serious", 2)
    assert finding.statement == "2 results of an item that its list has already, in 1 query"
    assert finding.examples[0] == {"row": 2, "query": "q1", "item": "a", "score": 4.0}
    assert otherwise(finding)["RR"] == (None, {"duplicates=first": 0.5, "duplicates=best": 1.0})


def test_items_returned_twice_where_nothing_is_judged_change_nothing() -> None:
    run = [("q1", "a", 1.0), ("q2", "a", 2.0), ("q2", "a", 1.0)]
    finding = found("duplicate-results", {"q1": {"a": 1}}, run)
    assert (finding.severity, finding.effects) == ("fine", ())
    assert rm.evaluate({"q1": {"a": 1}}, run, "RR")["RR"] == 1.0


def test_items_judged_twice() -> None:
    qrels = [("q1", "a", 0), ("q1", "b", 1), ("q1", "a", 1), ("q1", "b", 1)]
    finding = found("duplicate-judgements", qrels, {"q1": {"a": 2.0, "b": 1.0}})
    assert (finding.severity, finding.count) == ("serious", 2)
    assert finding.statement == (
        "2 judgements of an item that its query has already, in 1 query; 1 item has grades that differ"
    )
    assert otherwise(finding)["RR"] == (None, {"duplicates=first": 0.5, "duplicates=best": 1.0})


@pytest.mark.parametrize("column", ["iter", "subtopic", "aspect_weight", "stratum", "probability"])
def test_items_judged_twice_beside_what_may_be_aspects(column: str) -> None:
    qrels = pl.DataFrame({"query": ["q", "q"], "item": ["a", "a"], "relevance": [1, 1], column: [0, 1]})
    assert found("duplicate-judgements", qrels, {"q": {"a": 1.0}}).count == 1


def test_negative_grades() -> None:
    finding = found(
        "negative-grades", {"q1": {"a": 1, "b": -2, "c": -1}}, {"q1": {"a": 1.0}}, measures="Judged@1"
    )
    assert (finding.severity, finding.count) == ("worth knowing", 2)
    assert finding.statement == "2 of 3 grades below 0, from -2 to -1"
    finding = found(
        "negative-grades", {"q1": {"a": 1, "b": -1}}, {"q1": ["b", "a"]}, measures="Unjudged@2 RR"
    )
    assert otherwise(finding) == {"Unjudged@2": (0.5, {"as grade 0": 0.0})}


def test_fractional_grades_as_other_tools_take_them() -> None:
    # trec_eval makes 0.9 to 0 and 2.7 to 2.
    finding = found("fractional-grades", {"q1": {"a": 0.9, "b": 2.7}}, {"q1": ["a", "b"]}, measures="CG@2")
    assert (finding.severity, finding.count) == ("worth knowing", 2)
    assert finding.statement == "all 2 grades not whole, from 0.9 to 2.7"
    (effect,) = finding.effects
    assert effect.as_is == pytest.approx(3.6)
    assert effect.otherwise == {"cut off": 2.0}


def test_queries_without_a_relevant_item() -> None:
    finding = found("no-relevant", {"q1": {"a": 1}, "q2": {"b": 0}}, {"q1": ["a"], "q2": ["b"]})
    assert (finding.severity, finding.count) == ("worth knowing", 1)
    assert finding.examples == ({"query": "q2", "highest": 0.0},)
    assert otherwise(finding)["RR"] == (0.5, {"no_relevant=skip": 1.0})


def test_ids_of_different_types_are_compared_as_text() -> None:
    qrels = table(query=[1, 2], item=["a", "b"])
    run = table(query=["1", "x"], item=["a", "b"], score=[1.0, 1.0])
    finding = found("id-types", qrels, run)
    assert (finding.severity, finding.count) == ("serious", 2)
    assert finding.statement == (
        "the query ids are integers in qrels, text in run; as text the run has 1 of 2 judged queries"
    )
    assert finding.examples == ({"qrels": 1, "run": "1"},)
    assert otherwise(finding)["RR"] == (None, {"as text": 0.5})
    with pytest.raises(rm.IdTypeError):
        rm.evaluate(qrels, run, "RR")


def test_text_that_evaluate_takes_as_integers_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 07 1\n")
    run = table(query=[1], item=[7], score=[1.0])
    assert codes(tmp_path / "qrels.txt", run, measures="RR") == []
    (tmp_path / "qrels.txt").write_text("1 0 d7 1\n")
    assert found("id-types", tmp_path / "qrels.txt", run).examples == ({"qrels": "d7", "run": 7},)


@pytest.mark.parametrize(
    ("judged", "returned", "reason"),
    [
        ("D1", "d1", "case 1"),
        ("d1 ", "d1", "white space 1"),
        ("007", "7", "leading zeros 1"),
        ("7", "7.0", "decimals 1"),
        (" D1", "d1", "several differences at once"),
    ],
)
def test_ids_that_differ_only_in_how_they_are_written(judged: Any, returned: Any, reason: Any) -> None:
    finding = found("id-spelling", {"q1": {judged: 1, "b": 1}}, {"q1": [returned, "x"]}, measures="R@2")
    assert (finding.severity, finding.count) == ("serious", 1)
    assert (
        f"1 of 2 judged items that the run does not have would be there if written in one way ({reason})"
        in (finding.statement)
    )
    assert finding.examples == ({"qrels": judged, "run": returned},)
    assert otherwise(finding)["R@2"] == (0.0, {"written alike": 0.5})


def test_queries_written_differently_are_found_where_evaluate_finds_none() -> None:
    finding = found("id-spelling", {"Q1": {"a": 1}}, {"q1": ["a"]})
    assert otherwise(finding)["RR"] == (None, {"written alike": 1.0})
    missing = found("missing-queries", {"Q1": {"a": 1}}, {"q1": ["a"]})
    assert (missing.severity, missing.note) == (
        "serious",
        "evaluate refuses a run that answers no judged query",
    )


def test_a_few_ids_written_differently_may_be_other_ids() -> None:
    qrels = {"q1": dict.fromkeys([f"d{i}" for i in range(200)] + ["X"], 1)}
    run = {"q1": [*(f"d{i}" for i in range(200)), "x"]}
    assert found("id-spelling", qrels, run).severity == "worth knowing"


@pytest.mark.parametrize(("judged", "severity"), [(3, "worth knowing"), (2, "serious")])
def test_judged_queries_without_results(judged: Any, severity: Any) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(judged)}
    finding = found("missing-queries", qrels, {f"q{i}": ["a"] for i in range(judged - 1)})
    assert (finding.severity, finding.count) == (severity, 1)
    assert finding.examples == ({"query": f"q{judged - 1}"},)
    assert otherwise(finding)["RR"] == (pytest.approx((judged - 1) / judged), {"missing=skip": 1.0})


def test_queries_with_results_that_are_not_judged() -> None:
    finding = found("unjudged-queries", {"q1": {"a": 1}}, {"q1": ["a"], "q2": ["a"], "q3": ["a"]})
    assert (finding.severity, finding.count, finding.effects) == ("fine", 2, ())
    assert finding.statement == "2 of 3 queries of the run without judgements"


def test_judged_items_that_no_run_returns() -> None:
    qrels = {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"b": 1}}
    finding = found("never-returned", qrels, {"q1": ["a"], "q2": ["x"]})
    assert (finding.severity, finding.count) == ("worth knowing", 2)
    assert (
        finding.statement
        == "2 of 3 judged items not returned for any query by the run, 1 of them relevant to some"
    )
    assert finding.note == "out of reach for the run: 2 of 3 relevant judgements"
    both = found("never-returned", qrels, {"q1": ["a"], "q2": ["x"]}, {"q1": ["a"], "q2": ["b"]})
    assert (both.severity, both.count) == ("fine", 1)
    assert both.examples == ({"item": "c"},)
    assert found("never-returned", [(1, 7, 1), (1, 8, 1)], [(1, 7, 1.0)]).examples == ({"item": 8},)


def test_equal_scores_that_decide_a_value() -> None:
    run = {"q1": {"a": 1.0, "x": 1.0}, "q2": {"b": 2.0, "y": 1.0, "z": 1.0}}
    finding = found("ties", {"q1": {"a": 1}, "q2": {"b": 1}}, run, measures="RR P@2")
    assert (finding.severity, finding.count) == ("serious", 1)
    assert finding.examples == ({"query": "q1"},)
    assert otherwise(finding) == {"RR": (0.75, {"ties=worst": 0.75, "ties=best": 1.0})}


def test_equal_scores_that_hardly_decide_anything() -> None:
    queries = [f"q{i}" for i in range(50)]
    run = {query: {"a": 2.0, "x": 1.0} for query in queries} | {"q0": {"a": 1.0, "x": 1.0}}
    assert found("ties", {query: {"a": 1} for query in queries}, run).severity == "worth knowing"


LISTS = st.dictionaries(st.sampled_from("pqr"), st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2)))


@given(
    qrels=LISTS.filter(lambda lists: any(lists.values())),
    run=LISTS.filter(lambda lists: any(lists.values())),
    measures=st.lists(st.sampled_from(["nDCG@2", "AP", "RR", "P@2", "BPM", "bpref", "HR@1"]), min_size=1),
)
def test_other_orders_are_evaluated_where_they_can_decide(qrels: Any, run: Any, measures: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        report = rm.check(qrels, run, measures=measures).to_json()
        patch.setattr(lists, "_decides_nothing", lambda _: False)
        assert rm.check(qrels, run, measures=measures).to_json() == report


@pytest.mark.parametrize(("others", "severity"), [(1, "serious"), (3, "worth knowing")])
def test_lists_in_which_all_scores_are_equal(others: Any, severity: Any) -> None:
    lists = {f"q{i}": {"a": 2.0, "x": 1.0} for i in range(others)}
    run = {"q": {"a": 0.5, "x": 0.5}, "one": {"a": 0.5}, **lists}
    finding = found("constant-scores", {"q": {"a": 1}}, run)
    assert (finding.severity, finding.count) == (severity, 1)
    assert finding.examples == ({"query": "q", "items": 2, "score": 0.5},)


def test_lists_shorter_than_the_cutoff() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    run = {"q1": ["a", "x"], "q2": ["x", "y", "c"]}
    finding = found("short-lists", qrels, run, measures="P@1 P@3")
    assert (finding.severity, finding.count) == ("worth knowing", 1)
    assert finding.statement == (
        "1 of 2 lists of fewer than 3 items, down to 2; 1 of them without some relevant item"
    )
    assert found("short-lists", {"q1": {"a": 1}}, {"q1": ["a"]}, measures="P@3").severity == "fine"


def test_the_share_of_unjudged_results_at_each_cutoff() -> None:
    finding = found("unjudged-results", {"q1": {"a": 1}}, {"q1": ["x", "a", "y", "z"]}, measures="P@1 P@2 RR")
    assert (finding.severity, finding.count) == ("worth knowing", 1)
    assert finding.statement == (
        "unjudged results in the lists of the 1 query: "
        "on average 100.0% of the first 1, 50.0% of the first 2, 75.0% of all"
    )
    assert otherwise(finding)["RR"] == (0.5, {"unjudged=ignore": 1.0})


def test_a_small_share_is_not_shown_as_none() -> None:
    items = [f"d{number}" for number in range(2000)]
    finding = found("unjudged-results", {"q1": dict.fromkeys(items[1:], 1)}, {"q1": items}, measures="RR")
    assert finding.statement.endswith("on average <0.1% of all")
    finding = found("unjudged-results", {"q1": {"d7": 1}}, {"q1": items}, measures="RR")
    assert finding.statement.endswith("on average >99.9% of all")


def test_distances_given_as_scores() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(9)}
    run = {query: {"x": 0.9, "a": 0.1} for query in qrels}
    finding = found("scores-reversed", qrels, run, measures="RR")
    assert (finding.severity, finding.count) == ("serious", 9)
    assert finding.statement == "in 9 of 9 lists the relevant items stand below the others"
    assert otherwise(finding) == {"RR": (0.5, {"turned round": 1.0})}
    fewer = dict(list(qrels.items())[:8])
    assert rm.check(fewer, run, measures="RR")["scores-reversed"] == ()


def test_ranks_given_as_scores() -> None:
    finding = found("scores-like-ranks", {"q1": {"i0": 1}}, {"q1": {f"i{i}": i + 1.0 for i in range(6)}})
    assert (finding.severity, finding.count) == ("serious", 1)
    assert finding.statement == "the scores of the 1 list are 1, 2, 3 …, as ranks are"
    assert otherwise(finding)["RR"] == (pytest.approx(1 / 6), {"turned round": 1.0})


def test_points_from_the_highest_down_and_ranks_said_to_be_ranks_are_no_finding() -> None:
    points = {"q1": {f"i{i}": 6.0 - i for i in range(6)}}
    ranks = table(query=["q1"] * 6, item=[f"i{i}" for i in range(6)], rank=range(1, 7))
    for run in (points, ranks):
        assert not {"scores-like-ranks", "scores-reversed"} & {*codes({"q1": {"i0": 1}}, run)}


def test_training_data_among_results_and_judgements() -> None:
    qrels = {"q1": {"a": 1, "t": 1}}
    report = rm.check(qrels, {"q1": ["s", "a", "t"]}, train={"q1": ["t", "s"], "q2": ["a"]}, measures="RR")
    (results,), (judged,) = report["train-in-results"], report["train-in-qrels"]
    assert (results.severity, results.count) == ("worth knowing", 2)
    assert results.statement == "2 of 3 results in the training data, in 1 query"
    assert otherwise(results) == {"RR": (0.5, {"without": 1.0})}
    assert (judged.severity, judged.count) == ("serious", 1)
    assert judged.examples == ({"query": "q1", "item": "t", "relevance": 1.0},)


def test_training_data_with_ids_of_another_type() -> None:
    train = table(user=[1], item=[7], rating=[5.0])
    finding = found("train-in-results", {"1": {"8": 1}}, {"1": ["7", "8"]}, train=train)
    assert finding.count == 1


def test_what_is_wrong_with_the_training_data_is_said_of_it() -> None:
    with pytest.raises(
        rm.ColumnError, match="the training data, read as judgements are: qrels has no column"
    ):
        rm.check(QRELS, RUN, train=table(query=["q1"], price=[1.0]))


def test_several_runs_are_told_apart() -> None:
    report = rm.check(QRELS, RUN, {"q1": ["a"], "q2": ["d"]}, names=["bm25", "dense"], measures="P@2")
    assert list(report.tables) == ["qrels", "bm25", "dense"]
    assert {finding.where for finding in report["short-lists"]} == {"dense"}
    barren = found("no-relevant", QRELS | {"q3": {"z": 0}}, RUN, {"q1": ["a"]}, names=["bm25", "dense"])
    assert (barren.where, barren.note.rpartition("; ")[2]) == ("qrels", "the values are those of bm25")
    assert list(rm.check(QRELS, RUN, RUN, measures="RR").tables) == ["qrels", "run 1", "run 2"]


@pytest.mark.parametrize("names", [["a"], ["a", "a"], ["a", "qrels"]])
def test_runs_need_names_of_their_own(names: Any) -> None:
    with pytest.raises(rm.UsageError, match="each of the 2 runs needs a name of its own"):
        rm.check(QRELS, RUN, RUN, names=names)


def test_usage_mistakes() -> None:
    with pytest.raises(rm.UsageError, match="there is no run to check"):
        rm.check(QRELS)
    with pytest.raises(rm.MeasureError, match="did you mean"):
        rm.check(QRELS, RUN, measures="nDGC")
    with pytest.raises(rm.MeasureError, match="no measure asked for"):
        rm.check(QRELS, RUN, measures=[])
    with pytest.raises(rm.ColumnError, match="neither qrels nor run has a column 'who'"):
        rm.check(
            table(query=["q"], item=["a"]),
            table(query=["q"], item=["a"], score=[1.0]),
            columns={"query": "who"},
        )
    with pytest.raises(rm.UsageError, match="no finding is called 'tie'; did you mean 'ties'"):
        rm.check(QRELS, RUN)["tie"]


def test_inputs_are_not_changed() -> None:
    qrels = table(query=["q1", "q1"], item=["a", "a"], relevance=[1.5, -1.0])
    run = table(query=["Q1", "q1", "q1"], item=["a", "a", "a"], score=[1.0, 1.0, float("nan")])
    before = qrels.clone(), run.clone()
    rm.check(qrels, run)
    assert qrels.equals(before[0])
    assert run.equals(before[1], null_equal=True)


ids = st.sampled_from(["a", "b", "A", " a", "07", "7"])
numbers = st.sampled_from([1.0, 2.0, 0.5, -1.0, float("nan"), float("inf"), None])


def rows(value: str) -> st.SearchStrategy[pl.DataFrame]:
    columns = {"query": pl.String, "item": pl.String, value: pl.Float64}
    row = st.tuples(ids | st.none(), ids | st.none(), numbers)
    return st.lists(row, min_size=1, max_size=12).map(
        lambda table: pl.DataFrame(table, columns, orient="row")
    )


@given(rows("relevance"), rows("score"))
def test_what_is_refused_is_a_serious_finding_and_what_is_not_has_values(
    qrels: pl.DataFrame, run: pl.DataFrame
) -> None:
    try:
        result = rm.evaluate(qrels, run, MEASURES)
    except rm.DataError:
        result = None
    try:
        report = rm.check(qrels, run, measures=MEASURES)
    except rm.DataError:  # no row can be used, or a column is nothing but nulls
        assert result is None
        return
    refusals = {"null", "nan", "infinite", "duplicate-judgements", "duplicate-results", "missing-queries"}
    assert (result is None) <= bool(refusals & {finding.code for finding in report.serious})
    for finding in report.findings:
        assert finding.count > 0
        for effect in finding.effects:
            assert effect.as_is is None or result is None or effect.as_is == result[effect.measure]
    for name in ("table", "json", "markdown"):
        assert report.format(name).endswith("\n")


whole = st.tuples(st.sampled_from("pqrs"), st.sampled_from("abcd"), st.sampled_from([0.0, 1.0, 2.0]))


@given(st.lists(whole, min_size=1, max_size=14), st.lists(whole, min_size=1, max_size=14))
def test_counts_are_those_of_plain_python(qrels: list[Any], run: list[Any]) -> None:
    judged, returned = ({query for query, *_ in rows} for rows in (qrels, run))
    pairs = {(query, item) for query, item, _ in run}
    scores = {query: [score for other, _, score in run if other == query] for query in returned}
    several = {query: values for query, values in scores.items() if len(values) > 1}
    relevant = {query for query, _, grade in qrels if grade >= 1}
    expected = {
        "duplicate-judgements": len(qrels) - len({(query, item) for query, item, _ in qrels}),
        "duplicate-results": len(run) - len(pairs),
        "missing-queries": len(judged - returned),
        "unjudged-queries": len(returned - judged),
        "constant-scores": sum(len(set(values)) == 1 for values in several.values()),
        "no-relevant": len(judged - relevant),
        "never-returned": len({item for _, item, _ in qrels} - {item for _, item in pairs}),
        "train-in-qrels": sum((query, item) in pairs for query, item, _ in qrels),
        "train-in-results": len(run),
    }
    report = rm.check(qrels, run, train=[(query, item) for query, item in pairs], measures="RR")
    assert {code: sum(f.count for f in report[code]) for code in expected} == expected


def test_the_report_for_people() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    report = rm.check(qrels, {"q1": {"a": 1.0, "b": 1.0}, "q2": {"b": 0.5, "c": 0.25}}, measures="RR")
    assert str(report).splitlines() == [
        "qrels: 3 judgements of 3 queries and 3 items",
        "run: 4 results of 2 queries and 3 items",
        "",
        "serious: ties",
        "  run: equal scores decide values of 1 of 3 queries (query 'q1')",
        "  the order of equal scores is that of the item ids unless told otherwise",
        "  measure   as is  ties=worst  ties=best",
        "  -------  ------  ----------  ---------",
        "  RR       0.5000      0.5000     0.6667",
        "",
        "serious: constant-scores",
        "  run: 1 of 2 lists of several items with one and the same score (query 'q1',",
        "    items 2, score 1)",
        "  their order is that of the item ids, whatever the system thought",
        "",
        "worth knowing: missing-queries",
        "  run: 1 of 3 judged queries without results (query 'q3')",
        "  they count as 0 unless told otherwise",
        "  measure   as is  missing=skip",
        "  -------  ------  ------------",
        "  RR       0.5000        0.7500",
        "",
        "worth knowing: unjudged-results",
        "  run: unjudged results in the lists of 2 of 3 queries: on average 50.0% of all",
        "    (query 'q1'; query 'q2')",
        "  they count as not relevant unless told otherwise",
        "  measure   as is  unjudged=ignore",
        "  -------  ------  ---------------",
        "  RR       0.5000           0.6667",
        "",
        "no sign of null, nan, infinite, duplicate-judgements, duplicate-results,",
        "  negative-grades, fractional-grades, no-relevant, id-types, id-spelling,",
        "  unjudged-queries, never-returned, short-lists, unjudged-differs,",
        "  scores-like-ranks, scores-reversed",
    ]


def test_markdown_and_json() -> None:
    report = rm.check(
        {"q1": {"a_b": 1}, "q2": {"a_b": 1}, "q3": {"a_b": 1}}, {"q1": ["a_b"], "q2": ["a_b"]}, measures="RR"
    )
    assert report.format("markdown").splitlines()[3:8] == [
        "**worth knowing: missing-queries**\\",
        "run: 1 of 3 judged queries without results (query 'q3')\\",
        "they count as 0 unless told otherwise",
        "",
        "| measure |  as is | missing=skip |",
    ]
    record = json.loads(report.format("json"))
    assert record["tables"]["run"] == {"rows": 2, "queries": 2, "items": 1}
    assert record["findings"][0]["effects"] == [
        {"measure": "RR", "as_is": 2 / 3, "otherwise": {"missing=skip": 1.0}}
    ]
    assert record["no_sign_of"] == [
        code for code in CODES if code != "missing-queries" and {*NEEDED.get(code, ())} <= {"qrels"}
    ]
    with pytest.raises(rm.ChoiceError, match="format='cvs' is not one of table, json, markdown"):
        report.format("cvs")


def test_what_could_steer_a_terminal_is_not_printed() -> None:
    assert "\x1b" not in str(rm.check({"\x1b[2Jq": {"a": 1}, "q2": {"a": 1}}, {"q2": ["a"]}))


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs `rankmark check` in a folder with a small collection: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    Path("fine.run").write_text("q1 Q0 a 1 2.0 x\nq2 Q0 b 1 2.0 x\nq3 Q0 c 1 2.0 x\n")
    Path("twice.run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 a 2 1.0 x\nq2 Q0 b 1 1.0 x\nq3 Q0 c 1 2.0 x\n")
    Path("train.txt").write_text("q1 0 a 1\n")

    def call(*args: str) -> tuple[int, str, str]:
        code = main(["check", *args])
        return code, *capfd.readouterr()

    return call


def test_the_command_prints_the_report(run: Run) -> None:
    code, out, err = run("qrels.txt", "twice.run", "-m", "RR P@1")
    assert (code, err) == (0, "")
    assert "serious: duplicate-results\n  twice: 1 result of an item" in out
    assert "  measure  duplicates=first  duplicates=best\n" in out


def test_strict_fails_on_what_is_serious_alone(run: Run) -> None:
    assert run("qrels.txt", "fine.run", "--strict")[0] == 0
    code, out, err = run("qrels.txt", "twice.run", "--strict")
    assert (code, err) == (1, "")
    assert "duplicate-results" in out


def test_training_data_on_the_command_line(run: Run) -> None:
    code, out, _ = run("qrels.txt", "fine.run", "twice.run", "--train", "train.txt", "--format", "json")
    assert code == 0
    findings = json.loads(out)["findings"]
    assert [(f["code"], f["where"]) for f in findings if f["code"].startswith("train")] == [
        ("train-in-qrels", "qrels"),
        ("train-in-results", "fine"),
        ("train-in-results", "twice"),
    ]


def test_training_data_in_the_place_of_a_run_is_answered_with_the_option(run: Run) -> None:
    code, out, err = run("qrels.txt", "fine.run", "train.txt")
    assert (code, out) == (1, "")
    assert "train.txt" in err
    assert "training data is given by --train" in err


def test_the_report_is_written_to_a_file(run: Run) -> None:
    assert run("qrels.txt", "fine.run", "-o", "report.md") == (0, "", "")
    assert Path("report.md").read_text().startswith("qrels: 3 judgements of 3 queries and 3 items\\\n")
    code, _, err = run("qrels.txt", "fine.run", "-o", "report.csv")
    assert code == 2
    assert "--format csv is not one of table, json, markdown" in err
    code, _, err = run("qrels.txt", "fine.run", "--train", "train.txt", "-o", "train.txt")
    assert code == 2


def test_real_collections_give_a_report(data_file: Callable[[str], str]) -> None:
    report = rm.check(data_file("anserini_cacm/qrels.cacm.txt"), data_file("anserini_cacm/cacm-bm25.txt"))
    (unjudged,) = report["unjudged-queries"]
    assert unjudged.count == 12  # said in the collection's README
    assert not re.search("duplicate|null|nan", repr(report))


def test_a_report_is_true_where_nothing_serious_was_found() -> None:
    assert rm.check({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    ranks = {f"q{i}": {f"d{j}": float(j + 1) for j in range(10)} for i in range(10)}
    report = rm.check({query: {"d0": 1} for query in ranks}, ranks)
    assert report.serious
    assert not report


def test_that_no_judged_item_is_returned_is_serious() -> None:
    (finding,) = rm.check({"q": {"CACM-1": 1}}, {"q": {"1": 2.0}})["never-returned"]
    assert finding.severity == "serious"


ITEMS = {
    "a": {"category": "toys", "price": 1.5},
    "b": {"category": None, "price": 2.0},
    "c": {"category": "books", "price": None},
    "d": {"category": "books", "price": 2.0},
}


def test_results_that_the_table_of_items_lacks_are_found() -> None:
    run = {"u1": ["a", "x", "b"], "u2": ["c"]}
    finding = found("results-not-in-items", {"u1": {"b": 1}}, run, items=ITEMS, measures="RR Coverage@2")
    assert (finding.severity, finding.where, finding.count) == ("serious", "run", 1)
    assert finding.statement == "1 of 4 results of 1 item that the table of items lacks"
    assert finding.examples[0]["item"] == "x"
    assert otherwise(finding) == {"RR": (1 / 3, {"without": 0.5}), "Coverage@2": (None, {"without": 0.5})}
    with pytest.raises(rm.DataError):
        rm.evaluate({"u1": {"b": 1}}, run, "Coverage@2", items=ITEMS)
    known = rm.catalogue(ITEMS, closed=False)
    finding = found("results-not-in-items", {"u1": {"b": 1}}, run, items=known, measures="RR")
    assert finding.severity == "worth knowing"


def test_relevant_items_and_interactions_that_the_table_of_items_lacks_are_found() -> None:
    qrels, train = {"u1": {"b": 1, "z": 1}}, {"u1": ["y"], "u2": ["a", "d"]}
    report = rm.check(qrels, {"u1": ["a", "b"]}, items=ITEMS, train=train, measures="R Novelty@1")
    (lost,) = report["judged-not-in-items"]
    assert lost.statement == "1 of 2 relevant judgements of 1 item that the table of items lacks"
    assert otherwise(lost) == {"R": (0.5, {"without": 1.0})}
    (strange,) = report["train-not-in-items"]
    assert strange.statement == "1 of 3 interactions with 1 item that the table of items lacks"
    assert otherwise(strange) == {"Novelty@1": (1.0, {"without": 0.0})}  # a: one of two users, then of one


def test_users_without_training_data_are_found() -> None:
    run, train = {"u1": ["a", "b"], "u9": ["d", "c"]}, {"u1": ["a"], "u2": ["a", "b"]}
    finding = found("users-not-in-train", {"u1": {"a": 1}, "u9": {"c": 1}}, run, train=train, measures="RR")
    assert finding.statement == "1 of 2 queries of which the training data have nothing"
    assert finding.examples == ({"query": "u9"},)
    assert otherwise(finding) == {"RR": (0.75, {"without": 1.0})}


def test_attributes_that_are_missing_are_serious_where_a_measure_looks_at_them() -> None:
    run = {"u1": ["a", "d"], "u2": ["b", "d"]}
    report = rm.check(None, run, items=ITEMS, measures="ILD(by=category)")
    serious, fine = report["missing-attributes"]
    assert (serious.severity, serious.statement) == ("serious", "1 of 4 items without 'category'")
    assert serious.examples == ({"item": "b"},)
    # Of u2 one item is left, which is as diverse as nothing.
    assert otherwise(serious)["ILD(by=category)"][0] is None
    assert (fine.severity, fine.examples) == ("fine", ({"item": "c"},))
    assert fine.statement == "1 of 4 items of which something is not known: 'price' 1"
    (told,) = rm.check({"u1": {"a": 1}}, run, items=ITEMS, measures="Skew(by=category,unknown=group)")[
        "missing-attributes"
    ][:1]
    assert told.severity == "worth knowing"


def test_runs_alone_are_checked_by_what_is_known_of_items() -> None:
    report = rm.check(None, {"u1": ["a", "b"]}, items=["a", "b"], train={"u1": ["a"]})
    assert [*report.tables] == ["run"]
    (had,) = report["train-in-results"]
    assert otherwise(had) == {"Coverage@10": (1.0, {"without": 0.5})}  # a costs its place, and b is as novel
    assert not {"ties", "never-returned", "judged-not-in-items"} & {*report.no_sign_of}
    with pytest.raises(rm.UsageError, match="without judgements"):
        rm.check(None, {"u1": ["a"]})
    with pytest.raises(rm.UsageError, match="train is given beside a catalogue"):
        rm.check(None, {"u1": ["a"]}, items=rm.catalogue(["a"], train={"u": ["a"]}), train={"u": ["a"]})


def test_ids_of_items_that_are_no_integers_are_compared_as_text() -> None:
    finding = found("results-not-in-items", {"u": {1: 1}}, {"u": [1, 2]}, items=["1", "x"], measures="RR")
    assert finding.count == 1
    assert finding.examples[0]["item"] == 2


def test_a_table_of_items_that_has_none_of_a_run_is_said() -> None:
    with pytest.raises(rm.DataError, match="has none of its items, such as 'a'; its own are such as 'i1'"):
        rm.check(None, {"u": ["a"]}, items=["i1"])


def test_the_command_checks_runs_by_items_and_train(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("query,item,score\nu1,a,2\nu1,x,1\n")
    (tmp_path / "items.csv").write_text("item\na\n")
    (tmp_path / "train.csv").write_text("query,item\nu1,a\n")
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("a", "items", "train")}
    given = ["--items", paths["items"], "--train", paths["train"]]
    assert main(["check", "--no-qrels", paths["a"], *given, "--strict"]) == 1
    told = capsys.readouterr().out
    assert "serious: results-not-in-items" in told
    assert "worth knowing: train-in-results" in told
    assert main(["check", "--no-qrels", paths["a"], *given, "--open-catalogue", "--strict"]) == 0


def test_a_run_with_many_more_unjudged_results_is_told() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1, "b": 1}}
    pooled, newer = {q: ["a", "b"] for q in qrels}, {"q": ["x", "a"], "r": ["y", "b"]}
    report = rm.check(qrels, pooled, newer, names=["old", "new"], measures="P@2")
    (finding,) = (each for each in report.findings if each.code == "unjudged-differs")
    assert (finding.where, finding.severity) == ("new", "worth knowing")
    assert finding.statement == "50.0% of the first 2 results are unjudged, of old 0.0%"
    assert "unjudged-differs" in rm.check(qrels, pooled, pooled, names=["a", "b"]).no_sign_of
