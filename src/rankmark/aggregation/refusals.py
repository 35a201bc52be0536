"""What is refused once it has been observed, and what is noted: the words for it, each in one place.

A choice refuses the same in every engine. How a message speaks of the data depends on what they came as:
tables have names and ids (`OfTables`), arrays have rows (`OfArrays`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.column_checks import no_rows
from rankmark.language.choices import sampled_count
from rankmark.language.conventions.limits import Extent, spanning

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark import _native
    from rankmark.inputs.arrays.scored import Scored
    from rankmark.inputs.input import Described, Input
    from rankmark.inputs.roles import Side
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = [
    "NONE",
    "SHOWN",
    "Fault",
    "Heading",
    "Id",
    "OfArrays",
    "OfTables",
    "Some",
    "Words",
    "add_faults",
    "check_judged",
    "check_rows",
    "faults_from",
    "raise_faults",
    "refuse_no_relevant",
    "refuse_other_columns",
    "refuse_other_items",
    "refuse_queries",
    "refuse_unanswered",
    "refuse_unjudged",
    "some",
    "some_of",
]

Id: TypeAlias = int | str

SHOWN = 3
"""Ids kept of those that a message speaks of."""


# --- How many, and which ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Some:
    """How many queries or rows there are, and a few ids of theirs."""

    count: int = 0
    ids: list[Id] = field(default_factory=list)

    def add(self, other: Some) -> None:
        """Takes in those of another part, of whose ids the least stay."""
        self.count += other.count
        self.ids = sorted({*self.ids, *other.ids})[:SHOWN]

    def counted(self) -> str:
        """As a message counts queries."""
        return f"{self.count} {'query' if self.count == 1 else 'queries'}"

    def queries(self) -> str:
        """As a message names queries."""
        shown = ", ".join(map(repr, self.ids)) + (", …" if self.count > len(self.ids) else "")
        return self.counted() + (f" ({shown})" if shown else "")


NONE = Some()
"""No queries, of which nothing is added up."""


def some(ids: NDArray[Any], which: NDArray[np.bool_]) -> Some:
    """Those of the queries that `which` says, with the least ids."""
    count = int(np.count_nonzero(which))
    return Some(count, sorted(ids[which].tolist())[:SHOWN]) if count else Some()


def some_of(query_ids: _native.Table, which: NDArray[np.bool_]) -> Some:
    """The same of queries in a table, with the first ids."""
    rows = np.flatnonzero(which)
    shown = query_ids.take("query", rows[:SHOWN].astype(np.uint32), "query")
    return Some(len(rows), [*shown.column_values("query")])


# --- Rows that cannot be evaluated --------------------------------------------------------------------------


@dataclass(slots=True)
class Fault:
    """Rows that cannot be evaluated.

    Attributes:
        before: what a message says before their number.
        one: what it says after it, if there is one,
        several: or if there are several.
        remedy: what to do about it.
        rows: how many, and queries in which they are.

    """

    before: str
    one: str
    several: str
    remedy: str
    rows: Some

    def error(self) -> DataError:
        """What is raised."""
        where = f", for example in query {self.rows.ids[0]!r}" if self.rows.ids else ""
        what = self.one if self.rows.count == 1 else self.several
        return DataError(f"{self.before} {self.rows.count:,} {what}{where}; {self.remedy}")


def add_faults(faults: dict[str, Fault], others: Mapping[str, Fault]) -> None:
    """Takes in the faults of another part, by their names."""
    for name, other in others.items():
        if name in faults:
            faults[name].rows.add(other.rows)
        else:
            faults[name] = other


def faults_from(sent: Mapping[str, Any]) -> dict[str, Fault]:
    """Faults that were sent."""
    return {name: Fault(**{**each, "rows": Some(**each["rows"])}) for name, each in sent.items()}


def raise_faults(faults: Mapping[str, Fault]) -> None:
    """Raises the first fault by name, if there is any."""
    for _, fault in sorted(faults.items()):
        raise fault.error()


def check_rows(rows: Mapping[Side, int]) -> None:
    """Refuses tables of which no row came."""
    for side, count in rows.items():
        if not count:
            raise no_rows(side)


# --- What choices refuse ------------------------------------------------------------------------------------


class Words(Protocol):
    """How messages speak of what was evaluated."""

    def none_answered(self, judged: int) -> str:
        """No judged query has results."""

    def unanswered(self, which: Some) -> str:
        """Some have none."""

    def unjudged(self, which: Some) -> str:
        """There are results for queries without judgements."""

    def unmatched(self) -> str:
        """No item that was returned is judged."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What messages tell of a table that is no longer there, or never was in one place; see `Described`."""

    name: str
    first_query: Id
    first_item: Id
    item_ids: Literal["integer", "text"]
    notes: tuple[str, ...] = ()
    extent: Extent | None = None
    judges: bool = True

    @classmethod
    def of(cls, table: Described, extent: Extent | None = None) -> Heading:
        """That of a table."""
        return cls(
            table.name,
            table.first_query,
            table.first_item,
            table.item_ids,
            table.notes,
            extent,
            table.judges,
        )

    def merged(self, other: Heading) -> Heading:
        """The same whichever comes first."""
        return Heading(
            min(self.name, other.name),
            min(self.first_query, other.first_query),
            min(self.first_item, other.first_item),
            self.item_ids,
            tuple(sorted({*self.notes, *other.notes})),
            spanning(self.extent, other.extent),
            self.judges,
        )


