"""What engines hand on, and what of it is finished.

Every engine does *observe → merge*, and `aggregation` alone does *finish*. An engine observes blocks of the
data, on this machine or on others; what it observes of a block is a `State`, which takes in that of any
other block. There are three, by how much has to be kept:

- `QueryState`: the values of every query, a few numbers each. Whole, it is a `Block`;
- `Tally`: what queries add up to, which does not grow with their number;
- `RowTally`: what rows of labelled scores add up to.

What is finished is all of the data: of lists what is `Seen`, which a `Block` and a `Tally` are; of rows
what is `SeenRows`, which engines make around a `RowTally`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from rankmark._native import Table
    from rankmark.aggregation.refusals import Fault, Some
    from rankmark.aggregation.row_tally import Range, RowTally
    from rankmark.aggregation.settled import Settled
    from rankmark.aggregation.settled_rows import OfQueries
    from rankmark.errors import MeasureError
    from rankmark.inputs import Described
    from rankmark.inputs.predictions.labelled import Predictions
    from rankmark.kinds.row_core import Sum
    from rankmark.language.choices import Choices
    from rankmark.language.conventions.limits import Extents, TableFacts
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = ["Observation", "Seen", "SeenRows", "State", "merged"]

S = TypeVar("S", bound="State")


class State(Protocol):
    """What was observed of a part of the data. Parts add up to the same in any order, to the last bit."""

    @property
    def faults(self) -> Mapping[str, Fault]:
        """What cannot be evaluated, by a name of its own; `raise_faults` refuses it."""

    def add(self, other: Self) -> None:
        """Takes in what was observed of another part."""


def merged(whole: S, parts: Iterable[S]) -> S:
    """A state that takes in all parts."""
    for part in parts:
        whole.add(part)
    return whole


class Seen(Protocol):
    """All judged queries, as far as finishing looks at them; see `rankmark.aggregation.finish`."""

    @property
    def judged(self) -> int:
        """Number of queries with judgements."""

    @property
    def missing(self) -> Some:
        """Judged queries without results."""

    @property
    def unjudged(self) -> Some:
        """Queries with results and without judgements."""

    @property
    def hits(self) -> int:
        """Number of judged items in the lists."""

    @property
    def order(self) -> tuple[int, int]:
        """In how many lists relevant items stand below the others, and above.

        A few lists that were observed by themselves are not among them: too few to be sure of anything.
        """

    @property
    def query_ids(self) -> Table | None:
        """The judged queries in the order of their values, if these are here."""

    def settled(self, number: int, group: Group, k: int | None, /) -> Mapping[Measure, Settled]:
        """What the measures of a group come to, once; `k` is where lists were cut."""

    def undefined(self, measure: Measure, settled: Settled, choices: Choices, /) -> Some:
        """The queries in which nothing is relevant to a measure, which were left out."""


class Observation(NamedTuple):
    """What an engine saw of judgements and results that it has read.

    Attributes:
        seen: all judged queries.
        heads: what is to be said of the judgements and of the results.
        inputs: the hashes of the tables, if asked for.
        extents: gives the extent of the grades and that of the scores, if they were asked for; None where
            there are none.
        tables: looks at the whole tables, where they are here.

    """

    seen: Seen
    heads: tuple[Described, Described]
    inputs: Mapping[str, str]
    extents: Callable[[], Extents]
    tables: TableFacts | None = None


class SeenRows(Protocol):
    """Labelled scores that an engine has seen, and of which it gives what measures look at.

    What is asked of it can be a pass over the rows, so that it is asked only where a measure needs it.
    """

    @property
    def read(self) -> Predictions:
        """What the columns are; the rows need not be there."""

    @property
    def tally(self) -> RowTally:
        """What the rows come to."""

    def sums(self, asked: Sum, /) -> tuple[float, ...]:
        """Sums over all rows; meets `NotMergedError` where it does not have them."""

    def ranges(self) -> list[Range]:
        """Ranges of scores."""

    def of_queries(self, measure: Measure, /) -> OfQueries:
        """What a measure gives that is a value of each query."""

    @property
    def queries(self) -> int | None:
        """How many queries there are; None if no measure looks at them."""

    @property
    def query_ids(self) -> Table | None:
        """The queries in the order of their values, as a table with a column ``query``, if these are here."""

    def shown_improbable(self) -> str:
        """A score outside of 0 to 1, for a message."""

    def not_merged(self, measure: Measure, /) -> MeasureError:
        """The error for a measure that looks at more."""
