"""What is odd in judgements and results, as far as it can be seen at no cost: `rankmark.check` sees more."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from rankmark import _numpy as np
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.kinds.items import RecommendedLists
    from rankmark.language.measure import Measure

__all__ = [
    "CERTAIN",
    "OF_LOGITS",
    "SAMPLED",
    "certainty",
    "counting_up",
    "is_reversed",
    "lists_of",
    "told_of_candidates",
    "told_of_items",
    "told_of_order",
    "told_of_rows",
    "told_of_tables",
    "told_of_vectors",
]

OF_LOGITS = "make probabilities of logits by 1/(1 + exp(−logit))"
"""What to do about scores that are no probabilities."""

CERTAIN = 3.0
"""Standard deviations from which on relevant items score lower than others by no accident (sign test)."""
STEPS = 5
"""So often at least the scores have to count up by one, for a few small lists may do so by chance."""
MOST = 0.9
"""The part of the lists, or of the numbers, that has to look like something else."""
GLANCE = 16
"""So many rows of a table are always looked at, the first ones."""
SAMPLED = 4096
"""So many are where those look odd."""
NEARLY = 1e-9
"""A threshold closer to 1/2 is the next number above it, for tools that find what scores more."""


def certainty(below: int, above: int) -> float:
    """By how many standard deviations more lists have relevant items below the others than above them."""
    return (below - above) / math.sqrt(below + above) if below + above else 0.0


def told_of_order(below: int, above: int) -> tuple[str, ...]:
    """What to say of scores of which the lower ones seem the better ones, as ranks and distances are."""
    if below <= above or certainty(below, above) < CERTAIN:
        return ()
    return (
        (
            f"in {below:,} of {below + above:,} lists the relevant items stand below the others: the highest "
            "score is taken as the best; negate distances and losses, and call ranks a rank"
        ),
    )


def told_of_candidates(candidates: str) -> tuple[str, ...]:
    """What to say of values among sampled candidates."""
    if candidates == "all":
        return ()
    said = (
        f"among {candidates} candidates: values are higher than among all items, AUC excepted, and can put "
        "systems into another order; rm.correct_sampled estimates those among all"
    )
    return (said,)


class Labelled(Protocol):
    """What is known of labelled rows."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def improbable(self) -> int:
        """Scores outside of 0 to 1."""

    @property
    def shown_improbable(self) -> Callable[[], str]:
        """Shows one of these."""


def told_of_rows(values: Mapping[Measure, float], content: Labelled, positives: int) -> tuple[str, ...]:
    """What to say of labelled rows: decisions at 1/2 on what is no probability, and scores turned round.

    Args:
        values: the values of measures.
        content: what was seen of the rows.
        positives: how many of them are positive.

    """
    told = []
    halves = [str(measure) for measure in values if _decides_at_half(measure)]
    if halves and content.improbable:
        told.append(
            f"{', '.join(halves)} at the threshold 0.5, with {counted(content.improbable, 'score')} outside "
            f"of 0 to 1, {content.shown_improbable()}: say another threshold=, divide percentages by 100, or "
            f"{OF_LOGITS}"
        )
    told += [
        f"{measure} is below 1/2, which is chance: rows that are not positive have higher scores; "
        "negate these, say the positive label with positive=, or look whether columns are swapped"
        for measure, value in values.items()
        if measure.name == "AUC"
        and not measure.parameters
        and is_reversed(value, positives, content.count - positives)
    ]
    return tuple(told)


def is_reversed(auc: float, positives: int, others: int) -> bool:
    """Whether scores stand the wrong way round: none is right, or AUC is below 1/2 by no accident.

    Source:
        H. B. Mann, D. R. Whitney: "On a Test of Whether one of Two Random Variables is Stochastically Larger
        than the Other". Annals of Mathematical Statistics 18 (1947), for the variance of AUC by chance.

    """
    if not positives or not others:
        return False
    deviation = math.sqrt((positives + others + 1) / (12 * positives * others))
    return auc == 0 or 0.5 - auc >= CERTAIN * deviation


def _decides_at_half(measure: Measure) -> bool:
    if "threshold" not in measure.page.parameters or "top" in measure.parameters:
        return False
    threshold = measure.parameters.get("threshold", 0.5)
    return not isinstance(threshold, str) and abs(threshold - 0.5) < NEARLY


