"""Files from which `rankmark.load` gives the thing itself again, with all its digits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class SavedFile(Format):
    """A file, and no text."""

    name = "rankmark"
    endings = (".rankmark",)
    place = 8
    needs = "save"
    is_text = False
    file = "a file from which `rankmark.load` gives it again, which `save` and -o FILE write"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> NoReturn:
        """There is none."""
        raise NotImplementedError

    def write(
        self,
        path: str | Path,
        shown: Showable,
        digits: int,  # noqa: ARG002 - all digits
        options: Mapping[str, Any],  # noqa: ARG002 - of texts
    ) -> None:
        """Save it."""
        shown.save(path)


FORMAT = SavedFile()
