"""How and where a command shows what it found: --format, --digits and --output."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, RankmarkError, UsageError, did_you_mean
from rankmark.rendering.words import harmless
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.rendering.shown import Shown

__all__ = ["KEPT", "Output", "UnansweredError", "answered", "check_target", "with_output_of"]

Command = Callable[..., None]
DRAWN = ("svg", "png", "pdf")
"""The formats of pictures."""


class UnansweredError(RankmarkError):
    """A question of yes or no, exit code 0 or 1, that could not be answered: exit code 2.

    Attributes:
        why: the error that says why.

    """

    def __init__(self, what: str, why: Exception) -> None:
        super().__init__(f"{what}: {why}")
        self.why = why


@contextmanager
def answered(what: str) -> Iterator[None]:
    """Makes `UnansweredError` of what is wrong with the data; `what` was not done, ``not decided``, say."""
    try:
        yield
    except (DataError, OSError) as error:
        raise UnansweredError(what, error) from error


def echo(text: str) -> None:
    """Prints the text; to a terminal without what could steer it, to files and pipes to the last byte."""
    click.echo(harmless(text) if sys.stdout.isatty() else text, nl=False)


@dataclass(frozen=True, slots=True)
class Output:
    """What these options say.

    Attributes:
        shown: the class of `rankmark.results` that is shown.
        said: the format, if it is said.
        digits: how many are shown after the point; None for the usual number.
        path: the file; None for standard output.
        paper: the options of tables for papers that are said.
        picture: the picture that is written, if it is said; else the natural one.

    """

    shown: str
    said: str | None
    digits: int | None
    path: str | None
    paper: Mapping[str, Any] = field(default_factory=dict)
    picture: str | None = None

    @property
    def format(self) -> str:
        """The format that is said, or that the file's ending stands for."""
        from rankmark.rendering.formats import USUAL, format_of

        return self.said or (format_of(self.path) if self.path else USUAL)

    @property
    def known_format(self) -> str:
        """The same; refused, if the class is not shown so, or if it is of files and there is none."""
        return self.format if self.is_file else known_format_of(self.shown, self.format)

    @property
    def is_file(self) -> bool:
        """Whether a file is to be written that is no text."""
        from rankmark.rendering.formats import format_named

        file = format_named(self.format)
        return file is not None and not file.is_text and bool(self.path) and file.has(self._class)

    @property
    def is_kept(self) -> bool:
        """Whether what is shown is for programs or to be opened again, and says of which inputs it is."""
        return self.format in ("json", "rankmark")

    @property
    def _class(self) -> type[Shown]:
        return _class(self.shown)

    def check_queries(self, per_query: bool) -> None:
        """Refuses a file of the values of each query that are not asked for, or without a file."""
        if self.format == "parquet" and not (self.path and per_query):
            raise UsageError("Parquet files hold the values of each query: add -q and -o FILE")

    def check(self, **options: Any) -> None:
        """Refuses a format that the class is not shown in, or not with these options, before long work."""
        from rankmark.rendering.formats import format_named

        file = format_named(self.known_format)
        if file is not None and file.one_table:
            self._class._check_table(**options)

    def check_paper(self) -> None:
        """Refuses options of tables for papers where none is shown, or wrong ones, before long work."""
        if not self.paper:
            return
        from rankmark.rendering.formats import formats
        from rankmark.rendering.paper_options import check_options

        known = [name for name, each in formats().items() if each.options]
        if self.format not in known:
            said = next(iter(self.paper)).replace("label", "table-label")
            raise UsageError(f"--{said} is of tables for papers: add --format {' or '.join(known)}")
        check_options(**self.paper)

    def check_picture(self) -> None:
        """Refuses a picture that there is not, or where none is written, before long work."""
        if self.picture is None:
            return
        from rankmark.figures import pictures

        if self.picture not in pictures():
            hint = did_you_mean(self.picture, pictures()) or "; `rankmark plot --list` shows which there are"
            raise UsageError(f"--picture {self.picture}: there is no such picture{hint}")
        if not (self.path and self.format in DRAWN):
            raise UsageError(f"--picture {self.picture} is of files: add -o FILE.svg, .png or .pdf")

    def keep(self, *inputs: str | None) -> None:
        """Refuses a file that cannot be made or written, or is an input, before long work is done."""
        from rankmark.rendering.formats import format_named

        if self.path:
            check_target("-o", self.path, *inputs)
            file = format_named(self.format) if self.is_file else None
            if file is not None and file.tool:
                tool(*file.tool)

    def write(self, shown: Shown, **options: Any) -> None:
        """Prints what is shown, or writes it to the file."""
        if self.picture:
            shown.plot(self.picture).write(str(self.path), self.format)
        elif self.is_file:
            shown.write(str(self.path), self.format)
        else:
            self.show(self._text(shown, options))

    def _text(self, shown: Shown, options: Mapping[str, Any]) -> str:
        """What is shown as text: on a terminal tables with drawings."""
        from rankmark.rendering.drawn import can_draw
        from rankmark.rendering.formats.table import DRAWN
        from rankmark.rendering.shown import checked_digits

        if self.known_format == DRAWN.name and not self.path and can_draw(sys.stdout):
            return DRAWN.text(shown, checked_digits(self.digits, options), options)
        return shown.format(self.known_format, self.digits, **options, **self.paper)

    def tell(self, lines: Iterable[str]) -> None:
        """Prints what a log should say on standard error, where a file has what is shown."""
        if self.path:
            for line in lines:
                click.echo(harmless(line), err=True)

    def show(self, text: str) -> None:
        """Prints the text, or writes it to the file."""
        from rankmark.rendering.files import write_whole

        if self.path:
            write_whole(self.path, text)
        else:
            echo(text)


