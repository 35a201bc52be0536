"""Values that nobody means: too large, too many, of another kind, no text. Each is refused in words."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import rankmark as rm
from rankmark.cli import main

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")
HUGE = 10**400
ENDLESS = 10**5000
"""More digits than Python writes."""
SCORES, RELEVANCE = np.array([[3.0, 2.0, 1.0, 0.0]]), np.array([[0, 1, 1, 0]])
QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
ROWS = {"label": [1, 0], "score": [0.9, 0.1]}
RESULT = rm.evaluate(QRELS, RUN, "AP")
HALF = "a\ud800"
"""Half of a character."""


def sparse(kind: str = "csr", **parts: list[Any]) -> Any:
    made = getattr(sp, f"{kind}_matrix")(RELEVANCE)
    for name, values in parts.items():
        setattr(made, name, np.array(values))
    return made


def arrays(relevance: Any = RELEVANCE, **options: Any) -> Callable[[], object]:
    return lambda: rm.evaluate_arrays(SCORES, relevance, "AP", **options)


def lists(measure: Any = "AP", **options: Any) -> Callable[[], object]:
    return lambda: rm.evaluate(QRELS, RUN, measure, **options)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "k": (arrays(k=2**63), "k=9223372036854775808 is not a whole number from 1 to 1,000,000,000"),
    "cutoff": (lambda: rm.P @ ENDLESS, "P@a number of thousands of digits: the cutoff is"),
    "cutoff in a text": (lists("P@" + "9" * 5000), r"a number of 5,000 digits is too large"),
    "grade in a text": (lists("P@5-l" + "9" * 5000), r"a number of 5,000 digits is too large"),
    "parameter": (lambda: rm.P(rel=HUGE), r"P: rel=1000+… \(401 characters\) is not a number"),
    "endless parameter": (lambda: rm.P(rel=ENDLESS), "P: rel=a number of thousands of digits is not"),
    "parameter in a text": (lists(f"P(rel={HUGE})@5"), r"P: rel=10+…"),
    "gains": (lambda: rm.nDCG(gain={1: HUGE}), "nDCG: gain="),
    "several": (lists(f"IPrec(recall=[0.1,{HUGE}])"), "IPrec: recall="),
    "grade": (lambda: rm.evaluate({"q": {"a": HUGE}}, RUN, "AP"), "qrels: a relevance is too large"),
    "score": (lambda: rm.evaluate(QRELS, {"q": {"a": HUGE}}, "AP"), "run: a score is too large"),
    "memory": (lists(memory=2**70), "is more than any machine has"),
    "memory in a text": (lists(memory="9" * 400), "is not an amount such as"),
    "seed": (lists(ties="random", seed=ENDLESS), "seed=a number of thousands of digits is not"),
    "resamples": (
        lambda: rm.compare(QRELS, {"a": RUN, "b": RUN}, "AP", resamples=10**9),
        "resamples=1000000000 is not a whole number from 1 to 10,000,000",
    ),
    "resamples of rows": (
        lambda: rm.evaluate_predictions(ROWS, "AUC", intervals="bca", resamples=HUGE),
        "is not a whole number from 1 to 10,000,000",
    ),
    "negative digits": (lambda: RESULT.format("table", -1), "digits=-1 is not a whole number from 0 to 17"),
    "half a digit": (lambda: RESULT.format("trec", 1.5), "digits=1.5"),  # type: ignore[arg-type]
    "many digits": (lambda: RESULT.write("x.txt", digits=10**9), "digits=1000000000"),
    "short indptr": (arrays(sparse(indptr=[0])), r"relevance is no valid CSR matrix: indptr needs 2 numbers"),
    "falling indptr": (arrays(sparse(indptr=[2, 0])), "indptr needs 2 numbers that begin with 0"),
    "negative indptr": (arrays(sparse(indptr=[-5, 2])), "indptr needs 2 numbers that begin with 0"),
    "long indptr": (arrays(sparse(indptr=[0, 99])), "indptr ends at 99, with 2 indices and 2 data"),
    "little data": (arrays(sparse(data=[1])), "indptr ends at 2, with 2 indices and 1 data"),
    "excluded": (arrays(exclude=sparse(indptr=[0, 99])), "exclude is no valid CSR matrix"),
    "column": (arrays(sparse(indices=[1, 99])), "none of the 4 columns"),
    "row": (arrays(sparse("csc", indices=[0, 5])), "no valid CSC matrix"),
    "label": (lambda: rm.evaluate_predictions({**ROWS, "label": np.matrix([1, 0]).T}, "AUC"), "dict is"),
    "item": (lambda: rm.evaluate({"q": {HALF: 1}}, RUN, "AP"), r"qrels, row 0 .*half of a character"),
    "query": (lambda: rm.evaluate(QRELS, [("q", "a", 1), (HALF, "a", 1)], "AP"), "run, row 1 .*half of"),
    "path": (lambda: rm.evaluate("a\0b", RUN, "AP"), r"there is no file .a\\x00b"),
    "path of half a character": (lambda: rm.evaluate_predictions(HALF, "AUC"), "is not UTF-8; rename it"),
    "signature": (lambda: rm.from_signature(f"AUC|positive:{HALF}|rankmark:0.1.0"), "half of a character"),
    "signature with a cutoff": (lambda: rm.from_signature(f"P@{'9' * 5000}|rankmark:0.1.0"), "too large"),
    "signature with a parameter": (lambda: rm.from_signature(f"P|rel:{HUGE}|rankmark:0.1.0"), "rel=1000"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_in_words(call: Callable[[], object], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message) as found:
        call()
    assert len(str(found.value)) < 700


def test_matrices_of_numpy_are_arrays() -> None:
    expected = rm.evaluate_arrays(SCORES, RELEVANCE, "AP").values
    assert rm.evaluate_arrays(np.matrix(SCORES), np.matrix(RELEVANCE), "AP").values == expected
    factors = rm.evaluate_factors(np.matrix(SCORES), np.matrix(np.eye(4)), np.matrix(RELEVANCE), "AP")
    assert factors.values == expected


def test_an_interrupt_among_batches_of_arrow_stays_one() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"query": ["q"], "item": ["a"], "relevance": [1]})
        raise KeyboardInterrupt

    schema = pa.schema([("query", pa.string()), ("item", pa.string()), ("relevance", pa.int64())])
    with pytest.raises(KeyboardInterrupt):
        rm.evaluate(pa.RecordBatchReader.from_batches(schema, batches()), RUN, "AP")


@pytest.mark.parametrize("query", ["q\tz", "q\nmap\tall\t1.0", "q\r", "q\u2028z"])
def test_no_id_forges_fields_or_lines_of_trec_evals_format(query: str) -> None:
    result = rm.evaluate({query: {"a": 1}}, {query: {"a": 1.0}}, "AP")
    with pytest.raises(rm.UsageError, match="has a tab or the end of a line in it"):
        result.to_trec(per_query=True)
    assert result.to_trec() == "map                   \tall\t1.0000\n"


IDS = ["=1+1", "+x", "-x", "@x", "a,b", 'a"b', "a\nb", "\x1b[31m", "\t=1"]


def test_ids_read_back_from_csv(tmp_path: Path) -> None:
    result = rm.evaluate({each: {"a": 1} for each in IDS}, {each: {"a": 1.0} for each in IDS}, "AP")
    path = tmp_path / "x.csv"
    result.write(path, per_query=True)
    with path.open(newline="") as file:
        assert [row["query"] for row in csv.DictReader(file)] == result.query_ids


class Terminal(StringIO):
    """A terminal that remembers what it was sent."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("form", ["table", "csv", "trec", "json", "markdown", "latex"])
