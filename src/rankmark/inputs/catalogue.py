"""What is known of items, and of users before: which items there are, what they are like, who had them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rankmark._native import ItemNumbers
from rankmark.errors import ColumnError, DataError, IdTypeError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.files import open_files
from rankmark.inputs.names import fitting, listed, nearest
from rankmark.inputs.roles import ColumnNames
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.kinds.item_facts import Groups, Interactions, ItemFacts, Judgements, Lists
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.ragged import offsets_of
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark._native import Table
    from rankmark.inputs.input import Input
    from rankmark.inputs.source import Source
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

    def categories(self, column: str) -> Lists | None:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("categories", column, _categories)

    def vectors(self, column: str) -> NDArray[np.float64]:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("vectors", column, _vectors)

    def groups(self, column: str) -> Groups:
        """As `rankmark.kinds.items.Attributes`."""
        return self._once("groups", column, _groups)

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
            price, features …; or their ids alone.
        train: a path, a table, a dict or tuples of the interactions before: query (the user) and item.
        columns: the columns to use where their names do not say it: ``{"item": "sku"}``.
        closed: whether no other items than those of `items` can be recommended: one that is, is an error.

    Raises:
        UsageError: neither is given, or a file that is not there.
        DataError: a table that cannot be read, or an item that is there twice.

    Example:
        >>> import rankmark as rm
        >>> rm.catalogue(["a", "b", "c"], train={"u1": ["a"], "u2": ["a", "b"]})
        <Catalogue: 3 items, 3 interactions>

    """
    if items is None and train is None:
        raise UsageError("a catalogue of nothing: give items, train or both")
    need_polars_threads()
    said = {key: name for key, name in (columns or {}).items() if key in ("item", "query")}
    read = None if items is None else _items(items, said)
    return Catalogue(read, None if train is None else _train(train, said), closed=closed and read is not None)


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
            _refuse_column(measure, known)


def each_group(measures: Iterable[Measure], known: Catalogue) -> Iterator[Measure]:
    """The measures, those of each group as one of every group that the items are in."""
    for measure in measures:
        if measure.page.kind != "item" or measure.arguments.get("group") != "each":
            yield measure
            continue
        for name in known.groups(measure.arguments["by"]).names:
            yield Measure.of(measure.page, {**measure.given, "group": name}, measure.cutoff)


def _refuse_column(measure: Measure, known: Catalogue) -> None:
    """Refuses a measure that looks at a column of items that is not there, or not of its kind."""
    column = measure.arguments["by"]
    if column not in known.names:
        there = (
            f"its columns are {listed(known.names)}" if known.names else "it has no column beside the items"
        )
        raise ColumnError(f"{measure}: items has no column {column!r}; {there}; say which, by=…")
    if "groups" in measure.needs:
        known.groups(column)
    elif known.categories(column) is None and measure.arguments.get("distance") != "cosine":
        raise ColumnError(f"{measure}: {column!r} of items has numbers, and it looks at categories")


def _items(source: Any, columns: ColumnNames) -> pl.DataFrame:
    """The items, each once, as ``item``, and the columns beside it."""
    import polars as pl

    opened = _opened(source)
    if opened is None:
        frame = _of_python(source)
    else:
        item = _item_column(opened, columns)
        others = [name for name in opened.names if name != item]
        frame = pl.DataFrame(opened.take(_All((item, *others)))).rename({item: "item"})
    where = "items" if opened is None else opened.where
    _check_ids(frame["item"], where)
    repeated = frame.filter(pl.col("item").is_duplicated())
    if repeated.height:
        raise DataError(
            f"{where}: {repeated['item'].n_unique():,} items stand in several rows, the first is "
            f"{repeated['item'][0]!r}; each has one row"
        )
    return frame


