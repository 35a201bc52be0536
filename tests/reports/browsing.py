"""A browser without windows and without a network, in which tests open pages."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rankmark.errors import ToolMissingError
from rankmark.tools import tool

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Where the browser is that `scripts/install-chromium` installs, or one that is there."""
    said = os.environ.get("RANKMARK_CHROMIUM")
    return said or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browser() -> Iterator[Any]:
    """The browser; skips what would use it, aloud, where there is none."""
    path = chromium()
    if path is None:
        skip("there is no Chromium: scripts/install-chromium")
    try:
        sync_playwright = tool("playwright.sync_api", "playwright").sync_playwright
    except ToolMissingError as error:
        skip(str(error))
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


def skip(why: str) -> NoReturn:
    """Skips, and says so in the summary of all tests."""
    warnings.warn(f"NOT COMPARED in a browser: {why}", stacklevel=3)
    pytest.skip(why)


@contextmanager
def opened(
    started: Any, page: Path, *, refused: str = "", ready: str = "html[data-ready]", **options: Any
) -> Iterator[Any]:
    """A page of a file, with the network cut off; the test fails where the page asks for it, or complains.

    What it is `refused` is in the only complaint that there may be. With JavaScript it is open once there is
    what `ready` selects.
    """
    said: list[str] = []
    context = started.new_context(offline=True, **options)

    def only_files(route: Any) -> None:
        if not route.request.url.startswith("file://"):
            said.append(f"asked for {route.request.url}")
        route.continue_()

    context.route("**/*", only_files)
    tab = context.new_page()
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("requestfailed", lambda request: said.append(f"not there: {request.url}"))
    tab.goto(page.as_uri())
    if options.get("java_script_enabled", True):
        tab.wait_for_selector(ready, state="attached", timeout=20_000)
    yield tab
    assert [line for line in said if not refused or refused not in line] == []
    context.close()
