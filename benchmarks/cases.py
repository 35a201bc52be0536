"""The cases: which data, who is timed on it, and what is to be reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import data, targets
from benchmarks.contenders import (
    Contender,
    beside,
    bootstrap,
    duckdb_by_hand,
    floors,
    numpy_by_hand,
    ours,
    peers,
    polars_by_hand,
    predictions,
    processes,
    recommended,
)
from benchmarks.data import Generate
from benchmarks.targets import Target
from benchmarks.timing import TOLERANCE


@dataclass(frozen=True, slots=True)
class Case:
    """Some data and those who compete on it; every ratio is to the first of them."""

    key: str
    title: str
    generate: Generate
    contenders: tuple[Contender, ...]
    targets: tuple[Target, ...] = ()
    rows: Callable[[int], int] = int
    """How many results it has, by the number asked for."""
    sized: bool = True
    """Whether its inputs are large enough to compare time and peak memory with their size."""
    tolerance: float = TOLERANCE
    """How far apart what the contenders return may be."""


def _ten_times(rows: int) -> int:
    return 10 * rows


def _at_least(least: int) -> Callable[[int], int]:
    return lambda rows: max(rows, least)


def _at_most(most: int) -> Callable[[int], int]:
    return lambda rows: min(rows, most)


def _always(rows: int) -> Callable[[int], int]:
    return lambda _asked: rows


BY_HAND = (polars_by_hand.SORTING, polars_by_hand.WINDOWS, duckdb_by_hand.DUCKDB)
PEERS = (
    peers.PYTREC_EVAL,
    peers.PYTREC_EVAL_FRAMES,
    peers.RANX,
    peers.RANX_FRAMES,
    peers.IR_MEASURES_FRAMES,
)
TABLES = (ours.RANKMARK, *BY_HAND, floors.COLUMN_SUM)

BESIDE = {
    beside.TIES: 2,
    beside.UNJUDGED: 2,
    beside.INTERVALS: 2,
    beside.SLICED: 2,
    beside.AGREE: 10,
    beside.EXPLAIN: 1,
    beside.PER_QUERY: 1,
    beside.PRINTED: 1,
    beside.JSON: 1,
    beside.JSON_QUERIES: 1,
}
"""What stands beside the core, and how many times as long as evaluating it may take."""

RECOMMENDED = (
    (
        "N1",
        "novelty, popularity and coverage of RecTools",
        data.recommended,
        recommended.OURS_RECTOOLS,
        (recommended.THEIR_RECTOOLS,),
    ),
    (
        "N2",
        "diversity within lists of RecTools",
        data.recommended,
        recommended.OURS_RECTOOLS_DIVERSITY,
        (recommended.THEIR_RECTOOLS_DIVERSITY,),
    ),
    (
        "N3",
        "coverage, share of new items and novelty of RePlay",
        data.partly_known,
        recommended.OURS_REPLAY,
        (recommended.REPLAY_POLARS, recommended.REPLAY_PANDAS),
    ),
    (
        "N4",
        "diversity of categories of RePlay",
        data.recommended,
        recommended.OURS_REPLAY_CATEGORIES,
        (recommended.THEIR_REPLAY_CATEGORIES,),
    ),
    (
        "N5",
        "novelty and coverage of recommenders",
        data.recommended,
        recommended.OURS_RECOMMENDERS,
        (recommended.THEIR_RECOMMENDERS,),
    ),
    (
        "N6",
        "diversity by co-occurrence of recommenders",
        data.recommended,
        recommended.OURS_RECOMMENDERS_DIVERSITY,
        (recommended.THEIR_RECOMMENDERS_DIVERSITY,),
    ),
)

CASES = {
    case.key: case
    for case in (
        Case(
            "A",
            "grouped: lists of 100, integer ids",
            data.grouped,
            (ours.RANKMARK, *BY_HAND, *PEERS, floors.COLUMN_SUM),
            (
                *(targets.faster(ours.RANKMARK, than, 20) for than in BY_HAND),
                targets.within(ours.RANKMARK, floors.COLUMN_SUM, 2.5),
                targets.faster(ours.RANKMARK, peers.PYTREC_EVAL, 20),
                targets.faster(ours.RANKMARK, peers.PYTREC_EVAL_FRAMES, 60),
                targets.faster(ours.RANKMARK, peers.RANX_FRAMES, 300),
            ),
        ),
        Case(
            "B",
            "shuffled: the rows of A in random order",
            data.shuffled,
            TABLES,
            tuple(targets.faster(ours.RANKMARK, than, 8) for than in BY_HAND[:2]),
        ),
        Case(
            "C",
            'strings: A with ids such as "q123"',
            data.strings,
            (*TABLES, ours.ON_A),
            (targets.within(ours.RANKMARK, ours.ON_A, 2.5),),
        ),
        Case(
            "D",
            "deep: lists of 10,000",
            data.deep,
            (*TABLES, ours.ON_A),
            (targets.within_a_result(ours.RANKMARK, ours.ON_A, 1),),
        ),
        Case(
            "E",
            "many measures: A with 30 of them",
            data.grouped,
            (
                ours.MANY_MEASURES,
                ours.SIX_MEASURES,
                polars_by_hand.MANY_SORTING,
                polars_by_hand.MANY_WINDOWS,
                duckdb_by_hand.MANY_DUCKDB,
                peers.MANY_PYTREC_EVAL,
                peers.MANY_RANX,
            ),
            (targets.within(ours.MANY_MEASURES, ours.SIX_MEASURES, 4),),
        ),
        Case(
            "F1",
            "complete labels: every row of lists of 100 judged",
            data.complete,
            (*TABLES, ours.ON_A),
            (targets.within(ours.RANKMARK, ours.ON_A, 3),),
        ),
        Case(
            "F2",
            "complete labels, nDCG@10 alone",
            data.complete,
            (ours.NDCG, peers.SCIKIT_LEARN),
        ),
        Case(
            "G1",
            "files: A from Parquet",
            data.parquet,
            (
                ours.FILES,
                polars_by_hand.PARQUET_SORTING,
                polars_by_hand.PARQUET_WINDOWS,
                duckdb_by_hand.PARQUET_DUCKDB,
                floors.READ_PARQUET,
            ),
            (targets.within(ours.FILES, floors.READ_PARQUET, 1.1),),
        ),
        Case(
            "G2",
            "files: C from TREC text",
            data.trec,
            (ours.FILES, peers.PYTREC_EVAL_FILES, peers.IR_MEASURES_FILES, floors.READ_TEXT),
            (targets.speed(ours.FILES, 150),),
        ),
        Case(
            "G3",
            "files: C from Parquet",
            data.parquet_strings,
            (ours.FILES, floors.READ_PARQUET),
            (targets.within(ours.FILES, floors.READ_PARQUET, 1.2),),
        ),
        Case(
            "H1",
            "scale: ten times A",
            data.grouped,
            (ours.RANKMARK, ours.TENTH, ours.HUNDREDTH, floors.COLUMN_SUM),
            (
                targets.within_a_result(ours.RANKMARK, ours.HUNDREDTH, 1.15),
                targets.memory(ours.RANKMARK, 0.25),
            ),
            rows=_ten_times,
        ),
        Case(
            "H2",
            "scale: ten times B",
            data.shuffled,
            (ours.RANKMARK,),
            (targets.memory(ours.RANKMARK, 1.5),),
            rows=_ten_times,
        ),
        Case(
            "M",
            "dense: scores of 100,000 items a query, ten times as many as rows",
            data.dense,
            (ours.ARRAYS, ours.WHOLE_LISTS, numpy_by_hand.ARGPARTITION, floors.ROW_MAXIMA),
            (
                targets.faster(ours.ARRAYS, numpy_by_hand.ARGPARTITION, 8),
                targets.within(ours.ARRAYS, floors.ROW_MAXIMA, 1.5),
            ),
            rows=_ten_times,
        ),
        Case(
            "I",
            "small: one query, ten results",
            data.small,
            (
                ours.RANKMARK,
                ours.PREPARED,
                ours.UNDERSTOOD,
                ours.READY_DICTS,
                *BY_HAND,
                *PEERS,
                floors.COLUMN_SUM,
            ),
            (
                targets.seconds(ours.RANKMARK, 100e-6),
                targets.seconds(ours.PREPARED, 60e-6),
                targets.seconds(ours.UNDERSTOOD, 30e-6),
                targets.faster(ours.READY_DICTS, peers.PYTREC_EVAL, 2),
            ),
            rows=_always(10),
            sized=False,
        ),
        Case(
            "J",
            "start: processes from start to end",
            data.trec,
            (processes.IMPORT, processes.HELP, processes.EVAL, processes.PYTHON, processes.NUMPY),
            (
                targets.seconds(processes.IMPORT, 0.12),
                targets.seconds(processes.HELP, 0.25),
                targets.seconds(processes.EVAL, 0.4),
                targets.within(processes.EVAL, processes.NUMPY, 1.3),
            ),
            rows=_always(5_000),
            sized=False,
        ),
        Case(
            "P",
            "objects: the rows of C, at most a million, as objects of Python",
            data.strings,
            (ours.READY_DICTS, ours.READY_TUPLES, ours.OBJECTS, ours.RANKMARK, peers.PYTREC_EVAL),
            (
                targets.faster(ours.READY_DICTS, peers.PYTREC_EVAL, 5),
                targets.seconds(ours.READY_TUPLES, 0.25),
                targets.seconds(ours.OBJECTS, 0.06),
                targets.memory(ours.READY_DICTS, 1.5),
            ),
            rows=_at_most(peers.MOST_ROWS),
        ),
        Case(
            "K1",
            "predictions: AUC",
            data.predictions,
            (predictions.RANKMARK_AUC, predictions.SCIKIT_LEARN_AUC, predictions.POLARS_AUC),
            (targets.faster(predictions.RANKMARK_AUC, predictions.SCIKIT_LEARN_AUC, 12),),
            sized=False,
        ),
        Case(
            "K2",
            "predictions: log loss",
            data.predictions,
            (predictions.RANKMARK_LOG_LOSS, predictions.SCIKIT_LEARN_LOG_LOSS, predictions.POLARS_LOG_LOSS),
            (targets.faster(predictions.RANKMARK_LOG_LOSS, predictions.SCIKIT_LEARN_LOG_LOSS, 15),),
            sized=False,
        ),
        Case(
            "K3",
            "predictions: GAUC",
            data.predictions,
            (predictions.RANKMARK_GAUC, predictions.POLARS_GAUC, predictions.PANDAS_GAUC),
            (
                targets.faster(predictions.RANKMARK_GAUC, predictions.POLARS_GAUC, 25),
                targets.faster(predictions.RANKMARK_GAUC, predictions.PANDAS_GAUC, 500),
            ),
            sized=False,
        ),
        Case(
            "K4",
            "predictions: all measures of binary labels",
            data.predictions,
            (predictions.RANKMARK_ALL, predictions.RANKMARK_AUC, predictions.COLUMN_SUM),
            (targets.within(predictions.RANKMARK_ALL, predictions.RANKMARK_AUC, 1.8),),
            sized=False,
        ),
        Case(
            "L",
            "intervals: ten measures' means of as many queries as A has, 10,000 resamples",
            data.grouped,
            (bootstrap.RANKMARK, bootstrap.SCIPY),
            (
                targets.seconds(bootstrap.RANKMARK, 10),
                targets.faster(bootstrap.RANKMARK, bootstrap.SCIPY, 10),
            ),
            rows=_at_least(50_000),
            sized=False,
            tolerance=bootstrap.TOLERANCE,
        ),
        Case(
            "O1",
            "beside the core: what else is made of the tables of A, or of their result",
            data.grouped,
            (ours.RANKMARK, *BESIDE, beside.CHECK),
            (
                *(targets.within(each, ours.RANKMARK, times) for each, times in BESIDE.items()),
                targets.seconds(beside.CHECK, 3),
            ),
            sized=False,
        ),
        Case(
            "O2",
            "beside the core: one query of the files of G1",
            data.parquet,
            (ours.FILES, beside.EXPLAIN_FILES, floors.READ_PARQUET),
            (targets.within(beside.EXPLAIN_FILES, ours.FILES, 1),),
            sized=False,
        ),
        Case(
            "O3",
            "beside the core: systems compared, from their results",
            data.grouped,
            (
                ours.RANKMARK,
                beside.COMPARE_T,
                beside.COMPARE,
                beside.COMPARE_MANY_T,
                beside.COMPARE_MANY,
            ),
            (targets.within(beside.COMPARE_T, ours.RANKMARK, 1),),
            sized=False,
        ),
        *(
            Case(
                key,
                f"recommended: {title}",
                generate,
                (one, *others),
                tuple(targets.faster(one, other, 20) for other in others),
                sized=False,
            )
            for key, title, generate, one, others in RECOMMENDED
        ),
    )
}
