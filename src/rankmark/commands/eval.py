"""`rankmark eval`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from rankmark.commands.names import (
    column_names,
    items_known,
    judged_in,
    measures_in,
    one_path_each,
    usual_measures,
)
from rankmark.commands.options import (
    with_aspect_weights,
    with_choices,
    with_clusters,
    with_columns,
    with_confidence,
    with_engine,
    with_items,
    with_per_query,
    with_resamples,
    with_signatures,
    with_threads,
    with_weights,
    with_words,
)
from rankmark.commands.output import Output, with_output_of
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError, did_you_mean
from rankmark.rendering.files import is_there
from rankmark.rendering.words import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.peers.difference import Differences
    from rankmark.results.base import Result
    from rankmark.results.given import DerivedResult
    from rankmark.statistics.intervals import IntervalName

__all__ = ["MEASURES", "evaluate_runs"]

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
EVERY, OURS = "all", "rankmark"
"""What --like says for all conventions, and beside others for the standard here."""


def _methods() -> Iterable[str]:
    from rankmark.statistics.intervals import INTERVALS

    return [name for name, each in INTERVALS.items() if each.of_means]


@click.command("eval")
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@click.option(
    "--mteb",
    metavar="FOLDER",
    help="Measure the predictions that MTEB saved in FOLDER, with QRELS a folder of judgements.",
)
@with_items
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
)
@click.option(
    "--like",
    multiple=True,
    metavar="TOOL",
    help="Compute as this tool does; repeat it, or say all, to see where tools differ and why.",
)
@with_choices
@with_columns
@with_aspect_weights
@with_threads
@with_engine
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Show slices of the queries by a column of FILE, QRELS or RUN, too; repeat it.",
)
@click.option(
    "--worst-of",
    metavar="COLUMN",
    help="Show the mean over groups of queries, such as wordings of a question, of their worst.",
)
@click.option(
    "--attributes",
    metavar="FILE",
    help="Queries with columns for --by, --worst-of, --weights and --clusters.",
)
@click.option("--intervals/--no-intervals", help="Give confidence intervals over queries.")
@with_words("--interval-method", _methods, "Of intervals, for all measures.", needed=False)
@with_confidence("intervals")
@with_weights
@with_clusters
@with_resamples
@with_per_query
@click.option("--bounds", is_flag=True, help="Show what other orders of equal scores give, too.")
@click.option(
    "--bounds-of",
    metavar="ties|unjudged",
    help="Of what bounds are; of unjudged items any grade to the highest, or unjudged=GRADE.",
)
@with_signatures("Show of this what is not the standard.")
@with_output_of("Result", papers=True, pictures=True)
def evaluate_runs(
    qrels: str,
    run: tuple[str, ...],
    *,
    mteb: str | None,
    no_qrels: bool,
    items: str | None,
    train: str | None,
    open_catalogue: bool,
    measure: tuple[str, ...],
    like: tuple[str, ...],
    column: tuple[str, ...],
    aspect_weights: str | None,
    by: tuple[str, ...],
    worst_of: str | None,
    attributes: str | None,
    per_query: bool,
    signatures: bool | Literal["short"],
    intervals: bool,
    interval_method: str | None,
    clusters: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Measure one or several runs against judgements.

    QRELS holds the judgements (query, item, relevance), each RUN the results of
    a system (query, item, score), as TREC text, CSV, TSV, JSON, Parquet or Arrow,
    also compressed (gz, zst); - is standard input. A run is called as its file
    unless NAME= stands before it. A measure is written Name(parameter=value)@cutoff;
    `rankmark measures` lists them. MODULE:FUNCTION is one of your own: that module,
    installed or in the current folder, is imported. An option takes the first of its values
    unless told otherwise, by itself or by --like, whose tools `rankmark
    convention` lists. JSON and CSV show all digits, JSON all signatures and a
    hash of the inputs; --bounds shows the values under --ties worst, expected
    and best, and counts the queries that equal scores change; --bounds-of
    unjudged shows what they could be, whatever unjudged items of lists are. --by shows every
    measure for each value of a column, which has to be the same in all rows of a
    query; CSV shows either these slices or, with -q, the queries. -q -o FILE.parquet
    writes the values of each query. --worst-of takes the worst query of each group by
    a column of FILE, QRELS or RUN, and --intervals are over groups then. With --mteb
    there is no RUN, and the judgements of a task are QRELS/TASK/SUBSET/SPLIT.tsv,
    QRELS/TASK/qrels/SPLIT.tsv, as BEIR has them, or QRELS/TASK.tsv. Measures of what
    is recommended, such as Novelty@10, know the items by --items (item, and columns
    such as category) and --train (query, item); with --no-qrels they are measured of
    all queries of runs alone.

    \b
    rankmark eval qrels.txt bm25.run
    rankmark eval qrels.txt bm25.run --like trec_eval --like ranx
    rankmark eval qrels.txt bm25.run -m nDCG@10 --like all
    rankmark eval qrels.txt bm25.run -m "nDCG@10 P@1" --intervals
    rankmark eval qrels.parquet old=a.parquet new=b.parquet -m "nDCG@10 AP"
    rankmark eval qrels/ --mteb predictions/ -m "nDCG@10"
    rankmark eval qrels.txt a.run --train train.csv -m "nDCG@10 Novelty@10"
    rankmark eval qrels.txt a.run --worst-of question --attributes queries.csv
    rankmark eval --no-qrels a.run b.run --items items.csv -m Coverage@10
    """  # noqa: D301
    shown = _Shown(output, per_query, signatures)
    shown.check(by)
    if worst_of is not None:
        others = [options[name] for name in ("weights", "bounds", "bounds_of")]
        _check_worst_of([by, mteb, clusters, *others], like)
    tools = [] if {EVERY, OURS} & {*like} else like
    measures = measures_in(measure) if measure else usual_measures(MEASURES, tools)
    options["columns"] = column_names(column)
    options["bounds"] = options.pop("bounds_of") or options["bounds"]
    options |= {"intervals": interval_method or intervals, "clusters": list(clusters) or None}
    if mteb is not None:
        if no_qrels or items or train or aspect_weights:
            raise UsageError(
                "--mteb shows predictions without --no-qrels, --items, --train and --aspect-weights"
            )
        options |= {"by": by, "attributes": attributes}
        shown.show(_of_mteb(mteb, qrels, run, measures, like, shown, options))
        return
    judgements = None if no_qrels else qrels
    if no_qrels:
        run = (qrels, *run)
    if not run:
        context = click.get_current_context()
        raise click.MissingParameter(
            ctx=context, param=next(each for each in context.command.params if each.name == "run")
        )
    runs = _Runs(judgements, one_path_each(run, "runs"), by, worst_of, attributes, aspect_weights)
    if intervals:
        _refuse_methods(runs.paths.values())
    output.keep(judgements, *runs.paths.values(), attributes, items, train)
    options["items"] = items_known(items, train, options["columns"], closed=not open_catalogue)
    if like == (EVERY,) or len(like) > 1:
        output.write(_of_tools(runs, measures, like, shown, options))
    else:
        shown.show(_of_runs(runs, measures, next(iter(like), None), shown, options))


