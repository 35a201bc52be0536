"""``-o FILE.svg`` of every command whose result has a picture, and what is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from rankmark.cli import main

QRELS = "q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n"
OLD = "q1 Q0 a 1 2 r\nq2 Q0 x 1 3 r\nq2 Q0 b 2 2 r\nq3 Q0 c 1 1 r\n"
NEW = "q1 Q0 x 1 2 r\nq1 Q0 a 2 1 r\nq2 Q0 b 2 2 r\nq3 Q0 c 1 1 r\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "old.run": OLD, "new.run": NEW}.items():
        (tmp_path / name).write_text(text)
    rng = np.random.default_rng(0)
    score = rng.random(200)
    label = (rng.random(200) < score).astype(int)
    day = [f"2024-01-0{1 + i % 5}" for i in range(200)]
    table = pl.DataFrame({"label": label, "score": score, "other": rng.random(200), "day": day})
    table.write_csv("clicks.csv")
    return tmp_path


def title(path: Path) -> str:
    found = ElementTree.fromstring(path.read_text()).find("{http://www.w3.org/2000/svg}title")
    assert found is not None
    return found.text or ""


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("eval qrels.txt old.run -m RR", "RR"),
        ("eval qrels.txt old.run new.run -m RR", "2 systems by RR"),
        ("eval qrels.txt old.run -m nDCG@10 --like ranx --like trec_eval", "nDCG@10"),
        ("compare qrels.txt old.run new.run -m RR", "RR: "),
        ("gate qrels.txt old.run new.run -m RR --max-drop 0.5", "The gate passed"),
        ("explain qrels.txt old.run --query q2 -m RR", "q2"),
        ("identify qrels.txt old.run -m RR --value 0.8333", "RR"),
        ("predictions clicks.csv -m AUC,LogLoss", "AUC, LogLoss"),
        ("predictions clicks.csv -m PCOPC --by day", "PCOPC along day"),
        ("predictions clicks.csv -m AUC --system a=score --system b=other", "AUC"),
        ("curve clicks.csv ROC --confidence 0.95", "ROC"),
        ("curve clicks.csv KS", "KS"),
        ("curve clicks.csv F1", "F1"),
        ("curve clicks.csv scores", "Scores"),
        ("curve clicks.csv calibration", "Reliability"),
    ],
)
def test_a_file_of_a_picture_is_a_picture(files: Path, command: str, shown: str) -> None:
    assert main([*command.split(), "-o", "x.svg"]) == 0
    assert shown in title(files / "x.svg")


def test_options_of_a_curve_are_those_of_plot(files: Path) -> None:
    assert main(["curve", "clicks.csv", "KS", "-o", "ks.rankmark"]) == 0
    assert main(["plot", "ks.rankmark", "KS", "--log", "-o", "log.svg"]) == 0
    assert main(["plot", "ks.rankmark", "-o", "x.svg"]) == 0
    assert (files / "log.svg").read_text() != (files / "x.svg").read_text()


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_a_tool_that_is_lacking_is_said_before_anything_is_read(
    files: Path, ending: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert main(["eval", "none.txt", "none.run", "-m", "RR", "-o", f"x.{ending}"]) == 2
    told = capsys.readouterr().err
    assert "vl_convert is not installed: pip install 'rankmark[pictures]' (SVG needs nothing else)" in told
    assert not (files / f"x.{ending}").exists()


def test_nothing_to_draw_is_said_and_no_file_is_left(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "qrels.txt", "old.run", "-o", "x.json"]) == 0
    assert main(["predictions", "clicks.csv", "-m", "AUC", "-o", "a.rankmark"]) == 0
    assert main(["plot", "a.rankmark", "confusion", "-o", "x.svg"]) == 2
    assert "for a decision ask for Confusion" in capsys.readouterr().err
    assert not (files / "x.svg").exists()


def test_a_picture_is_no_text_for_a_terminal(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.exists()
    assert main(["curve", "clicks.csv", "ROC", "--format", "svg"]) == 2
    assert "is no text but a picture" in capsys.readouterr().err
