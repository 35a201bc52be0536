from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import MeasureError
from rankmark.results.lists import ListResult

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 0}, "q4": {"e": 1}}
RUN = {
    "q1": {"a": 3.0, "b": 2.0, "x": 1.0},
    "q2": {"x": 1.0, "c": 1.0},  # a tie, and "x" goes first
    "q3": {"d": 1.0},
    "q9": {"z": 1.0},
}
MEASURES = ["RR", "P@1", "nDCG(gain=exp2)@10", "NumRet"]


@pytest.fixture
def result() -> ListResult:
    return rm.evaluate(QRELS, RUN, MEASURES)


@pytest.mark.parametrize("name", ["RR", "recip_rank", "P@1", "P_1", rm.parse("RR")])
def test_a_value_by_measure_by_name_and_by_alias(result: ListResult, name: str) -> None:
    assert result[name] == (0.375 if str(rm.parse(str(name))) == "RR" else 0.25)


def test_a_measure_that_was_not_evaluated_lists_those_that_were(result: ListResult) -> None:
    with pytest.raises(MeasureError, match=r"^P@10 was not evaluated; .*RR, P@1, .*did you mean 'P@1'"):
        result["P@10"]
    with pytest.raises(KeyError):
        result["AP"]


def test_a_misspelt_measure_says_did_you_mean(result: ListResult) -> None:
    with pytest.raises(MeasureError, match="did you mean"):
        result["nDGC"]


def test_membership_iteration_and_length(result: ListResult) -> None:
    assert "recip_rank" in result
    assert "AP" not in result
    assert [str(measure) for measure in result] == MEASURES == [str(m) for m in result.measures]
    assert len(result) == 4


def test_values_cannot_be_changed_by_accident(result: ListResult) -> None:
    result.values["RR"] = 1.0
    result.choices["ties"] = "best"
    assert result["RR"] == 0.375
    assert result.choices["ties"] == "item-desc"
    with pytest.raises(ValueError, match="read-only"):
        result.query_values("RR")[0] = 9.0
    with pytest.raises(AttributeError):
        result.values = {}  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.counts.judged = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "look",
    [
        copy.copy,
        copy.deepcopy,
        lambda result: pickle.loads(pickle.dumps(result)),
        lambda result: result.without(rm.RR),
        lambda result: result.with_weights(dict.fromkeys(QRELS, 1)),
        lambda result: result.with_intervals("t"),
    ],
)
def test_it_is_the_same_whatever_is_looked_at_first(look: Callable[[ListResult], ListResult]) -> None:
    first, later = rm.evaluate(QRELS, RUN, MEASURES[:3]), rm.evaluate(QRELS, RUN, MEASURES[:3])
    assert (later.counts.judged, later.notes, len(later.per_query)) == (4, (), 4)
    for one, other in ((look(first), look(later)), (first, later)):
        assert str(one) == str(other)
        assert one.format("json", per_query=True) == other.format("json", per_query=True)
        assert one.counts == other.counts


def test_threads_that_look_at_it_at_once_see_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            result = rm.evaluate(QRELS, RUN, MEASURES)
            assert len({*pool.map(lambda _, of=result: f"{of.counts}{of}{of.account()}", range(8))}) == 1


def test_what_it_does_not_have_is_no_attribute(result: ListResult) -> None:
    for _ in range(2):
        with pytest.raises(AttributeError, match="'ListResult' object has no attribute 'nothing'"):
            _ = result.nothing  # type: ignore[attr-defined]
    assert result.counts.judged == 4


def test_counts(result: ListResult) -> None:
    counts = result.counts
    assert (counts.judged, counts.answered, counts.missing, counts.unjudged) == (4, 3, 1, 1)
    assert counts.measures["RR"].no_relevant == 1
    assert counts.measures["RR"].tied == 1


def test_per_query_is_a_polars_frame_in_the_order_of_the_judgements(result: ListResult) -> None:
    frame = result.per_query
    assert frame.columns == ["query", *MEASURES]
    assert frame["query"].to_list() == ["q1", "q2", "q3", "q4"] == result.query_ids
    assert frame["RR"].to_list() == [1.0, 0.5, 0.0, 0.0]


def test_per_query_is_null_where_a_query_is_left_out_of_the_mean() -> None:
    result = rm.evaluate(QRELS, RUN, ["RR"], missing="skip", no_relevant="skip")
    assert result.per_query["RR"].to_list() == [1.0, 0.5, None, None]
    assert result["RR"] == 0.75
    assert np.isnan(result.query_values("RR")[2:]).all()


