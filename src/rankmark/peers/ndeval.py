"""What ndeval 4.5 prints: the measures of aspects, a line a topic and one of their means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.api.evaluation import evaluate
from rankmark.errors import DataError, FormatError
from rankmark.inputs import Input, read_inputs, read_qrels, read_run
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.files import expand
from rankmark.inputs.format import File
from rankmark.inputs.formats import format_of
from rankmark.language.conventions.convention import convention

if TYPE_CHECKING:
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure

__all__ = ["printed"]

CUT = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG"), ("NRBP", "nNRBP", "MAP-IA"), ("P-IA", "strec")
CUTOFFS = (5, 10, 20)
COLUMNS = [
    *(f"{name}@{k}" for name in CUT[0] for k in CUTOFFS),
    *CUT[1],
    *(f"{name}@{k}" for name in CUT[2] for k in CUTOFFS),
]
"""Its columns, in their order."""
ZERO_BY_ZERO = "nNRBP"
"""The one that is 0 / 0 where nothing is relevant to a query."""


class _Topic(NamedTuple):
    """A line: a topic, whether it is judged, and its values."""

    number: int
    judged: bool
    values: Values


def printed(
    qrels: str,
    run: str,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    by_score: bool = False,
    whole: bool = False,
) -> Iterator[str]:
    """The lines that it prints.

    Args:
        qrels: the judgements of aspects.
        run: the results.
        alpha: what an aspect loses each time.
        beta: the chance that a reader goes on to the next item.
        by_score: whether lists are ordered by scores, as under ``-traditional``, and not by ranks.
        whole: whether the means are over all judged topics, as under ``-c``.

    Raises:
        DataError: topics that are no numbers, or grades that it refuses; and as `evaluate`.

    """
    judged = by_aspect(read_qrels(qrels), "ndeval")
    name, returned = _read(run, by_score=by_score)
    topics, everything = _topics(*read_inputs(judged, returned), alpha, beta)
    yield ",".join(["runid", "topic", *COLUMNS])
    for topic in topics:
        yield _line(name, str(topic.number), topic.values)
    counted = [topic.values for topic in topics if topic.judged]
    total = np.cumsum(counted, axis=0)[-1]  # in the order of the topics, as it adds up
    yield _line(name, "amean", total / (everything if whole else len(counted)))


def _topics(judged: Input, returned: Input, alpha: float, beta: float) -> tuple[Sequence[_Topic], int]:
    """The topics of the results in ascending order, and how many are judged, with results or without."""
    import polars as pl

    given = {"alpha": alpha, "beta": beta}
    measures: list[Measure] = []
    for column in COLUMNS:
        measure = convention("ndeval").measure(column)
        taken = {name: value for name, value in given.items() if name in measure.page.parameters}
        measures.append(measure(**taken) if taken else measure)
    result = evaluate(judged, returned, measures, like="ndeval", no_relevant="skip")
    values = np.column_stack([result.query_values(measure) for measure in measures])
    others = [place for place, column in enumerate(COLUMNS) if column != ZERO_BY_ZERO]
    values[:, others] = np.nan_to_num(values[:, others])
    ids: list[Any] = [*result.query_ids]
    own: dict[Any, Values] = dict(zip(ids, values, strict=True))
    queries = pl.DataFrame(returned.table)[returned.query].unique().to_list()
    topics = [_Topic(_number(q), q in own, own.get(q, np.zeros(len(COLUMNS)))) for q in queries]
    return sorted(topics, key=lambda topic: topic.number), len(own)


def _number(query: int | str) -> int:
    try:
        return int(query)
    except ValueError:
        raise DataError(
            f"query {query!r} is no number, and ndeval knows no other topics; `rankmark eval --like ndeval` "
            "does"
        ) from None


def _line(name: str, topic: str, values: Values) -> str:
    # 0 / 0 has a sign on the machines that it was written for.
    return ",".join([name, topic, *("-nan" if np.isnan(value) else f"{value:.6f}" for value in values)])


def _read(run: str, *, by_score: bool) -> tuple[str, Input]:
    """What a run is called in the first line of its file, and its results by scores or by ranks."""
    import polars as pl

    (path, *_) = expand(run, "run")
    file = File(path, f"run {run!r}")
    if not file.head or format_of(file, "run", None).name != "TREC":
        return path.stem, read_run(run, None if by_score else {"rank": "rank"})
    returned = read_run(run)
    first = file.first_line.split()
    name = first[-1] if len(first) == 6 else path.stem
    if by_score:
        return name, returned
    lines = [line.decode(errors="replace").split() for line in file.lines() if line.strip()]
    if short := next((line for line in lines if len(line) != 6), None):
        raise FormatError(
            f"{file.where}: ranks are looked at, and '{' '.join(short)}' has none; give lines 'topic Q0 item "
            "rank score tag', or order by scores with -traditional"
        )
    schema = {"query": pl.String, "item": pl.String, "rank": pl.String}
    table = pl.DataFrame([(line[0], line[2], line[3]) for line in lines], schema=schema, orient="row")
    ranks = table["rank"].cast(pl.Int64, strict=False)
    if (wrong := ranks.is_null()).any():
        raise DataError(f"{file.where}: the rank {table['rank'].filter(wrong)[0]!r} is no whole number")
    again = table.filter(table.select("query", "rank").is_duplicated())
    if again.height:
        query, _, rank = again.row(0)
        raise DataError(
            f"{file.where}: topic {query!r} has rank {rank} twice; order by scores with -traditional"
        )
    ranked = read_run(table.with_columns(ranks), {"rank": "rank"})
    return name, replace(ranked, text_ids=True)
