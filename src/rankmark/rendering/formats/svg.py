"""SVG files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.files import write_whole
from rankmark.rendering.format import FileFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Svg(FileFormat):
    """A picture: of a result the natural one."""

    name = "svg"
    endings = (".svg",)
    place = 11
    needs = "_figure"
    file = "a picture that browsers, papers and slides take, which `write` and -o FILE.svg make"

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Draw it, and write that."""
        write_whole(path, shown._figure().to_svg())


FORMAT = Svg()
