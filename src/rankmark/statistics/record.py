"""What can be chosen by a name: tests, corrections, ways to make intervals; a record each.

Whoever offers or runs them reads the tables: `TESTS` in `significance`, `CORRECTIONS` in `corrections`,
`INTERVALS` in `intervals`, `SIMULTANEOUS` in `tukey`. A new one is a function, its name in the type of all
names, and a row, in one of these files.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, did_you_mean

__all__ = ["Statistic", "alternatives", "check_choice", "table"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """One that can be chosen.

    Attributes:
        name: what it is chosen by.
        title: what it is called in sentences.
        function: what computes it; its documentation has the formula and the source.
        assumes: what it takes for granted, in a line.

    """

    name: str
    title: str
    function: Callable[..., Any]
    assumes: str

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of what its function takes, which say what it has to be given."""
        return _names(self.function)

    @property
    def knows_clusters(self) -> bool:
        """Whether it can be told which queries belong together."""
        return "clusters" in self.takes


@functools.cache
def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


Chosen = TypeVar("Chosen", bound=Statistic)


def table(*records: Chosen) -> Mapping[str, Chosen]:
    """Records by their names."""
    return MappingProxyType({record.name: record for record in records})


def alternatives(records: Iterable[Statistic]) -> str:
    """What to choose instead, for messages: ``"a", "b" or "c"``."""
    *others, last = (f'"{record.name}"' for record in records)
    return f"{', '.join(others)} or {last}" if others else last


def check_choice(
    name: str, value: object, known_values: Iterable[str], meant: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuses a value that is not one of those known; `meant` says which of these others are called so."""
    known = tuple(known_values)
    if value not in known:
        hint = did_you_mean(meant.get(value, value), known) if isinstance(value, str) else ""
        raise ChoiceError(f"{name}={value!r} is not one of {', '.join(known)}{hint}")
