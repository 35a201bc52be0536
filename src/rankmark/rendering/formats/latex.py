r"""LaTeX for papers, which needs ``\usepackage{booktabs}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.rendering.blocks import Grid
from rankmark.rendering.paper_format import BEST, SECOND, PaperFormat, with_minus
from rankmark.rendering.words import first_of

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable
    from rankmark.rendering.papers import Laid, PaperCell

__all__ = ["FORMAT"]

SPECIAL: Mapping[str, str] = {
    **{char: "\\" + char for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "`": r"\textasciigrave{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": "$-$",
    "∞": r"$\infty$",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "²": "$^2$",
    "\N{REPLACEMENT CHARACTER}": "?",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "‖": r"$\|$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\varepsilon$",
    "η": r"$\eta$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
    "ω": r"$\omega$",
}
"""What LaTeX would understand, or pdfLaTeX does not know."""
ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
"""Over and under letters that pdfLaTeX sets with any font."""
KNOWN = "ßæÆœŒøØłŁ–—‘’“”"
"""What else it does."""
MOST_STRANGE = 5
"""Signs that are named which pdfLaTeX cannot set."""
RAISED: Mapping[str, str] = {"†": r"\dagger", "‡": r"\ddagger", "§": r"\S", "¶": r"\P", "‖": r"\|", "−": "-"}


class Latex(PaperFormat):
    """Tables to be put into a paper; sentences are comments."""

    name = "latex"
    endings = (".tex",)
    place = 5
    comment = "%"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """As other papers; first a comment if pdfLaTeX cannot set it."""
        text = super().text(shown, digits, options)
        lines = (line for line in text.splitlines() if not line.startswith(self.comment))
        strange = [char for char in dict.fromkeys("".join(lines)) if not _is_known(char)]
        if not strange:
            return text
        names = first_of(strange, MOST_STRANGE)
        instead = "typeset with lualatex or xelatex and a font that has it, or rename"
        return f"{self.comment} pdflatex has no {names}: {instead}\n{text}"

    def grid(self, grid: Grid) -> str:
        """A tabular."""
        header, *rows = (_row(map(_escaped, row)) for row in with_minus(grid).rows)
        return "\n".join(_tabular(grid.names, len(grid.rows[0]), [header], [rows]))

    def table(self, laid: Laid) -> str:
        """A table with its caption above it, as tables have."""
        groups = [
            [_row([*map(_escaped, names), *map(_cell, cells)]) for names, cells in own] for own in laid.groups
        ]
        label = [] if laid.label is None else [rf"\label{{{laid.label}}}"]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(laid.caption)}}}",
            *label,
            *_tabular(laid.names, laid.width, list(_header(laid)), groups),
            r"\end{table}",
        ]
        return "\n".join(lines)


def _tabular(names: int, width: int, header: Iterable[str], groups: Iterable[Sequence[str]]) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{'l' * names}{'r' * (width - names)}}}"
    yield r"\toprule"
    yield from header
    for rows in groups:
        yield r"\midrule"
        yield from rows
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _header(laid: Laid) -> Iterator[str]:
    """Lines above the columns, the last over each one and others over several."""
    *above, last = laid.header
    for line in above:
        yield _row(
            text if span == 1 else rf"\multicolumn{{{span}}}{{c}}{{{text}}}" for text, span in _texts(line)
        )
        yield "".join(_rules(line))
    yield _row(text for text, _ in _texts(last))


def _texts(line: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    return ((_escaped(text), span) for text, span in line)


def _rules(line: Sequence[tuple[str, int]]) -> Iterator[str]:
    """A rule under each text but the first, which is what names are."""
    column = 1
    for text, span in line:
        if column > 1 and text:
            yield rf"\cmidrule(lr){{{column}-{column + span - 1}}}"
        column += span


def _cell(cell: PaperCell) -> str:
    if not cell.number:
        return "--"
    beside, marks = cell.room
    return "".join((_placed(cell), _raised(cell.marks, marks), _phantom(_small(beside))))


def _placed(cell: PaperCell) -> str:
    """The number, and what is beside it, as the best or second best or neither."""
    text = _escaped(cell.number) + _small(cell.beside)
    if cell.ends is not None:
        up, down = cell.ends
        text += f"$^{{{up}}}_{{{down.replace('−', '-')}}}$"
    if cell.place == BEST:
        bold = r"\boldmath " if "$" in text else ""  # or formulas are not
        return rf"\textbf{{{bold}{text}}}"
    return rf"\underline{{{text}}}" if cell.place == SECOND else text


def _small(beside: str) -> str:
    return rf"\,{{\scriptsize {_escaped(beside)}}}" if beside else ""


def _phantom(text: str) -> str:
    return rf"\phantom{{{text}}}" if text else ""


def _raised(marks: str, room: str) -> str:
    """Marks, and room for those that others in the column have more."""
    more = rf"\phantom{{{_signs(room)}}}" if room else ""
    return f"$^{{{_signs(marks)}{more}}}$" if marks or room else ""


def _signs(marks: str) -> str:
    return "".join(RAISED.get(mark, rf"\mathrm{{{mark}}}") for mark in marks)


def _is_known(char: str) -> bool:
    """Whether pdfLaTeX sets it with any font."""
    from unicodedata import normalize

    letter, *accents = list(normalize("NFD", char))
    latin = char <= "\N{LATIN SMALL LETTER LONG S}" and letter.isascii() and len(accents) < 2
    return char in KNOWN or (latin and all(accent in ACCENTS for accent in accents))


def _escaped(text: str) -> str:
    """The text with what LaTeX would understand escaped."""
    return "".join(SPECIAL.get(char, char) for char in text).replace("--", "-{}-")


FORMAT = Latex()
