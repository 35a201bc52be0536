"""`rankmark logged`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmark.cli import main
from small_tables import FILES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(FILES["log.csv"])


def test_a_column_and_a_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["logged", "log.csv", "--policy", "new", "-e", "IPS", "-e", "IPS(clip=1)", "--format", "json"])
        == 0
    )
    found = json.loads(capfd.readouterr().out)
    assert [each["estimator"] for each in found["estimates"]] == ["mean", "IPS", "IPS(clip=1)"]
    assert found["estimates"][1]["value"] == pytest.approx(1.8 / 4)
    assert found["estimates"][2]["value"] == pytest.approx(1 / 4)
    Path("runs.csv").write_text("query,item,score\nq,a,1\n")
    Path("lists.csv").write_text(
        "query,item,position,impression,propensity,click\nq,a,1,1,.5,1\nq,b,2,1,.5,0\nq,b,1,2,.5,0\nq,a,2,2,.5,1\n"
    )
    line = "logged lists.csv --policy best=runs.csv -e RIPS --value DCG@1 --by query --format csv"
    assert main(line.split()) == 0
    assert "best,RIPS,query=q,1.0," in capfd.readouterr().out


def test_mistakes_exit_with_2_and_say_what_to_do(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["logged", "log.csv", "--policy", "nwe"]) == 2
    assert "neither a column of the log nor a file; did you mean 'new'" in capfd.readouterr().err
    assert main(["logged", "log.csv", "--policy", "new", "-e", "DR"]) == 2
    assert "give --expected" in capfd.readouterr().err
    Path("log.csv").write_text("item,click,propensity,new\na,1,0,.9\n")
    assert main(["logged", "log.csv", "--policy", "new"]) == 1
    assert "no chance above 0 to 1" in capfd.readouterr().err


def test_help_says_how_estimators_are_written(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["logged", "--help"]) == 0
    shown = capfd.readouterr().out
    assert "SwitchDR(threshold=…)" in shown
    assert "DRos(shrinkage=…)" in shown
