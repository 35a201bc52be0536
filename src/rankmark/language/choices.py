"""The choices that change a number, their names and their defaults.

Every engine, convention, signature and command-line option takes them from here.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Literal, NamedTuple, TypedDict, get_args, get_type_hints

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, did_you_mean
from rankmark.rendering.records import Record
from rankmark.rendering.words import brief

__all__ = [
    "ORDERS",
    "ArrayChoices",
    "Choices",
    "Duplicates",
    "FactorChoices",
    "GivenChoices",
    "Missing",
    "ModelChoices",
    "NoRelevant",
    "RunChoices",
    "Scores",
    "ShortLists",
    "Ties",
    "Unjudged",
    "UnjudgedQueries",
    "UnseededChoices",
    "check_seed",
    "given",
    "go_together",
    "sampled_count",
    "sampled_text",
    "values_of",
]

Ties = Literal["item-desc", "item-asc", "input", "best", "worst", "expected", "random"]
Missing = Literal["zero", "skip", "error"]
UnjudgedQueries = Literal["skip", "error"]
NoRelevant = Literal["zero", "skip", "one", "error"]
Duplicates = Literal["error", "first", "best"]
Unjudged = Literal["nonrelevant", "ignore", "relevant"]
Scores = Literal["float64", "float32"]
ShortLists = Literal["keep", "skip"]


class Order(NamedTuple):
    """What an order of equal scores looks at, for those who do not order themselves.

    Attributes:
        by_ids: whether items' ids decide, or what is drawn of them.
        lower_first: whether the lower of two columns of an array comes first; of no matter where grades, or
            what is drawn, decide.

    """

    by_ids: bool = False
    lower_first: bool = False


ORDERS: Mapping[Ties, Order] = {
    "item-desc": Order(by_ids=True),
    "item-asc": Order(by_ids=True, lower_first=True),
    "input": Order(lower_first=True),
    "best": Order(),
    "worst": Order(),
    "expected": Order(),
    "random": Order(by_ids=True),
}


@dataclass(frozen=True, slots=True, repr=False)
class Choices(Record):
    """How order, ties, duplicates and missing queries are decided, once, before any measure.

    Attributes:
        ties: order of equal scores. ``item-desc`` is trec_eval's rule; ``input`` keeps the order of
            the rows; ``best`` and ``worst`` put the higher or the lower grade first (an unjudged item
            counts as grade 0); ``expected`` is the mean over all orders; ``random`` draws one order.
        seed: of ``ties="random"``, 0 ≤ seed < 2⁶⁴.
        missing: a judged query without results is evaluated as an empty list, skipped or refused.
        unjudged_queries: results for a query without judgements are skipped (and counted) or refused.
        no_relevant: the value of a query with no relevant item: 0, left out of the mean, 1, or refused.
        duplicates: the same item twice in one list or judged twice for one query is refused, or the
            first row counts, or the best one (highest score, highest grade).
        unjudged: unjudged items count as not relevant, are taken out of the lists (condensed lists), or
            count as relevant: each has the lowest grade that does (a measure's `rel`, else 1), and is one
            more that there was to find.
        scores: the precision in which scores are compared.
        short_lists: a query whose list has fewer items than a measure's cutoff counts in it like others, or
            is left out of it (one without results is a missing one).
        candidates: what was ranked: ``all`` items, or so many sampled ones beside those that are relevant,
            ``sampled-99`` or ``sampled-99(popularity)``. It changes no value, and says what the value is of.

    """

    ties: Ties = "item-desc"
    seed: int = 0
    missing: Missing = "zero"
    unjudged_queries: UnjudgedQueries = "skip"
    no_relevant: NoRelevant = "zero"
    duplicates: Duplicates = "error"
    unjudged: Unjudged = "nonrelevant"
    scores: Scores = "float64"
    short_lists: ShortLists = "keep"
    candidates: str = "all"

    def __post_init__(self) -> None:
        for name in _hints():
            value = getattr(self, name)
            if name == "seed":
                check_seed(value)
            elif name == "candidates":
                _check_candidates(value)
            elif value not in values_of(name):
                raise ChoiceError(_not_a_choice(name, value))
        if not go_together({"ties": self.ties, "unjudged": self.unjudged}):
            raise ChoiceError(
                f'ties="{self.ties}" orders equal scores by grades, and unjudged items as not relevant: '
                'with unjudged="relevant" choose such as ties="item-desc" or "expected"'
            )

    def signature(self) -> list[str]:
        """``name:value`` of every choice; the seed, short lists and candidates only where they matter."""
        parts = {f.name: str(getattr(self, f.name)) for f in fields(self) if f.name != "seed"}
        if self.short_lists == "keep":
            del parts["short_lists"]
        if self.candidates == "all":
            del parts["candidates"]
        if self.ties == "random":
            parts["ties"] = f"random(seed={self.seed})"
        return [f"{name}:{value}" for name, value in parts.items()]


class ListChoices(TypedDict, total=False):
    """The choices that every evaluation of lists has; one that is None is not given."""

    ties: Ties | None
    missing: Missing | None
    no_relevant: NoRelevant | None
    duplicates: Duplicates | None
    unjudged: Unjudged | None
    short_lists: ShortLists | None


class UnseededChoices(ListChoices, total=False):
    """The choices of tables, for what has a seed of its own."""

    unjudged_queries: UnjudgedQueries | None
    scores: Scores | None
    candidates: str | None


class GivenChoices(UnseededChoices, total=False):
    """The choices of tables: those of `rankmark.evaluate`."""

    seed: int | None


class ModelChoices(ListChoices, total=False):
    """The choices of models, who are asked for judged queries alone; `precision` is called `scores` else."""

    seed: int | None
    precision: Scores | None


class FactorChoices(ModelChoices, total=False):
    """The choices of factors, which know candidates themselves."""

    unjudged_queries: UnjudgedQueries | None


class ArrayChoices(FactorChoices, total=False):
    """The choices of arrays."""

    candidates: str | None


class RunChoices(TypedDict, total=False):
    """The choices of runs without judgements."""

    ties: Ties | None
    seed: int | None
    duplicates: Duplicates | None
    scores: Scores | None


CUTOFFS = frozenset(("k", "top_k", "topk", "at", "at_k", "cutoff", "eval_at"))
"""What other tools call the argument that is part of a measure's name here."""


def go_together(choices: Mapping[str, Any]) -> bool:
    """Whether choices, of which some may be missing, can be made at once."""
    return choices.get("unjudged") != "relevant" or choices.get("ties") not in ("best", "worst")


def given(choices: Mapping[str, Any], known: Any, door: Callable[..., Any]) -> dict[str, Any]:
    """The choices that a door was given, by the names that `Choices` has for them.

    Args:
        choices: its keyword arguments that are not named in its signature.
        known: the `TypedDict` of those that there are.
        door: the function, for messages.

    Raises:
        ChoiceError: one that there is not.

    """
    for name in choices:
        if name not in known.__annotations__:
            near = did_you_mean(name, [*inspect.signature(door).parameters, *known.__annotations__])
            if name in CUTOFFS:
                near = "; a cutoff is said with its measure, as in nDCG@10"
            raise ChoiceError(
                f"{door.__name__} has no argument {name!r}{near} (its choices are: "
                f"{', '.join(known.__annotations__)})"
            )
    renamed = {"scores" if name == "precision" else name: value for name, value in choices.items()}
    return {name: value for name, value in renamed.items() if value is not None}


@functools.cache
def values_of(name: str) -> tuple[str, ...]:
    """The values that the choice `name` can have, default first."""
    return get_args(_hints()[name])


@functools.cache
def _hints() -> dict[str, Any]:
    return get_type_hints(Choices)


def check_seed(seed: object) -> None:
    """Refuses what is no seed."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ChoiceError(f"seed={brief(seed)} is not a whole number from 0 to 2**64 - 1")


_SAMPLED = r"sampled-[1-9][0-9]{0,8}(\([a-z]+\))?"


def sampled_text(n: int, method: str) -> str:
    """How signatures say that so many candidates were drawn by a method."""
    return f"sampled-{n}" if method == "uniform" else f"sampled-{n}({method})"


def sampled_count(candidates: str) -> int:
    """How many were drawn of candidates that signatures say so."""
    return int(candidates.removeprefix("sampled-").partition("(")[0])


def _check_candidates(value: object) -> None:
    if value != "all" and not (isinstance(value, str) and re.fullmatch(_SAMPLED, value)):
        raise ChoiceError(
            f"candidates={brief(value)} is neither all nor how many were sampled, as in sampled-99 or "
            "sampled-99(popularity)"
        )


def _not_a_choice(name: str, value: object) -> str:
    known = values_of(name)
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"{name}={brief(value)} is not one of {', '.join(known)}{hint}"
