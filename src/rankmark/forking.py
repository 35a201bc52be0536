"""Children of ``os.fork``, which have none of the threads that polars had in their parent.

Whoever waits for these threads waits for ever: nearly all that polars computes does, but not what makes a
table of arrays, or arrays of a table. The core starts threads of its own in each process.
"""

from __future__ import annotations

import os
import sys

__all__ = ["need_polars_threads"]

_THREADS = "/proc/self/task"
_running = _lost = False
"""Whether polars had its threads when this process last forked, and whether they were lost by a fork."""


def need_polars_threads() -> None:
    """Has to be called before polars computes something that waits for its threads.

    Raises:
        UsageError: a fork has left them behind.

    """
    if _lost:
        from rankmark.errors import UsageError

        raise UsageError(
            "this process was forked from one in which polars had worked, and a fork leaves its threads "
            'behind, for which this would wait for ever; start processes by "spawn" or "forkserver" instead, '
            'as with multiprocessing.get_context("spawn") or DataLoader(..., '
            'multiprocessing_context="spawn"); what goes on working here is to evaluate dicts, tuples and '
            "arrays"
        )


def _are_running() -> bool:
    """Whether polars has started its threads; where the system does not say, whether it is there at all."""
    if "polars" not in sys.modules:
        return False
    try:
        return any(_name(thread).startswith("polars-0") for thread in os.listdir(_THREADS))  # noqa: PTH208
    except OSError:  # a system without /proc
        return True


def _name(thread: str) -> str:
    try:
        with open(f"{_THREADS}/{thread}/comm") as file:  # noqa: PTH123 - pathlib is long in coming
            return file.read()
    except OSError:  # it has just ended
        return ""


def _look() -> None:
    global _running
    _running = _are_running()


def _note() -> None:
    global _lost
    _lost = _lost or _running


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(before=_look, after_in_child=_note)
