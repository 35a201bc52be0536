"""PNG files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.format import PictureFormat
from rankmark.tools import CONVERTER

if TYPE_CHECKING:
    from rankmark.rendering.format import Drawable

__all__ = ["FORMAT"]


class Png(PictureFormat):
    """Pictures as PNG."""

    name = "png"
    endings = (".png",)
    place = 12
    tool = CONVERTER
    file = "a picture of dots, for slides and messages, which `write` and -o FILE.png make"

    def drawn(self, figure: Drawable) -> bytes:
        """The picture as PNG."""
        return figure.to_png()


FORMAT = Png()
