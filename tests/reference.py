"""The slow, obvious twin of the core and of every measure: what rankmark means, in plain Python.

It works on rows as tuples and on one query at a time, with the simplest loops that say what is meant.
Nothing is shared with the package but the names of the choices and of the errors. Where the two
disagree, one of them is wrong.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankmark.choices import Choices
from rankmark.errors import DataError, IdTypeError, MeasureError

Id = int | str
Row = tuple[Id, Id, float]  # query, item, relevance or score
Gain = str | Mapping[float, float] | Callable[[float], float]


@dataclass(frozen=True)
class Seen:
    """What a measure sees of one query."""

    retrieved: Sequence[float | None]  # grade of each retrieved item, in rank order; None: not judged
    judged: Sequence[float]  # grade of each judged item, in any order


# --- From rows to what a measure sees ----------------------------------------------------------------


def per_query(
    qrels: Sequence[Row],
    run: Sequence[Row],
    measure: str,
    choices: Choices = Choices(),  # noqa: B008  # frozen
    **parameters: Any,
) -> dict[Id, float | None]:
    """The value of each judged query, in the order of `qrels`; None where it is left out of the mean."""
    refuse_bad_rows(qrels, run)
    judgements, results = by_query(qrels), by_query(run)
    if choices.unjudged_queries == "error" and results.keys() - judgements.keys():
        raise DataError("results for a query without judgements")
    if not judgements.keys() & results.keys():
        raise DataError("no judged query has results")
    if choices.missing == "error" and judgements.keys() - results.keys():
        raise DataError("a judged query without results")
    values = {}
    for query, rows in judgements.items():
        grades = one_row_an_item(rows, choices.duplicates)
        scores = scores_of(results.get(query, []), grades, choices)
        if query in results or choices.missing == "zero":
            each = value_of_each_order(grades, scores, measure, choices, **parameters)
            mean = math.fsum(each) / len(each)
            values[query] = None if math.isnan(mean) else mean
        else:
            values[query] = None
    return values


def scores_of(rows: Iterable[tuple[Id, float]], grades: dict[Id, float], choices: Choices) -> dict[Id, float]:
    """The items of one list with their scores, in the order of the rows."""
    compared = [(item, as_compared(score, choices.scores)) for item, score in rows]
    scores = one_row_an_item(compared, choices.duplicates)
    if choices.unjudged == "ignore":
        return {item: score for item, score in scores.items() if item in grades}
    return scores


def value_of_each_order(
    grades: dict[Id, float], scores: dict[Id, float], measure: str, choices: Choices, **parameters: Any
) -> list[float]:
    """The measure for every order that the tie rule allows: one, except for ``expected``."""
    values = []
    for order in orders(scores, grades, choices.ties):
        seen = Seen([grades.get(item) for item in order], list(grades.values()))
        value = MEASURES[measure](seen, **parameters)
        values.append(without_relevant(choices.no_relevant) if value is None else value)
    return values


def without_relevant(rule: str) -> float:
    """What a query counts for which nothing relevant was judged; NaN leaves it out of the mean."""
    if rule == "error":
        raise DataError("a query without relevant items")
    return {"zero": 0.0, "one": 1.0, "skip": math.nan}[rule]


def refuse_bad_rows(qrels: Sequence[Row], run: Sequence[Row]) -> None:
    """Refuse tables without rows, values that are not numbers, and integers against strings."""
    if not qrels or not run:
        raise DataError("no rows")
    if any(math.isnan(number) for _, _, number in [*qrels, *run]):
        raise DataError("not a number")
    for column in (0, 1):
        if len({type(row[column]) for row in [*qrels, *run]}) > 1:
            raise IdTypeError("integer ids against strings")


def by_query(rows: Iterable[Row]) -> dict[Id, list[tuple[Id, float]]]:
    """The rows of each query in the order given, the queries in order of first appearance."""
    queries: dict[Id, list[tuple[Id, float]]] = {}
    for query, item, number in rows:
        queries.setdefault(query, []).append((item, number))
    return queries


def one_row_an_item(rows: Iterable[tuple[Id, float]], duplicates: str) -> dict[Id, float]:
    """Each item once, in the order of the rows that were kept."""
    kept: dict[Id, float] = {}
    for item, number in rows:
        if item in kept and duplicates == "error":
            raise DataError(f"item {item!r} twice")
        if item not in kept or (duplicates == "best" and number > kept[item]):
            kept.pop(item, None)
            kept[item] = number
    return kept


def as_compared(score: float, precision: str) -> float:
    """The score in the precision in which scores are compared."""
    return ctypes.c_float(score).value if precision == "float32" else float(score)


def orders(scores: dict[Id, float], grades: dict[Id, float], ties: str) -> Iterable[Sequence[Id]]:
    """Every ranking of the items that the tie rule allows."""
    items = in_order(scores, grades, "input" if ties == "expected" else ties)
    if ties != "expected":
        return [items]
    groups = [list(group) for _, group in itertools.groupby(items, key=lambda item: scores[item])]
    shuffles = itertools.product(*(itertools.permutations(group) for group in groups))
    return ([item for group in shuffled for item in group] for shuffled in shuffles)


def in_order(scores: dict[Id, float], grades: dict[Id, float], ties: str) -> list[Id]:
    """The items, best score first. Sorting keeps the order of equals: each line yields to the next."""
    items = list(scores)
    if ties != "input":
        items = sorted(items, reverse=ties != "item-asc")  # strings compare as their UTF-8 bytes do
    if ties in ("best", "worst"):  # of two items with grade 0, the judged one is the better
        grade = {item: (grades.get(item, 0.0), item in grades) for item in items}
        items = sorted(items, key=lambda item: grade[item], reverse=ties == "best")
    return sorted(items, key=lambda item: scores[item], reverse=True)


# --- Measures: a value for one query, or None where nothing relevant was judged ----------------------


def relevant(seen: Seen, rel: float) -> int:
    """R: how many judged items are relevant."""
    return sum(grade >= rel for grade in seen.judged)


def hit_ranks(seen: Seen, rel: float, cutoff: int | None = None) -> list[int]:
    """The ranks, from 1, of the relevant items in the list down to the cutoff."""
    top = seen.retrieved[:cutoff]
    return [rank for rank, grade in enumerate(top, start=1) if grade is not None and grade >= rel]


def gained(grade: float | None, gain: Gain) -> float:
    """What an item of this grade is worth; an unjudged one nothing."""
    if grade is None:
        return 0.0
    if gain == "linear":
        return max(grade, 0.0)
    if gain == "exp2":
        return math.pow(2.0, max(grade, 0.0)) - 1.0
    if isinstance(gain, Mapping):
        if grade not in gain and grade != 0:
            raise DataError(f"no gain for grade {grade}")
        return gain.get(grade, 0.0)
    assert callable(gain)
    return float(gain(grade))


def discounted(rank: int, discount: str | float) -> float:
    """What the gain at this rank is multiplied with."""
    if discount == "log2":
        return 1.0 / math.log2(rank + 1)
    if discount == "log2max":
        return 1.0 / math.log2(max(rank, 2))
    return 1.0 / math.log(rank + 1, float(discount))


def dcg_of(gains: Sequence[float], discount: str | float) -> float:
    """The discounted sum of gains in rank order."""
    return math.fsum(g * discounted(rank, discount) for rank, g in enumerate(gains, start=1))


def dcg(
    seen: Seen, *, cutoff: int | None = None, gain: Gain = "linear", discount: str | float = "log2"
) -> float:
    """DCG: each gain divided by the logarithm of its rank."""
    return dcg_of([gained(grade, gain) for grade in seen.retrieved[:cutoff]], discount)


def ndcg(
    seen: Seen,
    *,
    cutoff: int | None = None,
    gain: Gain = "linear",
    discount: str | float = "log2",
    ideal: str | Sequence[float] = "judged",
) -> float | None:
    """nDCG: DCG divided by that of the best list there could be."""
    pool: Sequence[float | None] = seen.judged
    if ideal == "retrieved":
        pool = seen.retrieved
    elif not isinstance(ideal, str):
        pool = ideal
    best = sorted((gained(grade, gain) for grade in pool), reverse=True)[:cutoff]
    highest = dcg_of(best, discount)
    return dcg(seen, cutoff=cutoff, gain=gain, discount=discount) / highest if highest > 0 else None


def cg(seen: Seen, *, cutoff: int | None = None, gain: Gain = "linear") -> float:
    """CG: the sum of gains."""
    return math.fsum(gained(grade, gain) for grade in seen.retrieved[:cutoff])


def average_precision(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, denominator: str = "relevant"
) -> float | None:
    """AP: precision at the rank of each hit, summed, divided by how many there could be."""
    found, total, length = hit_ranks(seen, rel, cutoff), relevant(seen, rel), len(seen.retrieved)
    if denominator == "cutoff" and cutoff is None:
        raise MeasureError("AP(denominator=cutoff) needs a cutoff")
    if not total:
        return None
    k = math.inf if cutoff is None else cutoff
    divisor = {
        "relevant": total,
        "min": min(total, k),
        "retrieved": min(total, length, k),
        "cutoff": k,
        "hits": len(found),
    }[denominator]
    precisions = [number / rank for number, rank in enumerate(found, start=1)]
    return math.fsum(precisions) / divisor if found else 0.0


def reciprocal_rank(
    seen: Seen,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    hits: str = "first",
    denominator: str = "one",
) -> float | None:
    """RR: one over the rank of the first hit, or that summed over all hits."""
    total = relevant(seen, rel)
    if not total:
        return None
    ranks = hit_ranks(seen, rel, cutoff)
    counted = ranks[:1] if hits == "first" else ranks
    return math.fsum(1 / rank for rank in counted) / (1 if denominator == "one" else total)


def precision(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, denominator: str = "cutoff"
) -> float | None:
    """P: the share of the list that is relevant. Without a cutoff the list's own length is k."""
    total, length = relevant(seen, rel), len(seen.retrieved)
    if not total:
        return None
    k = length if cutoff is None else cutoff
    divisor = {"cutoff": k, "retrieved": min(length, k), "min": min(k, total)}[denominator]
    return len(hit_ranks(seen, rel, cutoff)) / divisor if divisor else 0.0


