"""`rankmark compare`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.eval import MEASURES
from rankmark.commands.names import (
    column_names,
    items_known,
    judged_in,
    measures_in,
    name_and_path,
    named_paths,
)
from rankmark.commands.options import (
    CHOICES,
    is_said,
    together,
    with_aspect_weights,
    with_attributes,
    with_choices,
    with_clusters,
    with_columns,
    with_confidence,
    with_items,
    with_like,
    with_margins,
    with_per_query,
    with_resamples,
    with_significance,
    with_threads,
    with_weights,
    with_words,
)
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.comparing.comparison import Comparison

__all__ = ["check_saved", "compare_runs", "shown_of", "with_comparison"]


def _tests() -> Iterable[str]:
    from rankmark.statistics.significance import TESTS

    return TESTS


def _corrections() -> Iterable[str]:
    from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS

    return CORRECTIONS_OF_SYSTEMS


def _intervals() -> Iterable[str]:
    from rankmark.comparing.plan import INTERVALS_OF_DIFFERENCES

    return INTERVALS_OF_DIFFERENCES


def _test_option(text: str) -> tuple[str, Any]:
    """A name and its value: a number, true, false, none or a word."""
    name, is_there, value = text.partition("=")
    if not is_there or not name or not value:
        raise UsageError(f"--test-option {text!r} is not NAME=VALUE, such as zeros=pratt")
    if value.lower() in WORDS:
        return name, WORDS[value.lower()]
    for number in (int, float):
        with suppress(ValueError):
            return name, number(value)
    return name, value


WORDS = {"true": True, "false": False, "none": None}
"""What is no text."""


with_comparison = together(
    click.option(
        "--baseline",
        multiple=True,
        metavar="NAME",
        help="Compare all others with this run, and not all pairs; repeat it for several.",
    ),
    with_words(
        "--test",
        _tests,
        "Which test gives the p-values.  [default: the first; with several seeds t]",
        needed=False,
    ),
    click.option(
        "--test-option",
        "test_options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=lambda _context, _option, texts: dict(map(_test_option, texts)),
        help="What else the test takes, such as zeros=pratt, method=normal, tie=0.01; repeat it for several.",
    ),
    with_significance(_corrections),
    with_words("--interval", _intervals, "How intervals are made."),
    with_confidence("the intervals"),
    with_resamples,
    click.option(
        "--movers", type=click.IntRange(min=1), metavar="N", help="Show the N queries that changed most."
    ),
    click.option(
        "--details",
        is_flag=True,
        help="Show statistics, degrees of freedom, intervals of effect sizes, and intervals for all pairs.",
    ),
    with_margins,
)
"""Gives a command the options that say how systems are compared, and what of it is shown."""


def shown_of(options: dict[str, Any]) -> dict[str, Any]:
    """What of a comparison these options say to show; it is taken out of them.

    Raises:
        ChoiceError: a margin, or a region, that is none.

    """
    from rankmark.comparing.posteriors import check_posterior
    from rankmark.statistics.margins import check_margin

    shown = {
        name: options.pop(name) for name in ("movers", "details", "margin", "rope", "posterior", "anova")
    }
    if shown["margin"] is not None:
        check_margin(shown["margin"])
    check_posterior(shown["rope"], shown["posterior"])
    return shown | {"movers": shown["movers"] or 0}


@click.command("compare")
@click.argument("qrels", metavar="[QRELS]")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    default=MEASURES,
    metavar="MEASURE",
    help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
)
@with_comparison
@with_weights
@with_clusters
@click.option(
    "--seedless", multiple=True, metavar="NAME", help="The one run of NAME depends on no seed; repeat it."
)
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Show slices by a column of FILE, QRELS or RUN; repeat it."
)
@with_attributes
@click.option(
    "--bounds-of",
    "bounds",
    metavar="unjudged",
    help="Show what unjudged items leave open of differences; unjudged=GRADE says the highest.",
)
@with_items
@with_like
@with_choices
@with_columns
@with_aspect_weights
@with_threads
@with_per_query
@with_output_of("Comparison", papers=True, pictures=True)
@click.pass_context
def compare_runs(
    context: click.Context,
    /,
    qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    aspect_weights: str | None,
    by: tuple[str, ...],
    attributes: str | None,
    no_qrels: bool,
    items: str | None,
    train: str | None,
    open_catalogue: bool,
    per_query: bool,
    output: Output,
    **options: Any,
) -> None:
    """Say which differences of runs are more than chance.

    QRELS and each RUN are as for `rankmark eval`. A run is called as its file
    unless NAME= stands before it; runs of one NAME are one system with several
    seeds, and intervals and p-values are then of other seeds, too. Shown are the
    means with marks of significance, and for every pair the difference with its
    interval, the p-value as it is and corrected, Cohen's d, Cliff's delta, the
    probability of superiority and on how many queries it won, tied and lost.
    --seed is of resamples and of --ties random. --by shows the pairs in slices of
    the queries, too; CSV shows these slices alone.

    A RUN can also be what `rankmark eval -o NAME.rankmark` saved of one or several,
    which has to be of the same judgements and choices. Where all are saved, there is
    no QRELS. Measures of what is recommended know the items by --items and --train;
    with --no-qrels they are compared without judgements.

    \b
    rankmark compare qrels.txt bm25.run dense.run -m nDCG@10 --baseline bm25
    rankmark compare qrels.txt old=a.run new=b.run new=c.run -o table.tex
    rankmark compare old.rankmark new.rankmark -m nDCG@10
    rankmark compare three.rankmark --baseline bm25
    rankmark compare --no-qrels old.run new.run --train train.csv -m Novelty@10
    """  # noqa: D301
    from rankmark.comparing.compare import compare
    from rankmark.loading import is_saved

    shown = shown_of(options)
    output.check(per_query=per_query, **shown)
    alone = not no_qrels and is_saved(name_and_path(qrels)[1])
    if not run and not alone:
        raise click.MissingParameter(ctx=context, param=context.command.params[1])
    runs = named_paths((qrels, *run) if alone or no_qrels else run, "runs")
    output.keep(qrels, *(path for paths in runs.values() for path in paths), attributes, items, train)
    measures = measures_in(measure)
    options["seed"] = options["seed"] or 0
    options |= {"by": by or None, "attributes": attributes, "clusters": list(options["clusters"]) or None}
    if alone:
        judged_in(None, aspect_weights, {})
        if items or train:
            raise UsageError("--items and --train are of evaluations, and these are results: leave them out")
        compared = _of_saved(runs, measures if is_said("measure") else None, options)
    else:
        columns = column_names(column)
        options["items"] = items_known(items, train, columns, closed=not open_catalogue)
        judged = judged_in(None if no_qrels else qrels, aspect_weights, columns)
        compared = compare(judged, runs, measures, columns=columns, **options)
    output.write(compared, per_query=per_query, **shown)


def check_saved(runs: dict[str, list[str]]) -> None:
    """Refuses runs beside results that were saved, without judgements."""
    from rankmark.loading import is_saved

    if paths := [path for own in runs.values() for path in own if not is_saved(path)]:
        raise UsageError(f"{paths[0]} is no saved result: to evaluate it, give the judgements first")


def _of_saved(runs: dict[str, list[str]], measures: list[str] | None, options: dict[str, Any]) -> Comparison:
    """The comparison of results that were saved."""
    from rankmark.comparing.compare import compare_results

    check_saved(runs)
    evaluating = [*(name for name in CHOICES if name != "seed"), "like", "column", "clusters", "bounds"]
    if said := [name for name in evaluating if is_said(name)]:
        option = said[0].replace("_", "-")
        raise UsageError(f"--{option} is of evaluations, and these are results: leave it out")
    how = {name: value for name, value in options.items() if name not in evaluating}
    return compare_results(runs, measures, **how)
