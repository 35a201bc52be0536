"""`rankmark explain`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names
from rankmark.commands.options import with_choices, with_columns, with_like
from rankmark.commands.output import Output, with_output_of

__all__ = ["explain"]


@click.command("explain")
@click.argument("qrels")
@click.argument("run")
@click.argument("other", metavar="[RUN2]", required=False)
@click.option("-m", "--measure", required=True, metavar="MEASURE", help="What to explain.")
@click.option("--query", required=True, metavar="ID", help="In which query.")
@click.option("--all", "all_rows", is_flag=True, help="Show long lists whole.")
@with_like
@with_choices
@with_columns
@with_output_of("Explanation")
def explain(
    qrels: str,
    run: str,
    other: str | None,
    *,
    measure: str,
    query: str,
    all_rows: bool,
    column: tuple[str, ...],
    output: Output,
    **choices: Any,
) -> None:
    """Show the arithmetic of one query's value, row by row.

    QRELS and RUN are as for `rankmark eval`. With RUN2, show which items make the
    difference between the two runs, and how much each. Long lists are shortened
    around what counts; JSON and CSV have all rows and all digits.

    \b
    rankmark explain qrels.txt bm25.run -m nDCG@10 --query q7
    rankmark explain qrels.txt bm25.run dense.run -m AP --query q7
    """  # noqa: D301
    from rankmark.explaining.explanation import explain

    output.check()
    output.keep(qrels, run, other)
    explained = explain(
        qrels, run, measure, query=query, other=other, columns=column_names(column), **choices
    )
    output.write(explained, all_rows=all_rows)
