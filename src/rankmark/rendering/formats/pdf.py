"""PDF files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.format import PictureFormat
from rankmark.tools import CONVERTER

if TYPE_CHECKING:
    from rankmark.rendering.format import Drawable

__all__ = ["FORMAT"]


class Pdf(PictureFormat):
    """Pictures as PDF."""

    name = "pdf"
    endings = (".pdf",)
    place = 13
    tool = CONVERTER
    file = "a picture for papers, which `write` and -o FILE.pdf make"

    def drawn(self, figure: Drawable) -> bytes:
        """The picture as PDF."""
        return figure.to_pdf()


FORMAT = Pdf()
