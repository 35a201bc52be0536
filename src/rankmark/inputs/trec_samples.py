"""TREC judgements of samples, of five fields: with the stratum or the probability of each item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmark.errors import FormatError
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from rankmark.inputs.format import File

__all__ = ["is_of_sample", "read_sample"]

WHOLE = r"-?\d+"
STRATA = ("query", "iter", "item", "stratum", "relevance")
PROBABILITIES = ("query", "item", "relevance", "method", "inclusion_probability")
METHODS = ("0", "1", "2")
"""How an item came to be judged in the Million Query tracks: otherwise, by the sample, or by both."""


def is_of_sample(file: File) -> bool:
    """Whether the first line has five fields that are those of judgements of a sample."""
    return _form(file.first_line.split()) is not None


def read_sample(file: File) -> Source:
    """The judgements, ``query``, ``item``, ``relevance``, and ``stratum`` or ``inclusion_probability``.

    Raises:
        FormatError: a line that does not follow the first.

    """
    import polars as pl

    form = _form(file.first_line.split())
    assert form is not None
    at = [form.index(name) for name in ("query", "item", "relevance")]
    kept = "stratum" if form is STRATA else "inclusion_probability"
    rows = []
    for number, line in enumerate(file.lines(), 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"{file.where}, line {number}: this is not Unicode (UTF-8)") from error
        fields = text.split()
        if not fields or text.startswith("#"):
            continue
        if len(fields) != len(form):
            raise FormatError(
                f"{file.where}, line {number}: {len(fields)} fields where the first line has {len(form)} "
                f"({' '.join(form)}): {brief(text.strip())}"
            )
        rows.append((*(fields[place] for place in at), fields[form.index(kept)], number))
    frame = pl.DataFrame(rows, schema=["query", "item", "relevance", kept, "line"], orient="row")
    for name in ["relevance"] if kept == "stratum" else ["relevance", kept]:
        numbers = frame[name].cast(pl.Float64, strict=False)
        wrong = numbers.is_finite().fill_null(False).not_()
        if wrong.any():
            text, number = (
                frame.row(int(wrong.arg_true()[0]), named=True)[name],
                frame["line"][wrong.arg_true()[0]],
            )
            raise FormatError(f"{file.where}, line {number}: the {name} {text!r} is not a finite number")
        frame = frame.with_columns(numbers.alias(name))
    table = from_polars(frame.drop("line"), file.where)
    return Source(file.where, table.names, lambda _: table, text_ids=True)


def _form(fields: Sequence[str]) -> tuple[str, ...] | None:
    """What the fields of a line are; None if it is not one of such judgements.

    A line of a run has Q0 in the second field. Items can be numbers, so that of two that are it is told by
    the second field, 0 where it is no item.
    """
    if len(fields) != len(STRATA):
        return None
    whole = [re.fullmatch(WHOLE, field) is not None for field in fields]
    chance = re.fullmatch(r"(0|1)?(\.\d*)?([eE]-?\d+)?", fields[4]) is not None
    if fields[1] != "0" and whole[2] and len(fields[2]) <= 2 and fields[3] in METHODS and chance:
        return PROBABILITIES
    return STRATA if whole[1] and whole[4] else None
