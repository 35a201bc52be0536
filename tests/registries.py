"""The registry of measures as it was before: what one test defines no other meets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.language import registry


@contextmanager
def restored() -> Iterator[None]:
    """Forgets at the end each measure that was defined meanwhile."""
    registry.pages()
    before = dict(registry._PAGES), dict(registry._REFERRED)
    try:
        yield
    finally:
        for kept, now in zip(before, (registry._PAGES, registry._REFERRED), strict=True):
            now.clear()
            now.update(kept)
        for each in registry._REMEMBERED:
            each.cache_clear()
