"""Processes that tests start, which are ended with all their children, however the test ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 100
"""Seconds after which a process is taken to hang; pytest's own limit is a little longer."""


@contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process in a session of its own, which is gone after the block."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def ran(
    command: Sequence[str], *, patience: float = PATIENCE, **options: Any
) -> subprocess.CompletedProcess[str]:
    """What a process printed, as text, and how it ended."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    with started(command, **options) as process:
        out, errors = process.communicate(timeout=patience)
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def python(script: str, *arguments: str, flags: Sequence[str] = (), **options: Any) -> str:
    """What a script prints that ends well."""
    done = ran([sys.executable, *flags, "-c", script, *arguments], **options)
    assert done.returncode == 0, done.stderr
    return done.stdout
