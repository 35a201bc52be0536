"""The choices that change a number, and the parameters of measures, with the tools that use each value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from _generators import words
from _generators.measures import users
from _generators.pages import page
from rankmark.language.choices import Choices, values_of
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.conventions.convention import conventions
from rankmark.language.definition import Definition
from rankmark.language.page_parts import parts_of
from rankmark.language.parameters import format_value
from rankmark.language.registry import pages

PLACE = 30
GIVEN = re.compile(r"[(,](\w+)=(\{.*?\}|\[.*?\]|[^,()]+)")
"""A parameter in a measure as it is written."""


def write(folder: Path) -> Path:
    """Writes the page of choices and that of parameters."""
    page(folder / "parameters.md", parameter_page())
    return page(folder / "choices.md", choice_page())


def choice_page() -> str:
    """Every choice with its values."""
    parts = parts_of(inspect.getdoc(Choices) or "")
    sections = (
        words.section(words.escaped(name), *_choice(name, said)) for name, said in parts.arguments.items()
    )
    parameters = words.linked("parameters of the measures", "parameters.md")
    intro = (
        "Each is an argument of `rm.evaluate` and an option of `rankmark eval`, changes numbers, and stands "
        f"in the signature. What only some measures ask, such as gains, is said by the {parameters}."
    )
    return words.joined("# Choices", intro, *sections, words.tree(["parameters"]))


def _choice(name: str, said: str) -> Iterator[str]:
    yield words.text(said[0].upper() + said[1:])
    if values := values_of(name):
        yield words.table(["value", "tools"], ([words.code(each), _tools(name, each)] for each in values))
    else:
        yield f"Unless it is said: {words.code(str(getattr(Choices(), name)))}."


def _tools(name: str, value: str) -> str:
    """The conventions that make a choice so."""
    known = conventions().values()
    always = [record for record in known if record.choices.get(name, "") == value]
    at_times = [
        record
        for record in known
        if record not in always
        and any(
            each.choices.get(name) == value
            for kind in ("list", "item", "row", "class")
            for each in record.named(kind)
        )
    ]
    said = ", ".join(
        [*map(words.tool, always), *(f"{words.tool(each)} (some measures)" for each in at_times)]
    )
    if value != values_of(name)[0]:
        return said
    below = any(_tools(name, each) for each in values_of(name)[1:])
    return f"{'all that are not below' if below else 'all'}{'; ' + said if said else ''}"


def parameter_page() -> str:
    """Every parameter of measures and coefficients, with the measures that have it."""
    found: dict[str, list[Definition]] = {}
    for known in (*pages().values(), *coefficient_pages().values()):
        for name in known.accepted:
            found.setdefault(name, []).append(known)
    used = uses()
    sections = (
        words.section(words.escaped(name), _measures(name, found[name]), _values(used.get(name, {})))
        for name in sorted(found, key=str.lower)
    )
    return words.joined(
        "# Parameters of measures", "What each means stands on the page of the measure.", *sections
    )


def _measures(name: str, known: list[Definition]) -> str:
    rows: dict[tuple[str, str], list[Definition]] = {}
    for each in known:
        parameter = each.accepted[name]
        said = parameter.describe()
        rows.setdefault((said, format_value(parameter.default)), []).append(each)
    return words.table(
        ["it is", "unless said", "of"],
        (
            [words.escaped(said), words.code(default), words.per(words.defined, own)]
            for (said, default), own in rows.items()
        ),
    )


def _values(used: Mapping[str, list[str]]) -> str:
    rows = ([words.code(value), ", ".join(tools)] for value, tools in used.items())
    return words.table(["value", "tools that have it of some measure"], rows) if used else ""


def uses() -> Mapping[str, Mapping[str, list[str]]]:
    """The tools that give each value of each parameter."""
    found: dict[str, dict[str, list[str]]] = {}
    for known in users().values():
        for record, each in known:
            for name, value in GIVEN.findall(each.measure):
                tools = found.setdefault(name, {}).setdefault(value, [])
                if words.tool(record) not in tools:
                    tools.append(words.tool(record))
    return found
