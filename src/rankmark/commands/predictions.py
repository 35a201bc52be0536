"""`rankmark predictions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import click

from rankmark.commands.names import by_system, measures_in, one_path_each, score_columns, usual_measures
from rankmark.commands.options import (
    is_said,
    with_choices_of_rows,
    with_confidence,
    with_engine,
    with_item,
    with_label,
    with_like,
    with_per_query,
    with_positive,
    with_query,
    with_rope,
    with_signatures,
    with_significance,
    with_systems,
    with_threads,
    with_weight,
    with_words,
)
from rankmark.commands.output import Output, with_output_of
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.comparing.predictions import PredictionComparison
    from rankmark.results.predictions import PredictionResult

__all__ = ["MEASURES", "evaluate_table"]

MEASURES = ["AUC", "LogLoss", "NE", "PCOPC"]
OF_SEVERAL = ("baseline", "test", "alternative", "correction", "alpha", "rope")
"""Options that only several systems have."""
OF_CLASSES = ["MulticlassAccuracy", "MulticlassF"]


def _corrections() -> Iterable[str]:
    from rankmark.statistics.corrections import CORRECTIONS

    return CORRECTIONS


def _tests() -> Iterable[str]:
    from rankmark.comparing.prediction_tests import PREDICTION_TESTS

    return PREDICTION_TESTS


def _methods() -> Iterable[str]:
    from rankmark.aggregation.intervals import METHODS

    return METHODS


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
@with_label
@click.option(
    "--score",
    multiple=True,
    metavar="NAME[,…]",
    help="The column of predictions; repeat it, or give several in one, for a score of each class.",
)
@click.option(
    "--predicted",
    multiple=True,
    metavar="NAME",
    help="The column of predicted classes, instead of scores; SYSTEM=NAME, repeated, to compare several.",
)
@click.option("--classes", metavar="CLASS,…", help="The class of each score, if labels do not say it.")
@with_query
@with_item
@with_weight
@with_positive
@with_choices_of_rows
@with_systems
@click.option(
    "--baseline", multiple=True, metavar="NAME", help="Compare with this system alone; repeat it for several."
)
@with_words("--test", _tests, "Of differences, for all measures.", needed=False)
@with_significance(_corrections)
@with_rope
@with_like
@click.option("--by", multiple=True, metavar="COLUMN", help="Slice by a column of FILE or TABLE; repeat it.")
@click.option("--attributes", metavar="FILE", help="Queries with columns for --by.")
@click.option(
    "--intervals/--no-intervals",
    help="Give confidence intervals, by the usual method of each measure.",
)
@with_words("--interval-method", _methods, "Of intervals, for all measures.", needed=False)
@with_confidence("intervals")
@click.option(
    "--resamples", type=int, metavar="N", help="Of the bootstrap; fewer if it takes long.  [default: 10000]"
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of --ties random and of resamples.")
@with_threads
@with_engine
@with_per_query
@click.option("--per-class", is_flag=True, help="Show each class's rows and values, too.")
@click.option("--confusion", is_flag=True, help="Show which classes were predicted for which, too.")
@with_signatures("Show of that what is not the standard.")
@with_output_of("Result", papers=True)
def evaluate_table(
    table: tuple[str, ...],
    measure: tuple[str, ...],
    per_query: bool,
    per_class: bool,
    confusion: bool,
    signatures: bool | Literal["short"],
    by: tuple[str, ...],
    intervals: bool,
    interval_method: str | None,
    systems: tuple[str, ...],
    output: Output,
    score: tuple[str, ...],
    predicted: tuple[str, ...],
    classes: str | None,
    **options: Any,
) -> None:
    """Measure how good the predictions in TABLE are.

    TABLE is CSV, TSV, JSON, Parquet or Arrow, also compressed (gz, zst), or - for
    standard input, with a label and a score in each row, or a score of each class,
    or the class that is predicted. Columns are found by the usual names unless they
    are said. A measure is written Name(parameter=value); `rankmark measures` lists
    them, those of predictions at the end. Measures of lists, such as nDCG@10, take
    the rows of each query as a list with judgements.

    Several systems are compared: columns of one TABLE (--system), or a TABLE of
    each, called as its file unless NAME= stands before it. Tables have the same
    rows, matched by query and item where all have both and no pair of them stands
    twice, else by position, where labels, queries and items have to agree.

    -q -o FILE.parquet writes the values of each query. JSON has all signatures
    and a hash of what TABLE holds.

    \b
    rankmark predictions clicks.parquet -m AUC -m GAUC --score p --query user_id
    rankmark predictions clicks.parquet -m 'F1(threshold=max)' -m 'Lift(top=0.05)'
    rankmark predictions pets.csv --score cat,dog,bird -m Accuracy -m LogLoss
    rankmark predictions pets.csv --predicted guess -m F1 -m Kappa --per-class
    rankmark predictions clicks.parquet --intervals --by country
    rankmark predictions c.parquet --system old=p1 --system new=p2 --by country
    rankmark predictions old=a.parquet new=b.parquet --score p --baseline old
    rankmark predictions pets.csv --predicted old=guess --predicted new=better
    """  # noqa: D301
    columns = [column for text in score for column in text.split(",")]
    asked = _Asked(table, systems, columns, predicted, classes)
    shown = _Shown(output, by, per_query, per_class, confusion, signatures)
    shown.check(asked)
    tables = asked.tables
    output.keep(*(tables.values() if isinstance(tables, dict) else [tables]), options["attributes"])
    measures = measures_in(measure or asked.usual_measures(options["like"]))
    if asked.several:
        output.write(_compared(asked, measures, shown, interval=interval_method, **options))
    else:
        intervals_of: Any = interval_method or intervals
        shown.show(_result(asked, measures, shown, intervals=intervals_of, **options), tables)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is evaluated: tables, and the columns of predictions in them."""

    texts: tuple[str, ...]
    systems: tuple[str, ...]
    scores: list[str]
    predicted: tuple[str, ...]
    classes: str | None

    @property
    def several(self) -> bool:
        """Whether there are several systems."""
        return bool(self.systems) or len(self.texts) > 1 or len(self.predicted) > 1

    @property
    def guesses(self) -> str | dict[str, str] | None:
        """The column of predicted classes, or each system's."""
        if len(self.predicted) > 1 or (self.predicted and "=" in self.predicted[0] and self.several):
            return by_system("--predicted", self.predicted)
        return next(iter(self.predicted), None)

    @property
    def of_classes(self) -> bool:
        """Whether it is said that labels are classes."""
        return len(self.scores) > 1 or bool(self.predicted) or any("," in each for each in self.systems)

    @property
    def said_classes(self) -> list[str] | None:
        """The class of each score, where they are said."""
        return self.classes.split(",") if self.classes else None

    @property
    def tables(self) -> str | dict[str, str]:
        """The table, or each system's."""
        tables = one_path_each(self.texts, "tables")
        return tables if len(tables) > 1 else next(iter(tables.values()))

    def usual_measures(self, like: str | None) -> list[str]:
        """What is measured if nothing is asked for."""
        tools = [like] if like else []
        if self.of_classes:
            return usual_measures(OF_CLASSES, tools, "class")
        return usual_measures(MEASURES, tools, "row")


