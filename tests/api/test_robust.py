"""The process after something went wrong, or with other threads, processes and flags around."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from processes import python, started

QRELS = [("q", "a", 1.0), ("q", "b", 1.0)]
RUN = [("q", "b", 3.0), ("q", "x", 2.0), ("q", "a", 1.0)]
AP = (1 / 1 + 2 / 3) / 2

SMALL = f"""
import sys
import rankmark as rm
QRELS, RUN = {QRELS!r}, {RUN!r}
def small():
    return rm.evaluate(QRELS, RUN, ["AP"])["AP"]
"""

LARGE = """
import numpy as np, pyarrow as pa
rows = 3_000_000
draw = np.random.default_rng(0)
columns = draw.integers(0, 100_000, rows), np.arange(rows), draw.random(rows)
run = pa.table(columns, ["query", "item", "score"])
qrels = pa.table([column[:300_000] for column in columns], ["query", "item", "relevance"])
"""


# --- Interrupts and exceptions ---------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="signals of this kind are of Unix")
def test_after_ctrl_c_the_process_evaluates_again() -> None:
    script = (
        SMALL
        + LARGE
        + """
print("ready", flush=True)
try:
    while True:
        rm.evaluate(qrels, run, ["nDCG@10"])
except KeyboardInterrupt:
    print("interrupted", small(), rm.evaluate(qrels, run, ["NumRet"])["NumRet"] > 0, flush=True)
"""
    )
    with started([sys.executable, "-c", script], stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, f"interrupted {AP} True\n"), err


def test_an_error_of_the_users_gain_is_named_and_leaves_the_process_usable() -> None:
    def gain(_: Any) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(
        rm.UsageError, match=r"the function 'gain' raises ZeroDivisionError for grade \d: mine"
    ):
        rm.evaluate(QRELS, RUN, [rm.DCG(gain=gain)])
    assert rm.evaluate(QRELS, RUN, ["AP"])["AP"] == AP


def test_after_refused_input_the_process_evaluates_again() -> None:
    for _ in range(50):
        with pytest.raises(rm.DataError):
            rm.evaluate(QRELS, [*RUN, *RUN], ["AP"])
        assert rm.evaluate(QRELS, RUN, ["AP"])["AP"] == AP


def test_an_iterator_that_breaks_halfway_raises_its_own_error() -> None:
    def broken() -> Iterator[Any]:
        yield from RUN
        raise OSError("the network is gone")

    with pytest.raises(OSError, match="the network is gone"):
        rm.evaluate(QRELS, broken(), ["AP"])


# --- Forks and threads -----------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_evaluates_too() -> None:
    """The child has none of the parent's worker threads: waiting for them would never end."""
    script = (
        SMALL
        + LARGE
        + """
import os, signal, warnings
import polars as pl
warnings.simplefilter("ignore", DeprecationWarning)
before = rm.evaluate(qrels, run, ["AP"])["AP"], small()
frames = pl.from_arrow(qrels), pl.from_arrow(run)
rm.evaluate(*frames, ["AP"])
child = os.fork()
if child == 0:
    signal.alarm(30)
    after = [(rm.evaluate(qrels, run, ["AP"], threads=n)["AP"], small()) for n in (None, 1, 2)]
    os._exit(after != [before] * 3 or rm.evaluate(*frames, ["AP"])["AP"] != before[0])
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), small())
"""
    )
    assert python(script) == f"0 {AP}\n"


def large_tables(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    draw = np.random.default_rng(seed)
    run = pl.DataFrame(
        {
            "query": draw.integers(0, 5000, 200_000),
            "item": np.arange(200_000),
            "score": draw.integers(0, 50, 200_000),
        }
    )
    return run.head(20_000).select("query", "item", relevance=pl.lit(1.0)), run


def test_several_evaluations_at_once() -> None:
    tables = [large_tables(seed) for seed in range(4)]
    alone = [rm.evaluate(*pair, ["nDCG@10", "AP"]).values for pair in tables]

    def values(qrels: Any, run: Any, threads: int | None) -> dict[str, float]:
        return rm.evaluate(qrels, run, ["nDCG@10", "AP"], threads=threads).values

    with ThreadPoolExecutor(4) as pool:
        for threads in (1, 2, None):
            futures = [pool.submit(values, *pair, threads) for pair in tables * 3]
            assert [future.result(timeout=60) for future in futures] == alone * 3


# --- Inputs stay as they are -----------------------------------------------------------------------------


def test_inputs_are_unchanged() -> None:
    qrels, run = large_tables(0)
    pandas_run = run.to_pandas()
    copies = qrels.clone(), run.clone(), pandas_run.copy(deep=True)
    rm.evaluate(qrels, run, ["nDCG@10"])
    rm.evaluate(qrels, pandas_run, ["nDCG@10"])
    assert qrels.equals(copies[0])
    assert run.equals(copies[1])
    assert pandas_run.equals(copies[2])

    dicts = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    rm.evaluate(*dicts, ["nDCG@10"], unjudged="ignore")
    assert dicts == ({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}})
    assert list(dicts[1]["q"]) == ["b", "a"]


