"""`rankmark predictions`: intervals, slices, conventions, systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

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
        "--intervals",
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
    assert "LogLoss(clip=precision)" in out
    assert "as in scikit-learn-1.9.1" in out
    assert "|like:scikit-learn-1.9.1|" in out
    _, out, _ = run("convention", "torchrec")
    assert "What it calls the measures of predictions\n  ne           NE(clip=1e-12)" in out
    assert "What it calls the measures\n" not in out


def test_a_column_to_slice_by_that_is_not_there(run: Run) -> None:
    code, out, err = run("predictions", "p.csv", "--score", "p", "--by", "cuntry")
    assert (code, out) == (1, "")
    assert "no column 'cuntry' to slice by; did you mean 'country'" in err


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score", "user_id"], 'name another column with score="…" (on the command line --score …)'),
        (["--score", "user_id"], 'if it holds predicted classes, say predicted="user_id" (on the command'),
        (["--score", "p", "--weight", "country"], 'name another column with weight="…" (on the command line'),
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
    assert "'fr' in column 'country' is not a number; correct it, or name another column with scores" in err
    assert "--system q=…" in err


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
        (["--interval-method", "dlong"], "intervals='dlong' is not one of delong"),
        (["--like", "sklern"], "did you mean 'sklearn'"),
        (["--like", "sklearn", "-m", "KS"], "sklearn has no KS"),
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "p"], "each is NAME=COLUMN"),
        (["--system", "a=p", "--system", "a=q"], "its name its own"),
        (["--system", "a=p"], "1 system to compare"),
        (["--system", "a=p", "--system", "b=q", "--by", "country"], "--by does not go with several systems"),
        (["--system", "a=p", "--system", "b=q", "--interval-method", "delta"], "not one of bca, percentile"),
        (["--system", "a=p", "--system", "b=q", "--format", "trec"], "trec"),
        (["--system", "a=p", "--system", "b=q", "--correction", "tukey"], "correction='tukey' is not one of"),
        (["--system", "a=p", "--system", "b=q", "--alternative", "grater"], "did you mean 'greater'"),
    ],
)
def test_systems_refused(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("predictions", "p.csv", *arguments)
    assert code == 2
    assert out == ""
    assert message in " ".join(err.split())
