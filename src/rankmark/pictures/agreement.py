"""How far measures, or runs, agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.agreement import Agreement, SystemAgreement
from rankmark.errors import PictureError, did_you_mean
from rankmark.figures import Axis, Boxes, Cells, Figure, Mark, Panel, Points, picture
from rankmark.figures.marks import Floats
from rankmark.language.coefficient import coefficients_of
from rankmark.pictures.distribution import BOX_WORDS, five_numbers
from rankmark.pictures.words import of_value, queries
from rankmark.rendering.words import counted

__all__ = ["agreement", "coefficients"]

MOST_BESIDE = 5
"""Ways to order systems, up to which two matrices stand beside each other."""
TOLD = 12
"""Pairs of which the description has the numbers."""


@picture("agreement", SystemAgreement, place=10)
def agreement(shown: SystemAgreement, *, coefficient: str | None = None) -> Figure:
    """How far measures, or sets of judgements, agree in how they order systems: a matrix.

    Args:
        shown: of ``rm.agree_on_systems``.
        coefficient: one of those computed; else all.

    Raises:
        PictureError: it was not computed.

    """
    computed = shown.rows.columns[2:]
    if coefficient not in (None, *computed):
        hint = did_you_mean(str(coefficient), computed)
        raise PictureError(f"{coefficient} was not computed; here are {', '.join(computed)}{hint}")
    ways = shown.systems.columns[1:]
    asked = computed if coefficient is None else [coefficient]
    return Figure(
        title=f"How far {len(ways)} ways to order {counted(shown.systems.height, 'system')} agree",
        subtitle=_alike(asked, "two ways order the systems alike"),
        description=" ".join(_told(shown, name) for name in asked),
        panels=tuple(_matrix(shown, ways, name, titled=len(asked) > 1) for name in asked),
        columns=2 if len(asked) > 1 and len(ways) <= MOST_BESIDE else 1,
        notes=tuple(_notes(shown, asked)),
    )


def _matrix(shown: SystemAgreement, ways: Sequence[str], name: str, *, titled: bool) -> Panel:
    """Each way against each that was named later."""
    values = np.full((len(ways) - 1, len(ways) - 1), np.nan)
    place = {way: i for i, way in enumerate(ways)}
    for a, b, value in shown.rows.select("a", "b", name).iter_rows():
        values[place[a], place[b] - 1] = np.nan if value is None else value
    texts = tuple(
        tuple("" if np.isnan(value) else f"{value:.2f}".replace("-", "−") for value in row) for row in values
    )
    least, most = coefficients_of(name)[0].page.bounds
    low, high = least or 0.0, most or 1.0
    return Panel(
        title=name if titled else "",
        x=Axis(scale="names", names=tuple(ways[1:])),
        y=Axis(scale="names", names=tuple(ways[:-1])),
        marks=(
            Cells(
                values=values,
                texts=texts,
                low=low,
                high=high,
                diverging=low < 0,
                name=name,
            ),
        ),
    )


def _told(shown: SystemAgreement, name: str) -> str:
    pairs = [
        f"{a} and {b} {of_value(value) or 'not defined'}"
        for a, b, value in shown.rows.select("a", "b", name).iter_rows()
    ]
    return f"{name}: {'; '.join(pairs[:TOLD])}{'; …' * (len(pairs) > TOLD)}."


def _notes(shown: SystemAgreement, asked: Sequence[str]) -> Iterator[str]:
    if "TauAP" in asked:
        yield "TauAP: the way at the left is the reference"
    if shown.systems.height < FEW:
        systems = counted(shown.systems.height, "system")
        yield f"{systems} have few orders: agreement of so few says little"


def _alike(names: Sequence[str], what: str) -> str:
    """Which value of coefficients says that something is alike."""
    distances = [name for name in names if coefficients_of(name)[0].name in DISTANCES]
    others = [name for name in names if name not in distances]
    said = ((f"{', '.join(own)}: {best} where {what}", own) for best, own in ((1, others), (0, distances)))
    return "; ".join(words for words, own in said if own)


DISTANCES = frozenset({"Footrule", "KendallDistance"})
"""Coefficients that are 0 where others are 1."""
FEW = 10
"""Systems of which a coefficient jumps far by one that changes places."""


@picture("coefficients", Agreement, place=10)
def coefficients(shown: Agreement) -> Figure:
    """How far two runs agree over queries: a box a coefficient, and its mean.

    Args:
        shown: of ``rm.agree``.

    """
    names = list(shown.values)
    of = {name: values[np.isfinite(values)] for name in names for values in [shown.query_values(name)]}
    one, other = shown._names
    return Figure(
        title=f"How far {one} and {other} agree, query by query",
        subtitle=f"{queries(len(shown.query_ids))} in both; {_alike(names, 'both lists are alike')}",
        description=" ".join(
            f"{name}: mean {of_value(shown.values[name])} over {queries(len(of[name]))}." for name in names
        ),
        panels=(
            Panel(
                x=Axis(label="value of a query", reach=(0.0, 1.0)),
                y=Axis(
                    scale="names",
                    names=tuple(names),
                    asides=tuple(of_value(shown.values[name]) for name in names),
                ),
                marks=tuple(_boxes(shown, names, [of[name] for name in names])),
            ),
        ),
        notes=("beside each coefficient: its mean", BOX_WORDS),
    )


def _boxes(shown: Agreement, names: Sequence[str], of: Sequence[Floats]) -> Iterator[Mark]:
    low, first, middle, third, high = five_numbers(of)
    places = np.arange(float(len(names)))
    yield Boxes(at=places, low=low, first=first, middle=middle, third=third, high=high, labels=tuple(names))
    yield Points(x=np.array([shown.values[name] for name in names]), y=places, name="mean", tone="ink")
