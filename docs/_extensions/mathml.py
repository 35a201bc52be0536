"""Formulas in LaTeX as MathML, made when the site is built: browsers show it without a script."""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def inline(translator: Any, node: Any) -> None:
    """A formula in a line of text."""
    translator.body.append(convert(node.astext()))
    raise SkipNode


def block(translator: Any, node: Any) -> None:
    """A formula that stands alone."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Registers `html_math_renderer = "mathml"`."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