def recall(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, denominator: str = "relevant"
) -> float | None:
    """R: the share of the relevant items that is in the list."""
    total = relevant(seen, rel)
    if not total:
        return None
    divisor = total if denominator == "relevant" or cutoff is None else min(total, cutoff)
    return len(hit_ranks(seen, rel, cutoff)) / divisor


def f_measure(seen: Seen, *, cutoff: int | None = None, rel: float = 1, beta: float = 1) -> float | None:
    """F: the harmonic mean of P and R, with R weighing beta times as much as P."""
    p, r = precision(seen, cutoff=cutoff, rel=rel), recall(seen, cutoff=cutoff, rel=rel)
    if p is None or r is None:
        return None
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r > 0 else 0.0


def hit_rate(seen: Seen, *, cutoff: int | None = None, rel: float = 1, hits: str = "any") -> float | None:
    """HR: whether there is a hit, or how many."""
    if not relevant(seen, rel):
        return None
    found = len(hit_ranks(seen, rel, cutoff))
    return float(found if hits == "count" else found > 0)


def r_precision(seen: Seen, *, rel: float = 1, multiple: float = 1) -> float | None:
    """Rprec: precision at rank R, or at a multiple of it."""
    total = relevant(seen, rel)
    if not total:
        return None
    k = math.floor(multiple * total + 0.9)
    return len(hit_ranks(seen, rel, k)) / k if k else 0.0


