"""`rankmark gate-predictions`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import limits_in, measures_in, one_path_each, score_columns
from rankmark.commands.options import (
    with_choices_of_rows,
    with_conditions,
    with_item,
    with_label,
    with_like,
    with_positive,
    with_query,
    with_systems,
    with_threads,
    with_weight,
)
from rankmark.commands.output import Output, answered, with_output_of
from rankmark.errors import UsageError

__all__ = ["gate_predictions"]


@click.command("gate-predictions")
@click.argument("table", nargs=-1, required=True, metavar="[BASELINE] [NAME=]TABLE")
@with_conditions
@with_label
@click.option("--score", multiple=True, metavar="NAME", help="The column of predictions.")
@with_query
@with_item
@with_weight
@with_positive
@with_systems
@click.option("--baseline", metavar="NAME", help="The system that there is.  [default: the first of two]")
@click.option(
    "--resamples", type=int, metavar="N", help="Of the bootstrap; fewer if it takes long.  [default: 10000]"
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of --ties random and of resamples.")
@with_like
@with_choices_of_rows
@with_threads
@with_output_of("Gate")
@click.pass_context
def gate_predictions(
    context: click.Context,
    /,
    table: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    score: tuple[str, ...],
    systems: tuple[str, ...],
    baseline: str | None,
    output: Output,
    **options: Any,
) -> None:
    """Pass a model's predictions unless they are worse.

    As `rankmark gate`, with its exit codes: 0 if the candidate passes, 1 if it
    fails, 2 if that could not be decided, as where a column is missing. Of measures
    of which less is better, such as LogLoss, a rise is a drop. Of two systems the
    first is the baseline, unless --baseline says another. BASELINE and the candidate are tables as for
    `rankmark predictions`, or columns of one (--system); BASELINE can also be what
    `rankmark predictions -o NAME.rankmark` saved, and limits need none. Two tables
    have the same rows, matched by query and item, or by position where a query has
    an item in several rows; --item "" asks for position.

    \b
    rankmark gate-predictions old.csv new.csv --score p -m AUC --max-drop .1%
    rankmark gate-predictions clicks.parquet --system old=p1 --system new=p2 \\
        -m "AUC LogLoss" --max-drop .1% --confidence .95
    rankmark gate-predictions base.rankmark new.csv -m GAUC --max-drop .2%
    rankmark gate-predictions new.csv --at-least AUC=.7 --at-most PCOPC=1.05
    """  # noqa: D301
    from rankmark.comparing.prediction_gate import gate_predictions
    from rankmark.loading import is_saved

    output.check()
    output.keep(*table)
    stored = [path for path in table if is_saved(path)]
    if len(stored) > 1 or stored == list(table) or stored[:1] not in ([], [table[0]]):
        raise UsageError("a saved result is the baseline: it stands first, before the candidate's table")
    paths = one_path_each(table[len(stored) :], "tables")
    columns: Any = score_columns(systems, list(score))
    names = list(columns) if isinstance(columns, dict) else list(paths)
    old = baseline or (names[0] if len(names) == 2 else None)
    if stored and old:
        raise UsageError(f"{stored[0]} is the baseline, and {old} another: leave out one of them")
    old = next(iter(stored), old)
    with answered("not decided"):
        decided = gate_predictions(
            paths if len(paths) > 1 else next(iter(paths.values())),
            columns,
            measures_in(measure) or None,
            baseline=old,
            at_least=limits_in(at_least),
            at_most=limits_in(at_most),
            hash_inputs=output.is_kept,
            **options,
        )
    output.write(decided)
    output.tell(decided.reasons)
    context.exit(0 if decided else 1)
