"""The reference pages, made of the code each time the site is built, in `docs/reference`, which git ignores.

A module of this folder that has a `write` writes a part: `write(folder)` puts its pages into the folder it is
given and returns the first of them. One that is new is found by itself; its `PLACE` says where it is listed.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from _generators.pages import keep_only, page

HEAD = """# Reference

Made of the code of this version.

```{toctree}
:maxdepth: 1

"""


def write(folder: Path) -> None:
    """Writes every part, and the page that leads to all; what was written before and is no more goes."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    parts = sorted((each for each in modules if hasattr(each, "write")), key=lambda each: each.PLACE)
    firsts: list[Path] = [each.write(folder) for each in parts]
    lines = [f"{first.relative_to(folder).with_suffix('')}\n" for first in firsts]
    page(folder / "index.md", HEAD + "".join(lines) + "```\n")
    keep_only(folder)
