"""`rankmark eval-preferences`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.names import column_names, measures_in, one_path_each
from rankmark.commands.options import (
    with_attributes,
    with_columns,
    with_intervals,
    with_per_query,
    with_signatures,
    with_threads,
    with_words,
)
from rankmark.commands.output import Output, with_output_of

__all__ = ["evaluate_runs_by_preferences"]


def _orders() -> Any:
    from rankmark.preferences.evaluating import ORDERS

    return ORDERS


def _missing() -> Any:
    from rankmark.preferences.evaluating import MISSING

    return MISSING


@click.command("eval-preferences")
@click.argument("preferences")
@click.argument("run", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="NAME",
    help="ppref, rpref, wpref, appref (all also @K), prefs_simp and others of trec_eval.",
)
@with_words("--ties", _orders, "Order of equal scores; trec_eval takes item-asc here.")
@with_words("--missing", _missing, "A query with preferences, and without results.")
@click.option(
    "--transitive/--no-transitive",
    default=True,
    show_default=True,
    help="Count what follows of preferences, too; of a table.",
)
@with_columns
@with_intervals
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of resamples.")
@click.option("--by", multiple=True, metavar="COLUMN", help="Show slices by a column of FILE; repeat it.")
@with_attributes
@with_threads
@with_per_query
@with_signatures("Show of this what is not the standard.")
@with_output_of("Result", papers=True, pictures=True)
def evaluate_runs_by_preferences(
    preferences: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    by: tuple[str, ...],
    clusters: tuple[str, ...],
    per_query: bool,
    signatures: bool | Literal["short"],
    output: Output,
    **options: Any,
) -> None:
    """Measure runs by preferences between items.

    PREFERENCES has a row a preference (query, preferred, other, and assessor where
    there are several), or is a file for trec_eval -R prefs or qrels_prefs. A list
    fulfils one if the preferred item stands above the other. What is saved of several
    runs `rankmark compare` compares.

    \b
    rankmark eval-preferences preferred.csv bm25.run -m "ppref@10 appref"
    rankmark eval-preferences prefs.txt bm25.run dense.run --intervals
    """  # noqa: D301
    from rankmark.preferences.evaluating import USUAL, evaluate_preferences

    output.check_queries(per_query)
    runs = one_path_each(run, "runs")
    output.keep(preferences, *runs.values(), options["attributes"])
    found = evaluate_preferences(
        preferences,
        runs if len(runs) > 1 else next(iter(runs.values())),
        measures_in(measure) if measure else USUAL,
        columns=column_names(column),
        by=by or None,
        clusters=list(clusters) or None,
        **options,
    )
    output.write(found, per_query=per_query, signatures=signatures)
