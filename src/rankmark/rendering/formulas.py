"""Formulas as they are written on pages, ``DCG@k = Σ_{i≤k} gain(rel_i) · discount(i)``, as MathML.

A fraction is stacked where the line says what is above and what is below: what follows a slash is below, up
to the next sign between factors, or all of it where it begins with a sum or a root; what is above begins
after the last sum before it. Nothing is left out, moved or added: `Formula.linear` gives back what was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import ClassVar

from rankmark.dataclassing import dataclass

__all__ = ["Formula", "UnreadableError", "read_formula"]

TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>\d+(?:\.\d+)?|[½∞…])"
    r"|(?P<name>(?![ΣΠ])[^\W\d_½²³₂](?:(?![ΣΠ½²³₂])[^\W_]|[\u0300-\u036f]|'(?=[a-z]))*)"
    r"|(?P<sign>[ΣΠ⋃√²³₂·/+−=≤≥<>≠∩∪∃:,;|()\[\]{}⌊⌋@^_*-])"
)
APART = re.compile(r"\s{3,}|(?<=,)\s{2,}")
"""What stands between two formulas on a line."""
CLOSING = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "|": "|"}
BIG = {"Σ": "∑", "Π": "∏", "⋃": "⋃"}
"""Letters that stand for signs which grow, and cover what is beneath them."""
BETWEEN = "+−-=≤≥<>≠∩∪∃:,;"
"""What stands between terms."""
FUNCTIONS = {"ln", "log", "logit", "max", "min"}


class UnreadableError(ValueError):
    """A line that is no formula as these are written."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a formula, and whether there is a space before and behind it."""

    kind: str
    text: str
    spaced: bool
    loose: bool


class Formula:
    """A part of a formula."""

    __slots__ = ()
    is_word: ClassVar[bool] = False

    def linear(self) -> str:
        """It as it was read, without spaces."""
        raise NotImplementedError

    def mathml(self) -> str:
        """It as MathML."""
        raise NotImplementedError

    def bare(self) -> Formula:
        """It without brackets around all of it, where something else holds it together."""
        return self


@dataclass(frozen=True, slots=True)
class Leaf(Formula):
    """A name, a number or a sign."""

    text: str
    tag: str = "mi"

    def linear(self) -> str:
        return self.text

    def mathml(self) -> str:
        room = "&nbsp;" if self.tag == "mtext" else ""
        tight = ' lspace="0" rspace="0"' if self.text == "@" else ""
        return f"<{self.tag}{tight}>{escape(BIG.get(self.text, self.text))}{room}</{self.tag}>"


@dataclass(frozen=True, slots=True)
class Word(Formula):
    """A word of a sentence."""

    text: str
    is_word: ClassVar[bool] = True

    def linear(self) -> str:
        return self.text

    def mathml(self) -> str:
        return f"<mtext>&nbsp;{escape(self.text)}&nbsp;</mtext>"


@dataclass(frozen=True, slots=True)
class Row(Formula):
    """Parts beside each other."""

    parts: tuple[Formula, ...]

    def linear(self) -> str:
        return "".join(part.linear() for part in self.parts)

    def mathml(self) -> str:
        return f"<mrow>{''.join(part.mathml() for part in self.parts)}</mrow>"


@dataclass(frozen=True, slots=True)
class Group(Formula):
    """A part in brackets."""

    opening: str
    inner: Formula

    def linear(self) -> str:
        return f"{self.opening}{self.inner.linear()}{CLOSING[self.opening]}"

    def mathml(self) -> str:
        # Bars grow with what they hold only where they are told to be a fence; none need to around an index.
        inner = self.inner.mathml()
        grows = "" if "<mfrac>" in inner or "<munder>" in inner else ' stretchy="false"'
        first, last = (
            f'<mo fence="true"{grows} lspace="0" rspace="0">{sign}</mo>'
            for sign in (self.opening, CLOSING[self.opening])
        )
        return f"<mrow>{first}{inner}{last}</mrow>"

    def bare(self) -> Formula:
        return Bare(self) if self.opening in "({" else self