class OfTables:
    """The words for a table of judgements and one of results."""

    __slots__ = ("_judgements", "_results")

    def __init__(self, judgements: Described, results: Described) -> None:
        self._judgements, self._results = judgements, results

    def none_answered(self, judged: int) -> str:
        """No judged query has results: ids may be written differently."""
        judgements, results = self._judgements, self._results
        return (
            f"{results.name} has no results for any of the {judged} judged queries: its queries are such as "
            f"{results.first_query!r}, those of {judgements.name} such as {judgements.first_query!r}"
        )

    def unanswered(self, which: Some) -> str:
        """Some have none."""
        return (
            f"{self._results.name} has no results for {which.queries()} with judgements; "
            'choose missing="zero" or "skip", or complete the run'
        )

    def unjudged(self, which: Some) -> str:
        """There are results for queries without judgements."""
        return (
            f"{self._results.name}: results for {which.queries()} without judgements; "
            'remove them or choose unjudged_queries="skip"'
        )

    def unmatched(self) -> str:
        """No item that was returned is judged: they may be written differently."""
        judgements, results = self._judgements, self._results
        return (
            f"no returned item is judged: {results.name} has items such as {results.first_item!r}, "
            f"{judgements.name} such as {judgements.first_item!r}"
        )


class OfArrays:
    """The words for arrays of scores and of relevance, with so many rows."""

    __slots__ = ("_rows",)

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def none_answered(self, _: int) -> str:
        """No judged row has a list."""
        return "scores: every list is empty, because all items are excluded or have the score -inf"

    def unanswered(self, which: Some) -> str:
        """Some have none."""
        return (
            f"scores: the list is empty of {which.queries()}, because all items are excluded or have the "
            'score -inf; choose missing="zero" or "skip"'
        )

    def unjudged(self, which: Some) -> str:
        """Nothing is judged in some rows."""
        return (
            f"relevance: nothing is judged in {which.count} of {self._rows} rows; choose "
            'unjudged_queries="skip", or leave these rows out'
        )

    def none_judged(self) -> str:
        """Nothing is judged in any."""
        return f"relevance: nothing is judged in any of the {self._rows} rows"

    def unmatched(self) -> str:
        """No judged item is in a list."""
        return "no judged item is in the list of its query"


def refuse_unanswered(judged: int, missing: Some, words: Words) -> None:
    """Refuses results for none of the judged queries."""
    if missing.count and missing.count == judged:
        raise DataError(words.none_answered(judged))


def refuse_queries(missing: Some, unjudged: Some, chosen: Iterable[Choices], words: Words) -> None:
    """Refuses queries without judgements or without results where a choice refuses any."""
    for choices in chosen:
        if unjudged.count and choices.unjudged_queries == "error":
            raise DataError(words.unjudged(unjudged))
        if missing.count and choices.missing == "error":
            raise DataError(words.unanswered(missing))


def refuse_no_relevant(measure: Measure, undefined: Some) -> None:
    """Refuses queries in which nothing is relevant to a measure."""
    if undefined.count:
        raise DataError(
            f"{measure}: nothing is relevant in {undefined.queries()}; "
            'choose no_relevant="zero", "skip" or "one"'
        )


