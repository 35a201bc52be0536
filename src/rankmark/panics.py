"""What polars prints by itself on a damaged file, before anybody can say it in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["hidden_panics", "hide_panics"]

_hides = False


def hide_panics() -> None:
    """Lets `hidden_panics` hide them: for a process that is ours, since other messages go with them."""
    global _hides
    _hides = True


@contextmanager
def hidden_panics() -> Iterator[None]:
    """Keeps what native code prints from being seen while the block runs, where `hide_panics` asked for it.

    A progress bar is shown all the same: Python has standard error under a number of its own then.
    """
    if not _hides:
        yield
        return
    shown = os.dup(NUMBER)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - it is a name, not a path
        os.dup2(nowhere.fileno(), NUMBER)
    try:
        yield
    finally:
        os.dup2(shown, NUMBER)
        os.close(shown)


NUMBER = 2
"""That of standard error, to native code."""
