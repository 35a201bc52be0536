"""How broad words are, about, where no browser measures them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

__all__ = ["broken", "cut", "cut_apart", "width"]

NARROW = frozenset("iljtfrI.,:;'|!()[]{}·` ")
BROAD = frozenset("mwMW@%—…")


def width(text: str, size: float) -> float:
    """The pixels that a text of this size takes at most in a usual sans-serif; DejaVu is broadest."""
    return size * sum(map(_share, text))


def _share(char: str) -> float:
    if char in NARROW:
        return 0.36
    if char in BROAD:
        return 0.97
    if char.isascii():
        return 0.71 if char.isupper() else 0.62
    if unicodedata.combining(char):
        return 0
    return 1.0 if unicodedata.east_asian_width(char) in "WF" else 0.65


def _fitting(text: str, size: float, room: float) -> int:
    """How many of its first letters there is room for."""
    taken = 0.0
    for i, char in enumerate(text):
        taken += size * _share(char)
        if taken > room:
            return i
    return len(text)


def cut(text: str, size: float, room: float) -> str:
    """A text that takes no more room than there is: its end is left out if need be."""
    if _fitting(text, size, room) == len(text):
        return text
    return text[: _fitting(text, size, room - width("…", size))] + "…"


def cut_apart(texts: Sequence[str], size: float, room: float) -> list[str]:
    """Texts that take no more room than there is; of those that begin alike the middle is left out."""
    found = [cut(text, size, room) for text in texts]
    begun = Counter(found)
    return [
        short if short == text or begun[short] == 1 else _without_middle(text, size, room)
        for short, text in zip(found, texts, strict=True)
    ]


def _without_middle(text: str, size: float, room: float) -> str:
    """A text's first third and as much of its end as there is room for."""
    begin = cut(text, size, room / 3)
    end = _fitting(text[::-1], size, room - width(begin, size))
    return begin + text[len(text) - end :]


def broken(text: str, size: float, room: float) -> Iterator[str]:
    """A text in lines that are no longer than there is room; words that are longer go on in the next."""
    line = ""
    for word in (part for each in text.split() for part in _parts(each, size, room)):
        longer = f"{line} {word}" if line else word
        if line and width(longer, size) > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line


def _parts(word: str, size: float, room: float) -> Iterator[str]:
    """A word in pieces that are no longer than there is room."""
    while (most := max(1, _fitting(word, size, room))) < len(word):
        yield word[:most]
        word = word[most:]
    yield word
