"""How and where a command shows what it found: --format, --digits and --output."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from rankmark.errors import UsageError
from rankmark.rendering.formats import format_of, known_format, text_formats

__all__ = ["OF_CHECKS", "OF_GATES", "OF_RESULTS", "OF_TABLES", "Output", "with_output_in"]

Command = Callable[..., None]

# What is shown says itself in which formats it can be, but takes NumPy with it, which help does without.
OF_TABLES = text_formats("_blocks", "_record", "_frame")
"""The formats of what has texts for people, a record and a table, as most has."""
OF_RESULTS = text_formats("_blocks", "_record", "_frame", "_trec")
"""Those of results."""
OF_CHECKS = ("table", "json", "markdown")
"""Those of checks."""
OF_GATES = ("table", "json")
"""Those of gates."""


@dataclass(frozen=True, slots=True)
class Output:
    """What these options say.

    Attributes:
        said: the format, if it is said.
        digits: how many are shown after the point.
        path: the file; None for standard output.
        known: the formats that there are.

    """

    said: str | None
    digits: int
    path: str | None
    known: tuple[str, ...]

    @property
    def format(self) -> str:
        """The format that is said, or that the file's ending stands for."""
        return self.said or format_of(self.path or "")

    def known_format(self) -> str:
        """The same, if it is one of those that there are."""
        return known_format(self.format, self.known)

    def keep(self, *inputs: str | None) -> None:
        """Refuses a file that cannot be written or is one of the inputs, before long work is done."""
        from rankmark.rendering.files import check_writable

        if self.path:
            check_writable(self.path)
            for path in filter(None, inputs):
                if Path(self.path).exists() and Path(path).exists() and Path(self.path).samefile(path):
                    raise UsageError(f"-o {self.path} would overwrite the input {path}")

    def show(self, text: str) -> None:
        """Prints the text, or writes it to the file."""
        from rankmark.rendering.files import write_whole

        if self.path:
            write_whole(self.path, text)
        else:
            click.echo(text, nl=False)


def with_output_in(formats: tuple[str, ...]) -> Callable[[Command], Command]:
    """Gives a command the options --format, of these, --digits and --output, as one `output`."""
    options = (
        click.option("-o", "--output", metavar="FILE", help="Write here, whole or not at all."),
        click.option(
            "--digits",
            type=click.IntRange(0, 17),
            default=4,
            show_default=True,
            metavar="N",
            help="Decimals to show.",
        ),
        click.option(
            "--format",
            "format_",
            metavar="|".join(formats),
            help="How to show it, whatever the ending of FILE.",
        ),
    )

    def give(command: Command) -> Command:
        @functools.wraps(command)
        def told(
            *given: object, format_: str | None, digits: int, output: str | None, **others: object
        ) -> None:
            command(*given, output=Output(format_, digits, output, formats), **others)

        return functools.reduce(lambda made, option: option(made), options, told)

    return give
