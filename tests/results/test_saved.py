"""What is saved is had again: every value to the last bit, every text byte for byte."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark import results
from rankmark._native import Table
from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.language.choices import Choices, values_of
from rankmark.results.archive import sealed
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs
from rankmark.results.saved import Saved, _Writer
from strategies import at_most

QRELS = {f"q{i}": {"a": i % 3, "b": 1, "c": 2 * (i % 2)} for i in range(12)}
ONE = {q: {"a": 0.9, "b": 0.5, "x": 0.5, "c": 0.1} for q in QRELS if q != "q7"}
OTHER = {q: {"c": 0.9, "b": 0.5, "a": 0.5 - i / 100} for i, q in enumerate(QRELS)}
MEASURES = ["nDCG@10", "AP(mean=geometric)", "HitRatio@2", "NumRelRet", "ERR(max_grade=3)@5", "P@3"]
JUDGED = QRELS | {f"r{i}": {"a": i % 2, "b": 1} for i in range(6)}
COUNTRIES = {q: "DE" if i % 2 else "FR" for i, q in enumerate(QRELS)}
CLICKS = {
    "click": [1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0],
    "p": [0.9, 0.8, 0.7, 0.1, 0.3, 0.6, 0.2, 0.2, 0.4, 0.8, 0.1, 0.5],
    "q": [0.8, 0.3, 0.6, 0.2, 0.4, 0.5, 0.3, 0.1, 0.5, 0.7, 0.2, 0.4],
    "user": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
    "weight": [1.0, 2.0, 0.5] * 4,
    "country": ["de", "fr"] * 6,
}
PREFERRED = {
    "system_a": ["new", "old", "new", "old", "new", "new"],
    "system_b": ["old", "new", "old", "new", "old", "old"],
    "winner": ["new", "old", "tie", "new", "old", "new"],
}
SHOWN = {
    "query": ["q1", "q2"] * 20,
    "list": [i // 4 for i in range(40)],
    "item": [("a", "b")[(i + i // 4) % 4 // 2] for i in range(40)],
    "position": [1, 1, 2, 2] * 10,
    "click": [int(i % 3 == 0 or i % 7 == 0) for i in range(40)],
}
LOG = {
    **{name: CLICKS[name] * 10 for name in ("click", "country")},
    "propensity": [0.5] * 120,
    "new": CLICKS["p"] * 10,
}
BETTER = {"query": ["q0", "q1", "q2"], "preferred": ["a", "b", "c"], "other": ["b", "c", "a"]}
NUGGETS = {
    "query": ["q1", "q1", "q2", "q3"],
    "nugget": ["a", "b", "a", "a"],
    "importance": ["vital", "okay", "vital", "okay"],
    "assignment": ["support", "partial_support", "not_support", "support"],
}
PETS = {
    "label": ["cat", "dog", "cat", "bird"],
    "cat": [0.7, 0.2, 0.4, 0.1],
    "dog": [0.2, 0.5, 0.5, 0.2],
    "bird": [0.1, 0.3, 0.1, 0.7],
}


def lists(**options: Any) -> Any:
    return rm.evaluate(QRELS, ONE, MEASURES, **options)


def predictions(**options: Any) -> Any:
    asked = ["AUC", "GAUC", "LogLoss", "F1(threshold=max)", "nDCG@2", "RMSE"]
    return rm.evaluate_predictions(CLICKS, asked, label="click", score="p", query="user", **options)


def compared(**options: Any) -> Any:
    return rm.compare(QRELS, {"one": [ONE, OTHER], "other": OTHER}, ["nDCG@10", "HitRatio@2"], **options)


EVERY: dict[str, Callable[[], Any]] = {
    "lists": lambda: lists(bounds=True, hash_inputs=True, missing="skip", ties="random", seed=7),
    "lists in slices": lambda: lists(by=COUNTRIES),
    "lists as elsewhere": lambda: rm.evaluate(QRELS, ONE, "map@10, ndcg@5", like="ranx"),
    "lists of numbers": lambda: rm.evaluate({1: {7: 1}, 2: {8: 2}}, {1: [7, 8], 2: [7]}, "AP"),
    "board": lambda: rm.board({"a": [0.5, 1.0, 0.3], "b": [0.25, 0.0, 0.1]}, "x"),
    "identification": lambda: rm.identify(QRELS, ONE, "nDCG@10", "0.50"),
    "given values": lambda: rm.compare_matrix({"a": [0.5, 1.0], "b": [0.25, 0.0]}, "x").results["a"][0],
    "abstention": lambda: rm.evaluate_abstention(QRELS, ONE, "AP, RR", intervals=True, resamples=9),
    "preferences between items": lambda: rm.evaluate_preferences(BETTER, ONE, intervals="t"),
    "answers": lambda: rm.evaluate_answers(NUGGETS, intervals="t", no_vital="skip"),
    "arrays": lambda: rm.evaluate_arrays(np.eye(3), np.eye(3), "AP", k=2),
    "rows": lambda: predictions(hash_inputs=True, weight=""),
    "rows with weights": lambda: rm.evaluate_predictions(CLICKS, "AUC, NE", label="click", score="p"),
    "rows with intervals, in slices": lambda: predictions(intervals="bca", resamples=50, by="country"),
    "without a value": lambda: rm.evaluate_predictions({"label": [1, 1], "score": [0.2, 0.4]}, "AUC, Brier"),
    "classes": lambda: rm.evaluate_predictions(
        PETS, ["Accuracy", "F1", "LogLoss", "AUC"], score=["cat", "dog", "bird"], intervals=True, resamples=20
    ),
    "predicted classes": lambda: rm.evaluate_predictions(
        {"label": [1, 2, 1], "guess": [1, 1, 3]}, "F1, Kappa", predicted="guess"
    ),
    "runs": lambda: Runs({"one": lists(), "other": rm.evaluate(QRELS, OTHER, "AP")}),
    "slices": lambda: lists().by(COUNTRIES),
    "slices of rows": lambda: predictions(by="country").slices,
    "comparison": lambda: compared(clusters=COUNTRIES, by=COUNTRIES, resamples=200),
    "comparison of all pairs": lambda: rm.compare(
        QRELS, {"a": ONE, "b": OTHER, "c": ONE}, "AP", correction="tukey", resamples=100
    ),
    "comparison in slices": lambda: compared(resamples=100).by(COUNTRIES),
    "comparison of predictions": lambda: rm.compare_predictions(
        CLICKS, {"old": "p", "new": "q"}, "AUC, LogLoss, GAUC", label="click", query="user", resamples=99
    ),
    "comparison of predictions in slices": lambda: rm.compare_predictions(
        CLICKS, {"old": "p", "new": "q"}, "AUC", label="click", weight="", by="country"
    ),
    "gate": lambda: rm.gate(QRELS, ONE, OTHER, "AP", max_drop="1%"),
    "gate with confidence": lambda: rm.gate(QRELS, ONE, OTHER, "AP", max_drop=0.1, confidence=0.9),
    "check": lambda: rm.check(QRELS, ONE, OTHER),
    "check of numbers": lambda: rm.check({1: {7: 1}}, {1: {7: 0.5, 8: math.inf}}),
    "curve": lambda: rm.curve(CLICKS, "ROC", label="click", score="p"),
    "calibration": lambda: rm.curve(CLICKS, "calibration", label="click", score="p"),
    "agreement": lambda: rm.agree(ONE, OTHER),
    "click model": lambda: rm.click_model(SHOWN, "dbn", resamples=5),
    "judgements from clicks": lambda: rm.qrels_from_clicks(SHOWN, {1: 1.0, 2: 0.5}, clip=0.6),
    "interleaved lists": lambda: rm.interleave(ONE, OTHER, method="balanced", k=3),
    "ranking by preferences": lambda: rm.rank_by_preferences(PREFERRED, baseline="old", side=True),
    "interleaving": lambda: rm.evaluate_interleaving({**SHOWN, "team": ["A", "B"] * 20}),
    "agreement on systems": lambda: rm.agree_on_systems({"q": QRELS}, {"a": ONE, "b": OTHER}, ["AP", "RR"]),
    "logged": lambda: rm.evaluate_logged(LOG, "new", ["IPS", "SNIPS(clip=1)"], by="country"),
    "sampled correction": lambda: rm.correct_sampled([1, 1, 2, 5], 50, 9, "HR@3, ListAUC", method="mes"),
    "sampled candidates": lambda: rm.sample_candidates({"u": ["a", "b"]}, {"u": ["c"], "v": ["a"]}, 1),
    "pool": lambda: rm.pool(QRELS, {"a": ONE, "b": OTHER}, depth=2, groups={"a": "x", "b": "y"}, resamples=9),
    "by people and a judge": lambda: rm.evaluate_with_judge(
        QRELS, JUDGED, {"a": ONE, "b": OTHER}, ["nDCG@10", "RR"], by=COUNTRIES | dict.fromkeys(JUDGED, "x")
    ),
    "labels to add": lambda: rm.labels_to_add(QRELS, JUDGED, ONE, "RR", add=2, strata=1, difference=0.2),
    "agreement on labels": lambda: rm.agree_on_labels(
        QRELS, JUDGED, {"a": ONE, "b": OTHER}, ["nDCG@10", "RR"], by=COUNTRIES, resamples=9
    ),
    "pool without judgements": lambda: rm.pool(None, {"a": ONE, "b": OTHER}, depth=2),
    "topic set size": lambda: rm.power(deviation=0.2, difference=0.05, queries=50),
    "explanation": lambda: rm.explain(QRELS, ONE, "nDCG@10", query="q2"),
    "explained difference": lambda: rm.explain(QRELS, ONE, "AP", query="q1", other=OTHER),
    "differences": lambda: rm.differences(QRELS, ONE, ["nDCG@10", "AP"], like=["trec_eval", "lightgbm"]),
}


def state(result: Saved) -> tuple[str, list[bytes]]:
    """Everything, arrays with all their bits."""
    writer = _Writer()
    text = json.dumps(writer.written(result))
    return text, [_bits(each[0]) for each in writer.columns.values()]


def _bits(values: pl.Series) -> bytes:
    if values.dtype.is_numeric():
        return str(values.dtype).encode() + values.to_numpy().tobytes()
    return repr(values.to_list()).encode()


def again(result: Any, path: Path) -> Any:
    result.save(path)
    return rm.load(path)


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_what_is_saved_is_had_again(make: Callable[[], Any], tmp_path: Path) -> None:
    result = make()
    loaded = again(result, tmp_path / "x.rankmark")
    assert type(loaded) is type(result)
    assert state(loaded) == state(result)
    assert repr(loaded) == repr(result)
    for name in type(result).formats():
        assert loaded.format(name) == result.format(name)


def test_everything_that_is_shown_can_be_saved() -> None:
    shown = [getattr(results, name) for name in dir(results)]
    kept = {each.__name__ for each in shown if hasattr(each, "save") and each.__name__ != "Result"}
    tried = {type(make()).__name__ for make in EVERY.values()}
    assert kept - tried == {"SparkResult"}


@pytest.mark.parametrize("options", [{"per_query": True, "signatures": True}, {"signatures": "short"}])
def test_options_show_the_same(options: Any, tmp_path: Path) -> None:
    for name in ("lists", "lists as elsewhere", "arrays", "rows", "runs"):
        result = EVERY[name]()
        loaded = again(result, tmp_path / "x.rankmark")
        for each in type(result).formats():
            assert loaded.format(each, **options) == result.format(each, **options)


NUMBERS = st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308])


@st.composite
def any_results(draw: Any) -> ListResult:
    """Results with any values."""
    asked = draw(st.lists(st.sampled_from(["AP", "RR", "HitRatio@3", "P(rel=2)@5"]), min_size=1, unique=True))
    measures = [rm.parse(each).asked_as(draw(st.none() | st.text(min_size=1))) for each in asked]
    ids = draw(st.lists(st.text(), unique=True) | st.lists(st.integers(-(2**63), 2**63 - 1), unique=True))

    def array() -> np.ndarray[Any, Any]:
        return np.array(draw(st.lists(NUMBERS, min_size=len(ids), max_size=len(ids))), dtype=np.float64)

    whole = st.integers(0, 2**60)
    counts = {str(m): MeasureCounts(draw(whole), draw(whole), draw(st.none() | whole)) for m in measures}
    chosen = draw(st.sampled_from(values_of("ties")))
    return ListResult(
        values={m: draw(NUMBERS) for m in measures},
        per_query_values={m: array() for m in measures},
        parts={m: (array(), array()) for m in measures},
        query_ids=Table.from_arrow(pl.DataFrame({"query": ids or pl.Series([], dtype=pl.String)})),
        choices=Choices(ties=chosen, seed=draw(st.integers(0, 2**64 - 1))),
        counts=Counts(draw(whole), draw(whole), draw(whole), draw(whole), counts),
        convention=draw(st.none() | st.text()),
        k=draw(st.none() | st.integers(1)),
        inputs=draw(st.dictionaries(st.text(), st.text())),
        notes=draw(st.lists(st.text())),
    )


@settings(max_examples=at_most(60), deadline=None)
@given(any_results())
def test_any_result_is_had_again(tmp_path_factory: pytest.TempPathFactory, result: ListResult) -> None:
    path = tmp_path_factory.mktemp("saved") / "x.rankmark"
    loaded: Any = again(result, path)
    assert state(loaded) == state(result)
    assert loaded.query_ids == result.query_ids
    assert loaded.measures == result.measures
    for measure, parts in result.query_parts.items():
        for one, other in zip(parts, loaded.query_parts[measure], strict=True):
            assert one.tobytes() == other.tobytes()
    first = path.read_bytes()
    loaded.save(path)
    assert path.read_bytes() == first


def test_a_loaded_result_is_used_as_a_fresh_one(tmp_path: Path) -> None:
    fresh = {"one": lists(), "other": rm.evaluate(QRELS, OTHER, MEASURES)}
    loaded = {name: again(result, tmp_path / f"{name}.rankmark") for name, result in fresh.items()}
    assert str(rm.compare_results(loaded, resamples=99)) == str(rm.compare_results(fresh, resamples=99))
    assert str(loaded["one"].by(COUNTRIES)) == str(fresh["one"].by(COUNTRIES))
    assert loaded["one"].per_query.equals(fresh["one"].per_query)
    with pytest.raises(ValueError, match="read-only"):
        loaded["one"].query_values("P@3")[0] = 1


def test_a_loaded_comparison_answers_what_a_fresh_one_does(tmp_path: Path) -> None:
    fresh = compared(resamples=99)
    loaded = again(fresh, tmp_path / "x.rankmark")
    assert loaded.movers(3) == fresh.movers(3)
    assert loaded.equivalence("nDCG@10", 0.1) == fresh.equivalence("nDCG@10", 0.1)
    # Intervals that are not known are NaN, which is not equal to itself.
    pairs = [each.pair("HitRatio@2", "other").figures for each in (loaded, fresh)]
    assert repr(pairs[0]) == repr(pairs[1])
    assert str(loaded.by(COUNTRIES)) == str(fresh.by(COUNTRIES))


def test_runs_by_their_names(tmp_path: Path) -> None:
    loaded = again(EVERY["runs"](), tmp_path / "x.rankmark")
    assert list(loaded) == ["one", "other"]
    assert loaded["other"]["AP"] == rm.evaluate(QRELS, OTHER, "AP")["AP"]
    with pytest.raises(rm.UsageError, match="'on' is not one of the runs one, other; did you mean 'one'"):
        loaded["on"]


def test_signatures_name_the_version_that_computed(tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    lists().save(path)
    result: Any = rm.load(path)
    result._version = "0.0.9"
    older: Any = again(result, path)
    assert older.signature("P@3").endswith("|rankmark:0.0.9")
    assert older.signature("P@3", short=True).endswith("|rankmark:0.0.9")
    assert json.loads(older.to_json())["rankmark"] == older.version == "0.0.9"


def test_the_evaluators_are_opened_too(tmp_path: Path) -> None:
    lists_ = rm.Evaluator("AP")
    lists_.update(QRELS, ONE)
    rows = rm.PredictionEvaluator("AUC", label="click", score="p")
    rows.update(CLICKS)
    for evaluator in (lists_, rows):
        loaded: Any = again(evaluator, tmp_path / "x.rankmark")
        assert type(loaded) is type(evaluator)
        assert loaded.result().values == evaluator.result().values


def test_what_cannot_be_saved_is_said_and_nothing_written(tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    result = rm.evaluate(QRELS, ONE, rm.nDCG(gain=lambda grade: grade + 1.0))
    with pytest.raises(rm.UsageError, match="has a function for a parameter, which cannot be saved"):
        result.save(path)
    assert not path.exists()


def changed(path: Path, change: Callable[[Any], None]) -> None:
    """Changes what stands in the JSON of a file."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["result.json"])
    change(header)
    parts["result.json"] = json.dumps(header).encode()
    path.write_bytes(sealed(parts))


