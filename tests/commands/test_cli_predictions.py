"""`rankmark predictions`: intervals, slices, conventions, systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rankmark.cli import main

Run = Callable[..., tuple[int, str, str]]
ROWS = [
    (f"u{i % 4}", i % 3 == 0, 0.05 + 0.9 * ((i * 7) % 24) / 24, ((i * 5) % 24) / 24, "de" if i % 2 else "fr")
    for i in range(24)
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with a table of clicks."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{user},{int(click)},{p},{q},{country}" for user, click, p, q, country in ROWS]
    Path("p.csv").write_text("\n".join(["user_id,click,p,q,country", *lines]) + "\n")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process: exit code, output, errors."""

    def call(*args: str) -> tuple[int, str, str]:
        code = main(list(args))
        return code, *capfd.readouterr()

    return call


def test_intervals_and_slices(run: Run) -> None:
    code, out, err = run("predictions", "p.csv", "--score", "p", "--intervals", "--by", "country")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["measure", "value", "low", "high"]
    assert "measure  country  rows  positive" in out
    _, out, _ = run(
        "predictions",
        "p.csv",
        "--score",
        "p",
        "-m",
        "PCOPC",
        "--interval-method",
        "delta",
        "--format",
        "json",
    )
    assert json.loads(out)["measures"]["PCOPC"]["interval"]["method"] == "delta"
    _, out, _ = run(
        "predictions",
        "p.csv",
        "--score",
        "p",
        "-m",
        "KS",
        "--interval-method",
        "bca",
        "--resamples",
        "50",
        "--confidence",
        "0.9",
    )
    assert "90% intervals over 4 queries: KS by the bootstrap (BCa), 50 resamples" in " ".join(out.split())


def test_conventions(run: Run) -> None:
    _, out, _ = run(
        "predictions", "p.csv", "--score", "p", "-m", "log_loss", "--like", "sklearn", "--signature"
    )
    assert "\nlog_loss  " in out
    assert "LogLoss|clip:precision|" in out
    assert "as in scikit-learn-1.9.1" in out
    assert "|like:scikit-learn-1.9.1|" in out
    _, out, _ = run("convention", "torchrec")
    assert "What it calls the measures of predictions\n  ne           NE(clip=1e-12)" in out
    assert "What it calls the measures\n" not in out


def test_without_a_measure_the_usual_ones_that_a_tool_has(run: Run) -> None:
    code, out, _ = run("predictions", "p.csv", "--score", "p", "--like", "sklearn")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["AUC", "LogLoss(clip=precision)"]
    assert not out.splitlines()[4]  # scikit-learn has neither NE nor PCOPC


def test_values_of_queries_in_a_parquet_file(run: Run) -> None:
    asked = ["predictions", "p.csv", "--score", "p", "-m", "GAUC nDCG@3", "-q"]
    assert run(*asked, "-o", "values.parquet") == (0, "", "")
    _, csv, _ = run(*asked, "--format", "csv")
    assert pl.read_parquet("values.parquet").write_csv() == csv


def test_slices_show_no_empty_columns_and_say_why_there_is_no_value(run: Run) -> None:
    Path("one.csv").write_text("click,p,by\n1,.5,a\n0,.4,a\n1,.6,b\n1,.7,c\n")
    _, out, _ = run("predictions", "one.csv", "-m", "AUC Brier", "--by", "by")
    assert "measure  by  rows  positive   value\n" in out
    assert out.endswith("\n\nno value of AUC in 2 slices (b, c): every row is positive\n")
    _, out, _ = run("predictions", "one.csv", "-m", "RMSE", "--by", "by")
    assert "measure  by  rows   value\n" in out


