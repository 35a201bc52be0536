"""`rankmark compare-matrix`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.compare import shown_of, with_comparison
from rankmark.commands.names import column_names, one_path_each
from rankmark.commands.options import together, with_per_query, with_threads, with_weights
from rankmark.commands.output import Output, with_output_of

__all__ = ["compare_values", "matrix_in", "with_matrix"]


with_matrix = together(
    click.option(
        "-m",
        "--measure",
        multiple=True,
        metavar="NAME",
        help="Which of the measures to compare; or what was measured, where nothing says it.",
    ),
    click.option("--better", type=click.Choice(["more", "less"]), help="What of a measure is better."),
    click.option(
        "--column",
        multiple=True,
        metavar="ROLE=NAME",
        help="The column of the query, system, measure or value; repeat it.",
    ),
)
"""Gives a command the options that say what a matrix holds."""


@click.command("compare-matrix")
@click.argument("file", nargs=-1, required=True, metavar="[NAME=]FILE...")
@with_matrix
@with_comparison
@with_weights
@click.option("--attributes", metavar="FILE", help="Queries with a column for --weights.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of resamples.")
@with_threads
@with_per_query
@with_output_of("Comparison", papers=True)
def compare_values(
    file: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    better: str | None,
    column: tuple[str, ...],
    per_query: bool,
    output: Output,
    **options: Any,
) -> None:
    """Compare systems by values computed elsewhere.

    One FILE is a table with a row a query and a column a system, or with a row a
    query and system in columns such as query, system, value and measure. Several
    FILEs are of a system each: what `trec_eval -q` printed, or a table with a row
    a query and a column a measure. The rest is as in `rankmark compare`.

    \b
    rankmark compare-matrix ap.csv -m AP --baseline bm25 --test t
    rankmark compare-matrix bm25=bm25.eval dense=dense.eval -m ndcg_cut_10
    """  # noqa: D301
    from rankmark.comparing.matrix import compare_matrix

    shown = shown_of(options)
    output.check(per_query=per_query, **shown)
    matrix = matrix_in(file)
    output.keep(*(matrix.values() if isinstance(matrix, dict) else [matrix]), options["attributes"])
    options |= {"columns": column_names(column), "baseline": options["baseline"] or None, "better": better}
    compared = compare_matrix(matrix, list(measure) or None, **options)
    output.write(compared, per_query=per_query, **shown)


def matrix_in(files: tuple[str, ...]) -> str | dict[str, str]:
    """One table, or a file of each system."""
    named = one_path_each(files, "files")
    (first, *others) = named.items()
    return named if others or files[0] != first[1] else first[1]
