"""Is one system better than another? The answer, as it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.comparing.compared import Compared
from rankmark.comparing.formats import ComparisonOptions, html, render

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

__all__ = ["Comparison"]


class Comparison(Compared):
    """Systems side by side: their means, the differences between them, and how sure these are.

    ``print(comparison)`` shows them.

    Attributes:
        pairs: every measure's pairs of systems with all figures; `table` has them as a polars frame.
        results: of each system, one a seed.
        baseline: the system with which all others are compared; None for all pairs.
        plan: which test, correction, intervals, resamples and seed.
        query_ids: the queries, in the order of `query_values`.
        notes: what a reader should know of how the results were brought together.
        slices: the pairs in slices of the queries, if `compare` was asked for them.

    """

    def __str__(self) -> str:
        return self.to_table().rstrip("\n")

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        found = sum(pair.significant for pair in self.pairs)
        return (
            f"<Comparison of {', '.join(self.systems)} by {shown}; "
            f"{found} of {len(self.pairs)} differences significant>"
        )

    def _repr_html_(self) -> str:
        return html(self)

    def format(self, name: str = "table", **options: Unpack[ComparisonOptions]) -> str:
        """The comparison as text.

        Args:
            name: ``table``, ``json``, ``csv``, ``markdown`` or ``latex``.
            **options: ``per_query=True`` adds the values of each query, ``movers=N`` the N queries that
            changed
                most, ``margin=0.01`` the tests of equivalence within it; ``digits=4`` is how many are shown
                after the point (JSON and CSV show all).

        """
        return render(self, name, **options)

    def to_table(self, **options: Unpack[ComparisonOptions]) -> str:
        """Aligned tables for people, with an account of the test and of the queries; see `format`."""
        return self.format("table", **options)

    def to_json(self, **options: Unpack[ComparisonOptions]) -> str:
        """JSON: full precision and all figures; null where there is no value."""
        return self.format("json", **options)

    def to_csv(self, **options: Unpack[ComparisonOptions]) -> str:
        """CSV with full precision: a row a measure and pair, or with ``per_query=True`` a row a query."""
        return self.format("csv", **options)

    def to_markdown(self, **options: Unpack[ComparisonOptions]) -> str:
        """Markdown tables; see `format`."""
        return self.format("markdown", **options)

    def to_latex(self, **options: Unpack[ComparisonOptions]) -> str:
        r"""A LaTeX ``table`` of systems × measures, the test in its caption (needs the package booktabs).

        ``movers``, ``margin`` and ``per_query`` add nothing to it.
        """
        return self.format("latex", **options)

    def write(self, path: str | Path, name: str | None = None, **options: Unpack[ComparisonOptions]) -> None:
        """Write this to a file, whole or not at all; the path's ending says how unless `name` does."""
        from rankmark.rendering.formats import format_of, write_whole

        write_whole(path, self.format(name or format_of(path), **options))
