"""What will go still works, and says until when and what to write instead."""

from __future__ import annotations

import pytest

import rankmark as rm

FORMER: dict[str, tuple[str, str]] = vars(rm)["_FORMER"]


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_a_former_name_is_what_it_is_called_now_and_warns_where_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(FORMER, "assess", ("rankmark.evaluate", "99.0.0"))
    said = r"rankmark\.assess is deprecated and goes in rankmark 99\.0\.0: write rankmark\.evaluate"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert rm.assess is rm.evaluate  # type: ignore[attr-defined]
    assert caught[0].filename == __file__


def test_no_name_stays_longer_than_was_said() -> None:
    assert all(numbers(until) > numbers(rm.__version__) for _, until in FORMER.values())
