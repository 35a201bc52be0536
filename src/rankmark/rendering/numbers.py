"""The numbers of a result by flat names, for whatever keeps numbers so: trackers and dashboards."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from rankmark.calling import clear_methods
from rankmark.errors import ChoiceError, did_you_mean

__all__ = ["Names", "Numbered", "Parts", "named"]

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
        return dict(zip(named(self._numbers(), names), map(float, self._numbers().values()), strict=True))

    @property
    def plain_names(self) -> dict[str, str]:
        """What each plain name stands for: its name in ``to_dict()``.

        Of a result's value that is the measure: ``result.signature(result.plain_names["ndcg_at_10"])`` says
        what decides it.
        """
        numbers = self._numbers()
        return dict(zip(named(numbers, "plain"), named(numbers, "asked"), strict=True))


def _asked(parts: Parts) -> str:
    return " ".join(filter(None, parts))


def _plain(parts: Parts) -> str:
    text = re.sub(r"(?<!\w)-(?=\.?\d)", " minus ", _asked(parts).replace("@", " at "))
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"_{name}"


NAMES: Mapping[str, Callable[[Parts], str]] = {"asked": _asked, "plain": _plain}


def named(numbers: Iterable[Parts], names: str) -> list[str]:
    """A name for each number; see `Numbered.to_dict`.

    Raises:
        ChoiceError: other names.

    """
    if names not in NAMES:
        known = ", ".join(NAMES)
        raise ChoiceError(f"names={names!r} is not one of {known}{did_you_mean(str(names), NAMES)}")
    found = [(parts, NAMES[names](parts)) for parts in numbers]
    counts = Counter(name for _, name in found)
    longest = LONGEST if names == "plain" else math.inf
    return [
        name if counts[name] == 1 and len(name) <= longest else _hashed(name, parts) for parts, name in found
    ]


def _hashed(name: str, parts: Parts) -> str:
    from hashlib import sha256  # which short names do without

    return f"{name[: LONGEST - DIGITS - 1]}_{sha256(repr(parts).encode()).hexdigest()[:DIGITS]}"
