"""A progress bar for what takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rankmark import _native

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

__all__ = ["Counter", "RowProgress", "counting", "counting_rows", "reading"]

DELAY = 1.0
"""Seconds before a bar appears."""
INTERVAL = 0.1

Progressing: TypeAlias = "_native.Progress | Counter | RowProgress | None"
"""What knows how far something is."""


@contextmanager
def reading(label: str, total_bytes: int | None, progress: _native.Progress | None) -> Iterator[None]:
    """Shows a bar on stderr while the block runs, if that is a terminal and the block takes over a second.

    With `progress` the bar shows bytes and speed; without it, that something goes on and for how long.
    """
    with _shown(label, progress, total_bytes, _bytes_read):
        yield


@contextmanager
def _shown(
    label: str, progress: Progressing, total: int | None, columns: Callable[[], tuple[ProgressColumn, ...]]
) -> Iterator[None]:
    if not _is_terminal():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(label, progress, total, columns, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@dataclass(slots=True)
class Counter:
    """How many of something are done, of how many."""

    total: int
    done: int = 0


@contextmanager
def counting(label: str, total: int) -> Iterator[Counter]:
    """Shows a bar on stderr as `reading` does, of what the block counts by itself."""
    counter = Counter(total)
    with _shown(label, counter, None, _counted):
        yield counter


class RowProgress:
    """How many rows a running evaluation has done, and what share of the work."""

    __slots__ = ("count", "done", "start")
    total = 1.0

    def __init__(self) -> None:
        self.count = 0
        self.done = 0.0
        self.start = time.monotonic()

    def advance(self, rows: int, share: float) -> None:
        """Adds rows; `share` is that of all the work that is done now."""
        self.count += rows
        self.done = share

    def rate(self) -> str:
        """Rows a second, and the time left."""
        passed = time.monotonic() - self.start
        left = f", {_duration(passed / self.done - passed)} left" if self.done else ""
        return f"{self.count / passed:,.0f} rows/s{left}"


@contextmanager
def counting_rows(label: str) -> Iterator[RowProgress]:
    """As `counting`, of what tells its progress in rows: the bar shows rows a second and the time left."""
    rows = RowProgress()
    with _shown(label, rows, None, lambda: (_rate_of(rows),)):
        yield rows


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def _is_terminal() -> bool:
    # sys.stderr is None where Python runs without a console.
    return sys.stderr is not None and sys.stderr.isatty()


def _bytes_read() -> tuple[ProgressColumn, ...]:
    from rich.progress import DownloadColumn, TransferSpeedColumn

    return DownloadColumn(), TransferSpeedColumn()


def _counted() -> tuple[ProgressColumn, ...]:
    from rich.progress import MofNCompleteColumn

    return (MofNCompleteColumn(),)


def _rate_of(rows: RowProgress) -> ProgressColumn:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: object) -> Text:  # noqa: ARG002 - what is shown, `rows` knows
            return Text(rows.rate())

    return Rate()


def _show(
    label: str,
    progress: Progressing,
    total: int | None,
    columns: Callable[[], tuple[ProgressColumn, ...]],
    ended: threading.Event,
) -> None:
    start = time.monotonic()
    if ended.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn
    from rich.text import Text

    measured = columns() if progress else ()
    bar = Progress(
        "[progress.description]{task.description}", BarColumn(), *measured, TimeElapsedColumn(),
        console=Console(stderr=True), transient=True, auto_refresh=False,
    )  # fmt: skip
    with bar:
        # A label may hold brackets, which are markup to rich.
        task = bar.add_task(Text(label).markup, total=None)
        bar.tasks[task].start_time = start
        while not ended.wait(INTERVAL):
            if progress is not None:
                bar.update(task, total=progress.total or total, completed=progress.done)
            bar.refresh()
