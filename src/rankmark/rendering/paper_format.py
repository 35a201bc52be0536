"""What formats for papers have in common: tables are laid out, sentences are comments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rankmark.rendering.blocks import Block, Code, Grid, Notes, Prose
from rankmark.rendering.format import TextFormat
from rankmark.rendering.paper_options import OF_PAPERS
from rankmark.rendering.words import minus

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable
    from rankmark.rendering.papers import Laid, PaperTable

__all__ = ["BEST", "SECOND", "PaperFormat", "with_minus"]

BEST, SECOND = 1, 2
"""Places that are shown."""


def with_minus(grid: Grid) -> Grid:
    """The same with numbers that have a minus, and no hyphen, before them."""
    names = grid.names
    return grid._replace(rows=[[*row[:names], *(minus(cell) for cell in row[names:])] for row in grid.rows])


class PaperFormat(TextFormat):
    """A format for papers: tables, and sentences as comments."""

    options = OF_PAPERS

    comment: ClassVar[str]
    """With what a comment begins."""

    @abstractmethod
    def table(self, laid: Laid) -> str:
        """A table with its caption."""

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """What a paper shows, and at its end, without an empty line, what belongs to all of it."""
        from rankmark.rendering.papers import PaperTable, laid_out  # which other formats do without

        style = {name: value for name, value in options.items() if name in OF_PAPERS}
        others = {name: value for name, value in options.items() if name not in OF_PAPERS}
        blocks: list[Block | PaperTable] = list(getattr(shown, "_paper", shown._blocks)(digits, **others))
        laid = laid_out([each for each in blocks if isinstance(each, PaperTable)], digits, style)
        texts = [
            self.table(next(laid)) if isinstance(each, PaperTable) else self.block(each)
            for each in sorted(blocks, key=_is_closing)
        ]
        closing = sum(map(_is_closing, blocks))
        return "\n".join(["\n\n".join(texts[: len(texts) - closing]), *texts[len(texts) - closing :]]) + "\n"

    def notes(self, notes: Notes) -> str:
        """Comments."""
        return "\n".join(f"{self.comment} {line}" for line in notes.lines)

    def prose(self, prose: Prose) -> str:
        """Comments."""
        return self.notes(Notes(prose.lines))

    def code(self, code: Code) -> str:
        """Comments."""
        return self.notes(Notes(code.lines))


def _is_closing(block: Block | PaperTable) -> bool:
    return isinstance(block, Code) or (isinstance(block, Notes) and block.closing)
