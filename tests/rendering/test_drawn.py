"""Drawings beside numbers: in letters where a terminal shows them, on pages as SVG, and nowhere else."""

from __future__ import annotations

import io
import math
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from processes import started
from rankmark.rendering.drawn import Column, Range, Spark, can_draw, ranges
from rankmark.rendering.formats.table import DRAWN, FORMAT

QRELS = {f"q{i}": {"a": 1, "b": 1, "c": 1} for i in range(30)}
GOOD = {query: ["a", "b", "c"][: 1 + i % 3] for i, query in enumerate(QRELS)}
BAD = {query: ["x", "a"] for query in QRELS}


class Terminal(io.TextIOWrapper):
    """What says that it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self) -> bool:
        """It is."""
        return True


def test_a_spark_is_as_high_as_there_are_many() -> None:
    spark = Spark([0, 1, 4, 8], 0.0, 1.0)
    assert spark.letters() == " ▁▄█"
    assert spark.words() == "0, 1, 4, 8 in 4 equal bins from 0 to 1"
    assert spark.svg().count("<rect") == 3


def test_a_range_is_where_its_numbers_are() -> None:
    assert Range(0.0, 0.5, 1.0, (0.0, 1.0)).letters() == "─" * 10 + "●" + "─" * 10
    assert Range(0.5, 0.75, 1.0, (0.0, 1.0), 0.0).letters() == "│" + " " * 9 + "─" * 5 + "●" + "─" * 5
    assert Range(-1.0, 0.5, 1.0, (-1.0, 1.0), 0.0).letters() == "─" * 10 + "┼" + "─" * 4 + "●" + "─" * 5
    assert Range(math.nan, 0.5, math.nan, (0.0, 1.0)).letters() == " " * 10 + "●" + " " * 10
    assert Range(0.0, 0.5, 1.0, (0.0, 1.0), 0.25).words() == "0.5, from 0 to 1, beside 0.25"


def test_ranges_share_a_scale_and_what_is_not_there_is_not_drawn() -> None:
    column = ranges("value", [(0.0, 1.0, 2.0), (math.nan, math.nan, math.nan), (math.nan, 4.0, math.nan)])
    assert isinstance(column, Column)
    first, nothing, last = column.shapes
    assert isinstance(first, Range)
    assert isinstance(last, Range)
    assert (first.scale, nothing, last.scale) == ((0.0, 4.0), None, (0.0, 4.0))
    assert ranges("value", [(1.0, 1.0, 1.0)]) is None
    assert ranges("value", []) is None


def test_drawings_stand_behind_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = rm.evaluate(QRELS, GOOD, ["R@3", "NumRet"], intervals=True)
    shown: list[Any] = [
        result,
        rm.compare(QRELS, {"good": GOOD, "bad": BAD}, "R@3"),
        rm.board(rm.compare(QRELS, {"good": GOOD, "bad": BAD}, "R@3")),
        rm.evaluate(QRELS, GOOD, "R@3").by({query: i % 2 for i, query in enumerate(QRELS)}),
        rm.curve({"label": [0, 1] * 20, "score": [i / 40 for i in range(40)]}, "calibration", bins=4),
    ]
    for each in shown:
        plain, drawn = FORMAT.text(each, 4, {}), DRAWN.text(each, 4, {})
        assert plain == each.format() != drawn
        assert not set("▁▂▃▄▅▆▇█─●│┼") & set(plain)
        assert all(
            long.startswith(short) for short, long in zip(plain.splitlines(), drawn.splitlines(), strict=True)
        )
        assert '<svg class="d" role="img" aria-label="' in each._repr_html_()
        assert "<svg" not in each.to_markdown()
    assert "\nR@3" in DRAWN.text(result, 4, {})
    assert "▂" not in DRAWN.text(result, 4, {}).splitlines()[3]  # all of NumRet's bins are as full


def test_what_has_no_room_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    result = rm.evaluate(QRELS, GOOD, "R@3")
    assert DRAWN.text(result, 4, {}) == result.format()


def test_who_sees_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert can_draw(Terminal())
    assert not can_draw(io.StringIO())
    assert not can_draw(Terminal("latin-1"))
    monkeypatch.setenv("TERM", "dumb")
    assert not can_draw(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not can_draw(Terminal())


@pytest.mark.process
def test_a_command_draws_on_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 a 1\n" for i in range(30)))
    (tmp_path / "run").write_text("".join(f"q{i} Q0 {'xa'[i % 2]} 1 1.0 t\n" for i in range(30)))
    controller, terminal = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    command = [sys.executable, "-m", "rankmark", "eval", "qrels", "run", "-m", "RR"]
    with started(command, stdout=terminal, cwd=tmp_path, env=environment) as process:
        os.close(terminal)
        written = b""
        try:
            while block := os.read(controller, 65536):
                written += block
        except OSError:  # the end of a terminal
            pass
        assert process.wait(timeout=60) == 0
    os.close(controller)
    assert "RR       0.5000  █          █" in written.decode()
