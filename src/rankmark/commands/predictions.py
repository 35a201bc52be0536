"""`rankmark predictions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import click

from rankmark.commands.options import (
    is_said,
    keep_inputs,
    known_format_of,
    named_paths,
    show,
    usual_measures,
    with_choice,
    with_like,
    with_output_of,
    with_significance,
)
from rankmark.errors import UsageError
from rankmark.language.choices import values_of

__all__ = ["MEASURES", "evaluate_table"]

CORRECTIONS = ("holm", "hochberg", "benjamini-hochberg", "bonferroni", "sidak", "none")
METHODS = ("delong", "delta", "bca", "percentile")
MEASURES = ["AUC", "LogLoss", "NE", "PCOPC"]
OF_SEVERAL = ("baseline", "alternative", "correction", "alpha")
"""Options that only several systems have."""
OF_CLASSES = ["MulticlassAccuracy", "MulticlassF"]


@click.command("predictions")
@click.argument("table", nargs=-1, required=True, metavar="[NAME=]TABLE...")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help="What to measure; repeat it, or give several in one.  "
    f"[default: {' '.join(MEASURES)}; of classes {' '.join(OF_CLASSES)}]",
)
@click.option("--label", metavar="NAME", help="The column of what happened.")
@click.option(
    "--score",
    multiple=True,
    metavar="NAME[,…]",
    help="The column of predictions; repeat it, or give several in one, for a score of each class.",
)
@click.option("--predicted", metavar="NAME", help="The column of predicted classes, instead of scores.")
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
@with_choice("no_relevant")
@with_choice("duplicates")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME=COLUMN",
    help="A system's scores; repeat it to compare several, or where several tables have other columns.",
)
@click.option("--baseline", metavar="NAME", help="Compare with this system alone.")
@with_significance(CORRECTIONS)
@with_like
@click.option("--by", multiple=True, metavar="COLUMN", help="Slice by its values, too; repeat it.")
@click.option(
    "--intervals/--no-intervals",
    help="Give confidence intervals: of AUC by DeLong, of others by the bootstrap.",
)
@click.option("--interval-method", metavar="|".join(METHODS), help="Of intervals, for all measures.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="P", help="Of intervals.")
@click.option(
    "--resamples", type=int, metavar="N", help="Of the bootstrap; fewer if it takes long.  [default: 10000]"
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of --ties random and of resamples.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use, if not all.")
@click.option("--engine", metavar="local|stream", help="In memory or in batches; by itself for large files.")
@click.option("--memory", metavar="SIZE", help="What --engine stream may use.  [default: 2GiB]")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@click.option("--per-class", is_flag=True, help="Show each class's rows and values, too.")
@click.option("--confusion", is_flag=True, help="Show which classes were predicted for which, too.")
@click.option("--signature", is_flag=True, help="Show what each number depends on.")
@click.option("--short-signature", is_flag=True, help="Show of that what is not the standard.")
@with_output_of("Result")
def evaluate_table(
    table: tuple[str, ...],
    measure: tuple[str, ...],
    per_query: bool,
    per_class: bool,
    confusion: bool,
    signature: bool,
    short_signature: bool,
    by: tuple[str, ...],
    intervals: bool,
    interval_method: str | None,
    systems: tuple[str, ...],
    format_: str | None,
    digits: int,
    output: str | None,
    score: tuple[str, ...],
    predicted: str | None,
    classes: str | None,
    **options: Any,
) -> None:
    """Measure how good the predictions in TABLE are.

    TABLE is CSV, TSV, JSON lines or Parquet, also compressed (gz, zst), with a
    label and a score in each row, or a score of each class, or the class that is
    predicted. Columns are found by the usual names unless they are said. A measure
    is written Name(parameter=value); `rankmark measures` lists them, those of
    predictions at the end. Measures of lists, such as nDCG@10, take the rows of
    each query as a list with judgements.

    Several systems are compared: columns of one TABLE (--system), or a TABLE of
    each, called as its file unless NAME= stands before it. Tables have the same
    rows, matched by query and item where all have both, else by position.

    -q -o FILE.parquet writes the values of each query. JSON has all signatures
    and a hash of what TABLE holds.

    \b
    rankmark predictions clicks.parquet -m AUC -m GAUC --score p --query user_id
    rankmark predictions clicks.parquet -m 'F1(threshold=max)' -m 'Lift(top=0.05)'
    rankmark predictions pets.csv --score cat,dog,bird -m Accuracy -m LogLoss
    rankmark predictions pets.csv --predicted guess -m F1 -m Kappa --per-class
    rankmark predictions clicks.parquet --intervals --by country
    rankmark predictions clicks.parquet --system old=p1 --system new=p2
    rankmark predictions old=a.parquet new=b.parquet --score p --baseline old
    """  # noqa: D301
    from rankmark.api.predictions import evaluate_predictions
    from rankmark.comparing.predictions import compare_predictions
    from rankmark.language.measure import split_measures
    from rankmark.rendering.files import check_writable
    from rankmark.rendering.formats import format_of, formats

    name = format_ or format_of(output or "")
    several = bool(systems) or len(table) > 1
    beside = {"--by": by, "--per-class": per_class, "--confusion": confusion}
    is_file = name in formats() and not formats()[name].is_text
    if is_file and not several:
        if not (output and per_query):
            raise UsageError("Parquet files hold the values of each query: add -q and -o FILE")
    elif known_format_of("Result", name) == "trec":
        _refuse(beside, "--format trec has no place for {}")
    tables = _tables(table) if len(table) > 1 else table[0]
    if output:
        check_writable(output)
        keep_inputs(output, *(tables.values() if isinstance(tables, dict) else [tables]))
    scores = [column for text in score for column in text.split(",")]
    like = [options["like"]] if options["like"] else []
    of_classes = len(scores) > 1 or predicted
    usual = usual_measures(OF_CLASSES, like, "class") if of_classes else usual_measures(MEASURES, like, "row")
    measures = [each for text in measure or usual for each in split_measures(text)]
    method: Any = interval_method
    if several:
        beside |= {"--predicted": predicted, "--classes": classes, "--per-query": per_query}
        _refuse(beside, "{} does not go with several systems, which are compared")
        _check_of_several(options, signatures=signature or short_signature)
        columns = _score_columns(systems, scores)
        compared = compare_predictions(tables, columns, measures, interval=method, **options)
        show(compared.format(name, digits=digits), output)
        return
    if said := [name for name in OF_SEVERAL if is_said(name)]:
        raise UsageError(
            f"--{said[0]} is for several systems; give a table of each, or its column: --system NAME=COLUMN"
        )
    options = {name: value for name, value in options.items() if name not in OF_SEVERAL}
    options["score"] = scores if len(scores) > 1 else next(iter(scores), None)
    options |= {"predicted": predicted, "classes": classes.split(",") if classes else None}
    result = evaluate_predictions(
        tables, measures, by=by, intervals=method or intervals, hash_inputs=name == "json", **options
    )
    signatures: bool | Literal["short"] = "short" if short_signature else signature
    if (per_class or confusion) and result.counts.classes is None:
        raise UsageError(
            f"{'--per-class' if per_class else '--confusion'} is of classes, and {tables} has one score in a "
            "row; give a score of each (--score …,…) or the predicted one (--predicted …)"
        )
    if is_file:
        result.write(str(output), name)
        return
    shown = {"per_query": per_query, "per_class": per_class, "confusion": confusion}
    show(result.format(name, digits, signatures=signatures, **shown), output)


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Refuses options if they are said; the text has a place for the first of these."""
    for option, said in options.items():
        if said:
            raise UsageError(why.format(option))