@dataclass(frozen=True, slots=True)
class _Shown:
    """How it is shown, and what beside the values."""

    output: Output
    by: tuple[str, ...]
    per_query: bool
    per_class: bool
    confusion: bool
    signatures: bool | Literal["short"]

    @property
    def beside(self) -> dict[str, object]:
        """What has no place in some formats."""
        return {"--by": self.by, **self.of_one}

    @property
    def of_one(self) -> dict[str, object]:
        """What goes with one system alone."""
        return {"--per-class": self.per_class, "--confusion": self.confusion}

    def check(self, asked: _Asked) -> None:
        """Refuses a format that cannot show it."""
        if not asked.several:
            self.output.check_queries(self.per_query)
        if self.output.known_format == "trec":
            _refuse(self.beside, "--format trec has no place for {}")

    def show(self, result: PredictionResult, tables: object) -> None:
        """Writes or prints the result of one system."""
        wanted = self.per_class or (self.confusion and not result.shows_confusion)
        if wanted and result.counts.classes is None:
            raise UsageError(
                f"{'--per-class' if self.per_class else '--confusion'} is of classes, and {tables} has one "
                "score in a row; give a score of each (--score …,…) or the predicted one (--predicted …)"
            )
        self.output.write(
            result,
            per_query=self.per_query,
            per_class=self.per_class,
            confusion=self.confusion,
            signatures=self.signatures,
        )


def _compared(asked: _Asked, measures: list[str], shown: _Shown, **options: Any) -> PredictionComparison:
    """Several systems side by side."""
    from rankmark.comparing.predictions import compare_predictions

    _refuse(
        shown.of_one | {"--per-query": shown.per_query},
        "{} does not go with several systems, which are compared",
    )
    engine, memory = options.pop("engine"), options.pop("memory")
    if engine == "stream" or memory:
        raise UsageError("systems are compared in memory: leave out --engine and --memory")
    if shown.signatures:
        raise UsageError("signatures of a comparison are in its JSON: --format json")
    columns = score_columns(asked.systems, asked.scores)
    options |= {"predicted": asked.guesses, "classes": asked.said_classes, "by": shown.by or None}
    return compare_predictions(asked.tables, columns, measures, **options)


def _result(asked: _Asked, measures: list[str], shown: _Shown, **options: Any) -> PredictionResult:
    """The values of one system."""
    from rankmark.api.predictions import evaluate_predictions

    if said := [name for name in OF_SEVERAL if is_said(name)]:
        raise UsageError(
            f"--{said[0]} is for several systems; give a table of each, or its column: --system NAME=COLUMN"
        )
    options = {name: value for name, value in options.items() if name not in OF_SEVERAL}
    return evaluate_predictions(
        asked.tables,
        measures,
        by=shown.by or None,
        hash_inputs=shown.output.is_kept,
        score=asked.scores if len(asked.scores) > 1 else next(iter(asked.scores), None),
        predicted=asked.guesses,  # type: ignore[arg-type]  # of one system
        classes=asked.said_classes,
        **options,
    )


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Refuses options if they are said; the text has a place for the first of these."""
    for option, said in options.items():
        if said:
            raise UsageError(why.format(option))
