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

from rankmark.errors import DataError, IdTypeError, MeasureError
from rankmark.language.choices import Choices

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
        if choices.unjudged == "relevant":
            seen = bounded(seen, parameters.get("rel", 1), "upper")
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


def not_retrieved(seen: Seen) -> list[float]:
    """The grades of the judged items that the list lacks."""
    missed = list(seen.judged)
    for grade in seen.retrieved:
        if grade is not None:
            missed.remove(grade)
    return missed


def bounded(seen: Seen, rel: float, bound: str) -> Seen:
    """The unjudged items of the list as they are, or taken for relevant."""
    if bound == "lower":
        return seen
    unjudged = [rel for grade in seen.retrieved if grade is None]
    return Seen([rel if grade is None else grade for grade in seen.retrieved], [*seen.judged, *unjudged])


def gained(grade: float | None, gain: Gain) -> float:
    """What an item of this grade is worth; an unjudged one nothing."""
    if grade is None:
        return 0.0
    if gain == "binary":
        return float(grade > 0)
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


def ncg(
    seen: Seen, *, cutoff: int | None = None, gain: Gain = "linear", ideal: str = "judged"
) -> float | None:
    """NCG: the sum of gains divided by the highest there could be."""
    pool: Sequence[float | None] = seen.retrieved if ideal == "retrieved" else seen.judged
    highest = math.fsum(sorted((gained(grade, gain) for grade in pool), reverse=True)[:cutoff])
    return cg(seen, cutoff=cutoff, gain=gain) / highest if highest > 0 else None


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
    bound: str = "lower",
) -> float | None:
    """RR: one over the rank of the first hit, or that summed over all hits."""
    seen = bounded(seen, rel, bound)
    total = relevant(seen, rel)
    if not total:
        return None
    ranks = hit_ranks(seen, rel, cutoff)
    counted = ranks[:1] if hits == "first" else ranks
    return math.fsum(1 / rank for rank in counted) / (1 if denominator == "one" else total)


def precision(
    seen: Seen,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    denominator: str = "cutoff",
    bound: str = "lower",
) -> float | None:
    """P: the share of the list that is relevant. Without a cutoff the list's own length is k."""
    seen = bounded(seen, rel, bound)
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


def hit_rate(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, hits: str = "any", bound: str = "lower"
) -> float | None:
    """HR: whether there is a hit, or how many."""
    seen = bounded(seen, rel, bound)
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


# Readers who go down a list (C/W/L): each says with what chance they go on from a rank.


def highest_gain(seen: Seen, gain: Gain, max_grade: float) -> float:
    """The gain of the highest grade; a judged item must not gain more."""
    highest = max(gain.values()) if isinstance(gain, Mapping) else gained(max_grade, gain)
    if any(gained(grade, gain) > highest for grade in seen.judged):
        raise DataError("a grade above the highest")
    return highest


def hit_or_gain(grade: float | None, gain: Gain, rel: float) -> float:
    """1 for a relevant item, or what its grade gains."""
    if gain == "binary":
        return float(grade is not None and grade >= rel)
    return max(gained(grade, gain), 0.0)


def reader_utility(
    seen: Seen,
    goes_on: Callable[[int, Sequence[float]], float],
    *,
    last: float,
    cutoff: int | None,
    rel: float,
    gain: Gain,
    max_grade: float,
    value: str,
) -> float | None:
    """What a reader gains: chance by chance, rank by rank. `goes_on` is told rank and gains so far."""
    highest = 1.0 if gain == "binary" else highest_gain(seen, gain, max_grade)
    gains = [hit_or_gain(grade, gain, rel) / highest for grade in seen.retrieved[:cutoff]]
    total, depth, looks = 0.0, 0.0, 1.0
    for rank in range(1, int(last) + 1):
        gains += [0.0] * (rank - len(gains))
        total += looks * gains[rank - 1]
        depth += looks
        looks *= goes_on(rank, gains[:rank])
    if value == "ED":
        return depth
    if not any(hit_or_gain(grade, gain, rel) > 0 for grade in seen.judged):
        return None
    return total if value == "ETU" else total / depth if depth else 0.0


