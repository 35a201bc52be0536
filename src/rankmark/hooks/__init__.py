"""rankmark inside the tools with which people train, track and experiment.

A tool is imported only when its hook is called: none of them has to be installed for the others.
"""

from __future__ import annotations

from typing import Any

# `__init__.pyi` says the same to type checkers, and a test that it does.
_HOME: dict[str, str] = {}
"""The module of every name."""
_MODULES: dict[str, str] = {}
"""What is a module itself."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted([*_HOME, *_MODULES])
    from importlib import import_module

    if name in _MODULES:
        found = import_module(f"rankmark.{_MODULES[name]}")
    elif name in _HOME:
        found = getattr(import_module(f"rankmark.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*_HOME, *_MODULES])
