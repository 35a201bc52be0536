"""The site as `make docs` built it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NoReturn

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS / "_build" / "html"
PAGES = sorted(str(each.relative_to(SITE)) for each in SITE.rglob("*.html"))


def need_site() -> None:
    """Skips, aloud, where there is no site."""
    if not PAGES:
        _skip("NOT COMPARED: the site is not built: make docs")


def _skip(why: str) -> NoReturn:
    warnings.warn(why, pytest.PytestWarning, stacklevel=3)
    pytest.skip(why)
