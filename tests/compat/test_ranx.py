"""`rankmark.compat.ranx` beside ranx."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark.compat.ranx as ours
from installed import beside, peer
from rankmark.errors import NotHereError
from strategies import at_most

tool_version = beside("ranx")
pytestmark = pytest.mark.timeout(600)  # a busy machine compiles ranx slowly, at its first call

METRICS = (
    "hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "dcg_burges", "ndcg",
    "ndcg_burges", "bpref", "rbp",
)  # fmt: skip
"""The names in ranx's own table of metrics; rbp takes its patience after a dot."""
ASKED = (
    *(
        f"{name}{cut}"
        for name in METRICS
        if name not in ("r-precision", "bpref", "rbp")
        for cut in ("", "@3")
    ),
    *(
        "r-precision",
        "bpref",
        "rbp.95",
        "rbp.5",
        "r-precision-l2",
        "map-l2",
        "recall@3-l2",
        "f1-l3",
        "hits-l1",
    ),
    *("ndcg-l2", "ndcg@3-l2", "ndcg_burges-l2", "dcg@3-l3", "dcg_burges-l2", "mrr@2-l2"),
)

names = st.sampled_from([f"d{number}" for number in range(12)])
lists = st.dictionaries(st.sampled_from(["q1", "q2", "q10", "é"]), st.just(None), min_size=1)


@pytest.fixture
def theirs() -> Any:
    return peer("ranx", "ranx")


@st.composite
def tables(draw: Any) -> tuple[Any, Any]:
    """Judgements with something not relevant in each, so that bpref has a value, and lists without ties."""
    queries = draw(lists)
    qrels = {
        query: {"never found": 1, "bad": 0, **draw(st.dictionaries(names, st.integers(0, 3), max_size=8))}
        for query in queries
    }
    run = {}
    for query in queries:
        found = draw(st.lists(names, min_size=1, max_size=12, unique=True))
        scores = draw(st.permutations(range(len(found))))
        run[query] = {item: score / 7 for item, score in zip(found, scores, strict=True)}
    return qrels, run


def quietly(call: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler of its own code
        return call(*args, **kwargs)


@settings(max_examples=at_most(10), deadline=None)
@given(tables())
def test_every_metric_of_every_query(data: Any) -> None:
    theirs = peer("ranx", "ranx")
    qrels, run = data
    expected = quietly(theirs.evaluate, theirs.Qrels(qrels), theirs.Run(run), list(ASKED), return_mean=False)
    found = ours.evaluate(ours.Qrels(qrels), ours.Run(run), list(ASKED), return_mean=False)
    assert list(found) == list(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-12, atol=1e-15, err_msg=name)


def test_every_metric_is_asked_for_there_and_here() -> None:
    switch = quietly(peer, "ranx.metrics", "ranx").metric_switch
    for name in METRICS:
        assert callable(switch(name))
        assert any(asked.startswith(name) for asked in ASKED)
    with pytest.raises(ValueError, match="Supported metrics are"):
        switch("nothing")
    # Whatever it has a function for is in that table, but for what makes lists of hits, and is not in it.
    functions = set(peer("ranx.metrics", "ranx").__all__)
    table = {switch(name).__name__ for name in METRICS}
    assert functions - table == {"get_hit_lists", "interpolated_precision_at_recall"}


@pytest.mark.parametrize("metric", ["nothing", "rbp", "ndcg@x", "bpref-l2", "ndcg@0"])
def test_metrics_that_there_are_not(metric: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        ours.evaluate(QRELS, RUN, metric)


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "x": 0}, "q3": {"e": 1, "x": 0}}
RUN = {"q1": {"a": 1.5, "b": 2.5, "c": 0.5}, "q2": {"d": 1, "e": 2}, "q3": {"e": 1.0}}
OTHER = {"q1": {"c": 1.5, "b": 2.5}, "q2": {"d": 3, "e": 2}, "q3": {"x": 1.0, "e": 0.3}}