def check_target(option: str, path: str, *inputs: str | None) -> None:
    """Refuses a file that an option is to write and cannot, or that is an input, before long work is done."""
    from rankmark.rendering.files import check_writable, is_there

    check_writable(path)
    for each in filter(None, inputs):
        if is_there(path) and is_there(each) and Path(path).samefile(each):
            raise UsageError(f"{option} {path} would overwrite the input {each}")


KEPT = "Write here, whole or not at all; NAME.rankmark is for `rankmark show`."
"""What help says of --output where there are no pictures."""
FILES = f"{KEPT[:-1]}, NAME.svg, .png and .pdf are pictures."
"""What it says where there are some."""


PICTURE = click.option(
    "--picture",
    metavar="NAME",
    help="Which picture -o FILE.svg, .png or .pdf is, such as exposure; `rankmark plot --list` has them.",
)

OF_PAPERS: Mapping[str, Callable[[Command], Command]] = {
    "caption": click.option("--caption", "paper_caption", metavar="TEXT", help="What a paper's table shows."),
    "label": click.option(  # as --label is a column
        "--table-label", "paper_label", metavar="NAME", help="By which a paper refers to its table."
    ),
    "percent": click.option("--percent", "paper_percent", is_flag=True, help="Times 100, in papers."),
    "spread": click.option(
        "--spread",
        "paper_spread",
        metavar="none|seeds|interval|plus-minus",
        help="What stands beside values in papers.",
    ),
    "transpose": click.option(
        "--transpose", "paper_transpose", is_flag=True, help="Exchange rows and columns, in papers."
    ),
}
"""The options of tables for papers, by their names in Python."""


def with_output_of(
    shown: str, files: str = FILES, *, papers: bool = False, pictures: bool = False
) -> Callable[[Command], Command]:
    """Gives a command that shows this class of `rankmark.results` --format, --digits and --output.

    It gets them as one `output`; with `papers` the options of tables for papers, with `pictures` --picture,
    too.
    """
    options: tuple[Callable[[Command], Command], ...] = (
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            help=files,
        ),
        *([PICTURE] if pictures else ()),
        *(reversed([*OF_PAPERS.values()]) if papers else ()),
        click.option(
            "--digits",
            type=click.IntRange(0, 17),
            metavar="N",
            help="Decimals to show.  [default: 4; of --percent 2]"
            if papers
            else "Decimals to show.  [default: 4]",
        ),
        with_format_of(shown, help="How to show it, whatever the ending of FILE."),
    )

    def give(command: Command) -> Command:
        @functools.wraps(command)
        def told(
            *given: object, format_: str | None, digits: int | None, output: str | None, **others: Any
        ) -> None:
            paper = {name: others.pop(f"paper_{name}") for name in OF_PAPERS} if papers else {}
            said = {name: value for name, value in paper.items() if value}
            made = Output(shown, format_, digits, output, said, others.pop("picture", None))
            made.check_paper()
            made.check_picture()
            command(*given, output=made, **others)

        wrapped: Command = told
        for option in options:
            wrapped = option(wrapped)
        return wrapped

    return give


def with_format_of(shown: str, **how: Any) -> Callable[[Command], Command]:
    """Gives a command --format, whose values are the formats of this class."""

    class Format(click.Option):
        def make_metavar(self, *_: Any, **__: Any) -> str:
            return "|".join(_class(shown).formats())  # which no run needs that is not asked for help

    return click.option("--format", "format_", cls=Format, **how)


def known_format_of(shown: str, name: str) -> str:
    """The format of this name, if the class has it."""
    from rankmark.rendering.formats import known_format

    found = _class(shown)
    return name if found._shown_in(name) else known_format(name, found.formats())


def _class(name: str) -> type[Shown]:
    from rankmark import results

    found: type[Shown] = getattr(results, name)
    return found
