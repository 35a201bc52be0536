"""What equal scores can make of a value: its bounds, and the queries that they change."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.cli import main
from rankmark.language.choices import values_of
from rankmark.results.runs import Runs
from strategies import (
    HAS_A_BETTER,
    Tables,
    any_measures,
    at_most,
    every_measure,
    has_a_better,
    has_closed_form,
    tables,
    usable_measures,
)

# In q1 the best item is tied with an unjudged one, in q2 items of one grade are, in q3 two of other grades.
QRELS = {"q1": {"a": 2}, "q2": {"c": 1, "d": 1}, "q3": {"e": 2, "f": 1}, "q4": {"g": 1}}
RUN = {
    "q1": {"a": 1.0, "x": 1.0},
    "q2": {"c": 1.0, "d": 1.0},
    "q3": {"e": 1.0, "f": 1.0},
    "q4": {"g": 2.0, "x": 1.0},
}
fewer = settings(max_examples=at_most(10))  # of each measure; each example is evaluated in many orders

MEASURES = ["RR", "P@1", "nDCG", "R", "ERR(max_grade=2)"]


@pytest.fixture(scope="module")
def result() -> rm.results.ListResult:
    return rm.evaluate(QRELS, RUN, MEASURES, bounds=True)


def test_where_ties_decide_nothing_bounds_are_those_of_each_order() -> None:
    qrels = {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"d": 1}, "q3": {"e": 0}}
    run = {
        "q1": {"a": 2.0, "b": 2.0, "x": 1.0, "c": 1.0},
        "q2": {"y": 1.0, "z": 1.0, "d": 0.5},
        "q3": {"e": 1.0},
    }
    for measures in (MEASURES, [*MEASURES, "Judged@3", "Bpref"]):
        found = rm.evaluate(qrels, run, measures, bounds=True, no_relevant="skip")
        for rule in ("worst", "best"):
            values = rm.evaluate(qrels, run, measures, ties=rule, no_relevant="skip").values
            assert {m: getattr(found.bounds[m], rule) for m in values} == values


@pytest.mark.parametrize("scores", [2, 12, 10**6])
def test_the_mean_over_all_orders_is_that_of_this_order_where_no_judged_item_is_tied(scores: int) -> None:
    rng, measures = np.random.default_rng(scores), ["nDCG@10", "AP", "AP@3", "RR", "HR@2", "P@5", "R@10"]
    run = {
        str(q): {f"d{i}": float(score) for i, score in enumerate(rng.integers(0, scores, 30))}
        for q in range(40)
    }
    # Those that are not judged share their score, and no other has it.
    run = {q: items | {f"x{i}": 0.5 for i in range(3)} for q, items in run.items()}
    for grades in ([0, 1, 2], [1]):
        qrels = {q: {f"d{i}": int(rng.choice(grades)) for i in rng.permutation(35)[:12]} for q in run}
        bounds = rm.evaluate(qrels, run, measures, bounds=True).bounds
        for ties in ("worst", "expected", "best"):
            values = rm.evaluate(qrels, run, measures, ties=ties).values
            assert {m: getattr(bounds[m], ties) for m in values} == values


ROUNDED_BY_PLACE = ("BPM", "INST")
"""They add up the ranks between two judged items at once, so their last bit depends on where these are."""


def test_bounds_are_the_values_under_other_orders(result: rm.results.ListResult) -> None:
    assert result.bounds["RR"] == rm.results.Bounds(0.875, 0.9375, 1.0, tied=1)
    assert result.bounds["P@1"] == rm.results.Bounds(0.75, 0.875, 1.0, tied=1)
    assert result.bounds["R"] == rm.results.Bounds(1.0, 1.0, 1.0, tied=0)
    assert result.bounds["nDCG"].tied == 2
    assert result.bounds["ERR(max_grade=2)"].expected is None
    for rule in ("worst", "expected", "best"):
        values = rm.evaluate(QRELS, RUN, MEASURES[:4], ties=rule).values
        assert {m: getattr(result.bounds[m], rule) for m in MEASURES[:4]} == values


def test_without_being_asked_for_there_are_none() -> None:
    assert rm.evaluate(QRELS, RUN, MEASURES).bounds == {}


@pytest.mark.parametrize("ties", values_of("ties"))
def test_bounds_do_not_depend_on_the_order_asked_for(ties: str, result: rm.results.ListResult) -> None:
    asked = rm.evaluate(QRELS, RUN, MEASURES[:4], ties=ties, bounds=True)
    assert asked.bounds == {name: result.bounds[name] for name in MEASURES[:4]}
    assert asked.values == rm.evaluate(QRELS, RUN, MEASURES[:4], ties=ties).values


def test_a_measure_without_a_closed_form_alone() -> None:
    bounds = rm.evaluate(QRELS, RUN, "ERR(max_grade=2)", bounds=True).bounds
    assert bounds["ERR(max_grade=2)"].worst < bounds["ERR(max_grade=2)"].best


def test_they_are_kept_in_copies(result: rm.results.ListResult) -> None:
    assert pickle.loads(pickle.dumps(result)).bounds == result.bounds


def test_queries_are_not_counted_for_the_rounding_of_a_sum() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in float64."""
    qrels, run = {"q": {"a": 0.1, "b": 0.2, "c": 0.3}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    bounds = rm.evaluate(qrels, run, "CG", bounds=True).bounds["CG"]
    assert bounds.worst != bounds.best
    assert bounds.tied == 0


@pytest.mark.slow
@every_measure
@fewer
@given(data=st.data(), rows=tables)
def test_bounds_of_every_measure(name: str, data: Any, rows: Tables) -> None:
    measure = data.draw(usable_measures(name))
    missing = data.draw(st.sampled_from(["zero", "skip"]))
    bounds = rm.evaluate(*rows, measure, missing=missing, bounds=True).bounds[str(measure)]
    for rule in ("worst", "expected", "best"):
        if rule != "expected" or has_closed_form(measure):
            value = rm.evaluate(*rows, measure, missing=missing, ties=rule)[measure]
            bound = getattr(bounds, rule)
            if name in ROUNDED_BY_PLACE:
                assert bound == pytest.approx(value, rel=1e-14, abs=0, nan_ok=True)
            else:
                assert repr(bound) == repr(value)
    assert (bounds.expected is None) == (not has_closed_form(measure))


def values_in_orders(rows: Tables, measure: rm.Measure, **choices: Any) -> list[list[float]]:
    """The values of each query in several orders of equal scores."""
    rules = [{"ties": ties} for ties in ("item-desc", "item-asc", "input", "best", "worst")]
    rules += [{"ties": "random", "seed": seed} for seed in range(4)]
    results = [rm.evaluate(*rows, measure, **rule, **choices) for rule in rules]
    return list(zip(*(result.query_values(measure).tolist() for result in results), strict=True))


def changed(rows: Tables, measure: rm.Measure, **choices: Any) -> int:
    """Queries that have different values in some of these orders."""
    return sum(
        max(values) - min(values) > 1e-12 * max(map(abs, values))
        for values in values_in_orders(rows, measure, **choices)
        if not any(map(math.isnan, values))
    )


def test_where_an_item_judged_0_stands_is_seen_in_the_last_bit_at_most() -> None:
    measure = rm.INST(rel=0.5, max_grade=4, depth="endless", value="ED")
    rows = [("q", 0, 0.0)], [("q", item, 0.0) for item in (1, 2, 5, 0)]
    bounds = rm.evaluate(*rows, measure, bounds=True).bounds[str(measure)]
    best = rm.evaluate(*rows, measure, ties="best")[measure]
    assert best == pytest.approx(2.5797362673929065, rel=1e-15)
    assert bounds.best == pytest.approx(best, rel=1e-15)
    assert bounds.tied == 0


@pytest.mark.slow
@every_measure
@fewer
@given(data=st.data(), rows=tables, unjudged=st.sampled_from(["nonrelevant", "ignore"]))
def test_no_query_that_can_change_is_overlooked(name: str, data: Any, rows: Tables, unjudged: Any) -> None:
    measure = data.draw(usable_measures(name))
    counts = rm.evaluate(*rows, measure, unjudged=unjudged).counts.measures[str(measure)]
    if counts.tied is None:
        assert measure.tells_unjudged
        assert unjudged == "nonrelevant"
    else:
        assert changed(rows, measure, unjudged=unjudged) <= counts.tied


@pytest.mark.slow
@pytest.mark.parametrize("name", HAS_A_BETTER)
@fewer
@given(data=st.data(), rows=tables)
def test_where_best_is_best_the_count_with_bounds_is_exact(name: str, data: Any, rows: Tables) -> None:
    measure = data.draw(usable_measures(name).filter(has_a_better))
    result = rm.evaluate(*rows, measure, bounds=True)
    tied, could = result.bounds[str(measure)].tied, result.counts.measures[str(measure)].tied
    assert changed(rows, measure) <= tied
    assert could is None or tied <= could


@every_measure
@given(data=st.data())
def test_whether_unjudged_items_are_told_is_known_of_every_measure(name: str, data: Any) -> None:
    assert isinstance(data.draw(any_measures(name)).tells_unjudged, bool)


@pytest.mark.parametrize(
    "measure", ["P", "R", "R@2", "NumRet@1", "NumRel", "NumQ", "SetAP", "CG", "Judged", "F", "HR@3"]
)
def test_queries_that_no_order_can_change_are_not_counted(measure: str) -> None:
    counts = rm.evaluate(QRELS, RUN, [measure, "RR"]).counts.measures
    assert (counts[measure].tied, counts["RR"].tied) == (0, 2)


@pytest.mark.parametrize(
    "measure",
    [
        *("Judged@1", "Unjudged@1", "Bpref", "infAP", "OPA", "ListAUC", "RBPResidual", "NumNonrelRet@1"),
        *("P(rel=0)@1", "RR(bound=upper)", "DCG(gain={0:1,1:2})", "RankingLoss", "FallOut@1"),
    ],
)
def test_what_tells_a_0_from_an_unjudged_item_is_counted_by_bounds_alone(measure: str) -> None:
    tables = {"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0, "x": 1.0, "b": 0.5}}
    result = rm.evaluate(*tables, measure, bounds=True)
    assert result.counts.measures[measure].tied is None
    condensed = rm.evaluate(*tables, measure, unjudged="ignore")
    assert condensed.counts.measures[measure].tied == 0
    assert changed(tables_as_rows(tables), rm.parse(measure)) == result.bounds[measure].tied


def tables_as_rows(tables: tuple[Any, Any]) -> Any:
    return tuple([(q, i, n) for q, items in table.items() for i, n in items.items()] for table in tables)


def test_a_function_may_tell_them_too() -> None:
    assert (rm.DCG(gain=lambda grade: grade + 1)).tells_unjudged
    assert not rm.DCG(gain={1: 3}).tells_unjudged


def test_a_tie_beyond_the_cutoff_matters_where_the_cutoff_counts_other_items() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "x": 1.0}}
    counts = rm.evaluate(qrels, run, "PartialAUC@1 RR@2").counts.measures
    assert (counts["PartialAUC@1"].tied, counts["RR@2"].tied) == (1, 0)


