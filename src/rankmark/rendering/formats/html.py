"""HTML pages, for browsers and for trackers that show files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.rendering.format import Format
from rankmark.rendering.theme import variables

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]

OWN = (
    variables("html")
    + "html{background:var(--rm-paper);color-scheme:light dark}"
    + "body{margin:0 auto;padding:1.2rem clamp(.5rem,3vw,2rem);max-width:84rem}"
    + ".rankmark h1{font-size:20px;line-height:1.3;margin:.3em 0 .6em}"
    + ".rankmark .rm-table{max-height:80vh}"
    + "@page{margin:15mm}@media print{body{padding:0;max-width:none}.rankmark tr{break-inside:avoid}}"
)
"""The style of a page by itself, besides that of what is on it."""
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{}'"
"""Nothing but this style sheet: no script runs and nothing is fetched, whatever the page says."""


class Html(Format):
    """A page that needs no other file."""

    name = "html"
    endings = (".html", ".htm")
    place = 9
    needs = "_blocks"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """All blocks."""
        # What takes long is imported once a page is written: that is a registry of formats, too.
        from base64 import b64encode
        from hashlib import sha256
        from html import escape

        from rankmark.rendering.html import STYLE, html

        style = STYLE + OWN
        policy = POLICY.format(b64encode(sha256(style.encode()).digest()).decode())
        title = escape(shown._title())
        head = [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title} · rankmark</title>",
            f"<style>{style}</style>",
        ]
        body = f'<main class="rankmark">\n<h1>{title}</h1>\n{html(shown._page(digits, **options))}\n</main>'
        lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>"]
        return "\n".join([*lines, "<body>", body, "</body>", "</html>"]) + "\n"


FORMAT = Html()
