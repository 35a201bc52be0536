"""What is done when a process is told to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["cleaned_up"]

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the block as Ctrl-C does, by an exception: SystemExit.

    Without this they would end the process at once, and temporary files would stay. Whoever handles a signal
    already goes on doing so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # other threads can set no handlers
        return
    taken = [each for each in SIGNALS if signal.getsignal(each) == signal.SIG_DFL]
    for each in taken:
        signal.signal(each, _stop)
    try:
        yield
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)


def _stop(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not end the cleaning up
    raise SystemExit(128 + number)
