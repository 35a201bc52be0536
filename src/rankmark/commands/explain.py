"""`rankmark explain`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.names import column_names, items_known, judged_in, measure_in, name_and_path
from rankmark.commands.options import with_aspect_weights, with_choices, with_columns, with_items, with_like
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.inputs import Input

__all__ = ["explain"]

MOST = 2
"""Runs that are explained beside each other."""


def _called(name: str, path: str, columns: Mapping[str, str | None]) -> str | Input:
    """The path of a run, or the run under the name that is said."""
    from rankmark.inputs import read_shared

    return replace(read_shared(path, "run", columns), name=name) if name else path


@click.command("explain")
@click.argument("qrels")
@click.argument("run", metavar="[NAME=]RUN", required=False)
@click.argument("other", metavar="[[NAME=]RUN2]", required=False)
@click.option("-m", "--measure", required=True, metavar="MEASURE", help="What to explain.")
@click.option("--query", required=True, metavar="ID", help="In which query.")
@click.option("--all", "all_rows", is_flag=True, help="Show long lists whole.")
@with_items
@with_like
@with_choices
@with_columns
@with_aspect_weights
@with_output_of("Explanation")
def explain(
    qrels: str,
    run: str | None,
    other: str | None,
    *,
    no_qrels: bool,
    items: str | None,
    train: str | None,
    open_catalogue: bool,
    measure: str,
    query: str,
    all_rows: bool,
    column: tuple[str, ...],
    aspect_weights: str | None,
    output: Output,
    **choices: Any,
) -> None:
    """Show the arithmetic of one query's value, row by row.

    QRELS and RUN are as for `rankmark eval`. With RUN2, show which items make the
    difference between the two runs, and how much each. Long lists are shortened
    around what counts; JSON and CSV have all rows and all digits. With --items and
    --train each item stands with what it is like, its popularity (how many users had
    it) and whether this one did; with --no-qrels there are runs alone.

    \b
    rankmark explain qrels.txt bm25.run -m nDCG@10 --query q7
    rankmark explain qrels.txt bm25.run dense.run -m AP --query q7
    rankmark explain qrels.txt a.run -m Novelty@10 --query u1 --train train.csv
    """  # noqa: D301
    from rankmark.explaining.explanation import explain

    output.check()
    columns = column_names(column)
    judgements, runs = (None, (qrels, run, other)) if no_qrels else (qrels, (run, other))
    named = [name_and_path(each) for each in runs if each is not None]
    if not named:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[1])
    if len(named) > MOST:
        raise UsageError(f"one run is explained, or two beside each other, not {len(named)}")
    output.keep(judgements, *(path for _, path in named), items, train)
    first, *others = (_called(name, path, columns) for name, path in named)
    measure, compared = measure_in(measure), next(iter(others), None)
    choices["items"] = items_known(items, train, columns, closed=not open_catalogue)
    judged = judged_in(judgements, aspect_weights, columns)
    explained = explain(judged, first, measure, query=query, other=compared, columns=columns, **choices)
    output.write(explained, all_rows=all_rows)
