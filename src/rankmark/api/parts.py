"""Parts of an evaluation: what each is known to hold, and those whose scores are still being counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, NamedTuple

from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.refusals import Heading
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from rankmark.aggregation.observed import Block
    from rankmark.inputs.catalogue import Numbered

__all__ = ["Begun", "Held", "of_rows"]


@dataclass(slots=True)
class Held:
    """What an evaluator holds, replaced as a whole, so that what fails leaves it as it was."""

    state: QueryState
    known: set[int | str] = field(default_factory=set)
    """Every query that an update had, judged or not."""
    headings: tuple[Heading, Heading] | None = None
    following: int = 0
    """One more than the greatest id, where ids are numbers."""
    dropped: int = 0
    """How often a query came that was there, and was dropped."""
    differing: int = 0
    """How often with other values."""

    def drop(self, new: Held) -> QueryState:
        """What a part has of queries that are not there yet; the others are counted."""
        import polars as pl

        again = pl.Series("query", sorted(self.known & new.known))
        if again.is_empty():
            return new.state
        before, now = _plain(self.state.only(again)), _plain(new.state.only(again))
        self.dropped += len(again)
        self.differing += now.join(before, on=now.columns, nulls_equal=True, how="anti").height
        return new.state.without(again) if len(again) < len(new.known) else QueryState.empty(new.state.groups)

    def add(self, known: set[int | str]) -> None:
        """Adds the queries of a part."""
        self.known |= known
        numbers = (query for query in known if isinstance(query, int))
        self.following = max(self.following, 1 + max(numbers, default=-1))


class Begun(NamedTuple):
    """A part whose scores are elsewhere, where they are being counted.

    Attributes:
        told: what is known of it by now, its queries among it.
        wait: what gives all of it.

    """

    told: Held
    wait: Callable[[], Held]

    def waited(self) -> Held:
        """All of it.

        Raises:
            DataError: scores that are NaN.

        """
        try:
            return self.wait()
        except DataError as error:
            assert self.told.headings is not None
            first = self.told.headings[1].first_query
            raise DataError(
                f"{error}. They were in the part that begins with query {first!r}, which is left out: scores "
                "on another device are looked at when the values are asked for"
            ) from error


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with lists as texts, so that rows can be told apart."""
    import polars as pl

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in nested)


def of_rows(ids: pl.Series, told: Held, block: Block, items: Numbered | None = None) -> Held:
    """What rows of scores with these ids come to, of which so much was known before."""
    assert told.headings is not None
    judgements, scores = told.headings
    judged = ids.gather(block.first_rows)
    others = ids.filter(~ids.is_in(judged.implode()))
    state = replace(QueryState.of(told.state.groups, block, judged, others=others), items=items)
    return replace(told, state=state, headings=(replace(judgements, first_query=judged[0]), scores))
