"""Other packages, which need not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankmark.errors import ToolMissingError

__all__ = ["CONVERTER", "SPARED", "base", "tool"]

SPARED = ("rich", "scipy")
"""Dependencies that may be left out where space is short: files are evaluated without; see `cli.main`."""

CONVERTER = "vl_convert", "'rankmark[pictures]' (SVG needs nothing else)"
"""What makes PNG and PDF of SVG: the module and what installs it, for `tool`."""


def tool(module: str, install: str) -> Any:
    """A module of another tool, which ``pip install`` installs under the name `install`.

    Raises:
        ToolMissingError: it is not installed, or cannot be imported.

    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module.partition(".")[0]:
            raise ToolMissingError(f"{error.name} is not installed: pip install {install}") from None
        raise ToolMissingError(f"{module} cannot be imported: {error}") from error
    except ImportError as error:
        raise ToolMissingError(f"{module} cannot be imported: {error}") from error


def base(module: str, name: str, install: str) -> Any:
    """A class of another tool to derive one from; without the tool, one of which nothing can be made.

    So what is derived has its name everywhere, and who makes one is told what to install.
    """
    try:
        return getattr(tool(module, install), name)
    except ToolMissingError as error:
        reason = str(error)

    def refuse(*_: object, **__: object) -> Any:
        raise ToolMissingError(reason)

    return type(name, (), {"__new__": refuse})
