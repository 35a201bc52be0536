"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rankmark.errors import UsageError
from rankmark.stopping import cleaned_up

__all__ = ["check_writable", "is_device", "is_file", "is_there", "write_whole"]


def check_writable(path: str | Path) -> None:
    """An error if `path` cannot be written, to be known before long work and not after it."""
    with _said_of(path):
        target = Path(path).resolve()
        if target.is_dir():
            raise UsageError(f"cannot write {path}: it is a folder")
        if not target.parent.is_dir():
            raise UsageError(f"cannot write {path}: there is no folder {target.parent}")
        if target.exists() and not os.access(target, os.W_OK):
            raise UsageError(f"cannot write {path}: no permission to write to it")
        if not is_device(path) and not os.access(target.parent, os.W_OK):
            raise UsageError(f"cannot write {path}: no permission to write in its folder")


def write_whole(path: str | Path, content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Write `content` to `path` whole or not at all: until it is complete, what was there stays.

    A draft, ``.rankmark-….tmp`` in the same folder, takes the file's place when it is complete, with the
    permissions that the file had. Of several writers at once one comes last, and its file is there whole.
    Where `path` is a symbolic link, the file that it leads to is written, and the link stays.

    A function is given the file that it is to write to.
    """

    def write(file: IO[bytes]) -> None:
        if callable(content):
            content(file)
        else:
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)

    check_writable(path)
    with _said_of(path):
        if is_device(path):  # written to, never replaced
            with Path(path).open("wb") as device:
                write(device)
            return
        with cleaned_up():
            _replace(Path(path).resolve(), write)


def _replace(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Writes a draft beside the target and puts it in its place."""
    # A name that nobody can foresee, and no file that is there already, not even a link.
    draft = target.with_name(f".rankmark-{os.urandom(8).hex()}.tmp")
    try:
        with draft.open("xb") as file:
            if target.exists():
                draft.chmod(stat.S_IMODE(target.stat().st_mode))
            write(file)
            file.flush()
            os.fsync(file.fileno())  # a disk that is full may say so only now
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def is_device(path: str | Path) -> bool:
    """Whether there is something at `path` that is no file, such as ``/dev/null``."""
    return is_there(path) and not is_file(path)


def is_file(path: str | Path) -> bool:
    """Whether there is a file at `path`, as far as one may look."""
    return is_there(path) and Path(path).is_file()


def is_there(path: str | Path) -> bool:
    """Whether there is something at `path`, as far as one may look."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # no permission to look into the folder; no path
        return False


@contextmanager
def _said_of(path: str | Path) -> Iterator[None]:
    """Says which file it was that could not be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    except (RuntimeError, ValueError) as error:  # links in a circle; a NUL, or half a character
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"cannot write {str(path)!r}: it is no path: {error}") from error
