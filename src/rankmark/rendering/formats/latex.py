r"""LaTeX for papers, which needs ``\usepackage{booktabs}``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.rendering.blocks import Block, Code, Grid, Marked, Notes, Prose
from rankmark.rendering.format import TextFormat

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]

SIGNS = {"↑": "uparrow", "↓": "downarrow", "≤": "leq"}


class Latex(TextFormat):
    """Tables to be put into a paper; sentences are comments."""

    name = "latex"
    endings = (".tex",)
    place = 5

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """What a paper shows, and at its end, without an empty line, what belongs to all of it."""
        blocks: list[Block] = list(shown._paper(digits, **options))
        closing = [block for block in blocks if _is_closing(block)]
        texts = ["\n\n".join(map(self.block, (block for block in blocks if not _is_closing(block))))]
        return "\n".join([*texts, *map(self.block, closing)]) + "\n"

    def grid(self, grid: Grid) -> str:
        """A tabular."""
        header, *rows = (" & ".join(map(_escaped, row)) + r" \\" for row in grid.rows)
        return "\n".join(_tabular(grid, header, rows))

    def marked(self, table: Marked) -> str:
        """A table with its caption, and the marks raised."""
        header, *rows = table.grid.rows
        # Marks are formulas, so the cells are escaped before they get them.
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(table.caption)}}}",
            *_tabular(
                table.grid,
                " & ".join(map(_escaped, header)) + r" \\",
                (_marked_row(row, own, table.room) for row, own in zip(rows, table.marks, strict=True)),
            ),
            r"\end{table}",
        ]
        return "\n".join(map(_with_signs, lines))

    def notes(self, notes: Notes) -> str:
        """Comments."""
        return "\n".join(f"% {line}" for line in notes.lines)

    def prose(self, prose: Prose) -> str:
        """Comments."""
        return self.notes(Notes(prose.lines))

    def code(self, code: Code) -> str:
        """Comments."""
        return self.notes(Notes(code.lines))


def _is_closing(block: Block) -> bool:
    return isinstance(block, Code) or (isinstance(block, Notes) and block.closing)


def _tabular(grid: Grid, header: str, rows: Iterable[str]) -> list[str]:
    columns = "l" * grid.names + "r" * (len(grid.rows[0]) - grid.names)
    begin = rf"\begin{{tabular}}{{{columns}}}"
    return [begin, r"\toprule", header, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]


def _marked_row(row: Sequence[str], marks: Sequence[str], room: bool) -> str:
    name, *numbers = row
    cells = (number + _raised(mark, room) for number, mark in zip(numbers, marks, strict=True))
    return " & ".join([_escaped(name), *cells]) + r" \\"


def _raised(marks: str, room: bool) -> str:
    shown = "".join(f"\\{SIGNS[mark]}" if mark in SIGNS else mark for mark in marks.strip())
    filler = r"\phantom{\uparrow}" if marks and not shown and room else ""
    return f"$^{{{shown or filler}}}$" if shown or filler else ""


def _with_signs(line: str) -> str:
    for sign, command in SIGNS.items():
        line = line.replace(sign, rf"$\{command}$")
    return line


def _escaped(text: str) -> str:
    """The text with what LaTeX would understand escaped."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}"}
    special |= {char: "\\" + char for char in "&%$#_{}"}
    special |= {"≤": r"$\leq$", "≥": r"$\geq$", "−": "$-$", "∞": r"$\infty$", "…": r"\ldots{}"}
    return "".join(special.get(char, char) for char in text)


FORMAT = Latex()