def test_integer_queries_stay_integers() -> None:
    qrels = pl.DataFrame({"query": [7, 7, 8], "item": [1, 2, 3], "relevance": [1, 0, 1]})
    run = pl.DataFrame({"query": [7, 8], "item": [1, 3], "score": [0.5, 0.5]})
    result = rm.evaluate(qrels, run, ["RR"])
    assert result.query_ids == [7, 8]
    assert result.per_query["query"].dtype.is_integer()


def test_the_signature_names_parameters_and_choices(result: ListResult) -> None:
    assert result.signature("ndcg(gain=exp2)@10") == (
        "nDCG@10|gain:exp2|discount:log2|ideal:judged|ties:item-desc|missing:zero|unjudged_queries:skip"
        "|no_relevant:zero|duplicates:error|unjudged:nonrelevant|scores:float64|item_ids:text|rankmark:0.1.0"
    )


def test_the_signature_names_the_seed_only_where_it_matters() -> None:
    assert "|ties:random(seed=7)|" in rm.evaluate(QRELS, RUN, ["RR"], ties="random", seed=7).signature("RR")
    assert "seed" not in rm.evaluate(QRELS, RUN, ["RR"], seed=7).signature("RR")


def test_printing_shows_a_table_and_what_happened_to_the_queries(result: ListResult) -> None:
    assert str(result).splitlines() == [
        "measure              value",
        "------------------  ------",
        "RR                  0.3750",
        "P@1                 0.2500",
        f"nDCG(gain=exp2)@10  {result['nDCG(gain=exp2)@10']:.4f}",
        "NumRet                   6",
        "",
        "4 queries judged, 3 answered, 1 missing (counted as 0)",
        "  1 query of the run not judged (left out); nothing relevant in 1 query (counted",
        "  as 0); equal scores could change 1 query (ties: item-desc)",
    ]


def test_nothing_to_notice_makes_one_short_line() -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["RR"])
    assert str(result).splitlines()[-1] == "1 query judged, all answered"


def test_the_short_form(result: ListResult) -> None:
    assert repr(result).startswith("<Result RR=0.3750, P@1=0.2500, ")
    assert repr(result).endswith("; 4 queries>")


def test_html_is_escaped_and_needs_nothing_from_outside() -> None:
    result = rm.evaluate(QRELS, RUN, ["RR"])
    html = result._repr_html_()
    assert ">RR</th><td>0.3750</td>" in html
    assert not {"http", "<script", "<link"} & {word for word in ("http", "<script", "<link") if word in html}


def test_a_mean_over_no_query_is_not_a_number() -> None:
    result = rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["RR"], no_relevant="skip")
    assert math.isnan(result["RR"])
    assert result.per_query["RR"].to_list() == [None]


def test_a_measure_that_was_asked_for_by_two_names_is_found_by_both() -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, ["map", "AP", "RR"], bounds=True)
    assert list(result.values) == ["map", "RR"]
    assert result.values["map"] == result.values["AP"] == result["AP"] == 0.5
    assert result.bounds["AP"] == result.bounds["map"]
    assert result.values == {"map": 0.5, "RR": 0.5}
    assert type(pickle.loads(pickle.dumps(result.values))) is dict
    for absent in ("nDCG", "no such measure", ""):
        with pytest.raises(KeyError):
            result.values[absent]


def test_what_a_query_without_a_value_lacks_is_said_of_the_measure() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1, "b": 0}}, {"q": ["a"], "r": ["a", "b"]}
    (_, notes) = rm.evaluate(qrels, run, "ListAUC AP OPA").account()
    assert "no relevant item, or no other in 1 query (counted as 0)" in notes
    assert "all grades the same in 1 query (counted as 0)" in notes
    assert "nothing relevant" not in notes


def test_that_short_lists_gain_is_said_of_ranks_beyond_their_end() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["b", "a"]}
    (first, notes) = rm.evaluate(qrels, run, "MeanRank").account()
    assert "1 missing (evaluated as empty lists)" in first
    assert "MeanRank: what a list leaves out stands after it among the known items alone" in notes
    assert "short lists" not in " ".join(rm.evaluate(qrels, run, "MeanRank(items=9)").account())
