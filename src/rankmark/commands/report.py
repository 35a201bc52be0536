"""`rankmark report`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rankmark.commands.names import (
    column_names,
    items_known,
    judged_in,
    measures_in,
    name_and_path,
    named_paths,
    one_path_each,
    score_columns,
)
from rankmark.commands.options import (
    CHOICES,
    is_said,
    with_aspect_weights,
    with_choices,
    with_columns,
    with_item,
    with_items,
    with_label,
    with_like,
    with_positive,
    with_query,
    with_systems,
    with_threads,
    with_weight,
)
from rankmark.commands.output import Output
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from rankmark.reports.page import Report
    from rankmark.reports.report import Subject

__all__ = ["write_report"]

OF_LISTS = (
    "no_qrels",
    "items",
    "train",
    "open_catalogue",
    "aspect_weights",
    "queries",
    "conventions",
    "like",
    "column",
    *(name for name in CHOICES if name != "seed"),
)
"""Options of runs alone."""
OF_ROWS = ("label", "score", "query", "item", "weight", "positive", "systems")
"""Options of predictions alone."""
OF_SAVED = ("baseline", "by", "attributes", "title", "seed", "threads", "command", "measure")
"""Options of results that were saved."""


@click.command("report")
@click.argument("qrels", metavar="QRELS|TABLE")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@click.option("-o", "--output", required=True, metavar="FILE", help="The page, whole or not at all.")
@click.option("--predictions", is_flag=True, help="Every file is a table of labelled scores.")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help="What to measure; repeat it, or give several in one. The summary goes by the first.  "
    "[default: nDCG@10 AP RR P@10 R@100; of predictions AUC LogLoss NE PCOPC]",
)
@click.option("--baseline", multiple=True, metavar="NAME", help="Compare with this system alone; repeat it.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Slice by a column of FILE or the input; repeat it."
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --by.")
@with_items
@click.option("--queries", metavar="FILE", help="Texts of queries: a column of queries, one of texts.")
@click.option("--title", default="", metavar="TEXT", help="Of the page.  [default: the systems' names]")
@click.option(
    "--conventions/--no-conventions",
    default=None,
    help="Show what other tools make of the first measure.  [default: up to a million results]",
)
@with_like
@with_choices
@with_columns
@with_aspect_weights
@with_label
@click.option("--score", metavar="NAME", help="The column of predictions.")
@with_query
@with_item
@with_weight
@with_positive
@with_systems
@with_threads
def write_report(
    qrels: str,
    run: tuple[str, ...],
    *,
    output: str,
    predictions: bool,
    measure: tuple[str, ...],
    by: tuple[str, ...],
    baseline: tuple[str, ...],
    **options: Any,
) -> None:
    """Write a page that says which systems are better.

    QRELS and each RUN are as for `rankmark compare`; one RUN alone is measured with
    intervals. With --predictions there are tables instead, as for `rankmark
    predictions`. The page is one HTML file that opens without a network: a summary
    in sentences, values with intervals, pictures, slices, what is odd in the data,
    other tools' conventions, and what it takes to make the numbers again. In a
    browser with JavaScript queries are sorted, filtered and opened, to see the
    lists of two systems side by side; the lists of those that changed most are in
    the file, with the titles of --items. Measures of what is recommended know the
    items by --items and --train, as in `rankmark eval`. Of what was saved
    (-o NAME.rankmark) there are no lists, and no QRELS; with --no-qrels all files are
    runs. It needs Jinja2: pip install 'rankmark[report]'.

    \b
    rankmark report qrels.txt bm25.run dense.run --baseline bm25 -o report.html
    rankmark report qrels.txt run.txt --items items.parquet --queries topics.tsv \\
        -o report.html
    rankmark report --predictions clicks.parquet --by country -o report.html
    """  # noqa: D301
    from rankmark.reports.page import check_ending, check_renderer

    check_renderer()
    check_ending(output)
    others = OF_LISTS if predictions else OF_ROWS
    if said := [name for name in others if is_said(name)]:
        what = "lists, and these are predictions" if predictions else "predictions: add --predictions"
        name = "system" if said[0] == "systems" else said[0].replace("_", "-")
        raise UsageError(f"--{name} is of {what}")
    checked = Output("Runs", "html", 4, output)
    options |= {"by": by or None, "baseline": list(baseline) or None, "command": _command()}
    if measure:
        options["measures"] = measures_in(measure)
    make = _of_predictions if predictions else _of_lists
    page = make(checked, qrels, run, {k: v for k, v in options.items() if k not in others})
    page.write(output)


def _of_lists(output: Output, qrels: str, run: tuple[str, ...], options: dict[str, Any]) -> Report:
    """The page of runs."""
    from rankmark.loading import is_saved
    from rankmark.reports.report import report

    unjudged = options.pop("no_qrels")
    if not unjudged and is_saved(name_and_path(qrels)[1]):
        return _of_saved(output, (qrels, *run), options)
    if unjudged:
        run = (qrels, *run)
    if not run:
        raise UsageError("there is no run: give one or several after the judgements")
    paths = named_paths(run, "runs")
    files = (options[name] for name in ("attributes", "items", "train", "queries"))
    output.keep(None if unjudged else qrels, *(path for own in paths.values() for path in own), *files)
    runs = {name: own[0] if len(own) == 1 else list(map(Path, own)) for name, own in paths.items()}
    options["seed"] = options["seed"] or 0
    columns = column_names(options.pop("column"))
    if options.pop("open_catalogue"):
        known = items_known(options["items"], options.pop("train"), columns, closed=False)
        options["items"] = known
    judged = judged_in(None if unjudged else qrels, options.pop("aspect_weights"), columns)
    return report(judged, runs, columns=columns, **options)


def _of_saved(output: Output, texts: tuple[str, ...], options: dict[str, Any]) -> Report:
    """The page of what was saved: of a result or a comparison, or of several results, which are compared."""
    from rankmark.comparing.compare import compare_results
    from rankmark.loading import load
    from rankmark.reports.parts import Beside
    from rankmark.reports.report import report_of
    from rankmark.results.reported import Reported

    if said := [name for name in options if name not in OF_SAVED and is_said(name)]:
        raise UsageError(
            f"--{said[0].replace('_', '-')} is of evaluations, and these are results: leave it out"
        )
    paths = named_paths(texts, "runs")
    output.keep(*(path for own in paths.values() for path in own), options["attributes"])
    how = {name: options[name] for name in ("baseline", "by", "attributes")}
    if len(paths) > 1:
        compared = compare_results(paths, options.get("measures"), **how, seed=options["seed"] or 0)
        return report_of(compared, title=options["title"], beside=Beside(command=options["command"]))
    if any(how.values()):
        raise UsageError("--baseline, --by and --attributes are of several results, which are compared")
    found = load(texts[0])
    if not isinstance(found, Reported):
        raise UsageError(f"{texts[0]}: it holds a {type(found).__name__}, of which there is no report")
    return report_of(
        cast("Subject", found), title=options["title"], beside=Beside(command=options["command"])
    )


def _of_predictions(output: Output, table: str, others: tuple[str, ...], options: dict[str, Any]) -> Report:
    """The page of predictions."""
    from rankmark.reports.report import report_predictions

    tables = one_path_each((table, *others), "tables")
    output.keep(*tables.values(), options["attributes"])
    systems, score = options.pop("systems"), options.pop("score")
    scores: Any = score_columns(systems, [score] if score else []) if systems else score
    options["seed"] = options["seed"] or 0
    given = tables if len(tables) > 1 else next(iter(tables.values()))
    return report_predictions(given, scores=scores, **options)


def _command() -> str:
    """The command line that runs."""
    return shlex.join(["rankmark", *click.get_current_context().find_root().obj])
