"""Predictions as MTEB saves them, read without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.cli import main


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    predictions, qrels = tmp_path / "predictions", tmp_path / "qrels"
    predictions.mkdir()
    model = {"mteb_model_meta": {"model_name": "m", "revision": "1"}}
    lists = model | {"default": {"test": {"q1": {"d1": 0.5, "d2": 0.75}, "q2": {"d1": 0.5}}}}
    (predictions / "Lists_predictions.json").write_text(json.dumps(lists))
    (predictions / "Classes_predictions.json").write_text(
        json.dumps(model | {"default": {"test": [[0, 1, 1]]}})
    )
    (qrels / "Lists" / "qrels").mkdir(parents=True)
    judged = qrels / "Lists" / "qrels" / "test.tsv"
    judged.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\n")
    return predictions, qrels


def test_judgements_are_found_as_beir_has_them_or_in_a_file_a_task(folders: Any) -> None:
    predictions, qrels = folders
    assert rm.hooks.mteb.evaluate(predictions, qrels, "RR")["Lists"]["RR"] == 0.75
    judged = qrels / "Lists" / "qrels" / "test.tsv"
    judged.rename(qrels / "judged.tsv")
    with pytest.raises(
        rm.FileMissingError,
        match=r"no judgements for the predictions of Lists: none of .*Lists/qrels/test.tsv",
    ):
        rm.hooks.mteb.evaluate(predictions, qrels, "RR")
    (qrels / "Lists.qrels").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    assert rm.hooks.mteb.evaluate(predictions, qrels, "RR", intervals=True)["Lists"]["RR"] == 0.75


def test_the_command_line_shows_all_tasks(folders: Any, capfd: pytest.CaptureFixture[str]) -> None:
    predictions, qrels = folders
    command = ["eval", str(qrels), "--mteb", str(predictions), "-m"]
    assert main([*command, "RR P@1", "--format", "csv"]) == 0
    out, told = capfd.readouterr()
    assert out.split() == ["measure,value", "RR,0.75", "P@1,0.5"]
    assert told == "passed over, as they are no lists of documents: Classes\n"
    other = json.loads((predictions / "Lists_predictions.json").read_text())
    other["default"]["dev"] = {"q1": {"d1": 0.5}}
    (predictions / "Lists_predictions.json").write_text(json.dumps(other))
    (qrels / "Lists" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    assert main([*command, "RR"]) == 0
    assert "Lists/default/dev" in capfd.readouterr().out
    for more, message in (
        (["run.txt"], "--mteb names the predictions: take the runs out"),
        (["--like", "ranx", "--like", "trec_eval"], "--mteb shows one --like"),
        (["--by", "kind"], "--mteb shows predictions without --by"),
    ):
        assert main([*command, "RR", *more]) == 2
        assert message in capfd.readouterr().err


def test_what_is_wrong_with_a_task_is_said_with_its_name(folders: Any) -> None:
    predictions, qrels = folders
    lists = {"default": {"test": {"q1": {"d1": "much"}}}}
    (predictions / "Lists_predictions.json").write_text(json.dumps(lists))
    with pytest.raises(rm.RankmarkError, match=r"^Lists: .*'much'"):
        rm.hooks.mteb.evaluate(predictions, qrels, "RR")
    (qrels / "Lists" / "task.json").write_text("[]")
    with pytest.raises(rm.FormatError, match=r"task.json' is not what save_qrels writes"):
        rm.hooks.mteb.evaluate(predictions, qrels, "RR")


def test_what_is_no_file_of_predictions_is_refused(folders: Any) -> None:
    predictions, qrels = folders
    with pytest.raises(
        rm.FileMissingError, match=r"has no predictions of MTEB, which are called TASK_predictions"
    ):
        rm.hooks.mteb.evaluate(qrels, qrels, "RR")
    (predictions / "Lists_predictions.json").unlink()
    with pytest.raises(rm.DataError, match="has predictions, but none of lists of documents for queries"):
        rm.hooks.mteb.evaluate(predictions, qrels, "RR")
    (predictions / "Lists_predictions.json").write_text("[1]")
    with pytest.raises(rm.FormatError, match=r"Lists_predictions.json' is no file of predictions of MTEB"):
        rm.hooks.mteb.evaluate(predictions, qrels, "RR")
    with pytest.raises(rm.UsageError, match="Mine is no task of retrieval or reranking"):
        rm.hooks.mteb.save_qrels(Mine, qrels)


class Mine:
    class metadata:  # noqa: N801
        name = "Mine"
