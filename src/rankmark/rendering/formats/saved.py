"""Files from which `rankmark.load` gives the thing itself again, with all its digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.format import FileFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class SavedFile(FileFormat):
    """All that is to be had again."""

    name = "rankmark"
    endings = (".rankmark",)
    place = 8
    needs = "save"
    file = "a file from which `rankmark.load` gives it again, which `save` and -o FILE write"

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Save it."""
        shown.save(path)


FORMAT = SavedFile()
