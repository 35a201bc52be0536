"""The numbers of a result by flat names, for whatever keeps numbers so: trackers and dashboards."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Literal, TypeAlias

from rankmark.calling import clear_methods
from rankmark.errors import ChoiceError, did_you_mean

__all__ = ["Names", "Numbered", "Parts"]

Parts: TypeAlias = tuple[str, ...]
"""What a number is of, such as a run and a measure, and which number of it this is."""
Names: TypeAlias = Literal["asked", "plain"]

LONGEST = 150
"""Characters of a plain name, which leave room for what stands before it."""
DIGITS = 6
"""Of the hash that tells two names apart."""


@clear_methods
class Numbered(ABC):
    """What has numbers, each with a name."""

    __slots__ = ()

    @abstractmethod
    def _numbers(self) -> Mapping[Parts, float]:
        """Each number by what it is of."""

    def to_dict(self, names: Names = "asked") -> dict[str, float]:
        """Its numbers by their names: a flat dict, as trackers of experiments take.

        A result has its values, and beside each the ends of its interval and its bounds if there are any; of
        several runs the name begins with the run's. A comparison has the values of each system and what was
        found of each pair, a gate what it decided by. What has no value is NaN.

        Args:
            names: ``asked``, as they were asked for: ``nDCG@10``, ``nDCG@10 low``. ``plain``, of small
                letters, digits and underscores, beginning with a letter or an underscore, which MLflow, W&B,
                TensorBoard, Prometheus and SQL accept: ``ndcg_at_10``, ``ndcg_at_10_low``. A plain name is
                the same in every result, unless two of this one would be equal, or it has more than 150
                characters; these end with a hash of what they stand for. `plain_names` is the way back.

        Raises:
            ChoiceError: other names.

        """
        return dict(zip(self._called(names), map(float, self._numbers().values()), strict=True))

    @property
    def plain_names(self) -> dict[str, str]:
        """What each plain name stands for: its name in ``to_dict()``.

        Of a result's value that is the measure: ``result.signature(result.plain_names["ndcg_at_10"])`` says
        what decides it.
        """
        return dict(zip(self._called("plain"), self._called("asked"), strict=True))

    def _called(self, names: str) -> list[str]:
        if names not in NAMES:
            known = ", ".join(NAMES)
            raise ChoiceError(f"names={names!r} is not one of {known}{did_you_mean(str(names), NAMES)}")
        return _distinct(self._numbers(), NAMES[names])


def _asked(parts: Parts) -> str:
    return " ".join(filter(None, parts))


def _plain(parts: Parts) -> str:
    text = re.sub(r"(?<!\w)-(?=\.?\d)", " minus ", _asked(parts).replace("@", " at "))
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"_{name}"


NAMES: Mapping[str, Callable[[Parts], str]] = {"asked": _asked, "plain": _plain}


def _distinct(all_parts: Iterable[Parts], name_of: Callable[[Parts], str]) -> list[str]:
    """A name for each, where two are equal, or one is too long, with a hash."""
    named = [(parts, name_of(parts)) for parts in all_parts]
    counts = Counter(name for _, name in named)
    return [
        name if counts[name] == 1 and (len(name) <= LONGEST or name_of is _asked) else _hashed(name, parts)
        for parts, name in named
    ]


def _hashed(name: str, parts: Parts) -> str:
    return f"{name[: LONGEST - DIGITS - 1]}_{sha256(repr(parts).encode()).hexdigest()[:DIGITS]}"