def test_no_id_steers_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    (tmp_path / "q").write_text("q\x1b[31m 0 a 1\n")
    (tmp_path / "r").write_text("q\x1b[31m Q0 a 1 2 t\n")
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "-q", "--format", form]) == 0
    assert "[31m" in out.getvalue() or form in ("latex", "json")
    assert "\x1b" not in out.getvalue()


def test_no_name_of_a_file_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "\x1b]0;title\x07", "r"]) == 2
    assert main(["\x1b[31m"]) == 2
    assert main(["eval", "--\x1b[31m"]) == 2
    assert "\x1b" not in capsys.readouterr().err


OPTIONS = [
    ["-m", f"P(rel={HUGE})@5"],
    ["-m", f"P@{'9' * 5000}"],
    ["-m", f"nDCG(gain={{1:{HUGE}}})"],
    ["--memory", "9" * 400],
    ["--memory", "9999999999999999999TiB", "--engine", "stream"],
    ["--seed", str(HUGE), "--ties", "random"],
    ["--digits", "99"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options[0])
def test_options_are_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "r").write_text("q Q0 a 1 2 t\n")
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), *options]) == 2
    assert "rankmark: error:" in capsys.readouterr().err


def test_a_check_of_an_empty_file_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert main(["check", str(empty), str(empty)]) == 1
    assert "is empty" in capsys.readouterr().err
