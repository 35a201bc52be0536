"""Words and numbers for people."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

__all__ = [
    "brief",
    "broken",
    "chance",
    "counted",
    "first_of",
    "harmless",
    "letters",
    "listed",
    "minus",
    "printable",
    "resamples_words",
    "rounded",
    "width_of",
]

MINUS = re.compile(r"(?<![^\s\[(])-(?=\.?\d)")


MOST_SHOWN = 80
"""Characters of a value that a message shows whole."""

LEAST_DIGITS = 2
"""With fewer decimals a p-value of .5 and one of .001 would look alike."""


def brief(value: object) -> str:
    """A value as it is written in code, cut short if that is long; for messages that refuse it."""
    try:
        text = repr(value)
    except ValueError:  # more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN // 2]}… ({len(text):,} characters)"


def counted(number: int, one: str, several: str | None = None) -> str:
    """``1 query``, ``1,234 queries``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def minus(text: str) -> str:
    """It with a minus sign before each number below 0, where a hyphen stood."""
    return MINUS.sub("−", text)


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def first_of(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many others there are: ``a, b and 4 others``; one other is named."""
    others = len(names) - most
    return ", ".join(names) if others <= 1 else f"{', '.join(names[:most])} and {others} others"


def resamples_words(numbers: Iterable[int | None]) -> str:
    """``10,000 resamples``, ``10,000 to 400,000 resamples``; empty where there are none."""
    drawn = {number for number in numbers if number is not None}
    if not drawn:
        return ""
    least, most = min(drawn), max(drawn)
    return f"{least:,} to {counted(most, 'resample')}" if least < most else counted(most, "resample")


def rounded(value: float, form: str) -> str:
    """A value in a form, such as ``.4f``; empty for NaN. What rounds to 0 has a sign only in ``+`` forms."""
    return "" if math.isnan(value) else format(value, form if form.startswith("+") else f"z{form}")


def chance(p: float, digits: int) -> str:
    """A p-value for people: never 0, and empty for NaN; with so many decimals, but at least two."""
    digits = max(digits, LEAST_DIGITS)
    least = 10.0**-digits
    if math.isnan(p):
        return ""
    return f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def letters(count: int) -> list[str]:
    """So many names: a to z, and then a1, b1, …."""
    from string import ascii_lowercase

    rounds, alphabet = -(-count // len(ascii_lowercase)), ascii_lowercase
    return [letter + (str(number) if number else "") for number in range(rounds) for letter in alphabet][
        :count
    ]


JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Part of how words of Persian or Hindi and some emoji are written."""


def printable(text: str) -> str:
    """`text` on one line, with whatever could steer a terminal replaced."""
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() or c in JOINERS else "\N{REPLACEMENT CHARACTER}" for c in text)
    )


def harmless(text: str) -> str:
    """`text` with its lines and tabs, and without whatever else could steer a terminal."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes: two a Chinese character, none a combining accent."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


HELD = "\ufffe"
"""Stands beside a character of two columns while lines are broken: no character, so no text has it."""


def broken(text: str, width: int, indent: str = "", *, words: bool = True) -> str:
    """`text` in lines of at most so many columns of a terminal, all but the first behind `indent`.

    Args:
        text: a line.
        width: the columns.
        indent: what is before further lines.
        words: whether a word that is longer than a line is broken.

    """
    if len(text) <= width and text.isascii() and text.isprintable() and text == text.rstrip():
        return text
    from textwrap import fill

    spread = text if text.isascii() else "".join(c + HELD * (width_of(c) - 1) for c in text)
    lines = fill(spread, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=words)
    return lines.replace(HELD, "")