def test_labels_of_false_can_be_the_positive_ones(run: Run) -> None:
    Path("one.csv").write_text("click,p\ntrue,.5\nfalse,.4\nfalse,.6\n")
    for engine in ("local", "stream"):
        _, out, _ = run(
            "predictions",
            "one.csv",
            "-m",
            "AUC",
            "--positive",
            "false",
            "--engine",
            engine,
            "--format",
            "csv",
        )
        assert out.splitlines()[1] == "AUC,0.5"


def test_a_separator_that_is_not_that_of_the_ending(run: Run) -> None:
    Path("semi.csv").write_text("click;p\n1;.5\n0;.4\n")
    for options in ([], ["--score", "p"]):
        code, _, err = run("predictions", "semi.csv", *options)
        assert code == 1
        assert "it looks separated by ';', which its format is not" in err


def test_a_first_line_that_names_no_columns(run: Run) -> None:
    Path("rows.csv").write_text("1,0.5\n0,0.25\n")
    code, _, err = run("predictions", "rows.csv")
    assert code == 1
    assert "no column known as the label; its first line should name the columns, and holds numbers" in err


def test_choices_of_lists(run: Run) -> None:
    Path("lists.csv").write_text("user,item,click,p\na,x,1,.5\na,x,0,.9\na,y,0,.4\nb,x,0,.5\n")
    asked = ["predictions", "lists.csv", "-m", "RR", "--format", "csv"]
    code, _, err = run(*asked)
    assert code == 1
    assert "choose --duplicates first or best" in err
    _, out, _ = run(*asked, "--duplicates", "first")
    assert out == "measure,value\nRR,0.5\n"
    _, out, _ = run(*asked, "--duplicates", "first", "--no-relevant", "skip")
    assert out == "measure,value\nRR,1.0\n"
    code, _, err = run(*asked, "--no-relevant", "skp")
    assert code == 2
    assert "did you mean 'skip'" in err


def test_a_curve_has_no_format_of_trec(run: Run) -> None:
    code, _, err = run("curve", "p.csv", "ROC", "--score", "p", "--format", "trec")
    assert code == 2
    assert "--format trec is not one of table, json, csv, markdown, latex, typst, html" in err


def test_a_calibration_has_no_points(run: Run) -> None:
    for option in (["--points", "5"], ["--exact"]):
        code, _, err = run("curve", "p.csv", "calibration", "--score", "p", *option)
        assert code == 2
        assert f"{option[0]} is of thresholds; calibration has --bins" in err


def test_a_column_to_slice_by_that_is_not_there(run: Run) -> None:
    code, out, err = run("predictions", "p.csv", "--score", "p", "--by", "cuntry")
    assert (code, out) == (1, "")
    assert "no column 'cuntry' to slice by; did you mean 'country'" in err


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score", "user_id"], "name another column with --score …"),
        (["--score", "user_id"], "if it holds predicted classes, say --predicted user_id"),
        (["--score", "p", "--weight", "country"], "name another column with --weight …"),
        (["--score", "p", "-m", "GAUC(weight=country)"], "name another column to weigh queries by"),
    ],
)
def test_words_for_numbers(run: Run, arguments: list[str], message: str, engine: str) -> None:
    code, _, err = run("predictions", "p.csv", "-m", "LogLoss", *arguments, "--engine", engine)
    assert code == 1
    assert "predictions 'p.csv', row 0 (from 0): " in err
    assert "is not a number; correct it, or name another column" in err
    assert message in err


def test_words_for_the_scores_of_a_system(run: Run) -> None:
    Path("q.csv").write_text(Path("p.csv").read_text())
    code, _, err = run("predictions", "p.csv", "q.csv", "--system", "p=p", "--system", "q=country")
    assert code == 1
    assert (
        "'fr' in column 'country' is not a number; correct it, or name another column with --system q=…"
        in err
    )


