"""How much memory there is for what is read."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["UNKNOWN", "free_memory", "room"]

UNKNOWN = 1 << 62
"""What is taken for the memory of a system that does not say."""


def free_memory() -> int | None:
    """Bytes of memory that are free or can be had without swapping; None where the system does not say."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
        if found:
            return 1024 * int(found[1])
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def room() -> int:
    """Bytes of text that can be read whole: with the columns made of them they are about twice as many."""
    free = free_memory()
    return UNKNOWN if free is None else free // 2
