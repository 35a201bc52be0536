"""Other tools for evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import starmap
from typing import Any

import polars as pl

from benchmarks.contenders import (
    MANY,
    SIX,
    Call,
    Contender,
    Means,
    Measures,
    Nested,
    nested,
    split,
    text_columns,
)
from benchmarks.data import LIST_LENGTH, Data

MOST_ROWS = 1_000_000

TREC_EVAL_CUT = {"nDCG": "ndcg_cut_{}", "AP": "map_cut_{}", "HR": "success_{}", "P": "P_{}", "R": "recall_{}"}
TREC_EVAL_WHOLE = {"AP": "map", "RR": "recip_rank"}


def trec_eval_names(measures: Measures) -> dict[str, str]:
    """Of those measures that trec_eval has, what it calls them."""
    names = {}
    for measure in measures:
        name, cutoff = split(measure)
        theirs = TREC_EVAL_WHOLE.get(name) if cutoff is None else TREC_EVAL_CUT.get(name)
        if theirs:
            names[measure] = theirs.format(cutoff)
    return names


def pytrec_eval(data: Data, measures: Measures = SIX) -> Call:
    """From dicts of dicts that are ready."""
    qrels, run = nested(data.qrels, "relevance"), nested(data.run, "score")
    return lambda: _trec_eval_means(qrels, run, measures)


def pytrec_eval_from_frames(data: Data) -> Call:
    """With the building of its dicts from the frames."""
    return lambda: _trec_eval_means(nested(data.qrels, "relevance"), nested(data.run, "score"), SIX)


def pytrec_eval_from_files(data: Data) -> Call:
    """With its own reading of TREC text."""
    import pytrec_eval

    def work() -> Means:
        qrels, run = data.files
        with qrels.open() as judged, run.open() as results:
            return _trec_eval_means(pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(results), SIX)

    return work


def _trec_eval_means(qrels: Nested, run: Nested, measures: Measures) -> Means:
    import pytrec_eval

    names = trec_eval_names(measures)
    results = pytrec_eval.RelevanceEvaluator(qrels, set(names.values())).evaluate(run)
    return {
        ours: sum(values[theirs] for values in results.values()) / len(qrels)
        for ours, theirs in names.items()
    }


def ir_measures_from_frames(data: Data) -> Call:
    """With the building of the tuples it reads from the frames."""
    from ir_measures import Qrel, ScoredDoc

    def work() -> Means:
        qrels = starmap(Qrel, zip(*text_columns(data.qrels, "relevance"), strict=True))
        run = starmap(ScoredDoc, zip(*text_columns(data.run, "score"), strict=True))
        return _ir_measures_means(qrels, run)

    return work


def ir_measures_from_files(data: Data) -> Call:
    """With its own reading of TREC text."""
    import ir_measures

    qrels, run = map(str, data.files)
    return lambda: _ir_measures_means(ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run))


def _ir_measures_means(qrels: Any, run: Any) -> Means:
    from ir_measures import calc_aggregate, parse_measure

    measures = {parse_measure(measure.replace("HR", "Success")): measure for measure in SIX}
    return {measures[measure]: value for measure, value in calc_aggregate(list(measures), qrels, run).items()}


RANX_NAMES = {
    "nDCG": "ndcg",
    "AP": "map",
    "RR": "mrr",
    "HR": "hit_rate",
    "P": "precision",
    "R": "recall",
    "F": "f1",
}


def ranx(data: Data, measures: Measures = SIX) -> Call:
    """From its own tables that are ready."""
    tables = _ranx_tables(data)
    return lambda: _ranx_means(*tables, measures)


def ranx_from_frames(data: Data) -> Call:
    """With the building of its own tables from the frames."""
    return lambda: _ranx_means(*_ranx_tables(data), SIX)


def _ranx_tables(data: Data) -> tuple[Any, Any]:
    from ranx import Qrels, Run

    names = {"q_id_col": "query", "doc_id_col": "item"}
    qrels = Qrels.from_df(_pandas(data.qrels), score_col="relevance", **names)
    run = Run.from_df(_pandas(data.run.cast({"score": pl.Float64})), score_col="score", **names)
    return qrels, run


def _pandas(table: pl.DataFrame) -> Any:
    ids = ("query", "item")
    text = table.cast(dict.fromkeys(ids, pl.String)).to_pandas()
    return text.astype(dict.fromkeys(ids, object))  # pandas's own type of text is refused


def _ranx_means(qrels: Any, run: Any, measures: Measures) -> Means:
    from ranx import evaluate

    names = {measure: measure.replace(name := split(measure)[0], RANX_NAMES[name]) for measure in measures}
    with warnings.catch_warnings(action="ignore"):  # numba's, while it compiles
        means = evaluate(qrels, run, list(names.values()))
    return {ours: float(means[theirs]) for ours, theirs in names.items()}


def scikit_learn(data: Data) -> Call:
    """nDCG alone, of matrices of labels and scores; its faster way, which does not look for ties."""
    from sklearn.metrics import ndcg_score

    labels, scores = (
        table[name].to_numpy().reshape(-1, LIST_LENGTH)
        for table, name in ((data.qrels, "relevance"), (data.run, "score"))
    )
    return lambda: {"nDCG@10": ndcg_score(labels, scores, k=10, ignore_ties=True)}


def _slow(name: str, prepare: Callable[[Data], Call], needs: str) -> Contender:
    return Contender(name, prepare, needs, MOST_ROWS)


PYTREC_EVAL = _slow("pytrec_eval, ready dicts", pytrec_eval, "pytrec_eval")
PYTREC_EVAL_FRAMES = _slow("pytrec_eval, from frames", pytrec_eval_from_frames, "pytrec_eval")
PYTREC_EVAL_FILES = _slow("pytrec_eval", pytrec_eval_from_files, "pytrec_eval")
MANY_PYTREC_EVAL = _slow(
    "pytrec_eval, ready dicts, 22 of them", lambda data: pytrec_eval(data, MANY), "pytrec_eval"
)
IR_MEASURES_FRAMES = _slow("ir_measures, from frames", ir_measures_from_frames, "ir_measures")
IR_MEASURES_FILES = _slow("ir_measures", ir_measures_from_files, "ir_measures")
RANX = _slow("ranx, ready tables", ranx, "ranx")
RANX_FRAMES = _slow("ranx, from frames", ranx_from_frames, "ranx")
MANY_RANX = _slow("ranx, ready tables", lambda data: ranx(data, MANY), "ranx")
SCIKIT_LEARN = Contender("scikit-learn", scikit_learn, "sklearn")
