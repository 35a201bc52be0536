"""Pictures as PNG and PDF."""

from __future__ import annotations

import numpy as np
import pytest

from rankmark.figures import Axis, Figure, Panel, Points

vl_convert = pytest.importorskip("vl_convert")


def _named(name: str) -> Figure:
    panel = Panel(x=Axis(), y=Axis(), marks=(Points(x=np.array([1.0]), y=np.array([2.0]), name=name),))
    return Figure(title=name, description="A point.", panels=(panel,))


@pytest.mark.parametrize("name", ["plain", "<b> & 'c'", "مرحبا", "漢字", "🎉 new", "a\u202eb\x07"])
def test_every_name_can_be_in_a_file(name: str) -> None:
    assert _named(name).to_pdf().startswith(b"%PDF")
    assert _named(name).to_png().startswith(b"\x89PNG")


def test_words_are_words_in_pdf_where_they_can_be() -> None:
    assert b"/Font" in _named("plain").to_pdf()


def test_png_has_two_dots_a_pixel() -> None:
    found = _named("plain").to_png(width=300)
    assert int.from_bytes(found[16:20]) == 600


def test_auto_is_light_where_nobody_can_choose() -> None:
    assert _named("plain").to_png(theme="auto") == _named("plain").to_png(theme="light")
    assert _named("plain").to_png(theme="auto") != _named("plain").to_png(theme="dark")
