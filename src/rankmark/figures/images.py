"""SVG as PNG and PDF."""

from __future__ import annotations

from typing import Any

from rankmark.tools import tool

__all__ = ["pdf", "png"]

DENSITY = 2.0
"""Dots a pixel: enough for screens of today, and for slides."""


def png(svg: str) -> bytes:
    """SVG as PNG."""
    drawn: bytes = _converter().svg_to_png(svg, scale=DENSITY)
    return drawn


def pdf(svg: str) -> bytes:
    """SVG as PDF."""
    drawn: bytes = _converter().svg_to_pdf(svg)
    return drawn


def _converter() -> Any:
    return tool("vl_convert", "'rankmark[pictures]'")
