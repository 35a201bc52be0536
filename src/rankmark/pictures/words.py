"""How measures, numbers and intervals are written in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import higher_is
from rankmark.rendering.words import chance, counted, rounded

if TYPE_CHECKING:
    from rankmark.comparing.comparison import Comparison
    from rankmark.comparing.predictions import PredictionComparison

__all__ = ["axis_of", "between", "difference_words", "of_value", "p_words", "queries"]


def axis_of(measure: Measure, text: str = "") -> str:
    """What stands at an axis of a measure: `text` or its name, and what is better."""
    better = higher_is(measure)
    return (text or measure.label) + f" ({better})" * bool(better)


def of_value(value: float, interval: Sequence[float] = (), form: str = ".4f") -> str:
    """A value and, if there is one, its interval."""
    return " ".join(filter(None, (_number(value, form), between(interval, form))))


def difference_words(difference: float, interval: Sequence[float]) -> str:
    """A difference and, if there is one, its interval, with their signs."""
    return of_value(difference, interval, "+.4f")


def between(interval: Sequence[float], form: str = "+.4f") -> str:
    """An interval; empty where there is none."""
    ends = [_number(each, form) for each in interval]
    return f"[{', '.join(ends)}]" if all(ends) and ends else ""


def p_words(p: float, comparison: Comparison | PredictionComparison) -> str:
    """A p-value of a comparison, and how it is corrected; empty where there is none."""
    shown = chance(p, 4)
    if not shown:
        return ""
    correction = comparison.plan.correction
    corrected = correction != "none" and len(comparison.pairs) > 1
    how = f" ({CORRECTIONS_OF_SYSTEMS[correction].title})" * corrected
    return f"p {shown.replace('<', '< ') if '<' in shown else f'= {shown}'}{how}"


def queries(count: int) -> str:
    """So many queries."""
    return counted(count, "query", "queries")


def _number(value: float, form: str) -> str:
    return rounded(value, form).replace("-", "−")
