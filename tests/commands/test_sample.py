"""`rankmark sample`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from rankmark.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_text("user,item\nu1,a\nu1,b\nu2,c\nu2,d\n")
    Path("test.csv").write_text("user,item\nu1,c\nu2,a\n")


def test_candidates_are_written_and_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["sample", "train.csv", "test.csv", "-n", "1", "--seed", "3", "-o", "c.parquet"]
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert shown.split()[:2] == ["candidates", "sampled-1"]
    assert shown.endswith("\nwritten to c.parquet\n")
    frame = pl.read_parquet("c.parquet")
    assert frame.filter(relevance=1)["item"].to_list() == ["c", "a"]
    frame.select("query", "item", score="relevance").write_csv("run.csv")
    assert main(["eval", "c.parquet", "run.csv", "-m", "HR@1", "--signature"]) == 0
    assert "candidates:sampled-1" in capsys.readouterr().out
    assert main([*line[:-1], "c.csv"]) == 0
    assert capsys.readouterr().out.endswith("how they were sampled: evaluate --candidates sampled-1\n")
    assert main(["correct-sampled", "c.parquet", "run.csv", "-m", "HR@1", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"][0]["sampled"] == 1
    assert main(["correct-sampled", "c.csv", "run.csv"]) == 1
    assert "does not say how its candidates were sampled" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("-o c.xlsx", 2, "candidates are written as .parquet"),
        ("-o ./test.csv", 2, "would overwrite the input test.csv"),
        ("-o c.csv --exponent 2", 2, "--exponent 2.0 is of --method popularity"),
        ("-o c.csv --method stratified --strata kind", 1, "items has no column 'kind' beside the items"),
        ("-o c.csv -n 2 --fewer error", 1, "2 of 2 users have fewer than 2 items"),
    ],
)
def test_what_is_refused(options: str, code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "train.csv", "test.csv", *("-n 1 " + options).split()]) == code
    assert message in capsys.readouterr().err
    assert not Path("c.csv").exists()
