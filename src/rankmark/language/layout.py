"""Text laid out for a reader: paragraphs broken to one width, all else as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["WIDTH", "broken", "header_line"]

WIDTH = 80  # whatever the terminal's, so that pages look alike everywhere


def header_line(text: str) -> str:
    """A line above a page, whose other lines are indented."""
    from textwrap import fill

    return fill(text, WIDTH, subsequent_indent="  ")


def broken(text: str) -> Iterator[str]:
    """The paragraphs of a text, those that are too wide broken."""
    return map(_filled, _paragraphs(text.splitlines()))


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in lines:
        if paragraph and not _goes_on(paragraph, line):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _goes_on(paragraph: list[str], line: str) -> bool:
    """Whether a line goes on with a paragraph, rather than being one of its own."""
    first, last = paragraph[0], paragraph[-1]
    if not line.strip() or not last.strip() or last.endswith(":") or ">>>" in first + line:
        return False
    label = re.match(r"\s*(\w+|[A-Z][^.,;]*?): ", line)
    return _indent(line) >= _indent(last) and not (label and _indent(line) == _indent(first))


def _filled(paragraph: list[str]) -> str:
    if max(map(len, paragraph)) <= WIDTH or ">>>" in paragraph[0]:
        return "\n".join(paragraph)
    from textwrap import fill

    words = " ".join(line.strip() for line in paragraph)
    indents = [" " * _indent(line) for line in (paragraph[0], paragraph[-1])]
    return fill(words, WIDTH, initial_indent=indents[0], subsequent_indent=indents[1])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