def inverse_squares(seen: Seen, *, T: float, depth: float, **reader: Any) -> float | None:
    """INSQ: the longer the reader has read, the more patient."""
    return reader_utility(
        seen, lambda rank, _: ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2, last=depth, **defaults(reader)
    )


def inst(seen: Seen, *, T: float, depth: float, **reader: Any) -> float | None:
    """INST: as INSQ, with what is still wanted in place of one of the T."""

    def goes_on(rank: int, gains: Sequence[float]) -> float:
        wanted = T + (T - math.fsum(gains))
        return ((rank - 1 + wanted) / (rank + wanted)) ** 2

    return reader_utility(seen, goes_on, last=depth, **defaults(reader))


def defaults(reader: dict[str, Any]) -> dict[str, Any]:
    """What is said of a reader, with no cutoff unless there is one."""
    return {"cutoff": None, **reader}


def bejeweled_player(
    seen: Seen,
    *,
    T: float,
    cutoff: int | None = None,
    **reader: Any,
) -> float | None:
    """BPM: stops with enough gained, or at the end."""

    def goes_on(_: int, gains: Sequence[float]) -> float:
        return float(sum(gains) < T)

    last = len(seen.retrieved) if cutoff is None else cutoff
    return reader_utility(seen, goes_on, last=last, cutoff=cutoff, **reader)


def scaled_dcg(
    seen: Seen, *, discount: str | float, cutoff: int | None = None, **reader: Any
) -> float | None:
    """SDCG: every rank is looked at as often as its discount says."""

    def goes_on(rank: int, _: Sequence[float]) -> float:
        return discounted(rank + 1, discount) / discounted(rank, discount)

    value = reader.pop("value")
    last = len(seen.retrieved) if cutoff is None else cutoff
    found = reader_utility(seen, goes_on, last=last, cutoff=cutoff, value=value, **reader)
    # The first rank is looked at for sure, but DCG gives it the weight of its discount.
    return found if found is None or value == "EU" else found * discounted(1, discount)


def nearly_err(
    seen: Seen,
    *,
    patience: str,
    p: float,
    T: float,
    depth: float,
    cutoff: int | None = None,
    **reader: Any,
) -> float | None:
    """NearlyERR: goes on if not satisfied, and as patience fades."""
    discount: Callable[[int], float] = {
        "constant": lambda _: 1.0,
        "reciprocal": lambda rank: 1 / rank,
        "geometric": lambda rank: p**rank,
        "squares": lambda rank: (rank + 2 * T - 1) ** -2,
    }[patience]

    def goes_on(rank: int, gains: Sequence[float]) -> float:
        return (1 - gains[-1]) * discount(rank + 1) / discount(rank)

    last = depth if cutoff is None else min(cutoff, depth)
    return reader_utility(seen, goes_on, last=last, cutoff=cutoff, **reader)


def rank_biased_precision(
    seen: Seen,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    p: float = 0.8,
    gain: Gain = "binary",
    max_grade: float | str = 1,
    value: str = "EU",
) -> float | None:
    """RBP: what a reader gains, per item read, who goes on to the next item with probability p."""
    highest = 1.0
    if gain != "binary" and max_grade != "none":
        scale = max(*seen.judged, 1.0) if max_grade == "query" else max_grade
        highest = highest_gain(seen, gain, float(scale))
    if value == "ED":
        return 1 / (1 - p)
    if not any(hit_or_gain(grade, gain, rel) > 0 for grade in seen.judged):
        return None
    gains = [hit_or_gain(grade, gain, rel) / highest for grade in seen.retrieved[:cutoff]]
    total = math.fsum(g * p ** (rank - 1) for rank, g in enumerate(gains, start=1))
    return total if value == "ETU" else (1 - p) * total


