"""The progress bar of long reads, on a real terminal where the system has them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from processes import python, ran, started
from rankmark import _native, progress
from rankmark.progress import counting, reading

READ = """
import sys, time
from rankmark import _native, progress
progress.DELAY = {delay}
shown = _native.Progress() if {native} else None
with progress.reading("a [b] file", 1000, shown):
    print("started", flush=True)
    time.sleep({seconds})
print("rich" in sys.modules, flush=True)
"""
SHOW_CURSOR = "\x1b[?25h"


def on_a_terminal(delay: float, seconds: float, native: bool = True, interrupt: bool = False) -> str:
    """All that a read writes on a terminal, perhaps interrupted once the bar is there."""
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    code = READ.format(delay=delay, seconds=seconds, native=native)
    with started(
        [sys.executable, "-c", code],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"},
    ) as process:
        os.close(terminal)
        written = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while block := os.read(controller, 65536):
                written += block
                if interrupt and b"file" in written:
                    process.send_signal(signal.SIGINT)
                    interrupt = False
        process.wait(timeout=30)
    os.close(controller)
    return written.decode()


@pytest.mark.process
@pytest.mark.parametrize("native", [True, False])
def test_a_long_read_shows_a_bar_and_takes_it_away(native: Any) -> None:
    written = on_a_terminal(delay=0.05, seconds=1.5, native=native)
    assert "a [b] file" in written
    assert ("0.0/1.0 kB" in written) == native
    assert "0:00:0" in written
    assert SHOW_CURSOR in written
    assert written.rstrip().endswith("True")


@pytest.mark.process
def test_a_short_read_shows_nothing() -> None:
    assert on_a_terminal(delay=20, seconds=0).split() == ["started", "False"]


@pytest.mark.process
def test_ctrl_c_leaves_the_terminal_clean() -> None:
    start = time.monotonic()
    written = on_a_terminal(delay=0.05, seconds=60, interrupt=True)
    assert time.monotonic() - start < 30
    assert "KeyboardInterrupt" in written
    assert written.index(SHOW_CURSOR) < written.index("KeyboardInterrupt")


COUNT = """
import time
from rankmark import progress
progress.DELAY = 0.05
with progress.counting_rows("evaluating") as rows:
    for number in range(1, 6):
        rows.advance(1000, number / 10)
        time.sleep(0.2)
"""


@pytest.mark.process
def test_rows_a_second_and_the_time_left_are_shown() -> None:
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}
    with started([sys.executable, "-c", COUNT], stderr=terminal, env=environment) as process:
        os.close(terminal)
        written = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while block := os.read(controller, 65536):
                written += block
        assert process.wait(timeout=30) == 0
    os.close(controller)
    assert b"evaluating" in written
    assert b" rows/s, 0:00:0" in written
    assert b" left" in written
    assert SHOW_CURSOR.encode() in written


def test_without_a_terminal_nothing_is_started(capfd: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with reading("file", None, _native.Progress()):
        assert threading.active_count() == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.process
def test_trec_text_is_read_without_importing_anything_heavy(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 2 1\n")
    (tmp_path / "run").write_text("1 Q0 2 1 0.5 t\n")
    code = (
        "import sys; from rankmark.inputs import read_inputs; "
        f"read_inputs({str(tmp_path / 'qrels')!r}, {str(tmp_path / 'run')!r}); "
        "print({'polars', 'pandas', 'pyarrow', 'rich', 'scipy'} & set(sys.modules))"
    )
    assert python(code) == "set()\n"


LONG = """
import sys
import rankmark as rm
from rankmark import progress
progress.DELAY, progress.INTERVAL = 0.0, 0.001
Q = {f"q{i}": {"a": i % 3, "b": 1} for i in range(40)}
A, B = ({q: {"a": 1.0, "b": s} for q, s in zip(Q, scores)} for scores in ([2.0, 0.0] * 20, [0.0] * 40))
compared = rm.compare(Q, {"A": A, "B": B}, ["nDCG", "RR"], interval="bca", resamples=20_000)
print(compared.to_json(), rm.check(Q, A), rm.identify(Q, A, "nDCG", "0.123").to_json())
print(rm.power(compared, difference=0.01).to_json(), rm.evaluate(Q, A, "nDCG", intervals="bca")["nDCG"])
"""


@pytest.mark.process
def test_values_are_the_same_whether_or_not_progress_is_seen_and_pipes_get_nothing_of_it() -> None:
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    wide = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"}
    with started([sys.executable, "-c", LONG], stdout=-1, stderr=terminal, env=wide) as process:
        os.close(terminal)
        seen = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while block := os.read(controller, 65536):
                seen += block
        values = process.stdout.read().decode() if process.stdout else ""
    os.close(controller)
    assert b"trying definitions" in seen
    piped = ran([sys.executable, "-c", LONG])
    assert (piped.stdout, piped.stderr, piped.returncode) == (values, "", 0)


def test_work_within_work_has_a_line_beneath_and_one_display(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[list[str]] = []

    def look(ended: threading.Event) -> None:
        while not ended.wait(0.001):
            shown.append([task.label for task in progress._waiting()])

    monkeypatch.setattr(progress, "_display", lambda: look)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    threads = threading.active_count()
    with counting("outer", 2) as outer:
        for _ in range(2):
            with contextlib.suppress(ValueError), counting("inner", 1):
                until = time.monotonic() + 10
                while ["outer", "inner"] not in shown and time.monotonic() < until:
                    time.sleep(0.001)
                assert threading.active_count() == threads + 1
                raise ValueError
            outer.done += 1
    assert ["outer", "inner"] in shown
    assert progress._tasks == []
    assert threading.active_count() == threads


@pytest.mark.parametrize("off", ["off", "0", "No", "FALSE"])
def test_one_setting_switches_it_off(off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_is_terminal", lambda: True)
    assert progress._display() is not None
    monkeypatch.setenv(progress.SETTING, off)
    assert progress._display() is None


def test_in_a_notebook_it_is_a_bar_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    task = progress._Task("<reading>", progress.Counter(4, 1), None, progress._counted, lambda: "1/4")
    monkeypatch.setattr(progress, "_tasks", [task])
    assert progress._in_html() == (
        '<div style="font:13px system-ui,sans-serif"><div>&lt;reading&gt; <progress max=1 value=0.2500 '
        'aria-label="&lt;reading&gt;"></progress> 1/4 · 0:00:00</div></div>'
    )


def test_what_is_imported_does_not_make_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not progress._is_notebook()
    shell = ModuleType("IPython")
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setattr(shell, "get_ipython", lambda: None, raising=False)
    assert not progress._is_notebook()
    monkeypatch.setattr(shell, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    assert progress._is_notebook()
