"""A page for each public name, or for those of a module, of their docstrings."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import rankmark as rm
from _generators import words
from _generators.pages import page
from rankmark.figures.registry import Picture, pictures
from rankmark.language.page_parts import parts_of
from rankmark.language.registry import pages

PLACE = 40
HOMES: Mapping[str, str] = vars(rm.statistics)["_HOME"]
"""The module of each name of `rankmark.statistics`."""


def write(folder: Path) -> Path:
    """Writes the pages of public names, and the list of all."""
    own = folder / "api"
    doors = [
        name for name in rm.__all__ if name not in pages() and not isinstance(getattr(rm, name), ModuleType)
    ]
    errors = [name for name in doors if _is_error(getattr(rm, name))]
    functions = [name for name in doors if not isinstance(getattr(rm, name), type)]
    classes = [name for name in doors if name not in (*errors, *functions)]
    for name in (*functions, *classes):
        page(own / f"{name}.md", _page(rm, name))
    results = rm.results
    for name in results.__all__:
        page(own / "results" / f"{name}.md", _page(results, name))
    page(
        own / "results" / "index.md",
        words.joined(
            "# Results",
            words.text(_doc(results)),
            f"What several have in common has {words.linked('a page of its own', 'api/results/shared.md')}.",
            _listed(results, results.__all__, "results/"),
        ),
    )
    page(own / "results" / "shared.md", _shared_page([getattr(results, name) for name in results.__all__]))
    page(
        own / "errors.md",
        words.joined("# Errors", *(_directive("rankmark", name, getattr(rm, name)) for name in errors)),
    )
    for name, module in _modules().items():
        page(own / f"{name}.md", _module_page(name, module))
    statistics = _statistics()
    for name, names in statistics.items():
        page(own / "statistics" / f"{name}.md", _statistics_page(name, names))
    page(own / "statistics" / "index.md", _statistics_index(statistics))
    page(own / "pictures.md", _picture_page())
    entries = ["results/index", "statistics/index", "pictures", "errors"]
    return page(
        own / "index.md",
        words.joined(
            "# Python",
            "`import rankmark as rm`; the measures, which are functions too, have "
            f"{words.linked('pages of their own', 'measures/index.md')}.",
            words.section("Functions", _listed(rm, functions)),
            words.section("Classes", _listed(rm, classes)),
            words.section("Errors", _listed(rm, errors)),
            words.section("Modules", words.bullets(_module_links())),
            words.tree(entries),
        ),
    )


def _module_links() -> Iterator[str]:
    yield f"{words.linked('`rm.results`', 'api/results/index.md')}: {_summary(rm.results)}"
    yield f"{words.linked('`rm.statistics`', 'api/statistics/index.md')}: {_summary(rm.statistics)}"
    yield f"{words.linked('`rm.pictures`', 'api/pictures.md')}: {_summary(rm.pictures)}"
    for name, module in _modules().items():
        yield f"{words.linked(words.code(f'rm.{name}'), f'api/{name}.md')}: {_summary(module)}"


def _modules() -> Mapping[str, ModuleType]:
    """The modules of which each has a page of all its names, those in it included."""
    found = {"spark": rm.spark, "hooks": rm.hooks}
    found |= {
        f"hooks.{name}": each
        for name in rm.hooks.__all__
        if isinstance(each := getattr(rm.hooks, name), ModuleType)
    }
    return found | {f"compat.{name}": getattr(rm.compat, name) for name in rm.compat.__all__}


def _page(module: ModuleType, name: str) -> str:
    above = "api/results/index.md" if module is rm.results else "api/index.md"
    return words.leaf(above, name, _directive(module.__name__, name, getattr(module, name)))


def _shared_page(classes: list[type[Any]]) -> str:
    """What results have of classes that have no public name."""
    bases = dict.fromkeys(base for each in classes for base in each.__mro__[1:] if base not in classes)
    own = [each for each in bases if each.__module__.startswith("rankmark.") and _has_members(each)]
    directives = (_directive(each.__module__, each.__name__, each) for each in own)
    return words.leaf("api/results/index.md", "What results have in common", *directives)


def _has_members(found: type[Any]) -> bool:
    return any(not name.startswith("_") for name in vars(found))


def _module_page(name: str, module: ModuleType) -> str:
    own = {
        each: getattr(module, each)
        for each in getattr(module, "__all__", ())
        if each not in rm.results.__all__
    }
    inner = [
        words.linked(words.code(f"rm.{name}.{each}"), f"api/{name}.{each}.md")
        for each, found in own.items()
        if isinstance(found, ModuleType)
    ]
    return words.leaf(
        "api/index.md",
        f"rm.{name}",
        *map(words.text, _doc(module).split("\n\n")),
        words.bullets(inner),
        *(
            _directive(f"rankmark.{name}", each, found)
            for each, found in own.items()
            if not isinstance(found, ModuleType)
        ),
    )


def _directive(module: str, name: str, found: object) -> str:
    """What autodoc makes the page of a name of."""
    full = f"{module}.{name}"
    if _is_error(found):
        lines = [f".. autoexception:: {full}", "   :show-inheritance:"]
    elif isinstance(found, type):
        lines = [f".. autoclass:: {full}", "   :members:", "   :show-inheritance:"]
    elif callable(found):
        lines = [f".. autofunction:: {full}"]
    else:
        return _data(module, name)
    return "\n".join(["```{eval-rst}", *lines, "```"])


def _data(module: str, name: str) -> str:
    """A value, of which the line beneath it in its own module says what it is."""
    home = HOMES.get(name, module.removeprefix("rankmark."))
    said = " ".join(_said_beneath(importlib.import_module(f"rankmark.{home}"), name).split())
    return "\n".join(["```{eval-rst}", f".. py:data:: {module}.{name}", "", f"   {said}", "```"])


def _said_beneath(module: ModuleType, name: str) -> str:
    """The text beneath the line that makes a value."""
    for made, said in itertools.pairwise(ast.parse(inspect.getsource(module)).body):
        targets = made.targets if isinstance(made, ast.Assign) else [getattr(made, "target", None)]
        named = any(isinstance(each, ast.Name) and each.id == name for each in targets)
        if named and isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant):
            return str(said.value.value)
    return ""


def _is_error(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, BaseException)


def _doc(found: object) -> str:
    return inspect.getdoc(found) or ""


def _summary(found: object) -> str:
    return words.text(_doc(found).partition("\n\n")[0].replace("\n", " "))


def _listed(module: ModuleType, names: Iterable[str], path: str = "") -> str:
    """A table of names with what they are."""
    rows = ([_link(module, name, path), _summary(getattr(module, name))] for name in names)
    return words.table(["name", "what it is"], rows)


def _link(module: ModuleType, name: str, path: str) -> str:
    if _is_error(getattr(module, name)):
        return f"{{py:exc}}`~rankmark.{name}`"
    return words.linked(words.code(name), f"api/{path}{name}.md")


def _statistics() -> Mapping[str, list[str]]:
    """The names of each module of `rankmark.statistics`."""
    found: dict[str, list[str]] = {}
    for name in rm.statistics.__all__:
        home = HOMES[name].rpartition(".")[2]
        found.setdefault(home, []).append(name)
    return dict(sorted(found.items()))


def _statistics_page(name: str, names: list[str]) -> str:
    module = importlib.import_module(f"rankmark.statistics.{name}")
    directives = (_directive("rankmark.statistics", each, getattr(rm.statistics, each)) for each in names)
    told = words.text(_doc(module).replace("\n", " "))
    return words.leaf("api/statistics/index.md", name, told, *directives)


def _statistics_index(found: Mapping[str, list[str]]) -> str:
    rows = (
        [
            words.linked(words.code(home), f"api/statistics/{home}.md"),
            words.per(lambda each: words.code(each), names),
        ]
        for home, names in found.items()
    )
    told = map(words.text, _doc(rm.statistics).split("\n\n")[:2])
    return words.joined("# Statistics", *told, words.table(["of", "names"], rows))


def _picture_page() -> str:
    known = sorted(pictures().values(), key=lambda each: each.name.lower())
    return words.joined(
        "# Pictures",
        *map(words.text, _doc_of_pictures()),
        *(words.section(words.escaped(each.name), *_picture(each)) for each in known),
    )


def _doc_of_pictures() -> list[str]:
    return str(vars(rm.pictures)["__doc__"]).split("\n\n")


def _picture(each: Picture) -> Iterator[str]:
    yield words.text(each.summary)
    of = (_class(kind) for kind in each.of)
    yield f"A picture of {', '.join(of)}."
    arguments = parts_of(_doc(each.function)).arguments
    yield words.definitions(
        (words.code(name), words.text(arguments.get(name, option.told)))
        for name, option in each.options.items()
    )


def _class(kind: type[Any]) -> str:
    name = kind.__name__
    return (
        words.linked(words.code(name), f"api/results/{name}.md")
        if name in rm.results.__all__
        else words.code(name)
    )
