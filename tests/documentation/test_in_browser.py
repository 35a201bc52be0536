"""The site in a real browser, without a network: each page opens, on a phone, and can be read in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from documentation.built import PAGES, SITE, need_site
from rankmark.errors import ToolMissingError
from rankmark.tools import tool
from reports.browsing import browser, opened, skip

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]

WIDTH = 390
"""Of a phone."""
READY = "body"
PARTS = 4
"""Each part is a test, so that several processes can take one each."""
SEEN = ["index.html", "start/search.html", "coming_from/sklearn.html"]
"""Pages that have all there is: doors, code with output, tables, code side by side."""


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    need_site()
    with browser() as found:
        yield found


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_opens_and_fits_a_phone(started: Any, part: int) -> None:
    with opened(started, SITE / "index.html", ready=READY, viewport={"width": WIDTH, "height": 844}) as tab:
        for name in PAGES[part::PARTS]:
            tab.goto((SITE / name).as_uri())
            assert tab.title().strip(), name
            assert tab.evaluate("document.documentElement.scrollWidth") <= WIDTH, name


def test_search_finds_a_measure_and_opens_it(started: Any) -> None:
    with opened(started, SITE / "index.html", ready=READY) as tab:
        tab.fill("input[name=q]", "nDCG")
        tab.press("input[name=q]", "Enter")
        tab.wait_for_selector("#search-results li a")
        tab.click("#search-results li a")
        tab.wait_for_selector("article h1")
        assert "nDCG" in tab.inner_text("article")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_hard_to_read(started: Any, scheme: str) -> None:
    try:
        axe = tool("axe_playwright_python.sync_playwright", "axe-playwright-python").Axe
    except ToolMissingError as error:
        skip(str(error))
    with opened(started, SITE / "index.html", ready=READY, color_scheme=scheme) as tab:
        for name in SEEN:
            tab.goto((SITE / name).as_uri())
            found = axe().run(tab, options={"runOnly": ["color-contrast", "image-alt", "link-name"]})
            problems = [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]]
            assert problems == [], name
