"""Which engine evaluates tables, and with how much memory."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast, get_args

from rankmark.errors import ChoiceError, UsageError, did_you_mean
from rankmark.inputs.tables.several import is_path
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from rankmark.aggregation.state import Observation
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.inputs.roles import ColumnNames, TableName
    from rankmark.language.plan import Group

__all__ = [
    "ENGINES",
    "MEMORY",
    "OF_ROWS",
    "Engine",
    "is_streamed",
    "memory_bytes",
    "observe_with",
    "selected",
]

Engine: TypeAlias = Literal["local", "stream"]
"""Where tables are evaluated; no choice, because it changes no number. Each is a module of this folder."""
ENGINES: tuple[Engine, ...] = get_args(Engine)
OF_ROWS: tuple[Engine, ...] = ("local", "stream")
"""Those that evaluate predictions, too."""

MEMORY = "2GiB"
"""What the stream engine may use, unless told."""
LEAST, MOST = 64 << 20, 1 << 60
UNITS = {"": 1, "B": 1, "K": 1 << 10, "KIB": 1 << 10, "KB": 10**3, "M": 1 << 20, "MIB": 1 << 20, "MB": 10**6,
         "G": 1 << 30, "GIB": 1 << 30, "GB": 10**9, "T": 1 << 40, "TIB": 1 << 40, "TB": 10**12}  # fmt: skip


class ListEngine(Protocol):
    """What a module of an engine of lists has."""

    def observe_sources(
        self,
        qrels: Any,
        run: Any,
        groups: Sequence[Group],
        *,
        columns: ColumnNames | None,
        text_items: bool,
        threads: int | None,
        memory: int | str | None,
        hash_inputs: bool,
        known: Catalogue | None,
        extents: bool,
    ) -> Observation:
        """Reads judgements and results, and sees what the groups of measures ask for.

        `extents` says whether anybody will ask for those of the grades and the scores.
        """


@cache
def observe_with(engine: Engine) -> ListEngine:
    """The engine of lists of this name."""
    return cast("ListEngine", import_module(f"rankmark.engines.{engine}"))


def is_streamed(engine: Engine | None, memory: int | str | None, tables: Mapping[TableName, object]) -> bool:
    """Whether the stream engine is to evaluate these; raises as `selected`."""
    return selected(engine, memory, tables) == "stream"


def selected(
    engine: Engine | None,
    memory: int | str | None,
    tables: Mapping[TableName, object],
    known: Sequence[Engine] = ENGINES,
) -> Engine:
    """The engine that is to evaluate these: the one asked for, or ``stream`` for large files, or ``local``.

    Raises:
        ChoiceError: there is no such engine, or no such amount of memory.
        UsageError: the stream engine was asked for, and one of them is no file.

    """
    if memory is not None:
        memory_bytes(memory)
    if engine == "local":
        return "local"
    if engine is None and not all(map(is_path, tables.values())):
        return "local"
    paths = {side: source for side, source in tables.items() if is_path(source)}
    if engine == "stream":
        for side, other in ((side, each) for side, each in tables.items() if side not in paths):
            raise UsageError(
                f'engine="stream" reads files; {side} is of type {type(other).__name__}: give its path, or '
                'use engine="local"'
            )
    if engine is None:
        return "stream" if _are_large(paths) else "local"
    if engine not in known:
        hint = did_you_mean(engine, known) if isinstance(engine, str) else ""
        raise ChoiceError(f"engine={engine!r} is not one of {', '.join(known)}{hint}")
    return engine


def memory_bytes(memory: int | str | None) -> int:
    """An amount of memory in bytes: a number of them, or a text such as ``"2GiB"`` or ``"500 MB"``.

    Raises:
        ChoiceError: it is neither, or less than 64 MiB.

    """
    amount: float = -1
    if isinstance(memory, str) or memory is None:
        written = re.fullmatch(
            r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", MEMORY if memory is None else memory
        )
        if written and len(written[1]) <= 20 and written[2].upper() in UNITS:
            amount = float(written[1]) * UNITS[written[2].upper()]
    elif isinstance(memory, int) and not isinstance(memory, bool):
        amount = memory
    if amount < 0:
        raise ChoiceError(
            f"memory={brief(memory)} is not an amount such as '2GiB', '500MB' or a number of bytes"
        )
    if amount > MOST:
        raise ChoiceError(
            f"memory={brief(memory)} is more than any machine has, which is below {MOST:,} bytes"
        )
    if amount < LEAST:
        raise ChoiceError(
            f"memory={brief(memory)} is too little; the stream engine needs {LEAST >> 20}MiB or more"
        )
    return int(amount)


def _are_large(paths: Mapping[TableName, str | os.PathLike[str]]) -> bool:
    """Whether files are too large to be read into memory, as far as one can know before reading them."""
    from rankmark.inputs.batches import can_be_streamed, total_size
    from rankmark.inputs.memory import room

    size = total_size(paths.values())
    return size >= LEAST and size > room() and can_be_streamed(paths)
