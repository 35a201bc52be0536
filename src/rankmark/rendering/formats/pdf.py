"""PDF files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.files import write_whole
from rankmark.rendering.format import FileFormat
from rankmark.tools import CONVERTER

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Pdf(FileFormat):
    """A picture: of a result the natural one."""

    name = "pdf"
    endings = (".pdf",)
    place = 13
    needs = "_figure"
    tool = CONVERTER
    file = "a picture for papers, which `write` and -o FILE.pdf make"

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Draw it, and write that."""
        write_whole(path, shown._figure().to_pdf())


FORMAT = Pdf()
