"""What a tool computes that cannot be reproduced, where the data tell whether they meet it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

__all__ = [
    "Extent",
    "Extents",
    "Facts",
    "Limit",
    "Worded",
    "fractional",
    "graded",
    "grades_below_1",
    "improbable",
    "negative",
    "not_above_0",
    "outside_0_to_1",
    "spanning",
    "tied",
    "whole_to",
]


class Extent(NamedTuple):
    """The least and the greatest of some numbers, and whether one of them is a fraction."""

    least: float
    greatest: float
    fraction: bool


Extents: TypeAlias = tuple[Extent | None, Extent | None]
"""That of the grades and that of the scores; None where there are none."""


def spanning(one: Extent | None, other: Extent | None) -> Extent | None:
    """The extent of both."""
    if one is None or other is None:
        return one or other
    least, greatest = min(one.least, other.least), max(one.greatest, other.greatest)
    return Extent(least, greatest, one.fraction or other.fraction)


@dataclass(frozen=True, slots=True)
class Facts:
    """What of the data decides whether a tool's number is the same.

    Attributes:
        grades: the judgements' grades; None where all are 1, or where they were not looked at.
        scores: the scores; None where there are none, or where they were not looked at.
        tied: the queries that another order of equal scores could change.
        improbable: scores of labelled rows outside of 0 to 1.

    """

    grades: Extent | None = None
    scores: Extent | None = None
    tied: int = 0
    improbable: int = 0


Condition: TypeAlias = Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Limit:
    """What cannot be reproduced, and which data meet it.

    Attributes:
        text: what it is, for the record's page and beside the number.
        met: whether data meet it.
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


Worded: TypeAlias = str | Limit
"""What a record says that cannot be reproduced."""


def tied(facts: Facts) -> bool:
    """Equal scores decide the value."""
    return facts.tied > 0


def fractional(facts: Facts) -> bool:
    """A grade is not whole."""
    return facts.grades is not None and facts.grades.fraction


def negative(facts: Facts) -> bool:
    """A grade is below 0."""
    return facts.grades is not None and facts.grades.least < 0


def grades_below_1(facts: Facts) -> bool:
    """A row is judged, and not relevant."""
    return facts.grades is not None and facts.grades.least < 1


def outside_0_to_1(facts: Facts) -> bool:
    """A grade is below 0 or above 1."""
    return facts.grades is not None and (facts.grades.least < 0 or facts.grades.greatest > 1)


def graded(facts: Facts) -> bool:
    """A grade is neither 0 nor 1."""
    return outside_0_to_1(facts) or fractional(facts)


def whole_to(greatest: float) -> Condition:
    """A grade is none of the whole numbers from 0 to this one."""

    def met(facts: Facts) -> bool:
        above = facts.grades is not None and facts.grades.greatest > greatest
        return above or negative(facts) or fractional(facts)

    return met


def not_above_0(facts: Facts) -> bool:
    """A score is 0 or less."""
    return facts.scores is not None and facts.scores.least <= 0


def improbable(facts: Facts) -> bool:
    """A score of a row is outside of 0 to 1."""
    return facts.improbable > 0
