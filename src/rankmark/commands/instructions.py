"""`rankmark instructions`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.names import column_names
from rankmark.commands.options import (
    with_choice,
    with_clusters,
    with_columns,
    with_confidence,
    with_per_query,
    with_resamples,
    with_signatures,
    with_words,
)
from rankmark.commands.output import Output, with_output_of

__all__ = ["evaluate_instructed"]


def _methods() -> Any:
    from rankmark.statistics.intervals import INTERVALS

    return [name for name, each in INTERVALS.items() if each.of_means]


@click.command("instructions")
@click.argument("changed")
@click.argument("original")
@click.argument("instructed")
@with_choice("ties")
@with_choice("seed")
@with_columns
@click.option("--intervals/--no-intervals", help="Give confidence intervals over queries.")
@with_words("--interval-method", _methods, "Of intervals.", needed=False)
@with_confidence("intervals")
@with_clusters
@click.option("--attributes", metavar="FILE", help="Queries with columns for --clusters.")
@with_resamples
@with_per_query
@with_signatures("Show of this what is not the standard.")
@with_output_of("Result", papers=True, pictures=True)
def evaluate_instructed(
    changed: str,
    original: str,
    instructed: str,
    *,
    column: tuple[str, ...],
    clusters: tuple[str, ...],
    ties: Any,
    seed: int | None,
    intervals: bool,
    interval_method: Any,
    per_query: bool,
    signatures: bool | Literal["short"],
    output: Output,
    **options: Any,
) -> None:
    """Say how far items fall that an instruction excludes.

    CHANGED holds, as judgements, the items of each query that a changed instruction
    makes irrelevant; ORIGINAL and INSTRUCTED are a system's results by the original
    instruction and by the changed one. p-MRR is 1 where all of these items fall out of
    sight, 0 where nothing moves, and negative where they rise.

    \b
    rankmark instructions changed.txt original.run instructed.run
    rankmark instructions changed.txt original.run instructed.run --intervals -q
    """  # noqa: D301
    from rankmark.explaining.instructions import evaluate_instructions

    output.check_queries(per_query)
    output.keep(changed, original, instructed, options["attributes"])
    found = evaluate_instructions(
        changed,
        original,
        instructed,
        columns=column_names(column),
        clusters=list(clusters) or None,
        intervals=interval_method or intervals,
        seed=seed or 0,
        **options,
        **({} if ties is None else {"ties": ties}),
    )
    output.write(found, per_query=per_query, signatures=signatures)
