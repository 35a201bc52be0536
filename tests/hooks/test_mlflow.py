from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from installed import beside, peer
from rankmark.errors import DataError, UsageError
from rankmark.rendering.numbers import named

tool_version = beside("mlflow", "mlflow", "mlflow-skinny")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

QRELS = {f"q{i}": {"a": 2, "b": 1} for i in range(6)}
OLD = {query: ["b", "x"] if i % 2 else ["x", "a"] for i, query in enumerate(QRELS)}
NEW = {query: ["a", "b"] for query in QRELS}


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """MLflow with a store of its own, without a network."""
    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder}/mlflow.db")
        patch.chdir(folder)
        mlflow = peer("mlflow", "mlflow")
        mlflow.create_experiment("tried", artifact_location=(folder / "artifacts").as_uri())
        mlflow.set_experiment("tried")
        yield mlflow


def logged(mlflow: Any, result: Any, **options: Any) -> Any:
    """The run in which it was logged."""
    with mlflow.start_run() as run:
        rm.hooks.mlflow.log(result, **options)
    return mlflow.get_run(run.info.run_id)


def artifacts(run: Any) -> Path:
    return Path(run.info.artifact_uri.removeprefix("file://"))


def test_a_result_is_logged_with_signatures_hashes_and_files(tracked: Any) -> None:
    result = rm.evaluate(QRELS, OLD, ["nDCG@10", "P(rel=2)@1"], intervals=True, hash_inputs=True)
    run = logged(tracked, result)
    assert run.data.metrics == result.to_dict("plain")
    assert run.data.tags["rankmark.signature.p_rel_2_at_1"] == result.signature("P(rel=2)@1")
    assert run.data.tags["rankmark.inputs.qrels"] == result.inputs["qrels"]
    assert run.data.tags["rankmark.version"] == rm.__version__
    folder = artifacts(run) / "rankmark"
    assert sorted(each.name for each in folder.iterdir()) == [
        "per_query.parquet",
        "report.html",
        "result.json",
        "result.rankmark",
    ]
    assert pl.read_parquet(folder / "per_query.parquet").equals(result.per_query)
    assert rm.load(folder / "result.rankmark").values == result.values
    assert "<table>" in (folder / "report.html").read_text()


def test_a_step_has_metrics_alone_under_a_prefix(tracked: Any) -> None:
    with tracked.start_run() as started:
        for epoch, found in enumerate([OLD, NEW]):
            rm.hooks.mlflow.log(rm.evaluate(QRELS, found, "RR"), prefix="valid/", step=epoch)
    history = tracked.MlflowClient().get_metric_history(started.info.run_id, "valid/rr")
    assert [(each.step, each.value) for each in history] == [(0, 0.75), (1, 1)]
    run = tracked.get_run(started.info.run_id)
    assert run.data.tags["valid/rankmark.signature.rr"].startswith("RR|")
    assert not list(artifacts(run).glob("**/*"))


def test_what_has_no_value_is_nan(tracked: Any) -> None:
    result = rm.evaluate_predictions({"label": [1, 1], "score": [0.1, 0.2]}, "AUC")
    assert math.isnan(logged(tracked, result).data.metrics["auc"])


def test_comparisons_and_gates_are_logged(tracked: Any) -> None:
    compared = rm.compare(QRELS, {"old": OLD, "new": NEW}, ["RR", "AP"], baseline="old")
    run = logged(tracked, compared)
    assert run.data.metrics["new_vs_old_rr_difference"] == 0.25
    assert run.data.tags["rankmark.signature.rr"].startswith("RR|")
    assert pl.read_parquet(artifacts(run) / "rankmark" / "per_query.parquet").height == 12
    for candidate, verdict in ((NEW, "passed"), (OLD, "failed")):
        gate = rm.gate(QRELS, NEW, candidate, "RR", max_drop=0.01, hash_inputs=True)
        run = logged(tracked, gate)
        assert run.data.tags["rankmark.verdict"] == verdict
        assert run.data.tags["rankmark.inputs.candidate.qrels"] == gate.inputs["candidate"]["qrels"]
        assert run.data.metrics["passed"] == float(bool(gate))


def test_more_measures_than_a_request_takes(tracked: Any) -> None:
    result = rm.evaluate(QRELS, OLD, [rm.P @ k for k in range(1, 131)])
    run = logged(tracked, result, files=False)
    assert len(run.data.metrics) == 130
    assert run.data.tags["rankmark.signature.p_at_130"] == result.signature("P@130")


def test_what_is_no_result_is_refused(tracked: Any) -> None:
    with pytest.raises(UsageError, match=r"^\{'AP': 0\.5\} has no numbers to log: give a result"):
        rm.hooks.mlflow.log({"AP": 0.5})
    assert tracked.active_run() is None


