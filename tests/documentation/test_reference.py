"""The reference has a page for all there is, and every list leads to what it lists."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

import rankmark as rm
from documentation.built import SITE, need_site
from rankmark.cli import COMMANDS
from rankmark.language.bibliography import BIBLIOGRAPHY
from rankmark.language.choices import Choices
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.conventions.convention import conventions
from rankmark.language.registry import pages

REFERENCE = SITE / "reference"
OURS = [name for name, page in pages().items() if page.origin is None]
DOORS = [n for n in rm.__all__ if n not in pages() and not isinstance(getattr(rm, n), ModuleType)]
KINDS = {
    "measures": OURS,
    "coefficients": list(coefficient_pages()),
    "conventions": list(conventions()),
    "commands": list(COMMANDS),
    "api/results": rm.results.__all__,
}


def read(path: str) -> str:
    need_site()
    return (REFERENCE / path).read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_everything_has_a_page_and_its_list_leads_there(kind: str) -> None:
    listed = read(f"{kind}/index.html")
    for name in KINDS[kind]:
        assert (REFERENCE / kind / f"{name}.html").exists(), name
        assert f'href="{name}.html"' in listed, name


def test_every_public_name_is_explained_where_the_list_leads() -> None:
    listed = read("api/index.html")
    for name in DOORS:
        page, anchor = next(
            (found[1], found[2])
            for found in re.finditer(rf'href="({name}|errors)\.html(?:#(rankmark\.{name}))?"', listed)
            if found[1] == name or found[2]
        )
        assert f'id="{anchor or f"rankmark.{name}"}"' in read(f"api/{page}.html"), name


def test_every_statistic_is_explained() -> None:
    need_site()
    explained = "".join(path.read_text() for path in (REFERENCE / "api" / "statistics").glob("*.html"))
    assert not [name for name in rm.statistics.__all__ if f'id="rankmark.statistics.{name}"' not in explained]


def test_every_choice_parameter_and_source_has_an_anchor() -> None:
    choices, parameters, sources = (read(f"{page}.html") for page in ("choices", "parameters", "sources"))
    for name in Choices.__dataclass_fields__:
        assert f'id="{name.replace("_", "-")}"' in choices, name
    for name in {each for page in pages().values() for each in page.accepted}:
        assert f'id="{name.lower().replace("_", "-")}"' in parameters, name
    for key in BIBLIOGRAPHY:
        assert f'id="source-{key}"' in sources, key


@pytest.mark.parametrize("name", OURS)
def test_a_measure_has_its_formula_typeset_and_its_picture_or_why_there_is_none(name: str) -> None:
    text = read(f"measures/{name}.html")
    assert "<math" in text
    assert "<code>" not in "".join(re.findall(r'<div class="formulas">.*?</div></div></div>', text))
    assert ('<svg xmlns="http://www.w3.org/2000/svg" class="rankmark"' in text) != (
        "It is the same in all" in text
    )


def test_a_measure_leads_to_its_tools_and_these_lead_back() -> None:
    assert 'href="../conventions/lightgbm.html"' in read("measures/nDCG.html")
    assert 'href="../measures/nDCG.html"' in read("conventions/lightgbm.html")
    assert 'href="../choices.html#ties"' in read("conventions/lightgbm.html")
    assert 'href="conventions/lightgbm.html"' in read("choices.html")