@given(rows=tables)
def test_asking_for_bounds_changes_no_value(rows: Tables) -> None:
    assume(len(rows[1]) > 1)
    plain, bounded = (rm.evaluate(*rows, "AP nDCG@3", bounds=bounds) for bounds in (False, True))
    assert plain.per_query.equals(bounded.per_query)
    assert plain.counts == bounded.counts


# --- As text ---------------------------------------------------------------------------------------------


def test_table(result: rm.results.ListResult) -> None:
    lines = result.to_table().splitlines()
    assert lines[0].split() == ["measure", "value", "worst", "expected", "best"]
    assert lines[3].split() == ["P@1", f"{result['P@1']:.4f}", "0.7500", "0.8750", "1.0000"]
    assert len(lines[6].split()) == 4  # ERR has no expected value
    account = " ".join(" ".join(lines[8:]).split())
    assert "equal scores change up to 2 queries (ties: item-desc)" in account
    assert "no expected value of ERR(max_grade=2), which has no closed form" in account


def test_several_runs_with_bounds_and_without(result: rm.results.ListResult) -> None:
    header, *rows = csv.reader(
        io.StringIO(Runs({"a": result, "b": rm.evaluate(QRELS, RUN, "RR")}).format("csv"))
    )
    assert header == ["measure", "a", "a worst", "a expected", "a best", "b"]
    assert rows[0][2:5] == ["0.875", "0.9375", "1.0"]
    assert rows[1][5] == ""


