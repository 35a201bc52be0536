"""The bibliography: what pages name is there, and what is there is named."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from rankmark.language.bibliography import BIBLIOGRAPHY, KEY, cited
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.registry import pages

PAGES = {page.name: page for page in (*coefficient_pages().values(), *pages().values())}


def keys(page: Any) -> set[str]:
    return set(KEY.findall(inspect.getdoc(page.function)))


def test_every_source_is_named_and_every_name_is_a_source() -> None:
    every = (*coefficient_pages().values(), *pages().values())
    named = {key for page in every for key in keys(page)}
    assert named == BIBLIOGRAPHY.keys()


def test_sources_are_in_order_and_none_is_there_twice() -> None:
    assert list(BIBLIOGRAPHY) == sorted(BIBLIOGRAPHY)
    assert len(set(BIBLIOGRAPHY.values())) == len(BIBLIOGRAPHY)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_its_sources(name: str) -> None:
    page = PAGES[name]
    printed = "".join(str(page).split())  # lines are broken at hyphens, too
    assert not KEY.search(printed)
    for key in keys(page):
        assert "".join(BIBLIOGRAPHY[key].split()) in printed
    assert keys(page) or "Source:trec_eval's" in printed


def test_a_key_becomes_its_source() -> None:
    text = cited("Title.\n\nSource: [brier1950]; more.\n\n  as it [is]")
    assert (
        text.replace("\n78", " 78") == f"Title.\n\nSource: {BIBLIOGRAPHY['brier1950']}; more.\n\n  as it [is]"
    )
