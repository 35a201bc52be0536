"""What a check says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.results.lists import ListResult

__all__ = [
    "CODES",
    "CODES_OF_PREDICTIONS",
    "EXAMPLES",
    "NEEDED",
    "Effect",
    "Finding",
    "Severity",
    "effects",
    "examples",
    "percent",
    "share",
]

Severity: TypeAlias = Literal["serious", "worth knowing", "fine"]

CODES: Mapping[str, str] = MappingProxyType(
    {
        "null": "rows without an id or a number",
        "nan": "scores or grades that are not a number",
        "infinite": "infinite scores or grades",
        "duplicate-judgements": "items judged twice for a query",
        "duplicate-results": "items returned twice for a query",
        "negative-grades": "grades below 0",
        "fractional-grades": "grades that are not whole",
        "no-relevant": "queries without a relevant item",
        "id-types": "integer ids against text",
        "id-spelling": "ids that differ only in how they are written",
        "missing-queries": "judged queries without results",
        "unjudged-queries": "queries with results but no judgements",
        "never-returned": "judged items that no run returns",
        "ties": "equal scores that decide a value",
        "constant-scores": "lists in which all scores are equal",
        "short-lists": "lists shorter than the cutoff",
        "unjudged-results": "returned items that nobody judged",
        "unjudged-differs": "runs of which one has many more unjudged results than another",
        "scores-like-ranks": "scores that are the ranks 1, 2, 3 …",
        "scores-reversed": "relevant items that score lower than the others",
        "train-in-results": "training data among the results",
        "train-in-qrels": "training data among the judgements",
        "users-not-in-train": "queries of which training data have nothing",
        "results-not-in-items": "results that the table of items lacks",
        "judged-not-in-items": "relevant items that the table of items lacks",
        "train-not-in-items": "training data of items that the table of items lacks",
        "missing-attributes": "items of which something is not known",
    }
)
"""Every code that a finding in judgements and results can have, and what it stands for."""

NEEDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "duplicate-judgements": ("qrels",),
        "negative-grades": ("qrels",),
        "fractional-grades": ("qrels",),
        "no-relevant": ("qrels",),
        "id-types": ("qrels",),
        "id-spelling": ("qrels",),
        "missing-queries": ("qrels",),
        "unjudged-queries": ("qrels",),
        "never-returned": ("qrels",),
        "ties": ("qrels",),
        "short-lists": ("qrels",),
        "unjudged-results": ("qrels",),
        "unjudged-differs": ("qrels",),
        "scores-like-ranks": ("qrels",),
        "scores-reversed": ("qrels",),
        "train-in-results": ("train",),
        "train-in-qrels": ("qrels", "train"),
        "users-not-in-train": ("train",),
        "results-not-in-items": ("items",),
        "judged-not-in-items": ("qrels", "items"),
        "train-not-in-items": ("train", "items"),
        "missing-attributes": ("items",),
    }
)
"""The tables beside the runs without which a code is not looked for."""

CODES_OF_PREDICTIONS: Mapping[str, str] = MappingProxyType(
    {
        "null": "rows without an id or a number",
        "nan": "labels, scores or weights that are not a number",
        "weights": "negative weights",
        "one-class": "labels that are all alike",
        "labels": "labels that are no two classes",
        "infinite": "infinite scores",
        "not-probabilities": "scores outside of 0 to 1",
        "constant-scores": "scores that are all equal",
        "scores-reversed": "positive rows that score lower than the others",
        "too-good": "scores that order all rows without a fault",
        "miscalibrated": "scores that are too great or too small as probabilities",
        "uncalibrated": "scores that are not the rates of positive rows",
        "one-class-queries": "queries whose rows have one label",
        "duplicate-rows": "rows of an item that its query has already",
    }
)
"""The same in predictions."""

EXAMPLES = 3
"""So many of what was found are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Effect(Record):
    """What a finding does to one measure.

    Attributes:
        measure: the measure's name.
        as_is: its value as things are; None where `rankmark.evaluate` refuses them.
        otherwise: its value otherwise, by what would be done: ``{"missing=skip": 0.31}``.

    """

    measure: str
    as_is: float | None
    otherwise: Mapping[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Record):
    """Something odd in the data.

    Attributes:
        code: its stable name, one of those in the documentation of `rankmark.check`.
        severity: ``serious``: `rankmark.evaluate` refuses the data, or the values are hardly what they look
            like; ``worth knowing``: a choice decides the values, or they rest on less than it seems;
            ``fine``: it changes no value.
        where: the table it was found in: ``qrels`` or the name of a run.
        statement: what was found, in one line with its counts.
        count: how many there are of what was found.
        examples: the first few of them.
        note: what it does to the numbers, in words.
        effects: what it does to them in numbers, where that is known.

    """

    code: str
    severity: Severity
    where: str
    statement: str
    count: int
    examples: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    effects: tuple[Effect, ...] = ()


def share(part: int, whole: int, one: str, several: str | None = None) -> str:
    """``3 of 40 queries``; ``all 40 queries`` and ``the 1 query`` where it is all of them."""
    if part == whole:
        return f"{'the' if whole == 1 else 'all'} {counted(whole, one, several)}"
    return f"{part:,} of {counted(whole, one, several)}"


def percent(part: float) -> str:
    """A part of 1 as ``12.5%``; 0% and 100% are these alone, and not what is close to them."""
    if 0 < part < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < part < 1 else f"{part:.1%}"


def examples(frame: pl.DataFrame) -> tuple[Mapping[str, Any], ...]:
    """The first few rows."""
    return tuple(frame.head(EXAMPLES).rows(named=True))


def effects(as_is: ListResult | None, otherwise: Mapping[str, ListResult | None]) -> tuple[Effect, ...]:
    """What becomes of the measures otherwise, of those that change or have no value as it is."""
    known = {name: result.values for name, result in otherwise.items() if result is not None}
    measures: Iterable[str] = next(iter(known.values()), {})
    found = []
    for measure in measures:
        values = {name: each[measure] for name, each in known.items()}
        value = as_is.values.get(measure) if as_is else None
        if value is None or any(_differ(value, other) for other in values.values()):
            found.append(Effect(measure, value, values))
    return tuple(found)


def _differ(one: float, other: float) -> bool:
    """Whether two values differ by more than the rounding of sums."""
    return not (math.isclose(one, other, rel_tol=1e-12) or (math.isnan(one) and math.isnan(other)))
