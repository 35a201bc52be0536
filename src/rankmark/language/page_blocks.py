"""The page of a measure or a coefficient as blocks, of which a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.language.page_parts import parts_of
from rankmark.language.parameters import format_value
from rankmark.rendering.blocks import Block, Code, Formulas, Grid, Prose, Section, toned

if TYPE_CHECKING:
    from rankmark.language.definition import Definition

__all__ = ["page_blocks"]


def page_blocks(page: Definition, written: str, given: Mapping[str, Any]) -> Iterator[Block]:
    """What a page says: formula, parameters, other names, sources and example.

    Args:
        page: which.
        written: the measure or coefficient of it that is shown.
        given: its parameters that are not the page's defaults.

    """
    parts = parts_of(page.doc.replace("`", ""))
    is_same = page.grammar.startswith(f"{written}(") or page.grammar == written
    yield Section(written, [parts.summary])
    if not is_same:
        yield Prose([page.grammar])
    for each in parts.body:
        yield each if isinstance(each, Formulas) else Section("", list(each))
    if page.parameters:
        yield _parameters(page, given, parts.arguments)
    if names := list(page.header())[1:]:
        yield Section("Other names", [" ".join(name.split()) for name in names])
    for part in parts.example:
        yield part if isinstance(part, Code) else Section("Example", [part])


def _parameters(page: Definition, given: Mapping[str, Any], explained: Mapping[str, str]) -> Grid:
    """A row a parameter."""
    rows = [["parameter", "default", *["here"] * bool(given), "what it is"]]
    for parameter in page.parameters.values():
        own = given.get(parameter.name, parameter.default)
        here = [toned(format_value(own), "best" if parameter.name in given else None)] * bool(given)
        said = explained.get(parameter.name) or parameter.describe()
        rows.append([parameter.name, format_value(parameter.default), *here, said])
    return Grid(len(rows[0]), rows, "Parameters")