def test_runs_whose_names_look_like_bounds_keep_their_columns(result: rm.results.ListResult) -> None:
    header, row, *_ = csv.reader(io.StringIO(Runs({"a": result, "a best": result}).format("csv")))
    assert header[4:6] == ["a best", "a best"]
    assert row[4:6] == ["1.0", repr(result["RR"])]


def test_csv_and_json_show_all_digits(result: rm.results.ListResult) -> None:
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(result.to_csv()))}
    record = json.loads(result.to_json())["measures"]
    for name, bounds in result.bounds.items():
        assert float(rows[name]["worst"]) == bounds.worst == record[name]["bounds"]["worst"]
        assert record[name]["bounds"]["tied"] == bounds.tied
    assert rows["ERR(max_grade=2)"]["expected"] == ""
    assert record["ERR(max_grade=2)"]["bounds"]["expected"] is None


@pytest.mark.parametrize("name", ["markdown", "latex"])
def test_markdown_and_latex(name: str, result: rm.results.ListResult) -> None:
    text = result.format(name)
    assert all(word in text for word in ("worst", "expected", "best", "0.9375"))


def test_notebooks_show_them(result: rm.results.ListResult) -> None:
    assert ">best</th>" in result._repr_html_()
    assert "<td>0.9375</td>" in result._repr_html_()


def test_trec_has_no_place_for_them(result: rm.results.ListResult) -> None:
    assert result.to_trec() == rm.evaluate(QRELS, RUN, MEASURES).to_trec()


def test_the_account_says_whose_ties_are_not_counted() -> None:
    text = str(rm.evaluate(QRELS, RUN, "RR Judged@1 Bpref"))
    assert "could change 2 queries (ties: item-desc); equal scores not" in text
    assert "not counted for Judged@1, Bpref (bounds count them)" in " ".join(text.split())


def test_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 1.0 x\nq Q0 b 2 1.0 x\n")
    paths = [str(tmp_path / name) for name in ("qrels.txt", "run.txt")]
    show: Callable[..., int] = lambda *args: main(["eval", *paths, "-m", "RR", *args])  # noqa: E731
    assert show("--bounds") == 0
    assert "RR       0.5000  0.5000    0.7500  1.0000" in capsys.readouterr().out
    assert show("--bounds", "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["measures"]["RR"]["bounds"] == {"worst": 0.5, "expected": 0.75, "best": 1.0, "tied": 1}
