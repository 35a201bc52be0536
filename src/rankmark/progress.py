"""A progress bar for reads that take long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rankmark import _native

__all__ = ["reading"]

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
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(label, total_bytes, progress, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


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