def expected_reciprocal_rank(
    seen: Seen,
    *,
    cutoff: int | None = None,
    gain: Gain = "exp2",
    max_grade: float = 4,
    best: str = "doubtful",
) -> float | None:
    """ERR: one over the rank at which a reader stops, who is satisfied with chance gain / (highest + 1)."""
    full = highest_gain(seen, gain, max_grade) + (best == "doubtful")
    if not any(gained(grade, gain) > 0 for grade in seen.judged):
        return None
    value, still_reading = 0.0, 1.0
    for rank, grade in enumerate(seen.retrieved[:cutoff], start=1):
        satisfied = max(gained(grade, gain), 0.0) / full
        value += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return value


def logit_average_precision(seen: Seen, *, rel: float = 1) -> float | None:
    """YAAP: what AP adds up, in log odds, with 1 added to what is found and to what is not."""
    average, total = average_precision(seen, rel=rel), relevant(seen, rel)
    if average is None:
        return None
    return math.log1p(average * total) - math.log1p(total - average * total)


def pfound(
    seen: Seen,
    *,
    cutoff: int | None = None,
    decay: float = 0.85,
    gain: Gain = "linear",
    max_grade: float = 4,
) -> float | None:
    """PFound: the chance that a reader is satisfied who at each rank goes on with the chance of `decay`."""
    if not any(gained(grade, gain) > 0 for grade in seen.judged):
        return None
    value, still_reading = 0.0, 1.0
    for grade in seen.retrieved[:cutoff]:
        satisfied = max(gained(grade, gain), 0.0) / highest_gain(seen, gain, max_grade)
        value += still_reading * satisfied
        still_reading *= (1 - satisfied) * decay
    return value


def normalised_err(seen: Seen, *, gain: Gain = "exp2", **parameters: Any) -> float | None:
    """NERR: ERR by that of the best order."""
    best = Seen(sorted(seen.judged, key=lambda grade: gained(grade, gain), reverse=True), seen.judged)
    value = expected_reciprocal_rank(seen, gain=gain, **parameters)
    most = expected_reciprocal_rank(best, gain=gain, **parameters)
    return value / most if value is not None and most else None


# What Sakai built on the blended ratio.


def blended_ratios(seen: Seen, gain: Gain, beta: float) -> list[tuple[int, float, float]]:
    """Rank, gain and blended ratio of each relevant item in the list."""
    best = sorted((max(gained(grade, gain), 0.0) for grade in seen.judged), reverse=True)
    found, rows = [], []
    for rank, grade in enumerate(seen.retrieved, start=1):
        g = max(gained(grade, gain), 0.0)
        if g > 0:
            found.append(g)
            ratio = (len(found) + beta * sum(found)) / (rank + beta * sum(best[:rank]))
            rows.append((rank, g, ratio))
    return rows


def gaining(seen: Seen, gain: Gain) -> list[float]:
    """The gains of all relevant items, retrieved or not."""
    return [gained(grade, gain) for grade in seen.judged if gained(grade, gain) > 0]


def q_measure(
    seen: Seen,
    *,
    cutoff: int | None = None,
    gain: Gain = "linear",
    beta: float = 1,
    denominator: str = "min",
) -> float | None:
    """Q: average precision with blended ratios."""
    total = len(gaining(seen, gain))
    if not total:
        return None
    k = math.inf if cutoff is None else cutoff
    ratios = [ratio for rank, _, ratio in blended_ratios(seen, gain, beta) if rank <= k]
    return math.fsum(ratios) / (min(total, k) if denominator == "min" else total)


def o_measure(seen: Seen, *, gain: Gain = "linear", beta: float = 1) -> float | None:
    """O: the blended ratio of the first relevant item."""
    rows = blended_ratios(seen, gain, beta)
    return (rows[0][2] if rows else 0.0) if gaining(seen, gain) else None


