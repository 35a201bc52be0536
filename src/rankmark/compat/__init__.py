"""Other tools' interfaces by their own names: scripts written for them run on rankmark.

A module a tool; `from rankmark.compat import pytrec_eval as pytrec_eval` replaces `import pytrec_eval`.
"""

from __future__ import annotations

from pkgutil import iter_modules
from types import ModuleType

__all__ = sorted(each.name for each in iter_modules(__path__))


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"{__name__}.{name}")
