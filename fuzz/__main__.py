"""Fuzzes every target in turn and says what was done: ``python -m fuzz [--seconds 60] [TARGET…]``.

What is found, and what else is worth trying again, stays in ``.fuzz``, which git ignores; ``fuzz/corpus``
has a few small inputs of each target to begin with. Needs ``rankmark[fuzz]``; for what is Rust cargo-fuzz and
a nightly toolchain.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fuzz.targets import TARGETS

FOLDER = Path(__file__).parent
WORK = FOLDER.parent / ".fuzz"
NATIVE = sorted(each.stem for each in (FOLDER / "fuzz_targets").glob("*.rs"))
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
LONGEST, MEGABYTES = 30, 4096
"""Seconds that one input may take, and memory."""


@dataclass(frozen=True)
class Outcome:
    """What became of a target.

    Attributes:
        executions: inputs that were tried.
        edges: places in the code that they reached.
        inputs: how many of them are worth keeping, since none of the others reaches what they do.
        found: files with inputs at which something is wrong.
        failed: whether it ended otherwise than it should, with the end of what it said.

    """

    executions: int
    edges: int
    inputs: int
    found: list[Path]
    failed: str = ""


def fuzz(target: str, seconds: int) -> Outcome:
    """Fuzzes a target for so long, or until it finds something."""
    corpus, found = WORK / "corpus" / target, WORK / "found" / target
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    folders = [str(corpus), str(FOLDER / "corpus" / target)]
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={LONGEST}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={found}{os.sep}",
        f"-report_slow_units={LONGEST}",
        "-print_final_stats=1",
    ]
    if target in NATIVE:
        command = ["cargo", "+nightly", "fuzz", "run", "--fuzz-dir", str(FOLDER), target, *folders, "--"]
    else:
        command = [sys.executable, "-m", "fuzz.python", target, *folders]
    before = set(found.iterdir())
    environment = {**os.environ, **ONE_THREAD, "RANKMARK_PROGRESS": "off"}
    done = subprocess.run(
        [*command, *options],
        cwd=FOLDER.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    said = done.stdout + done.stderr
    (WORK / f"{target}.log").write_text(said)
    new = sorted(set(found.iterdir()) - before)
    end = "\n".join(said.splitlines()[-20:]) if done.returncode and not new else ""
    return Outcome(
        _last(r"stat::number_of_executed_units:\s*(\d+)", said),
        _last(r"cov: (\d+)", said),
        _last(r"corp: (\d+)", said),
        new,
        end,
    )


def _last(pattern: str, text: str) -> int:
    return int((re.findall(pattern, text) or ["0"])[-1])


def main() -> int:
    """Fuzzes what is asked for; 1 where something is found, or a target cannot be fuzzed."""
    every = [*NATIVE, *TARGETS]
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz every target in turn.")
    names = ", ".join(every)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {names}; all if none")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    asked = parser.parse_args()
    if unknown := sorted({*asked.targets} - {*every}):
        parser.error(f"no target {', '.join(unknown)}; there are {names}")
    if {*(asked.targets or every)} & {*NATIVE} and not shutil.which("cargo-fuzz"):
        parser.error(
            "cargo-fuzz is not installed: cargo install cargo-fuzz; rustup toolchain install nightly"
        )
    print(f"{'target':12} {'executions':>12} {'edges':>7} {'inputs':>7}  found", flush=True)
    is_well = True
    for target in asked.targets or every:
        outcome = fuzz(target, asked.seconds)
        is_well &= not outcome.found and not outcome.failed
        found = " ".join(map(str, outcome.found)) or ("it failed" if outcome.failed else "nothing")
        print(
            f"{target:12} {outcome.executions:12,} {outcome.edges:7,} {outcome.inputs:7,}  {found}",
            outcome.failed,
            sep="\n" if outcome.failed else "",
            flush=True,
        )
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
