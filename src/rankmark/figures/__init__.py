"""Pictures of anything: how one is described, and what draws it."""

from rankmark.figures.figure import Figure, Panel
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
from rankmark.figures.registry import (
    Option,
    Picture,
    drawn_as,
    picture,
    picture_list,
    picture_named,
    pictures,
    pictures_of,
)

__all__ = [
    "Axis",
    "Bars",
    "Boxes",
    "Cells",
    "Figure",
    "Line",
    "Mark",
    "Option",
    "Panel",
    "Picture",
    "Points",
    "Rule",
    "Segments",
    "Texts",
    "drawn_as",
    "picture",
    "picture_list",
    "picture_named",
    "pictures",
    "pictures_of",
]
