"""SVG files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.rendering.format import PictureFormat

if TYPE_CHECKING:
    from rankmark.rendering.format import Drawable

__all__ = ["FORMAT"]


class Svg(PictureFormat):
    """Pictures as SVG."""

    name = "svg"
    endings = (".svg",)
    place = 11
    file = "a picture that browsers, papers and slides take, which `write` and -o FILE.svg make"

    def drawn(self, figure: Drawable) -> str:
        """The picture as SVG."""
        return figure.to_svg()


FORMAT = Svg()
