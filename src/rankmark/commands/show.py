"""`rankmark show`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import click

from rankmark.commands.options import with_margins, with_per_query, with_signatures
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["show"]

EVALUATED = frozenset(("ListResult", "PredictionResult", "Runs"))
TAKEN_BY: Mapping[str, frozenset[str]] = {
    "per_query": EVALUATED | {"Comparison", "Agreement"},
    "signatures": EVALUATED,
    "per_class": EVALUATED,
    "confusion": EVALUATED,
    "movers": frozenset(("Comparison",)),
    "details": frozenset(("Comparison",)),
    "margin": frozenset(("Comparison",)),
    "rope": frozenset(("Comparison",)),
    "posterior": frozenset(("Comparison",)),
    "anova": frozenset(("Comparison",)),
    "all_rows": frozenset(("Explanation", "ExplainedDifference")),
}
"""Which classes know the options."""


@click.command("show")
@click.argument("file")
@with_per_query
@click.option("--per-class", is_flag=True, help="Show each class's rows and values, too.")
@click.option("--confusion", is_flag=True, help="Show which classes were predicted for which, too.")
@click.option(
    "--movers", type=click.IntRange(min=1), metavar="N", help="Show the N queries that changed most."
)
@click.option("--details", is_flag=True, help="Show what stands behind p-values, and more intervals.")
@with_margins
@click.option("--all", "all_rows", is_flag=True, help="Show long lists whole.")
@with_signatures("Show of that what is not the standard.")
@with_output_of("Result", papers=True)
def show(file: str, *, output: Output, **options: bool | float | Literal["short"] | None) -> None:
    """Show what was saved in FILE.

    Every command that takes -o writes such a file where its name ends with
    .rankmark, and so does `save` in Python, where `rankmark.load` opens it. It is
    shown as the command would have shown it, in any of its formats; what is to
    be shown besides, such as --margin, is said again.

    \b
    rankmark eval qrels.txt bm25.run -o bm25.rankmark
    rankmark show bm25.rankmark -q --format csv
    """  # noqa: D301
    from rankmark.loading import load
    from rankmark.results.saved import Saved

    output.keep(file)
    found = load(file)
    kept = found if isinstance(found, Saved) else found.result()
    name = type(kept).__name__
    said: dict[str, Any] = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    for option in said:
        if name not in TAKEN_BY[option]:
            raise UsageError(f"--{option.replace('_', '-')} shows nothing of a {name}, which {file} holds")
    replace(output, shown=name).write(kept, **said)