@dataclass(frozen=True, slots=True)
class Bare(Formula):
    """A group whose brackets are not needed, since it stands apart."""

    group: Group

    def linear(self) -> str:
        return self.group.linear()

    def mathml(self) -> str:
        return self.group.inner.mathml()


@dataclass(frozen=True, slots=True)
class Fraction(Formula):
    """One part above another."""

    above: Formula
    below: Formula

    def linear(self) -> str:
        return f"{self.above.linear()}/{self.below.linear()}"

    def mathml(self) -> str:
        return f"<mfrac>{self.above.bare().mathml()}{self.below.bare().mathml()}</mfrac>"


@dataclass(frozen=True, slots=True)
class Script(Formula):
    """A part with another below or above it."""

    base: Formula
    sign: str
    script: Formula

    def linear(self) -> str:
        return f"{self.base.linear()}{self.sign}{self.script.linear()}"

    def mathml(self) -> str:
        tag = "munder" if self.base.linear() in BIG else "msub" if self.sign == "_" else "msup"
        return f"<{tag}>{self.base.mathml()}{self.script.bare().mathml()}</{tag}>"


@dataclass(frozen=True, slots=True)
class Small(Formula):
    """A part with a small number behind it, that is a letter of its own."""

    base: Formula
    sign: str

    def linear(self) -> str:
        return f"{self.base.linear()}{self.sign}"

    def mathml(self) -> str:
        tag, number = {"²": ("msup", "2"), "³": ("msup", "3"), "₂": ("msub", "2")}[self.sign]
        return f"<{tag}>{self.base.mathml()}<mn>{number}</mn></{tag}>"


@dataclass(frozen=True, slots=True)
class Root(Formula):
    """A square root."""

    inner: Formula

    def linear(self) -> str:
        return f"√{self.inner.linear()}"

    def mathml(self) -> str:
        return f"<msqrt>{self.inner.bare().mathml()}</msqrt>"


def read_formula(line: str) -> Sequence[Formula]:
    """The formulas of a line, which stand three spaces apart or more.

    Raises:
        UnreadableError: it has something that formulas have not, or a bracket that is not closed.

    """
    return [_Reader(part).whole() for part in APART.split(line.strip()) if part]


def _tokens(text: str) -> Iterator[Token]:
    found = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise UnreadableError(f"{text[at]!r} at {at} of {text!r}")
        found.append(match)
        at = match.end()
    for before, match, behind in zip([None, *found], found, [*found[1:], None], strict=False):
        if match.lastgroup != "space":
            spaces = [each is None or each.lastgroup == "space" for each in (before, behind)]
            yield Token(str(match.lastgroup), match[0], *spaces)


