"""The arithmetic of one query: what each rank contributes, and what moved between two lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.comparing.pairs import direction
from rankmark.errors import PictureError
from rankmark.explaining.explanation import ExplainedDifference, Explanation
from rankmark.figures import Axis, Bars, Figure, Mark, Panel, Points, Segments, Texts, picture
from rankmark.pictures.words import of_value
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.figures.marks import Floats

    Row = Mapping[str, Any]

__all__ = ["contributions", "moves"]

HALF = 0.34
"""Half of a bar's breadth, of the room of a name."""
STUB = 0.12
"""How long a line is that leads nowhere, of the way between the lists."""
LONGEST = 16
"""Characters of an item that stand beside a point."""


@picture("contributions", Explanation, place=10)
def contributions(explanation: Explanation, *, count: int = 25) -> Figure:
    """What each item of a query's list contributes to its value, beside the best list that there could be.

    Args:
        explanation: of ``rm.explain``.
        count: how many items of each list are shown at most; those that contribute most.

    Raises:
        PictureError: the query has no value, or its list no items.

    """
    if explanation.value is None:
        raise PictureError(
            f"query {explanation.query!r} is left out of the mean, so nothing contributes to it"
        )
    if not explanation.rows.height:
        raise PictureError(f"the list of query {explanation.query!r} has no items")
    shown = _most(explanation.rows, "contribution", count)
    ideal = explanation.ideal.head(count)
    measure = explanation.measure
    listed = [each["contribution"] or 0.0 for each in shown]
    retrieved = int(explanation.rows["grade"].is_not_null().sum())
    panels = [
        Panel(
            title="The list",
            x=Axis(label=f"contribution to {measure.label}", reach=(0.0,)),
            y=Axis(
                scale="names",
                names=tuple(f"{each['rank']}. {each['item']}" for each in shown),
                asides=tuple(map(_told, shown)),
            ),
            marks=tuple(_bars(listed, [str(each["item"]) for each in shown], "contribution")),
        )
    ]
    if ideal.height:
        panels.append(
            Panel(
                title="All judged items, best first",
                x=Axis(label="grade", reach=(0.0,)),
                y=Axis(
                    scale="names",
                    names=tuple(f"{rank}. {item}" for rank, item in ideal.select("rank", "item").iter_rows()),
                    asides=tuple(
                        "not in the list" if rank is None else f"at rank {rank}" for rank in ideal["found"]
                    ),
                ),
                marks=tuple(_bars(ideal["grade"].to_list(), list(map(str, ideal["item"])), "grade", "muted")),
            )
        )
    return Figure(
        title=f"{measure.label} of query {explanation.query}: {explanation.value:.4f}",
        subtitle=(
            f"{explanation.run}: {counted(explanation.rows.height, 'item')}, {retrieved:,} of them judged"
        ),
        description="Bars of what items contribute, in rank order. " + _said(explanation, shown),
        panels=tuple(panels),
        notes=explanation.notes,
        legend=False,
    )


def _said(explanation: Explanation, shown: Sequence[Row]) -> str:
    """What items contribute, in words."""
    parts = [
        f"rank {each['rank']}, {each['item']}: {each['contribution']:.4f}"
        for each in shown
        if each["contribution"]
    ]
    if explanation.start:
        parts.append(f"without judged items in the list: {explanation.start:.4f}")
    return f"{'; '.join(parts) or 'none contributes'}."


def _most(rows: pl.DataFrame, column: str, count: int) -> Sequence[Row]:
    """So many rows that count most, and of those that count alike the first, in their order."""
    size = rows[column].fill_null(0.0).abs().to_numpy()
    kept = np.sort(np.argsort(-size, kind="stable")[:count])
    return rows[kept].to_dicts()


def _told(row: Row) -> str:
    """What stands beside an item of the list."""
    if row["grade"] is None:
        return "unjudged"
    tied = f" · ties {row['tied']}" if row["tied"] else ""
    return f"grade {row['grade']:g} · {row['contribution'] or 0:.4f}{tied}"


def _bars(values: Sequence[float], labels: Sequence[str], name: str, tone: str = "series-1") -> list[Mark]:
    places = np.arange(float(len(values)))
    return [
        Bars(
            start=places - HALF,
            end=places + HALF,
            value=np.array(values, np.float64),
            along="y",
            labels=tuple(labels),
            name=name,
            tone=tone,
        )
    ]


