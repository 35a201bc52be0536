"""Which measure a name of trec_eval is, and what trec_eval calls a measure."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from rankmark.errors import MeasureError
from rankmark.language.conventions.trec_table import TREC_MEASURES, TrecMeasure, numbers, split_name
from rankmark.language.measure import Measure
from rankmark.language.registry import is_known, page

__all__ = ["trec_measure", "trec_name"]

SETS = ("official", "all_trec")
"""What trec_eval takes where it wants a measure, and means many."""


def trec_measure(text: str) -> Measure | None:
    """The one measure that trec_eval calls `text`; None if it has no such name.

    Raises:
        MeasureError: `text` is several measures, or another one here than there, or has a wrong parameter.

    """
    if text in SETS:
        raise MeasureError(
            f"{text!r} is a set of measures of trec_eval's, which `rankmark trec_eval -m {text}` prints; "
            "name those that are wanted here"
        )
    found = split_name(text)
    if found is None:
        return None
    known, parameter = found
    if not parameter:
        return _alone(known)
    if known.each:
        values = numbers(known.name, parameter)
        if len(values) > 1:
            raise _several(known, values)
        return Measure(*known.member(values[0]))
    # Digits alone can be a cutoff, which any measure's name may be followed by.
    is_cutoff = not known.reads_digits and parameter.isdigit()
    return None if is_cutoff else Measure(*known.with_parameter(parameter))


def trec_name(measure: Measure) -> str | None:
    """What trec_eval calls a measure; None if it does not have it."""
    if name := _names_alone().get(measure):
        return name
    for known in TREC_MEASURES:
        value = measure.cutoff if known.each == "cutoff" else measure.parameters.get(known.each)
        if isinstance(value, int | float) and Measure(*known.member(value)) == measure:
            name = known.member_name(value)
            return name if trec_measure(name) == measure else None
    return None


@functools.cache
def _names_alone() -> Mapping[Measure, str]:
    """The names that are one measure each, by that measure."""
    return {Measure(*known.base): known.name for known in TREC_MEASURES if known.measure and not known.each}


def _alone(known: TrecMeasure) -> Measure:
    if not known.measure:
        raise MeasureError(f"{known.name} is a line that trec_eval prints, and not a measure")
    if known.each:
        raise _several(known, known.defaults)
    there = Measure(*known.base)
    here = Measure(page(known.name).name) if is_known(known.name) else there
    if here != there:
        raise MeasureError(f"{known.name!r} is {there} in trec_eval and {here} here; write which")
    return here


def _several(known: TrecMeasure, values: Sequence[float]) -> MeasureError:
    names = [known.member_name(value) for value in values]
    shown = ", ".join(names[:3]) + ", …" * (len(names) > 3)
    return MeasureError(f"{known.name!r} is {len(names)} measures here: write each by itself, {shown}")
