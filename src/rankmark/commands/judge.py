"""`rankmark judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.names import column_names, measures_in, one_path_each
from rankmark.commands.options import (
    is_said,
    with_choices,
    with_columns,
    with_confidence,
    with_like,
    with_threads,
    with_words,
)
from rankmark.commands.output import KEPT, Output, with_output_of
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from rankmark.judges.planned import LabelPlan

__all__ = ["evaluate_judged"]

OF_VALUES = {"baseline", "finite", "inclusion", "power", "strata", "tuning"}
"""Options that say nothing to how far labels agree."""
OF_PLANS = {"add", "width", "difference"}
"""Options that ask what to label next."""


def _tunings() -> Any:
    from rankmark.statistics.prediction_powered import TUNINGS

    return TUNINGS


@click.command("judge")
@click.argument("human_qrels", metavar="HUMAN_QRELS")
@click.argument("judge_qrels", metavar="JUDGE_QRELS")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@click.option("-m", "--measure", multiple=True, metavar="MEASURE", help="What to measure; repeat it.")
@click.option("--baseline", multiple=True, metavar="NAME", help="With which run all others are compared.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Show slices of the queries by a column, too; repeat it."
)
@click.option(
    "--inclusion",
    metavar="COLUMN",
    help="People labelled a sample of items: the chance of each, or counts.",
)
@click.option(
    "--strata", metavar="COLUMN", help="What the queries that people labelled were drawn from, each alone."
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --by and --strata.")
@click.option("--finite", is_flag=True, help="Of these queries alone, not of queries such as these.")
@click.option("--power", type=float, metavar="X", help="How much the judge counts: 0 not at all, 1 as it is.")
@with_words("--tuning", _tunings, "How that is chosen.")
@click.option("--agreement", is_flag=True, help="How far labels agree, and order runs; without a RUN, too.")
@click.option(
    "--depth", type=click.IntRange(min=1), metavar="K", help="Of --agreement: first items of lists.  [10]"
)
@click.option("--next", "add", type=int, metavar="N", help="Which N queries people should label next.")
@click.option("--width", type=float, metavar="X", help="Which, for an interval of this width.")
@click.option("--difference", type=float, metavar="X", help="Which, to find such a difference.")
@with_confidence("the intervals")
@with_like
@with_choices
@with_columns
@with_threads
@with_output_of("JudgeEvaluation", KEPT)
def evaluate_judged(
    human_qrels: str,
    judge_qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    baseline: tuple[str, ...],
    by: tuple[str, ...],
    agreement: bool,
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Measure runs by labels of people and of a judge.

    HUMAN_QRELS has labels of people for some queries, a random sample, and
    JUDGE_QRELS those of a judge, such as a language model, for all queries. How
    far the judge is wrong is learnt where there are both, by which its mean over
    all queries is put right (prediction-powered inference): a value that is right
    on average however wrong the judge is, with an interval.

    Without a RUN it is said how far judge and people agree on items; so it is
    with --agreement, and how far the judge orders runs as people do. --next,
    --width and --difference say which queries people should label next.

    \b
    rankmark judge people.txt model.txt bm25.run -m nDCG@10
    rankmark judge people.txt model.txt old=a.run new=b.run -m "nDCG@10 RR"
    rankmark judge people.csv model.csv a.run --strata kind --attributes q.csv
    rankmark judge people.txt model.txt a.run b.run --agreement
    rankmark judge people.txt model.txt a.run --width 0.05 -o queries.csv
    """  # noqa: D301
    from rankmark.commands.eval import MEASURES
    from rankmark.judges.agreeing import agree_on_labels
    from rankmark.judges.judging import evaluate_with_judge

    output.check()
    runs = one_path_each(run, "runs") if run else {}
    output.keep(human_qrels, judge_qrels, *runs.values(), options["attributes"])
    asks = {name for name in (*OF_VALUES, *OF_PLANS, "depth") if is_said(name)}
    given = {name: value for name, value in options.items() if value is not None}
    given |= {"by": by or None, "columns": column_names(column)}
    if asks & OF_PLANS:
        _refuse(asks & {"baseline", "depth", "inclusion", "power", "tuning"}, "--next")
        output.write(_planned(human_qrels, judge_qrels, runs, measures_in(measure), given))
        return
    if agreement or not runs:
        _refuse(asks & OF_VALUES, "--agreement")
        given = {name: value for name, value in given.items() if name not in OF_VALUES}
        how = [measures_in(measure)] if measure else []
        output.write(agree_on_labels(human_qrels, judge_qrels, runs or None, *how, **{"seed": 0} | given))
        return
    if "depth" in asks:
        raise UsageError("--depth is of --agreement")
    output.write(
        evaluate_with_judge(
            human_qrels,
            judge_qrels,
            runs,
            measures_in(measure or MEASURES),
            baseline=baseline or None,
            **given,
        )
    )


def _refuse(asks: set[str], what: str) -> None:
    """Refuses options that say nothing to what is shown."""
    if asks:
        raise UsageError(f"--{min(asks)} is not of {what}")


def _planned(
    human_qrels: str,
    judge_qrels: str,
    runs: Mapping[str, str],
    measures: Sequence[str],
    given: dict[str, Any],
) -> LabelPlan:
    """Which queries to label next."""
    from rankmark.commands.eval import MEASURES
    from rankmark.judges.planning import labels_to_add

    if not runs:
        raise UsageError("labels are planned for one RUN, or for two, whose difference is to be known")
    if len(measures) > 1:
        raise UsageError(f"-m {' -m '.join(measures)}: labels are planned for one measure")
    chosen = {name: value for name, value in given.items() if name not in ("by", "power", "tuning")}
    if "strata" in chosen and chosen["strata"].isdecimal():
        chosen["strata"] = int(chosen["strata"])
    asked = next(iter(measures), MEASURES[0])
    return labels_to_add(human_qrels, judge_qrels, runs, asked, **{"seed": 0} | chosen)
