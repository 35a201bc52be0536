"""A page for each tool whose numbers can be had, and tables of what they do otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from _generators import words
from _generators.pages import page
from rankmark.errors import MeasureError
from rankmark.language.choices import Choices
from rankmark.language.conventions.convention import TITLES, Convention, conventions

PLACE = 20
COMMON = ("nDCG@10", "AP@10", "P@10", "R@10", "HR@10", "RR@10", "AUC", "LogLoss")


def write(folder: Path) -> Path:
    """Writes the pages of conventions, and the list of all."""
    for record in conventions().values():
        page(folder / "conventions" / f"{record.name}.md", convention_page(record))
    return page(folder / "conventions" / "index.md", convention_index())


def convention_index() -> str:
    """Tables of all tools."""
    known = conventions()
    standard = Choices()
    shown = [name for name in words.CHOICES if any(name in record.choices for record in known.values())]
    header = [words.linked(words.code(name), f"choices.md#{name}") for name in shown]
    usual = [f"*{getattr(standard, name)}*" for name in shown]
    rows = (
        [words.tool(record), *(words.escaped(record.choices.get(name, "")) for name in shown)]
        for record in known.values()
    )
    return words.joined(
        "# Conventions",
        "The numbers of other tools: `like=` in Python, `--like` on the command line. Each record says which "
        "version of the tool it follows.",
        words.section(
            "What tools do otherwise",
            "Empty cells are as in the first row.",
            words.table(["tool", *header], [["*rankmark*", *usual], *rows]),
        ),
        words.section(
            "What tools mean by the same name",
            "What a measure of this name is under each convention; empty where the tool has none.",
            words.table(["tool", *map(words.measure, COMMON)], map(_meanings, known.values())),
        ),
        words.section("Versions", words.table(["tool", "version"], map(_version, known.values()))),
    )


def _version(record: Convention) -> list[str]:
    return [words.tool(record), words.escaped(f"{record.tool} {record.version}")]


def _meanings(record: Convention) -> list[str]:
    return [words.tool(record), *(_meaning(record, asked) for asked in COMMON)]


def _meaning(record: Convention, asked: str) -> str:
    try:
        found = record.measure(asked)
    except MeasureError:
        return ""
    return words.code(str(found)) if str(found) != asked else "the same"


def convention_page(record: Convention) -> str:
    """The page of a convention."""
    also = f" Also called {words.per(words.code, record.aliases)}." if record.aliases else ""
    names = (words.section(title, *_names(record, title)) for title in TITLES.values())
    return words.leaf(
        "conventions/index.md",
        record.name,
        f'{words.escaped(f"{record.tool} {record.version}")}: `like="{record.name}"`.{also}',
        words.section("Choices that differ from the standard", _choices(record)),
        *names,
        words.section("How to compare", words.bullets(map(words.text, record.notes))),
        words.section(
            "What cannot be reproduced", words.bullets(words.text(str(each)) for each in record.cannot)
        ),
        words.section("Had otherwise", words.bullets(_otherwise(record))),
    )


def _choices(record: Convention) -> str:
    standard = Choices()
    rows = [
        [
            words.linked(words.code(name), f"choices.md#{name}"),
            words.code(value),
            words.code(str(getattr(standard, name))),
        ]
        for name, value in record.choices.items()
    ]
    rows += [["ids of items", "text", "as they come"]] * record.text_items
    return words.table(["choice", "there", "standard"], rows) if rows else "None."


def _names(record: Convention, title: str) -> Iterator[str]:
    kind = next(kind for kind, own in TITLES.items() if own == title)
    rows = [
        [words.code(each.name), words.measure(each.measure, kind=kind), words.choices(each.choices.items())]
        for each in record.named(kind)
    ]
    if any(choices for *_, choices in rows):
        yield words.table(["there", "here", "with these choices"], rows)
    elif rows:
        yield words.table(["there", "here"], (row[:2] for row in rows))


def _otherwise(record: Convention) -> Iterator[str]:
    for name, said in record.otherwise.items():
        yield f"{words.measure(name)}: {words.text(said)}."