def test_metrics_of_labelled_scores(tracked: Any) -> None:
    clicks = pd.DataFrame({"click": [1, 0, 1, 0, 1], "p": [0.9, 0.2, 0.3, 0.4, 0.1], "user": list("aabbb")})
    metrics = [
        rm.hooks.mlflow.make_metric("GAUC", query="user"),
        rm.hooks.mlflow.make_metric("nDCG@2", query="user"),
        rm.hooks.mlflow.make_metric(rm.AUC),
    ]
    with tracked.start_run():
        found = tracked.models.evaluate(
            data=clicks, targets="click", predictions="p", extra_metrics=metrics, evaluators="default"
        )
    columns = {"label": "click", "score": "p", "query": "user"}
    expected = rm.evaluate_predictions(clicks, ["GAUC", "nDCG@2", "AUC"], **columns).to_dict("plain")
    assert found.metrics == pytest.approx(expected, rel=1e-15)


def test_metrics_of_lists_have_a_value_of_each_row(tracked: Any) -> None:
    data = pd.DataFrame(
        {
            "inputs": ["one", "two", "three"],
            "found": [["x", "a"], ["b"], []],
            "truth": [["a", "c"], ["b"], ["d"]],
        }
    )
    with tracked.start_run():
        found = tracked.models.evaluate(
            data=data,
            targets="truth",
            predictions="found",
            extra_metrics=[rm.hooks.mlflow.make_metric("RR")],
            evaluators="default",
        )
    assert found.metrics == {"rr/mean": 0.5}
    assert found.tables["eval_results_table"]["rr/score"].tolist() == [0.5, 1, 0]


def test_a_column_that_mlflow_cannot_pass_on_is_refused() -> None:
    with pytest.raises(UsageError, match="MLflow passes on no column 'user id'"):
        rm.hooks.mlflow.make_metric("GAUC", query="user id")


EXPECTED = {"expected_retrieved_context": [{"doc_uri": "a", "relevance": 3}, {"doc_uri": "b"}]}


def test_a_scorer_of_rows_with_outputs(tracked: Any) -> None:
    data = [
        {"inputs": {"question": "one"}, "outputs": ["b", "a"], "expectations": EXPECTED},
        {"inputs": {"question": "two"}, "outputs": {"x": 0.1, "a": 0.9}, "expectations": EXPECTED},
    ]
    with tracked.start_run():
        found = tracked.genai.evaluate(data, scorers=[rm.hooks.mlflow.scorer("nDCG@5")])
    judged = {"a": 3, "b": 1}
    result = rm.evaluate({"1": judged, "2": judged}, {"1": ["b", "a"], "2": ["a", "x"]}, "nDCG@5")
    assert found.metrics == {"ndcg_at_5/mean": pytest.approx(result["nDCG@5"], rel=1e-15)}
    (assessment,) = (
        each for each in found.result_df["assessments"][0] if each["source"]["source_type"] == "CODE"
    )
    assert assessment["metadata"]["signature"].startswith("nDCG@5|")


def test_a_scorer_of_what_a_traced_retriever_found(tracked: Any) -> None:
    def found_by(question: str) -> list[Any]:
        names = ["x", "a"] if question == "one" else ["a"]
        return [tracked.entities.Document(page_content="…", metadata={"doc_uri": name}) for name in names]

    retrieve = tracked.trace(found_by, span_type="RETRIEVER")

    def answer(question: str) -> str:
        return f"see {len(retrieve(question))} documents"

    data = [{"inputs": {"question": each}, "expectations": EXPECTED} for each in ("one", "two")]
    with tracked.start_run():
        found = tracked.genai.evaluate(data, predict_fn=answer, scorers=[rm.hooks.mlflow.scorer("RR")])
    assert found.metrics == {"rr/mean": 0.75}


def test_a_scorer_without_what_is_relevant_says_so() -> None:
    score = rm.hooks.mlflow.scorer("RR", no_relevant="skip")
    with pytest.raises(DataError, match="a row has no expectation 'expected_retrieved_context'"):
        score(outputs=["a"], expectations={}, trace=None)
    with pytest.raises(DataError, match="'some text' is not what was retrieved"):
        score(outputs="some text", expectations=EXPECTED, trace=None)
    assert score(outputs=["a"], expectations={"expected_retrieved_context": {"b": 0}}, trace=None) == []


def test_plain_names_are_names_that_mlflow_allows(tracked: Any) -> None:
    numbers = {("größe-2", f"nDCG(gain={{1:{k}.5}})@{k}", "low"): 0.5 for k in range(1, 4)} | {
        ("/..", "x" * 300): 1.0
    }
    names = named(numbers, "plain")
    with tracked.start_run() as run:
        tracked.log_metrics(dict.fromkeys(names, 0.5))
    assert sorted(tracked.get_run(run.info.run_id).data.metrics) == sorted(names)
