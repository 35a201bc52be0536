"""Marks as paths: numbers become pixels here, as many as can be seen and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Literal

import numpy as np

from rankmark.figures.marks import (
    Bars,
    Boxes,
    Cells,
    Floats,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Texts,
)
from rankmark.figures.scales import Scale
from rankmark.figures.words import width
from rankmark.rendering.words import printable

__all__ = ["Canvas", "drawn"]

MOST_TOLD = 400
"""Marks up to which each tells its numbers when pointed at."""
MOST_POINTS = 1000
"""Points beyond which those at one place are one, the darker the more they are."""
DASHES: Mapping[str, str] = {
    "series-2": "7 3",
    "series-3": "2 2.5",
    "series-4": "9 3 2 3",
    "series-5": "13 4",
    "series-6": "5 2 1 2 1 2",
}
"""Lines differ by more than colour."""
IN_CELLS = (10.5, 9.5, 8.5)
"""Sizes of words in cells, of which the first that all have room in is taken."""
WORDS = 11.5
"""The size of words."""
SIZE = 3.6
"""Pixels from the middle of a point to its edge."""


class Canvas:
    """Parts of a picture in the order in which they cover each other."""

    def __init__(self, colours: Mapping[str, str], *, classes: bool) -> None:
        self.colours, self.classes = colours, classes
        self.parts: list[str] = []

    def filled(self, tone: str) -> str:
        """The attributes of what is filled."""
        of = f' class="f-{tone}"' if self.classes else ""
        return f' fill="{self.colours[tone]}"{of}'

    def stroked(self, tone: str) -> str:
        """The attributes of a line."""
        of = f' class="s-{tone}"' if self.classes else ""
        return f' fill="none" stroke="{self.colours[tone]}"{of}'

    def rectangle(self, x: float, y: float, width: float, height: float, tone: str, more: str = "") -> str:
        """A filled rectangle, which is not drawn yet."""
        corner = f'x="{_n(x)}" y="{_n(y)}"'
        return f'<rect {corner} width="{_n(width)}" height="{_n(height)}"{self.filled(tone)}{more}/>'

    def stroke(self, path: str, tone: str, breadth: float, *, dash: str = "", told: str = "") -> None:
        """A line along a path."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        start = (
            f'<path d="{path}"{self.stroked(tone)} stroke-width="{breadth}"{dashed} stroke-linejoin="round"'
        )
        self.parts.append(f"{start}>{_told(told)}</path>" if told else f"{start}/>")

    def fill(self, path: str, tone: str, *, opacity: float = 1, told: str = "") -> None:
        """What a path encloses."""
        faint = f' fill-opacity="{opacity:.2g}"' if opacity < 1 else ""
        start = f'<path d="{path}"{self.filled(tone)}{faint}'
        self.parts.append(f"{start}>{_told(told)}</path>" if told else f"{start}/>")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        tone: str,
        *,
        anchor: Literal["start", "middle", "end"] = "start",
        size: float | None = None,
        bold: bool = False,
        turned: float = 0,
        full: str = "",
        halo: bool = False,
    ) -> None:
        """Words; `full` is what they are where they are cut."""
        more = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more += f' font-size="{size}"' if size else ""
        more += ' font-weight="600"' if bold else ""
        more += f' transform="rotate({turned} {_n(x)} {_n(y)})"' if turned else ""
        whole = _told(full) if full and full != text else ""
        shown = escape(printable(text))
        if halo:
            of = ' class="s-paper"' if self.classes else ""
            edge = f'stroke="{self.colours["paper"]}" stroke-width="3" stroke-linejoin="round"{of}'
            self.parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{more} {edge} aria-hidden="true">{shown}</text>')
        self.parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{more}{self.filled(tone)}>{whole}{shown}</text>')

    def point(
        self, x: float, y: float, tone: str, *, hollow: bool = False, size: float = 1, told: str = ""
    ) -> None:
        """A point, whose shape tells tones apart as its colour does."""
        path = _shape(tone, x, y, SIZE * size)
        if hollow:
            self.fill(path, "paper")
            self.stroke(path, tone, 1.6, told=told)
        else:
            self.fill(path, tone, told=told)

    def dash(self, tone: str, *, dashed: bool) -> str:
        """The dashes of a line."""
        return "3 4" if dashed else DASHES.get(tone, "")


