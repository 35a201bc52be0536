"""`rankmark compare`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.eval import MEASURES
from rankmark.commands.options import (
    column_names,
    keep_inputs,
    known_format_of,
    named_paths,
    show,
    with_choices,
    with_columns,
    with_like,
    with_output_of,
    with_significance,
)

__all__ = ["compare_runs"]

TESTS = ("randomisation", "t", "wilcoxon", "sign", "bootstrap")
CORRECTIONS = ("holm", "hochberg", "benjamini-hochberg", "bonferroni", "sidak", "tukey", "none")


@click.command("compare")
@click.argument("qrels")
@click.argument("run", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    default=MEASURES,
    metavar="MEASURE",
    help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
)
@click.option("--baseline", metavar="NAME", help="Compare all others with this run, and not all pairs.")
@click.option("--test", default=TESTS[0], metavar="|".join(TESTS), help="Which test gives the p-values.")
@with_significance(CORRECTIONS)
@click.option("--interval", default="bca", metavar="bca|percentile|t", help="How intervals are made.")
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, metavar="P", help="Of the intervals."
)
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="Draw queries together that have the same value, such as a user, in a column of FILE, QRELS or RUN.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="How many.",
)
@click.option(
    "--movers", type=click.IntRange(min=1), metavar="N", help="Show the N queries that changed most."
)
@click.option("--margin", type=float, metavar="D", help="Show which differences are within ±D (equivalence).")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Show slices by a column of FILE, QRELS or RUN; repeat it."
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --by and --clusters.")
@with_like
@with_choices
@with_columns
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use, if not all.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@with_output_of("Comparison")
def compare_runs(
    qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    by: tuple[str, ...],
    attributes: str | None,
    movers: int | None,
    margin: float | None,
    per_query: bool,
    format_: str | None,
    digits: int,
    output: str | None,
    **options: Any,
) -> None:
    """Say which differences between runs are more than chance.

    QRELS and each RUN are as for `rankmark eval`. A run is called as its file
    unless NAME= stands before it; runs of one NAME are one system with several
    seeds. Shown are the means with marks of significance, and for every pair
    the difference with its interval, the p-value as it is and corrected, Cohen's
    d, Cliff's delta, the probability of superiority and on how many queries it
    won, tied and lost. --seed is of resamples and of --ties random. --by shows
    the pairs in slices of the queries, too; JSON and CSV show these slices alone.

    \b
    rankmark compare qrels.txt bm25.run dense.run -m nDCG@10 --baseline bm25
    rankmark compare qrels.txt old=a.run new=b.run new=c.run -o table.tex
    """  # noqa: D301
    from rankmark.comparing.comparison import compare
    from rankmark.language.measure import split_measures
    from rankmark.rendering.files import check_writable
    from rankmark.rendering.formats import formats
    from rankmark.statistics.equivalence import check_margin

    name = known_format_of("Comparison", format_, output)
    runs = named_paths(run, "runs")
    if margin is not None:
        check_margin(margin)
    if output:
        check_writable(output)
        paths = (path for paths in runs.values() for path in paths)
        keep_inputs(output, qrels, *paths, *([attributes] if attributes else []))
    measures = [each for text in measure for each in split_measures(text)]
    columns = column_names(column)
    options["seed"] = options["seed"] or 0
    options |= {"by": by or None, "attributes": attributes}
    compared = compare(qrels, runs, measures, columns=columns, **options)
    text = compared.format(name, digits, per_query=per_query, movers=movers or 0, margin=margin)
    if compared.slices:
        sliced = compared.slices.format(name, digits=digits)
        text = f"{text}\n{sliced}" if formats()[name].goes_on else sliced
    show(text, output)
