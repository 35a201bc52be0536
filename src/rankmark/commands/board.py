"""`rankmark board`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.compare_matrix import with_matrix
from rankmark.commands.names import column_names, measures_in, named_paths, one_path_each
from rankmark.commands.options import with_confidence, with_resamples, with_threads, with_words
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["show_board"]


def _tests() -> Any:
    from rankmark.comparing.boards import TITLES

    return TITLES


def _corrections() -> Any:
    from rankmark.statistics.corrections import CORRECTIONS

    return CORRECTIONS


@click.command("board")
@click.argument("file", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option("--qrels", metavar="QRELS", help="Judgements, of which each FILE is a run.")
@with_matrix
@with_words("--over", lambda: ("queries", "collections"), "Of what other draws would be.")
@with_words("--test", _tests, "Which test tells systems apart.")
@with_words("--correction", _corrections, "Of p-values, for all pairs of systems.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, metavar="P", help="What is significant."
)
@with_confidence("the intervals")
@with_resamples
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of resamples.")
@with_threads
@with_output_of("Board")
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
    rankmark board nq=nq.csv fiqa=fiqa.csv scifact=scifact.csv -m nDCG@10
    """  # noqa: D301
    from rankmark.comparing.leaderboard import board

    output.check()
    measures = measures_in(measure)
    if len(measures) > 1:
        raise UsageError(f"-m {' -m '.join(measures)}: a board is of one measure")
    asked = next(iter(measures), None)
    if qrels is not None:
        output.keep(qrels, *(path for paths in named_paths(file, "runs").values() for path in paths))
        shown = board(_evaluated(qrels, file, asked, column), **_how(options))
    else:
        paths = one_path_each(file, "files")
        output.keep(*paths.values())
        whole: Any = paths if len(paths) > 1 else next(iter(paths.values()))
        shown = board(whole, asked, columns=column_names(column), **options)
    output.write(shown)


def _how(options: dict[str, Any]) -> dict[str, Any]:
    """The options, without those of matrices."""
    return {name: value for name, value in options.items() if name != "better"}


def _evaluated(qrels: str, runs: tuple[str, ...], measure: str | None, column: tuple[str, ...]) -> Any:
    """The result of each run."""
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs import read_qrels

    columns = column_names(column)
    judged = read_qrels(qrels, columns)
    paths = one_path_each(runs, "runs")
    return {
        name: evaluate(judged, path, measure or "nDCG@10", columns=columns) for name, path in paths.items()
    }
