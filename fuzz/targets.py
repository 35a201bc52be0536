"""What is fuzzed in Python: functions of bytes that raise where something is wrong.

Of what rankmark refuses it says so by its own errors; these are answers. Everything else that is raised, a
crash and a hang are finds.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import rankmark as rm
from rankmark.cli import main
from rankmark.language.grammar import split_measures
from rankmark.results.archive import sealed
from rankmark.results.saved import HEADER

__all__ = ["TARGETS"]

ARRAYS = "arrays.arrow"


def measures(data: bytes) -> None:
    """Texts that ask for measures: what one is written as asks for the same one."""
    for text in split_measures(_text(data)):
        with suppress(rm.RankmarkError):
            measure = rm.parse(text)
            again = rm.parse(str(measure))
            assert again == measure, f"{text!r} is {measure!r}, and that {again!r}"
            assert again.signature() == measure.signature()


def signatures(data: bytes) -> None:
    """Signatures: what one is written as, in full and in short, describes the same evaluation."""
    try:
        evaluation = rm.from_signature(_text(data))
    except rm.RankmarkError:
        return
    if evaluation.convention not in {None, *(record.label for record in rm.conventions().values())}:
        return  # of an earlier version that had another record of the tool
    full, short = evaluation.signature(), evaluation.signature(short=True)
    assert rm.from_signature(full).signature() == full, full
    assert rm.from_signature(short).signature(short=True) == short, short


def saved(data: bytes) -> None:
    """Saved results: JSON and, behind a NUL, arrays, sealed as `save` does it; or a file as it is."""
    header, nul, arrays = data.partition(b"\0")
    if data.startswith(b"{"):
        data = sealed({HEADER: header, **({ARRAYS: arrays} if nul else {})})
    with _folder():
        Path("x.rankmark").write_bytes(data)
        with suppress(rm.RankmarkError):
            loaded = rm.load("x.rankmark")
            if not isinstance(loaded, (rm.Evaluator, rm.PredictionEvaluator)):
                loaded.save("again.rankmark")


ENDINGS = (".parquet", ".arrow", ".arrows", ".csv", ".tsv", ".json", ".jsonl", ".txt")


def tables(data: bytes) -> None:
    """Files of every format, by their first byte: judgements, results and labelled scores."""
    if not data:
        return
    name = f"table{ENDINGS[data[0] % len(ENDINGS)]}"
    with _folder():
        Path(name).write_bytes(data[1:])
        with suppress(rm.RankmarkError):
            rm.evaluate(name, {"q1": {"a": 0.5, "b": 0.25}}, "nDCG@10, RR")
        with suppress(rm.RankmarkError):
            rm.evaluate({"q1": {"a": 1}}, name, "nDCG@10, RR", duplicates="best")
        with suppress(rm.RankmarkError):
            rm.evaluate_predictions(name, "AUC, LogLoss")


FILES = {
    "qrels.txt": "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\n",
    "a.run": "q1 Q0 a 1 3.0 a\nq1 Q0 b 2 2.0 a\nq2 Q0 x 1 1.0 a\nq2 Q0 c 2 0.5 a\nq3 Q0 d 1 1.0 a\n",
    "b.run": "q1 Q0 b 1 3.0 b\nq2 Q0 c 1 1.0 b\n",
    "p.csv": "label,score,other,user\n1,.9,.4,u\n0,.8,.5,u\n1,.7,.6,v\n0,.1,.7,v\n",
    "items.csv": "query,preferred,other\nq1,a,b\nq2,c,a\n",
    "nuggets.csv": "run,query,nugget,importance,assignment\na,q1,n,vital,support\n",
    "log.csv": "item,click,propensity,new\na,1,.5,.9\nb,0,.25,.1\nc,1,.25,.0\n",
}
"""What command lines can name, besides the file ``fuzzed``, which has what follows the first line."""
ELSEWHERE = re.compile(r"[/\\~]|\.\.|\d{3}|\d[eE]\d|demo")
"""Other folders and addresses, what takes long because it was asked to, and a command that makes much."""


def commands(data: bytes) -> None:
    """Command lines: an exit code, no traceback, and JSON where that was asked for."""
    line, _, content = data.partition(b"\n")
    text = _text(line)
    try:
        args = shlex.split(text)
    except ValueError:
        return
    if ELSEWHERE.search(text):
        return
    out, err = io.StringIO(), io.StringIO()
    with _folder(), redirect_stdout(out), redirect_stderr(err):
        for name, written in FILES.items():
            Path(name).write_text(written)
        Path("fuzzed").write_bytes(content)
        code = main(args)
    assert code in range(6), f"{args} ended with {code}"
    assert "Traceback" not in err.getvalue(), err.getvalue()
    if args[-2:] == ["--format", "json"] and out.getvalue():
        json.loads(out.getvalue())


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


@contextmanager
def _folder() -> Iterator[None]:
    """Works in an empty folder, where only rankmark's own words count as such."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (measures, signatures, saved, tables, commands)
}
"""Each by its name, which is also that of its corpus."""