def to_preferred(seen: Seen, gain: Gain, beta: float) -> list[float]:
    """The blended ratios down to the first of the best items of the list."""
    rows = blended_ratios(seen, gain, beta)
    best = max((g for _, g, _ in rows), default=0.0)
    first = [g for _, g, _ in rows].index(best) if rows else -1
    return [ratio for _, _, ratio in rows[: first + 1]]


def p_measure(seen: Seen, *, gain: Gain = "linear", beta: float = 1) -> float | None:
    """P-measure: the blended ratio of the first of the best."""
    return (to_preferred(seen, gain, beta) or [0.0])[-1] if gaining(seen, gain) else None


def p_plus(seen: Seen, *, gain: Gain = "linear", beta: float = 1) -> float | None:
    """P-plus: the mean of them all."""
    ratios = to_preferred(seen, gain, beta) or [0.0]
    return math.fsum(ratios) / len(ratios) if gaining(seen, gain) else None


def cumulative_utility(
    seen: Seen,
    *,
    stop: str = "graded",
    utility: str = "blended",
    gain: Gain = "linear",
    beta: float = 1,
    p: float = 0.95,
) -> float | None:
    """NCU: at each relevant item some stop, with the utility so far."""
    every = gaining(seen, gain)
    if not every:
        return None
    value = 0.0
    for number, (rank, g, ratio) in enumerate(blended_ratios(seen, gain, beta), start=1):
        share = {
            "graded": g / math.fsum(every),
            "geometric": p ** (number - 1) / math.fsum(p**i for i in range(len(every))),
            "uniform": 1 / len(every),
        }[stop]
        value += share * (ratio if utility == "blended" else number / rank)
    return value


def compatibility(
    seen: Seen,
    *,
    cutoff: int | None = None,
    p: float = 0.95,
    depth: str = "longer",
    denominator: str = "ideal",
) -> float | None:
    """Compatibility: rank-biased overlap with the ideal order nearest to the list."""
    missed = not_retrieved(seen)
    good = [(-g, i) for i, g in enumerate(seen.retrieved) if g is not None and g > 0]
    good += [(-g, len(seen.retrieved) + i) for i, g in enumerate(missed) if g > 0]
    if not good:
        return None
    ideal = [item for _, item in sorted(good)]
    everything = list(range(len(seen.retrieved)))[:cutoff]
    deepest = max(len(everything), len(ideal)) if depth == "longer" else 200  # for p = 1/2 as good as endless
    overlap = rank_biased_overlap(everything, ideal, p, deepest)
    if denominator == "one":
        return overlap
    return overlap / rank_biased_overlap(ideal, ideal, p, deepest)


def rank_biased_overlap(a: Sequence[int], b: Sequence[int], p: float, depth: int) -> float:
    """The mean agreement of two lists, over depths that count ever less."""
    weights = [p**i for i in range(depth)]
    agreement = [len({*a[:i]} & {*b[:i]}) / i for i in range(1, depth + 1)]
    return math.fsum(w * x for w, x in zip(weights, agreement, strict=True)) / math.fsum(weights)


# Pairs and places of items, retrieved or not.


def placed(
    seen: Seen, cutoff: int | None = None, items: str | int = "judged"
) -> list[tuple[float, float | None]]:
    """Place and grade of the items asked for; those not among the first k share the last place."""
    places = [
        (rank if cutoff is None or rank <= cutoff else math.inf, grade)
        for rank, grade in enumerate(seen.retrieved, start=1)
    ]
    if items == "retrieved":
        return [(place, grade) for place, grade in places if place < math.inf]
    places += [(math.inf, grade) for grade in not_retrieved(seen)]
    if items == "judged":
        return [(place, grade) for place, grade in places if grade is not None]
    assert isinstance(items, int)
    if items < len(places):
        raise DataError("more items than there are")
    return places + [(math.inf, None)] * (items - len(places))


def pair_credit(upper: float, lower: float) -> float:
    """1 for a pair in order, half for one in none."""
    return float(upper < lower) + 0.5 * (upper == lower)


