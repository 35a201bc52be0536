"""PNG files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.files import write_whole
from rankmark.rendering.format import FileFormat
from rankmark.tools import CONVERTER

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Png(FileFormat):
    """A picture: of a result the natural one."""

    name = "png"
    endings = (".png",)
    place = 12
    needs = "_figure"
    tool = CONVERTER
    file = "a picture of dots, for slides and messages, which `write` and -o FILE.png make"

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Draw it, and write that."""
        write_whole(path, shown._figure().to_png())


FORMAT = Png()
