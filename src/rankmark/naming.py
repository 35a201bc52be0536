"""Names that are looked up when first used, so that importing the package costs next to nothing."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # what typing says, whose import takes longer than that of all that is here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["face_of", "looked_up"]


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


def face_of(
    face: str, home: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of the module `face`, which has these names and no others.

    The arguments are those of `looked_up`.
    """
    own = modules or {}
    names = sorted([*home, *own])

    def attribute(name: str) -> Any:
        if name == "__all__":
            return list(names)
        found = looked_up(face, name, home, own)
        setattr(sys.modules[face], name, found)
        return found

    return attribute, lambda: list(names)
