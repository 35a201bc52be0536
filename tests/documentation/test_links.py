"""Links of the site lead somewhere, and no page loads anything from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from documentation.built import PAGES, SITE, need_site

LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "xlink:href"}
"""Attributes whose address a browser asks for by itself; `href` is one in a `link`."""
OUTSIDE = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])\s*(?:https?:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and value and tag == "a":
                self.links.append(value)
            elif value and (name in LOADING or (name == "href" and tag != "a")):
                self.loaded.append(value)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    need_site()
    return {name: Page((SITE / name).read_text()) for name in PAGES}


def is_outside(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme not in ("", "data", "mailto")


def test_no_page_loads_anything_from_elsewhere(pages: dict[str, Page]) -> None:
    asked = {(name, each) for name, page in pages.items() for each in page.loaded if is_outside(each)}
    assert not asked


def test_no_style_loads_anything_from_elsewhere() -> None:
    need_site()
    styles = [path for path in SITE.rglob("*") if path.suffix in (".css", ".html", ".svg")]
    assert styles
    assert not [path for path in styles if OUTSIDE.search(path.read_text())]


def test_every_link_leads_to_a_page_and_an_anchor_that_are_there(pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        for link in page.links:
            if is_outside(link) or urlsplit(link).scheme:
                continue
            address, anchor = urldefrag(link)
            target = name if not address else relative(name, unquote(address))
            if target is None or (
                anchor and target in pages and unquote(anchor) not in pages[target].anchors
            ):
                broken.append((name, link))
    assert not broken


def relative(page: str, address: str) -> str | None:
    """The file of the site that an address on a page means, if there is one."""
    path = (SITE / page).parent.joinpath(address).resolve()
    if path.is_dir():
        path /= "index.html"
    return str(path.relative_to(SITE)) if path.exists() and path.is_relative_to(SITE) else None


def test_what_loads_from_elsewhere_is_found() -> None:
    text = (
        '<script src="https://cdn.example/x.js"></script><link href="//fonts.example"><a href="https://a.b">'
    )
    assert [each for each in Page(text).loaded if is_outside(each)] == [
        "https://cdn.example/x.js",
        "//fonts.example",
    ]
    assert OUTSIDE.search("@import 'https://fonts.example';")
    assert OUTSIDE.search("src: url( //fonts.example/x.woff)")
    assert not OUTSIDE.search("url(../x.woff) http://www.w3.org/2000/svg")


def test_every_page_has_a_title() -> None:
    need_site()
    for name in PAGES:
        assert re.search(r"<title>\s*\S", (SITE / name).read_text()), name
