"""What names files, and is nothing else that can be given."""

from __future__ import annotations

import os
from typing import TypeGuard

__all__ = ["is_path"]


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is a path, or a text, which is taken for one."""
    # What `os.PathLike` looks for; to ask an abstract class takes a good part of a small call.
    return isinstance(source, str) or hasattr(type(source), "__fspath__")
