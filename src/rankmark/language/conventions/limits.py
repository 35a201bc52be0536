"""What a tool computes that cannot be reproduced, where the data tell whether they meet it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from rankmark.dataclassing import dataclass

__all__ = [
    "ABSENT",
    "DIGITS",
    "REFUSED",
    "SOURCE",
    "UNDEFINED",
    "UNKNOWN",
    "Aside",
    "Extent",
    "Extents",
    "Facts",
    "ItemListFacts",
    "Limit",
    "RowFacts",
    "TableFacts",
    "Worded",
    "all_relevant",
    "at_borders",
    "at_threshold",
    "certainly_wrong",
    "fewer",
    "fractional",
    "graded",
    "grades_below_1",
    "had_by_nobody",
    "improbable",
    "incomplete",
    "negative",
    "no_extent",
    "not_above_0",
    "nothing",
    "of_one_class",
    "of_one_item",
    "of_one_score",
    "only_relevant",
    "outside_0_to_1",
    "own_items",
    "repeated",
    "repeated_before",
    "short",
    "single_precision",
    "spanning",
    "tied",
    "tied_rows",
    "unanswered",
    "uneven",
    "unjudged",
    "whole_to",
    "without_relevant",
    "zero_scores",
]


class Extent(NamedTuple):
    """The least and the greatest of some numbers, and whether one of them is a fraction.

    Of results it says, too, whether an item has the id of its query.
    """

    least: float
    greatest: float
    fraction: bool
    own_items: bool = False


Extents: TypeAlias = tuple[Extent | None, Extent | None]
"""That of the grades and that of the scores; None where there are none."""


def spanning(one: Extent | None, other: Extent | None) -> Extent | None:
    """The extent of both."""
    if one is None or other is None:
        return one or other
    least, greatest = min(one.least, other.least), max(one.greatest, other.greatest)
    return Extent(least, greatest, one.fraction or other.fraction, one.own_items or other.own_items)


class TableFacts(Protocol):
    """What whole judgements and results tell; each is looked at only where it decides."""

    def repeated(self) -> bool:
        """Whether an item is judged or returned twice for a query."""

    def incomplete(self) -> bool:
        """Whether a relevant item is not among the results of its query."""

    def all_relevant(self) -> bool:
        """Whether there is a query without an item that is judged not relevant."""

    def only_relevant(self) -> bool:
        """Whether all results of a query are relevant."""

    def fewer(self) -> bool:
        """Whether a query has results, and fewer than relevant items."""

    def without_relevant(self) -> bool:
        """Whether a judged query with results has no relevant items."""

    def nothing(self) -> bool:
        """Whether a judged query has neither relevant items nor results."""


class ItemListFacts(Protocol):
    """What the tops of lists tell a measure of items; each is looked at only where it decides."""

    def short(self) -> bool:
        """Whether a list has fewer items than the cutoff."""

    def uneven(self) -> bool:
        """Whether lists are of different lengths."""

    def of_one_item(self) -> bool:
        """Whether there is a list of one item."""

    def had_by_nobody(self) -> bool:
        """Whether an item is recommended that nobody had before."""

    def repeated_before(self) -> bool:
        """Whether a user had an item before more than once."""


class RowFacts(Protocol):
    """What labelled rows tell one measure; each is looked at only where it decides."""

    def single_precision(self) -> bool:
        """Whether scores are of 32 bits."""

    def tied(self) -> bool:
        """Whether rows with other labels have the same score, among those that are compared."""

    def zero_scores(self) -> bool:
        """Whether a score is 0."""

    def of_one_class(self) -> bool:
        """Whether there is a query whose rows have the same label."""

    def of_one_score(self) -> bool:
        """Whether there is a query of both labels whose rows have the same score."""

    def certainly_wrong(self) -> bool:
        """Whether a row that is not positive has a score of 1 in 32 bits."""

    def at_threshold(self) -> bool:
        """Whether a score is found at the threshold, and not above it in 32 bits."""

    def at_borders(self) -> bool:
        """Whether a score stands at the border of two bins, or two classes do at that of the first k."""


def no_extent() -> None:
    """No extent, where there is nothing to look at."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What of the data decides whether a tool's number is the same.

    Attributes:
        grades: gives the extent of the judgements' grades, which is looked at only where it decides; None
            where all are 1, or where they cannot be looked at.
        scores: gives that of the scores; None where there are none, or where they cannot be looked at.
        tied: the queries that another order of equal scores could change.
        improbable: scores of labelled rows outside of 0 to 1.
        duplicates: whether items may be there twice, as the caller chose.
        tables: looks at judgements and results; None where they are not here, or not at once.
        rows: looks at labelled rows; None where they are not here.
        lists: looks at the items at the top of lists; None where they are not here.
        unanswered: judged queries without results.
        unjudged: queries with results and without judgements, where there are judgements.

    """

    grades: Callable[[], Extent | None] = no_extent
    scores: Callable[[], Extent | None] = no_extent
    tied: int = 0
    improbable: int = 0
    duplicates: bool = False
    tables: TableFacts | None = None
    rows: RowFacts | None = None
    lists: ItemListFacts | None = None
    unanswered: int = 0
    unjudged: int = 0


Condition: TypeAlias = Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Limit:
    """What cannot be reproduced, and which data meet it.

    Attributes:
        text: what it is, for the record's page and beside the number.
        met: whether data meet it. What cannot be looked at is taken to: the text says where it holds.
        measures: the names of the measures here that it concerns; empty for all.
        refused: whether the tool refuses such data, so that there is no number of its to be had.

    """

    text: str
    met: Condition
    measures: frozenset[str] = frozenset()
    refused: bool = False

    def __str__(self) -> str:
        return self.text

    def concerns(self, measure: str) -> bool:
        """Whether it is of this measure."""
        return not self.measures or measure in self.measures


@dataclass(frozen=True, slots=True)
class Aside:
    """What cannot be reproduced, and which no data decide.

    Attributes:
        text: what it is, for the record's page.
        why: why there is nothing to hold against the data.

    """

    text: str
    why: str

    def __str__(self) -> str:
        return self.text


UNKNOWN = "what decides it is not in the data"
ABSENT = "no name of the record means it: asked for it, rankmark refuses, or never hears of it"
DIGITS = "it concerns the last digits of any number, whatever the data are"
REFUSED = "such data are refused here"
UNDEFINED = "there is no value here, and beside it stands why"
SOURCE = "it says how the record came about"

Worded: TypeAlias = Limit | Aside
"""What a record says that cannot be reproduced."""


def tied(facts: Facts) -> bool:
    """Equal scores decide the value."""
    return facts.tied > 0


def repeated(facts: Facts) -> bool:
    """An item is there twice for a query; `duplicates` refuses it unless the caller chose otherwise."""
    return facts.duplicates and (facts.tables is None or facts.tables.repeated())


def incomplete(facts: Facts) -> bool:
    """A relevant item is not among the results."""
    return facts.tables is None or facts.tables.incomplete()


def all_relevant(facts: Facts) -> bool:
    """A query has no item that is judged not relevant."""
    return facts.tables is None or facts.tables.all_relevant()


def only_relevant(facts: Facts) -> bool:
    """All results of a query are relevant."""
    return facts.tables is None or facts.tables.only_relevant()


def fewer(facts: Facts) -> bool:
    """A query has fewer results than relevant items."""
    return facts.tables is None or facts.tables.fewer()


def nothing(facts: Facts) -> bool:
    """A query has neither relevant items nor results."""
    return facts.tables is None or facts.tables.nothing()


def own_items(facts: Facts) -> bool:
    """An item has the id of its query."""
    scores = facts.scores()
    return scores is not None and scores.own_items


def fractional(facts: Facts) -> bool:
    """A grade is not whole."""
    grades = facts.grades()
    return grades is not None and grades.fraction


def negative(facts: Facts) -> bool:
    """A grade is below 0."""
    grades = facts.grades()
    return grades is not None and grades.least < 0


def grades_below_1(facts: Facts) -> bool:
    """A row is judged, and not relevant."""
    grades = facts.grades()
    return grades is not None and grades.least < 1


def outside_0_to_1(facts: Facts) -> bool:
    """A grade is below 0 or above 1."""
    grades = facts.grades()
    return grades is not None and (grades.least < 0 or grades.greatest > 1)


def graded(facts: Facts) -> bool:
    """A grade is neither 0 nor 1."""
    return outside_0_to_1(facts) or fractional(facts)


def whole_to(greatest: float) -> Condition:
    """A grade is none of the whole numbers from 0 to this one."""

    def met(facts: Facts) -> bool:
        grades = facts.grades()
        above = grades is not None and grades.greatest > greatest
        return above or negative(facts) or fractional(facts)

    return met


def not_above_0(facts: Facts) -> bool:
    """A score is 0 or less."""
    scores = facts.scores()
    return scores is not None and scores.least <= 0


def improbable(facts: Facts) -> bool:
    """A score of a row is outside of 0 to 1."""
    return facts.improbable > 0


def single_precision(facts: Facts) -> bool:
    """Scores are of 32 bits."""
    return facts.rows is None or facts.rows.single_precision()


def tied_rows(facts: Facts) -> bool:
    """Rows with other labels have the same score."""
    return facts.rows is None or facts.rows.tied()


def zero_scores(facts: Facts) -> bool:
    """A score is 0."""
    return facts.rows is None or facts.rows.zero_scores()


def of_one_class(facts: Facts) -> bool:
    """A query has rows of one class."""
    return facts.rows is None or facts.rows.of_one_class()


def of_one_score(facts: Facts) -> bool:
    """A query has rows of one score."""
    return facts.rows is None or facts.rows.of_one_score()


def certainly_wrong(facts: Facts) -> bool:
    """A row that is not positive has a score of 1."""
    return facts.rows is None or facts.rows.certainly_wrong()


def at_threshold(facts: Facts) -> bool:
    """A score is the threshold."""
    return facts.rows is None or facts.rows.at_threshold()


def at_borders(facts: Facts) -> bool:
    """A score stands at a border."""
    return facts.rows is None or facts.rows.at_borders()


def short(facts: Facts) -> bool:
    """A list has fewer items than the cutoff."""
    return facts.lists is None or facts.lists.short()


def uneven(facts: Facts) -> bool:
    """Lists are of different lengths."""
    return facts.lists is None or facts.lists.uneven()


def of_one_item(facts: Facts) -> bool:
    """A list has one item."""
    return facts.lists is None or facts.lists.of_one_item()


def had_by_nobody(facts: Facts) -> bool:
    """An item is recommended that nobody had."""
    return facts.lists is None or facts.lists.had_by_nobody()


def without_relevant(facts: Facts) -> bool:
    """A query has results, and no relevant items."""
    return facts.tables is None or facts.tables.without_relevant()


def repeated_before(facts: Facts) -> bool:
    """A user had an item more than once."""
    return facts.lists is None or facts.lists.repeated_before()


def unanswered(facts: Facts) -> bool:
    """A judged query has no results."""
    return facts.unanswered > 0


def unjudged(facts: Facts) -> bool:
    """A query with results has no judgements."""
    return facts.unjudged > 0
