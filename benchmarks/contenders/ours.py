"""rankmark, from what its users have."""

from __future__ import annotations

import polars as pl

import rankmark as rm
from benchmarks.contenders import MANY, SIX, Call, Contender, Measures, nested
from benchmarks.data import TOP, Data, dense_scores, grouped, hundredth, tenth


def from_frames(data: Data, measures: Measures = SIX) -> Call:
    """From polars frames."""
    return lambda: rm.evaluate(data.qrels, data.run, measures).values


def prepared(data: Data) -> Call:
    """From tables that were read and checked before."""
    qrels, run = rm.read_qrels(data.qrels), rm.read_run(data.run)
    return lambda: rm.evaluate(qrels, run, SIX).values


def understood(data: Data) -> Call:
    """The same with what is asked understood before, too."""
    qrels, run = rm.read_qrels(data.qrels), rm.read_run(data.run)
    evaluate = rm.prepare(SIX)
    return lambda: evaluate(qrels, run).values


def ready_dicts(data: Data) -> Call:
    """From dicts of dicts that are ready."""
    qrels, run = nested(data.qrels, "relevance"), nested(data.run, "score")
    return lambda: rm.evaluate(qrels, run, SIX).values


def ready_tuples(data: Data) -> Call:
    """From tuples that are ready."""
    qrels, run = list(data.qrels.iter_rows()), list(data.run.iter_rows())
    return lambda: rm.evaluate(qrels, run, SIX).values


def from_objects(data: Data) -> Call:
    """From frames of pandas whose columns are Python objects."""
    import pandas as pd

    def frame(table: pl.DataFrame) -> pd.DataFrame:
        columns = ((column.name, column.to_list()) for column in table)
        return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns})

    qrels, run = frame(data.qrels), frame(data.run)
    return lambda: rm.evaluate(qrels, run, SIX).values


def from_files(data: Data) -> Call:
    """From paths."""
    qrels, run = data.files
    return lambda: rm.evaluate(qrels, run, SIX).values


def from_arrays(data: Data, k: int | None) -> Call:
    """From an array of scores and a sparse matrix of judgements."""
    from scipy import sparse

    scores = dense_scores(data)
    query, item, grade = (column.to_numpy() for column in data.qrels.get_columns())
    relevance = sparse.csr_array((grade, (query, item)), shape=scores.shape)
    return lambda: rm.evaluate_arrays(scores, relevance, SIX, k=k).values


def whole_lists(data: Data) -> Call:
    """The same without an end of the lists, whose measures others would need all items for."""
    call = from_arrays(data, None)

    def work() -> None:
        call()

    return work


RANKMARK = Contender("rankmark", from_frames)
MANY_MEASURES = Contender("rankmark", lambda data: from_frames(data, MANY))
NDCG = Contender("rankmark", lambda data: from_frames(data, SIX[:1]))
FILES = Contender("rankmark", from_files)
PREPARED = Contender("rankmark, prepared", prepared)
UNDERSTOOD = Contender("rankmark, rm.prepare", understood)
READY_DICTS = Contender("rankmark, ready dicts", ready_dicts)
READY_TUPLES = Contender("rankmark, ready tuples", ready_tuples)
OBJECTS = Contender("rankmark, pandas objects", from_objects, needs="pandas")
SIX_MEASURES = Contender("rankmark, six measures", from_frames)
ON_A = Contender("rankmark on the rows of A", from_frames, on=grouped)
TENTH = Contender("rankmark on a tenth of the rows", from_frames, on=tenth)
HUNDREDTH = Contender("rankmark on a hundredth of the rows", from_frames, on=hundredth)
ARRAYS = Contender("rankmark", lambda data: from_arrays(data, TOP), needs="scipy")
WHOLE_LISTS = Contender("rankmark, whole lists", whole_lists, needs="scipy")
