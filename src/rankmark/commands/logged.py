"""`rankmark logged`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, name_and_path
from rankmark.commands.options import (
    is_said,
    with_columns,
    with_confidence,
    with_engine,
    with_threads,
    with_words,
)
from rankmark.commands.output import KEPT, Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["evaluate_log"]


def _chances() -> Any:
    from rankmark.statistics.estimators import CHANCES

    return CHANCES


def _intervals() -> Any:
    from rankmark.statistics.off_policy import INTERVALS_OF_LOGS

    return INTERVALS_OF_LOGS


class _Logged(click.Command):
    """A command whose help ends with the estimators that there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from rankmark.statistics.estimators import ESTIMATORS

        needed = {
            each.name: ",".join(f"{own}=…" for own in each.parameters if own != "clip")
            for each in ESTIMATORS.values()
        }
        shown = {name: f"{name}({own})" if own else name for name, own in needed.items()}
        lines = [f"  {shown[each.name]:<22} {each.title}" for each in ESTIMATORS.values()]
        formatter.write("\nEstimators:\n" + "\n".join(lines) + "\n")


@click.command("logged", cls=_Logged)
@click.argument("log", metavar="LOG")
@click.option(
    "--policy",
    multiple=True,
    required=True,
    metavar="[NAME=]COLUMN|RUN",
    help="What is evaluated: the log's column of its chances, or a run; repeat it.",
)
@click.option(
    "-e", "--estimator", multiple=True, metavar="ESTIMATOR", help="By which; repeat it.  [default: IPS SNIPS]"
)
@click.option(
    "--value", default="sum", show_default=True, metavar="sum|DCG|RBP", help="What positions count."
)
@click.option(
    "--choose",
    default="top",
    show_default=True,
    metavar="top|epsilon-greedy|softmax",
    help="How policies show items of their runs.",
)
@with_words("--chances", _chances, "What the chances of several positions are of.")
@click.option(
    "--strata",
    multiple=True,
    metavar="COLUMN",
    help="Count propensities in these, where there are none.",
)
@click.option(
    "--expected", multiple=True, metavar="[POLICY=]COLUMN", help="What a model expects of a policy, for DR."
)
@click.option("--baseline", metavar="POLICY", help="Compare with this one.  [default: what the log earned]")
@click.option("--by", multiple=True, metavar="COLUMN", help="Slice by it; repeat it.")
@click.option("--clusters", metavar="COLUMN", help="What belongs together, such as users.")
@with_words("--interval", _intervals, "How intervals are made.")
@with_confidence("the intervals")
@click.option(
    "--reward-range", nargs=2, type=float, metavar="LEAST MOST", help="Of an impression, for bernstein."
)
@click.option("--largest-weight", type=float, metavar="W", help="That there can be, for bernstein.")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=2_000, show_default=True, metavar="N", help="How many."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Of these."
)
@with_engine
@with_threads
@with_columns
@with_output_of("LoggedEvaluation", KEPT)
def evaluate_log(
    log: str,
    *,
    policy: tuple[str, ...],
    estimator: tuple[str, ...],
    expected: tuple[str, ...],
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Estimate what other systems would have earned.

    LOG has a row an item that was shown: its propensity (the chance with which
    it was shown), what it earned (click), and impression and position if several
    rows are a list. A policy is a column of LOG, the chance that it shows what
    was shown, or a run for the queries of LOG. Beside each estimate stands what
    speaks against it, and below what its weights say: how many impressions tell as
    much with equal weights, the largest weight, and their mean, which is 1 but for
    chance.

    \b
    rankmark logged log.parquet --policy new_probability
    rankmark logged log.csv --policy new=new.run -e SNIPS -e "IPS(clip=10)"
    rankmark logged lists.csv --policy new.run -e RIPS --value DCG@10 --by country
    """  # noqa: D301
    from rankmark.logs.feedback import DEFAULT, evaluate_logged

    output.check()
    named = [_named(text) for text in policy]
    policies = dict(named)
    if len(policies) < len(named):
        raise UsageError("two policies have one name; say --policy NAME=… of each")
    output.keep(log)
    given = {name: value for name, value in options.items() if value not in (None, ())}
    for name in ("chances", "interval"):
        if not is_said(name):
            del given[name]
    for name in ("strata", "by"):
        if name in given:
            given[name] = list(given[name])
    models = [name_and_path(text) for text in expected]
    if models:
        given["expected"] = models[0][1] if models == [("", models[0][1])] else dict(models)
    if estimator:
        given["estimators"] = estimator
    given.setdefault("estimators", DEFAULT)
    output.write(evaluate_logged(log, policies, columns=column_names(column), **given))


def _named(text: str) -> tuple[str, str]:
    """The name of a policy, and its column or run."""
    name, what = name_and_path(text)
    return name or what, what
