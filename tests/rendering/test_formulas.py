"""Formulas of pages as MathML: nothing is lost, and fractions are where the line has them."""

from __future__ import annotations

import inspect
import re
from xml.etree import ElementTree as ET

import pytest

from rankmark.language.coefficient import coefficient_pages
from rankmark.language.page_parts import parts_of
from rankmark.language.registry import pages
from rankmark.rendering.blocks import Formulas
from rankmark.rendering.formulas import UnreadableError, read_formula

LINES = [
    pytest.param(line, id=f"{page.name}-{number}")
    for page in (*pages().values(), *coefficient_pages().values())
    if page.function.__module__.startswith("rankmark.")
    for number, line in enumerate(
        line
        for block in parts_of(inspect.getdoc(page.function) or "").body
        if isinstance(block, Formulas)
        for line in block.lines
    )
]


def mathml(line: str) -> str:
    (formula,) = read_formula(line)
    return formula.mathml()


@pytest.mark.parametrize("line", LINES)
def test_every_formula_of_a_page_is_read_and_nothing_of_it_lost(line: str) -> None:
    found = read_formula(line)
    assert "".join(each.linear() for each in found) == re.sub(r"\s", "", line)
    for each in found:
        ET.fromstring(each.mathml().replace("&nbsp;", " "))


@pytest.mark.parametrize(
    ("line", "above", "below"),
    [
        ("a · b / c", "a · b", "c"),
        ("(a + b) / (c + d)", "a + b", "c + d"),
        ("Σ_i a / Σ_i b", "∑ i a", "∑ i b"),
        ("Σ_i a / b", "a", "b"),
        ("mean over classes of a / b", "a", "b"),
        ("x = 1 + a / b", "a", "b"),
    ],
)
def test_what_is_above_and_below_a_line(line: str, above: str, below: str) -> None:
    root = ET.fromstring(mathml(line).replace("&nbsp;", " "))
    (fraction,) = [root] if root.tag == "mfrac" else root.findall(".//mfrac")
    assert [" ".join("".join(part.itertext()).split()) for part in fraction] == [
        above.replace(" ", ""),
        below.replace(" ", ""),
    ]


def test_a_quotient_of_which_more_follows_without_a_sign_stays_on_the_line() -> None:
    assert "<mfrac>" not in mathml("ERR / ERR of the ideal list")


@pytest.mark.parametrize("line", ["a + (b", "a) + b", "a $ b", "= · )", "/"])
def test_what_is_no_formula_is_refused(line: str) -> None:
    try:
        found = read_formula(line)
    except UnreadableError:
        return
    assert "".join(each.linear() for each in found) == re.sub(r"\s", "", line)
