"""RBP."""

from __future__ import annotations

from typing import Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade, ReaderGain, ReaderValue, expectation, reader_gains
from rankmark.kinds.gains import gain_of
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Between
from rankmark.language.registry import list_measure


@list_measure(
    "RBP",
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("value", "max_grade"),
    extremes=lambda given: None if given["max_grade"] == "query" else "ends",
)
def rank_biased_precision(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    p: Annotated[float, Between(0, 1)] = 0.8,
    gain: ReaderGain = "binary",
    max_grade: MaxGrade | Literal["query", "none"] = 1,
    value: ReaderValue = "EU",
) -> Values:
    """Rank-biased precision: the relevant share of what a reader sees who goes on with chance p.

        RBP@k = (1 − p) Σ_{i≤k} g_i · p^(i−1)
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i. A lower bound: unjudged items and those beyond the
    list count as not relevant, and only an endless list of relevant items reaches 1. `RBPResidual` is
    how much higher it could be.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does. Only where the gain
            is binary.
        p: the reader's patience; 0.5 looks at the first few items, 0.95 at the first twenty or so.
            Tools differ in their default: 0.8 here and in ir_measures, 0.9 in trec_eval, 0.85 in
            LensKit, 0.95 in NTCIREVAL.
        gain: ``binary`` counts relevant items; ``linear`` is the grade as a share of the highest
            (NTCIREVAL), ``exp2`` (2^grade − 1) / (2^max_grade − 1); a mapping gives each grade its
            gain, and its greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale; ``query`` takes the highest of each query, at least 1
            (trec_eval's rbp, with ``gain=linear``); ``none`` leaves gains as they are, so that the value
            can exceed 1 (ranx).
        value: ``EU`` is the utility expected an item looked at, as above; ``ETU`` the expected total
            utility, RBP / (1 − p); ``ED`` the expected number of items looked at, 1 / (1 − p).

    Range: 0 to 1; with ``max_grade=none``, ``value=ETU`` or ``value=ED`` it can exceed 1.
    No relevant item: decided by `no_relevant`; ``ED`` does not depend on it.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    A grade above `max_grade` is a DataError.

    Source: [moffat2008].

    Example:
        Hits at ranks 1 and 3 with p = 0.5: 0.5 · (1 + 0.25) = 0.625. Graded 1 and 2 of 2: 0.5 · (0.5 +
        0.25) = 0.375.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 2}}
        >>> measures = ["RBP(p=0.5)", "RBP(p=0.5,gain=linear,max_grade=2)"]
        >>> list(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, measures).values.values())
        [0.625, 0.375]

    """
    if gain == "binary":
        total = _weighted(lists.hits(rel), 1.0, p, cutoff)
        some = lists.relevant(rel)
    elif isinstance(max_grade, str):
        gains, possible = (np.maximum(gain_of(x.relevance, gain), 0.0) for x in (lists, lists.ideal))
        some = lists.ideal.sum(possible > 0)
        total = _weighted(lists, gains, p, cutoff)
        if max_grade == "query":
            highest = np.maximum(lists.ideal.max(lists.ideal.relevance), 1.0)
            total = total / gain_of(highest, gain)
    else:
        gains, some = reader_gains(lists, "RBP", rel=rel, gain=gain, max_grade=max_grade)
        total = _weighted(lists, gains, p, cutoff)
    return expectation(total, np.full(len(total), 1 / (1 - p)), value, some)


def _weighted(lists: JudgedLists, gains: float | Values, p: float, cutoff: int | None) -> Values:
    ranks = np.arange(lists.depth(cutoff), dtype=np.float64)
    return lists.weighted_sum(gains, np.power(p, ranks))