def lists_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Of each query how many rows it has, and the least, greatest, first and summed value of them."""
    import polars as pl

    value = pl.col("value")
    of_values = (value.min().alias("low"), value.max().alias("high"), value.first().alias("first"))
    total = value.cast(pl.Float64).sum().alias("total")
    return rows.group_by("query", maintain_order=True).agg(pl.len().alias("rows"), *of_values, total)


def counting_up(lists: pl.DataFrame) -> pl.DataFrame:
    """The lists whose scores count up from 0 or 1 in the order of the rows, as ranks do.

    Args:
        lists: those of `lists_of`.

    Returns:
        These lists; none if others are not much fewer, or if so few may do so by chance.

    """
    import polars as pl

    several = lists.filter(pl.col("rows") > 1)
    rows, low, high, first, total = (pl.col(name) for name in ("rows", "low", "high", "first", "total"))
    counts_up = (first == low) & (high - low == rows - 1) & (total == (low + high) * rows / 2)
    found = several.filter(((low == 0) | (low == 1)) & counts_up)
    evidence = int(found["rows"].sum()) - found.height
    return found if evidence >= STEPS and found.height >= MOST * several.height else found.clear()


def told_of_items(lists: RecommendedLists) -> tuple[str, ...]:
    """What to say where no user of the interactions before, or no item of them, is among the results."""
    popularity = lists.facts.popularity("interactions")  # those that users had, and without looking which
    if not len(lists.item) or (popularity[lists.item[:SAMPLED]].any() and lists.facts.any_user()):
        return ()
    notes = []
    if not lists.facts.any_user():
        notes.append("none of the queries is a user of train, so that nobody had anything before")
    if not popularity[lists.item].any():
        notes.append("none of the items at the top of lists is in train, so that nobody had any of them")
    return tuple(f"{each}; are their ids written otherwise there?" for each in notes)


def told_of_vectors(measure: Measure, lists: RecommendedLists) -> tuple[str, ...]:
    """What to say of items whose vectors have no direction, where a measure looks at directions."""
    from rankmark.kinds.distances import without_direction  # which measures of lists do without

    by, known = measure.arguments.get("by"), lists.facts.attributes
    if known is None or "items" not in measure.needs or by is None:
        return ()
    columns = [by] if isinstance(by, str) else by
    found = {each: without_direction(known, each, measure.arguments.get("distance")) for each in columns}
    return tuple(
        f"{count:,} of {counted(known.count, 'item')} {'has' if count == 1 else 'have'} nothing but zeros in "
        f"{column!r}; {'its' if count == 1 else 'their'} cosine distance from all others"
        f"{'' if count == 1 else ', also from each other,'} is taken to be 1"
        for column, count in found.items()
        if count
    )


def told_of_tables(qrels: Input, run: Input, below: int, above: int) -> tuple[str, ...]:
    """What the first rows of tables in memory tell: scores that are ranks, tables swapped or given twice.

    Args:
        qrels: the judgements.
        run: the results.
        below: in how many lists relevant items stand below the others.
        above: in how many above.

    """
    if run.table.num_rows < STEPS:  # which tells nothing
        return ()
    grades, scores = _first(qrels), _first(run)
    return (
        *_ranks(run, scores, below, above),
        *_swapped(qrels, run, grades, scores),
        *_given_twice(qrels, run, grades, scores),
    )


def _ranks(run: Input, first: Sequence[float], below: int, above: int) -> tuple[str, ...]:
    # What does not begin so is not looked at any further.
    if not first or first[0] not in (0, 1) or _steps_of_one(first) < STEPS:
        return ()
    if certainty(below, above) <= -CERTAIN:
        return ()
    import polars as pl  # takes long, and few scores begin as ranks do

    scores = _first(run, SAMPLED)
    queries = run.table.take(run.query, np.arange(len(scores), dtype=np.uint32), "query")
    rows = pl.DataFrame({"query": pl.DataFrame(queries)["query"], "value": scores})
    lists = lists_of(rows)
    if run.table.num_rows > len(scores):  # of the last list there may be more
        lists = lists.head(max(1, lists.height - 1))
    found = counting_up(lists)
    if found.is_empty():
        return ()
    low = found["low"][0]
    return (
        (
            f"the scores of {run.name} are {low:g}, {low + 1:g}, {low + 2:g} …, as ranks are, and the "
            "highest is taken as the best; name the column as the rank if it is one"
        ),
    )


def _steps_of_one(scores: Sequence[float]) -> int:
    finite = filter(math.isfinite, scores)
    return sum(following - each == 1 for each, following in pairwise(finite))


def _swapped(qrels: Input, run: Input, grades: Sequence[float], scores: Sequence[float]) -> tuple[str, ...]:
    if not scores or not scores[0].is_integer():  # as of most systems, whose scores are no grades
        return ()
    fractions = len(grades) - sum(map(float.is_integer, grades))
    if len(grades) < STEPS or fractions < MOST * len(grades):
        return ()
    scores = _first(run, SAMPLED)
    different = len({*scores})
    if len(scores) < STEPS or different > STEPS or not all(map(float.is_integer, scores)):
        return ()
    return (
        (
            f"{qrels.name} has fractions for grades, and {run.name} whole numbers for scores, {different} "
            "different ones: are the two swapped?"
        ),
    )


def _given_twice(
    qrels: Input, run: Input, grades: Sequence[float], scores: Sequence[float]
) -> tuple[str, ...]:
    if qrels.table.num_rows != run.table.num_rows or run.table.num_rows < STEPS:
        return ()
    if run.rank:  # in four fields of TREC text the last is a rank
        scores = run.table.first_numbers(run.rank, GLANCE)
    if not scores or grades != scores:
        return ()
    of_run = run.rank or run.value
    assert of_run is not None
    if _first(qrels, SAMPLED) != run.table.first_numbers(of_run, SAMPLED):
        return ()
    if _ids(qrels) != _ids(run):
        return ()
    return (
        f"{run.name} has the queries, items and grades of {qrels.name}: are they the judgements once more?",
    )


def _ids(table: Input) -> list[list[str]]:
    """The queries and items of the first rows, as text."""
    import polars as pl

    rows = np.arange(min(SAMPLED, table.table.num_rows), dtype=np.uint32)
    taken = (pl.DataFrame(table.table.take(column, rows, "id")) for column in (table.query, table.item))
    return [frame["id"].cast(pl.String).to_list() for frame in taken]


def _first(table: Input, most: int = GLANCE) -> list[float]:
    """The first grades or scores of a table; none where it has none."""
    return [] if table.value is None else table.table.first_numbers(table.value, most)
