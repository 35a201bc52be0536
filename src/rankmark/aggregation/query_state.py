"""The values of queries that were observed in blocks, to be put together with those of other blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankmark._native import ObservedQueries, QueryValues, Table
from rankmark.aggregation.observed import Block, Observed
from rankmark.dataclassing import dataclass
from rankmark.kinds.ragged import offsets_of
from rankmark.language.plan import Group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from rankmark.aggregation.refusals import Fault
    from rankmark.inputs.catalogue import JudgedItems, Numbered
    from rankmark.kinds.item_facts import Numbers
    from rankmark.kinds.items import Tops
    from rankmark.language.measure import Measure

__all__ = ["QueryState", "columns_of"]


def columns_of(groups: Sequence[Group]) -> dict[str, pl.DataType | type[pl.DataType]]:
    """The columns of a state, and their types, but for the query.

    `place` orders the queries, `answered` says whether one has results. Each group has the columns of
    `Observed`: for the first ``0.retrieved``, ``0.tied_rank``, and the values ``0.0``, ``0.1`` …. One that
    looks at items has the top of each list as ``0.top``, the number of each item doubled and one more where
    the item after it has an equal score; one that looks at their judgements those as ``0.judged`` and
    ``0.grades``. Each measure of aspects has, after all values, whether tie-breaking decides what it sees, as
    ``0.tied0`` ….
    """
    import polars as pl

    columns: dict[str, Any] = {"place": pl.Int64, "answered": pl.Boolean}
    for number, (_, measures) in enumerate(groups):
        each_query = [measure for measure in measures if not measure.of_all_lists]
        values = sum(measure.page.arrays for measure in each_query)
        columns |= {f"{number}.retrieved": pl.Int64, f"{number}.tied_rank": pl.Int64}
        columns |= {f"{number}.{value}": pl.Float64 for value in range(values)}
        columns |= {f"{number}.tied{each}": pl.Boolean for each in range(len(_of_aspects(measures)))}
        if len(each_query) < len(measures):
            columns[f"{number}.top"] = pl.List(pl.Int32)
        if looks_at_judgements(measures):
            columns |= {f"{number}.judged": pl.List(pl.Int32), f"{number}.grades": pl.List(pl.Float64)}
    return columns


def looks_at_judgements(measures: Iterable[Measure]) -> bool:
    """Whether some look at which items are judged."""
    return any("judgements" in measure.needs for measure in measures if measure.page.kind == "item")


def _of_aspects(measures: Iterable[Measure]) -> list[Measure]:
    """Those of aspects."""
    return [measure for measure in measures if measure.of_aspects]


@dataclass(frozen=True, slots=True)
class QueryState:
    """Judged queries, a row each, and the queries that have results but no judgements.

    Attributes:
        groups: what was observed.
        parts: the judged queries: their ids as ``query``, and the columns of `columns_of`.
        others: ids of queries without judgements; one may be there several times.
        hits: number of judged items in the lists, a number for each part.
        order: of each part, in how many lists relevant items stand below the others, and in how many above.
        items: the items by whose numbers the tops of lists are kept, where measures look at them.

    """

    groups: tuple[Group, ...]
    parts: list[pl.DataFrame]
    others: list[pl.Series]
    hits: list[int]
    order: list[tuple[int, int]]
    items: Numbered | None = None

    @classmethod
    def empty(cls, groups: Iterable[Group], items: Numbered | None = None) -> QueryState:
        """The state before anything was observed."""
        return cls(tuple(groups), [], [], [], [], items)

    @classmethod
    def of(
        cls,
        groups: tuple[Group, ...],
        block: Block,
        query_ids: pl.Series,
        places: NDArray[Any] | None = None,
        others: pl.Series | None = None,
    ) -> QueryState:
        """What was observed of a block.

        Args:
            groups: what was observed.
            block: what it gave.
            query_ids: the judged queries, of the type that all blocks have.
            places: numbers that order the judged queries among those of all blocks.
            others: the block's queries without judgements.

        """
        import polars as pl

        first = block.observed[0]
        columns: dict[str, Any] = {
            "query": query_ids,
            "place": np.zeros(len(query_ids), dtype=np.int64) if places is None else places.astype(np.int64),
            "answered": first.queries.answered,
        }
        for number, each in enumerate(block.observed):
            columns |= {
                f"{number}.retrieved": each.queries.retrieved,
                f"{number}.tied_rank": each.queries.tied_rank,
            }
            columns |= {f"{number}.{value}": values.array for value, values in enumerate(each.values)}
            tied_lists = (each.tied_lists[measure] for measure in _of_aspects(groups[number][1]))
            columns |= {f"{number}.tied{place}": tied for place, tied in enumerate(tied_lists)}
            if each.tops is not None:
                item, tied, offsets = each.tops
                columns[f"{number}.top"] = _lists(2 * item + tied, offsets)
            if each.judged is not None and looks_at_judgements(groups[number][1]):
                judged = each.judged()
                columns[f"{number}.judged"] = _lists(judged.item, judged.offsets)
                columns[f"{number}.grades"] = _lists(judged.grade, judged.offsets)
        return cls(
            groups,
            [pl.DataFrame(columns)],
            [] if others is None or not len(others) else [others],
            [first.queries.hits],
            [first.queries.order],
        )

    @classmethod
    def of_others(cls, groups: tuple[Group, ...], others: pl.Series) -> QueryState:
        """What was observed of queries none of which has judgements."""
        return cls(groups, [], [others], [], [])

    @property
    def faults(self) -> Mapping[str, Fault]:
        """None: the core refuses at once what cannot be evaluated."""
        return {}

    def add(self, other: QueryState) -> None:
        """Takes in all that another state of the same groups has."""
        self.parts.extend(other._by(self.items))
        self.others.extend(other.others)
        self.hits.extend(other.hits)
        self.order.extend(other.order)

    def _by(self, items: Numbered | None) -> list[pl.DataFrame]:
        """The parts with the tops of lists by other numbers."""
        own = self.items
        if items is None or own is None or items is own:
            return self.parts
        return [_renumbered(part, lambda item: items.adopted(item, own)) for part in self.parts]

    def told(self) -> tuple[pl.DataFrame, list[int | str]]:
        """All judged queries in the order of their ids, without the items that are not known.

        Those have numbers that depend on the lists alone, and are given beside, in the order of these.
        """
        frame = self.frame("query")
        if self.items is None:
            return frame, []
        every = [*_of_items(frame)]
        numbers = np.concatenate([item for item, _ in every])
        ends = np.concatenate([[0], *(np.diff(offsets) for _, offsets in every)]).cumsum()
        others = self.items.numbers.renumber(numbers, ends)
        rest = iter(np.split(numbers, np.cumsum([len(item) for item, _ in every])[:-1]))
        return _renumbered(frame, lambda _: next(rest)), self.items.numbers.ids(others)

    def take(self, frame: pl.DataFrame, others: pl.Series | Sequence[int | str]) -> pl.DataFrame:
        """What `told` gave of another state, by the numbers of this one."""
        if self.items is None:
            return frame
        there, came = len(self.items.numbers), self.items.of_ids(others)
        every = np.concatenate((np.arange(there, dtype=np.int32), came))
        return _renumbered(frame, lambda item: every[item])

    def without(self, queries: pl.Series) -> QueryState:
        """The state without some queries; `hits` and `order`, which are counts of parts, still have them."""
        among = queries.implode()
        return QueryState(
            self.groups,
            [part.filter(~part["query"].is_in(among)) for part in self.parts],
            [others.filter(~others.is_in(among)) for others in self.others],
            self.hits,
            self.order,
            self.items,
        )

    def only(self, queries: pl.Series) -> pl.DataFrame:
        """What is known of some queries, a row each; of one without judgements only its id."""
        import polars as pl

        among = queries.implode()
        judged = [part.filter(part["query"].is_in(among)) for part in self.parts]
        others = self.unjudged()
        return pl.concat([*judged, others.filter(others.is_in(among)).to_frame()], how="diagonal_relaxed")

    def frame(self, order: Literal["place", "query"]) -> pl.DataFrame:
        """All judged queries in one order, whatever the order in which they were added.

        Queries with the same id are told apart by all that is known of them.
        """
        import polars as pl

        frame = pl.concat(self.parts, how="vertical_relaxed")  # ids may be of several widths
        if order == "place":
            return frame.sort(order)
        return frame.sort("query", *(name for name in frame.columns[1:] if not frame[name].dtype.is_nested()))

    def unjudged(self, repeated: bool = False) -> pl.Series:
        """The queries without judgements in order, each once unless `repeated`."""
        import polars as pl

        if not self.others:
            return self.parts[0]["query"].clear() if self.parts else pl.Series("query", [], dtype=pl.Int64)
        others = pl.concat(self.others)
        return (others if repeated else others.unique()).sort()

    def whole_order(self) -> tuple[int, int]:
        """As `rankmark.aggregation.state.Seen.order`, of all parts."""
        return sum(below for below, _ in self.order), sum(above for _, above in self.order)

    def whole(self, order: Literal["place", "query"], unjudged: int, name: str = "run") -> Block:
        """All judged queries, to be finished, with the number of those without judgements.

        Args:
            order: theirs.
            unjudged: how many others there are.
            name: what messages call the results.

        Raises:
            DataError: items that cannot be recommended.

        """
        import polars as pl

        frame = pl.concat(self.parts, how="vertical_relaxed") if order == "place" else self.frame(order)
        # Columns are brought into order one by one, as arrays, which a sorted frame would be copied to.
        rows = frame["place"].arg_sort().to_numpy() if order == "place" else None

        def ordered(column: pl.Series) -> pl.Series:
            return column if rows is None else column.gather(rows)

        def array(column: pl.Series) -> NDArray[Any]:
            return column.to_numpy(writable=True) if rows is None else column.to_numpy()[rows]

        nowhere, answered = np.empty(0, dtype=np.uint32), array(frame["answered"])
        told = sum(self.hits), self.whole_order()
        observed = []
        for number, (_, measures) in enumerate(self.groups):
            own = {
                name.partition(".")[2]: column if column.dtype.is_numeric() else ordered(column)
                for name, column in zip(frame.columns, frame.get_columns(), strict=True)
                if name.startswith(f"{number}.")
            }
            tops, judged, tied_lists = _tops(own), _judged(own), _tied_lists(own, measures)
            retrieved, tied_rank, *values = map(array, own.values())
            queries = ObservedQueries(nowhere, answered, retrieved, tied_rank, *told)
            seen = Observed(queries, list(map(QueryValues, values)))
            observed.append(seen._replace(tops=tops, judged=judged, tied_lists=tied_lists))
        ids = Table.from_arrow(ordered(frame["query"]).to_frame())
        block = Block(observed[0].queries, ids, observed, unjudged)
        return block if self.items is None else block.with_items(self.items, name)


def _lists(values: NDArray[Any], offsets: NDArray[np.int64]) -> pl.Series:
    """A column of lists."""
    import polars as pl

    return pl.DataFrame(Table.of_lists("list", values, offsets))["list"]


def _flat(lists: pl.Series) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """What lists hold, one after the other, and where each begins."""
    import polars as pl

    lengths = lists.list.len()
    return lists.filter(lengths > 0).explode().to_numpy(), offsets_of(lengths.cast(pl.Int64).to_numpy())


def _of_items(frame: pl.DataFrame) -> Iterator[tuple[Numbers, NDArray[np.int64]]]:
    """The numbers of items in each column that has such, and where those of each row begin."""
    for name in frame.columns:
        if name.endswith((".top", ".judged")):
            item, offsets = _flat(frame[name])
            yield item >> 1 if name.endswith(".top") else item.copy(), offsets


def _renumbered(frame: pl.DataFrame, numbers: Callable[[Numbers], Numbers]) -> pl.DataFrame:
    """The same with other numbers of items."""
    for name in frame.columns:
        if name.endswith((".top", ".judged")):
            item, offsets = _flat(frame[name])
            item = 2 * numbers(item >> 1) + (item & 1) if name.endswith(".top") else numbers(item)
            frame = frame.with_columns(_lists(item.astype(np.int32), offsets).alias(name))
    return frame


def _tops(columns: dict[str, pl.Series]) -> Tops | None:
    """The tops of lists, which are taken out of the columns of a group."""
    top = columns.pop("top", None)
    if top is None:
        return None
    from rankmark.kinds.items import Tops

    doubled, offsets = _flat(top)
    return Tops(doubled >> 1, (doubled & 1).astype(np.bool_), offsets)


def _tied_lists(columns: dict[str, pl.Series], measures: Iterable[Measure]) -> dict[Measure, NDArray[Any]]:
    """In which lists ties decide what measures of aspects see, which is taken out of the columns."""
    return {
        measure: columns.pop(f"tied{place}").to_numpy() for place, measure in enumerate(_of_aspects(measures))
    }


def _judged(columns: dict[str, pl.Series]) -> Callable[[], JudgedItems] | None:
    """Which items are judged, which is taken out of the columns of a group."""
    judged, grades = columns.pop("judged", None), columns.pop("grades", None)
    if judged is None or grades is None:
        return None
    from rankmark.inputs.catalogue import JudgedItems

    item, offsets = _flat(judged)
    found = JudgedItems(item, _flat(grades)[0], offsets)
    return lambda: found
