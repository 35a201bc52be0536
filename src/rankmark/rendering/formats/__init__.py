"""The formats, a file each: the folder is the registry, from which classes and the command line take them."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from rankmark.errors import ChoiceError, UsageError, did_you_mean
from rankmark.rendering.files import is_device
from rankmark.rendering.format import Format

__all__ = ["format_of", "formats", "is_file_format", "known_format"]


@functools.cache
def formats() -> Mapping[str, Format]:
    """Every format by its name, in their order."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    found: list[Format] = sorted((module.FORMAT for module in modules), key=lambda each: each.place)
    return MappingProxyType({each.name: each for each in found})


def format_of(path: str | Path) -> str:
    """The format that a file's ending stands for; without one, and of no file, the first.

    Raises:
        UsageError: it stands for none.

    """
    endings = {ending: each.name for each in formats().values() for ending in each.endings}
    ending = "" if is_device(path) else Path(path).suffix.lower()
    if ending not in endings:
        known = ", ".join(filter(None, endings))
        raise UsageError(f"{path}: {ending!r} does not say which format to write (as {known} do); name it")
    return endings[ending]


def is_file_format(name: str) -> bool:
    """Whether it is a format of files that cannot be printed."""
    return name in formats() and not formats()[name].is_text


def known_format(name: str, known: Sequence[str]) -> str:
    """`name` if it is one of these formats."""
    if name in known:
        return name
    if is_file_format(name):
        raise ChoiceError(f"format={name!r} is no text but {formats()[name].file}")
    raise ChoiceError(f"format={name!r} is not one of {', '.join(known)}{did_you_mean(name, known)}")
