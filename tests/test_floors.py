"""Data goes down one street: what imports what, at the top of a module, lazily or for types alone.

ARCHITECTURE.md says what each floor is for. A module imports from its own folder or from lower floors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "rankmark"

FLOORS = """
_native
dataclassing _numpy
errors panics progress forking stopping
tools
calling
naming deprecating
rendering
figures
statistics
kinds
language
measures coefficients
inputs
aggregation
engines
results
api
loading
comparing
explaining
checks
peers
judges pools logs candidates preferences answers
pictures
reports
hooks compat
faces
commands
cli
__main__
"""
"""The lowest first; those on one line do not import each other."""
RANKS = {name: rank for rank, line in enumerate(FLOORS.split("\n")) for name in line.split()}

FACES = {"rankmark", "rankmark.results"}
"""What says where public names live, and computes nothing: users see them, and so does the command line."""
UPWARDS = {
    ("rankmark.language.registry", "rankmark.measures"),
    ("rankmark.language.coefficient", "rankmark.coefficients"),
    ("rankmark.language.measure", "rankmark.api.called"),
    ("rankmark.figures.registry", "rankmark.pictures"),
    ("rankmark.rendering.shown", "rankmark.figures"),
    ("rankmark.results.reported", "rankmark.reports.report"),
}
"""The only arrows upwards: a registry finds the pages by looking into their folder, a measure that is called
with data the door that evaluates it, whatever is shown its pictures, and results and
comparisons their report."""
GREATEST_CIRCLE = 3


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.split(".")[0] == "rankmark")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rankmark":
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield inner if inner in MODULES or inner == "rankmark._native" else str(node.module)


ARROWS = {name: set(imported(path)) - {name} for name, path in MODULES.items()}


def floor(module: str) -> str:
    return "faces" if module in FACES else module.split(".")[1]


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """The greatest sets in which each can be reached from each."""
    reached: dict[str, set[str]] = {}
    for start in arrows:
        found: set[str] = set()
        ahead = [start]
        while ahead:
            new = arrows.get(ahead.pop(), set()) - found
            found |= new
            ahead.extend(new)
        reached[start] = found
    sets = {frozenset(two for two in reached[one] if one in reached.get(two, set())) for one in arrows}
    return [set(each) for each in sets if each]


def test_every_module_stands_on_a_floor() -> None:
    assert {floor(name) for name in MODULES} <= RANKS.keys()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_from_its_own_floor_or_lower_ones(name: str) -> None:
    upwards = {
        other
        for other in ARROWS[name]
        if (name, other) not in UPWARDS and RANKS[floor(other)] > RANKS[floor(name)]
    }
    assert not upwards


def test_no_circle_runs_through_two_folders_or_more_than_three_modules() -> None:
    arrows = dict(ARROWS)
    for low, high in UPWARDS:
        arrows[low] = arrows[low] - {high}
    for circle in circles(arrows):
        folders = {MODULES[name].parent for name in circle}
        assert len(folders) == 1, sorted(circle)
        assert len(circle) <= GREATEST_CIRCLE, sorted(circle)


def test_the_measure_of_circles_finds_them() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