class _Reader:
    """Reads one formula from its first token to its last."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0

    def whole(self) -> Formula:
        found = self.row(None)
        if self.at < len(self.tokens):
            raise UnreadableError(f"{self.tokens[self.at].text!r} closes nothing")
        return found

    @property
    def next(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> Token:
        if self.next is None:
            raise UnreadableError("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def row(self, closing: str | None) -> Formula:
        """Terms and what stands between them, up to a closing bracket, or to the end."""
        parts: list[Formula] = []
        term: list[Formula] = []
        while (token := self.next) is not None and not self._closes(token, closing):
            if token.text in BETWEEN or (token.text == "|" and token.spaced and token.loose):
                parts += [*_joined(term), Leaf(self.take().text, "mo")]
                term = []
            elif token.text in "·/":
                term.append(Leaf(self.take().text, "mo"))
            else:
                term.append(self.factor(between=bool(term) and token.spaced))
        parts += _joined(term)
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _closes(self, token: Token, closing: str | None) -> bool:
        if token.text == "|":
            return closing == "|" and not token.spaced
        return token.text in ")]}⌋"

    def factor(self, *, between: bool = False) -> Formula:
        """A part with all that hangs on it."""
        token = self.take()
        found = self.atom(token, between)
        while (behind := self.next) is not None and not behind.spaced and not found.is_word:
            if behind.text in ("_", "^"):
                sign = self.take().text
                found = Script(found, sign, self.script())
            elif behind.text in "²³₂":
                found = Small(found, self.take().text)
            elif behind.text == "@":
                found = Row((found, Leaf(self.take().text, "mo"), self.script()))
            elif behind.text == "*":
                found = Script(found, "", Leaf(self.take().text, "mo"))
            elif behind.text in "({" and token.kind == "name":
                found = Row((found, self.group(self.take())))
            else:
                break
        return found

    def script(self) -> Formula:
        """What is below, above or behind a part."""
        found = self.atom(self.take(), between=False)
        if (behind := self.next) is not None and behind.text == "_" and not behind.spaced:
            return Script(found, self.take().text, self.script())
        return found

    def atom(self, token: Token, between: bool) -> Formula:
        """One part without what hangs on it."""
        if token.kind == "number":
            return Leaf(token.text, "mn")
        if token.kind == "name":
            if self._is_word(token, between):
                return Word(token.text)
            return Leaf(token.text, "mtext" if token.text in FUNCTIONS and token.loose else "mi")
        if token.text in BIG:
            return Leaf(token.text, "mo")
        if token.text == "√":
            return Root(self.factor())
        if token.text in CLOSING:
            return self.group(token)
        if token.text == "−":
            return Row((Leaf(token.text, "mo"), self.factor()))
        raise UnreadableError(f"{token.text!r} where something to count with is expected")

    def group(self, opening: Token) -> Formula:
        """What is in brackets."""
        inner = self.row(CLOSING[opening.text])
        closing = self.take()
        if closing.text != CLOSING[opening.text]:
            raise UnreadableError(f"{opening.text!r} is closed by {closing.text!r}")
        return Group(opening.text, inner)

    def _is_word(self, token: Token, between: bool) -> bool:
        """Whether a name is a word of a sentence: beside other names, without anything between them."""
        if len(token.text) < 2 or token.text in FUNCTIONS or not token.loose:
            return False
        behind = self.next is not None and self.next.kind == "name"
        before = between and self.at > 1 and self.tokens[self.at - 2].kind == "name"
        return behind or before


def _joined(term: Sequence[Formula]) -> Iterator[Formula]:
    """Factors with their fractions stacked."""
    parts = list(term)
    if (slash := _last_slash_of_sums(parts)) is not None:
        start = max((i + 1 for i in range(slash) if parts[i].is_word), default=0)
        yield from parts[:start]
        yield Fraction(_one(_joined(parts[start:slash])), _one(_joined(parts[slash + 1 :])))
        return
    done: list[Formula] = []
    i = 0
    while i < len(parts):
        if _is_slash(parts[i]) and _stands_alone(parts, i + 1):
            start = max((j + 1 for j, part in enumerate(done) if part.is_word or _is_big(part)), default=0)
            if start < len(done):
                done[start:] = [Fraction(_one(done[start:]), parts[i + 1])]
                i += 2
                continue
        done.append(parts[i])
        i += 1
    yield from map(_unbracketed, done)


def _last_slash_of_sums(parts: Sequence[Formula]) -> int | None:
    """The last slash behind which a sum or a root begins, and before which there is something."""
    slashes = (i for i in range(len(parts) - 2, 0, -1) if _is_slash(parts[i]))
    return next((i for i in slashes if _is_big(parts[i + 1]) or isinstance(parts[i + 1], Root)), None)


def _stands_alone(parts: Sequence[Formula], at: int) -> bool:
    """Whether the factor behind a slash is all that is below it."""
    if at >= len(parts) or parts[at].is_word:
        return False
    return at + 1 == len(parts) or parts[at + 1].linear() in ("·", "/")


def _unbracketed(part: Formula) -> Formula:
    """A fraction without the brackets around it."""
    return Bare(part) if isinstance(part, Group) and part.opening == "(" and _is_stacked(part.inner) else part


def _is_stacked(part: Formula) -> bool:
    return isinstance(part, Fraction)


def _is_slash(part: Formula) -> bool:
    return part == Leaf("/", "mo")


def _is_big(part: Formula) -> bool:
    base = part.base if isinstance(part, Script) else part
    return isinstance(base, Leaf) and base.text in BIG


def _one(parts: Iterable[Formula]) -> Formula:
    found = tuple(parts)
    return found[0] if len(found) == 1 else Row(found)
