"""The page of a measure or a coefficient as blocks, of which a notebook shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.language.parameters import format_value
from rankmark.rendering.blocks import Block, Code, Formulas, Grid, Prose, Section, toned

if TYPE_CHECKING:
    from rankmark.language.definition import Definition

__all__ = ["page_blocks"]

TITLED = ("Args:", "Example:", "Raises:")
"""Parts of a docstring that have lines of their own, indented, beneath their titles."""


def page_blocks(page: Definition, written: str, given: Mapping[str, Any]) -> Iterator[Block]:
    """What a page says: formula, parameters, other names, sources and example.

    Args:
        page: which.
        written: the measure or coefficient of it that is shown.
        given: its parameters that are not the page's defaults.

    """
    parts = _parts(page.doc.replace("`", ""))
    summary, *paragraphs = parts.pop("") or [""]
    is_same = page.grammar.startswith(f"{written}(") or page.grammar == written
    yield Section(written, [_joined(summary)])
    if not is_same:
        yield Prose([page.grammar])
    for paragraph in paragraphs:
        if all(line.startswith("    ") for line in paragraph.splitlines()):
            yield Formulas([line.strip() for line in paragraph.splitlines()])
        else:
            yield Section("", list(_sentences(paragraph)))
    if page.parameters:
        yield _parameters(page, given, _items(parts.get("Args:", [])))
    if names := list(page.header())[1:]:
        yield Section("Other names", [_joined(name) for name in names])
    for paragraph in parts.get("Example:", []):
        if ">>>" in paragraph:
            yield Code(_dedented(paragraph))
        else:
            yield Section("Example", [_joined(paragraph)])


def _parts(doc: str) -> dict[str, list[str]]:
    """The paragraphs of a docstring, by the titles that they stand beneath."""
    parts: dict[str, list[str]] = {"": []}
    title = ""
    for paragraph in doc.split("\n\n"):
        first, _, others = paragraph.partition("\n")
        if not first.startswith(" "):
            title = first if first in TITLED else ""
        parts.setdefault(title, []).append(others if title and first == title else paragraph)
    return parts


def _parameters(page: Definition, given: Mapping[str, Any], explained: Mapping[str, str]) -> Grid:
    """A row a parameter."""
    rows = [["parameter", "default", *["here"] * bool(given), "what it is"]]
    for parameter in page.parameters.values():
        own = given.get(parameter.name, parameter.default)
        here = [toned(format_value(own), "best" if parameter.name in given else None)] * bool(given)
        said = explained.get(parameter.name) or parameter.describe()
        rows.append([parameter.name, format_value(parameter.default), *here, said])
    return Grid(len(rows[0]), rows, "Parameters")


def _items(paragraphs: list[str]) -> dict[str, str]:
    """What a docstring says of each argument."""
    items: dict[str, str] = {}
    name = ""
    for line in _dedented("\n".join(paragraphs)):
        if found := re.match(r"(\w+): (.*)", line):
            name, line = found[1], found[2]
        items[name] = f"{items.get(name, '')} {line.strip()}".strip()
    return items


def _sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph that say what they are of (``Range: …``), each on a line of its own."""
    for own in re.split(r"\n(?=[A-Z][^.,;\n]*: )", paragraph):
        yield _joined(own)


def _dedented(text: str) -> list[str]:
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[indent:] for line in lines]


def _joined(text: str) -> str:
    return " ".join(text.split())
