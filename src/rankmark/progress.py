"""What goes on and how far it is, shown of whatever takes longer than a second.

On a terminal it is a bar on standard error; in a notebook a bar beneath the cell; into files and pipes
nothing is written. The environment variable ``RANKMARK_PROGRESS=off`` switches it off. Who does something
long says so by `reading`, `counting` or `counting_rows`, within each other as may be: what is inside has a
line of its own beneath.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark import _native
from rankmark.dataclassing import dataclass

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

__all__ = ["SETTING", "Counter", "RowProgress", "counting", "counting_rows", "reading"]

SETTING = "RANKMARK_PROGRESS"
"""The environment variable that switches it off: ``off``, ``no``, ``false`` or ``0``."""
DELAY = 1.0
"""Seconds before something is shown."""
INTERVAL = 0.1
CELL_INTERVAL = 0.25
"""Seconds between two looks, on a terminal and in a notebook, to which each is a message."""
MOST_LINES = 4

Progressing: TypeAlias = "_native.Progress | Counter | RowProgress | None"
"""What knows how far something is."""
Columns: TypeAlias = "Callable[[], tuple[ProgressColumn, ...]]"


@dataclass(eq=False)
class _Task:
    """Something that goes on."""

    label: str
    progress: Progressing
    total: int | None
    columns: Columns
    told: Callable[[], str] = str
    start: float = field(default_factory=time.monotonic)

    @property
    def of(self) -> float | None:
        """How much there is to do; None if nobody knows."""
        return None if self.progress is None else self.progress.total or self.total

    @property
    def done(self) -> float:
        """How much of it is done."""
        return 0.0 if self.progress is None else self.progress.done


_tasks: list[_Task] = []
"""What goes on, each within the one before."""


@contextmanager
def reading(label: str, total_bytes: int | None, progress: _native.Progress | None) -> Iterator[None]:
    """Shows how far a block is that takes over a second.

    With `progress` the bar shows bytes and speed; without it, that something goes on and for how long.
    """
    with _shown(_Task(label, progress, total_bytes, _bytes_read)):
        yield


@contextmanager
def _shown(task: _Task) -> Iterator[None]:
    """Shows what goes on while the block runs; the outermost of several starts the display."""
    show = _display()
    if show is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    _tasks.append(task)
    try:
        with nullcontext() if len(_tasks) > 1 else _running(show):
            yield
    finally:
        _tasks.remove(task)


@contextmanager
def _running(show: Callable[[threading.Event], None]) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=show, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _display() -> Callable[[threading.Event], None] | None:
    """What shows how far something is here; None where nobody looks."""
    if os.environ.get(SETTING, "").lower() in ("0", "off", "no", "false"):
        return None
    if _is_terminal():
        return _show_on_terminal
    return _show_in_cell if _is_notebook() else None


def _waiting() -> list[_Task]:
    """What goes on for long enough to be shown."""
    now = time.monotonic()
    return [task for task in list(_tasks) if now - task.start >= DELAY][:MOST_LINES]


@dataclass(slots=True)
class Counter:
    """How many of something are done, of how many."""

    total: int
    done: int = 0


@contextmanager
def counting(label: str, total: int) -> Iterator[Counter]:
    """Shows how far a block is, as `reading` does, of what it counts by itself."""
    counter = Counter(total)
    with _shown(_Task(label, counter, None, _counted, lambda: f"{counter.done:,}/{counter.total:,}")):
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
    with _shown(_Task(label, rows, None, lambda: (_rate_of(rows),), rows.rate)):
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


def _show_on_terminal(ended: threading.Event) -> None:
    if ended.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TimeElapsedColumn
    from rich.text import Text

    class Measured(ProgressColumn):
        def render(self, task: Any) -> Any:
            """What the task's own columns show."""
            return Text(" ").join(Text.assemble(each.render(task)) for each in task.fields["columns"])

    bar = Progress(
        "[progress.description]{task.description}", BarColumn(), Measured(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True, auto_refresh=False,
    )  # fmt: skip
    lines: dict[_Task, TaskID] = {}
    with bar:
        while True:
            going = _waiting()
            for task in [each for each in lines if each not in going]:
                bar.remove_task(lines.pop(task))
            for task in going:
                if task not in lines:
                    # A label may hold brackets, which are markup to rich.
                    label, columns = Text(task.label).markup, task.columns() if task.progress else ()
                    lines[task] = bar.add_task(label, start=False, total=task.of, columns=columns)
                    bar.tasks[-1].start_time = task.start
                if task.progress is not None:
                    bar.update(lines[task], total=task.of, completed=task.done)
            bar.refresh()
            if ended.wait(INTERVAL):
                return


def _is_notebook() -> bool:
    """Whether this is the kernel of a notebook, whose displays somebody sees."""
    # Who is in a kernel has imported IPython; ipykernel alone can be there for other reasons.
    python = sys.modules.get("IPython")
    return python is not None and getattr(python.get_ipython(), "kernel", None) is not None


def _show_in_cell(ended: threading.Event) -> None:
    if ended.wait(DELAY):
        return
    display = import_module("IPython.display").display
    handle = display({"text/html": _in_html(), "text/plain": ""}, raw=True, display_id=True)
    while not ended.wait(CELL_INTERVAL):
        handle.update({"text/html": _in_html(), "text/plain": ""}, raw=True)
    handle.update({"text/html": "", "text/plain": ""}, raw=True)


def _in_html() -> str:
    """A line for each of what goes on."""
    from html import escape  # which takes long for its entities

    lines = []
    for task in _waiting():
        share = f" value={task.done / task.of:.4f}" if task.of else ""
        label = escape(task.label)
        words = " · ".join(filter(None, (task.told(), _duration(time.monotonic() - task.start))))
        lines.append(
            f'<div>{label} <progress max=1{share} aria-label="{label}"></progress> {escape(words)}</div>'
        )
    return f'<div style="font:13px system-ui,sans-serif">{"".join(lines)}</div>'
