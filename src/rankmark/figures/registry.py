"""The registry of pictures: functions in modules of `rankmark.pictures`, which it finds by looking there."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rankmark.calling import refuse_unknown
from rankmark.errors import PictureError, did_you_mean

if TYPE_CHECKING:
    from rankmark.figures.figure import Figure

__all__ = ["Picture", "drawn_as", "picture", "picture_named", "pictures", "pictures_of"]

Page = TypeVar("Page", bound="Callable[..., Figure]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A page of a picture.

    Attributes:
        name: what it is called.
        function: what describes it, of a result and with keyword arguments.
        of: the classes of results that it shows.
        place: where it stands among the pictures of a class; the first that can be drawn is the natural one.

    """

    name: str
    function: Callable[..., Figure]
    of: tuple[type, ...]
    place: int

    @property
    def summary(self) -> str:
        """The first line of its page."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def options(self) -> tuple[str, ...]:
        """Its keyword arguments."""
        _, *options = inspect.signature(self.function).parameters
        return tuple(options)

    def draw(self, result: Any, options: Mapping[str, Any]) -> Figure:
        """The picture of a result.

        Raises:
            CallError: it takes no such option.
            PictureError: the result lacks what it shows.

        """
        refuse_unknown(f'plot("{self.name}")', options, ["name", *self.options])
        return self.function(result, **options)


_PICTURES: dict[str, Picture] = {}


def picture(name: str, *of: type, place: int = 100) -> Callable[[Page], Page]:
    """Makes a function the page of a picture.

    Args:
        name: what it is called.
        *of: the classes whose instances are its first argument.
        place: where it stands among the pictures of a class, after those with a lower number.

    """

    def add(function: Page) -> Page:
        if name in _PICTURES:
            raise ValueError(f"two pictures are called {name}")
        _PICTURES[name] = Picture(name=name, function=function, of=of, place=place)
        return function

    return add


@functools.cache
def pictures() -> Mapping[str, Picture]:
    """Every picture by its name, as they are placed."""
    from rankmark import pictures as folder

    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    return {each.name: each for each in sorted(_PICTURES.values(), key=lambda each: (each.place, each.name))}


def pictures_of(kind: type) -> Mapping[str, Picture]:
    """The pictures of a class, the natural one first."""
    return {name: each for name, each in pictures().items() if issubclass(kind, each.of)}


def picture_named(name: str, kind: type) -> Picture:
    """The picture of a class that is called so.

    Raises:
        PictureError: there is none.

    """
    known = pictures_of(kind)
    if name in known:
        return known[name]
    of = kind.__name__
    if name in pictures():
        others = " or ".join(each.__name__ for each in pictures()[name].of)
        raise PictureError(f"{name} is a picture of {others}, and not of {of}{_known(known)}")
    raise PictureError(f"there is no picture {name!r}{did_you_mean(name, known) or _known(known)}")


def drawn_as(result: Any, name: str | None, options: Mapping[str, Any]) -> Figure:
    """A picture of a result: that of a name, or the first that it has what it takes for.

    Raises:
        PictureError: there is none, or the result lacks what it shows.

    """
    if name is not None:
        return picture_named(name, type(result)).draw(result, options)
    lacking = []
    for each in pictures_of(type(result)).values():
        if set(options) <= set(each.options):
            try:
                return each.draw(result, options)
            except PictureError as error:
                lacking.append(f"{each.name}: {error}")
    if not lacking:
        raise PictureError(f"there is no picture of {type(result).__name__}")
    raise PictureError(f"there is no picture of it: {'; '.join(lacking)}")


def _known(known: Mapping[str, Picture]) -> str:
    return f"; there is {', '.join(known)}" if known else "; there is none"
