"""What holds of every picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import rankmark as rm
from drawn import DRAWN, of
from rankmark.figures import Figure
from rankmark.figures.registry import pictures

EVERY = pytest.mark.parametrize("name", DRAWN)


def test_every_picture_is_tried_here() -> None:
    assert {name.partition(" ")[0] for name in DRAWN} == set(pictures())


@EVERY
@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_it_is_valid_svg_with_words_for_whoever_cannot_see_it(name: str, theme: str) -> None:
    figure = of(name)
    root = ElementTree.fromstring(figure.to_svg(theme=theme))  # type: ignore[arg-type] # of the parameters
    space = "{http://www.w3.org/2000/svg}"
    title, described = root.find(f"{space}title"), root.find(f"{space}desc")
    assert title is not None
    assert title.text == figure.title
    assert described is not None
    assert described.text == figure.description
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {described.attrib['id']}"
    places = [each.attrib.get("d", "") for each in root.iter()]
    assert not any("nan" in place or "inf" in place for place in places)
    assert not list(root.iter(f"{space}script"))


@EVERY
def test_its_data_are_a_table(name: str) -> None:
    figure = of(name)
    assert list(figure.data())
    assert figure.title in " ".join(str(figure).split())
    assert figure.format("csv").startswith("mark,label,number,value\n")


@EVERY
def test_altair_draws_it(name: str) -> None:
    chart = of(name).to_altair()
    assert chart.to_dict()["description"] == of(name).description


@EVERY
def test_it_is_narrow_on_a_phone(name: str) -> None:
    root = ElementTree.fromstring(of(name).to_svg(width=360))
    assert root.attrib["viewBox"].startswith("0 0 360 ")


@EVERY
def test_an_option_that_it_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(rm.CallError, match="colour"):
        pictures()[name.partition(" ")[0]].draw(None, {"colour": "red"})


def test_a_picture_of_something_else_says_of_what() -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    with pytest.raises(
        rm.PictureError, match="differences is a picture of Comparison, and not of ListResult"
    ):
        result.plot("differences")


def test_of_a_name_that_is_wrong_the_nearest_is_named() -> None:
    with pytest.raises(rm.PictureError, match="did you mean 'differences'"):
        DRAWN["differences"]().plot("diferences")


def test_every_picture_is_a_figure() -> None:
    assert all(isinstance(of(name), Figure) for name in DRAWN)
