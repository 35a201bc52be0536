"""`rankmark eval` of what is recommended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankmark.cli import main

FILES = {
    "qrels.csv": "query,item,relevance\nu1,a,1\nu2,c,1\n",
    "a.csv": "query,item,score\nu1,a,3\nu1,b,2\nu2,a,1\nu2,c,0.5\n",
    "b.csv": "query,item,score\nu1,a,3\nu2,a,1\n",
    "items.csv": "item,category\na,x\nb,y\nc,y\nd,z\n",
    "train.csv": "query,item\nu1,a\nu2,b\n",
}
KNOWN = ("--items", "items.csv", "--train", "train.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


def test_items_and_interactions_are_files(capsys: pytest.CaptureFixture[str]) -> None:
    measures = ("-m", "Coverage@2 Novelty@2 ILD@2 nDCG@2")
    assert main(["eval", "qrels.csv", "a.csv", *KNOWN, *measures, "--format", "csv"]) == 0
    shown = dict(line.split(",")[:2] for line in capsys.readouterr().out.splitlines()[1:])
    # a had one of two users, b one, and nobody c, which counts as one.
    assert {name: float(shown[name]) for name in ("Coverage@2", "Novelty@2", "ILD@2")} == {
        "Coverage@2": 0.75,
        "Novelty@2": 1.0,
        "ILD@2": 1.0,
    }


def test_without_judgements_all_files_are_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--no-qrels", "a.csv", "b.csv", *KNOWN, "-m", "Coverage@2 NotInTrain"]) == 0
    said = capsys.readouterr().out
    assert "0.7500" in said
    assert "0.2500" in said
    assert "a, b: 2 queries of the run, none judged" in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--no-qrels", "a.csv", *KNOWN, "-m", "Coverage@2", "--picture", "exposure"], 2, "add -o FILE.svg"),
        (["qrels.csv", "a.csv", "--picture", "exposre", "-o", "x.svg"], 2, "did you mean 'exposure'?"),
        (["--no-qrels", "a.csv"], 2, "without judgements there is no 'nDCG@10'"),
        (["qrels.csv", "a.csv", "-m", "Coverage@2"], 2, "--items"),
        (["qrels.csv", "a.csv", "-m", "Novelty@2", "--items", "items.csv"], 2, "--train"),
        (["qrels.csv", "a.csv", "-m", "Novelty@2", "--train", "none.csv"], 2, "none.csv"),
        (["qrels.csv", "a.csv", "-m", "ILD(by=genre)", *KNOWN], 1, "no column 'genre'"),
        (
            ["qrels.csv", "a.csv", "-m", "Coverage@2", "--items", "b.csv"],
            1,
            "in several rows",
        ),
        (["qrels.csv", "a.csv", "-m", "Coverage@2", *KNOWN, "--bounds"], 2, "orders by relevance"),
        (["qrels.csv", "a.csv", "-m", "Coverage@2", *KNOWN, "--like", "ranx"], 2, "no measures of items"),
        (["--no-qrels", "a.csv", "-m", "Novelty@2", "--like", "replay", "--like", "rectools"], 2, "--train"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *arguments]) == code
    assert said in " ".join(capsys.readouterr().err.split())


def test_files_are_read_in_batches_with_and_without_judgements(capsys: pytest.CaptureFixture[str]) -> None:
    for runs in (["qrels.csv", "a.csv"], ["--no-qrels", "a.csv", "b.csv"]):
        shown = []
        for engine in ("local", "stream"):
            assert main(["eval", *runs, *KNOWN, "-m", "Coverage@2 NotInTrain", "--engine", engine]) == 0
            shown.append(capsys.readouterr().out)
        assert shown[0] == shown[1]


def test_runs_are_compared_and_gated_by_what_they_recommend(capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--train", "train.csv", "-m", "NotInTrain@1")
    assert main(["compare", "--no-qrels", "a.csv", "b.csv", *how]) == 0
    assert "NotInTrain@1" in capsys.readouterr().out
    assert main(["gate", "--no-qrels", "a.csv", "b.csv", *how, "--max-drop", "0.1"]) == 0
    assert main(["gate", "qrels.csv", "b.csv", *how[:2], "--at-least", "NotInTrain@1=0.9"]) == 1
    assert main(["compare", "--no-qrels", "a.csv", "b.csv", *KNOWN, "-m", "Coverage@2"]) == 0
    assert "Coverage@2" in capsys.readouterr().out
    coverage = ("-m", "Coverage@2", "--max-drop", "0.1")
    assert main(["gate", "--no-qrels", "a.csv", "b.csv", *KNOWN, *coverage]) == 1
    assert main(["gate", "qrels.csv"]) == 2
    assert "Missing argument" in capsys.readouterr().err


def test_intervals_of_the_whole_run_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--no-qrels", "a.csv", *KNOWN, "-m", "Coverage@2", "--intervals"]) == 0
    assert "over 2 queries: Coverage@2 by the jackknife" in " ".join(capsys.readouterr().out.split())
    method = ("--interval-method", "bca")
    assert main(["eval", "--no-qrels", "a.csv", *KNOWN, "-m", "Coverage@2", *method]) == 2
    assert "of the whole run" in capsys.readouterr().err


def test_a_picture_is_drawn_of_what_was_evaluated_and_a_saved_result_says_how(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["eval", "--no-qrels", "a.csv", "b.csv", *KNOWN, "-m", "Coverage@2"]
    assert main([*asked, "--picture", "exposure", "-o", "x.svg"]) == 0
    assert "How evenly recommendations fall on items" in Path("x.svg").read_text()
    assert main([*asked, "-o", "x.rankmark"]) == 0
    assert main(["plot", "x.rankmark", "exposure"]) == 2
    assert "--picture exposure -o FILE.svg" in capsys.readouterr().err


def test_a_board_is_of_measures_of_items_of_runs_and_of_a_file_of_several_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [f"u{i},{item},1\n" for i in range(20) for item in "ab"[: 1 + i % 2]]
    Path("c.csv").write_text("query,item,score\n" + "".join(lines))
    Path("d.csv").write_text("query,item,score\n" + "".join(f"u{i},c,1\n" for i in range(20)))
    Path("q.csv").write_text("query,item,relevance\n" + "".join(f"u{i},a,1\n" for i in range(20)))
    novelty = ["-m", "Popularity@2"]
    assert main(["board", "--qrels", "q.csv", "c.csv", "d.csv", *KNOWN, *novelty]) == 0
    shown = capsys.readouterr().out
    assert "0.0000" in shown  # nobody had c
    assert main(["eval", "q.csv", "c.csv", "d.csv", *KNOWN, *novelty, "-o", "both.rankmark"]) == 0
    assert main(["board", "both.rankmark", *novelty]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == shown.splitlines()[:4]


def test_a_table_says_of_which_measures_of_items_more_is_not_better(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measures = "nDCG@2 Coverage@2 ExposureGini@2 GroupExposure(by=category)@2 Popularity@2"
    assert main(["eval", "qrels.csv", "a.csv", *KNOWN, "-m", measures]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[-2:] == [
        "less is better of ExposureGini@2",
        "neither more nor less is better of GroupExposure and Popularity@2",
    ]
    assert main(["eval", "qrels.csv", "a.csv", *KNOWN, "-m", "nDCG@2 Coverage@2"]) == 0
    assert "better" not in capsys.readouterr().out


def test_power_plans_by_runs_alone_and_by_what_is_known_of_items(capsys: pytest.CaptureFixture[str]) -> None:
    measures = ("-m", "Novelty@2", "--difference", ".1", "--format", "json")
    assert main(["power", "--no-qrels", "a.csv", "b.csv", *KNOWN, *measures]) == 0
    (alone,) = json.loads(capsys.readouterr().out)["rows"]
    assert main(["power", "qrels.csv", "a.csv", "b.csv", *KNOWN, *measures]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [alone]  # both queries are judged
    assert (alone["measure"], alone["queries"]) == ("Novelty@2", 2)
    for given, said in (
        (["--no-qrels", "a.csv", *measures], "and the only one; give two or more"),
        (["--items", "items.csv", "--deviation", ".2"], "--items is of runs, and none are given"),
    ):
        assert main(["power", *given]) == 2
        assert said in capsys.readouterr().err


def test_a_report_of_runs_without_judgements_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="NOT COMPARED: jinja2 is not installed")
    assert main(["report", "--no-qrels", "a.csv", "b.csv", *KNOWN, "-m", "Novelty@2", "-o", "r.html"]) == 0
    assert "none judged" in Path("r.html").read_text()
    assert main(["report", "--no-qrels", "a.csv", "--predictions", "-o", "r.html"]) == 2
    assert "--no-qrels is of lists" in capsys.readouterr().err
