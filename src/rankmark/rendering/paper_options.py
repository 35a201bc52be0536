"""What formats for papers take."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from rankmark.errors import ChoiceError, UsageError, did_you_mean
from rankmark.rendering.words import brief

__all__ = ["OF_PAPERS", "PaperOptions", "Spread", "check_options"]

Spread: TypeAlias = Literal["none", "seeds", "interval", "plus-minus"]
SPREADS: tuple[Spread, ...] = get_args(Spread)


class PaperOptions(TypedDict, total=False):
    """What formats for papers take.

    Attributes:
        caption: what the table shows, instead of what it says by itself; what marks mean follows it.
        label: by which it is referred to.
        percent: whether values from 0 to 1 are given times 100.
        spread: what stands beside the values: ``seeds``, ± their standard deviation over seeds; ``interval``,
            [low, high]; ``plus-minus``, ± from the value to the ends of the interval; or ``none``. Without it
            seeds where there are several, and intervals where they were asked for when evaluating.
        transpose: whether rows and columns change places, so that there is a row a measure.

    """

    caption: str | None
    label: str | None
    percent: bool
    spread: Spread | None
    transpose: bool


OF_PAPERS: tuple[str, ...] = tuple(PaperOptions.__annotations__)


def check_options(*, label: str | None = None, spread: str | None = None, **_: Any) -> None:
    """Refuses what no table can have.

    Raises:
        UsageError: a label that is none.
        ChoiceError: no such spread.

    """
    if label is not None and not re.fullmatch(r"\w[\w:.-]*", label, re.ASCII):
        raise UsageError(f"the label {brief(label)} is not of letters, digits, _, -, : and . alone")
    if spread is not None and spread not in SPREADS:
        hint = did_you_mean(str(spread), SPREADS)
        raise ChoiceError(f"spread={brief(spread)} is not one of {', '.join(SPREADS)}{hint}")
