"""What the renderer makes of marks: whole and small, whatever the data are."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.figures import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Figure,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Segments,
    Texts,
)
from rankmark.figures.drawing import _seen
from rankmark.figures.words import broken, cut, width

SVG = "{http://www.w3.org/2000/svg}"
MANY = 100_000


def _figure(*marks: Mark, x: Axis | None = None, y: Axis | None = None, title: str = "title") -> Figure:
    panel = Panel(x=x or Axis(label="x"), y=y or Axis(label="y"), marks=marks)
    return Figure(title=title, description="what is seen", panels=(panel,))


def _root(figure: Figure, **how: int) -> ElementTree.Element:
    text = figure.to_svg(theme="light", **how)
    assert not re.search(r'"[^"]*\b(nan|inf)\b[^"]*"', text)
    return ElementTree.fromstring(text)


def _texts(root: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def _paths(root: ElementTree.Element) -> list[str]:
    return [each.attrib["d"] for each in root.iter(f"{SVG}path")]


# --- many -------------------------------------------------------------------------------------------------


def test_more_points_than_can_be_pointed_at_are_one_small_path() -> None:
    places = np.linspace(0.0, 1.0, 1000)
    text = _figure(Points(x=places, y=places**2, sizes=np.full(1000, 0.5))).to_svg()
    assert len(text) < 70_000
    assert max(path.count("Z") for path in _paths(ElementTree.fromstring(text))) == 1000


def _bars(along: str = "x") -> Bars:
    value = np.sort(np.random.default_rng(1).normal(size=MANY))
    at = np.arange(float(MANY))
    return Bars(start=at, end=at + 1, value=value, along=along)  # type: ignore[arg-type] # of a parameter


def _line() -> Line:
    y = np.random.default_rng(1).normal(size=MANY).cumsum()
    return Line(x=np.arange(float(MANY)), y=y, low=y - 1, high=y + 1)


def _points() -> Points:
    x, y = np.random.default_rng(1).normal(size=(2, MANY))
    return Points(x=x, y=y, labels=tuple(map(str, range(MANY))))


def _step() -> Line:
    values = np.sort(np.random.default_rng(1).normal(size=MANY))
    return Line(x=values, y=np.arange(1.0, MANY + 1) / MANY, step=True)


@pytest.mark.parametrize(
    "mark",
    [_bars(), _bars("y"), _line(), _points(), _step()],
    ids=["bars", "lying", "line", "points", "step"],
)
def test_100_000_are_drawn_at_once_and_small(mark: Mark) -> None:
    figure = _figure(mark)
    began = time.process_time()
    text = figure.to_svg()
    assert time.process_time() - began < 1
    assert len(text) < 300_000
    ElementTree.fromstring(text)


@given(st.integers(3000, 6000), st.integers(0, 9))
def test_of_many_points_of_a_line_the_extremes_stay(count: int, seed: int) -> None:
    xs = np.sort(np.random.default_rng(seed).uniform(0, 300, count))
    ys = np.random.default_rng(seed).standard_cauchy(count)
    kept_x, kept_y = _seen(xs, ys)
    assert len(kept_x) < count
    assert (np.diff(kept_x) >= 0).all()
    for half in (0.0, 100.0, 299.5):
        there, kept = (np.floor(2 * each) == 2 * half for each in (xs, kept_x))
        if there.any():
            assert kept_y[kept].min() == ys[there].min()
            assert kept_y[kept].max() == ys[there].max()
    assert (kept_x[0], kept_y[0], kept_x[-1], kept_y[-1]) == (xs[0], ys[0], xs[-1], ys[-1])


def test_no_point_of_a_cloud_is_lost_outside_of_it() -> None:
    """One far from 99,999 others is still to be seen."""
    x, y = np.random.default_rng(1).normal(size=(2, MANY))
    x[7], y[7] = 50.0, 50.0
    paths = " ".join(_paths(_root(_figure(Points(x=x, y=y)))))
    across = [float(each) for each in re.findall(r"M([\d.]+) ", paths)]
    assert max(across) > 650


# --- gaps -------------------------------------------------------------------------------------------------


def test_a_line_and_its_band_end_where_numbers_are_missing() -> None:
    y = np.array([1.0, 2.0, np.nan, 3.0, 4.0, 5.0])
    root = _root(_figure(Line(x=np.arange(6.0), y=y, low=y - 0.5, high=y + 0.5)))
    line = next(each for each in _paths(root) if each.count("M") == 2 and "Z" not in each)
    assert [each.count(" ") for each in line.split("M")[1:]] == [2, 3]
    assert sum(each.endswith("Z") for each in _paths(root)) == 2


@pytest.mark.parametrize(
    "mark",
    [
        Points(x=np.array([np.nan, 1.0]), y=np.array([1.0, np.nan])),
        Points(x=np.array([1.0]), y=np.array([1.0]), low=np.array([np.nan]), high=np.array([np.inf])),
        Bars(start=np.array([0.0, np.nan]), end=np.array([1.0, 2.0]), value=np.array([np.nan, 1.0])),
        Boxes(
            at=np.array([0.0]),
            low=np.array([np.nan]),
            first=np.array([1.0]),
            middle=np.array([2.0]),
            third=np.array([3.0]),
            high=np.array([4.0]),
        ),
        Segments(x=np.array([np.nan]), y=np.array([1.0]), to_x=np.array([1.0]), to_y=np.array([1.0])),
        Rule(x=float("nan"), low=0.0, high=1.0, text="words"),
        Rule(y=1.0, low=float("nan"), high=1.0),
        Texts(x=np.array([np.nan]), y=np.array([1.0]), texts=("words",)),
        Cells(values=np.array([[np.nan, 1.0]])),
        Cells(values=np.array([[2.0, 2.0]]), low=2.0, high=2.0),
        Line(x=np.array([1.0]), y=np.array([np.nan])),
    ],
    ids=lambda mark: type(mark).__name__,
)
def test_what_is_no_number_is_not_drawn(mark: Mark) -> None:
    _root(_figure(mark))
    _figure(mark).to_vega_lite()


@pytest.mark.parametrize(
    "mark",
    [
        Points(x=np.empty(0), y=np.empty(0)),
        Line(x=np.empty(0), y=np.empty(0)),
        Bars(start=np.empty(0), end=np.empty(0), value=np.empty(0)),
        Segments(x=np.empty(0), y=np.empty(0), to_x=np.empty(0), to_y=np.empty(0)),
        Boxes(
            at=np.empty(0),
            low=np.empty(0),
            first=np.empty(0),
            middle=np.empty(0),
            third=np.empty(0),
            high=np.empty(0),
        ),
        Cells(values=np.empty((0, 0))),
    ],
    ids=lambda mark: type(mark).__name__,
)
def test_marks_of_nothing(mark: Mark) -> None:
    figure = _figure(mark)
    _root(figure)
    figure.to_vega_lite()
    assert "title" in str(figure)


def test_a_figure_of_nothing() -> None:
    _root(_figure())
    root = _root(Figure(title="nothing", description="", panels=()))
    assert "nothing" in _texts(root)


@pytest.mark.parametrize("size", [1.0, 1.2, 1.6, 0.7])
def test_a_disc_is_round(size: float) -> None:
    points = Points(x=np.ones(1), y=np.ones(1), sizes=np.full(1, size))
    path = _paths(_root(_figure(points)))[-1]
    radius, across = (float(each) for each in re.findall(r"a([\d.]+) [\d.]+ 0 1 0 ([\d.]+) 0", path)[0])
    assert across == pytest.approx(2 * radius)


def test_bars_of_nothing_beneath_zero_on_a_log_axis() -> None:
    bars = Bars(start=np.arange(3.0), end=np.arange(3.0) + 1, value=np.array([0.0, 10.0, 100.0]))
    root = _root(_figure(bars, y=Axis(scale="log")))
    assert all(float(each.attrib["height"]) >= 0 for each in root.iter(f"{SVG}rect"))


# --- words ------------------------------------------------------------------------------------------------

NASTY = [
    "<script>alert(1)</script>",
    "</svg>",
    "\"&'",
    "a\x00b\x1b[31m",
    "مرحبا بالعالم",
    "🎉",
    "=cmd()",
    "\ud800",
]


@pytest.mark.parametrize("text", NASTY)
def test_words_are_text_wherever_they_stand(text: str) -> None:
    points = Points(x=np.array([0.0]), y=np.array([0.0]), labels=(text,), name=text)
    figure = Figure(
        title=text,
        subtitle=text,
        description=text,
        notes=(text,),
        panels=(
            Panel(
                title=text,
                x=Axis(label=text),
                y=Axis(label=text, scale="names", names=(text,), asides=(text,)),
                marks=(points, Rule(x=0.0, text=text), Texts(x=np.zeros(1), y=np.zeros(1), texts=(text,))),
            ),
        ),
    )
    for width_ in (720, 360):
        text_ = figure.to_svg(width=width_)
        text_.encode()
        root = ElementTree.fromstring(text_)
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
            *("svg", "title", "desc", "style", "rect", "path", "text"),
        }
        assert not re.search("[\x00-\x08\x0b-\x1f]", text_)
    figure.data_html().encode()


@pytest.mark.parametrize("count", [1, 60])
@pytest.mark.parametrize(
    "name", ["a", "a system of a very long name that goes on and on " * 4], ids=["short", "long"]
)
@pytest.mark.parametrize("upright", [True, False])
def test_names_are_within_the_picture(count: int, name: str, upright: bool) -> None:
    names = tuple(f"{name}{i}" for i in range(count))
    at, value = np.arange(float(count)), np.ones(count)
    points = Points(x=at, y=value) if upright else Points(x=value, y=at)
    axis = Axis(scale="names", names=names)
    figure = _figure(points, x=axis) if upright else _figure(points, y=axis)
    for size in (360, 720):
        root = _root(figure, width=size)
        for each in root.iter(f"{SVG}text"):
            if "transform" not in each.attrib:
                text = each.text or "".join(part.tail or "" for part in each)
                _within(float(each.attrib["x"]), width(text, 11.5), each.attrib.get("text-anchor"), size)
        full = ["".join(each.itertext()) for each in root.iter(f"{SVG}title")]
        assert any(name.strip()[:40] in each for each in (*full, *_texts(root)))


def _within(x: float, breadth: float, anchor: str | None, size: int) -> None:
    left = x - {"end": 1.0, "middle": 0.5}.get(anchor or "", 0.0) * breadth
    assert left > -8
    assert left + breadth < size + 8


@pytest.mark.parametrize("size", [380, 720])
def test_names_with_words_beside_them(size: int) -> None:
    names, asides = ("one", "two" * 40), ("0.1 [0.0, 0.2]", "a sentence that has much to say " * 5)
    axis = Axis(scale="names", names=names, asides=asides)
    root = _root(_figure(Points(x=np.zeros(2), y=np.arange(2.0)), y=axis), width=size)
    said = " ".join(_texts(root))
    assert "one" in said
    assert asides[0] in said
    assert asides[1] in said  # in the title of what is cut


@given(st.text(max_size=40), st.floats(10, 200))
def test_what_is_cut_fits(text: str, room: float) -> None:
    found = cut(text, 11.5, room)
    assert found == text or width(found, 11.5) <= max(room, width("…", 11.5))


@given(st.lists(st.text("abc", min_size=1, max_size=9), max_size=20), st.floats(40, 200))
def test_lines_have_all_words_and_fit(words: Sequence[str], room: float) -> None:
    lines = list(broken(" ".join(words), 11.5, room))
    assert "".join(lines).replace(" ", "") == "".join(words)
    assert all(width(line, 11.5) <= room for line in lines)


def test_a_word_longer_than_the_picture_is_broken() -> None:
    root = _root(_figure(title="http://an.address/" + "x" * 300), width=360)
    for each in root.iter(f"{SVG}text"):
        assert width(each.text or "", float(each.attrib.get("font-size", 11.5))) < 360
    assert "x" * 300 in "".join(_texts(root))


def test_two_pictures_on_one_page_have_ids_of_their_own() -> None:
    one, other = (_root(_figure(title=title)).attrib["aria-labelledby"] for title in ("one", "other"))
    assert not {*one.split()} & {*other.split()}


def test_the_last_row_of_dots_is_paper() -> None:
    """Else it would be half of nothing, and a grey line beneath a picture on a page."""
    root = _root(_figure(Points(x=np.zeros(1), y=np.zeros(1))))
    paper = next(root.iter(f"{SVG}rect"))
    assert paper.attrib["height"] == root.attrib["height"]
    assert root.attrib["viewBox"].endswith(f" {root.attrib['height']}")


def test_names_that_have_no_room_beside_what_is_drawn_stand_above_it() -> None:
    long = "castorini/a-model-with-a-long-name (10 terms, 10 docs)"
    root = _root(_figure(Points(x=np.zeros(1), y=np.zeros(1)), y=Axis(scale="names", names=(long,))))
    assert long in _texts(root)


def test_no_grid_line_runs_through_names_that_stand_above_what_is_drawn() -> None:
    long = "a name of a system that is longer than a picture has room for beside what is drawn"
    points = Points(x=np.arange(2.0), y=np.arange(2.0))
    root = _root(_figure(points, y=Axis(scale="names", names=(long, f"{long}, too"))))
    names = [
        float(each.attrib["y"]) for each in root.iter(f"{SVG}text") if (each.text or "").startswith("a name")
    ]
    lines = [
        (float(first), float(last))
        for path in root.iter(f"{SVG}path")
        for first, last in re.findall(r"M[0-9.]+ ([0-9.]+)V([0-9.]+)", path.attrib["d"])
    ]
    assert len(set(names)) == 2
    assert lines
    # Letters stand above the line that they are on.
    assert not [each for each in lines for name in names if each[0] < name - 1 < each[1]]


def test_what_stands_at_an_axis_goes_on_in_the_next_line() -> None:
    said = "a sentence that is longer than an axis of a picture on a telephone"
    root = _root(_figure(Points(x=np.zeros(1), y=np.zeros(1)), x=Axis(label=said)), width=300)
    shown = _texts(root)
    assert not any("…" in each for each in shown)
    assert said in " ".join(reversed(shown))


def test_the_legend_shows_the_shapes_of_points_on_lines_and_that_they_have_intervals() -> None:
    x = y = np.arange(3.0)
    line = Line(x=x, y=y, name="one", tone="series-2")
    bare, marked = (_root(_figure(line, *more)) for more in ((), (Points(x=x, y=y, tone="series-2"),)))
    assert len(_paths(marked)) == len(_paths(bare)) + len(x) + 1
    sure = Points(x=x, y=y, left=x - 1, right=x + 1, name="with its interval")
    assert any(path.endswith("h18") for path in _paths(_root(_figure(sure))))


def test_a_rule_is_dashed_in_the_legend_as_it_is_drawn() -> None:
    for dashed in (True, False):
        panel = Panel(x=Axis(), y=Axis(), marks=(Rule(x=1.0, name="aim", dashed=dashed),))
        drawn = Figure(title="t", subtitle="s", description="d", panels=(panel,)).to_svg()
        assert drawn.count('stroke-dasharray="4 3"') == 2 * dashed