def _check_worst_of(others: Iterable[object], like: tuple[str, ...]) -> None:
    """Refuses what groups of queries have no place for."""
    if any(others) or like == (EVERY,) or len(like) > 1:
        raise UsageError(
            "--worst-of shows groups of queries by one convention: leave out --by, --mteb, --clusters, "
            "--weights, --bounds and further --like"
        )


def _refuse_methods(paths: Iterable[str]) -> None:
    """Refuses the name of a method where a run stands: --intervals is followed by none."""
    from rankmark.statistics.intervals import INTERVALS

    for path in paths:
        if not is_there(path) and (path in INTERVALS or did_you_mean(path, INTERVALS)):
            raise UsageError(
                f"--intervals {path}: --intervals has no value; --interval-method says how they are made, "
                f"one of {', '.join(INTERVALS)}"
            )


@dataclass(frozen=True, slots=True)
class _Runs:
    """What is read."""

    qrels: str | None
    paths: dict[str, str]
    by: tuple[str, ...]
    worst_of: str | None
    attributes: str | None
    aspect_weights: str | None

    def judgements(self, options: dict[str, Any], *, in_batches: bool) -> Any:
        """The judgements, read once for all runs; the path, where they have to be read with each."""
        from rankmark.engines.selection import is_streamed
        from rankmark.inputs import read_shared

        # What has been read has no longer the columns to slice, weigh or cluster by.
        if self.aspect_weights is not None:
            return judged_in(self.qrels, self.aspect_weights, options["columns"])
        if self.qrels is None or self.by or options["clusters"] or options["weights"]:
            return self.qrels
        # Nor is anything read at once that is to be read in batches.
        engine, memory = options["engine"], options["memory"]
        if in_batches and any(
            is_streamed(engine, memory, {"qrels": self.qrels, "run": path}) for path in self.paths.values()
        ):
            return self.qrels
        return read_shared(self.qrels, "qrels", options["columns"])


