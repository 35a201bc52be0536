"""The lock of what several threads may add to."""

from __future__ import annotations

import threading
from types import TracebackType

__all__ = ["Lock"]


class Lock:
    """A lock that its thread can take again, and of which a copy, or what is pickled, is another lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        return Lock, ()