def rank_biased_precision(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, p: float = 0.8, gain: str = "binary"
) -> float | None:
    """RBP: the hits a reader sees, per item read, who goes on to the next item with probability p."""
    if gain == "binary":
        if not relevant(seen, rel):
            return None
        return (1 - p) * math.fsum(p ** (rank - 1) for rank in hit_ranks(seen, rel, cutoff))
    highest = max(seen.judged)
    if highest <= 0:
        return None
    scale = max(highest, 1)
    gains = [gained(grade, "linear") / scale for grade in seen.retrieved[:cutoff]]
    return (1 - p) * math.fsum(g * p**place for place, g in enumerate(gains))


def rbp_residual(seen: Seen, *, p: float = 0.8, tail: str = "always") -> float:
    """RBPResidual: what RBP could gain from items that nobody judged, and from those beyond the list."""
    unjudged_places = [place for place, grade in enumerate(seen.retrieved) if not pool_judged(grade)]
    if tail == "unjudged" and not unjudged_places:
        return 0.0
    return (1 - p) * math.fsum(p**place for place in unjudged_places) + p ** len(seen.retrieved)


def pool_judged(grade: float | None) -> bool:
    """Whether an item was judged and not only pooled, for which a grade below 0 stands."""
    return grade is not None and grade >= 0