def _check_of_several(options: dict[str, Any], *, signatures: bool) -> None:
    """Refuses what is of one system, and takes the engine out of the options."""
    engine, memory = options.pop("engine"), options.pop("memory")
    if engine == "stream" or memory:
        raise UsageError("systems are compared in memory: leave out --engine and --memory")
    if signatures:
        raise UsageError("signatures of a comparison are in its JSON: --format json")


def _tables(texts: tuple[str, ...]) -> dict[str, str]:
    """Each system's table."""
    tables = {}
    for name, paths in named_paths(texts, "tables").items():
        if len(paths) > 1:
            raise UsageError(
                f"{name} has {len(paths)} tables; a system has one, for example a glob of its parts in quotes"
            )
        tables[name] = paths[0]
    return tables


def _score_columns(systems: tuple[str, ...], scores: list[str]) -> str | dict[str, str] | None:
    """The column of each system, or the one of several tables."""
    if systems:
        if scores:
            raise UsageError(
                "--score says one column and --system NAME=COLUMN each system's; give one of them"
            )
        columns = dict(each.split("=", 1) for each in systems if "=" in each.strip("="))
        if len(columns) < len(systems):
            raise UsageError(f"--system {' '.join(systems)}: each is NAME=COLUMN, and its name its own")
        return columns
    if len(scores) > 1:
        raise UsageError(
            f"--score {','.join(scores)} is of one system; several tables have one column each, in common or "
            "said with --system NAME=COLUMN"
        )
    return next(iter(scores), None)
