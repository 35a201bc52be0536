"""The grammar of what is asked for: ``Name(parameter=value)@cutoff``, whatever the name may mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from rankmark.errors import MeasureError
from rankmark.language.parameters import format_value, parse_value
from rankmark.rendering.words import brief

__all__ = ["Written", "each_cutoff", "read", "split_measures", "write"]


class Written(NamedTuple):
    """What stands in a text that asks for something; nothing of it has been looked up.

    Attributes:
        name: the name.
        parameters: those in brackets.
        cutoff: what follows the ``@``; None if there is none.

    """

    name: str
    parameters: Mapping[str, Any]
    cutoff: int | None = None

    def with_parameters(self, **parameters: Any) -> Written:
        """The same with these set as well."""
        return self._replace(parameters={**self.parameters, **parameters})


LONGEST = 1 << 16
"""Characters of a text that asks for something."""

_WRITTEN = re.compile(
    r"(?P<name>(?:[A-Za-z_][\w.]*:)?[A-Za-z][\w-]*?)\s*(?:\((?P<parameters>.*)\))?\s*(?:@(?P<cutoff>[^@]*?))?"
    r"(?:-l(?P<rel>[0-9]+))?",
    re.DOTALL,
)


def read(text: str, what: str = "measure") -> Written:
    """What is written in `text`, which asks for a measure, or for `what` else.

    Raises:
        MeasureError: it is written in another way.

    """
    if len(text) > LONGEST:
        raise MeasureError(f"{text[:50]!r} … has {len(text)} characters, and no {what} more than {LONGEST}")
    written = _WRITTEN.fullmatch(text)
    if not written:
        raise MeasureError(f"{brief(text)} is not a {what}: write Name, Name@10 or Name(parameter=value)@10")
    given = list(_arguments(written["name"], written["parameters"] or ""))
    if written["rel"] is not None:
        given.append(("rel", _whole(text, written["rel"])))
    parameters = dict(given)
    if len(parameters) < len(given):
        twice = next(name for name, count in Counter(name for name, _ in given).items() if count > 1)
        raise MeasureError(f"{brief(text)} says {twice} twice")
    return Written(written["name"], parameters, _cutoff(text, written["cutoff"]))


def write(name: str, parameters: Mapping[str, Any], cutoff: int | None = None) -> str:
    """What `read` reads, in one way only."""
    written = ",".join(f"{parameter}={format_value(value)}" for parameter, value in parameters.items())
    return name + (f"({written})" if written else "") + ("" if cutoff is None else f"@{cutoff}")


def _cutoff(text: str, written: str | None) -> int | None:
    if written is None:
        return None
    if not re.fullmatch(r"[0-9]+", written.strip()):
        raise MeasureError(f"{brief(text)}: the cutoff is a whole number from 1, not {brief(written)}")
    return _whole(text, written)


def _whole(text: str, digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:  # more digits than Python reads
        raise MeasureError(f"{brief(text)}: a number of {len(digits):,} digits is too large") from error


def _arguments(name: str, text: str) -> Iterator[tuple[str, Any]]:
    for argument in _pieces(text, lambda place: text[place] == ",") if text.strip() else []:
        parameter, equals, value = argument.partition("=")
        if not equals:
            raise MeasureError(f"{name}: {brief(argument)} is not written parameter=value")
        yield parameter.strip(), parse_value(value)


_NUMBERS = r",[-+.\d][-+.\d=eE]*(?=[\s,]|$)"
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.""", re.DOTALL)
"""A text in quotes, or else one character."""
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def split_measures(text: str) -> list[str]:
    """Measures separated by spaces or commas, but not by those inside brackets or before a number.

    A number goes on with the parameters of one measure, ``utility.1,-1,0,0``, or with its cutoffs, each of
    which is a measure: ``P@1,3,5``.
    """

    def separates(place: int) -> bool:
        return text[place].isspace() or (text[place] == "," and not re.compile(_NUMBERS).match(text, place))

    return [one for name in _pieces(text, separates) if name for one in each_cutoff(name)]


_CUTOFFS = re.compile(r"(?P<name>[^@]+@)(?:\{(?P<set>[^{}]*)\}|(?P<list>[0-9]+(?:,[0-9]+)+))", re.DOTALL)


def each_cutoff(text: str) -> list[str]:
    """The measures that one name with several cutoffs asks for: ``P@1,3,5``, ``nDCG@{1,5,10}``."""
    written = _CUTOFFS.fullmatch(text.strip())
    if not written:
        return [text]
    cutoffs = written["list"] or written["set"]
    return [written["name"] + cutoff.strip() for cutoff in cutoffs.split(",")]


def _pieces(text: str, separates: Callable[[int], bool]) -> list[str]:
    """A text cut at those places of it that are not inside brackets or quotes."""
    pieces, begin, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        depth += _DEPTH.get(token[0], 0)
        if depth <= 0 and separates(token.start()):
            pieces.append(text[begin : token.start()])
            begin = token.end()
    return [*pieces, text[begin:]]
