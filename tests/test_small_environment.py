"""What works where a large dependency was left out, and what is said where it does not."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from processes import ran

pytestmark = pytest.mark.process
WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("rich", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from rankmark.cli import main

sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(params=["txt", "csv", "parquet"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Judgements and a run of this format."""
    qrels = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "b", "a"], "relevance": [1, 0, 2]})
    run = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["b", "a", "a"], "score": [2.0, 1.0, 3.0]})
    written = []
    for name, table in (("qrels", qrels), ("run", run)):
        path = tmp_path / f"{name}.{request.param}"
        if request.param == "parquet":
            table.write_parquet(path)
        elif request.param == "csv":
            table.write_csv(path)
        else:
            filled = ("{0} 0 {1} {2}", "{0} Q0 {1} 1 {2} x")[name == "run"]
            path.write_text("".join(filled.format(*row) + "\n" for row in table.rows()))
        written.append(str(path))
    return written[0], written[1]


def test_files_are_evaluated_without_scipy_and_rich(files: tuple[str, str]) -> None:
    done = ran([sys.executable, "-c", WITHOUT, "eval", *files, "-m", "RR AP"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("measure   value\n-------  ------\nRR       0.7500\nAP       0.7500\n")


@pytest.mark.parametrize("files", ["txt"], indirect=True)
@pytest.mark.parametrize("asked", [("eval", "--intervals"), ("compare",)], ids="".join)
def test_a_command_that_needs_scipy_says_so(files: tuple[str, str], asked: tuple[str, ...]) -> None:
    qrels, run = files
    runs = [run, f"other={run}"] if asked[0] == "compare" else [run]
    done = ran([sys.executable, "-c", WITHOUT, asked[0], qrels, *runs, "-m", "RR", *asked[1:]])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("rankmark: error: scipy is not installed, which this needs: pip install scipy\n")
