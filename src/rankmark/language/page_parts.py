"""The docstring of a page, taken apart: what notebooks and the site show of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Code, Formulas

__all__ = ["PageParts", "parts_of"]

TITLED = ("Args:", "Attributes:", "Example:", "Raises:")
"""Parts of a docstring that have lines of their own, indented, beneath their titles."""


@dataclass(frozen=True, slots=True)
class PageParts:
    """What a docstring says, in the order in which it says it.

    Attributes:
        summary: its first sentence.
        body: formulas, and sentences, of which those that say what they are of (``Range: …``) stand apart.
        arguments: what it says of each parameter, or attribute.
        example: sentences and code of the worked example.

    """

    summary: str
    body: Sequence[Formulas | Sequence[str]]
    arguments: Mapping[str, str]
    example: Sequence[Code | str]


def parts_of(doc: str) -> PageParts:
    """The parts of a docstring."""
    parts = _titled(doc)
    summary, *paragraphs = parts.pop("") or [""]
    example = parts.get("Example:", [])
    return PageParts(
        _joined(summary),
        [_formulas(each) or list(_sentences(each)) for each in paragraphs],
        _items(parts.get("Args:") or parts.get("Attributes:", [])),
        [Code(_dedented(each)) if ">>>" in each else _joined(each) for each in example],
    )


def _joined(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


def _titled(doc: str) -> dict[str, list[str]]:
    """The paragraphs of a docstring, by the titles that they stand beneath."""
    parts: dict[str, list[str]] = {"": []}
    title = ""
    for paragraph in doc.split("\n\n"):
        first, _, others = paragraph.partition("\n")
        if not first.startswith(" "):
            title = first if first in TITLED else ""
        parts.setdefault(title, []).append(others if title and first == title else paragraph)
    return parts


def _formulas(paragraph: str) -> Formulas | None:
    """The formulas of a paragraph that is nothing else."""
    lines = paragraph.splitlines()
    is_formula = all(line.startswith("    ") for line in lines)
    return Formulas([line.strip() for line in lines]) if is_formula else None


def _sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph that say what they are of, each on a line of its own."""
    for own in re.split(r"\n(?=[A-Z][^.,;\n]*: )", paragraph):
        yield _joined(own)


def _items(paragraphs: list[str]) -> dict[str, str]:
    """What a docstring says of each argument."""
    items: dict[str, str] = {}
    name = ""
    for line in _dedented("\n".join(paragraphs)):
        if found := re.match(r"(\w+): (.*)", line):
            name, line = found[1], found[2]
        items[name] = f"{items.get(name, '')} {line.strip()}".strip()
    return items


def _dedented(text: str) -> list[str]:
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[indent:] for line in lines]
