"""What functions say of their arguments, in the words of a command's options."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

__all__ = ["as_options"]

_VALUE = r"""(?:"[^"]*"|'[^']*'|\{[^{}]*\}|\[[^\[\]]*\]|[^\s,;:)]*)"""
_BOTH = rf"\b\w+={_VALUE} \(on the command line ((?:\"[^\"]*\"|[^()\"])*)\)"
"""What to write in Python, and here."""
_ITEMS = r"""["']([^"']+)["']: ["']?([^"',{}]+)"""
"""Of a dict the names and the values."""


_WHICH_BOUNDS = r"\bbounds=(?=[\"'])"
"""Of what bounds are, which here an option of its own says."""


def as_options(message: str, command: click.Command) -> str:
    """A message that names arguments of Python's, with the options of the command in their places.

    ``max_drop="0.5%"`` is ``--max-drop 0.5%``, and ``at_least={"AP": 0.3}`` is ``--at-least AP=0.3``.
    """
    message = re.sub(_BOTH, r"\1", message)
    known = (
        _long(each.opts)
        for each in command.get_params(click.Context(command))
        if isinstance(each, click.Option)
    )
    options = [option for option in known if option]
    if "--bounds-of" in options:
        message = re.sub(_WHICH_BOUNDS, "bounds_of=", message)
    for option in options:
        name = option.removeprefix("--").replace("-", "_")
        # Parameters of measures (full-width brackets, too) and parts of paths and ids are no arguments.
        alone = rf"(?<![\w(（,.'\"/=-]){name}"
        parts = re.split(rf"{alone}s?=({_VALUE})", message)
        message = "".join(_said(option, part) if place % 2 else part for place, part in enumerate(parts))
        message = re.sub(rf"({option} [\w-]+) or \"([\w-]+)\"", r"\1 or \2", message)
        if "_" in name:
            message = re.sub(rf"{alone}\b(?![\w=(./])", option, message)
    return message


def _long(names: Iterable[str]) -> str | None:
    return next((name for name in names if name.startswith("--")), None)


def _said(option: str, value: str) -> str:
    """An option with a value that was written as Python has it."""
    if items := re.findall(_ITEMS, value):
        return " ".join(f"{option} {name}={each}" for name, each in items)
    plain = value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] and " " not in value else value
    return f"{option} {plain or value}".rstrip()