def area_under_curve(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, items: str | int = "judged"
) -> float | None:
    """ListAUC: pair by pair."""
    rows = placed(seen, cutoff, items)
    hits = [place for place, grade in rows if grade is not None and grade >= rel]
    others = [place for place, grade in rows if grade is None or grade < rel]
    if not relevant(seen, rel):
        return None
    if items == "retrieved" and not (hits and others):
        return float(bool(hits))
    if not others:
        return None
    return math.fsum(pair_credit(a, b) for a in hits for b in others) / (len(hits) * len(others))


def ranking_loss(seen: Seen, *, rel: float = 1) -> float | None:
    """RankingLoss: what ListAUC lacks."""
    area = area_under_curve(seen, rel=rel)
    return None if area is None else 1 - area


def ordered_pair_accuracy(seen: Seen) -> float | None:
    """OPA: pair by pair of different grades."""
    rows = [(place, grade) for place, grade in placed(seen) if grade is not None]
    pairs = [pair_credit(a, b) for a, high in rows for b, low in rows if high > low]
    return math.fsum(pairs) / len(pairs) if pairs else None


def distance_based_performance(seen: Seen) -> float | None:
    """NDPM: contradicted pairs twice, undecided ones once, by twice all."""
    rows = [(place, grade) for place, grade in placed(seen) if grade is not None]
    pairs = [pair_credit(a, b) for a, high in rows for b, low in rows if high > low]
    return sum(2 * (each == 0) + (each == 1 / 2) for each in pairs) / (2 * len(pairs)) if pairs else None


def partial_auc(seen: Seen, *, cutoff: int | None = None, rel: float = 1, hits: str = "all") -> float | None:
    """PartialAUC: pair by pair, of relevant items and the first k others."""
    total = relevant(seen, rel)
    if not total:
        return None
    found = hit_ranks(seen, rel)
    others: list[float] = [rank for rank in range(1, len(seen.retrieved) + 1) if rank not in found]
    k = len(others) if cutoff is None else cutoff
    others = (others + [math.inf] * k)[:k]
    most = min(total, k) if hits == "first" else total
    if not others:  # the others are all below
        return 0.0 if hits == "first" else len(found) / total
    pairs = [rank < other for rank in found[:most] for other in others]
    return sum(pairs) / (most * len(others))


def fall_out(
    seen: Seen, *, cutoff: int | None = None, rel: float = 1, items: str | int = "judged"
) -> float | None:
    """FallOut: the share of the others that is in the list."""
    rows = placed(seen, cutoff, items)
    others = [place for place, grade in rows if grade is None or grade < rel]
    return sum(place < math.inf for place in others) / len(others) if others else None


def places_after(seen: Seen, items: str | int) -> range:
    """The ranks after the list."""
    known = len(seen.retrieved) + len(not_retrieved(seen))
    if isinstance(items, int) and items < known:
        raise DataError("more items than there are")
    return range(len(seen.retrieved) + 1, (known if isinstance(items, str) else items) + 1)


def mean_place(
    seen: Seen, place: Callable[[int, int], float], rel: float, gain: Gain, items: str | int
) -> float:
    """The weighted mean place of the judged items, given rank and number of items; NaN without weight."""
    after = places_after(seen, items)
    number = len(seen.retrieved) + len(after)
    rows = [
        (hit_or_gain(grade, gain, rel), place(rank, number))
        for rank, grade in enumerate(seen.retrieved, start=1)
        if grade is not None
    ]
    places = [place(rank, number) for rank in after]
    rows += [
        (hit_or_gain(grade, gain, rel), math.fsum(places) / len(places)) for grade in not_retrieved(seen)
    ]
    weights = math.fsum(weight for weight, _ in rows)
    return math.fsum(weight * value for weight, value in rows) / weights if weights else math.nan


def mean_rank(seen: Seen, *, rel: float = 1, gain: Gain = "binary", items: str | int = "known") -> float:
    """MeanRank: of the relevant items."""
    return mean_place(seen, lambda rank, _: rank, rel, gain, items)