def drawn(mark: Mark, x: Scale, y: Scale, canvas: Canvas) -> None:
    """Draws a mark between two axes."""
    match mark:
        case Line():
            _line(mark, x, y, canvas)
        case Points():
            _points(mark, x, y, canvas)
        case Bars():
            _bars(mark, x, y, canvas)
        case Boxes():
            _boxes(mark, x, y, canvas)
        case Rule():
            _rule(mark, x, y, canvas)
        case Cells():
            _cells(mark, x, y, canvas)
        case Segments():
            _segments(mark, x, y, canvas)
        case Texts():
            _texts(mark, x, y, canvas)


def _line(mark: Line, x: Scale, y: Scale, canvas: Canvas) -> None:
    across = x(mark.x)
    if mark.low is not None and mark.high is not None:
        for piece in _pieces(across, y(mark.low), y(mark.high)):
            xs, low, high = piece
            there = _path(*_seen(xs, high), step=mark.step)
            back_x, back_y = _seen(xs, low)
            back = _path(back_x[::-1], back_y[::-1], step=mark.step, backwards=True)
            canvas.fill(f"{there}L{back[1:]}Z", mark.tone, opacity=0.16)
    path = "".join(_path(*_seen(xs, ys), step=mark.step) for xs, ys in _pieces(across, y(mark.y)))
    if path:
        breadth = 1.4 if mark.dashed else 2
        canvas.stroke(
            path, mark.tone, breadth, dash=canvas.dash(mark.tone, dashed=mark.dashed), told=mark.name
        )


def _pieces(*columns: Floats) -> Iterator[tuple[Floats, ...]]:
    """What is left of columns between the rows in which one has no number."""
    whole = np.all([np.isfinite(each) for each in columns], axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], whole, [False]]).astype(np.int8)))
    for first, last in edges.reshape(-1, 2):
        yield tuple(each[first:last] for each in columns)


