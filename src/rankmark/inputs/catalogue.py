"""What is known of items, and of users before: which items there are, what they are like, who had them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark._native import ItemNumbers
from rankmark.errors import ColumnError, DataError, IdTypeError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.files import open_files
from rankmark.inputs.names import fitting, listed, nearest
from rankmark.inputs.roles import ColumnNames
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.kinds.items import ItemFacts, Lists, RecommendedLists

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.inputs.input import Input
    from rankmark.inputs.source import Source
    from rankmark.language.measure import Measure
    from rankmark.language.registry import Need

__all__ = [
    "Catalogue",
    "Numbered",
    "catalogue",
    "known_items",
    "numbered",
    "refuse_unknowable",
    "refuse_unknown",
]

NEEDS: Mapping[Need, str] = {
    "catalogue": "the items that can be recommended: items=…, a table of them or their ids",
    "items": "what items are like: items=…, a table of them",
    "train": "the interactions before: train=…, a table of users and items",
}
"""What measures need, in words."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Catalogue:
    """What is known of items and of users before, read once; made by `catalogue`.

    Attributes:
        items: a row an item, ``item`` and what else is known of it; None where nothing is.
        train: a row an interaction, ``query`` and ``item``; None where none are known.
        closed: whether `items` are all that can be recommended.

    """

    items: pl.DataFrame | None
    train: pl.DataFrame | None
    closed: bool

    def __repr__(self) -> str:
        items = "" if self.items is None else f" {self.items.height:,} items"
        train = "" if self.train is None else f" {self.train.height:,} interactions"
        return f"<Catalogue:{','.join(filter(None, [items, train]))}>"


class Numbered(NamedTuple):
    """Items by their numbers.

    Attributes:
        numbers: those of all items that are known.
        facts: what is known of them.

    """

    numbers: ItemNumbers
    facts: ItemFacts


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
    return Catalogue(read, None if train is None else _train(train, said), closed and read is not None)


def known_items(source: Any, train: Any, columns: ColumnNames | None) -> Catalogue | None:
    """What evaluating is told of items: a catalogue that was read, or what one is read of."""
    if isinstance(source, Catalogue):
        if train is not None:
            raise UsageError("train is given beside a catalogue that was read; give it to rm.catalogue")
        return source
    return None if source is None and train is None else catalogue(source, train=train, columns=columns)


def refuse_unknowable(measures: Iterable[Measure], known: Catalogue | None) -> None:
    """Refuses measures of what is recommended for which too little is known of items.

    Raises:
        UsageError: there is one.

    """
    given = {
        "catalogue": known is not None and known.closed,
        "items": known is not None and known.items is not None,
        "train": known is not None and known.train is not None,
    }
    for measure in measures:
        for need in measure.page.needs:
            if not given[need]:
                raise UsageError(f"{measure} needs {NEEDS[need]}")
        if measure.page.kind == "item" and known is None:
            raise UsageError(f"{measure} needs {NEEDS['catalogue']}")


def _items(source: Any, columns: ColumnNames) -> pl.DataFrame:
    """The items, each once, as ``item``, and the columns beside it."""
    import polars as pl

    opened = _opened(source)
    if opened is None:
        frame = pl.DataFrame({"item": _ids(source)})
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


def _ids(source: Any) -> list[Any]:
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise UsageError(
            f"items is of type {type(source).__name__}: give a path, a table or the ids of items"
        )
    return list(source)


def _check_ids(ids: pl.Series, where: str) -> None:
    if not (ids.dtype.is_integer() or str(ids.dtype) in ("String", "Categorical", "Enum")):
        raise DataError(f"{where}: ids are integers or strings, and not {ids.dtype}")
    if ids.null_count():
        raise DataError(f"{where}: {ids.null_count():,} ids are null; remove those rows")


def numbered(known: Catalogue, qrels: Input, run: Input) -> Numbered:
    """The items that are known, by numbers, and what is known of them.

    Raises:
        IdTypeError: ids of items that are integers in one table and strings in another.

    """
    integer = run.table.kind(run.item) == "integer"
    tables = [
        (name, frame.with_columns(_alike(frame["item"], integer, name)))
        for name, frame in (("items", known.items), ("train", known.train))
        if frame is not None
    ]
    columns = [(from_polars(frame.select("item"), name), name, "item") for name, frame in tables]
    if not known.closed:
        columns.append((run.table, run.name, run.item))
    numbers, rows = ItemNumbers.of(columns)
    of = {name: (frame, own) for (name, frame), own in zip(tables, rows, strict=False)}
    catalogue = np.full(len(numbers), not known.closed)
    attributes: dict[str, pl.Series] = {}
    if "items" in of:
        frame, own = of["items"]
        catalogue[own] = True
        # Items are numbered in the order of their rows.
        attributes = {name: frame[name] for name in frame.columns if name != "item"}
    facts = ItemFacts(catalogue, numbers.ids, attributes=attributes)
    return Numbered(numbers, _with_train(facts, *of["train"], qrels) if "train" in of else facts)


def refuse_unknown(known: Catalogue, run: Input, lists: RecommendedLists) -> None:
    """Refuses items at the top of lists that are none of those that can be recommended.

    Raises:
        DataError: there are such.

    """
    import polars as pl

    unknown = int(np.count_nonzero(lists.item < 0))
    if not unknown or known.items is None:
        return
    integer = run.table.kind(run.item) == "integer"
    there = _alike(known.items["item"], integer, "items")
    ids = pl.DataFrame(run.table)[run.item].unique(maintain_order=True)
    ids = ids.filter(~(ids if integer else ids.cast(pl.String)).is_in(there.implode()))
    raise DataError(
        f"{run.name}: {unknown:,} of the {len(lists.item):,} items at the top of lists are not among the "
        f"{known.items.height:,} of items; results have such as {listed(ids.head(3))}; add these, or say "
        "closed=False where others can be recommended"
    )


def _with_train(facts: ItemFacts, train: pl.DataFrame, rows: NDArray[np.int32], qrels: Input) -> ItemFacts:
    """Facts with who had which items before."""
    import polars as pl

    interactions = np.bincount(rows, minlength=len(facts.catalogue)).astype(np.float64)
    once = train.select("query", number=pl.Series(rows)).unique()
    users = np.bincount(once["number"].to_numpy(), minlength=len(facts.catalogue)).astype(np.float64)
    judged = (
        pl.DataFrame(qrels.table)
        .select(query=qrels.query)
        .unique(maintain_order=True)
        .with_row_index("place")
    )
    if judged.schema["query"] != train.schema["query"]:
        judged = judged.with_columns(pl.col("query").cast(train.schema["query"], strict=False))
    own = once.join(judged, on="query").sort("place", "number")
    lengths = np.bincount(own["place"].to_numpy(), minlength=judged.height)
    histories = Lists(
        own["number"].to_numpy().astype(np.int32), np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    )
    return replace(
        facts,
        interactions=interactions,
        users_of=users,
        users=once["query"].n_unique(),
        histories=histories,
    )


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