@dataclass(frozen=True, slots=True)
class _Shown:
    """How it is shown."""

    output: Output
    per_query: bool
    signatures: bool | Literal["short"]

    def check(self, by: tuple[str, ...]) -> None:
        """Refuses a format that cannot show it."""
        self.output.check_queries(self.per_query)
        if self.output.known_format == "trec" and by:
            raise UsageError("--format trec has no place for --by")

    def show(self, results: dict[str, Result]) -> None:
        """Writes or prints the results, by the names of their runs."""
        from rankmark.results.runs import Runs

        found = results[""] if "" in results else Runs(results)
        self.output.write(found, per_query=self.per_query, signatures=self.signatures)


def _of_mteb(
    folder: str,
    qrels: str,
    run: tuple[str, ...],
    measures: list[str],
    like: tuple[str, ...],
    shown: _Shown,
    options: dict[str, Any],
) -> dict[str, Result]:
    """The results of predictions that MTEB saved by the names of their tasks; one alone has none."""
    from rankmark.hooks.mteb import evaluate, tasks_of

    if run:
        raise UsageError("--mteb names the predictions: take the runs out")
    if len(like) > 1:
        raise UsageError("--mteb shows one --like at a time")
    for name in ("by", "attributes", "clusters", "weights"):
        if options.pop(name):
            raise UsageError(f"--mteb shows predictions without --{name}")
    shown.output.keep(qrels, folder)
    options |= {"like": next(iter(like), None), "hash_inputs": shown.output.is_kept}
    found: dict[str, Result] = {**evaluate(folder, qrels, measures, **options)}
    if others := {*tasks_of(folder)} - {name.partition("/")[0] for name in found}:
        told = f"passed over, as they are no lists of documents: {', '.join(sorted(others))}"
        click.echo(harmless(told), err=True)
    return found if len(found) > 1 else {"": next(iter(found.values()))}


def _of_tools(
    runs: _Runs, measures: list[str], like: tuple[str, ...], shown: _Shown, options: dict[str, Any]
) -> Differences:
    """The values of one run as several tools compute them."""
    from rankmark.peers.difference import differences

    judged = runs.judgements(options, in_batches=False)
    if options.pop("engine") == "stream" or options.pop("memory"):
        raise UsageError("several --like are compared in memory, without --engine stream and --memory")
    others = [options.pop(name) for name in ("bounds", "intervals", "clusters", "weights")]
    for name in ("confidence", "resamples"):
        options.pop(name)
    if len(runs.paths) > 1 or shown.per_query or shown.signatures or runs.by or any(others):
        raise UsageError(
            "several --like show one run, without --by, --per-query, --bounds, --intervals, --weights and "
            "--signature"
        )
    path = next(iter(runs.paths.values()))
    return differences(judged, path, measures, like=None if like == (EVERY,) else like, **options)


def _of_runs(
    runs: _Runs, measures: list[str], like: str | None, shown: _Shown, options: dict[str, Any]
) -> dict[str, Result]:
    """The results of runs by their names; one alone has none."""
    from rankmark.api.evaluation import evaluate

    judged = runs.judgements(options, in_batches=True)
    options |= {"like": like, "hash_inputs": shown.output.is_kept}
    options |= {"by": runs.by or None, "attributes": runs.attributes}
    one = evaluate if runs.worst_of is None else partial(_of_groups, runs)
    results = [one(judged, path, measures, **options) for path in runs.paths.values()]
    return dict(zip(runs.paths, results, strict=True)) if len(results) > 1 else {"": results[0]}


def _of_groups(
    runs: _Runs,
    judged: Any,
    path: str,
    measures: list[str],
    *,
    intervals: bool | IntervalName,
    **options: Any,
) -> DerivedResult:
    """The result of one run of the worst query of each group."""
    from rankmark.api.evaluation import evaluate
    from rankmark.api.groups import worst_of_groups
    from rankmark.inputs.attributes import read_columns
    from rankmark.inputs.places import Places

    assert runs.worst_of is not None
    result = evaluate(judged, path, measures, **options | {"attributes": None})
    places = Places(runs.qrels, path, runs.attributes, options["columns"])
    worst = worst_of_groups(result, read_columns([runs.worst_of], places, "worst_of"))
    if not intervals:
        return worst
    return worst.with_intervals(
        "auto" if isinstance(intervals, bool) else intervals,
        seed=options["seed"] or 0,
        **{name: options[name] for name in ("confidence", "resamples", "threads")},
    )