@pytest.mark.parametrize(
    "content",
    [
        {"record": ["Popen", [["args", "true"]]]},
        {"record": ["load", []]},
        {"record": ["ListResult", [["values", 3]]]},
        {"record": ["Counts", [["__class__", 3]]]},
        {"measure": ["none", None]},
        {"array": ["99", [1]]},
        {"read": "x"},
        {"class_of": "x"},
        {},
        [{"float": "what"}],
        None,
    ],
)
def test_what_is_no_result_is_refused(content: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    lists().save(path)
    changed(path, lambda header: header.update(result=content))
    with pytest.raises(rm.FormatError, match="the result in"):
        rm.load(path)


@pytest.mark.parametrize(
    ("said", "changed_to", "message"),
    [
        ('["judged", 12]', '["judged", null]', "Counts.judged is None, and not int"),
        ('["judged", 12]', '["judged", true]', "Counts.judged is True, and not int"),
        ('["ties", "item-desc"]', '["ties", "sideways"]', "ties='sideways' is not one of"),
        ('["judged", 12]', '["jugded", 12]', "jugded"),
    ],
)
def test_fields_are_what_their_records_say(said: str, changed_to: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    lists().save(path)

    def change(header: Any) -> None:
        text = json.dumps(header)
        assert said in text
        header.update(json.loads(text.replace(said, changed_to)))

    changed(path, change)
    with pytest.raises(rm.FormatError, match=message):
        rm.load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(rm.FileMissingError):
        rm.load(tmp_path / "none")
    (tmp_path / "text").write_text("q1 0 a 1\n")
    with pytest.raises(rm.FormatError, match="holds no saved result"):
        rm.load(tmp_path / "text")
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(rm.FormatError, match="no saved result"):
        rm.load(tmp_path / "zip")


def test_arrays_that_are_left_out_of_the_mean_stay_so(tmp_path: Path) -> None:
    result = lists(missing="skip")
    loaded = again(result, tmp_path / "x.rankmark")
    assert loaded.per_query["P@3"].null_count() == result.per_query["P@3"].null_count() == 1
    assert replace(loaded.counts) == result.counts


class Settings(dict[str, str]):
    """Those of a session, as Spark names what is done with them."""

    set = dict.__setitem__
    unset = dict.__delitem__


class OnCluster:
    """Rows of queries that are elsewhere, as Spark's are."""

    sparkSession = SimpleNamespace(conf=Settings())  # noqa: N815 - Spark's name

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows

    def toArrow(self) -> Any:  # noqa: N802 - Spark's name
        return self.rows.to_arrow()


def test_what_is_on_a_cluster_is_brought_here(tmp_path: Path) -> None:
    from rankmark.api.spark_results import SparkResult

    here = rm.evaluate(QRELS, ONE, "AP RR")
    told = here._kept() | {"per_query_values": {}, "query_ids": None}
    result = SparkResult(lambda: OnCluster(here.per_query[::-1]), **told)  # type: ignore[arg-type]
    loaded = again(result, tmp_path / "x.rankmark")
    assert type(loaded) is ListResult
    assert loaded.values == here.values
    assert loaded.per_query.equals(here.per_query.sort("query"))
    runs = again(Runs({"one": result}), tmp_path / "y.rankmark")
    assert runs["one"].per_query.equals(loaded.per_query)
