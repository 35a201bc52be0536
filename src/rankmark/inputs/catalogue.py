"""What is known of items, and of users before: which items there are, what they are like, who had them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
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
from rankmark.kinds.item_facts import Groups, Interactions, ItemFacts, Judgements, Lists
from rankmark.kinds.items import RecommendedLists
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark._native import Table
    from rankmark.inputs.input import Input
    from rankmark.language.measure import Measure
    from rankmark.language.registry import Need

__all__ = [
    "Catalogue",
    "Numbered",
    "catalogue",
    "each_group",
    "known_items",
    "numbered",
    "refuse_unknowable",
    "refuse_unknown",
]

NEEDS: Mapping[Need, str] = {
    "catalogue": "the items that can be recommended: items=… of rm.evaluate, a table of them or their ids",
    "items": "what items are like: items=… of rm.evaluate, a table of them",
    "groups": "the groups of items: items=… of rm.evaluate, a table of them with a column of groups",
    "train": "the interactions before: train=… of rm.evaluate, a table of users and items",
    "judgements": "judgements: give qrels",
}
"""What measures need, in words."""
OF_NUMBERS = ("cosine", "hamming", "differences", "gower")
"""The distances of items that are numbers."""
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
        self._columns: dict[tuple[str, str], Any] = {}

    def __repr__(self) -> str:
        items = "" if self.items is None else f" {self.items.height:,} items"
        train = "" if self.train is None else f" {self.train.height:,} interactions"
        return f"<Catalogue:{','.join(filter(None, [items, train]))}>"

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
            (from_polars(_alike(frame["item"], integer, name).alias("item").to_frame(), name), name, "item")
            for name, frame in (("items", self.items), ("train", self.train))
            if frame is not None
        ]
        numbers, rows = ItemNumbers.of(columns)
        if self.train is None:
            return numbers, None
        users, (user,) = ItemNumbers.of(
            [(from_polars(self.train.select("query"), "train"), "train", "query")]
        )
        return numbers, Interactions(user, rows[-1], len(users), len(numbers))

    @cached_property
    def users(self) -> pl.DataFrame:
        """The users of `train` in the order of their numbers."""
        assert self.train is not None
        return self.train.select("query").unique(maintain_order=True).with_row_index("user")

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


class Numbered(NamedTuple):
    """Items by their numbers.

    Attributes:
        numbers: those of all items that are known.
        facts: gives what is known of them and of the users of some queries, of which it is told a table.

    """

    numbers: ItemNumbers
    facts: Callable[[Table], ItemFacts]


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


def refuse_unknowable(measures: Iterable[Measure], known: Catalogue, *, judged: bool) -> None:
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
    }
    for measure in measures:
        for need in measure.needs:
            if not given[need]:
                raise UsageError(f"{measure} needs {NEEDS[need]}")
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
        for name in known.groups(measure.arguments["by"]).names:
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
    elif callable(measure.arguments.get("distance")):
        return
    elif known.categories(column) is None and measure.arguments.get("distance") not in OF_NUMBERS:
        raise ColumnError(
            f"{measure}: {column!r} of items has numbers, and it looks at categories; give texts, "
            "such as intervals of them (pandas.cut, polars' qcut), or cast them to texts where they are codes"
        )


def numbered(known: Catalogue, run: Input, qrels: Input, *, best: bool = False) -> Numbered:
    """The items that are known, by numbers, and what is known of them.

    Args:
        known: what is known of items.
        run: the results.
        qrels: the judgements, or which queries there are.
        best: whether of several judgements of one item the best counts, and not the first.

    Raises:
        IdTypeError: ids of items that are integers in one table and strings in another.

    """
    numbers, train = known.numbered(integer=run.table.kind(run.item) == "integer")
    if not known.closed:
        numbers = numbers.extended(run.table, run.name, run.item)
    count = known.items.height if known.closed and known.items is not None else len(numbers)
    attributes = None if known.items is None else known
    judged = cache(lambda: _judged(numbers, qrels, best=best)) if qrels.judges else None

    def facts(ids: Table) -> ItemFacts:
        return ItemFacts(count, attributes, train, cache(lambda: _users(known, ids)), judged)

    return Numbered(numbers, facts)


def _judged(numbers: ItemNumbers, qrels: Input, *, best: bool) -> Judgements:
    """Which items are judged, by these numbers and those of the queries as the core counts them."""
    import polars as pl

    queries, (query,) = ItemNumbers.of([(qrels.table, qrels.name, qrels.query)])
    items, item = numbers.with_rows(qrels.table, qrels.name, qrels.item)
    if qrels.value is None:
        grade = np.ones(len(item))
    else:
        grade = pl.DataFrame(qrels.table)[qrels.value].cast(pl.Float64).to_numpy()
    if best:
        order = np.argsort(-grade, kind="stable")
        query, item, grade = query[order], item[order], grade[order]
    return Judgements(query, item, grade, queries=len(queries), items=len(items))


def _users(known: Catalogue, query_ids: Table) -> NDArray[np.int64]:
    """The numbers of queries among the users of `train`, -1 for one that is not there."""
    import polars as pl

    queries, users = pl.DataFrame(query_ids).select("query"), known.users
    if queries["query"].dtype.is_integer() != users["query"].dtype.is_integer():
        queries, users = (each.with_columns(pl.col("query").cast(pl.String)) for each in (queries, users))
    elif queries["query"].dtype != users["query"].dtype:
        common = pl.Int64 if users["query"].dtype.is_integer() else pl.String
        queries, users = (each.with_columns(pl.col("query").cast(common)) for each in (queries, users))
    found = queries.join(users, on="query", how="left", maintain_order="left")["user"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy()


def refuse_unknown(known: Catalogue, run: Input, lists: RecommendedLists) -> None:
    """Refuses items at the top of lists that are none of those that can be recommended.

    Raises:
        DataError: there are such.

    """
    import polars as pl

    if not known.closed or known.items is None:
        return
    unknown = int(np.count_nonzero((lists.item < 0) | (lists.item >= lists.facts.count)))
    if not unknown:
        return
    integer = run.table.kind(run.item) == "integer"
    there = _alike(known.items["item"], integer, "items")
    rows = pl.DataFrame(run.table).select(query=run.query, item=run.item).with_row_index("row")
    rows = rows.filter(
        ~(pl.col("item") if integer else pl.col("item").cast(pl.String)).is_in(there.implode())
    )
    row, query, item = rows.row(0)
    others = rows["item"].unique(maintain_order=True)
    such = f" ({listed(others[1:4])}{', …' * (len(others) > 4)})" if len(others) > 1 else ""
    raise DataError(
        f"{run.name}: {unknown:,} of the {len(lists.item):,} items at the top of lists are not among the "
        f"{known.items.height:,} of items, which are such as {known.items['item'][0]!r}; the results have "
        f"{counted(len(others), 'item')} that items lacks, the first {item!r} of query {query!r} in row "
        f"{row if run.rows is None else run.rows[row]} (from 0){such}; add them, or say "
        "rm.catalogue(…, closed=False) where others can be recommended"
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
        first = items["item"].filter(~known)[0]
        raise DataError(
            f"items: {without:,} of {items.height:,} items have no {column!r}, the first is {first!r}; "
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


def _alike(ids: pl.Series, integer: bool, where: str) -> pl.Series:
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
