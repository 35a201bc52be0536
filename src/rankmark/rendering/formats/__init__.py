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

__all__ = ["USUAL", "format_named", "format_of", "formats", "is_file_format", "known_format"]

USUAL = "table"
"""What is shown where no format and no file is named."""


@functools.cache
def formats() -> Mapping[str, Format]:
    """Every format by its name, in their order."""
    found = sorted(map(_of_module, _modules()), key=lambda each: each.place)
    return MappingProxyType({each.name: each for each in found})


@functools.cache
def format_named(name: str) -> Format | None:
    """The format of a name, if there is one.

    A module is called as its format mostly is, and then no other is imported.
    """
    if name in _modules() and (found := _of_module(name)).name == name:
        return found
    return formats().get(name)


@functools.cache
def _modules() -> Sequence[str]:
    return [each.name for each in pkgutil.iter_modules(__path__)]


def _of_module(module: str) -> Format:
    found: Format = importlib.import_module(f"{__name__}.{module}").FORMAT
    return found


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
    found = format_named(name)
    return found is not None and not found.is_text


def known_format(name: str, known: Sequence[str]) -> str:
    """`name` if it is one of these formats."""
    if name in known:
        return name
    if is_file_format(name):
        raise ChoiceError(f"format={name!r} is no text but {formats()[name].file}")
    raise ChoiceError(f"format={name!r} is not one of {', '.join(known)}{did_you_mean(name, known)}")