def binary_preference(seen: Seen, *, rel: float = 1) -> float | None:
    """Bpref: for each hit, the share of the nonrelevant items that are not above it, as far as R counts."""
    total = relevant(seen, rel)
    if not total:
        return None
    others = sum(0 <= grade < rel for grade in seen.judged)
    value = 0.0
    for rank in hit_ranks(seen, rel):
        above = sum(grade is not None and 0 <= grade < rel for grade in seen.retrieved[: rank - 1])
        value += 1 - (min(above, total) / min(others, total) if above else 0)
    return value / total


def inferred_average_precision(seen: Seen, *, rel: float = 1) -> float | None:
    """InfAP: AP with the precision above each hit estimated from the judged part of the pool."""
    total = relevant(seen, rel)
    if not total:
        return None
    value, epsilon = 0.0, 1e-5
    for rank in hit_ranks(seen, rel):
        pooled = [grade for grade in seen.retrieved[: rank - 1] if grade is not None]
        good = sum(grade >= rel for grade in pooled)
        bad = sum(0 <= grade < rel for grade in pooled)
        share = (good + epsilon) / (good + bad + 2 * epsilon)
        value += 1 / rank + len(pooled) / rank * share
    return value / total


ELEVEN_POINTS = [step / 10 for step in range(11)]


def interpolated_precision(
    seen: Seen,
    *,
    rel: float = 1,
    recall: float | Sequence[float] = ELEVEN_POINTS,
    rounding: str = "nearest",
) -> float | None:
    """IPrec: the best precision from where a level of recall is reached, or the mean over several levels."""
    total = relevant(seen, rel)
    if not total:
        return None
    found = hit_ranks(seen, rel)
    values = []
    for level in recall if isinstance(recall, Sequence) else [recall]:
        needed = math.floor(level * total + (0.5 if rounding == "nearest" else 0.9))
        precisions = [number / rank for number, rank in enumerate(found, start=1) if number >= needed]
        values.append(max(precisions, default=0.0))
    return math.fsum(values) / len(values)


def set_average_precision(seen: Seen, *, rel: float = 1) -> float | None:
    """SetAP: precision times recall."""
    p, r = precision(seen, rel=rel), recall(seen, rel=rel)
    return None if p is None or r is None else p * r


def utility(
    seen: Seen,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    relevant: float = 1,
    nonrelevant: float = -1,
    missed: float = 0,
    rejected: float = 0,
    items: float = 0,
) -> float:
    """Utility: each item counted by what it is and whether it is shown."""
    found = len(hit_ranks(seen, rel, cutoff))
    other = len(seen.retrieved[:cutoff]) - found
    not_found = sum(grade >= rel for grade in seen.judged) - found
    if rejected and not items:
        raise MeasureError("the size of the collection is not known")
    left = items - found - other - not_found
    if rejected and left < 0:
        raise DataError("more items than the collection has")
    return relevant * found + nonrelevant * other + missed * not_found + rejected * left


def binary_gain(seen: Seen, *, rel: float = 1) -> float | None:
    """BinG: each hit discounted by the number of others above it."""
    total = relevant(seen, rel)
    if not total:
        return None
    found = enumerate(hit_ranks(seen, rel), start=1)
    return math.fsum(1 / math.log2(2 + rank - number) for number, rank in found) / total


def normalised_gain(seen: Seen, *, gain: Gain = "linear") -> float | None:
    """G: each gain discounted by how far the list is behind the best one, which goes on by 1 a rank."""
    best = sorted((g for g in (gained(grade, gain) for grade in seen.judged) if g > 0), reverse=True)
    if not best:
        return None
    value, so_far = 0.0, 0.0
    for rank, grade in enumerate(seen.retrieved, start=1):
        own = max(gained(grade, gain), 0.0)
        so_far += own
        could_be = math.fsum(best[:rank]) + max(rank - len(best), 0)
        value += own / math.log2(2 + max(could_be - so_far, 0.0))
    return value / math.fsum(best)


def ndcg_at_relevant(seen: Seen, *, gain: Gain = "linear") -> float | None:
    """nDCG_rel: the mean of nDCG at the ranks of the items that gain something, of the list for the rest."""
    total = sum(gained(grade, gain) > 0 for grade in seen.judged)
    if not total:
        return None
    gainful = [rank for rank, grade in enumerate(seen.retrieved, start=1) if gained(grade, gain) > 0]
    cutoffs = [*gainful, *[None] * (total - len(gainful))]
    return math.fsum(ndcg(seen, cutoff=cutoff, gain=gain) or 0.0 for cutoff in cutoffs) / total


