"""How broad words are, about, where no browser measures them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

__all__ = ["broken", "cut", "cut_apart", "width", "without_middle"]

MINUS = " − "
"""What stands between two names of which a text is the difference."""

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
    """Texts that take no more room than there is; of those that begin alike the middle is left out.

    Of differences both names are cut, each alike wherever it stands.
    """
    if all(width(text, size) <= room for text in texts):
        return list(texts)
    if any(MINUS in text for text in texts):
        names = list(dict.fromkeys(name for text in texts for name in text.split(MINUS)))
        cuts = dict(zip(names, _names_apart(names, size, (room - width(MINUS, size)) / 2), strict=True))
        return [cut(MINUS.join(cuts[name] for name in text.split(MINUS)), size, room) for text in texts]
    return _names_apart(texts, size, room)


def _names_apart(texts: Sequence[str], size: float, room: float) -> list[str]:
    """Names cut at their ends; if that makes some alike, in their middle; then around what differs."""
    cuts = {text: cut(text, size, room) for text in texts}
    cuts |= {text: without_middle(text, size, room) for own in _alike(cuts) for text in own}
    for own in _alike(cuts):
        # Of many texts, the first and the last in their order are those that are least alike.
        begun = next((i for i, (a, b) in enumerate(zip(min(own), max(own), strict=False)) if a != b), 0)
        cuts |= {text: _around(text, size, room, begun) for text in own}
    return [cuts[text] for text in texts]


def _alike(cuts: Mapping[str, str]) -> list[list[str]]:
    """The texts of each cut that is of several."""
    of: dict[str, list[str]] = {}
    for text, short in cuts.items():
        of.setdefault(short, []).append(text)
    return [own for own in of.values() if len(own) > 1]


def _around(text: str, size: float, room: float, begun: int) -> str:
    """A text's first quarter, and what follows on as many letters, with which others begin as well."""
    begin = cut(text, size, room / 4)
    return begin + cut(text[max(begun - 2, 0) :], size, room - width(begin, size))


def without_middle(text: str, size: float, room: float) -> str:
    """A text's first third and as much of its end as there is room for; all of it if it has room."""
    if _fitting(text, size, room) == len(text):
        return text
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
