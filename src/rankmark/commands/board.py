"""`rankmark board`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from rankmark.commands.compare_matrix import with_matrix
from rankmark.commands.names import (
    column_names,
    items_known,
    judged_in,
    measures_in,
    named_paths,
    one_path_each,
)
from rankmark.commands.options import (
    CHOICES,
    is_said,
    with_aspect_weights,
    with_choices,
    with_confidence,
    with_known,
    with_like,
    with_posterior,
    with_resamples,
    with_rope,
    with_threads,
    with_weights,
    with_words,
)
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import DataError, UsageError

__all__ = ["show_board"]


def _tests() -> Any:
    from rankmark.comparing.boards import TITLES

    return TITLES


def _posteriors() -> Any:
    from rankmark.comparing.boards import POSTERIORS

    return POSTERIORS


def _corrections() -> Any:
    from rankmark.statistics.corrections import CORRECTIONS

    return CORRECTIONS


@click.command("board")
@click.argument("file", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option("--qrels", metavar="QRELS", help="Judgements, of which each FILE is a run.")
@with_matrix
@with_aspect_weights
@with_words("--over", lambda: ("queries", "collections"), "Of what other draws would be.")
@with_words("--test", _tests, "Which test tells systems apart.")
@with_words("--correction", _corrections, "Of p-values, for all pairs of systems.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, metavar="P", help="What is significant."
)
@with_confidence("the intervals")
@with_rope
@with_posterior(_posteriors)
@with_weights
@click.option("--attributes", metavar="FILE", help="Queries with a column for --weights.")
@with_resamples
@with_known
@with_like
@with_choices
@with_threads
@with_output_of("Board", papers=True)
def show_board(
    file: tuple[str, ...],
    *,
    qrels: str | None,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Rank systems, and say which can be told apart.

    Each FILE is a collection: values of systems on its queries, as a table that
    `rankmark compare-matrix` takes or as what `rankmark compare -o NAME.rankmark`
    saved. With --qrels the FILEs are runs of one collection. Of several
    collections the value is the mean of theirs.

    \b
    rankmark board --qrels qrels.txt *.run -m nDCG@10
    rankmark board --qrels qrels.txt *.run -m Novelty@10 --train train.csv
    rankmark board nq=nq.csv fiqa=fiqa.csv scifact=scifact.csv -m nDCG@10
    """  # noqa: D301
    from rankmark.comparing.leaderboard import board

    output.check()
    measures = measures_in(measure)
    if len(measures) > 1:
        raise UsageError(f"-m {' -m '.join(measures)}: a board is of one measure")
    asked = next(iter(measures), None)
    chosen = {name: options.pop(name) for name in EVALUATING}
    options["seed"] = chosen["seed"] or 0
    if qrels is not None:
        chosen |= {name: options.pop(name) for name in ("weights", "attributes")}
        output.keep(qrels, *(path for paths in named_paths(file, "runs").values() for path in paths))
        options.pop("better")
        shown = board(_evaluated(qrels, file, asked or MEASURE, column, chosen), **options)
    else:
        if said := [name for name in EVALUATING if name != "seed" and is_said(name)]:
            option = said[0].replace("_", "-")
            raise UsageError(
                f"--{option} is of evaluations, and these are values: it goes with --qrels QRELS"
            )
        paths = one_path_each(file, "files", "collection")
        output.keep(*paths.values(), options["attributes"])
        if options["weights"] and len(paths) > 1:
            raise UsageError(
                "--weights is of the queries of one collection; of several give what `rankmark compare "
                "--weights COLUMN -o NAME.rankmark` saved of each"
            )
        whole: Any = paths if len(paths) > 1 else next(iter(paths.values()))
        with _hint_of_qrels(len(paths)):
            shown = board(whole, asked, columns=_of_values(column_names(column)), **options)
    output.write(shown)


def _of_values(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns that are said, unless one is of judgements and runs alone."""
    from rankmark.inputs.matrices import SAID
    from rankmark.inputs.roles import SIDES

    for key in columns:
        if key not in SAID and key.rpartition(".")[2] in SIDES:
            raise UsageError(
                f"--column {key}={columns[key] or ''} is of judgements and runs, and these are values of "
                "systems; of runs the judgements are given by --qrels QRELS"
            )
    return columns


@contextmanager
def _hint_of_qrels(files: int) -> Iterator[None]:
    """Says how runs are ranked, if the first of several files may be meant as judgements."""
    try:
        yield
    except DataError as error:
        if files == 1:
            raise
        hint = "every FILE holds values of systems; of runs the judgements are given by --qrels"
        raise type(error)(f"{error} ({hint})") from error


MEASURE = "nDCG@10"
"""What runs are ranked by if nothing is asked for."""
EVALUATING = (*CHOICES, "like", "items", "train", "open_catalogue", "aspect_weights")
"""The options of evaluations; the seed is also of resamples."""


def _evaluated(
    qrels: str, runs: tuple[str, ...], measure: str, column: tuple[str, ...], chosen: dict[str, Any]
) -> dict[str, Any]:
    """The result of each run."""
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs import read_shared

    columns = column_names(column)
    # What has been read has no longer the columns to weigh by.
    judged = judged_in(qrels, chosen.pop("aspect_weights"), columns)
    if judged is qrels and not chosen["weights"]:
        judged = read_shared(qrels, "qrels", columns)
    items, train, is_open = (chosen.pop(name) for name in ("items", "train", "open_catalogue"))
    chosen = {name: value for name, value in chosen.items() if value is not None}
    chosen["items"] = items_known(items, train, columns, closed=not is_open)
    paths = one_path_each(runs, "runs")
    return {name: evaluate(judged, path, measure, columns=columns, **chosen) for name, path in paths.items()}
