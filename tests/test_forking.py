"""Children of a fork, which have none of the threads that polars had in their parent."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from processes import python

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there"),
]

SCRIPT = """
import json, os, sys, tempfile, time, warnings
import numpy as np, polars as pl
import rankmark as rm

warnings.simplefilter("ignore")  # polars and Python warn of forks
qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}}
run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0, "c": 1.0}}
rows = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.1], "user": ["u", "u", "v", "v"]}
words = {**rows, "label": ["yes", "no", "yes", "no"]}
folder = tempfile.mkdtemp()
pl.DataFrame(rows).write_csv(f"{folder}/rows.csv")
pl.DataFrame(rows).write_parquet(f"{folder}/rows.parquet")
triples = lambda table: [(q, i, x) for q, items in table.items() for i, x in items.items()]
pl.DataFrame(triples(qrels), schema=["query", "item", "relevance"], orient="row").write_csv(f"{folder}/q.csv")
pl.DataFrame(triples(run), schema=["query", "item", "score"], orient="row").write_csv(f"{folder}/r.csv")
with open(f"{folder}/q.txt", "w") as file:
    file.writelines(f"{q} 0 {i} {x}\\n" for q, i, x in triples(qrels))
with open(f"{folder}/r.txt", "w") as file:
    file.writelines(f"{q} Q0 {i} 1 {x} t\\n" for q, i, x in triples(run))
frame = pl.DataFrame(triples(run), schema=["query", "item", "score"], orient="row").sort("score")
result = rm.evaluate(qrels, run, "AP, RR")
scores, relevance = np.array([[3.0, 2.0, 1.0]]), np.array([[0, 1, 1]])

def evaluator(given):
    made = rm.Evaluator("AP")
    made.update(given, run)
    return made

def of_rows(measure):
    made = rm.PredictionEvaluator(measure)
    made.update(rows)
    return made.result()[measure]

evaluator(qrels).save(f"{folder}/saved")
calls = {
    "dicts": lambda: rm.evaluate(qrels, run, "AP")["AP"],
    "lists": lambda: rm.evaluate(qrels, {q: [*items] for q, items in run.items()}, "AP")["AP"],
    "tuples": lambda: rm.evaluate(triples(qrels), triples(run), "AP")["AP"],
    "frames": lambda: rm.evaluate(qrels, frame, "AP")["AP"],
    "TREC text": lambda: rm.evaluate(f"{folder}/q.txt", f"{folder}/r.txt", "AP")["AP"],
    "arrays": lambda: rm.evaluate_arrays(scores, relevance, "AP", threads=2)["AP"],
    "rows": lambda: rm.evaluate_predictions(rows, "AUC")["AUC"],
    "sums": lambda: of_rows("Brier"),
    "shown": lambda: len(str(result)) + len(result.format("csv", per_query=True)) + result.per_query.height,
    "compare": lambda: rm.compare(qrels, {"one": run, "two": run}, "AP", baseline="one").systems,
    "CSV": lambda: rm.evaluate(f"{folder}/q.csv", f"{folder}/r.csv", "AP"),
    "Parquet": lambda: rm.evaluate_predictions(f"{folder}/rows.parquet", "AUC"),
    "streamed": lambda: rm.evaluate(f"{folder}/q.txt", f"{folder}/r.txt", "AP", engine="stream"),
    "streamed rows": lambda: rm.evaluate_predictions(f"{folder}/rows.csv", "AUC", engine="stream"),
    "lazy": lambda: rm.evaluate(qrels, frame.lazy(), "AP"),
    "words": lambda: rm.evaluate_predictions(words, "AUC", positive="yes"),
    "intervals": lambda: rm.evaluate_predictions(rows, "GAUC", query="user", intervals=True),
    "kept rows": lambda: of_rows("AUC"),
    "evaluator": lambda: evaluator(qrels),
    "loaded": lambda: rm.Evaluator.load(f"{folder}/saved"),
    "slices": lambda: result.by({"q1": "DE", "q2": "FR"}),
    "slices of rows": lambda: rm.evaluate_predictions(rows, "AUC", by="user"),
    "slices of arrays": lambda: rm.evaluate_arrays(scores, relevance, "AP", by=["a"]),
    "check": lambda: rm.check(qrels, run),
    "explain": lambda: rm.explain(qrels, run, "AP", query="q1"),
    "agree": lambda: rm.agree(run, run),
}

def told(call):
    try:
        call()
    except rm.UsageError as error:
        return "refused" if "spawn" in str(error) else str(error)
    except Exception as error:
        return repr(error)
    return "done"

def in_a_child(call):
    read, write = os.pipe()
    if not (child := os.fork()):
        os.write(write, told(call).encode())
        os._exit(0)
    for _ in range(2000):
        if os.waitpid(child, os.WNOHANG)[0]:
            return os.read(read, 1000).decode()
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"

print(json.dumps({name: in_a_child(call) for name, call in calls.items()}))
"""
DONE = (
    *("dicts", "lists", "tuples", "frames", "TREC text", "arrays", "rows", "sums", "shown", "compare"),
    "agree",
)


def test_a_child_evaluates_what_needs_no_threads_of_polars_and_refuses_the_rest() -> None:
    found = json.loads(python(SCRIPT))
    assert found == {name: "done" if name in DONE else "refused" for name in found}


def test_nothing_is_refused_before_polars_has_started_its_threads() -> None:
    script = """
import os, warnings
warnings.simplefilter("ignore")
import rankmark as rm
if not (child := os.fork()):
    print(len(rm.check({"q": {"a": 1}}, {"q": {"a": 1.0}}).findings) > 0, flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("the system does not say which threads there are")
    assert python(script) == "True\n0\n"