def _seen(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Of each half pixel across, the first, lowest, highest and last point: all that is seen."""
    if len(xs) < 3000 or (((moves := np.diff(xs)) < 0).any() and (moves > 0).any()):
        return xs, ys
    if (moves < 0).any():
        xs, ys = _seen(xs[::-1], ys[::-1])
        return xs[::-1], ys[::-1]
    columns = np.floor(2 * xs).astype(np.int64)
    starts = np.flatnonzero(np.diff(columns, prepend=columns[0] - 1))
    order = np.lexsort((ys, columns))
    ends = np.append(starts[1:], len(xs)) - 1
    kept = np.unique(np.concatenate([starts, order[starts], order[ends], ends]))
    return xs[kept], ys[kept]


def _path(xs: Floats, ys: Floats, *, step: bool = False, backwards: bool = False) -> str:
    """A path through points; steps go across first, and the other way round on the way back."""
    if not step:
        return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in zip(xs, ys, strict=True))
    turns = ("V{y}H{x}" if backwards else "H{x}V{y}").format
    moves = (turns(x=_n(x), y=_n(y)) for x, y in zip(xs[1:], ys[1:], strict=True))
    return f"M{_n(xs[0])} {_n(ys[0])}" + "".join(moves)


def _points(mark: Points, x: Scale, y: Scale, canvas: Canvas) -> None:
    xs, ys = x(mark.x), y(mark.y)
    if len(xs) > MOST_POINTS:
        _cloud(xs, ys, mark.tone, canvas)
        return
    if mark.left is not None and mark.right is not None:
        _whiskers(x(mark.left), ys, x(mark.right), ys, mark.tone, canvas)
    if mark.low is not None and mark.high is not None:
        _whiskers(xs, y(mark.low), xs, y(mark.high), mark.tone, canvas)
    told = _sayings(mark, len(xs))
    sizes = np.ones(len(xs)) if mark.sizes is None else mark.sizes
    there = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys)).tolist()
    if len(xs) > MOST_TOLD and not mark.hollow:
        # One path: a page of a report has room for it.
        path = "".join(_shape(mark.tone, xs[i], ys[i], SIZE * float(sizes[i])) for i in there)
        canvas.fill(path, mark.tone)
        return
    for i in there:
        canvas.point(xs[i], ys[i], mark.tone, hollow=mark.hollow, size=float(sizes[i]), told=told[i])


def _cloud(xs: Floats, ys: Floats, tone: str, canvas: Canvas) -> None:
    """So many points that each place of three pixels is one, the darker the more points it has."""
    there = np.isfinite(xs) & np.isfinite(ys)
    places, counts = np.unique(
        np.stack([np.round(xs[there] / 3), np.round(ys[there] / 3)]), axis=1, return_counts=True
    )
    levels = np.clip(np.ceil(np.log2(counts + 1)), 1, 6).astype(np.int64)
    for level in np.unique(levels):
        of = places[:, levels == level] * 3
        path = "".join(f"M{_n(a - 1.5)} {_n(b - 1.5)}h3v3h-3Z" for a, b in of.T)
        canvas.fill(path, tone, opacity=0.15 + 0.85 * level / 6)


def _whiskers(x: Floats, y: Floats, to_x: Floats, to_y: Floats, tone: str, canvas: Canvas) -> None:
    """Intervals, all in one path."""
    there = np.isfinite(np.stack([x, y, to_x, to_y])).all(axis=0)
    ends = zip(*(each[there] for each in (x, y, to_x, to_y)), strict=True)
    if path := "".join(f"M{_n(a)} {_n(b)}L{_n(c)} {_n(d)}" for a, b, c, d in ends):
        canvas.stroke(path, tone, 1.6)


def _bars(mark: Bars, x: Scale, y: Scale, canvas: Canvas) -> None:
    upright = mark.along == "x"
    places, lengths = (x, y) if upright else (y, x)
    base = np.broadcast_to(np.asarray(mark.base, np.float64), mark.value.shape)
    start, end, value, root = places(mark.start), places(mark.end), lengths(mark.value), lengths(base)
    if len(value) > MOST_TOLD:
        _silhouette(start, end, value, root, mark.tone, canvas, upright=upright)
        return
    told = _sayings(mark, len(value))
    for i in np.flatnonzero(np.isfinite(np.stack([start, end, value, root])).all(axis=0)).tolist():
        breadth, length = abs(end[i] - start[i]), abs(value[i] - root[i])
        # Between neighbours a little paper is left where there is room.
        gap = min(1.0, breadth * 0.15)
        at, low = min(start[i], end[i]) + gap / 2, min(value[i], root[i])
        box = (at, low, breadth - gap, length) if upright else (low, at, length, breadth - gap)
        more = canvas.rectangle(*box, mark.tone)
        canvas.parts.append(f"{more[:-2]}>{_told(told[i])}</rect>")


def _silhouette(
    start: Floats, end: Floats, value: Floats, root: Floats, tone: str, canvas: Canvas, *, upright: bool
) -> None:
    """So many bars that only the longest of each half pixel, either way, can be seen."""
    there = np.isfinite(np.stack([start, end, value, root])).all(axis=0)
    start, end, value, root = (each[there] for each in (start, end, value, root))
    first, last = np.minimum(start, end), np.maximum(start, end)
    columns, inverse = np.unique(np.floor(2 * first).astype(np.int64), return_inverse=True)
    low, high, until = np.full(len(columns), np.inf), *np.full((2, len(columns)), -np.inf)
    np.minimum.at(low, inverse, np.minimum(value, root))
    np.maximum.at(high, inverse, np.maximum(value, root))
    np.maximum.at(until, inverse, np.maximum(last, columns[inverse] / 2 + 0.5))
    at = columns / 2
    # Bars that touch are one shape, or seams between them would be seen.
    breaks = np.flatnonzero(at[1:] > until[:-1] + 0.5) + 1
    for each in np.split(np.arange(len(at)), breaks):
        edges = np.repeat(np.append(at[each], until[each[-1]]), 2)[1:-1]
        along = np.concatenate([edges, edges[::-1]])
        across = np.concatenate([np.repeat(high[each], 2), np.repeat(low[each], 2)[::-1]])
        canvas.fill(f"{_path(along, across) if upright else _path(across, along)}Z", tone)


def _boxes(mark: Boxes, x: Scale, y: Scale, canvas: Canvas) -> None:
    upright = mark.along == "x"
    places, lengths = (x, y) if upright else (y, x)
    half = min(abs(float(places(1.0) - places(0.0))) * 0.3, 9.0)
    at = places(mark.at)
    five = [lengths(each) for each in (mark.low, mark.first, mark.middle, mark.third, mark.high)]
    told = _sayings(mark, len(at))
    for i in np.flatnonzero(np.isfinite(np.stack([at, *five])).all(axis=0)).tolist():
        low, first, middle, third, high = (float(each[i]) for each in five)
        a, b = at[i] - half, at[i] + half
        turn = "{1} {0}" if upright else "{0} {1}"
        whiskers = "".join(
            f"M{turn.format(_n(p), _n(at[i]))}L{turn.format(_n(q), _n(at[i]))}"
            for p, q in ((low, first), (third, high))
        )
        corners = ((first, a), (third, a), (third, b), (first, b))
        box = "M" + "L".join(turn.format(_n(p), _n(q)) for p, q in corners) + "Z"
        canvas.stroke(whiskers, mark.tone, 1.4)
        canvas.fill(box, "paper")
        canvas.fill(box, mark.tone, opacity=0.2, told=told[i])
        canvas.stroke(box, mark.tone, 1.4)
        line = f"M{turn.format(_n(middle), _n(a))}L{turn.format(_n(middle), _n(b))}"
        canvas.stroke(line, mark.tone, 2.4)


def _rule(mark: Rule, x: Scale, y: Scale, canvas: Canvas) -> None:
    if not np.isfinite([each for each in (mark.x, mark.y) if each is not None]).all():
        return
    dash = "4 3" if mark.dashed else ""
    band = [np.nan if each is None else each for each in (mark.low, mark.high)]
    if mark.x is not None:
        at, end = float(x(mark.x)), min(y.first, y.last)
        if np.isfinite(band).all():
            low, high = (_n(float(x(each))) for each in band)
            canvas.fill(f"M{low} {_n(y.first)}H{high}V{_n(y.last)}H{low}Z", mark.tone, opacity=0.16)
        canvas.stroke(f"M{_n(at)} {_n(y.first)}V{_n(y.last)}", mark.tone, 1.1, dash=dash)
        if mark.text:
            beyond = at + 4 + width(mark.text, WORDS) > max(x.first, x.last)
            where = at - 4 if beyond else at + 4
            anchor: Literal["start", "end"] = "end" if beyond else "start"
            canvas.text(where, end + 10, mark.text, mark.tone, anchor=anchor, halo=True)
    elif mark.y is not None:
        at = float(y(mark.y))
        if np.isfinite(band).all():
            low, high = (_n(float(y(each))) for each in band)
            canvas.fill(f"M{_n(x.first)} {low}V{high}H{_n(x.last)}V{low}Z", mark.tone, opacity=0.16)
        canvas.stroke(f"M{_n(x.first)} {_n(at)}H{_n(x.last)}", mark.tone, 1.1, dash=dash)
        if mark.text:
            canvas.text(x.last - 4, at - 4, mark.text, mark.tone, anchor="end", halo=True)
    else:
        ends = np.array([max(x.low, y.low), min(x.high, y.high)])
        (a, b), (c, d) = x(ends), y(ends)
        canvas.stroke(f"M{_n(a)} {_n(c)}L{_n(b)} {_n(d)}", mark.tone, 1.1, dash=dash)


def _cells(mark: Cells, x: Scale, y: Scale, canvas: Canvas) -> None:
    rows, columns = mark.values.shape
    breadth, height = abs(float(x(1.0) - x(0.0))), abs(float(y(1.0) - y(0.0)))
    size = _size_of_texts(mark, breadth)
    for row in range(rows):
        for column in range(columns):
            value = float(mark.values[row, column])
            if np.isnan(value):
                continue
            tone, strength = _shaded(mark, value)
            left, top = float(x(column)) - breadth / 2, float(y(row)) - height / 2
            names = [axis.axis.names[i] for axis, i in ((y, row), (x, column)) if i < len(axis.axis.names)]
            told = _told(" · ".join([*names, f"{value:.4g}"]))
            more = f' fill-opacity="{0.75 * strength:.3g}"'
            box = canvas.rectangle(left + 0.75, top + 0.75, breadth - 1.5, height - 1.5, tone, more)
            canvas.parts.append(f"{box[:-2]}>{told}</rect>")
            if size:
                middle = left + breadth / 2, top + height / 2 + 0.38 * size
                canvas.text(*middle, mark.texts[row][column], "ink", anchor="middle", size=size)


def _size_of_texts(mark: Cells, breadth: float) -> float:
    """The size in which every text has room in its cell; 0 where it has not in any, and none is shown.

    A cell without its text between others that have theirs would seem to be empty.
    """
    texts = [text for row in mark.texts for text in row]
    fitting = (each for each in IN_CELLS if all(width(text, each) < breadth - 3 for text in texts))
    return next(fitting, 0.0) if texts else 0.0


def _shaded(mark: Cells, value: float) -> tuple[str, float]:
    """The tone of a value in a matrix, and how much of it."""
    share = min(max((value - mark.low) / (mark.high - mark.low), 0.0), 1.0) if mark.high > mark.low else 0.5
    if not mark.diverging:
        return mark.tone, share
    return ("series-1" if share >= 0.5 else "series-2"), abs(2 * share - 1)


def _segments(mark: Segments, x: Scale, y: Scale, canvas: Canvas) -> None:
    ends = [x(mark.x), y(mark.y), x(mark.to_x), y(mark.to_y)]
    told = _sayings(mark, len(mark.x))
    for i in np.flatnonzero(np.isfinite(np.stack(ends)).all(axis=0)).tolist():
        a, b, c, d = (_n(each[i]) for each in ends)
        canvas.stroke(f"M{a} {b}L{c} {d}", mark.tone, 5 if mark.thick else 1.4, told=told[i])


def _texts(mark: Texts, x: Scale, y: Scale, canvas: Canvas) -> None:
    across, down = mark.shift
    for a, b, text in zip(x(mark.x), y(mark.y), mark.texts, strict=True):
        if text and np.isfinite([a, b]).all():
            canvas.text(a + across, b + down, text, mark.tone, anchor=mark.anchor, halo=True)


CORNERS: Mapping[str, Sequence[tuple[float, float]]] = {
    "series-2": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "series-3": ((0, -1.15), (1.1, 0.8), (-1.1, 0.8)),
    "series-4": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "series-5": ((0, 1.15), (1.1, -0.8), (-1.1, -0.8)),
    "series-6": (
        (-1.2, -0.6),
        (-0.6, -1.2),
        (0, -0.6),
        (0.6, -1.2),
        (1.2, -0.6),
        (0.6, 0),
        (1.2, 0.6),
        (0.6, 1.2),
        (0, 0.6),
        (-0.6, 1.2),
        (-1.2, 0.6),
        (-0.6, 0),
    ),
}
"""What points of these tones are instead of discs: squares, triangles, diamonds, crosses."""


def _shape(tone: str, x: float, y: float, r: float) -> str:
    """The path of a point."""
    if corners := CORNERS.get(tone):
        return "M" + "L".join(f"{_n(x + r * a)} {_n(y + r * b)}" for a, b in corners) + "Z"
    r = round(r, 1)  # or its two halves would not meet
    disc, across = _n(r), _n(2 * r)
    return f"M{_n(x - r)} {_n(y)}a{disc} {disc} 0 1 0 {across} 0a{disc} {disc} 0 1 0 -{across} 0Z"


def _sayings(mark: Mark, count: int) -> Sequence[str]:
    """What each of so many says when pointed at; nothing of too many."""
    if count > MOST_TOLD:
        return [""] * count
    columns = list(mark.columns())
    return [
        " · ".join([mark.name] * bool(mark.name) + [_said(name, values[i]) for name, values in columns])
        for i in range(count)
    ]


def _said(name: str, value: object) -> str:
    return value if isinstance(value, str) else f"{name} {float(value):.4g}"  # type: ignore[arg-type]


def _told(text: str) -> str:
    return f"<title>{escape(printable(text))}</title>" if text else ""


def _n(value: float) -> str:
    """A number of pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")