# --- python -O and imports -------------------------------------------------------------------------------

BAD_CALLS = """
import math
from rankmark.errors import RankmarkError
good = [("q", "a", 1.0)]
calls = {
    "measure": lambda: rm.evaluate(good, good, ["nDGC@10"]),
    "cutoff": lambda: rm.evaluate(good, good, ["P@0"]),
    "negative cutoff": lambda: rm.P @ -1,
    "parameter": lambda: rm.parse("AP(rell=2)"),
    "parameter value": lambda: rm.parse("AP(denominator=mean)"),
    "no measures": lambda: rm.evaluate(good, good, []),
    "choice": lambda: rm.evaluate(good, good, ["AP"], ties="first"),
    "threads": lambda: rm.evaluate(good, good, ["AP"], threads=0),
    "seed": lambda: rm.evaluate(good, good, ["AP"], seed=-1),
    "file": lambda: rm.evaluate("no-such-file.txt", good, ["AP"]),
    "columns": lambda: rm.evaluate(good, good, ["AP"], columns={"colour": "x"}),
    "duplicates": lambda: rm.evaluate(good, good * 2, ["AP"]),
    "judged twice": lambda: rm.evaluate(good * 2, good, ["AP"]),
    "nan": lambda: rm.evaluate(good, [("q", "a", math.nan)], ["AP"]),
    "null": lambda: rm.evaluate(good, [("q", None, 1.0)], ["AP"]),
    "ids": lambda: rm.evaluate(good, [("q", 7, 1.0)], ["AP"]),
    "empty": lambda: rm.evaluate(good, [], ["AP"]),
    "not a table": lambda: rm.evaluate(good, 7, ["AP"]),
    "short tuple": lambda: rm.evaluate(good, [("q",)], ["AP"]),
    "missing": lambda: rm.evaluate([*good, ("r", "a", 1.0)], good, ["AP"], missing="error"),
    "unjudged": lambda: rm.evaluate(good, [*good, ("r", "a", 1.0)], ["AP"], unjudged_queries="error"),
    "no relevant": lambda: rm.evaluate([("q", "a", 0.0)], good, ["AP"], no_relevant="error"),
}
for name, call in calls.items():
    try:
        print(name, "| accepted |", call())
    except RankmarkError as error:
        print(name, "|", type(error).__name__, "|", error)
    except BaseException as error:
        print(name, "| NOT OURS |", type(error).__name__, error)
"""


@pytest.mark.process
def test_bad_input_is_refused_with_the_same_words_under_python_o() -> None:
    plain = python(SMALL + BAD_CALLS)
    assert "NOT OURS" not in plain
    assert "accepted" not in plain
    assert python(SMALL + BAD_CALLS, flags=["-O"]) == plain
    assert python(SMALL + BAD_CALLS, flags=["-OO"]) == plain


@pytest.mark.process
def test_values_are_the_same_under_python_o() -> None:
    for flag in ("-O", "-OO"):
        assert python(SMALL + "print(small())", flags=[flag]) == f"{AP}\n"


@pytest.mark.process
def test_importing_stays_cheap() -> None:
    loaded = python("import sys, rankmark; print(*sys.modules)").split()
    assert "rankmark" in loaded
    assert not {"polars", "pandas", "pyarrow", "scipy", "rich", "typer", "click", "duckdb"} & {*loaded}


@pytest.mark.process
def test_evaluating_trec_files_loads_neither_polars_nor_numpy(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {i} {int(g)}\n" for q, i, g in QRELS))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {i} 1 {s} me\n" for q, i, s in RUN))
    script = f"""
import sys, rankmark as rm
result = rm.evaluate({str(tmp_path / "qrels")!r}, {str(tmp_path / "run")!r}, ["AP", "nDCG@10"])
print(result["AP"], {{"numpy", "polars", "pandas", "scipy"}} & set(sys.modules))
"""
    assert python(script) == f"{AP} set()\n"


@pytest.mark.process
def test_evaluating_dicts_and_tuples_loads_neither_polars_nor_numpy() -> None:
    script = f"""
import sys, rankmark as rm
of_tuples = rm.evaluate({QRELS!r}, {RUN!r}, ["AP", "nDCG@10"])
of_dicts = rm.evaluate({{"q": {{"a": 1, "b": 1}}}}, {{"q": ["b", "x", "a"]}}, ["AP", "nDCG@10"])
assert str(of_tuples) == str(of_dicts)
print(of_dicts["AP"], {{"numpy", "polars", "pandas", "scipy"}} & set(sys.modules))
"""
    assert python(script) == f"{AP} set()\n"


@pytest.mark.process
def test_public_names_are_exactly_those_in_all() -> None:
    script = """
import rankmark as rm
names = {}
exec("from rankmark import *", names)
del names["__builtins__"]
ours = {n for n, value in vars(rm).items() if getattr(value, "__module__", "").startswith("rankmark")}
public = {n for n in ours if not n.startswith("_")}
print(sorted(names) == sorted(rm.__all__) == sorted(dir(rm)), public - set(rm.__all__))
"""
    assert python(script) == "True set()\n"
