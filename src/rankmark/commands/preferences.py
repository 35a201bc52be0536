"""`rankmark preferences`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names
from rankmark.commands.options import with_columns, with_confidence, with_words
from rankmark.commands.output import KEPT, Output, with_output_of

__all__ = ["rank_systems"]


def _of_model(name: str) -> Any:
    def words() -> Any:
        import rankmark.statistics.paired_comparisons as model

        return getattr(model, name)

    return words


def _of_ranking(name: str) -> Any:
    def words() -> Any:
        import rankmark.preferences.ranking as ranking

        return getattr(ranking, name)

    return words


def _corrections() -> Any:
    from rankmark.statistics.corrections import CORRECTIONS

    return CORRECTIONS


@click.command("preferences")
@click.argument("table", metavar="TABLE")
@with_words("--ties", _of_model("TIES"), "What a tie is.")
@click.option("--side", is_flag=True, help="Estimate what standing first is worth, too.")
@with_words("--penalty", _of_model("PENALTIES"), "What keeps the strength of one that always won finite.")
@click.option("--baseline", metavar="SYSTEM", help="Test the others against this; its strength is 0.")
@with_words("--interval", _of_ranking("INTERVALS"), "How intervals are made.")
@click.option("--clusters", metavar="COLUMN", help="What belongs together: query, assessor, or a column.")
@with_confidence("the intervals")
@with_words("--correction", _corrections, "Of the p-values of several systems.")
@with_words("--scale", _of_ranking("SCALES"), "In which strengths are shown.")
@click.option("--resamples", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
              help="Of the bootstrap.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of what is drawn.")
@with_columns
@with_output_of("PreferenceRanking", KEPT)
def rank_systems(table: str, *, column: tuple[str, ...], output: Output, **options: Any) -> None:
    """Rank systems by judgements side by side.

    TABLE has a row a judgement: system_a, system_b and winner (a name, a, b, or
    tie), and the query and the assessor if they are known; or the systems shown,
    the best and the worst. Strengths are Bradley and Terry's, with intervals.

    \b
    rankmark preferences judged.csv
    rankmark preferences judged.csv --baseline bm25 --clusters query
    rankmark preferences judged.csv --side --ties davidson --scale elo
    """  # noqa: D301
    from rankmark.preferences.ranking_systems import rank_by_preferences

    output.check()
    output.keep(table)
    output.write(rank_by_preferences(table, columns=column_names(column), **options))
