"""Figures as Vega-Lite and as charts of Altair, for those who restyle them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.figures.marks import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Texts,
)
from rankmark.figures.scales import scale_of
from rankmark.rendering.theme import LIGHT
from rankmark.tools import tool

if TYPE_CHECKING:
    import altair

    from rankmark.figures.figure import Figure, Panel

__all__ = ["chart", "specification"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
Spec = dict[str, Any]


def chart(figure: Figure) -> altair.Chart:
    """A figure as a chart of Altair.

    Raises:
        ToolMissingError: Altair is not installed.

    """
    found: altair.Chart = tool("altair", "altair").Chart.from_dict(specification(figure))
    return found


def specification(figure: Figure) -> Spec:
    """A figure as a specification with its data in it."""
    panels = [_panel(panel) for panel in figure.panels]
    body = panels[0] if len(panels) == 1 else {"concat": panels, "columns": figure.columns}
    title = {"text": figure.title, "subtitle": figure.subtitle, "anchor": "start"}
    return {"$schema": SCHEMA, "title": title, "description": figure.description, **body}


def _panel(panel: Panel) -> Spec:
    layers = [layer for mark in panel.marks for layer in _layers(mark, panel)]
    titled = {"title": panel.title} if panel.title else {}
    return {**titled, "width": 480, "layer": layers}


def _layers(mark: Mark, panel: Panel) -> Iterator[Spec]:
    """What a mark is in Vega-Lite: one layer, or two with its intervals."""
    x, y = _channel(panel.x, "x"), _channel(panel.y, "y")
    match mark:
        case Line():
            how = {"interpolate": "step-after"} if mark.step else {}
            if mark.low is not None:
                shape = {"type": "area", "opacity": 0.16, **how}
                yield _layer(mark, panel, shape, x=x, y=_channel(panel.y, "low"), y2={"field": "high"})
            dash = {"strokeDash": [3, 4]} if mark.dashed else {}
            yield _layer(mark, panel, {"type": "line", **how, **dash}, x=x, y=y, order={"field": "row"})
        case Points():
            if mark.left is not None:
                yield _layer(
                    mark, panel, {"type": "rule"}, x=_channel(panel.x, "left"), x2={"field": "right"}, y=y
                )
            if mark.low is not None:
                yield _layer(
                    mark, panel, {"type": "rule"}, x=x, y=_channel(panel.y, "low"), y2={"field": "high"}
                )
            yield _layer(mark, panel, {"type": "point", "filled": not mark.hollow}, x=x, y=y)
        case Bars(along="x"):
            ends = {"x": _channel(panel.x, "start"), "x2": {"field": "end"}}
            yield _layer(
                mark, panel, {"type": "bar"}, **ends, y=_channel(panel.y, "value"), y2={"field": "base"}
            )
        case Bars():
            ends = {"y": _channel(panel.y, "start"), "y2": {"field": "end"}}
            yield _layer(
                mark, panel, {"type": "bar"}, **ends, x=_channel(panel.x, "value"), x2={"field": "base"}
            )
        case Boxes():
            yield from _boxes(mark, panel)
        case Rule(x=None, y=None):
            shape = {"type": "line", "strokeDash": [4, 3], "color": LIGHT[mark.tone]}
            points = [{"x": end, "y": end} for end in _diagonal(panel)]
            yield {"data": {"values": points}, "mark": shape, "encoding": {"x": x, "y": y}}
        case Rule():
            ends = {"x": x} if mark.x is not None else {"y": y}
            dash = {"strokeDash": [4, 3]} if mark.dashed else {}
            row = {"x": mark.x, "y": mark.y}
            shape = {"type": "rule", **dash, "color": LIGHT[mark.tone]}
            yield {"data": {"values": [row]}, "mark": shape, "encoding": ends}
        case Cells():
            colour = {"field": "value", "type": "quantitative", "scale": {"domain": [mark.low, mark.high]}}
            yield _layer(mark, panel, {"type": "rect"}, x=x, y=y, color=colour)
        case Segments():
            breadth = {"strokeWidth": 5 if mark.thick else 1.4}
            far = {"x2": {"field": "to_x"}, "y2": {"field": "to_y"}}
            yield _layer(mark, panel, {"type": "rule", **breadth}, x=x, y=y, **far)
        case Texts():
            rows = [
                {"x": _value(panel.x, a), "y": _value(panel.y, b), "text": text}
                for a, b, text in zip(mark.x, mark.y, mark.texts, strict=True)
            ]
            align = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
            shape = {"type": "text", "align": align}
            yield {
                "data": {"values": rows},
                "mark": shape,
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            }


def _diagonal(panel: Panel) -> tuple[float, float]:
    """Between which numbers both axes are equal."""
    numbers = [mark.reached() for mark in panel.marks]
    scales = [
        scale_of(axis, [each for both in numbers for each in both[i]], 0.0, 1.0)
        for i, axis in enumerate((panel.x, panel.y))
    ]
    return max(each.low for each in scales), min(each.high for each in scales)


def _boxes(mark: Boxes, panel: Panel) -> Iterator[Spec]:
    where, how = ("x", "y") if mark.along == "x" else ("y", "x")
    axis, other = (panel.x, panel.y) if mark.along == "x" else (panel.y, panel.x)
    at = _channel(axis, "at")
    for shape, low, high in (
        ({"type": "rule"}, "low", "high"),
        ({"type": "bar", "size": 14}, "first", "third"),
    ):
        ends = {how: _channel(other, low), f"{how}2": {"field": high}}
        yield _layer(mark, panel, {**shape, "opacity": 0.5}, **{where: at}, **ends)
    yield _layer(mark, panel, {"type": "tick", "thickness": 2}, **{where: at, how: _channel(other, "middle")})


def _layer(mark: Mark, panel: Panel, shape: Spec, **encoding: Spec) -> Spec:
    coloured = {} if "color" in encoding else {"color": LIGHT[mark.tone]}
    hints = [{"field": name} for name, _ in mark.columns()]
    return {
        "data": {"values": list(_rows(mark, panel))},
        "mark": {**shape, **coloured, "tooltip": True},
        "encoding": {**encoding, "tooltip": hints} if hints else encoding,
    }


def _rows(mark: Mark, panel: Panel) -> Iterator[Spec]:
    """A mark's data, a row each; places on axes of names are these names."""
    columns = list(mark.columns())
    axes = {"x": panel.x, "y": panel.y, "to_x": panel.x, "to_y": panel.y}
    if isinstance(mark, Boxes):
        axes["at"] = panel.x if mark.along == "x" else panel.y
    same: Spec = {}
    if isinstance(mark, Bars) and not isinstance(mark.base, np.ndarray):
        same["base"] = mark.base
    if mark.name:
        # Data sets of Vega have names that are theirs alone, and several marks can be called alike.
        same["mark"] = mark.name
    for i in range(len(columns[0][1]) if columns else 0):
        cells = {name: _value(axes.get(name), values[i]) for name, values in columns}
        yield {"row": i, **same, **cells}


def _value(axis: Axis | None, value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(value)
    if axis is not None and axis.names and number.is_integer() and 0 <= number < len(axis.names):
        return axis.names[int(number)]
    return number if np.isfinite(number) else None


def _channel(axis: Axis, field: str) -> Spec:
    """How an axis shows a column."""
    if axis.scale == "names" and field in ("x", "y", "at"):
        # A domain, since layers of several data forget how their names are sorted.
        named = {"domain": list(dict.fromkeys(axis.names))}
        return {"field": field, "type": "nominal", "title": axis.label or None, "scale": named, "sort": None}
    how: Spec = {"zero": False} | ({"type": "log"} if axis.scale == "log" else {})
    if axis.limits and axis.scale != "names":
        how["domain"] = list(axis.limits)
    shown: Spec = {"format": "%"} if axis.ticks == "percent" else {}
    if axis.ticks == "none":
        shown = {"labels": False, "ticks": False}
    return {"field": field, "type": "quantitative", "title": axis.label or None, "scale": how, "axis": shown}
