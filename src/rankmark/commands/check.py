"""`rankmark check`."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from rankmark.commands.names import column_names, items_known, measures_in, one_path_each
from rankmark.commands.options import with_columns, with_items, with_strict
from rankmark.commands.output import Output, answered, with_output_of
from rankmark.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_data"]


@click.command("check")
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@with_items
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help="What to show the effects on; repeat it.  [default: nDCG@10 AP R@100, with --items Coverage@10, "
    "with --train Novelty@10]",
)
@with_columns
@with_strict
@with_output_of("CheckReport")
def check_data(
    qrels: str,
    run: tuple[str, ...],
    *,
    no_qrels: bool,
    items: str | None,
    train: str | None,
    open_catalogue: bool,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    strict: bool,
    output: Output,
) -> None:
    """Report what is odd in the data, and what that does.

    Looks for nulls, NaN, items that stand twice, ids that do not match, queries
    without results, without judgements or without relevant items, ties, short
    lists, unjudged results, scores that seem to be ranks or distances, and, with
    --train, for training data among the results and the judgements and for users
    without any, with --items for items that it lacks and of which it does not say
    everything. What `rankmark eval` refuses is reported, too. A finding is serious,
    worth knowing or fine. FILE may be written as table, JSON or Markdown.

    \b
    rankmark check qrels.txt bm25.run
    rankmark check test.parquet a.parquet b.parquet --train train.parquet
    rankmark check --no-qrels a.run --items items.csv --train train.csv
    """  # noqa: D301
    from rankmark.checks.checking import check

    output.check()
    if no_qrels:
        run = (qrels, *run)
    if not run:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[1])
    runs = one_path_each(run, "runs")
    output.keep(None if no_qrels else qrels, *runs.values(), items, train)
    columns = column_names(column)
    with answered("not checked") if strict else nullcontext(), _hint_of_train(len(run)):
        report = check(
            None if no_qrels else qrels,
            *runs.values(),
            items=items_known(items, None, columns, closed=not open_catalogue),
            train=train,
            measures=measures_in(measure) or None,
            names=[*runs],
            columns=columns,
        )
    output.write(report)
    if strict and report.serious:
        click.get_current_context().exit(1)


@contextmanager
def _hint_of_train(runs: int) -> Iterator[None]:
    """Says how to give training data, if the last of several runs may be meant as such."""
    try:
        yield
    except DataError as error:
        if runs == 1:
            raise
        raise type(error)(
            f"{error} (every file after QRELS is a run; training data is given by --train)"
        ) from error
