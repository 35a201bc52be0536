"""What trec_eval prints: a measure, a query and a value on each line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Trec(Format):
    """trec_eval's layout."""

    name = "trec"
    place = 6
    needs = "_trec"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """A line a value."""
        lines = shown._trec(digits, **options)
        return "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in lines)


FORMAT = Trec()
