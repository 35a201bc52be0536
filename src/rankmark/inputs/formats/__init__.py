"""The formats of files. The folder is the registry: each module lists those that it has as `FILE_FORMATS`."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from rankmark.errors import FormatError
from rankmark.inputs.format import File, Format
from rankmark.inputs.roles import ColumnNames, TableName

__all__ = ["file_formats", "format_of", "listed_formats"]


@functools.cache
def file_formats() -> tuple[Format, ...]:
    """Every format, in the order in which messages list them."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    found: list[Format] = [each for module in modules for each in module.FILE_FORMATS]
    return tuple(sorted(found, key=lambda each: each.place))


def format_of(file: File, table: TableName, columns: ColumnNames | None) -> Format:
    """The format by the file's name, or else by its content.

    Raises:
        FormatError: it is empty, or none of those that such a table can have.

    """
    found = _by_magic(file, table)
    if found is None:
        file.refuse_foreign()
        found = _recognised(file, table, columns)
    if found is None:
        known = dict.fromkeys(each.known_by for each in _holding(table))
        raise FormatError(f"{file.where} is none of these: {', '.join(known)}")
    return found


def listed_formats(table: TableName) -> str:
    """The formats of such a table, for messages."""
    return ", ".join(each.listed for each in _holding(table))


@functools.cache
def _holding(table: TableName) -> tuple[Format, ...]:
    return tuple(each for each in file_formats() if table in each.holds)


def _by_magic(file: File, table: TableName) -> Format | None:
    """The format whose files alone begin so."""
    return next((each for each in _holding(table) if each.magic and file.head.startswith(each.magic)), None)


def _recognised(file: File, table: TableName, columns: ColumnNames | None) -> Format | None:
    """The format for which most speaks; a name that only it has says more than what is text."""
    tried, ending = _holding(table)[::-1], file.ending
    for each in tried:
        if ending in each.endings:
            return each
    for each in tried:
        if each.is_certain(file, table):
            return each
    for each in tried:
        if ending in each.usual_endings:
            return each
    return next((each for each in tried if each.is_likely(file, columns)), None)
