"""Is one system better than another? The answer, as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.comparing.compared import Compared
from rankmark.comparing.formats import ComparisonOptions, View, check_one_table
from rankmark.comparing.pairs import numbers_of_pairs
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.paper_options import PaperOptions
from rankmark.results.reported import Reported
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    from typing import Unpack

    import polars as pl

    from rankmark.rendering.blocks import Block, Grid
    from rankmark.rendering.papers import PaperTable

__all__ = ["Comparison"]


class _FormatOptions(ComparisonOptions, PaperOptions, total=False):
    """The options with what formats for papers take."""


class Comparison(Compared, Saved, Numbered, Reported):
    """Systems side by side: their means, the differences between them, and how sure these are.

    ``print(comparison)`` shows them.

    Attributes:
        pairs: every measure's pairs of systems with all figures; `table` has them as a polars frame.
        results: of each system, one a seed.
        baselines: the systems with which all others are compared; empty for all pairs.
        plan: which test, correction, intervals, resamples and seed.
        query_ids: the queries, in the order of `query_values`.
        notes: what a reader should know of how the results were brought together.
        slices: the pairs in slices of the queries, if `compare` was asked for them.
        bounds: what unjudged items leave open of each pair, if it was asked for that.

    """

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        found = sum(pair.significant for pair in self.pairs)
        return (
            f"<Comparison of {', '.join(self.systems)} by {shown}; "
            f"{found} of {len(self.pairs)} differences significant>"
        )

    _options = tuple(ComparisonOptions.__annotations__)

    @classmethod
    def _check_table(cls, **options: Any) -> None:
        check_one_table(options)

    def _blocks(self, digits: int, **options: Unpack[ComparisonOptions]) -> Iterator[Block]:
        return View(self, digits=digits, **options).blocks()

    def _paper(self, digits: int, **options: Unpack[ComparisonOptions]) -> Iterator[Block | PaperTable]:
        return View(self, digits=digits, **options).paper_blocks()

    def _record(self, **options: Unpack[ComparisonOptions]) -> dict[str, Any]:
        return View(self, **options).record()

    def _frame(self, **options: Unpack[ComparisonOptions]) -> pl.DataFrame | Grid:
        return View(self, **options).frame()

    def _numbers(self) -> Mapping[Parts, float]:
        values = {
            (system, measure.label, figure): value
            for system in self.systems
            for measure in self.measures
            for figure, value in {
                "": self.value(system, measure),
                **self.interval(system, measure)._asdict(),
            }.items()
        }
        return values | numbers_of_pairs(self.pairs)

    def format(  # type: ignore[override] # takes these options alone
        self, name: str = "table", digits: int | None = None, **options: Unpack[_FormatOptions]
    ) -> str:
        """The comparison as text.

        Args:
            name: ``table``, ``json``, ``csv``, ``markdown``, ``latex``, ``typst`` or ``html``, as in
                `formats`. CSV has a row a measure and pair, in each slice if there are any, or is the one
                table that an option asks for. LaTeX and Typst have a table of systems × measures, with a mark
                a baseline and the test in its caption, and others if they are asked for.
            digits: how many are shown after the point, 4 if None (JSON and CSV show all).
            **options: ``per_query=True`` adds the values of each query, ``details=True`` what stands
                behind the p-values and intervals of effect sizes (in LaTeX and Typst the pairs, too),
                ``movers=N`` the N queries that changed most, ``margin=0.01`` the tests of equivalence
                within it, ``rope=0.01`` how likely each system is to be worse, within that region, or
                better (by ``posterior="bootstrap"`` or ``"signed-rank"`` instead of ``"t"``, see `bayes`),
                ``anova=True`` the analysis of variance; in LaTeX and Typst those of `to_latex`, too.

        """
        return super().format(name, digits, **options)
