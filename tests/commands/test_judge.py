"""`rankmark judge`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.cli import main

QUERIES = [f"q{number}" for number in range(30)]
JUDGE = {query: {"a": number % 2, "b": 1, "c": number % 3} for number, query in enumerate(QUERIES)}
PEOPLE = {query: {"a": 1, "b": number % 2, "c": 0} for number, query in enumerate(QUERIES[:12])}
RUNS = {
    "old": {query: ["a", "b", "c"] for query in QUERIES},
    "new": {query: ["b", "c", "a"] for query in QUERIES},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with labels, runs and attributes."""
    monkeypatch.chdir(tmp_path)
    for name, labels in (("people.txt", PEOPLE), ("judge.txt", JUDGE)):
        lines = (f"{q} 0 {item} {grade}\n" for q, items in labels.items() for item, grade in items.items())
        Path(name).write_text("".join(lines))
    for name, run in RUNS.items():
        rows = ((q, item, 3 - at) for q, items in run.items() for at, item in enumerate(items))
        Path(f"{name}.run").write_text("".join(f"{q} Q0 {item} 0 {score} x\n" for q, item, score in rows))
    kinds = (f"{query},{'even' if number % 2 else 'odd'}\n" for number, query in enumerate(QUERIES))
    Path("kinds.csv").write_text("query,kind\n" + "".join(kinds))
    chances = (f"{q},{item},{grade},0.5\n" for q, own in PEOPLE.items() for item, grade in own.items())
    Path("some.csv").write_text("query,item,relevance,chance\n" + "".join(chances))


def shown(line: str, capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["judge", *line.split()]) == 0
    return capfd.readouterr().out


def test_it_says_what_the_function_says(capfd: pytest.CaptureFixture[str]) -> None:
    line = "people.txt judge.txt old.run new.run -m RR -m P@2 --baseline old --by kind --attributes kinds.csv"
    found = json.loads(shown(f"{line} --format json", capfd))
    want = rm.evaluate_with_judge(
        PEOPLE, JUDGE, RUNS, ["RR", "P@2"], baseline="old", by="kind", attributes="kinds.csv"
    )
    for part in ("values", "differences", "slices"):
        assert [each["value"] for each in found[part]] == pytest.approx(
            [each.value for each in getattr(want, part)]
        )
    table = shown(line, capfd)
    assert "new − old" in table
    assert "labels of people: 12 of 30 queries" in table
    strata = shown("people.txt judge.txt new=new.run -m RR --strata kind --attributes kinds.csv", capfd)
    assert "each of 2 strata" in strata
    sampled = shown("some.csv judge.txt new.run -m P@2 --inclusion chance --format csv", capfd)
    assert len(sampled.splitlines()) == 2


def test_help_names_what_there_is(capfd: pytest.CaptureFixture[str]) -> None:
    told = " ".join(shown("--help", capfd).split())
    assert "How much the judge counts: 0 not at all, 1 as it is." in told
    assert "pictures" not in told


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("people.txt", 2, "JUDGE_QRELS"),
        ("judge.txt people.txt old.run", 1, "are the two swapped?"),
        ("people.txt judge.txt old.run --power x", 2, "--power"),
        ("people.txt judge.txt old.run --power -1", 2, "--power -1 is below 0"),
        ("people.txt judge.txt old.run --tuning x", 2, "--tuning x is not one of shrunken, plug-in"),
        ("people.txt judge.txt old.run --strata kind", 1, "--strata kind: no table has such a column"),
        ("people.txt judge.txt old.run -m nDCG@10 --inclusion counts", 2, "nDCG@10 is no sum over items"),
        ("people.txt judge.txt old.run -o people.txt", 2, "people.txt"),
    ],
)
def test_what_cannot_be_is_refused(
    line: str, code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = Path("people.txt").read_text()
    assert main(["judge", *line.split()]) == code
    out, err = capfd.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert not out
    assert Path("people.txt").read_text() == before
