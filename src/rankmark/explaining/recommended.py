"""What is known of the items of a list, and what each adds to a measure of what is recommended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.engines import local
from rankmark.inputs.item_groups import rows_of_categories
from rankmark.kinds.item_facts import Judgements
from rankmark.kinds.items import RecommendedLists, Shares
from rankmark.kinds.ragged import offsets_of, spread
from rankmark.language.plan import Group

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

    from rankmark.inputs import Input
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.kinds.lists import Values
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["added", "beside"]

MOST = 1_000
"""Of longer lists the values of their beginnings are not looked at."""


def beside(rows: pl.DataFrame, known: Catalogue, query: int | str) -> pl.DataFrame:
    """The rows of a list with what is known of their items.

    Returns:
        The columns of `rows`, and those of the table of items, but for vectors; ``popularity``, how many
        users had the item before, and ``had``, whether this one did, where that is known.

    """
    import polars as pl

    key = pl.col("item").cast(pl.String)
    found = rows.with_columns(key.alias("_key"))
    if known.items is not None:
        shown = [_shown(known.items[name]) for name in known.names]
        columns = [each for each in shown if each is not None]
        taken = [
            each.alias(f"{each.name} of item") if each.name in rows.columns else each for each in columns
        ]
        table = pl.DataFrame([known.items["item"].cast(pl.String).alias("_key"), *taken])
        found = found.join(table, on="_key", how="left", maintain_order="left")
    if known.train is not None:
        train = known.train.select(pl.col("query").cast(pl.String), key.alias("_key"))
        train = train.filter(pl.col("_key").is_in(found["_key"].implode()))
        own = train.filter(pl.col("query") == str(query))["_key"]
        counts = train.group_by("_key").agg(pl.col("query").n_unique().cast(pl.Int64).alias("popularity"))
        found = found.join(counts, on="_key", how="left", maintain_order="left").with_columns(
            pl.col("popularity").fill_null(0), had=pl.col("_key").is_in(own.implode())
        )
    return found.drop("_key")


def _shown(values: pl.Series) -> pl.Series | None:
    """A column of items as it stands beside one; None for vectors."""
    import polars as pl

    if not isinstance(values.dtype, pl.List | pl.Array):
        return None if values.dtype.is_nested() else values
    if values.dtype.inner.is_numeric() or values.dtype.inner.is_nested():
        return None
    return values.cast(pl.List(pl.String)).list.join(", ")


def added(
    asked: Measure, judgements: Input, results: Input, choices: Choices, known: Catalogue, value: float
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """What each item of one query's list adds to the value of a measure.

    Returns:
        ``rank``; ``term``, of which the value is the mean over items, or else ``running``, the value of the
        list down to the item, null where it has none; and ``contribution``, which add up to the value. And
        where the measure looks at the shares of categories before and now, these: ``category``, ``before``
        and ``list``, the greatest first.

    """
    import polars as pl

    seen = local.observation(
        judgements,
        results,
        [Group(choices, (asked,))],
        text_items=False,
        threads=1,
        hash_inputs=False,
        known=known,
    ).seen
    (observed,) = seen.observed  # type: ignore[attr-defined]
    lists = observed.by_aspect if asked.of_aspects else observed.recommended
    recorder = _Means.of(lists)
    computed = np.array(asked.compute_items(recorder), dtype=np.float64)
    shares = recorder.shares_told(known)
    ranks = lists.top(asked.cutoff).rank
    if (terms := recorder.terms_of(computed)) is not None and len(terms) == len(ranks):
        whole = float(terms.sum())
        share = terms * (value / whole) if whole else np.zeros(len(terms))
        return pl.DataFrame({"rank": ranks, "term": terms, "contribution": share}), shares
    if len(ranks) > MOST:
        return pl.DataFrame({"rank": ranks}, schema={"rank": pl.Int64}), shares
    running = np.array(asked.compute_items(_beginnings(lists, len(ranks))), dtype=np.float64)
    steps = np.diff(np.nan_to_num(running), prepend=0.0)
    rows = pl.DataFrame({"rank": ranks, "running": running, "contribution": steps})
    return rows.with_columns(pl.col("running").fill_nan(None)), shares


def _beginnings(lists: RecommendedLists, count: int) -> RecommendedLists:
    """The first item of a list, its first two, and so on, each a list of the same query."""
    lengths = np.arange(1, count + 1)
    places = spread(np.zeros(count, dtype=np.int64), lengths)
    facts = replace(lists.facts, users=lambda: np.repeat(lists.user, count))
    if lists.facts.judged is not None:
        one = lists.facts.judgements()
        query = np.repeat(np.arange(count), len(one.item))
        item, grade = np.tile(one.item, count), np.tile(one.grade, count)
        size = int(max(item.max(initial=0) + 1, lists.facts.count))
        again = Judgements(query, item, grade, queries=count, items=size)
        facts = replace(facts, judged=lambda: again)
    if lists.facts.by_aspect is not None:
        facts = replace(facts, by_aspect=lambda: lists.facts.aspects().repeated(count))
    return RecommendedLists(lists.item[places], lists.tied[places], offsets_of(lengths), facts)


class _Means(RecommendedLists):
    """The list of one query, which notes the means over its items, and its shares of categories."""

    __slots__ = ("noted", "noted_shares")
    noted: list[tuple[Values, Values]]
    noted_shares: dict[str, tuple[str, Shares]]

    @classmethod
    def of(cls, lists: RecommendedLists) -> _Means:
        """The same list, recording."""
        made = cls(lists.item, lists.tied, lists.offsets, lists.facts)
        made.noted, made.noted_shares = [], {}
        return made

    def top(self, cutoff: int | None) -> RecommendedLists:
        cut = super().top(cutoff)
        if cut is self:
            return self
        made = self.of(cut)
        made.noted, made.noted_shares = self.noted, self.noted_shares
        return made

    def mean(self, x: ArrayLike, size: int | None = None) -> Values:
        found = super().mean(x, size)
        self.noted.append((np.asarray(x, dtype=np.float64), found))
        return found

    def mean_of(self, x: ArrayLike, size: int | None = None) -> Values:
        found = super().mean_of(x, size)
        self.noted.append((np.asarray(x, dtype=np.float64)[self.item], found))
        return found

    def shares(self, column: str, weight: Values | None = None) -> Shares:
        found = super().shares(column, weight)
        self.noted_shares["list"] = column, found
        return found

    def shares_before(self, column: str) -> Shares:
        found = super().shares_before(column)
        self.noted_shares["before"] = column, found
        return found

    def shares_told(self, known: Catalogue) -> pl.DataFrame | None:
        """The shares of categories before and in the list; None where the measure looks not at both."""
        import polars as pl

        if len(self.noted_shares) < 2 or known.items is None:
            return None
        column, before = self.noted_shares["before"]
        _, now = self.noted_shares["list"]
        frame = rows_of_categories(known.items, column)
        assert frame is not None  # the measure has looked at them
        names = frame["value"].unique().sort().cast(pl.String)  # as they are numbered
        numbers = np.arange(before.count)
        shares = pl.DataFrame({"category": names, "before": before.at(numbers), "list": now.at(numbers)})
        return shares.filter((pl.col("before") > 0) | (pl.col("list") > 0)).sort(
            pl.max_horizontal("before", "list"), descending=True, maintain_order=True
        )

    def terms_of(self, computed: Values) -> Values | None:
        """What a mean is of that is this value."""
        fitting = (terms for terms, found in self.noted if np.array_equal(found, computed, equal_nan=True))
        return next(fitting, None)
