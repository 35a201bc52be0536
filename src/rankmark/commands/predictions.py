"""`rankmark predictions`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.choices import values_of
from rankmark.commands.options import keep_inputs, show, with_output

__all__ = ["MEASURES", "evaluate_table"]

MEASURES = ["AUC", "LogLoss", "NE", "PCOPC"]
OF_CLASSES = ["MulticlassAccuracy", "MulticlassF"]


@click.command("predictions")
@click.argument("table")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help="What to measure; repeat it, or give several in one.  "
    f"[default: {' '.join(MEASURES)}; with several scores {' '.join(OF_CLASSES)}]",
)
@click.option("--label", metavar="NAME", help="The column of what happened.")
@click.option(
    "--score",
    multiple=True,
    metavar="NAME[,…]",
    help="The column of predictions; repeat it, or give several in one, for a score of each class.",
)
@click.option("--classes", metavar="CLASS,…", help="The class of each score, if labels do not say it.")
@click.option("--query", metavar="NAME", help="The column of the query, user or session.")
@click.option("--item", metavar="NAME", help="The column of the item.")
@click.option("--weight", metavar="NAME", help="The column of weights.")
@click.option("--positive", metavar="LABEL", help="The label of positive rows, if not 1 or true.")
@click.option(
    "--ties",
    metavar="|".join(values_of("ties")),
    help="Order of equal scores in lists.  [default: item-desc with items, else expected]",
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use, if not all.")
@click.option("--engine", metavar="local|stream", help="In memory or in batches; by itself for large files.")
@click.option("--memory", metavar="SIZE", help="What --engine stream may use.  [default: 2GiB]")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@click.option("--signature", is_flag=True, help="Show what each number depends on.")
@click.option("--short-signature", is_flag=True, help="Show of that what is not the standard.")
@with_output
def evaluate_table(
    table: str,
    measure: tuple[str, ...],
    per_query: bool,
    signature: bool,
    short_signature: bool,
    format_: str | None,
    digits: int,
    output: str | None,
    score: tuple[str, ...],
    classes: str | None,
    **options: Any,
) -> None:
    """Measure how good the predictions in TABLE are.

    TABLE is CSV, TSV, JSON lines or Parquet, also compressed (gz, zst), with a
    label and a score in each row, or a score of each class. Columns are found by
    the usual names unless they are said. A measure is written Name(parameter=value); `rankmark measures`
    lists them, those of predictions at the end. Measures of lists, such as
    nDCG@10, take the rows of each query as a list with judgements.

    \b
    rankmark predictions clicks.parquet -m AUC -m GAUC --score p --query user_id
    rankmark predictions clicks.parquet -m 'F1(threshold=max)' -m 'Lift(top=0.05)'
    rankmark predictions pets.csv --score cat,dog,bird -m Accuracy -m LogLoss
    """  # noqa: D301
    from rankmark.formats import check_writable, format_of, known_format, render
    from rankmark.measure import split_measures
    from rankmark.predictions import evaluate_predictions

    name = known_format(format_ or format_of(output or ""))
    if output:
        check_writable(output)
        keep_inputs(output, table)
    scores = [column for text in score for column in text.split(",")]
    asked = measure or (OF_CLASSES if len(scores) > 1 else MEASURES)
    measures = [each for text in asked for each in split_measures(text)]
    options["score"] = scores if len(scores) > 1 else next(iter(scores), None)
    options["classes"] = classes.split(",") if classes else None
    result = evaluate_predictions(table, measures, hash_inputs=name == "json", **options)
    signatures: bool | Literal["short"] = "short" if short_signature else signature
    show(render(result, name, per_query=per_query, signatures=signatures, digits=digits), output)