@picture("moves", ExplainedDifference, place=10)
def moves(explained: ExplainedDifference, *, count: int = 20) -> Figure:
    """Two lists of a query side by side, with lines from where items were to where they are.

    Args:
        explained: of ``rm.explain`` with two runs.
        count: how many ranks of each list are shown, and items that make the greatest difference.

    Raises:
        PictureError: none of the two lists has an item.

    """
    rows = [each for each in explained.rows.to_dicts() if each["item"] is not None]
    if not rows:
        raise PictureError(f"none of the two lists of query {explained.query!r} has an item")
    first, second = explained.first, explained.second
    sign = direction(explained.measure)
    telling = [each for each in rows if each["difference"]][:count]
    values = _value(first), _value(second)
    by = "" if explained.difference is None else f", {of_value(explained.difference, (), '+.4f')}"
    panels = [_slopes(rows, count, sign, (f"A {values[0]}", f"B {values[1]}"))]
    if telling:
        panels.append(_differences(telling, explained.measure.label, sign))
    return Figure(
        title=f"{explained.measure.label} of query {explained.query}: {values[0]} to {values[1]}{by}",
        subtitle=f"A is {first.run}, B is {second.run}",
        description=(
            f"Two lists with lines between the places of {counted(len(rows), 'item')}. "
            + "; ".join(f"{each['item']}: {_ranks(each)}, {each['difference']:+.4f}" for each in telling)
            + ("." if telling else "No item makes a difference.")
        ),
        panels=tuple(panels),
        notes=(
            "Rings: unjudged. A short line: in the other list the item is further down, or not there.",
            *dict.fromkeys((*first.notes, *second.notes)),
        ),
    )


def _value(explanation: Explanation) -> str:
    return "left out" if explanation.value is None else f"{explanation.value:.4f}"


def _ranks(row: Row) -> str:
    """From which rank to which an item moved."""
    before, after = row["rank_a"], row["rank_b"]
    if before is None:
        return f"new at {after}"
    return f"{before}, and gone" if after is None else f"{before} to {after}"


def _slopes(rows: Sequence[Row], count: int, sign: int, heads: tuple[str, str]) -> Panel:
    """The first ranks of both lists, and lines between them."""
    deepest = min(count, max(rank for each in rows for rank in (each["rank_a"], each["rank_b"]) if rank))
    marks: list[Mark] = []
    for name, tone, effect in (
        ("makes no difference", "muted", 0),
        ("makes B worse", "bad", -1),
        ("makes B better", "good", 1),
    ):
        kept = [each for each in rows if np.sign(each["difference"] * sign) == effect]
        before, after = (_places(kept, column, deepest) for column in ("rank_a", "rank_b"))
        there = np.isfinite(before) | np.isfinite(after)
        if not there.any():
            continue
        kept = [kept[i] for i in np.flatnonzero(there)]
        before, after = before[there], after[there]
        line = Segments(
            x=np.where(np.isnan(before), 1 - STUB, 0.0),
            y=np.where(np.isnan(before), after, before),
            to_x=np.where(np.isnan(after), STUB, 1.0),
            to_y=np.where(np.isnan(after), before, after),
            labels=tuple(f"{each['item']}: {_ranks(each)}" for each in kept),
            name=name,
            tone=tone,
        )
        marks += [line, *_ends(kept, 0.0, before, "end", tone), *_ends(kept, 1.0, after, "start", tone)]
    return Panel(
        title="Ranks",
        x=Axis(scale="names", names=heads, limits=(-0.7, 1.7)),
        y=Axis(scale="names", names=tuple(map(str, range(1, deepest + 1)))),
        marks=tuple(marks),
    )


def _places(rows: Sequence[Row], column: str, deepest: int) -> Floats:
    """Where ranks stand; NaN where there is none, or one further down."""
    ranks = np.array([each[column] or np.nan for each in rows], np.float64)
    return np.where(ranks <= deepest, ranks - 1, np.nan)


def _ends(
    rows: Sequence[Row], x: float, places: Floats, anchor: Literal["start", "end"], tone: str
) -> list[Mark]:
    """Points at one end of lines, hollow where nobody judged the item, and beside them what they are."""
    there = np.isfinite(places)
    judged = np.array([each["grade"] is not None for each in rows])
    points: list[Mark] = [
        Points(x=np.full(int(kept.sum()), x), y=places[kept], tone=tone, hollow=hollow)
        for hollow, kept in ((False, there & judged), (True, there & ~judged))
        if kept.any()
    ]
    shift = (8, 4) if anchor == "start" else (-8, 4)
    texts = tuple(map(_label, rows))
    return [*points, Texts(x=np.full(len(rows), x), y=places, texts=texts, anchor=anchor, shift=shift)]


def _label(row: Row) -> str:
    item = str(row["item"])
    item = item if len(item) <= LONGEST else f"{item[:LONGEST]}…"
    return item if row["grade"] is None else f"{item} ({row['grade']:g})"


def _differences(telling: Sequence[Row], measure: str, sign: int) -> Panel:
    """Bars of what items make of the difference."""
    values = np.array([each["difference"] for each in telling])
    places = np.arange(float(len(telling)))
    marks = [
        Bars(
            start=places[kept] - HALF,
            end=places[kept] + HALF,
            value=values[kept],
            along="y",
            labels=tuple(str(telling[i]["item"]) for i in np.flatnonzero(kept).tolist()),
            tone=tone,
        )
        for tone, kept in (("good", values * sign > 0), ("bad", values * sign < 0))
        if kept.any()
    ]
    return Panel(
        title="What makes the difference",
        x=Axis(label=f"contribution to the difference of {measure}, B − A", reach=(0.0,)),
        y=Axis(
            scale="names",
            names=tuple(str(each["item"]) for each in telling),
            asides=tuple(f"{_ranks(each)} · {each['difference']:+.4f}" for each in telling),
        ),
        marks=tuple(marks),
    )
