"""A progress bar for reads that take long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rankmark import _native

__all__ = ["Rows", "counting", "reading"]

DELAY = 1.0
"""Seconds before a bar appears."""
INTERVAL = 0.1


@contextmanager
def reading(label: str, total_bytes: int | None, progress: _native.Progress | None) -> Iterator[None]:
    """Shows a bar on stderr while the block runs, if that is a terminal and the block takes over a second.

    With `progress` the bar shows bytes and speed; without it, that something goes on and for how long.
    """
    if not _is_terminal():
        yield
        return
    with _shown(_show, label, total_bytes, progress):
        yield


@contextmanager
def _shown(show: Callable[..., None], *args: object) -> Iterator[None]:
    """Runs `show` on a thread of its own; its last argument is set when the block has ended."""
    ended = threading.Event()
    thread = threading.Thread(target=show, args=(*args, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class Rows:
    """How many rows a running evaluation has done, and what share of all."""

    __slots__ = ("done", "share")

    def __init__(self) -> None:
        self.done = 0
        self.share = 0.0

    def advance(self, rows: int, share: float) -> None:
        """Adds rows; `share` is that of all the work that is done now."""
        self.done += rows
        self.share = share


@contextmanager
def counting(label: str) -> Iterator[Rows]:
    """As `reading`, of what tells its progress in rows: the bar shows rows a second and the time left."""
    rows = Rows()
    if not _is_terminal():
        yield rows
        return
    with _shown(_show_rows, label, rows):
        yield rows


def _is_terminal() -> bool:
    # sys.stderr is None where Python runs without a console.
    return sys.stderr is not None and sys.stderr.isatty()


def _show(
    label: str, total_bytes: int | None, progress: _native.Progress | None, ended: threading.Event
) -> None:
    start = time.monotonic()
    if ended.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeElapsedColumn, TransferSpeedColumn
    from rich.text import Text

    measured = (DownloadColumn(), TransferSpeedColumn()) if progress else ()
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
                bar.update(task, total=progress.total or total_bytes, completed=progress.done)
            bar.refresh()


def _show_rows(label: str, rows: Rows, ended: threading.Event) -> None:
    start = time.monotonic()
    if ended.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    bar = Progress(
        "[progress.description]{task.description}", BarColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), console=Console(stderr=True), transient=True, auto_refresh=False,
    )  # fmt: skip
    with bar:
        task = bar.add_task(Text(label).markup, total=1.0, rate="")
        bar.tasks[task].start_time = start
        while not ended.wait(INTERVAL):
            passed = time.monotonic() - start
            left = f", {_duration(passed / rows.share - passed)} left" if rows.share else ""
            bar.update(task, completed=rows.share, rate=f"{rows.done / passed:,.0f} rows/s{left}")
            bar.refresh()


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