def test_systems(run: Run) -> None:
    code, out, _ = run(
        "predictions",
        "p.csv",
        "-m",
        "AUC Brier",
        "--system",
        "old=p",
        "--system",
        "new=q",
        "--baseline",
        "old",
    )
    assert code == 0
    assert out.splitlines()[0].split() == ["measure", "old", "new"]
    assert out.splitlines()[5].partition("difference")[2].split() == ["95%", "interval", "p", "p", "(holm)"]
    assert "corrected by Holm over 2 tests" in " ".join(out.split())
    assert "* differs from old (p ≤ 0.05)" in out


def test_systems_tested_in_another_way(run: Run) -> None:
    systems = ["predictions", "p.csv", "-m", "AUC", "--system", "old=p", "--system", "new=q"]
    options = ["--alternative", "less", "--correction", "bonferroni", "--alpha", "0.9"]
    code, out, _ = run(*systems, *options, "--format", "json")
    record = json.loads(out)
    assert code == 0
    assert (record["alternative"], record["correction"], record["alpha"]) == ("less", "bonferroni", 0.9)
    _, out, _ = run(*systems, "--correction", "none", "--alternative", "greater")
    assert "(none)" not in out
    assert "one-sided (greater); 1 test, not corrected" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--interval-method", "dlong"], "--intervals dlong is not one of delong"),
        (["--like", "sklern"], "did you mean 'sklearn'"),
        (["--like", "sklearn", "-m", "KS"], "sklearn has no KS"),
        (["--like", "sklearn", "--like", "recbole"], "--like is said 2 times"),
        (["--like", "trec_eval"], "trec_eval has no AUC; it has no measures of predictions"),
        (["--by", "country", "--format", "trec"], "--format trec has no place for --by"),
        (["--per-class", "--format", "trec"], "--format trec has no place for --per-class"),
        (["-m", "GAUC", "-o", "x.parquet"], "add -q and -o FILE"),
        (["-m", "AUC", "-q", "-o", "x.parquet"], "no measure here has any"),
        (["-m", "GAUC(weight=ad spend)"], "'ad spend' is neither a word, a text in quotes, a number"),
        (["--baseline", "a"], "--baseline is for several systems"),
        (["--alpha", "0.05"], "--alpha is for several systems"),
        (["--correction", "holm"], "--correction is for several systems"),
    ],
)
def test_refused(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("predictions", "p.csv", "--score", "p", *arguments)
    assert code == 2
    assert out == ""
    assert message in " ".join(err.split())


def test_systems_in_slices(run: Run) -> None:
    call = ["predictions", "p.csv", "--system", "a=p", "--system", "b=q", "--by", "country", "-m", "AUC"]
    code, out, err = run(*call)
    assert (code, err) == (0, "")
    assert "measure  system  baseline  country  rows" in out
    Path("users.csv").write_text("user_id,age\nu1,18-29\nu2,<18\n")
    code, out, err = run(*call[:-4], "--by", "age", "--attributes", "users.csv", "-m", "AUC")
    assert (code, err) == (0, "")
    assert "measure  system  baseline  age" in out
    code, out, _ = run(*call, "--format", "csv")
    assert out.startswith("by,slice,members,measure,system,baseline,value")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "p"], "each is NAME=COLUMN"),
        (["--system", "a=p", "--system", "a=q"], "its name its own"),
        (["--system", "a=p"], "1 system to compare"),
        (
            ["--system", "a=p", "--system", "b=q", "--confusion"],
            "--confusion does not go with several systems",
        ),
        (["--system", "a=p", "--system", "b=q", "--interval-method", "delong"], "is of AUC, not of LogLoss"),
        (["--system", "a=p", "--system", "b=q", "--format", "trec"], "trec"),
        (["--system", "a=p", "--system", "b=q", "--correction", "tukey"], "--correction tukey is not one of"),
        (["--system", "a=p", "--system", "b=q", "--alternative", "grater"], "did you mean 'greater'"),
    ],
)
def test_systems_refused(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("predictions", "p.csv", *arguments)
    assert code == 2
    assert out == ""
    assert message in " ".join(err.split())
