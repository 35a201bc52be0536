"""Measures whose values another program computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from rankmark.errors import MeasureError
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.language.registry import Better, Page

__all__ = ["DerivedMeasure", "GivenMeasure", "known_measure"]

NOTHING: MappingProxyType[str, Any] = MappingProxyType({})


class GivenMeasure(Measure):
    """A measure of which one value a query is given: its name as it was given, and what of it is better.

    Where the name is that of a measure here, what is better, the bounds and whether values are added up or
    averaged are as there. Of any other name more is better unless it is said.

    Raises:
        MeasureError: the name is that of a measure whose value no values of queries tell.

    """

    __slots__ = ()

    def __init__(self, name: str, better: Better | None = None) -> None:
        self._set(name, _page(name, better))

    def _set(self, name: str, page: Page) -> None:
        facts: dict[str, Any] = {"name": name, "label": name, "_written": name, "page": page}
        facts |= dict.fromkeys(("parameters", "given", "_called_with"), NOTHING)
        facts |= {"asked": None, "cutoff": None, "last_deciding_rank": 0, "tells_unjudged": False}
        for field, value in facts.items():
            object.__setattr__(self, field, value)
        self._keep_facts()

    def asked_as(self, text: str | None) -> Measure:  # noqa: ARG002 - it has one name
        """Itself."""
        return self

    def signature(self) -> list[str]:
        """Its name, and that it was not computed here."""
        return [self.name, "values:given"]

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        return GivenMeasure, (self.name, self.page.better)


class DerivedMeasure(GivenMeasure):
    """A measure that has no page: its values are made here of tables of another kind, or of other values.

    Attributes:
        told: the fields of its signature, which say how the values were made.

    """

    __slots__ = ("told",)

    told: tuple[str, ...]

    def __init__(
        self,
        name: str,
        told: tuple[str, ...],
        better: Better = "more",
        bounds: tuple[float | None, float | None] = (0.0, 1.0),
    ) -> None:
        self._set(name, _mean_of(name, better, bounds))
        object.__setattr__(self, "told", tuple(told))

    def signature(self) -> list[str]:
        """Its name, and how its values were made."""
        return [self.name, *self.told]

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        return DerivedMeasure, self.parts

    @property
    def parts(self) -> tuple[str, tuple[str, ...], Better, tuple[float | None, float | None]]:
        """The arguments that make it again."""
        return self.name, self.told, self.page.better, self.page.bounds


def _page(name: str, better: Better | None) -> Page:
    known = known_measure(name)
    told = known is None or (known.page.aggregate in ("mean", "sum") and known.mean == "arithmetic")
    if not told:
        raise MeasureError(
            f"{name} is no mean of the values of queries, and these do not tell it; if their mean is meant, "
            f"call it otherwise, such as 'mean {name}', and say which is better, more or less of it"
        )
    better = better or (known.page.better if known else "more")
    page = _mean_of(name, better, known.bounds if known else (None, None))
    return replace(page, aggregate="sum") if known and known.page.aggregate == "sum" else page


def _mean_of(name: str, better: Better, bounds: tuple[float | None, float | None]) -> Page:
    """The page of a mean of values of queries that no page computes."""
    return Page(
        name=name,
        function=_not_here,
        parameters=NOTHING,
        takes_cutoff=False,
        bounds=bounds,
        kind="list",
        aggregate="mean",
        better=better,
    )


def known_measure(name: str) -> Measure | None:
    """The measure that is computed here of this name, if there is one."""
    try:
        return parse(name)
    except MeasureError:
        return None


def _not_here(*_: Any, **__: Any) -> Any:
    raise MeasureError("the values were given, and cannot be computed again")
