"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from rankmark.errors import UsageError

__all__ = ["check_writable", "is_device", "write_whole"]


def check_writable(path: str | Path) -> None:
    """An error if `path` cannot be written, to be known before long work and not after it."""
    folder = Path(path).resolve().parent
    if Path(path).is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    if not is_device(path) and not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {path}: no permission to write in its folder")


def write_whole(path: str | Path, content: str | bytes | Callable[[Path], object]) -> None:
    """Write `content` to `path` whole or not at all: until it is complete, what was there stays.

    A function is given the path that it is to write to.
    """

    def write(to: Path) -> None:
        if callable(content):
            content(to)
        else:
            to.write_bytes(content.encode() if isinstance(content, str) else content)

    check_writable(path)
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        if is_device(path):  # written to, never replaced
            write(Path(path))
            return
        try:
            write(draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def is_device(path: str | Path) -> bool:
    """Whether there is something at `path` that is no file, such as ``/dev/null``."""
    return Path(path).exists() and not Path(path).is_file()
