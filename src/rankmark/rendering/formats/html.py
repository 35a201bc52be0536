"""HTML pages, for browsers and for trackers that show files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.rendering.format import Format
from rankmark.rendering.html import html

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #8884; padding: .2em .8em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
"""


class Html(Format):
    """A page that needs no other file."""

    name = "html"
    endings = (".html", ".htm")
    place = 9
    needs = "_blocks"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """All blocks."""
        head = f'<meta charset="utf-8">\n<title>rankmark</title>\n<style>{STYLE}</style>'
        body = html(shown._page(digits, **options))
        return f"<!doctype html>\n<html>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


FORMAT = Html()
