"""Names that are looked up when first used, so that importing the package costs next to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["looked_up"]


def looked_up(face: str, name: str, home: Mapping[str, str], modules: Mapping[str, str]) -> Any:
    """What a name of the module `face` stands for: a module, or something of one; functions have clear calls.

    Args:
        face: the module in which the name is.
        name: the name.
        home: the module of every name, below ``rankmark``.
        modules: what is a module itself.

    Raises:
        AttributeError: it is in neither.

    """
    from importlib import import_module

    if name in modules:
        return import_module(f"rankmark.{modules[name]}")
    if name not in home:
        raise AttributeError(f"module {face!r} has no attribute {name!r}")
    found = getattr(import_module(f"rankmark.{home[name]}"), name)
    if isinstance(found, type) or not callable(found):
        return found
    from rankmark.calling import with_clear_calls

    return with_clear_calls(found, face)