def refuse_other_items(judgements: Input, results: Input, sampled: Collection[str]) -> None:
    """Refuses lists with items beside the sampled candidates, whose values would not be among these.

    The judgements may list the candidates, with 0 for those that were drawn, or the relevant ones alone: then
    the others are known by there being more of them than were drawn. `sampled` is that of the `Plan`.

    """
    if not sampled:
        return
    import polars as pl

    need_polars_threads()
    mark = next(iter(sampled))
    drawn = sampled_count(mark)
    ids = pl.col("query", "item").cast(pl.String)
    grade = pl.lit(1.0) if judgements.value is None else pl.col(judgements.value).cast(pl.Float64)
    judged = pl.DataFrame(judgements.table).select(
        query=judgements.query, item=judgements.item, relevant=grade > 0
    )
    judged = judged.with_columns(ids)
    listed = pl.DataFrame(results.table).select(query=results.query, item=results.item).with_columns(ids)
    listed = listed.join(judged.select("query").unique(), on="query", how="semi")
    others = listed.join(judged, on=["query", "item"], how="anti", maintain_order="left")
    if judgements.candidates is None:
        crowded = _crowded(judged.filter(~pl.col("relevant")), listed, others, drawn)
        others = others.join(crowded, on="query", how="semi", maintain_order="left")
    if not others.height:
        return
    are_listed = judgements.candidates is not None or not judged["relevant"].all()
    ignored = ', choose unjudged="ignore"' if are_listed else ""
    one = f"the first is {others['item'][0]!r} of {others['query'][0]!r}"
    said = (
        f"{others.height:,} items in lists are not among those that were judged, {one}"
        if are_listed
        else f"lists hold more than {drawn:,} items beside the relevant ones, {one}"
    )
    raise DataError(
        f"{results.name}: candidates are {mark}, and {said}: values would not be among the candidates; rank "
        f'the candidates of each query alone{ignored}, or say candidates="all" where all items are ranked'
    )


def refuse_other_columns(arrays: Scored, chosen: Iterable[Choices]) -> None:
    """The same of rows of scores, by how many items they have.

    Raises:
        DataError: a row has more that are not relevant than were drawn.

    """
    for choices in chosen:
        if choices.candidates == "all" or choices.unjudged == "ignore":
            continue
        drawn, others = sampled_count(choices.candidates), arrays.others(choices.duplicates)
        if (many := np.flatnonzero(others > drawn)).size:
            raise DataError(
                f"scores: candidates are {choices.candidates}, and {len(many):,} of {len(others):,} rows "
                f"have more than {drawn:,} items beside the relevant ones, the first is row {many[0]} (from "
                f"0) with {others[many[0]]:,}: values would not be among the candidates; say with mask=, "
                'lengths= or items= which these are, or candidates="all" where all items are ranked'
            )
        return


def _crowded(known: pl.DataFrame, listed: pl.DataFrame, others: pl.DataFrame, drawn: int) -> pl.DataFrame:
    """Queries with more that is not relevant than was drawn: in the list, or as `known` and listed beside."""
    import polars as pl

    keys = ["query", "item"]
    count = known.group_by("query").agg(known=pl.len())
    shown = known.join(listed, on=keys, how="semi").group_by("query").agg(shown=pl.len())
    every = others.group_by("query").agg(pl.col("item").n_unique())
    every = every.join(count, on="query", how="left").join(shown, on="query", how="left")
    known_there = pl.when(pl.col("known") >= drawn).then("known").otherwise("shown").fill_null(0)
    return every.filter(pl.col("item") + known_there > drawn)


def refuse_unjudged(name: str, others: Some, chosen: Iterable[Choices]) -> None:
    """Refuses a batch of results, all of queries without judgements, where a choice refuses any."""
    if others.count and any(choices.unjudged_queries == "error" for choices in chosen):
        raise DataError(
            f"{name}: results for {others.counted()} without judgements, the first is query "
            f'{others.ids[0]!r}; remove them or choose unjudged_queries="skip"'
        )


def check_judged(rows: int, judged: int, choices: Choices) -> None:
    """Refuses rows of arrays in which nothing is judged: all of them, or any where a choice refuses that."""
    words = OfArrays(rows)
    if not judged:
        raise DataError(words.none_judged())
    refuse_queries(Some(), Some(rows - judged), [choices], words)
