"""`rankmark.compat.pytrec_eval` beside pytrec_eval itself, to the last bit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark.compat.pytrec_eval as ours
from installed import beside, peer
from strategies import at_most

tool_version = beside("pytrec_eval", "pytrec_eval-terrier", "pytrec_eval")

items = st.sampled_from([f"d{number}" for number in range(12)])
queries = st.sampled_from(["q1", "q2", "q10", "é", "nobody judged"])
grades = st.one_of(st.sampled_from([-1, 0, 0, 1, 1, 2, 3]), st.booleans())
scores = st.one_of(
    st.sampled_from([0, 1, 1.0, 1 + 1e-9, True, np.float64(2.5), 1e300, float("inf")]),
    st.floats(-5, 5, width=32),
)
runs = st.dictionaries(queries, st.dictionaries(items, scores, min_size=1, max_size=12), max_size=4)
qrels = st.dictionaries(queries, st.dictionaries(items, grades, max_size=9), max_size=4).filter(
    # It ends the process where all judgements of a query are below 0.
    lambda table: all(max(grades.values(), default=0) >= 0 for grades in table.values())
)
WITH_PARAMETERS = (
    "P_3", "P.2,7", "P_5.5", "recall_4", "ndcg_cut_1", "ndcg_cut.3,12", "map_cut_2", "relative_P_3",
    "success_2", "Rprec_mult_0.3", "iprec_at_recall_0.25", "iprec_at_recall.0.123", "iprec_at_recall_1.5",
    "11pt_avg_0.5,0.3", "set_F_2", "set_F.0.5", "utility_1,2,3,4", "map_10", "recip_rank.5", "relstring_5",
    "official", "set", "all_trec", "P_5x",
)  # fmt: skip


def test_the_names_are_those_of_the_tool() -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    assert ours.supported_measures == theirs.supported_measures
    for name, measures in ours.supported_nicknames.items():
        assert measures == set(theirs.supported_nicknames[name])
    # These ask for preferences, or judgements of several people, which it refuses as well.
    assert theirs.supported_nicknames.keys() - ours.supported_nicknames == {"prefs", "all_prefs", "qrels_jg"}


@settings(max_examples=at_most(150), deadline=None)
@given(qrels, runs, st.integers(1, 3), st.booleans())
def test_every_measure_of_every_query(qrels: Any, run: Any, level: Any, judged_only: Any) -> None:
    """All names are asked for, so that there is none of the tool which is not equal here."""
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    asked = theirs.supported_measures, level, judged_only
    assert_alike(
        ours.RelevanceEvaluator(qrels, *asked).evaluate(run),
        theirs.RelevanceEvaluator(qrels, *asked).evaluate(run),
    )


@settings(max_examples=at_most(60), deadline=None)
@given(qrels, runs, st.sets(st.sampled_from(WITH_PARAMETERS), max_size=6))
def test_measures_with_parameters(qrels: Any, run: Any, measures: Any) -> None:
    if "P_5.5" in measures and "P_5x" in measures:
        measures -= {"P_5x"}  # the same cutoff twice ends the process there
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    if "all_trec" in measures or "utility_1,2,3,4" in measures:
        measures -= {"utility_1,2,3,4"}
    assert_alike(
        ours.RelevanceEvaluator(qrels, measures).evaluate(run),
        theirs.RelevanceEvaluator(qrels, measures).evaluate(run),
    )


def assert_alike(ours: Any, theirs: Any) -> None:
    """The same queries and measures in the same order, with the same bits."""
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        assert list(ours[query]) == list(values)
        for name, value in values.items():
            assert repr(ours[query][name]) == repr(value), (query, name)


def test_lists_longer_than_a_page_with_ties() -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    draw = np.random.default_rng(7)
    qrels, run = {}, {}
    for query in map(str, range(60)):
        names = [f"d{item}" for item in draw.permutation(3000)[: draw.integers(1, 1500)]]
        judged = draw.permutation(names)[:80].tolist()
        qrels[query] = {item: int(draw.integers(0, 4)) for item in [*judged, "missed"]}
        run[query] = dict(zip(names, draw.normal(size=len(names)).round(2).tolist(), strict=True))
    asked = qrels, theirs.supported_measures
    assert_alike(
        ours.RelevanceEvaluator(*asked).evaluate(run), theirs.RelevanceEvaluator(*asked).evaluate(run)
    )


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0}, "empty": {}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "unjudged": {"a": 1.0}}


@pytest.mark.parametrize(
    "run",
    [
        *({}, None, [], {"q1": {}}, {"unjudged": {"a": 1.0}}, {"empty": {"a": 1.0}}),
        *(5, [1], "text", {1: {"a": 1.0}}, {b"q1": {"a": 1.0}}, {"q1": None}, {"q1": [("a", 1.0)]}),
        *({"q1": {"a": value}} for value in (None, "1", np.float32(1), np.int64(1), 1j)),
        *({"q1": {item: 1.0}} for item in (1, None, b"a")),
        *({"unjudged": {"a": "x"}}, {"unjudged": 3}),
    ],
    ids=repr,
)
def test_odd_results_are_taken_or_refused_alike(run: Any) -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    assert outcome(lambda: ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)) == outcome(
        lambda: theirs.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)
    )


@pytest.mark.parametrize(
    "arguments",
    [
        *(({}, {"map"}), ({"q1": {}}, {"map"}), (QRELS, set()), (QRELS, ["map", "map"]), (QRELS, ("map",))),
        *(({"q1": {"a": grade}}, {"map"}) for grade in (1.0, "1", None, np.int64(1))),
        *(({1: {"a": 1}}, {"map"}), ({"q1": {1: 1}}, {"map"}), ({"q1": ["a"]}, {"map"}), ({"q1": None}, "P")),
        *((QRELS, measures) for measures in ("map", ["nope"], ["prefs"], ["prefs_simp"], [5], None, ["MAP"])),
        *((QRELS, {"map"}, level) for level in (0, 2.0, 1.5, "1", None, True, np.int64(2))),
        *((QRELS, {"map"}, 1, flag) for flag in (None, "x", 2.0, 1, np.int64(0))),
        *((QRELS,), (QRELS, {"map"}, 1, True, 3)),
    ],
    ids=repr,
)
def test_odd_arguments_are_taken_or_refused_alike(arguments: Any) -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    assert outcome(lambda: ours.RelevanceEvaluator(*arguments).evaluate(RUN)) == outcome(
        lambda: theirs.RelevanceEvaluator(*arguments).evaluate(RUN)
    )


def outcome(call: Any) -> Any:
    """What a call gives, or of which of Python's own classes its error is."""
    try:
        return call()
    except (TypeError, ValueError, AttributeError) as error:
        return (
            TypeError
            if isinstance(error, TypeError)
            else ValueError
            if isinstance(error, ValueError)
            else error
        )


