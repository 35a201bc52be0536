"""The tools that hooks are for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankmark.errors import ToolMissingError

__all__ = ["tool"]


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
