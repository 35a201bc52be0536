"""What a name is defined by: a function on a page, whose keyword arguments are the grammar of the name.

Pages of measures and of coefficients are both of this; so names are found, parameters checked and all of it
written in one way.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar, get_type_hints

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, did_you_mean
from rankmark.language.grammar import write
from rankmark.language.layout import broken, header_line
from rankmark.language.parameters import Parameter, format_value
from rankmark.rendering.words import brief

__all__ = [
    "GREATEST_CUTOFF",
    "Definition",
    "Meaning",
    "declared",
    "key_of",
    "load",
    "meanings_of",
    "modules_of",
]

FOREIGN: Mapping[str, str] = {
    "judged_only": '; unjudged items are left out by unjudged="ignore"',
    "dcg": "; what another tool calls so is gain=exp2 or gain=linear",
    **dict.fromkeys(
        ("labels", "scores", "grades", "y_true", "y_score", "y_pred"),
        "; data are given in their order, without names: (labels, scores), or (grades)",
    ),
}
"""What other tools have parameters for, as it is said here."""
GREATEST_CUTOFF = 2**53
"""Every whole number up to this is a float64."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Definition:
    """What a page says of its function, and what is read off the function itself.

    Attributes:
        name: the one name.
        function: what computes it.
        parameters: its keyword arguments, but for ``cutoff``.
        takes_cutoff: whether a cutoff can be asked for.
        bounds: least and greatest value, None where there is none.
        aliases: other names.
        variants: names of it with parameters set.

    """

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, Parameter]
    takes_cutoff: bool
    bounds: tuple[float | None, float | None]
    aliases: tuple[str, ...] = ()
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.grammar}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return self.shown(self.name, {})

    def shown(self, written: str, given: Mapping[str, Any]) -> str:
        """The page in a cell of a notebook, of what is written so and has these parameters."""
        from rankmark.language.page_blocks import page_blocks  # which evaluating does without
        from rankmark.rendering.html import in_cell

        return in_cell(page_blocks(self, written, given))

    def __str__(self) -> str:
        return "\n".join([*self.header(), "", *broken(self.doc.replace("`", ""))]).rstrip()

    @property
    def doc(self) -> str:
        """The page as a reader sees it: the function's docstring, with its sources."""
        from rankmark.language.bibliography import cited

        return cited(inspect.getdoc(self.function) or "")

    @property
    def summary(self) -> str:
        """The page's first line."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def accepted(self) -> Mapping[str, Parameter]:
        """The parameters that can be set."""
        return self.parameters

    @property
    def grammar(self) -> str:
        """How it is written, with its defaults: ``AP(rel=1,denominator=relevant)@k``."""
        written = ",".join(f"{p.name}={format_value(p.default)}" for p in self.parameters.values())
        return self.name + (f"({written})" if written else "") + ("@k" if self.takes_cutoff else "")

    def header(self) -> Iterator[str]:
        """What stands above the page: how it is written, and its other names."""
        yield self.grammar
        if self.aliases:
            yield header_line(f"also {', '.join(self.aliases)}")
        for alias, given in self.variants.items():
            yield f"{alias} is {self.written(given)}"

    def written(self, given: Mapping[str, Any], cutoff: int | None = None) -> str:
        """It with these parameters, as text."""
        return write(self.name, self.checked(given), cutoff)

    def checked(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters that differ from their defaults, in the page's order.

        Raises:
            MeasureError: there is no such parameter, or it has no such value.

        """
        for name in given:
            if name in ("k", "cutoff") and self.takes_cutoff:
                raise MeasureError(f"{self.name}: the cutoff is written after the name: {self.name}@10")
            if name not in self.accepted:
                takes = f"takes: {', '.join(self.accepted)}" if self.accepted else "takes none"
                instead = FOREIGN.get(name) or did_you_mean(name, self.accepted)
                raise MeasureError(f"{self.name} has no parameter {name!r}{instead} (it {takes})")
        accepted = {name: p for name, p in self.accepted.items() if name in given}
        checked = {name: p.checked(given[name], self.name) for name, p in accepted.items()}
        return MappingProxyType({n: value for n, value in checked.items() if value != accepted[n].default})

    def checked_cutoff(self, cutoff: Any) -> int | None:
        """The cutoff as a plain number.

        Raises:
            MeasureError: there can be none, or not this one.

        """
        if cutoff is None:
            return None
        if not self.takes_cutoff:
            raise MeasureError(
                f"{self.name}@{brief(cutoff)}: {self.name} takes no cutoff{self._instead(cutoff)}"
            )
        whole = hasattr(cutoff, "__index__") and not isinstance(cutoff, bool)
        if not whole or not 1 <= cutoff.__index__() <= GREATEST_CUTOFF:
            raise MeasureError(f"{self.name}@{brief(cutoff)}: the cutoff is a whole number from 1 to 2**53")
        return int(cutoff.__index__())

    def _instead(self, cutoff: Any) -> str:  # noqa: ARG002
        """What a message says of others that take the cutoff."""
        return ""


def declared(function: Callable[..., Any]) -> tuple[Mapping[str, Parameter], bool]:
    """The parameters that a page's function declares, and whether it takes a cutoff."""
    arguments = list(inspect.signature(function).parameters.values())[1:]
    # What it sees and what it gives are arrays, and no parameters.
    said = SimpleNamespace(__annotations__={a.name: a.annotation for a in arguments})
    hints = get_type_hints(said, function.__globals__, include_extras=True)
    parameters = {
        a.name: Parameter(a.name, hints[a.name], a.default) for a in arguments if a.name != "cutoff"
    }
    return MappingProxyType(parameters), len(parameters) < len(arguments)


def modules_of(folder: ModuleType) -> list[str]:
    """The modules of a folder and of those in it, in alphabetical order of their own names."""
    found = pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")
    pages = [module.name for module in found if not module.ispkg]
    return sorted(pages, key=lambda name: name.rpartition(".")[2])


def load(folder: ModuleType) -> None:
    """Imports all pages of a folder and of those in it, in that order; each says what it defines."""
    for name in modules_of(folder):
        importlib.import_module(name)


Defined = TypeVar("Defined", bound=Definition)


@dataclass(frozen=True, slots=True)
class Meaning(Generic[Defined]):
    """What a name stands for: a page, with parameters."""

    page: Defined
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        title = self.page.summary.partition(":")[0]
        return f"{self.page.written(self.parameters)} ({title[0].lower()}{title[1:].rstrip('.')})"


def meanings_of(pages: Iterable[Defined]) -> Mapping[str, list[Meaning[Defined]]]:
    """The key of every name and alias, and what it can mean: one, unless pages do not agree."""
    pages = list(pages)
    meanings: dict[str, list[Meaning[Defined]]] = {}
    for known in pages:
        claims = [*((alias, {}) for alias in known.aliases), *known.variants.items()]
        for alias, parameters in claims:
            claimed = meanings.setdefault(key_of(alias), [])
            meaning = Meaning(known, parameters)
            if meaning not in claimed:
                claimed.append(meaning)
    return meanings | {key_of(known.name): [Meaning(known, {})] for known in pages}


def key_of(name: str) -> str:
    """A name without what does not tell names apart: case, hyphens, underscores and commas."""
    return name.translate(_IGNORED).lower()


_IGNORED = str.maketrans("", "", "-_,")