def test_what_is_given_back_and_what_the_run_keeps(theirs: Any) -> None:
    for options in (
        {},
        {"return_mean": False},
        {"return_std": True},
        {"save_results_in_run": False},
        {"threads": 1},
    ):
        for metrics in ("map", ["map"], ["map", "ndcg@2"]):
            mine, other = ours.Run(RUN, name="bm25"), theirs.Run(RUN, name="bm25")
            found = ours.evaluate(ours.Qrels(QRELS), mine, metrics, **options)
            expected = quietly(theirs.evaluate, theirs.Qrels(QRELS), other, metrics, **options)
            assert as_json(found) == as_json(expected)
            for kept in ("scores", "mean_scores", "std_scores"):
                assert as_json(getattr(mine, kept)) == as_json(getattr(other, kept))
    assert ours.evaluate(QRELS, RUN, "mrr") == pytest.approx(quietly(theirs.evaluate, QRELS, RUN, "mrr"))


def as_json(value: Any) -> Any:
    """Numbers to twelve digits, whatever holds them."""
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    return [round(float(each), 12) for each in value] if np.ndim(value) else round(float(value), 12)


def test_queries_in_one_of_both_only(theirs: Any) -> None:
    run = {"q1": RUN["q1"], "unjudged": {"a": 1.0}}
    for tool in (ours, theirs):
        with pytest.raises(AssertionError, match="make_comparable=True"):
            quietly(tool.evaluate, tool.Qrels(QRELS), tool.Run(run), "map")
    mine, other = ours.Run(run), theirs.Run(run)
    found = ours.evaluate(ours.Qrels(QRELS), mine, "map", make_comparable=True)
    assert found == pytest.approx(
        quietly(theirs.evaluate, theirs.Qrels(QRELS), other, "map", make_comparable=True)
    )
    assert mine.to_dict() == other.to_dict()


def test_tables_are_sorted_alike(theirs: Any) -> None:
    for name, data in (("Qrels", QRELS), ("Run", OTHER)):
        mine, other = getattr(ours, name)(data), getattr(theirs, name)(data)
        assert list(mine.keys()) == list(other.keys()) == mine.get_query_ids()
        assert {q: list(d.items()) for q, d in mine.to_dict().items()} == {
            q: list(d.items()) for q, d in other.to_dict().items()
        }
        assert len(mine) == mine.size == len(other)
        assert mine["q1"] == other["q1"]
    mine, other = ours.Qrels(QRELS), theirs.Qrels(QRELS)
    mine.set_relevance_level(2)
    quietly(other.set_relevance_level, 2)
    assert mine.to_dict() == other.to_dict()


def test_items_are_added() -> None:
    run = ours.Run()
    run.add_score("q2", "a", 1)
    run.add("q1", ["b", "c"], [1, 2])
    run.add_multi(["q0", "q1"], [["a"], ["b"]], [[3], [5]])
    assert str(run) == "{'q0': {'a': 3.0}, 'q1': {'b': 5.0, 'c': 2.0}, 'q2': {'a': 1.0}}"


@pytest.mark.parametrize("suffix", ["json", "trec", "txt", "parquet"])
@pytest.mark.parametrize("kind", ["Qrels", "Run"])
def test_files_go_from_one_to_the_other(theirs: Any, kind: Any, suffix: Any, tmp_path: Path) -> None:
    data = QRELS if kind == "Qrels" else OTHER
    read = "from_parquet" if suffix == "parquet" else "from_file"
    for writer, reader in ((ours, ours), (ours, theirs), (theirs, ours)):
        if suffix == "parquet" and reader is theirs:
            continue  # it wants columns of objects, which the newest pandas does not read
        path = str(tmp_path / f"table.{suffix}")
        quietly(getattr(writer, kind)(data).save, path)
        found = quietly(getattr(getattr(reader, kind), read), path)
        assert found.to_dict() == getattr(ours, kind)(data).to_dict()