def ndcg_at_levels(seen: Seen, *, rel: float = 1, gain: Gain = "linear") -> float | None:
    """RnDCG: the mean of nDCG where the best list leaves a level of gain, and of the list if it goes on."""
    best = [g for g in (gained(grade, gain) for grade in seen.judged) if g > 0]
    if not best or not relevant(seen, rel):
        return None
    cutoffs: list[int | None] = [sum(g >= level for g in best) for level in sorted(set(best))]
    if len(seen.retrieved) > len(best) + 1:
        cutoffs.append(None)
    return math.fsum(ndcg(seen, cutoff=cutoff, gain=gain) or 0.0 for cutoff in cutoffs) / len(cutoffs)


def expected_reciprocal_rank(seen: Seen, *, cutoff: int | None = None, max_grade: float = 4) -> float | None:
    """ERR: one over the rank at which a reader stops, who is satisfied with chance (2^grade - 1) / 2^max."""
    if any(grade > max_grade for grade in seen.judged):
        raise DataError("a grade above the highest")
    if not any(grade > 0 for grade in seen.judged):
        return None
    value, still_reading = 0.0, 1.0
    for rank, grade in enumerate(seen.retrieved[:cutoff], start=1):
        satisfied = gained(grade, "exp2") / 2**max_grade
        value += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return value


def judged(seen: Seen, *, cutoff: int | None = None) -> float:
    """Judged: the share of the list that was judged."""
    top = seen.retrieved[:cutoff]
    return sum(grade is not None for grade in top) / len(top) if top else 0.0


def unjudged(seen: Seen, *, cutoff: int | None = None) -> float:
    """Unjudged: the share of the first k items that was not judged; without k, of the list."""
    top = seen.retrieved[:cutoff]
    k = len(top) if cutoff is None else cutoff
    return sum(not pool_judged(grade) for grade in top) / k if k else 0.0


def hit_ratio(seen: Seen, *, cutoff: int | None = None, rel: float = 1) -> float:
    """HitRatio of one query: its hits over its relevant items, undefined where there are none."""
    total = relevant(seen, rel)
    return len(hit_ranks(seen, rel, cutoff)) / total if total else math.nan


def retrieved(seen: Seen, *, cutoff: int | None = None) -> float:
    """NumRet: the length of the list."""
    return len(seen.retrieved[:cutoff])


def relevant_judged(seen: Seen, *, rel: float = 1) -> float:
    """NumRel: how many relevant items were judged."""
    return relevant(seen, rel)


def relevant_retrieved(seen: Seen, *, cutoff: int | None = None, rel: float = 1) -> float:
    """NumRelRet: how many relevant items are in the list."""
    return len(hit_ranks(seen, rel, cutoff))


def nonrelevant_retrieved(seen: Seen, *, cutoff: int | None = None, rel: float = 1) -> float:
    """NumNonrelRet: how many items in the list were judged not relevant."""
    return sum(grade is not None and 0 <= grade < rel for grade in seen.retrieved[:cutoff])


def one(_: Seen) -> float:
    """NumQ: each query counts once."""
    return 1.0


MEASURES: dict[str, Callable[..., float | None]] = {
    "nDCG": ndcg,
    "DCG": dcg,
    "CG": cg,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "P": precision,
    "R": recall,
    "F": f_measure,
    "HR": hit_rate,
    "HitRatio": hit_ratio,
    "Rprec": r_precision,
    "RBP": rank_biased_precision,
    "ERR": expected_reciprocal_rank,
    "Judged": judged,
    "NumRet": retrieved,
    "NumRel": relevant_judged,
    "NumRelRet": relevant_retrieved,
    "NumNonrelRet": nonrelevant_retrieved,
    "NumQ": one,
    "Bpref": binary_preference,
    "infAP": inferred_average_precision,
    "IPrec": interpolated_precision,
    "SetAP": set_average_precision,
    "Utility": utility,
    "binG": binary_gain,
    "G": normalised_gain,
    "nDCG_rel": ndcg_at_relevant,
    "RnDCG": ndcg_at_levels,
    "RBPResidual": rbp_residual,
    "Unjudged": unjudged,
}
