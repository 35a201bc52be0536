"""Files that are written whole or not at all, whoever else writes, and whatever ends the writing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from processes import python, started
from rankmark.errors import UsageError
from rankmark.rendering.files import check_writable, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions, links and signals")

# --- What stands in the folder -----------------------------------------------------------------------------


@posix
def test_no_planted_link_is_followed(tmp_path: Path) -> None:
    treasure = tmp_path / "treasure"
    treasure.write_text("gold")
    (tmp_path / f".x.txt.{os.getpid()}.tmp").symlink_to(treasure)  # such was once the draft's name
    write_whole(tmp_path / "x.txt", "text")
    assert (treasure.read_text(), (tmp_path / "x.txt").read_text()) == ("gold", "text")


@posix
def test_a_draft_that_is_there_already_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)
    (tmp_path / f".rankmark-{bytes(8).hex()}.tmp").symlink_to(tmp_path / "treasure")
    with pytest.raises(UsageError, match="File exists"):
        write_whole(tmp_path / "x.txt", "text")
    assert not (tmp_path / "treasure").exists()


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.txt"
    path.touch(mode)
    path.chmod(mode)
    write_whole(path, "text")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, "text")


@posix
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "x.txt", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x.txt").stat().st_mode) == 0o640


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_whole(path, "text")
    assert path.read_text() == "text"


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "n" * 300, "circle"])
def test_what_is_no_path_is_said(tmp_path: Path, name: str) -> None:
    if name == "circle":
        (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for write in (check_writable, lambda path: write_whole(path, "text")):
        with pytest.raises(UsageError, match="cannot write"):
            write(tmp_path / name)


# --- Several at once ---------------------------------------------------------------------------------------

WRITING = """
import sys
from rankmark.rendering.files import write_whole
path, letter = sys.argv[1:]
print("started", flush=True)
for _ in range(300):
    write_whole(path, letter * 100_000)
"""


@pytest.mark.process
def test_of_two_writers_a_reader_never_sees_parts(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a" * 100_000)
    command = [sys.executable, "-c", WRITING, str(path)]
    with started([*command, "a"]) as one, started([*command, "b"]) as other:
        seen = set()
        while one.poll() is None or other.poll() is None:
            text = path.read_text()
            seen.add((len(text), *set(text)))
        assert (one.returncode, other.returncode) == (0, 0)
    assert seen <= {(100_000, "a"), (100_000, "b")}
    assert [each.name for each in tmp_path.iterdir()] == ["x.txt"]


# --- What ends it ------------------------------------------------------------------------------------------

SLOW = """
import sys, time
from rankmark.rendering.files import write_whole

def write(file):
    file.write(b"part")
    file.flush()
    try:
        print("started", flush=True)
        time.sleep(60)
    finally:
        print("ended", flush=True)
        time.sleep(0.3)  # while which a second signal comes

write_whole(sys.argv[1], write)
"""


@posix
@pytest.mark.process
@pytest.mark.parametrize(
    ("signals", "drafts"),
    [([signal.SIGTERM], 0), ([signal.SIGINT, signal.SIGINT], 0), ([signal.SIGKILL], 1)],
)
def test_a_stopped_write_leaves_what_was_there(
    tmp_path: Path, signals: list[signal.Signals], drafts: int
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("before")
    with started([sys.executable, "-c", SLOW, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for number in signals:
            assert process.stdout.readline()
            process.send_signal(number)
        assert process.wait(30) != 0
    assert path.read_text() == "before"
    # Nothing can be done where a process is killed; what it leaves is in nobody's way.
    assert len([each for each in tmp_path.iterdir() if each.name.startswith(".rankmark-")]) == drafts
    write_whole(path, "after")
    assert path.read_text() == "after"


FULL = """
import resource, sys
import rankmark as rm
path = sys.argv[1]
queries = [f"q{number}" for number in range(9000)]
data = {q: {"a": 1} for q in queries}, {q: ["b"] * (len(q) % 2) + ["a"] for q in queries}
result, evaluator = rm.evaluate(*data, "AP"), rm.Evaluator("AP")
evaluator.update(*data)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for write in (
    lambda: result.write(path, "csv", per_query=True),
    lambda: result.write(path, "parquet"),
    lambda: evaluator.save(path),
):
    try:
        write()
    except rm.UsageError as error:
        print(error)
"""


@posix
@pytest.mark.process
def test_a_full_disk_is_said_and_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("before")
    said = python(FULL, str(path)).splitlines()
    assert len(said) == 3
    assert all(line.startswith(f"cannot write {path}: File too large") for line in said), said
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("x", "before")]


def test_half_of_a_character_keeps_no_file_from_being_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "page.html", "a title \udcff")
    assert (tmp_path / "page.html").read_bytes() == b"a title ?"
