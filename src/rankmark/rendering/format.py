"""What a format is: how it is called, and how it shows what a class has."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

from rankmark.rendering.blocks import Block, Code, Formulas, Grid, Marked, Notes, Prose, Section
from rankmark.rendering.files import write_whole
from rankmark.rendering.words import printable

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rankmark.rendering.papers import PaperTable

__all__ = ["Drawable", "FileFormat", "Format", "PictureFormat", "Showable", "TextFormat"]


class Drawable(Protocol):
    """A picture."""

    def to_svg(self) -> str:
        """It as SVG."""

    def to_png(self) -> bytes:
        """It as PNG."""

    def to_pdf(self) -> bytes:
        """It as PDF."""


class Showable:
    """What a class has to be shown: as many as it can of these methods, which take its options by name."""

    __slots__ = ()

    _blocks: Callable[..., Iterator[Block]]
    """Tables and lines for people, with so many digits."""
    _paper: Callable[..., Iterator[Block | PaperTable]]
    """The same for papers, where a class has tables for them."""
    _record: Callable[..., Any]
    """What JSON holds; numbers can be NaN or infinite."""
    _frame: Callable[..., pl.DataFrame | Grid]
    """What CSV holds."""
    _trec: Callable[..., Iterable[tuple[str, str, str]]]
    """The lines of trec_eval's format: name, query and value, with so many digits."""
    save: Callable[[str | Path], None]
    """What writes all of it to a file, to be had again."""
    _queries: Callable[[], pl.DataFrame | None]
    """The values of each query; None if no measure has any."""
    _figure: Callable[[], Drawable]
    """The natural picture of it."""

    @classmethod
    def _check_table(cls, **options: Any) -> None:
        """Refuses options that ask for several tables where one is shown."""

    def _title(self) -> str:
        """What a page is called that shows it."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)
        return words[0] + words[1:].lower()

    def _page(self, digits: int, **options: Any) -> Iterator[Block]:
        """As `_blocks`, for pages, on which tables are read as easily as lines."""
        return self._blocks(digits, **options)


class Format(ABC):
    """A way to show things; every module of `rankmark.rendering.formats` has one, called ``FORMAT``.

    Attributes:
        name: what it is called.
        endings: those of files that are written so unless told otherwise.
        place: where it stands among the others in lists; after those with a lower number.
        needs: the method of a `Showable` that gives what this shows: a class without it cannot be shown so.
        is_text: whether it can be printed, and not only be written to a file.
        options: what it takes besides `digits` of whatever has tables for it.
        one_table: whether it shows one table alone, of those that options ask for.
        file: of a format that is no text, what it is and what writes it.
        tool: what it takes that need not be installed, for `rankmark.tools.tool`.

    """

    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = 100
    needs: ClassVar[str]
    is_text: ClassVar[bool] = True
    file: ClassVar[str] = ""
    one_table: ClassVar[bool] = False
    options: ClassVar[tuple[str, ...]] = ()
    tool: ClassVar[tuple[str, str] | None] = None

    def has(self, what: type[Showable]) -> bool:
        """Whether things of a class can be shown so."""
        return hasattr(what, self.needs)

    @abstractmethod
    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """The thing as text, with a line end; with so many digits, and the options of its class."""

    def write(self, path: str | Path, shown: Showable, digits: int, options: Mapping[str, Any]) -> None:
        """Write it to a file, whole or not at all."""
        write_whole(path, self.text(shown, digits, options))


class FileFormat(Format):
    """A format of files that are no text, to which all digits go and no options."""

    is_text = False

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> NoReturn:
        """There is none."""
        raise NotImplementedError

    def write(
        self,
        path: str | Path,
        shown: Showable,
        digits: int,  # noqa: ARG002 - all digits
        options: Mapping[str, Any],  # noqa: ARG002 - of texts
    ) -> None:
        """Write it to a file, whole or not at all."""
        self.write_file(path, shown)

    @abstractmethod
    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Write it to a file, whole or not at all."""


class PictureFormat(FileFormat):
    """A format of pictures: of a result the natural one."""

    needs = "_figure"

    @abstractmethod
    def drawn(self, figure: Drawable) -> str | bytes:
        """What the file of a picture holds."""

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Draw it, and write that."""
        write_whole(path, self.drawn(shown._figure()))


class TextFormat(Format):
    """A format for people, in which everything is a sequence of blocks.

    It has to say how it shows a table and notes; all else is shown as these are unless it says otherwise.
    """

    needs = "_blocks"

    @abstractmethod
    def grid(self, grid: Grid) -> str:
        """A table."""

    @abstractmethod
    def notes(self, notes: Notes) -> str:
        """Sentences."""

    def marked(self, table: Marked) -> str:
        """A table with marks."""
        return self.grid(table.joined().stripped())

    def prose(self, prose: Prose) -> str:
        """Sentences that mean the same everywhere."""
        return self.notes(Notes(prose.lines))

    def code(self, code: Code) -> str:
        """Lines to be copied."""
        return self.notes(Notes(code.lines, wrapped=False))

    def section(self, section: Section) -> str:
        """Sentences under a title, and a table."""
        lines = [section.title] * bool(section.title) + [*section.lines]
        table = [] if section.grid is None else [self.grid(section.grid)]
        return "\n\n".join([self.notes(Notes(lines)), *table])

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """All blocks, with an empty line between them."""
        return "\n\n".join(self.shown(shown._blocks(digits, **options))) + "\n"

    def shown(self, blocks: Iterable[Block]) -> Iterator[str]:
        """Each block as text."""
        return map(self.block, blocks)

    def block(self, block: Block) -> str:
        """One block as text."""
        match block:
            case str():
                return self.notes(Notes(list(map(printable, block.split("\n"))), wrapped=False, apart=False))
            case Grid():
                return self.grid(block)
            case Notes():
                return self.notes(block)
            case Marked():
                return self.marked(block)
            case Prose():
                return self.prose(block)
            case Code():
                return self.code(block)
            case Formulas():
                return self.code(Code(block.lines))
            case Section():
                return self.section(block)