def test_tables_of_pandas_and_polars() -> None:
    pandas, polars = peer("pandas", "pandas"), peer("polars", "polars")
    rows = {"q_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [1, 2, 3]}
    for library in (pandas, polars):
        assert ours.Qrels.from_df(library.DataFrame(rows)).to_dict() == {
            "q1": {"b": 2, "a": 1},
            "q2": {"a": 3},
        }
    run = ours.Run(OTHER, name="mine")
    assert ours.Run.from_df(run.to_dataframe(), name="mine").to_dict() == run.to_dict()


@pytest.mark.parametrize("stat_test", ["student", "tukey", "fisher"])
def test_reports(theirs: Any, stat_test: Any, tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    qrels = {f"q{query}": {f"d{item}": int(item < 3) for item in range(9)} for query in range(25)}
    runs = {
        name: {
            query: {f"d{item}": float(score) for item, score in enumerate(draw.normal(size=9))}
            for query in qrels
        }
        for name in "xyz"
    }
    runs["best one"] = {query: {f"d{item}": 9.0 - item for item in range(9)} for query in qrels}
    options = {"metrics": ["map", "ndcg@3"], "stat_test": stat_test, "max_p": 0.05}
    mine = ours.compare(
        ours.Qrels(qrels), [ours.Run(run, name=name) for name, run in runs.items()], **options
    )
    other = quietly(
        theirs.compare,
        theirs.Qrels(qrels),
        [theirs.Run(run, name=name) for name, run in runs.items()],
        **options,
    )
    found, expected = mine.to_dict(), other.to_dict()
    assert list(found) == list(expected)
    for model in runs:
        assert found[model]["scores"] == pytest.approx(expected[model]["scores"], rel=1e-12)
        assert found[model]["win_tie_loss"] == expected[model]["win_tie_loss"]
        for rival, p in expected[model]["comparisons"].items():
            reach = {"abs": 0.06} if stat_test == "fisher" else {"rel": 1e-9}  # it draws 1,000 permutations
            assert found[model]["comparisons"][rival] == pytest.approx(p, **reach)
    if stat_test != "fisher":
        words = [line.split() for line in str(other).splitlines()[2:]]
        assert [line.split() for line in str(mine).splitlines()[2:]] == words
    assert str(mine).splitlines()[0].split() == ["#", "Model", "MAP", "NDCG@3"]
    assert mine.to_latex().count(r"\\") == 5
    mine.save(str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text())["metrics"] == ["map", "ndcg@3"]


def test_a_report_of_runs_that_are_alike() -> None:
    report = ours.compare(ours.Qrels(QRELS), [ours.Run(RUN), ours.Run(RUN)], "map", show_percentages=True)
    assert report.model_names == ["run_1", "run_2"]
    assert math.isnan(report.to_dict()["run_1"]["comparisons"]["run_2"]["map"])
    assert report.to_dict()["run_1"]["win_tie_loss"]["run_2"]["map"] == {"W": 0, "T": 3, "L": 0}
    with pytest.raises(
        NotImplementedError, match="stat_test is 'wilcoxon'; there are fisher, student, tukey"
    ):
        ours.compare(ours.Qrels(QRELS), [ours.Run(RUN)], "map", stat_test="wilcoxon")


def test_equal_scores_keep_their_order() -> None:
    tied = {"q": {f"d{item}": 1.0 for item in range(40)}}
    assert list(ours.Run(tied)["q"]) == list(tied["q"])
    assert ours.evaluate(ours.Qrels({"q": {"d4": 1}}), ours.Run(tied), "mrr") == pytest.approx(1 / 5)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the grade 0\.5 is no whole number"):
        ours.Qrels({"q": {"a": 0.5}})
    with pytest.raises(TypeError, match="the query 1 is a int, and not a text"):
        ours.Run({1: {"a": 0.5}})
    for refused in (
        lambda: ours.Run.from_ranxhub("x"),
        lambda: ours.Qrels.from_ir_datasets("x"),
        lambda: ours.Run(RUN).save("x.lz4"),
    ):
        with pytest.raises(NotHereError):
            refused()
    with pytest.raises(AssertionError, match="kind 'xlsx'"):
        ours.Run.from_file("x.xlsx")


def test_every_name_is_here_or_is_said_not_to_be(theirs: Any) -> None:
    assert set(theirs.__all__) <= {*ours.__all__, *ours.NOT_HERE}
    for name in ours.NOT_HERE:
        with pytest.raises(NotHereError, match=f"has no {name}: "):
            getattr(ours, name)


def test_means_round_as_those_of_numpy() -> None:
    found = ours.evaluate(ours.Qrels({"q": {"a": 1}}), ours.Run({"q": {"b": 2.0, "c": 1.0, "a": 0.5}}), "mrr")
    assert found.round(3) == 0.333
