"""Markdown of texts of the code, with links to the pages of what they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import TypeVar

from rankmark.language.bibliography import BIBLIOGRAPHY, KEY
from rankmark.language.choices import Choices
from rankmark.language.conventions.convention import Convention
from rankmark.language.definition import Definition
from rankmark.language.names import parse
from rankmark.language.registry import FIRST, Kind, Page, page_written

T = TypeVar("T")

ROOT = "/reference"
CHOICES = tuple(field.name for field in fields(Choices))
MARKED = re.compile(r"``(.+?)``|`(.+?)`|\[([a-z]+[0-9]{4})\]")


def text(said: str) -> str:
    """A sentence of a docstring: what is code in it is code, and names and sources lead to their pages."""
    shown = []
    end = 0
    for found in MARKED.finditer(said):
        shown.append(escaped(said[end : found.start()]))
        end = found.end()
        shown.append(_marked(found))
    return "".join([*shown, escaped(said[end:])])


def _marked(found: re.Match[str]) -> str:
    literal, name, key = found.groups()
    if key:
        return f"[{escaped(BIBLIOGRAPHY[key])}](#source-{key})" if key in BIBLIOGRAPHY else escaped(found[0])
    said = literal or name
    choice = said.partition("=")[0]
    if choice in CHOICES and (name or "=" in said):
        return linked(code(said), f"choices.md#{choice}")
    if name and page_written(name):
        return measure(name, name)
    return code(said)


def escaped(said: str) -> str:
    """A text in Markdown, where it means itself."""
    return re.sub(r"([\\`*_{}\[\]<>$|~#])", r"\\\1", said)


def code(said: str) -> str:
    """Code in a line."""
    fence = "``" if "`" in said else "`"
    return f"{fence}{said}{fence}"


def linked(shown: str, path: str) -> str:
    """A link to a page of the reference, by its path there."""
    return f"[{shown}]({ROOT}/{path})"


def measure(written: str, shown: str | None = None, kind: Kind = "list") -> str:
    """A link to the page of a measure that is written so, with parameters or without.

    Args:
        written: it.
        shown: what stands in its place.
        kind: of a name that means measures of several kinds, which is meant.

    """
    return defined(page_meant(written, kind), shown or written)


def defined(known: Definition, shown: str | None = None) -> str:
    """A link to the page of a measure or of a coefficient, of which some are called alike."""
    folder = "measures" if isinstance(known, Page) else "coefficients"
    return linked(code(shown or known.name), f"{folder}/{known.name}.md")


def page_meant(written: str, kind: Kind) -> Page:
    """The page of a measure as a convention writes it."""
    name = re.split(r"[(@]", written)[0]
    return page_written(name) or parse(name, FIRST[kind]).page


def tool(record: Convention) -> str:
    """A link to the page of a convention."""
    return linked(escaped(record.name), f"conventions/{record.name}.md")


def parameter(name: str) -> str:
    """A link to what measures have a parameter."""
    return linked(code(name), f"parameters.md#{name.lower()}")


def choices(given: Iterable[tuple[str, str]]) -> str:
    """Choices with their values, each a link to what it means."""
    return ", ".join(linked(code(f"{name}={value}"), f"choices.md#{name}") for name, value in given)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells in Markdown."""
    lines = [header, ["---"] * len(header), *([_cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(shown: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", shown) or " "


def section(title: str, *parts: str) -> str:
    """Parts under a title; nothing where there are none."""
    own = [each for each in parts if each]
    return "\n\n".join([f"## {title}", *own]) if own else ""


def joined(*parts: str) -> str:
    """A page of parts."""
    return "\n\n".join(each.rstrip("\n") for each in parts if each) + "\n"


def leaf(above: str, title: str, *parts: str) -> str:
    """A page of parts that is in no tree, which every page of the site shows: of hundreds it would be slow.

    Args:
        above: the page that lists it, by its path in the reference.
        title: its title.
        *parts: what it says.

    """
    return joined(
        "---\norphan: true\n---",
        f"# {escaped(title)}",
        f"{{.above}}\n{linked('↑ all of them', above)}",
        *parts,
    )


def tree(entries: Iterable[str]) -> str:
    """What puts pages under this one, without a list of them."""
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```"])


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {each}" for each in items)


def definitions(items: Iterable[tuple[str, str]]) -> str:
    """Terms, and what each is."""
    return "\n\n".join(f"{term}\n: {said}" for term, said in items)


def python(lines: Iterable[str]) -> str:
    """An example as one types it."""
    return "\n".join(["```pycon", *lines, "```"])


def per(page_of: Callable[[T], str], names: Iterable[T]) -> str:
    """Links one after another."""
    return ", ".join(map(page_of, names))


def sources(doc: str) -> list[str]:
    """The keys of the sources that a docstring names, each once."""
    return [key for key in dict.fromkeys(KEY.findall(doc)) if key in BIBLIOGRAPHY]
