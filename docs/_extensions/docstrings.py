"""Docstrings of public names as pages of the site, by autodoc and napoleon."""

from __future__ import annotations

import re
from typing import Any

LITERAL = re.compile(r"(``.+?``|`.+?`)")
SIGN = re.compile(r"\\?([|*]|_(?!\w))")
"""What means something in reStructuredText and nothing in docstrings, where it stands for itself."""


def as_meant(app: Any, what: str, name: str, found: object, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Lets signs outside of code mean themselves."""
    lines[:] = [line if ">>>" in line else _as_meant(line) for line in lines]


def _as_meant(line: str) -> str:
    parts = LITERAL.split(line)
    return "".join(part if at % 2 else SIGN.sub(r"\\\1", part) for at, part in enumerate(parts))


def left_out(app: Any, what: str, name: str, member: object, skip: bool, options: Any) -> bool | None:  # noqa: ARG001
    """Whether a member has nothing to say of itself: a field of a tuple, which its class explains."""
    said = getattr(member, "__doc__", None) or ""
    return True if said.startswith("Alias for field number") else None


def setup(app: Any) -> dict[str, bool]:
    """Has autodoc leave out what says nothing."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.connect("autodoc-process-docstring", as_meant, priority=900)  # after napoleon
    app.connect("autodoc-skip-member", left_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
