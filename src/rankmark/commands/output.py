"""How and where a command shows what it found: --format, --digits and --output."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from rankmark.errors import UsageError
from rankmark.rendering.formats import FORMATS

__all__ = ["Output", "with_output", "with_output_in"]

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Output:
    """What these options say.

    Attributes:
        said: the format, if it is said.
        digits: how many are shown after the point.
        path: the file; None for standard output.

    """

    said: str | None
    digits: int
    path: str | None

    @property
    def format(self) -> str:
        """The format that is said, or that the file's ending stands for."""
        from rankmark.rendering.formats import format_of

        return self.said or format_of(self.path or "")

    def keep(self, *inputs: str | None) -> None:
        """Refuses a file that cannot be written or is one of the inputs, before long work is done."""
        from rankmark.rendering.formats import check_writable

        if self.path:
            check_writable(self.path)
            for path in filter(None, inputs):
                if Path(self.path).exists() and Path(path).exists() and Path(self.path).samefile(path):
                    raise UsageError(f"-o {self.path} would overwrite the input {path}")

    def show(self, text: str) -> None:
        """Prints the text, or writes it to the file."""
        from rankmark.rendering.formats import write_whole

        if self.path:
            write_whole(self.path, text)
        else:
            click.echo(text, nl=False)


def with_output_in(formats: Iterable[str]) -> Callable[[Command], Command]:
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
            command(*given, output=Output(format_, digits, output), **others)

        return functools.reduce(lambda made, option: option(made), options, told)

    return give


with_output = with_output_in(FORMATS)
"""`with_output_in` all formats of results."""
