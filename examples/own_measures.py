"""Measures of your own, of lists, of rows and as a plain function, and what they cost beside ours."""

import time
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm


@rm.list_measure("FreshGain", bounds=(0, None), expected=True)
def fresh_gain(lists: rm.JudgedLists, *, cutoff: int | None = None, half: float = 3) -> np.ndarray:
    """Gain that halves every few ranks."""
    return lists.sum(lists.relevance * lists.at_rank(lambda rank: 0.5 ** ((rank - 1) / half), cutoff))


@rm.row_measure("Profit", labels="binary")
def profit(rows: rm.Rows, *, threshold: float = 0.5, worth: float = 5, cost: float = 1) -> float:
    """What a mailing earns where replies are worth something and letters cost something."""
    replies, others, _, _ = rows.confusion(threshold)
    return replies * (worth - cost) - others * cost


@rm.list_measure("OwnNDCG", bounds=(0, 1), expected=True)
def own_ndcg(lists: rm.JudgedLists, *, cutoff: int | None = None) -> np.ndarray:
    """Our nDCG, written again."""

    def dcg(some: rm.JudgedLists) -> np.ndarray:
        return some.weighted_sum(some.relevance, 1 / np.log2(np.arange(1, some.depth(cutoff) + 1) + 1.0))

    best = dcg(lists.ideal)
    return rm.ratio(dcg(lists), best, best)


@rm.list_measure("OwnAP", bounds=(0, 1))
def own_ap(lists: rm.JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> np.ndarray:
    """Our AP, written again."""
    hits, relevant = lists.hits(rel).top(cutoff), lists.relevant(rel)
    return rm.ratio(hits.sum(hits.place / hits.rank), relevant, relevant)


@rm.list_measure("OwnP", bounds=(0, 1), order="set", expected=True)
def own_p(lists: rm.JudgedLists, *, cutoff: int = 10, rel: float = 1) -> np.ndarray:
    """Our P, written again."""
    return rm.ratio(lists.hits(rel).count(cutoff), float(cutoff), lists.relevant(rel))


def plain_ndcg(grades: np.ndarray, judged: np.ndarray) -> float:
    """The same nDCG of one list."""

    def dcg(some: np.ndarray) -> float:
        return float(np.nansum(some / np.log2(np.arange(2, len(some) + 2))))

    best = dcg(judged)
    return dcg(grades) / best if best else np.nan


rng = np.random.default_rng(0)
grades = rng.integers(0, 3, (2_000, 100))
scores = rng.random(grades.shape) + 0.2 * grades

result = rm.evaluate_arrays(scores, grades, ["FreshGain(half=2)@10", "nDCG@10"], intervals=True)
print(result)
print(result.signature("FreshGain(half=2)@10", short=True))

letters = {"label": rng.integers(0, 2, 1_000), "score": rng.random(1_000)}
print(rm.evaluate_predictions(letters, [profit, profit(threshold=0.2)], intervals=True))

table = pl.DataFrame({"query": np.repeat(np.arange(2_000), 100), "item": np.tile(np.arange(100), 2_000)})
judgements = rm.read_qrels(table.with_columns(relevance=grades.ravel()))
ranked = rm.read_run(table.with_columns(score=scores.ravel()))


def milliseconds(measure: Any) -> float:
    """The least of some times that an evaluation takes."""
    times = []
    for _ in range(7):
        began = time.perf_counter()
        rm.evaluate(judgements, ranked, measure)
        times.append(time.perf_counter() - began)
    return 1000 * min(times)


print("evaluations of 200,000 rows in 2,000 queries")
for ours, own in {"nDCG": own_ndcg, "AP": own_ap, "P@10": own_p @ 10}.items():
    our_time, own_time = milliseconds(ours), milliseconds(own)
    print(
        f"{ours:5} {our_time:6.1f} ms, as an own measure {own_time:6.1f} ms: {own_time / our_time:.1f} times"
    )
our_time, own_time = milliseconds("nDCG"), milliseconds(plain_ndcg)
print(f"nDCG  {our_time:6.1f} ms, plain function {own_time:5.1f} ms: {own_time / our_time:.1f} times")