def _train(source: Any, columns: ColumnNames) -> pl.DataFrame:
    """The interactions as ``query`` and ``item``."""
    import polars as pl

    from rankmark.inputs import read_qrels

    if (
        isinstance(source, Mapping)
        and source
        and all(isinstance(each, list | tuple | set) for each in source.values())
    ):
        source = [(query, item) for query, own in source.items() for item in own]
        frame = pl.DataFrame(source, schema=["query", "item"], orient="row")
    else:
        read = read_qrels(source, columns)
        frame = pl.DataFrame(read.table).select(query=read.query, item=read.item)
    for name in frame.columns:
        _check_ids(frame[name], f"train (column {name!r})")
    return frame


@dataclass(frozen=True, slots=True)
class _All:
    """Columns that are read whatever they hold."""

    columns: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(self.columns)

    @property
    def numbers(self) -> list[str]:
        """None has to hold numbers."""
        return []

    def instead(self, name: str) -> str:
        """What to do where one of these holds texts."""
        return f"name another column than {name!r}"


def _opened(source: Any) -> Source | None:
    if isinstance(source, str | os.PathLike):
        return open_files(source, "qrels", None)
    return open_table(source, "qrels")


def _item_column(source: Source, columns: ColumnNames) -> str:
    said = columns.get("item")
    names = list(source.names)
    if isinstance(said, str) and said in names:
        return said
    found = fitting(names, "item") or ([names[0]] if len(names) == 1 else [])
    if len(found) != 1:
        several = f"several columns of items, {listed(found)};" if found else "no column of items"
        hint = "" if found else nearest("item", names) or ";"
        raise ColumnError(
            f"{source.where}, the table of items, has {several}{hint} its columns are {listed(names)}; say "
            'which it is with columns={"item": "…"}'
        )
    return found[0]


def _of_python(source: Any) -> pl.DataFrame:
    """A table of items of their ids, of dicts of an item each, or of a dict of what each is like."""
    import polars as pl

    if isinstance(source, str) or not isinstance(source, Iterable):
        raise UsageError(
            f"items is of type {type(source).__name__}: give a path, a table, the ids of items, or what each "
            'is like, {"a": {"category": "x"}}'
        )
    if isinstance(source, Mapping) and all(isinstance(each, Mapping) for each in source.values()):
        return pl.DataFrame([{"item": item, **own} for item, own in source.items()], infer_schema_length=None)
    try:
        return pl.DataFrame({"item": list(source)})
    except (TypeError, pl.exceptions.PolarsError):
        raise DataError("items: ids are integers or strings, and these are of several types") from None


def _check_ids(ids: pl.Series, where: str) -> None:
    if not (ids.dtype.is_integer() or str(ids.dtype) in ("String", "Categorical", "Enum")):
        raise DataError(f"{where}: ids are integers or strings, and not {ids.dtype}")
    if ids.null_count():
        raise DataError(f"{where}: {ids.null_count():,} ids are null; remove those rows")


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
    ids = pl.DataFrame(run.table)[run.item].unique(maintain_order=True)
    ids = ids.filter(~(ids if integer else ids.cast(pl.String)).is_in(there.implode()))
    raise DataError(
        f"{run.name}: {unknown:,} of the {len(lists.item):,} items at the top of lists are not among the "
        f"{known.items.height:,} of items; results have such as {listed(ids.head(3))}; add these, or say "
        "rm.catalogue(…, closed=False) where others can be recommended"
    )


def _categories(items: pl.DataFrame, column: str) -> Lists | None:
    """The categories of items, or None where a column has numbers with a fraction or lists of numbers."""
    import polars as pl

    frame = _in_categories(items, column)
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


def _in_categories(items: pl.DataFrame, column: str) -> pl.DataFrame | None:
    """A row for each category of each item, its place and the value; None where these are numbers."""
    import polars as pl

    values = items[column]
    of_lists = isinstance(values.dtype, pl.List | pl.Array)
    inner = values.dtype.inner if isinstance(values.dtype, pl.List | pl.Array) else values.dtype
    if inner.is_float() or inner.is_nested() or (of_lists and inner.is_numeric()):
        return None
    frame = pl.DataFrame({"place": pl.int_range(items.height, eager=True), "value": values})
    if of_lists:
        frame = frame.with_columns(pl.col("value").cast(pl.List(inner))).explode("value")
    return frame.filter(pl.col("value").is_not_null()).unique(maintain_order=True)


