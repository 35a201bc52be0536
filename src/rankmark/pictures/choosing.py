"""Which of what a result holds a picture shows: what was asked for, or the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.errors import PictureError
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    from rankmark.comparing.comparison import Comparison
    from rankmark.comparing.pairs import Pair

__all__ = ["higher_is", "pair_of"]


def pair_of(
    comparison: Comparison, measure: str | Measure | None, system: str | None, baseline: str | None
) -> Pair:
    """The pair of a measure, a system and a baseline that are asked for: the first that has what is."""
    wanted = None if measure is None else comparison._find(measure)
    for each in comparison.pairs:
        if (
            wanted in (None, each.measure)
            and system in (None, each.system)
            and baseline in (None, each.baseline)
        ):
            return each
    asked = [f"system={system!r}"] * (system is not None) + [f"baseline={baseline!r}"] * (
        baseline is not None
    )
    known = ", ".join(dict.fromkeys(f"{each.system} − {each.baseline}" for each in comparison.pairs))
    raise PictureError(f"{' and '.join(asked)}: no such pair was compared; there is {known}")


def higher_is(measure: Measure) -> str:
    """What higher values are, for an axis."""
    return {"more": "higher is better", "less": "lower is better"}.get(measure.page.better, "")
