"""`rankmark clicks`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankmark.commands.names import column_names, measures_in
from rankmark.commands.options import is_said, with_columns, with_confidence, with_words
from rankmark.commands.output import Output, check_target, with_output_of
from rankmark.errors import UsageError

__all__ = ["show_clicks"]


def _models() -> Any:
    from rankmark.logs.click_models import MODELS

    return MODELS


def _estimators() -> Any:
    from rankmark.logs.click_qrels import ESTIMATORS

    return ESTIMATORS


@click.command("clicks")
@click.argument("log", metavar="LOG")
@with_words("--model", _models, "How users look at lists.")
@click.option("--method", metavar="NAME", help="How it is estimated; a wrong one shows which there are.")
@click.option(
    "--held-out",
    type=float,
    default=0.2,
    show_default=True,
    metavar="P",
    help="The share of lists that say how well it foretells clicks.",
)
@click.option(
    "--clusters",
    default="query",
    show_default=True,
    metavar="COLUMN",
    help="What is drawn again for intervals: query, impression, or a column.",
)
@with_confidence("the intervals")
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    metavar="N",
    help="How many; 0 for no intervals.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of what is drawn.")
@click.option(
    "--propensities",
    metavar="TABLE",
    help="How likely positions are looked at (position, propensity): judgements by these, and no model.",
)
@click.option("--qrels", metavar="FILE", help="Write judgements made of the clicks here: .csv, .parquet …")
@click.option("--run", metavar="RUN", help="Measure this run by the clicks, and show that instead.")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help="Of --run: what to measure; repeat it.  [default: DCG@10]",
)
@with_words("--estimator", _estimators, "Of the judgements: what clicks are divided by.")
@click.option("--clip", type=float, metavar="P", help="Of the judgements: no propensity counts for less.")
@with_columns
@with_output_of("ClickModel")
def show_clicks(
    log: str,
    *,
    propensities: str | None,
    qrels: str | None,
    run: str | None,
    measure: tuple[str, ...],
    estimator: str | None,
    clip: float | None,
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Say where users look, by a log of clicks.

    LOG has a row an item that was shown: query, item, position from 1, click (0
    or 1), and the impression or session that it stood in. What tells positions
    from what stands there are items that were shown at several. --qrels writes
    judgements in which a click counts as much as it was unlikely to be looked at,
    for `rankmark eval`. --propensities shows those, by propensities of your own.
    --run measures a run by them, with intervals that know that the model is
    estimated, which those of `rankmark eval` do not.

    \b
    rankmark clicks log.parquet
    rankmark clicks log.parquet --model dbn
    rankmark clicks log.parquet --clip .05 --qrels qrels.parquet
    rankmark clicks log.parquet --propensities known.csv --qrels qrels.parquet
    rankmark eval qrels.parquet bm25.run -m DCG@10
    rankmark clicks log.parquet --run bm25.run -m "DCG@3 DCG@10"
    """  # noqa: D301
    from rankmark.logs.click_qrels import qrels_from_clicks
    from rankmark.logs.clicking import click_model
    from rankmark.rendering.words import harmless

    own = propensities is not None
    if own and (foreign := [name for name in options if is_said(name)]):
        raise UsageError(
            f"--{foreign[0].replace('_', '-')} is of models, and --propensities is instead of one"
        )
    if run is not None:
        others = [name for name in ("propensities", "qrels", "held_out", "clusters") if is_said(name)]
        if others:
            raise UsageError(f"--{others[0].replace('_', '-')} does not go with --run: leave out one of them")
        _measure(log, run, measure, estimator, clip, column, output, options)
        return
    if measure:
        raise UsageError("-m is of --run RUN: add it")
    if not own and qrels is None and (clip is not None or is_said("estimator")):
        raise UsageError(f"--{'estimator' if clip is None else 'clip'} is of --qrels FILE: add it")
    output = replace(output, shown="ClickQrels") if own else output
    output.check()
    output.keep(log, propensities)
    if qrels is not None:
        check_target("--qrels", qrels, log, propensities)
    columns = column_names(column)
    how: Any = {"clip": clip} | ({"estimator": estimator} if is_said("estimator") else {})
    model: Any = propensities if own else click_model(log, columns=columns, **options)
    made: Any = qrels_from_clicks(log, model, columns=columns, **how) if own or qrels else None
    if qrels is not None:
        made.write(qrels)
        for note in () if own else made.notes:
            click.echo(harmless(f"{qrels}: {note}"), err=True)
    output.write(made if own else model)


def _measure(
    log: str,
    run: str,
    measure: tuple[str, ...],
    estimator: str | None,
    clip: float | None,
    column: tuple[str, ...],
    output: Output,
    options: dict[str, Any],
) -> None:
    """Measures a run by clicks."""
    from rankmark.logs.click_values import evaluate_clicks

    output = replace(output, shown="ListResult")
    output.check()
    output.keep(log, run)
    how = {name: value for name, value in options.items() if name not in ("held_out", "clusters")}
    if is_said("estimator"):
        how["estimator"] = estimator
    asked = measures_in(measure) if measure else ["DCG@10"]
    output.write(evaluate_clicks(log, run, asked, clip=clip, columns=column_names(column), **how))