@pytest.mark.parametrize(
    ("measures", "run"),
    [
        ({"P_0"}, RUN),
        ({"P_5", "P_5.0"}, RUN),
        ({"ndcg_10"}, RUN),
        ({"map"}, {"q1": {"a": float("nan"), "b": 1.0}}),
        ({"map"}, {"q1": {"\ud800": 1.0}}),
        ({"utility_1"}, RUN),
    ],
)
def test_what_ends_the_process_there_is_an_error_here(measures: Any, run: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        ours.RelevanceEvaluator(QRELS, measures).evaluate(run)


def test_a_query_judged_below_0_alone_is_0_throughout() -> None:
    found = ours.RelevanceEvaluator({"q": {"a": -1}}, {"map", "ndcg", "infAP"}).evaluate({"q": {"a": 1.0}})
    assert found == {"q": {"map": 0.0, "infAP": 0.0, "ndcg": 0.0}}


def test_ids_are_not_cut_off_at_a_nul() -> None:
    found = ours.RelevanceEvaluator({"q": {"a\0b": 1}}, {"map"}).evaluate({"q": {"a\0c": 2.0, "a\0b": 1.0}})
    assert found == {"q": {"map": 0.5}}


def test_lines_of_files() -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    run = ["q1 Q0 d1 1 2.5 tag\n", "q1\tQ0\td2 2 -1e3 tag", "q2 Q0 d1 1 7 tag"]
    qrels = ["q1 0 d1 1\n", "q1 0 d2 -1", "q2 0 d1 0"]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    for wrong in (["q1 Q0 d 1 2.5"], [""], ["q1 Q0 d 1 x tag"]):
        assert (
            outcome(partial(ours.parse_run, wrong)) is outcome(partial(theirs.parse_run, wrong)) is ValueError
        )
    assert outcome(partial(ours.parse_qrel, ["q1 0 d 1.5"])) is ValueError
    for parse, line in ((ours.parse_run, "q Q0 d 1 2 t"), (ours.parse_qrel, "q 0 d 1")):
        with pytest.raises(AssertionError, match="stands twice"):
            parse([line, line])


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "ndcg_cut_10"])
def test_one_value_for_all_queries(measure: Any) -> None:
    theirs = peer("pytrec_eval", "pytrec_eval-terrier")
    values = [0.1, -2.5, 0.7]
    found = ours.compute_aggregated_measure(measure, values)
    assert found == theirs.compute_aggregated_measure(measure, values)
    assert type(found) is float
