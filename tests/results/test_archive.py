"""Saved files that have changed: each is refused by an error that names it, whatever has changed."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.results.archive import first_part, sealed

KINDS = "lists", "sums", "rows", "classes", "result"


@pytest.fixture(params=KINDS)
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    save(request.param, path)
    return path


def save(kind: str, path: Path) -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}, {"q1": ["b", "a"], "q2": ["x"], "q3": ["y"]}
    rows = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.1], "user": ["u", "u", "v", "v"]}
    if kind == "result":
        rm.evaluate(qrels, run, "nDCG@10, RR").save(path)
    elif kind == "lists":
        lists = rm.Evaluator("nDCG@10, AP", ties="random", seed=3)
        lists.update(qrels, run)
        lists.save(path)
    elif kind == "classes":
        of_classes = rm.PredictionEvaluator("MulticlassAccuracy", score=["a", "b"])
        of_classes.update({"label": ["a", "b", "a"], "a": [0.9, 0.2, 0.4], "b": [0.1, 0.8, 0.6]})
        of_classes.save(path)
    else:
        evaluator = rm.PredictionEvaluator("Brier, LogLoss" if kind == "sums" else "AUC, GAUC", query="user")
        evaluator.update(rows)
        evaluator.save(path)


def with_other_bytes(content: bytes, chance: random.Random) -> bytes:
    """A file in which something has changed as it does on disks and wires."""
    place, length = chance.randrange(len(content)), chance.randrange(1, 40)
    match chance.randrange(5):
        case 0:
            return content[:place]
        case 1:
            return content[:place] + content[place + length :]
        case 2:
            return content[:place] + chance.randbytes(length) + content[place:]
        case 3:
            return content + chance.randbytes(length)
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 4])):
        changed[chance.randrange(len(changed))] ^= chance.randrange(1, 256)
    return bytes(changed)


ODD: list[Any] = [
    None, True, -1, 0, 2**63, 2**200, 1.5, float("inf"), float("nan"), "", "x", "AP", "\0", "\ud800", "%",
    [], [1], [[]], ["AP"], {}, {"a": 1}, {"measure": "AP"}, {"float": "x"}, [["x", 1]], [[[[[[]]]]]],
]  # fmt: skip


def with_another_value(value: Any, chance: random.Random) -> Any:
    """JSON with one value changed, taken out or put in."""
    if not value or not isinstance(value, dict | list) or chance.random() < 0.1:
        return chance.choice(ODD)
    if isinstance(value, list):
        place = chance.randrange(len(value))
        return [*value[:place], with_another_value(value[place], chance), *value[place + 1 :]]
    name = chance.choice(sorted(value))
    match chance.randrange(12):
        case 0:
            return {other: kept for other, kept in value.items() if other != name}
        case 1:
            return {**value, chance.choice(["threads", "x", "repeated"]): chance.choice(ODD)}
    return {**value, name: with_another_value(value[name], chance)}


def parts_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forgeries(path: Path, chance: random.Random) -> Iterator[bytes]:
    """Files with a changed header and the checksum that belongs to it."""
    parts = parts_of(path)
    header = next(iter(parts))
    whole = json.loads(parts[header])
    while True:
        yield sealed({**parts, header: json.dumps(with_another_value(whole, chance)).encode()})


def looked_at(loaded: Any) -> None:
    """Does with what was loaded what one does with it."""
    result = loaded.result() if hasattr(loaded, "result") else loaded
    str(result)
    result.to_json()


def test_any_changed_byte_is_refused(saved: Path) -> None:
    content, chance = saved.read_bytes(), random.Random(14)
    for _ in range(100):
        changed = with_other_bytes(content, chance)
        if changed == content:
            continue
        saved.write_bytes(changed)
        with pytest.raises(rm.DataError, match=r"saved'.* (is damaged|holds no saved)"):
            rm.load(saved)


def test_a_changed_header_with_its_checksum_is_no_foreign_error(saved: Path) -> None:
    forged = forgeries(saved, random.Random(14))
    for _ in range(60):
        saved.write_bytes(next(forged))
        with suppress(rm.RankmarkError):
            looked_at(rm.load(saved))


def test_files_without_a_checksum_say_of_which_version_they_are(saved: Path) -> None:
    parts = parts_of(saved)
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(
        rm.FormatError, match=r"it calls itself format \d of rankmark '0\.1\.0'; .* made anew"
    ):
        rm.load(saved)


def test_repeated_and_unknown_entries_are_not_read(saved: Path) -> None:
    parts = parts_of(saved)
    saved.write_bytes(sealed({**parts, "other": b"x" * 1000}))
    looked_at(rm.load(saved))
    header = next(iter(parts))
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = sealed(Twice({**parts}, header))
    saved.write_bytes(twice)
    with pytest.raises(rm.FormatError, match=f"it has 2 entries '{header}'"):
        rm.load(saved)


class Twice(dict[str, bytes]):
    """Parts of which one is there twice."""

    def __init__(self, parts: dict[str, bytes], again: str) -> None:
        super().__init__(parts)
        self.again = again

    def items(self) -> Any:
        return [*super().items(), (self.again, self[self.again])]


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\x03\x04", b"PK\x03\x04" + bytes(22) + b"\xff\xff\0\0\xff"]
)
def test_what_is_no_archive_has_no_parts(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "saved"
    path.write_bytes(content)
    assert first_part(path) is None
    with pytest.raises(rm.FormatError, match="holds no saved"):
        rm.load(path)
    for other in (tmp_path, "a\0b", "\ud800"):
        with pytest.raises(rm.UsageError):
            rm.load(other)
