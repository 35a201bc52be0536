"""Pictures of predictions' values and classes have the numbers of the result."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from drawn import DRAWN, of
from rankmark.figures import Cells, Panel, Points, Rule

TABLE = {"label": [1, 0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.3, 0.2]}


def points(panel: Panel) -> Points:
    (found,) = (mark for mark in panel.marks if isinstance(mark, Points))
    return found


def test_values_are_on_one_axis_where_they_have_one_scale() -> None:
    result = DRAWN["values of one"]()
    figure = of("values of one")
    assert [panel.y.names for panel in figure.panels] == [("AUC", "KS"), ("PCOPC",), ("LogLoss",)]
    for panel in figure.panels:
        shown = points(panel)
        assert shown.left is not None
        assert shown.right is not None
        for i, name in enumerate(panel.y.names):
            interval = result.intervals[name]
            assert (shown.x[i], shown.left[i], shown.right[i]) == (result[name], interval.low, interval.high)
    assert "95% intervals" in figure.subtitle
    (aim,) = (mark for mark in figure.panels[1].marks if isinstance(mark, Rule))
    assert aim.x == 1


def test_values_without_intervals_say_how_there_are_some() -> None:
    figure = rm.evaluate_predictions(TABLE, "AUC LogLoss").plot()
    assert "evaluated with intervals, the picture says how sure values are" in figure.notes
    assert figure.subtitle == "values, without intervals; 5 rows, 3 positive"


def test_a_measure_without_a_value_is_named() -> None:
    one = TABLE | {"label": [1, 1, 1, 1, 1]}
    figure = rm.evaluate_predictions(one, "AUC LogLoss").plot()
    assert "no value of AUC" in figure.notes
    assert [panel.y.names for panel in figure.panels] == [("LogLoss",)]


def test_cells_are_the_confusion_matrix() -> None:
    result, (panel,) = DRAWN["confusion"](), of("confusion").panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    matrix = result.by_class.matrix
    assert cells.texts == tuple(tuple(f"{count:.0f}" for count in row) for row in matrix)
    rows = matrix.sum(axis=1)
    assert cells.values[:3] == pytest.approx(matrix[:3] / rows[:3, None])
    assert np.isnan(cells.values[3]).all()  # of the class that no label is
    assert panel.x.names == ("cat", "<dog>", "طائر", "fish")
    assert panel.y.names[3] == "fish (0)"
    assert f"{np.trace(matrix):.0f} of 300 are predicted as labelled" in of("confusion").description


def test_a_decision_is_drawn_as_by_hand() -> None:
    (panel,) = rm.evaluate_predictions(TABLE, "Confusion").plot().panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    assert cells.texts == (("1", "1"), ("1", "2"))
    assert cells.values == pytest.approx(np.array([[1 / 2, 1 / 2], [1 / 3, 2 / 3]]))


def test_cells_are_the_values_of_classes() -> None:
    result, (panel,) = DRAWN["classes"](), of("classes").panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    assert panel.x.names == ("MulticlassF",)
    assert np.array_equal(cells.values[:, 0], result.class_values("MulticlassF"), equal_nan=True)


def test_the_classes_of_most_rows_are_shown_of_many() -> None:
    label = [i for i in range(40) for _ in range(i + 1)]
    scores = {str(i): np.eye(40)[label][:, i] for i in range(40)}
    result = rm.evaluate_predictions(
        {"label": label, **scores}, "MulticlassAccuracy", score=list(scores), classes=list(range(40))
    )
    figure = result.plot("confusion")
    assert figure.panels[0].x.names == tuple(map(str, range(10, 40)))
    assert figure.notes == ("the 30 classes of most rows, of 40",)
    assert "None is confused" in figure.description


@pytest.mark.parametrize(
    ("name", "message"), [("confusion", "ask for Confusion"), ("classes", "ask for Confus")]
)
def test_what_has_no_classes_is_refused(name: str, message: str) -> None:
    with pytest.raises(rm.PictureError, match=message):
        rm.evaluate_predictions(TABLE, "AUC").plot(name)


def test_measures_without_values_of_classes_are_refused() -> None:
    table = {"label": ["a", "b"], "a": [0.9, 0.2], "b": [0.1, 0.8]}
    result = rm.evaluate_predictions(table, "MulticlassLogLoss", score=["a", "b"], classes=["a", "b"])
    with pytest.raises(rm.PictureError, match="no measure looks at which classes"):
        result.plot("confusion")
    with pytest.raises(rm.PictureError, match="no measure here has a value of each class"):
        result.plot("classes")


def test_the_forest_calls_nothing_better_of_what_neither_is() -> None:
    rows = {"click": [0, 1] * 200, "p": [0.3, 0.6] * 200, "r": [0.1, 0.2, 0.1, 0.3] * 100}
    found = rm.compare_predictions(rows, {"one": "p", "two": "r"}, "PCOPC", label="click")
    assert found.pairs[0].significant
    (panel,) = found.plot("forest").panels
    names = {mark.name for mark in panel.marks if isinstance(mark, Points)}
    assert names == {"significantly different"}
