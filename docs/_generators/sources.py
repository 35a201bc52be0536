"""The sources of the pages, and which measures are theirs."""

from __future__ import annotations

import inspect
from pathlib import Path

from _generators import words
from _generators.pages import page
from rankmark.language.bibliography import BIBLIOGRAPHY
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.definition import Definition
from rankmark.language.registry import pages

PLACE = 80


def write(folder: Path) -> Path:
    """Writes the page of sources."""
    citing: dict[str, list[Definition]] = {key: [] for key in BIBLIOGRAPHY}
    for known in (*pages().values(), *coefficient_pages().values()):
        for key in words.sources(inspect.getdoc(known.function) or ""):
            citing[key].append(known)
    entries = (
        f"(source-{key})=\n{words.escaped(BIBLIOGRAPHY[key])}. {words.per(words.defined, own)}"
        for key, own in citing.items()
    )
    return page(
        folder / "sources.md",
        words.joined("# Sources", "By their first authors, with what is measured by each.", *entries),
    )
