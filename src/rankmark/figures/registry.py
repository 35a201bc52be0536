"""The registry of pictures: functions in modules of `rankmark.pictures`, which it finds by looking there."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rankmark.dataclassing import dataclass
from rankmark.errors import CallError, PictureError, UsageError, did_you_mean

if TYPE_CHECKING:
    from rankmark.figures.figure import Figure

__all__ = [
    "Option",
    "Picture",
    "drawn_as",
    "picture",
    "picture_list",
    "picture_named",
    "pictures",
    "pictures_of",
]

Page = TypeVar("Page", bound="Callable[..., Figure]")


WIDTH = 80
"""Characters of a line of the list and of pages."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a picture, of which a command line knows a text.

    Attributes:
        name: the keyword argument.
        types: the words of its annotation.
        told: what the page says of it.

    """

    name: str
    types: frozenset[str]
    told: str

    @property
    def is_flag(self) -> bool:
        """Whether it is yes or no."""
        return self.types == {"bool"}

    @property
    def is_several(self) -> bool:
        """Whether it takes several values."""
        return bool(self.types & {"Iterable", "Sequence", "Collection", "list", "tuple"})

    @property
    def metavar(self) -> str:
        """What stands for its value."""
        return "N" if self.types & {"int", "float"} else self.name.upper()

    def value(self, said: Any, called: str) -> Any:
        """What texts mean; `called` is the option in messages.

        Raises:
            UsageError: several of an option that takes one, or a text that is no number.

        """
        if isinstance(said, bool):
            return said
        values = [self._one(text, called) for text in said]
        if len(values) == 1 and (not self.is_several or "str" in self.types):
            return values[0]
        if not self.is_several:
            raise UsageError(f"{called} is said {len(values)} times, and this picture takes one")
        return values

    def _one(self, text: str, called: str) -> Any:
        if "str" in self.types or not self.types & {"int", "float"}:
            return text
        try:
            return float(text) if "float" in self.types else int(text)
        except ValueError:
            kind = "number" if "float" in self.types else "whole number"
            raise UsageError(f"{called} {text} is not a {kind}") from None


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
    def options(self) -> Mapping[str, Option]:
        """Its keyword arguments."""
        _, *options = inspect.signature(self.function).parameters.values()
        page = inspect.getdoc(self.function) or ""
        return {each.name: _option(each, page) for each in options}

    @property
    def classes(self) -> str:
        """What it is of, in words."""
        return ", ".join(each.__name__ for each in self.of)

    @property
    def page(self) -> str:
        """What it shows and which options it takes."""
        return f"{self.name}: a picture of {self.classes}\n\n{inspect.getdoc(self.function) or ''}"

    def draw(self, result: Any, options: Mapping[str, Any]) -> Figure:
        """The picture of a result.

        Raises:
            CallError: it takes no such option.
            PictureError: the result lacks what it shows.

        """
        for name in options:
            if name in ("width", "theme"):
                raise PictureError(
                    f"{name} is of files: figure.write(path, {name}=…), to_svg and to_png take it"
                )
            if name not in ("name", *self.options):
                takes = ", ".join(self.options) or "no options"
                raise CallError(
                    f"the picture {self.name} takes no {name}{did_you_mean(name, self.options)}; "
                    f"it takes {takes}"
                )
        return self.function(result, **options)


def _option(parameter: inspect.Parameter, page: str) -> Option:
    types = frozenset(re.findall(r"\w+", str(parameter.annotation))) - {"None"}
    told = re.search(rf"^    {parameter.name}: ((?:.*\n)(?: {{8}}.*\n)*)", f"{page}\n", re.MULTILINE)
    words = " ".join(told[1].split()) if told else ""
    return Option(parameter.name, types, words[:1].upper() + words[1:])


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
        known, kind = pictures_of(type(result)), type(result).__name__
        takes = "; ".join(f"{each.name} takes {', '.join(each.options) or 'none'}" for each in known.values())
        raise PictureError(
            f"no picture of {kind} takes {', '.join(options)}: {takes}"
            if known
            else f"there is no picture of {kind}"
        )
    raise PictureError(f"there is no picture of it: {'; '.join(lacking)}")


def picture_list(some: Iterable[Picture] | None = None) -> str:
    """Pictures with what they show, what of, and their options; all there are by their names, if None."""
    if some is None:
        some = sorted(pictures().values(), key=lambda each: each.name.lower())
    return "\n\n".join(map(_entry, some))


def _entry(each: Picture) -> str:
    told = textwrap.fill(each.summary, WIDTH, initial_indent="  ", subsequent_indent="  ")
    options = f"options: {', '.join(each.options)}" if each.options else "no options"
    options = textwrap.fill(options, WIDTH, initial_indent="  ", subsequent_indent="    ")
    of = textwrap.fill(f"{each.name} (of {each.classes})", WIDTH, subsequent_indent="    ")
    return f"{of}\n{told}\n{options}"


def _known(known: Mapping[str, Picture]) -> str:
    return f"; there is {', '.join(known)}" if known else "; there is none"