def mean_percentile_rank(
    seen: Seen, *, rel: float = 1, gain: Gain = "binary", items: str | int = "known"
) -> float:
    """MPR: from 0 for the first to 1 for the last."""
    return mean_place(seen, lambda rank, n: (rank - 1) / (n - 1) if n > 1 else 0.0, rel, gain, items)


def max_rank(seen: Seen, *, rel: float = 1, items: str | int = "known") -> float | None:
    """MaxRank: the last relevant item; of those not retrieved, over all places that they can have."""
    after = places_after(seen, items)
    if not relevant(seen, rel):
        return None
    missed = sum(grade >= rel for grade in not_retrieved(seen))
    if not missed:
        return max(hit_ranks(seen, rel))
    ways = {last: math.comb(number, missed - 1) for number, last in enumerate(after)}
    return math.fsum(last * count for last, count in ways.items()) / math.comb(len(after), missed)


def mean_of_cutoffs(
    at_cutoff: Callable[..., float | None], seen: Seen, cutoff: int | None, rel: float
) -> float | None:
    """The mean of a measure at 1, 2 … k."""
    if not relevant(seen, rel):
        return None
    k = len(seen.retrieved) if cutoff is None else cutoff
    values = [at_cutoff(seen, cutoff=i, rel=rel) or 0.0 for i in range(1, k + 1)]
    return math.fsum(values) / k if k else 0.0


def mean_precision(seen: Seen, *, cutoff: int | None = None, rel: float = 1) -> float | None:
    """MeanP: of P@1, P@2 …."""
    return mean_of_cutoffs(precision, seen, cutoff, rel)


def mean_recall(seen: Seen, *, cutoff: int | None = None, rel: float = 1) -> float | None:
    """MeanR: of R@1, R@2 …."""
    return mean_of_cutoffs(recall, seen, cutoff, rel)


def judged(seen: Seen, *, cutoff: int | None = None) -> float:
    """Judged: the share of the list that was judged."""
    top = seen.retrieved[:cutoff]
    return sum(grade is not None for grade in top) / len(top) if top else 0.0


def unjudged(seen: Seen, *, cutoff: int | None = None, denominator: str = "cutoff") -> float:
    """Unjudged: the share of the first k items that was not judged; without k, of the list."""
    top = seen.retrieved[:cutoff]
    k = len(top) if cutoff is None or denominator == "retrieved" else cutoff
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
    "NCG": ncg,
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
    "nERR": normalised_err,
    "PFound": pfound,
    "YAAP": logit_average_precision,
    "INSQ": inverse_squares,
    "INST": inst,
    "BPM": bejeweled_player,
    "SDCG": scaled_dcg,
    "NearlyERR": nearly_err,
    "QMeasure": q_measure,
    "OMeasure": o_measure,
    "PMeasure": p_measure,
    "PPlus": p_plus,
    "NCU": cumulative_utility,
    "Compatibility": compatibility,
    "ListAUC": area_under_curve,
    "RankingLoss": ranking_loss,
    "OPA": ordered_pair_accuracy,
    "NDPM": distance_based_performance,
    "PartialAUC": partial_auc,
    "FallOut": fall_out,
    "MeanRank": mean_rank,
    "MPR": mean_percentile_rank,
    "MaxRank": max_rank,
    "MeanP": mean_precision,
    "MeanR": mean_recall,
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

# What a query weighs where the value of all is a ratio of two sums.
WEIGHTS: dict[str, Callable[..., float]] = {
    "HitRatio": lambda seen, *, rel, **_: relevant(seen, rel),
    "MeanRank": lambda seen, *, rel, gain, **_: math.fsum(hit_or_gain(g, gain, rel) for g in seen.judged),
    "MPR": lambda seen, *, rel, gain, **_: math.fsum(hit_or_gain(g, gain, rel) for g in seen.judged),
}