def _groups(items: pl.DataFrame, column: str) -> Groups:
    """The groups of items, and of lists or structs of numbers how much they are of each."""
    import polars as pl

    frame = _in_categories(items, column)
    if frame is None:
        frame = _in_parts(items, column)
    else:
        frame = frame.with_columns(pl.col("value").cast(pl.String), part=pl.lit(1.0))
    names = frame["value"].unique().sort().to_list()
    if not names:
        raise DataError(f"items: {column!r} says of no item in which group it is")
    frame = frame.filter(pl.col("part") > 0).sort("place", "value")
    place, part = frame["place"].to_numpy(), frame["part"].to_numpy()
    group = frame["value"].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
    lengths = np.bincount(place, minlength=items.height)
    without = np.flatnonzero(lengths == 0)
    said = None
    if len(without):
        first = items["item"][int(without[0])]
        said = f"{len(without):,} of {items.height:,} items have no {column!r}, the first is {first!r}"
    return Groups(tuple(names), group, part, offsets_of(lengths), said)


def _in_parts(items: pl.DataFrame, column: str) -> pl.DataFrame:
    """A row for each item and each group: its place, the group's name and how much of it the item is."""
    import polars as pl

    values = items[column]
    if isinstance(values.dtype, pl.List | pl.Array):
        values = values.cast(pl.List(pl.Float64))
        if values.drop_nulls().list.len().n_unique() > 1:
            raise DataError(f"items: {column!r} has lists of different lengths; give a number for each group")
        frame = pl.DataFrame({"place": pl.int_range(items.height, eager=True), "part": values}).explode(
            "part"
        )
        frame = frame.with_columns(value=pl.int_range(pl.len()).over("place").cast(pl.String))
    elif isinstance(values.dtype, pl.Struct) and all(kind.dtype.is_numeric() for kind in values.dtype.fields):
        wide = values.struct.unnest().cast(pl.Float64)
        frame = wide.with_row_index("place").unpivot(index="place", variable_name="value", value_name="part")
    else:
        raise ColumnError(
            f"items: {column!r} is of type {values.dtype}, and groups are categories, lists of these, or how "
            "much an item is of each: lists or dicts of numbers"
        )
    frame = frame.with_columns(pl.col("part").fill_null(0.0), pl.col("place").cast(pl.Int64))
    wrong = frame.filter(~pl.col("part").is_finite() | (pl.col("part") < 0))
    if wrong.height:
        item, part = items["item"][wrong["place"][0]], wrong["part"][0]
        raise DataError(f"items: {column!r} of {item!r} has {part:g}; parts of groups are 0 or more")
    return frame


def _vectors(items: pl.DataFrame, column: str) -> NDArray[np.float64]:
    """The numbers of items, of a column of numbers or of lists of as many numbers each."""
    import polars as pl

    values = items[column]
    if isinstance(values.dtype, pl.List | pl.Array):
        values = values.cast(pl.List(pl.Float64))
        lengths = values.list.len()
        if values.null_count() or lengths.n_unique() > 1:
            raise DataError(f"items: {column!r} has lists of different lengths; give as many numbers each")
        matrix = values.explode().to_numpy().reshape(items.height, -1)
    else:
        matrix = values.cast(pl.Float64).to_numpy().reshape(-1, 1)
    if not np.isfinite(matrix).all():
        row = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise DataError(f"items: {column!r} of {items['item'][row]!r} is not finite")
    return matrix


def _alike(ids: pl.Series, integer: bool, where: str) -> pl.Series:
    """Ids as those of the results are: integers or strings."""
    import polars as pl

    if ids.dtype.is_integer() == integer:
        return ids if integer else ids.cast(pl.String)
    if not integer:
        raise IdTypeError(f"items are integers in {where} and strings in the results; cast one of them")
    found = ids.cast(pl.Int64, strict=False)
    if found.null_count():
        raise IdTypeError(
            f"items are integers in the results, and in {where} there is {ids.filter(found.is_null())[0]!r}; "
            "cast one of them"
        )
    return found
