"""The progress bar of long reads, on a real terminal where the system has them."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest

from rankmark import _native
from rankmark.progress import reading

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


def on_a_terminal(delay: float, seconds: float, native: bool = True, keys: bytes = b"") -> str:
    """All that a read writes on a terminal; `keys` are pressed once the bar is there."""
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    code = READ.format(delay=delay, seconds=seconds, native=native)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        # So that Ctrl-C on this terminal reaches the process.
        preexec_fn=lambda: (os.setsid(), __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0)),
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(terminal)
    written = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while block := os.read(controller, 65536):
            written += block
            if keys and b"file" in written:
                os.write(controller, keys)
                keys = b""
    process.wait(timeout=30)
    os.close(controller)
    return written.decode()


@pytest.mark.parametrize("native", [True, False])
def test_a_long_read_shows_a_bar_and_takes_it_away(native):
    written = on_a_terminal(delay=0.05, seconds=1.5, native=native)
    assert "a [b] file" in written
    assert ("bytes" in written) == native
    assert "0:00:0" in written
    assert SHOW_CURSOR in written
    assert written.rstrip().endswith("True")


def test_a_short_read_shows_nothing():
    assert on_a_terminal(delay=20, seconds=0).split() == ["started", "False"]


def test_ctrl_c_leaves_the_terminal_clean():
    start = time.monotonic()
    written = on_a_terminal(delay=0.05, seconds=60, keys=b"\x03")
    assert time.monotonic() - start < 30
    assert "KeyboardInterrupt" in written
    assert written.index(SHOW_CURSOR) < written.index("KeyboardInterrupt")


def test_without_a_terminal_there_is_no_thread(capfd):
    with reading("file", None, _native.Progress()):
        assert threading.active_count() == len(threading.enumerate())
        assert not [thread for thread in threading.enumerate() if "_show" in thread.name]
    assert capfd.readouterr() == ("", "")
