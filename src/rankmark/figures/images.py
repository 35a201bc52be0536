"""SVG as PNG and PDF."""

from __future__ import annotations

import re
from base64 import b64encode

from rankmark.tools import CONVERTER, tool

__all__ = ["pdf", "png"]

DENSITY, OF_PRINT = 2.0, 4.0
"""Dots a pixel: enough for screens of today, and for slides; and where paper takes dots."""


def png(svg: str, density: float = DENSITY) -> bytes:
    """SVG as PNG."""
    drawn: bytes = tool(*CONVERTER).svg_to_png(svg, scale=density)
    return drawn


def pdf(svg: str) -> bytes:
    """SVG as PDF; as an image in it, if there are words in fonts that PDF cannot take, such as emoji."""
    try:
        drawn: bytes = tool(*CONVERTER).svg_to_pdf(svg)
    except RuntimeError as error:
        if "font" not in str(error):
            raise
        drawn = tool(*CONVERTER).svg_to_pdf(_as_image(svg))
    return drawn


def _as_image(svg: str) -> str:
    """SVG of the same size that is an image of dots."""
    start = svg[: svg.index(">") + 1]
    width, height = re.findall(r' (?:width|height)="([\d.]+)"', start)[:2]
    dots = b64encode(png(svg, OF_PRINT)).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<image width="{width}" height="{height}" href="data:image/png;base64,{dots}"/></svg>'
    )
