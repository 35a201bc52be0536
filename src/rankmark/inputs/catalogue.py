"""What is known of items, and of users before: which items there are, what they are like, who had them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rankmark._native import ItemNumbers
from rankmark.errors import ColumnError, DataError, IdTypeError, UsageError, did_you_mean
from rankmark.forking import need_polars_threads
from rankmark.inputs.item_groups import groups_of, rows_of_categories
from rankmark.inputs.item_tables import read_items, read_train
from rankmark.inputs.names import listed
from rankmark.inputs.roles import ColumnNames
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.kinds.distances import sees_numbers
from rankmark.kinds.exposure import UNKNOWN
from rankmark.kinds.item_facts import (
    AspectJudgements,
    Groups,
    Interactions,
    ItemFacts,
    Judgements,
    Lists,
)
from rankmark.kinds.items import RecommendedLists, Tops
from rankmark.kinds.ragged import found_in, offsets_of
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark._native import Table
    from rankmark.inputs.input import Input
    from rankmark.kinds.item_facts import Numbers
    from rankmark.language.measure import Measure
    from rankmark.language.registry import Need

__all__ = [
    "Catalogue",
    "JudgedItems",
    "Numbered",
    "alike",
    "catalogue",
    "each_group",
    "known_items",
    "numbered_alone",
    "refuse_catalogue",
    "refuse_unknowable",
]

NEEDS: Mapping[Need, str] = {
    "catalogue": "the items that can be recommended: give items=…, a table of them or their ids",
    "items": "what items are like: give items=…, a table of them",
    "groups": "the groups of items: give items=…, a table of them with a column of groups",
    "train": "the interactions before: give train=…, a table of users and items",
    "judgements": "judgements: give qrels",
    "aspects": "judgements of aspects (subtopics, intents): give qrels",
    "strata": "judgements of a sample with their strata: give qrels",
    "probabilities": "judgements of a sample with their probabilities: give qrels",
}
"""What measures need, in words."""
OF_NUMBERS = ("cosine", "hamming", "differences", "gower")
"""The distances of items that are numbers."""
FIRST = 64
"""Queries of which one is mostly a user of the interactions before, where any is."""
T = TypeVar("T")


class Catalogue:
    """What is known of items and of users before, read once; made by `catalogue`.

    Attributes:
        items: a row an item, ``item`` and what else is known of it; None where nothing is.
        train: a row an interaction, ``query`` and ``item``; None where none are known.
        closed: whether `items` are all that can be recommended.

    """

    def __init__(self, items: pl.DataFrame | None, train: pl.DataFrame | None, *, closed: bool) -> None:
        self.items, self.train, self.closed = items, train, closed
        self._numbered: dict[bool, tuple[ItemNumbers, Interactions | None]] = {}
        self._users: dict[bool, tuple[ItemNumbers, Numbers]] = {}
        self._columns: dict[tuple[str, str], Any] = {}

    def __repr__(self) -> str:
        items = "" if self.items is None else f" {self.items.height:,} items"
        train = "" if self.train is None else f" {self.train.height:,} interactions"
        return f"<Catalogue:{','.join(filter(None, [items, train]))}>"

    def told(self) -> dict[str, Any]:
        """What tells it from others: its rows, and a hash of the ids of all items by their numbers."""
        from hashlib import sha256

        numbers, _ = self.numbered(integer=False)
        ids = "\n".join(map(str, numbers.ids(np.arange(len(numbers), dtype=np.int32))))
        return {
            "items": None if self.items is None else self.items.height,
            "train": None if self.train is None else self.train.height,
            "closed": self.closed,
            "ids": sha256(ids.encode()).hexdigest(),
        }

    def is_like(self, other: Catalogue) -> bool:
        """Whether the same is known of items and of users before."""
        frames = ((self.items, other.items), (self.train, other.train))
        return self is other or (
            self.closed == other.closed
            and all(
                a is b or (a is not None and b is not None and a.schema == b.schema and a.equals(b))
                for a, b in frames
            )
        )

    @property
    def names(self) -> list[str]:
        """The names of the columns that say what items are like."""
        return [] if self.items is None else [name for name in self.items.columns if name != "item"]

    def numbered(self, *, integer: bool) -> tuple[ItemNumbers, Interactions | None]:
        """The numbers of all items, those of `items` first and in their order, and the interactions by them.

        Args:
            integer: whether ids are integers where they are looked up.

        """
        if integer not in self._numbered:
            self._numbered[integer] = self._number(integer)
        return self._numbered[integer]

    def _number(self, integer: bool) -> tuple[ItemNumbers, Interactions | None]:
        columns = [
            (from_polars(alike(frame["item"], integer, name).alias("item").to_frame(), name), name, "item")
            for name, frame in (("items", self.items), ("train", self.train))
            if frame is not None
        ]
        numbers, rows = ItemNumbers.of(columns)
        if self.train is None:
            return numbers, None
        users, user = self._numbered_users(self.train["query"].dtype.is_integer())
        return numbers, Interactions(user, rows[-1], len(users), len(numbers))

    def bare(self, *, integer: bool) -> Catalogue:
        """The ids of all items, which have the same numbers, and nothing else that is known."""
        import polars as pl

        numbers, _ = self.numbered(integer=integer)
        ids = numbers.ids(np.arange(len(numbers), dtype=np.int32))
        items = pl.DataFrame({"item": pl.Series(ids, dtype=pl.Int64 if integer else pl.String)})
        return Catalogue(items if ids else None, None, closed=False)

    def users(self, queries: pl.Series) -> NDArray[np.int64]:
        """The numbers of queries among the users of `train`, -1 for one that is not there."""
        assert self.train is not None
        integer = queries.dtype.is_integer() and self.train["query"].dtype.is_integer()
        users, _ = self._numbered_users(integer)
        asked = from_polars(alike(queries, integer, "queries").alias("query").to_frame(), "queries")
        return users.rows(asked, "queries", "query").astype(np.int64)

    def has_any(self, queries: pl.Series) -> bool:
        """Whether one of the queries is a user of `train`: if so, mostly one of the first is."""
        return any(bool((self.users(some) >= 0).any()) for some in (queries.head(FIRST), queries))

    def _numbered_users(self, integer: bool) -> tuple[ItemNumbers, Numbers]:
        """The numbers of the users of `train`, in the order in which they come, and those of its rows."""
        assert self.train is not None
        if integer not in self._users:
            ids = alike(self.train["query"], integer, "train").alias("query").to_frame()
            numbers, (rows,) = ItemNumbers.of([(from_polars(ids, "train"), "train", "query")])
            self._users[integer] = numbers, rows
        return self._users[integer]

    @property
    def count(self) -> int:
        """As `rankmark.kinds.item_facts.Attributes`."""
        assert self.items is not None
        return self.items.height

    def values(self, column: str) -> list[Any]:
        """As `rankmark.kinds.item_facts.Attributes`."""
        return self._once("values", column, lambda items, name: items[name].to_list())

    def categories(self, column: str) -> Lists | None:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("categories", column, _categories)

    def is_integer(self, column: str) -> bool:
        """As `rankmark.kinds.items.Attributes`."""
        assert self.items is not None
        return self.items[column].dtype.is_integer()

    def vectors(self, column: str) -> NDArray[np.float64]:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("vectors", column, _vectors)

    def groups(self, column: str) -> Groups:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("groups", column, groups_of)

    def _once(self, what: str, column: str, compute: Callable[[pl.DataFrame, str], T]) -> T:
        assert self.items is not None
        if (what, column) not in self._columns:
            self._columns[what, column] = compute(self.items, column)
        found: T = self._columns[what, column]
        return found


class JudgedItems(NamedTuple):
    """Which items are judged for some queries, query after query, as they were numbered.

    Attributes:
        item: the number of each; of one that is judged several times for a query the first counts.
        grade: its grade.
        offsets: where those of each query begin.

    """

    item: Numbers
    grade: NDArray[np.float64]
    offsets: NDArray[np.int64]


class Numbered:
    """The items of an evaluation by their numbers, which all its parts share.

    Items that are not known get numbers when they come, from any thread. `recommended` makes of them numbers
    that depend on the lists alone.

    Attributes:
        known: what is known of items.
        numbers: those of all items.

    """

    def __init__(self, known: Catalogue, *, integer: bool) -> None:
        """Takes what is known, and whether ids are integers in the results.

        Raises:
            IdTypeError: ids of items that are no integers, and have to be.

        """
        numbers, self._train = known.numbered(integer=integer)
        self.known, self.numbers = known, numbers.opened()

    def judged(self, qrels: Input, *, best: bool) -> JudgedItems:
        """The judged items, by the queries as the core counts them.

        Args:
            qrels: the judgements.
            best: whether of several judgements of one item the best counts, and not the first.

        """
        import polars as pl

        queries, (query,) = ItemNumbers.of([(qrels.table, qrels.name, qrels.query)])
        item = self.numbers.rows(qrels.table, qrels.name, qrels.item)
        if qrels.value is None:
            grade = np.ones(len(item))
        else:
            grade = pl.DataFrame(qrels.table)[qrels.value].cast(pl.Float64).to_numpy()
        order = np.lexsort((-grade, query)) if best else np.argsort(query, kind="stable")
        offsets = offsets_of(np.bincount(query, minlength=len(queries)))
        return JudgedItems(item[order], grade[order], offsets)

    def with_aspects(self, tops: Tops, qrels: Input, *, best: bool) -> RecommendedLists:
        """Whole lists, of queries as the core counts them, with their judgements of aspects and nothing else.

        Args:
            tops: the tops, by the numbers of items as they came.
            qrels: the judgements, those of aspects beside those of items.
            best: as for `judged`.

        """
        import polars as pl

        _, (query,) = ItemNumbers.of([(qrels.table, qrels.name, qrels.query)])
        item = self.numbers.rows(qrels.table, qrels.name, qrels.item)
        rows = qrels.aspects
        assert rows is not None  # an engine has seen to it
        order = pl.DataFrame(qrels.table)[qrels.item].rank("dense", descending=True).to_numpy()
        first = np.argsort(-rows.grade, kind="stable") if best else np.arange(len(rows.row))
        row = rows.row[first]
        items = 1 + int(item.max(initial=-1))
        judged = AspectJudgements(
            query[row],
            item[row],
            rows.aspect[first],
            rows.grade[first],
            order[row].astype(np.int64),
            rows.weight[first],
            items=items,
            count=len(rows.names),
        )
        nobody = np.full(len(tops.offsets) - 1, -1)
        facts = ItemFacts(items, 0, None, None, lambda: nobody, lambda: False, by_aspect=lambda: judged)
        return RecommendedLists(*tops, facts)

    def recommended(
        self, tops: Tops, query_ids: Table, judged: Callable[[], JudgedItems] | None, name: str
    ) -> RecommendedLists:
        """The tops of all lists, with what is known of their items and users.

        Args:
            tops: the tops, whose items are given other numbers.
            query_ids: the queries, in a column ``query``.
            judged: gives which items are judged for them; None without judgements.
            name: what messages call the results.

        Raises:
            DataError: items that cannot be recommended.

        """
        import polars as pl

        self.refuse_others(tops, query_ids, name)
        known = self.known
        there = len(self.numbers)
        others = self.numbers.renumber(tops.item, tops.offsets)
        catalogued = known.items.height if known.closed and known.items is not None else there
        facts = ItemFacts(
            count=catalogued if known.closed else there + len(others),
            catalogued=catalogued,
            attributes=None if known.items is None else known,
            train=self._train,
            users=cache(lambda: known.users(pl.DataFrame(query_ids)["query"])),
            any_user=cache(lambda: known.has_any(pl.DataFrame(query_ids)["query"])),
            judged=None if judged is None else cache(lambda: self._judgements(judged(), others)),
        )
        return RecommendedLists(*tops, facts)

    def adopted(self, item: Numbers, other: Numbered) -> Numbers:
        """The numbers here of items by their numbers there, of which the same is known."""
        there = len(self.numbers)
        came, places = np.unique(item[item >= there], return_inverse=True)
        adopted = item.copy()
        if len(came):
            adopted[item >= there] = self.of_ids(other.numbers.ids(came))[places]
        return adopted

    def of_ids(self, ids: Sequence[int | str] | NDArray[Any] | pl.Series) -> Numbers:
        """The numbers of items."""
        import polars as pl

        if not len(ids):  # of which it is not known what they are
            return np.empty(0, dtype=np.int32)
        table = from_polars(pl.Series("item", ids).to_frame(), "items")
        return self.numbers.rows(table, "items", "item")

    def _judgements(self, judged: JudgedItems, others: Numbers) -> Judgements:
        """Which items are judged, by their numbers."""
        queries = len(judged.offsets) - 1
        query = np.repeat(np.arange(queries), np.diff(judged.offsets))
        item, count = self._renumbered(judged.item, others)
        return Judgements(query, item, judged.grade, queries=queries, items=count)

    def _renumbered(self, numbers: Numbers, others: Numbers) -> tuple[NDArray[np.int64], int]:
        """The numbers of judged items, the last of those that are in no list, as they come; and how many."""
        there, item = len(self.numbers), numbers.astype(np.int64)
        strange = item >= there
        came, first, places = np.unique(item[strange], return_index=True, return_inverse=True)
        order = np.argsort(others)
        ordered = others[order].astype(np.int64)
        in_lists = found_in(came, ordered)
        number = np.empty(len(came), dtype=np.int64)
        number[in_lists] = order[np.searchsorted(ordered, came[in_lists])]
        left = np.flatnonzero(~in_lists)
        number[left[np.argsort(first[left])]] = len(others) + np.arange(len(left))
        item[strange] = there + number[places]
        return item, there + len(others) + len(left)

    def refuse_others(self, tops: Tops, query_ids: Table, name: str) -> None:
        """Refuses items at the top of lists that are none of those that can be recommended.

        Args:
            tops: the tops, with the items as they were numbered.
            query_ids: the queries, in a column ``query``.
            name: what messages call the results.

        Raises:
            DataError: there are such.

        """
        if not self.known.closed or self.known.items is None:
            return
        count = self.known.items.height
        if tops.item.max(initial=-1) < count:
            return
        strange = np.flatnonzero(tops.item >= count)
        distinct, first = np.unique(tops.item[strange], return_index=True)
        item, *more = self.numbers.ids(distinct[np.argsort(first)][:4])
        query = int(np.searchsorted(tops.offsets, strange[0], side="right")) - 1
        rank = int(strange[0] - tops.offsets[query]) + 1
        (user,) = query_ids.take("query", np.array([query], dtype=np.uint32), "query").column_values("query")
        such = f" ({listed(more)}{', …' * (len(distinct) > 4)})" if more else ""
        raise DataError(
            f"{name}: {len(strange):,} of the {len(tops.item):,} items at the top of lists are not among the "
            f"{count:,} of items, which are such as {self.known.items['item'][0]!r}; items "
            f"lacks {counted(len(distinct), 'item')}, the first {item!r} at rank {rank} of query "
            f"{user!r}{such}; add them, or say rm.catalogue(…, closed=False), on the command line "
            "--open-catalogue, where others can be recommended"
        )


def numbered_alone(*, integer: bool) -> Numbered:
    """Items of which nothing is known, by their numbers."""
    return Numbered(Catalogue(None, None, closed=False), integer=integer)


def catalogue(
    items: Any = None, *, train: Any = None, columns: ColumnNames | None = None, closed: bool = True
) -> Catalogue:
    """Reads once what is known of items and of users before, for measures of what is recommended.

    Args:
        items: a path or a table with a column of items, each once, and what else is known of them: category,
            price, features …, where an item of several categories has a list of them, or in CSV and TSV texts
            with ``|`` between; or ``{item: {"category": …}}``, or their ids alone.
        train: a path, a table, a dict or tuples of the interactions before: query (the user) and item; each
            row is one, whatever rating is beside it.
        columns: the columns to use where their names do not say it: ``{"item": "sku"}``, or for one table
            alone ``{"items.item": "sku", "train.query": "customer"}``.
        closed: whether no other items than those of `items` can be recommended: one that is, is an error.

    Raises:
        UsageError: neither is given, or a file that is not there.
        DataError: a table that cannot be read, has no rows or ids that are null, or an item that is there
            twice.

    Example:
        >>> import rankmark as rm
        >>> rm.catalogue(["a", "b", "c"], train={"u1": ["a"], "u2": ["a", "b"]})
        <Catalogue: 3 items, 3 interactions>

    """
    if items is None and train is None:
        raise UsageError("a catalogue of nothing: give items, train or both")
    need_polars_threads()
    read = None if items is None else read_items(items, columns)
    before = None if train is None else read_train(train, columns)
    return Catalogue(read, before, closed=closed and read is not None)


def known_items(source: Any, train: Any, columns: ColumnNames | None) -> Catalogue:
    """What evaluating is told of items: a catalogue that was read, what one is read of, or nothing."""
    if isinstance(source, Catalogue):
        if train is not None:
            raise UsageError("train is given beside a catalogue that was read; give it to rm.catalogue")
        return source
    if source is None and train is None:
        return Catalogue(None, None, closed=False)
    return catalogue(source, train=train, columns=columns)


def refuse_catalogue(items: Any) -> None:
    """Refuses what is known of items in the place of the items of arrays, or of those that a model knows.

    Raises:
        UsageError: it is there.

    """
    if isinstance(items, Catalogue):
        raise UsageError(
            "items is a catalogue, and here it says which item is which; give what is known of items as "
            "catalogue=…, to an Evaluator as its own items=…"
        )


def refuse_unknowable(
    measures: Iterable[Measure], known: Catalogue, *, judged: bool, argument: str = "items"
) -> None:
    """Refuses measures of what is recommended for which too little is known of items, or nothing is judged.

    Raises:
        UsageError: there is one.

    """
    given = {
        "catalogue": known.closed,
        "items": known.items is not None,
        "groups": known.items is not None,
        "train": known.train is not None,
        "judgements": judged,
        "aspects": judged,
        "strata": judged,
        "probabilities": judged,
    }
    for measure in measures:
        for need in measure.needs:
            if need == "catalogue" and known.items is not None and not known.closed:
                raise UsageError(
                    f"{measure} needs all items that can be recommended, and the catalogue is said to be open"
                )
            if not given[need]:
                raise UsageError(f"{measure} needs {NEEDS[need].replace('items=', f'{argument}=')}")
        if "items" in measure.needs or "groups" in measure.needs:
            by = measure.arguments["by"]
            for column in [by] if isinstance(by, str) else by:
                _refuse_column(measure, column, known)


def each_group(measures: Iterable[Measure], known: Catalogue) -> Iterator[Measure]:
    """The measures, those of each group as one of every group that the items are in."""
    for measure in measures:
        if measure.page.kind != "item" or measure.arguments.get("group") != "each":
            yield measure
            continue
        names = known.groups(measure.arguments["by"]).names
        for name in (*names, UNKNOWN) if measure.arguments["unknown"] == "group" else names:
            yield measure(group=name)


def _refuse_column(measure: Measure, column: str, known: Catalogue) -> None:
    """Refuses a measure that looks at a column of items that is not there, or not of its kind."""
    if column not in known.names:
        there = (
            f"{did_you_mean(str(column), known.names) or ';'} its columns are {listed(known.names)}; say "
            f"which, as in {measure.name}(by={known.names[0]})"
            if known.names
            else "; it has no column beside the items"
        )
        raise ColumnError(f"{measure}: items has no column {column!r}{there}")
    if "groups" in measure.needs:
        known.groups(column)
        return
    distance = measure.arguments.get("distance")
    if callable(distance) or not sees_numbers(known, column, distance):
        return
    if distance not in OF_NUMBERS:
        instead = "; or choose distance=gower" if distance == "jaccard" else ""
        raise ColumnError(
            f"{measure}: {column!r} of items has numbers, and it looks at categories, which are texts "
            "or integers; give intervals of them (pandas.cut, polars' qcut), or cast them to texts where "
            f"they are codes{instead}"
        )
    if distance == "cosine" and known.vectors(column).shape[1] == 1:
        raise ColumnError(
            f"{measure}: {column!r} of items has one number each, the cosine of which tells nothing but "
            "signs; choose distance=gower"
        )


def _categories(items: pl.DataFrame, column: str) -> Lists | None:
    """The categories of items, or None where a column has numbers with a fraction or lists of numbers."""
    import polars as pl

    frame = rows_of_categories(items, column)
    if frame is None:
        return None
    without = items.height - frame["place"].n_unique()
    if without:
        known = pl.Series(np.isin(np.arange(items.height), frame["place"].to_numpy()))
        first, have = items["item"].filter(~known)[0], "has" if without == 1 else "have"
        raise DataError(
            f"items: {without:,} of {items.height:,} items {have} no {column!r}, the first is {first!r}; "
            "give each one"
        )
    codes = frame["value"].rank("dense").cast(pl.Int64).to_numpy() - 1
    lengths = np.bincount(frame["place"].to_numpy(), minlength=items.height)
    return Lists(codes, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64), int(codes.max()) + 1)


def _vectors(items: pl.DataFrame, column: str) -> NDArray[np.float64]:
    """The numbers of items, of a column of numbers or of lists of as many numbers each."""
    import polars as pl

    values = items[column]
    if isinstance(values.dtype, pl.List | pl.Array):
        values = values.cast(pl.List(pl.Float64))
        lengths = values.list.len().fill_null(0)
        if (other := lengths.ne(lengths[0])).any():
            row = int(other.arg_max() or 0)
            raise DataError(
                f"items: {column!r} has lists of different lengths, {lengths[0]} of {items['item'][0]!r} and "
                f"{lengths[row]} of {items['item'][row]!r}; give as many numbers each"
            )
        matrix = values.explode().to_numpy().reshape(items.height, -1)
    else:
        matrix = values.cast(pl.Float64).to_numpy().reshape(-1, 1)
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise DataError(
            f"items: {column!r} of {np.count_nonzero(~finite):,} of {items.height:,} items is null or not "
            f"finite, the first is {items['item'][row]!r}; give each one numbers"
        )
    return matrix


def alike(ids: pl.Series, integer: bool, where: str) -> pl.Series:
    """Ids as those of the results are: integers or strings."""
    import polars as pl

    if ids.dtype.is_integer() == integer:
        return ids if integer else ids.cast(pl.String)
    if not integer:
        return ids.cast(pl.String)
    found = ids.cast(pl.Int64, strict=False)
    if found.null_count():
        raise IdTypeError(
            f"items are integers in the results, and in {where} there is {ids.filter(found.is_null())[0]!r}; "
            "cast one of them"
        )
    return found
