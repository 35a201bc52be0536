"""Coefficients of agreement between two rankings: the registry of their pages, and one with its parameters.

A coefficient is written ``Name(parameter=value)@cutoff``, as a measure is. Its definition is a page: a
function in a module of `rankmark.coefficients`; the folder is the registry.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, did_you_mean
from rankmark.language.definition import Definition, Meaning, declared, key_of, load, meanings_of
from rankmark.language.grammar import read, split_measures, write

if TYPE_CHECKING:
    from rankmark._native import CompiledCoefficient
    from rankmark.kinds.lists import Values
    from rankmark.kinds.pairs import Pairs

__all__ = [
    "Coefficient",
    "coefficient",
    "coefficient_page",
    "coefficient_pages",
    "coefficients_of",
    "values_of",
]

Function: TypeAlias = "Callable[..., Values]"

Compiled: TypeAlias = "Callable[[Mapping[str, Any]], CompiledCoefficient | None]"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CoefficientPage(Definition):
    """What a page of a coefficient says.

    Attributes:
        compiled: gives of the arguments, the cutoff included, what the core computes in the place of the
            function of lists without equal scores, with the same values to the last bit; None where it does
            not.

    """

    compiled: Compiled | None = None


_PAGES: dict[str, CoefficientPage] = {}


def coefficient(
    name: str,
    *,
    bounds: tuple[float, float],
    aliases: tuple[str, ...] = (),
    compiled: Compiled | None = None,
) -> Callable[[Function], Function]:
    """Makes a function the page of a coefficient.

    The function takes `Pairs` and returns one value a query, NaN where there is none. Its keyword arguments
    are the coefficient's parameters.

    Args:
        name: the coefficient's one name.
        bounds: least and greatest value.
        aliases: other names, besides those that differ only in case, hyphens and underscores.
        compiled: as of `CoefficientPage`.

    """

    def register(function: Function) -> Function:
        parameters, _ = declared(function)
        _PAGES[name] = CoefficientPage(
            name=name,
            function=function,
            parameters=parameters,
            takes_cutoff=True,
            bounds=bounds,
            aliases=aliases,
            compiled=compiled,
        )
        return function

    return register


@functools.cache
def coefficient_pages() -> Mapping[str, CoefficientPage]:
    """Every page by its coefficient's name, in alphabetical order of the modules."""
    from rankmark import coefficients

    load(coefficients)
    return dict(_PAGES)


@functools.cache
def _meanings() -> Mapping[str, list[Meaning[CoefficientPage]]]:
    return meanings_of(coefficient_pages().values())


def coefficient_page(name: str) -> CoefficientPage | None:
    """The page of a coefficient's name or alias; None if there is no such coefficient."""
    found = _meanings().get(key_of(name))
    return found[0].page if found else None


@dataclass(frozen=True, slots=True, repr=False)
class Coefficient:
    """A coefficient with its parameters, such as ``RBO(p=0.9)@100``; written so by ``str``.

    Attributes:
        name: its name.
        parameters: those that were set to something else than their default.
        cutoff: how many items of each list count; None for all.

    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        page = coefficient_page(self.name)
        if page is None:
            known = coefficient_pages()
            hint = did_you_mean(self.name, known)
            raise MeasureError(f"no coefficient {self.name!r}{hint or ';'} there are {', '.join(known)}")
        object.__setattr__(self, "name", page.name)
        object.__setattr__(self, "parameters", dict(page.checked(self.parameters)))
        object.__setattr__(self, "cutoff", page.checked_cutoff(self.cutoff))

    @property
    def page(self) -> CoefficientPage:
        """The coefficient's definition."""
        return coefficient_pages()[self.name]

    @property
    def doc(self) -> str:
        """What it computes, with the formula, the parameters and the source."""
        return self.page.doc

    @property
    def compiled(self) -> CompiledCoefficient | None:
        """What the core computes in its place, if it does: of lists without equal scores."""
        page = self.page
        given = {name: parameter.default for name, parameter in page.parameters.items()} | dict(
            self.parameters
        )
        return page.compiled and page.compiled({**given, "cutoff": self.cutoff})

    def compute(self, pairs: Pairs) -> Values:
        """One value a query; NaN where it is not defined."""
        first, *others = pairs.parts()
        if not others:
            return values_of([self], first)[0]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(os.cpu_count()) as pool:  # arrays this long are computed without the GIL
            parts = pool.map(functools.partial(values_of, [self]), [first, *others])
            return np.concatenate([values for (values,) in parts])

    @classmethod
    def parse(cls, text: str) -> Coefficient:
        """The coefficient written as `text`.

        Raises:
            MeasureError: there is no such coefficient, parameter or value.

        """
        return cls(*read(text.strip(), "coefficient"))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """What notebooks show: the coefficient's page."""
        return self.page.shown(str(self), self.parameters)

    def __str__(self) -> str:
        return write(self.name, self.parameters, self.cutoff)


def values_of(coefficients: Sequence[Coefficient], pairs: Pairs) -> list[Values]:
    """One value a query of each, at once: lists are cut once for all that have the same cutoff."""
    tops = {cutoff: pairs.top(cutoff) for cutoff in {each.cutoff for each in coefficients}}
    return [each.page.function(tops[each.cutoff], **each.parameters) for each in coefficients]


def coefficients_of(asked: str | Coefficient | Iterable[str | Coefficient]) -> tuple[Coefficient, ...]:
    """The coefficients asked for, by their names or themselves, each once.

    Raises:
        MeasureError: there is no such coefficient, or none was asked for.

    """
    several = asked if isinstance(asked, Iterable) and not isinstance(asked, str) else [asked]
    each = [one for text in several for one in (split_measures(text) if isinstance(text, str) else [text])]
    if wrong := [one for one in each if not isinstance(one, str | Coefficient)]:
        raise MeasureError(f"{wrong[0]!r} is no coefficient, nor the name of one, such as 'Tau'")
    found = (Coefficient.parse(one) if isinstance(one, str) else one for one in each)
    distinct = {str(one): one for one in found}
    if not distinct:
        raise MeasureError("no coefficient asked for; for example ['Tau', 'RBO(p=0.9)']")
    return tuple(distinct.values())
