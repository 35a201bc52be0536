"""What trec_eval prints: a measure, a query and a value on each line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.errors import UsageError
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
        """A line a value.

        Raises:
            UsageError: a query or a run has a name with a tab or the end of a line in it, which would forge
                fields and lines.

        """
        return "".join(
            f"{name:<22}\t{_field(query)}\t{_field(value)}\n"
            for name, query, value in shown._trec(digits, **options)
        )


def _field(text: str) -> str:
    if "\t" in text or text.splitlines() not in ([text], []):
        raise UsageError(
            f"{text!r} has a tab or the end of a line in it, by which fields of trec_eval's format end; "
            "use CSV or JSON"
        )
    return text


FORMAT = Trec()
