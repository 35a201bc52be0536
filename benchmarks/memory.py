"""Peak memory of one call beyond its inputs, in a process of its own (Linux).

`python -m benchmarks.memory LETTER CONTENDER FOLDER` prints the bytes for the tables saved in the folder.
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
    command = [sys.executable, "-m", "benchmarks.memory", case.letter, contender.name, str(data.folder)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    return int(done.stdout)


def measure(case: Case, contender: Contender, folder: Path) -> int:
    """What `peak_memory` does in its process."""
    with tempfile.TemporaryDirectory() as spare:  # libraries and threads are not the call's
        contender.prepare(case.generate(LIST_LENGTH, Path(spare)))()
    call = contender.prepare(Data.load(folder))
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
    letter, name, folder = sys.argv[1:]
    case = CASES[letter]
    contender = next(contender for contender in case.contenders if contender.name == name)
    print(measure(case, contender, Path(folder)))


if __name__ == "__main__":
    main()
