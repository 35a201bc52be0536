"""A page for each measure and each coefficient of agreement, and their lists."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from _generators import words
from _generators.pages import page
from _generators.rewards import picture_of
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.conventions.convention import TITLES, Convention, Named, conventions
from rankmark.language.definition import Definition
from rankmark.language.manual import measure_groups
from rankmark.language.page_parts import PageParts, parts_of
from rankmark.language.parameters import Parameter, format_value
from rankmark.language.registry import Kind, Page, pages
from rankmark.rendering.blocks import Code, Formulas
from rankmark.rendering.html import html

PLACE = 10
FACT = re.compile(r"([A-Z][^.:]*): (.*)", re.DOTALL)
"""A sentence that says what it is of."""
BETTER = {"more": "A greater value is better.", "less": "A smaller value is better.", "neither": ""}
OF: Mapping[Kind, str] = {
    "list": "Looks at the judged items of each list: `rm.evaluate`, `rankmark eval`.",
    "item": "Looks at what is recommended: `rm.evaluate`, `rankmark eval`.",
    "row": "Looks at labelled scores: `rm.evaluate_predictions`, `rankmark predictions`.",
    "class": "Looks at scores of classes: `rm.evaluate_predictions`, `rankmark predictions`.",
}
TOGETHER = {
    "mean": "Each query has a value; that of a run is their mean.",
    "sum": "Each query has a value; that of a run is their sum.",
    "ratio": "Each query has a numerator and a denominator; the value of a run is the ratio of their sums.",
    "rows": "All rows together have a value.",
    "run": "A run as a whole has a value.",
}


def write(folder: Path) -> Path:
    """Writes the pages of measures and of coefficients, and the list of all."""
    for known in pages().values():
        page(folder / "measures" / f"{known.name}.md", measure_page(known))
    for coefficient in coefficient_pages().values():
        page(folder / "coefficients" / f"{coefficient.name}.md", coefficient_page(coefficient))
    page(folder / "coefficients" / "index.md", coefficient_index())
    return page(folder / "measures" / "index.md", measure_index())


def measure_index() -> str:
    """The list of measures, in groups."""
    groups = (words.section(title, _listed(known)) for title, known in measure_groups().items())
    agreement = words.linked("coefficients of agreement", "coefficients/index.md")
    intro = (
        "Written `Name(parameter=value,…)@cutoff`, such as `nDCG(gain=exp2)@10`: in Python, on the command "
        f"line and in tables alike. How far rankings agree with each other is said by {agreement}."
    )
    return words.joined("# Measures", intro, *groups, words.tree(["../coefficients/index"]))


def _listed(known: list[Page]) -> str:
    rows = (
        [words.measure(each.name), words.text(each.summary), words.escaped(", ".join(_other_names(each)))]
        for each in known
    )
    return words.table(["measure", "what it is", "also called"], rows)


def coefficient_index() -> str:
    """The list of coefficients."""
    known = coefficient_pages()
    rows = ([words.defined(each, each.grammar), words.text(each.summary)] for each in known.values())
    return words.joined(
        "# Coefficients of agreement",
        "How far two rankings agree: `rm.agree`, `rankmark agree`.",
        words.table(["coefficient", "what it is"], rows),
    )


def _other_names(of: Definition) -> list[str]:
    return list(dict.fromkeys((*of.aliases, *of.variants)))


def measure_page(known: Page) -> str:
    """The page of a measure."""
    facts = filter(None, (OF[known.kind], TOGETHER[known.aggregate], BETTER[known.better]))
    return _page(
        "measures/index.md", known, words.bullets(facts), words.section("Who computes it", _users(known))
    )


def coefficient_page(known: Definition) -> str:
    """The page of a coefficient."""
    return _page("coefficients/index.md", known, "", "")


def _page(above: str, known: Definition, facts: str, users_of_it: str) -> str:
    doc = inspect.getdoc(known.function) or ""
    parts = parts_of(doc)
    return words.leaf(
        above,
        known.name,
        words.text(parts.summary),
        f"```text\n{known.grammar}\n```",
        facts,
        words.section("Definition", *_body(parts)),
        words.section("What it rewards", _picture(known)),
        words.section("Parameters", _parameters(known, parts)),
        words.section("Example", *_example(parts)),
        words.section("Names", _names(known)),
        users_of_it,
        words.section("Sources", _sources(doc)),
    )


def _picture(known: Definition) -> str:
    """Its values where one thing changes."""
    figure = picture_of(known)
    if figure is None:
        return "It is the same in all the simple data of which other pages have a picture."
    broad, narrow = figure.to_svg(), replace(figure, columns=1).to_svg(width=360)
    shown = f'<div class="rewards broad">{broad}</div><div class="rewards narrow">{narrow}</div>'
    # Sphinx marks what was searched for in pictures, too, where titles are no boxes that it could paint.
    shown = re.sub(r"<(title|desc)\b", r'<\1 class="nohighlight"', shown)
    return f"```{{raw}} html\n{shown}\n```"


def _body(parts: PageParts) -> Iterator[str]:
    """Formulas and what is said of them; the sources stand apart."""
    for each in parts.body:
        if isinstance(each, Formulas):
            yield formulas(each)
            continue
        yield from (_fact(said) for said in each if not said.startswith("Source: "))


def formulas(block: Formulas) -> str:
    """Formulas, typeset."""
    return f'```{{raw}} html\n<div class="formulas">{html([block])}</div>\n```'


def _fact(said: str) -> str:
    found = FACT.fullmatch(said)
    return f"**{words.text(found[1])}:** {words.text(found[2])}" if found else words.text(said)


def _parameters(known: Definition, parts: PageParts) -> str:
    return words.definitions(
        (_parameter(each), words.text(parts.arguments.get(name) or _mean_of(name) or each.describe()))
        for name, each in known.accepted.items()
    )


def _parameter(each: Parameter) -> str:
    others = [format_value(word) for word in each.choices if word != each.default]
    values = f" (or {', '.join(map(words.code, others))})" if others else ""
    return f"{words.parameter(each.name)} = {words.code(format_value(each.default))}{values}"


def _mean_of(name: str) -> str:
    return "how the values of queries become one." if name == "mean" else ""


def _example(parts: PageParts) -> Iterator[str]:
    for each in parts.example:
        yield words.python(each.lines) if isinstance(each, Code) else words.text(each)


def _names(known: Definition) -> str:
    also = [f"Also called {words.per(words.code, known.aliases)}."] if known.aliases else []
    variants = (
        f"{words.code(name)} is {words.code(known.written(given))}." for name, given in known.variants.items()
    )
    return words.bullets([*also, *variants])


def _users(known: Page) -> str:
    """A row for all names of a tool that are the same but for the cutoff."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for record, each in users().get(known.name, ()):
        own = words.choices({**record.choices, **each.choices}.items())
        alike = words.tool(record), words.code(each.measure.removesuffix("@<k>")), own
        rows.setdefault(alike, []).append(words.code(each.name))
    header = ["tool", "what it is called there", "what that is here", "with these choices"]
    found = ([tool, ", ".join(names), here, own] for (tool, here, own), names in rows.items())
    return words.table(header, found) if rows else ""


@cache
def users() -> Mapping[str, list[tuple[Convention, Named]]]:
    """The tools that compute each measure, by its name, and what they call it."""
    found: dict[str, list[tuple[Convention, Named]]] = {}
    for record in conventions().values():
        for kind in TITLES:
            for each in record.named(kind):
                found.setdefault(words.page_meant(each.measure, kind).name, []).append((record, each))
    return found


def _sources(doc: str) -> str:
    return words.bullets(words.text(f"[{key}]") + "." for key in words.sources(doc))
