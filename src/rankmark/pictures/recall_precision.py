"""Precision at each level of recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Panel, picture
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import System, some_of, systems_of
from rankmark.pictures.cutoffs import bands_notes, bands_words, curves, is_banded
from rankmark.pictures.words import of_value
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

__all__ = ["recall_precision"]

FEWEST = 3
"""Levels of recall that make a curve."""


@picture("recall-precision", ListResult, Runs, Comparison, place=60)
def recall_precision(
    shown: ListResult | Runs | Comparison,
    *,
    systems: str | Iterable[str] | None = None,
    bands: bool | None = None,
) -> Figure:
    """Interpolated precision against recall, a curve a system, with bands of their intervals.

    Args:
        shown: results that hold IPrec at several levels, as trec_eval's ``iprec_at_recall``.
        systems: one or several; else all.
        bands: whether intervals are drawn; else of up to four systems.

    Raises:
        PictureError: they hold fewer than three levels.

    """
    of: dict[str, list[Measure]] = {}
    for each in some_of(shown, None):
        if each.name == "IPrec" and isinstance(each.arguments["recall"], int | float):
            others = {name: value for name, value in each.given.items() if name != "recall"}
            of.setdefault(str(Measure.of(each.page, others, each.cutoff)), []).append(each)
    found = {name: sorted(own, key=_level) for name, own in of.items() if len(own) >= FEWEST}
    if not found:
        raise PictureError(
            "there is no precision at levels of recall; evaluate three or more, such as "
            '"IPrec(recall=0)", "IPrec(recall=0.1)" and so on to "IPrec(recall=1)"'
        )
    own = systems_of(shown, systems)
    banded = is_banded(own, bands)
    return Figure(
        title="Precision at levels of recall",
        subtitle=bands_words(shown, banded=banded),
        description=" ".join(_told(measures, own) for measures in found.values()),
        panels=tuple(
            Panel(
                title=name if len(found) > 1 else "",
                x=Axis(label="recall", reach=(0.0, 1.0)),
                y=Axis(label="interpolated precision, the mean over queries", reach=(0.0, 1.0)),
                marks=tuple(
                    curves(np.array([_level(each) for each in measures]), measures, own, name, banded=banded)
                ),
            )
            for name, measures in found.items()
        ),
        notes=(
            "interpolated: the best precision from a level of recall on, so that curves never rise",
            *bands_notes(shown, own, banded=banded),
        ),
        legend=len(own) > 1,
    )


def _level(measure: Measure) -> float:
    return float(measure.arguments["recall"])


def _told(measures: Sequence[Measure], systems: Sequence[System]) -> str:
    """What each system has at all levels."""
    each = (
        f"{system.name + ': ' * bool(system.name)}"
        + ", ".join(f"{of_value(system.value(measure))} at {_level(measure):g}" for measure in measures)
        for system in systems
    )
    return "; ".join(each) + "."
