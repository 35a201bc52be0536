"""Peak memory of one call beyond its inputs, in a process of its own (Linux).

`python -m benchmarks.memory CASE CONTENDER FOLDER` prints the bytes for the tables saved in the folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.cases import CASES, Case
from benchmarks.contenders import Contender
from benchmarks.data import LIST_LENGTH, Data

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
AVAILABLE = STATUS.exists() and RESET.exists() and find_spec("pyarrow") is not None


def peak_memory(case: Case, contender: Contender, data: Data) -> int:
    """Bytes at the peak of a call, less those at its start; `data` must have been saved."""
    command = [sys.executable, "-m", "benchmarks.memory", case.key, contender.name, str(data.folder)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=root)
    return int(done.stdout)


def measure(case: Case, contender: Contender, folder: Path) -> int:
    """What `peak_memory` does in its process."""
    with tempfile.TemporaryDirectory() as spare:  # libraries and threads are not the call's
        data = case.generate(LIST_LENGTH, Path(spare))
        contender.prepare(data)()
    call = contender.prepare(data.load(folder))
    RESET.write_text("5")  # the peak starts anew
    before = _status("VmRSS")
    call()
    return max(0, _status("VmHWM") - before)


def _status(field: str) -> int:
    """A line of the process's status, in bytes."""
    found = re.search(rf"{field}:\s+(\d+) kB", STATUS.read_text())
    assert found
    return 1024 * int(found[1])


def main() -> None:
    key, name, folder = sys.argv[1:]
    case = CASES[key]
    contender = next(contender for contender in case.contenders if contender.name == name)
    print(measure(case, contender, Path(folder)))


if __name__ == "__main__":
    main()
