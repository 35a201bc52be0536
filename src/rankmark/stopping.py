"""What is done when a process is told to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["cleaned_up"]

USUAL = {
    getattr(signal, name): usual
    for name, usual in (
        ("SIGINT", signal.default_int_handler),
        ("SIGTERM", signal.SIG_DFL),
        ("SIGHUP", signal.SIG_DFL),
    )
    if hasattr(signal, name)
}
"""The signals that ask a process to stop, and what Python does about each."""


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the block as Ctrl-C does, by an exception: SystemExit.

    Without this they would end the process at once, and temporary files would stay. What comes after the
    first of these signals is ignored until the block has ended, so that a second Ctrl-C leaves nothing
    behind either. Whoever handles a signal already goes on doing so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # other threads can set no handlers
        return
    taken = {number: usual for number, usual in USUAL.items() if signal.getsignal(number) == usual}

    def stop(number: int, _: FrameType | None) -> None:
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    for each in taken:
        signal.signal(each, stop)
    try:
        yield
    finally:
        for each, usual in taken.items():
            signal.signal(each, usual)
