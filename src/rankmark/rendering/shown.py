"""What can be shown in several formats; each class says what it has, and the formats do the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rankmark.calling import clear_methods, refuse_unknown
from rankmark.errors import UsageError
from rankmark.rendering.format import Format, Showable
from rankmark.rendering.formats import format_named, format_of, formats, known_format
from rankmark.rendering.paper_options import OF_PAPERS
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rankmark.figures import Figure


__all__ = ["Shown", "checked_digits"]


MOST_DIGITS = 17
"""Digits after the point, beyond which a double has no more to tell."""
DIGITS, OF_PERCENT = 4, 2
"""How many are shown unless told otherwise."""


def checked_digits(digits: int | None, options: Mapping[str, Any]) -> int:
    """How many digits are shown with these options, or an error for what is no such number."""
    if digits is None:
        return OF_PERCENT if options.get("percent") else DIGITS
    if isinstance(digits, bool) or not hasattr(digits, "__index__") or not 0 <= digits <= MOST_DIGITS:
        raise UsageError(f"digits={brief(digits)} is not a whole number from 0 to {MOST_DIGITS}")
    return digits.__index__()


@clear_methods
class Shown(Showable):
    """Something that `format` shows and `write` writes, in the formats that what it has decides."""

    __slots__ = ()

    _only: ClassVar[tuple[str, ...] | None] = None
    """The formats that its class is shown in, if not all for which it has what it takes."""
    _options: ClassVar[tuple[str, ...]] = ()
    """What else than `digits` its formats take."""
    _instead: ClassVar[str] = ""
    """What a format in which it is not shown shows, for the message that refuses it."""

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        clear_methods(cls)

    @classmethod
    def formats(cls) -> tuple[str, ...]:
        """The formats in which `format` shows it."""
        return cls._only or tuple(name for name, each in formats().items() if each.is_text and each.has(cls))

    @classmethod
    def _shown_in(cls, name: str) -> Format | None:
        """The format of a name, if `format` shows it so."""
        found = format_named(name)
        if found is None or not (name in cls._only if cls._only else found.is_text and found.has(cls)):
            return None
        return found

    @classmethod
    def _in_format(cls, name: str) -> Format:
        """The same, or an error that says what is wrong with the name."""
        if (found := cls._shown_in(name)) is not None:
            return found
        known = cls.formats()
        every = formats()
        if cls._instead and known_format(name, [each for each in every if every[each].is_text]) not in known:
            raise UsageError(f"format={name} shows {cls._instead}; use one of {', '.join(known)}")
        return every[known_format(name, known)]

    @classmethod
    def _check_options(cls, called: str, arguments: Sequence[str], name: str, options: Iterable[str]) -> None:
        """Refuses options that neither the class nor its tables in a format take.

        Raises:
            CallError: there is no such option.
            UsageError: other formats take it.

        """
        file = format_named(name)
        takes = file.options if file is not None and hasattr(cls, "_paper") else ()
        asked = [option for option in options if option not in takes]
        if of_papers := [option for option in asked if option in OF_PAPERS and option not in cls._options]:
            where = f"in {' and '.join(each.name for each in formats().values() if each.options)}"
            if not hasattr(cls, "_paper"):
                where = f"which {cls.__name__} has none of"
            raise UsageError(f"{of_papers[0]}= is of tables of results for papers, {where}")
        refuse_unknown(called, asked, [*arguments, *cls._options, *takes])

    def format(self, name: str = "table", digits: int | None = None, **options: Any) -> str:
        """It as text, with a line end.

        Args:
            name: one of `formats`. JSON has everything, CSV one table; both have all digits. In LaTeX and
                Typst lines are comments.
            digits: how many are shown after the point; 4 if None, and of per cent 2.
            **options: what else to show; the class says which there are. LaTeX and Typst have more for tables
                of results, see `to_latex`.

        """
        file = self._in_format(name)
        self._check_options("format", ["name", "digits"], file.name, options)
        return file.text(self, checked_digits(digits, options), options)

    def to_table(self, **options: Any) -> str:
        """Aligned tables for people; see `format`."""
        return self.format("table", **options)

    def to_json(self, **options: Any) -> str:
        """JSON: full precision and everything there is; see `format`.

        What is NaN or infinite is null, and beside it, under its name and ``_reason``, stands which it is:
        ``no value``, ``infinite`` or ``minus infinity``; or ``undefined`` says why there is no value.
        """
        return self.format("json", **options)

    def to_csv(self, **options: Any) -> str:
        """CSV with full precision: one table; see `format`."""
        return self.format("csv", **options)

    def to_markdown(self, **options: Any) -> str:
        """Markdown; see `format`."""
        return self.format("markdown", **options)

    def to_latex(self, **options: Any) -> str:
        r"""LaTeX, which needs ``\usepackage{booktabs}``; see `format`.

        Results, comparisons, boards and slices are tables to be put into a paper as they are: a row a system,
        a column a measure, the best value in bold, the second best underlined, a caption that says what marks
        mean. What is shown as equal is equal.

        Args:
            **options: those of `format`, and of such tables: ``caption`` says what it shows, and ``label``
                how it is referred to; ``percent=True`` gives values from 0 to 1 times 100;
                ``transpose=True`` exchanges rows and columns; ``spread`` is what stands beside values:
                ``"seeds"``, ± their standard deviation over seeds, ``"interval"``, their interval in
                brackets, ``"plus-minus"``, how far off its ends are, or ``"none"``; without it ``"seeds"``
                where there are several, and the intervals for which `evaluate` was asked.

        """
        return self.format("latex", **options)

    def to_typst(self, **options: Any) -> str:
        """Typst; see `to_latex`."""
        return self.format("typst", **options)

    def to_html(self, **options: Any) -> str:
        """A page for browsers; see `format`."""
        return self.format("html", **options)

    def write(
        self, path: str | Path, name: str | None = None, digits: int | None = None, **options: Any
    ) -> None:
        """Write `format` to a file, whole or not at all; the path's ending says how unless `name` does."""
        name = name or format_of(path)
        file = format_named(name)
        if file is None or file.is_text or not file.has(type(self)):
            file = self._in_format(name)
        self._check_options("write", ["path", "name", "digits"], file.name, options)
        file.write(path, self, checked_digits(digits, options), options)

    @classmethod
    def pictures(cls) -> tuple[str, ...]:
        """The names of the pictures that there are of it, the natural one first."""
        from rankmark.figures import pictures_of

        return tuple(pictures_of(cls))

    def plot(self, name: str | None = None, **options: Any) -> Figure:
        """A picture of it, for a notebook or a file: ``result.plot().write("differences.svg")``.

        Args:
            name: one of `pictures`; without it the first of them for which it has what that shows.
            **options: of that picture; ``help(rankmark.pictures)`` leads to their pages.

        Raises:
            PictureError: there is no such picture of it, or it lacks what that shows.

        """
        from rankmark.figures import drawn_as

        return drawn_as(self, name, options)

    def _figure(self) -> Figure:
        return self.plot()

    def __str__(self) -> str:
        return self.format().rstrip("\n")

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from rankmark.rendering.html import in_cell  # which needs what typesets formulas

        return in_cell(self._page(DIGITS))
