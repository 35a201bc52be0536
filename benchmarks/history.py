"""What cases take at two commits, alternating in one run; and a history of such figures.

`python -m benchmarks.history OLD NEW [--case A,O1] [--rows N] [--repeat N]` builds both commits in worktrees
of their own (a folder such as ``.`` is taken as it is) and prints how many times as long the new one takes as
the old one; ``--keep`` adds both to `history.jsonl`, a line a commit. `python -m benchmarks.history` prints
that. Times are seconds of all cores, which other programs disturb least. It judges nothing: readers do.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.cases import CASES, Case
from benchmarks.timing import duration

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).with_name("history.jsonl")
LEAST_SECONDS = 0.1
"""A sample repeats a call that is shorter than this."""


@dataclass(frozen=True, slots=True)
class Built:
    """A commit whose core has been built.

    Attributes:
        name: how it was named.
        commit: its hash, with ``+`` where the tree had changes.
        source: the folder from which its package is imported.

    """

    name: str
    commit: str
    source: Path


Times = dict[str, dict[str, list[float]]]
"""Seconds of all cores, one a round, of each case's contenders."""


@contextmanager
def built(name: str) -> Iterator[Built]:
    """A commit in a worktree of its own, its core built; or a folder that is a working tree, as it is."""
    if (tree := Path(name)).is_dir():
        tree = tree.resolve()
        commit = _git("rev-parse", "--short", "HEAD", tree=tree)
        changed = bool(_git("status", "--porcelain", "--untracked-files=no", "src", "native", tree=tree))
        yield Built(name, commit + "+" * changed, tree / "src")
        return
    commit = _git("rev-parse", "--short", f"{name}^{{commit}}")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / commit
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            _build(tree)
            yield Built(name, commit, tree / "src")
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _build(tree: Path) -> None:
    # One folder for what is compiled, so that most of it is compiled once.
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    given = os.environ | {"CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable}
    (tree / "native" / "src" / "lib.rs").touch()  # what is newer than an earlier build is built again
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=tree, env=given, check=True)
    library = next(target.glob("release/lib_native.*[oyb]"), None) or next(target.glob("release/_native.dll"))
    shutil.copy(library, tree / "src" / "rankmark" / "_native.abi3.so")


def _git(*arguments: str, tree: Path = ROOT) -> str:
    command = ["git", "-C", str(tree), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Worker:
    """A process that times a contender of a case, a sample at a time, with the package of one commit."""

    def __init__(self, source: Path, key: str, contender: str, rows: int) -> None:
        paths = os.pathsep.join(map(str, (source, ROOT)))
        command = [sys.executable, "-m", "benchmarks.history", "--worker", key, contender, str(rows)]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)  # which closes what it reads from, so that it ends

    def seconds(self) -> float | None:
        """Those of a sample; None where this commit cannot do it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        answer = self._process.stdout.readline()
        return float(answer) if answer else None


def work(key: str, name: str, rows: int) -> None:
    """Answers each line with the seconds of a sample."""
    case = CASES[key]
    (contender,) = (each for each in case.contenders if each.name == name)
    with tempfile.TemporaryDirectory() as folder:
        tables = (contender.on or case.generate)(contender.rows(case.rows(rows)), Path(folder))
        call = contender.prepare(tables)
        start = _of_cores()
        call()
        number = max(1, round(LEAST_SECONDS / max(_of_cores() - start, 1e-6)))
        for _ in sys.stdin:
            start = _of_cores()
            for _ in range(number):
                call()
            print((_of_cores() - start) / number, flush=True)


def _of_cores() -> float:
    """The seconds that this process and those it has waited for have computed."""
    of_others = os.times()
    return time.process_time() + of_others.children_user + of_others.children_system


def alternating(both: Sequence[Built], cases: Sequence[Case], rows: int, rounds: int) -> list[Times]:
    """The times of both commits, of rankmark alone; what one of them cannot do is left out of its times."""
    found: list[Times] = [{} for _ in both]
    for case in cases:
        for contender in case.contenders:
            if contender.needs != "rankmark" or contender.unable():
                continue
            print(f"{case.key}: {contender.name} …", file=sys.stderr)
            with ExitStack() as stack:
                workers = [
                    stack.enter_context(Worker(each.source, case.key, contender.name, rows)) for each in both
                ]
                for number in range(rounds):
                    places = (0, 1) if number % 2 else (1, 0)
                    for place in places:
                        if (seconds := workers[place].seconds()) is not None:
                            own = found[place].setdefault(case.key, {})
                            own.setdefault(contender.name, []).append(seconds)
    return found


def table(old: Built, new: Built, times: Sequence[Times]) -> str:
    """Both side by side, with the median over the rounds of how many times as long the new one takes."""
    lines = [f"| case | who | {old.name} ({old.commit}) | {new.name} ({new.commit}) | new ÷ old |"]
    lines.append("| --- | --- | ---: | ---: | ---: |")
    for key in dict.fromkeys(key for each in times for key in each):
        for name in dict.fromkeys(name for each in times for name in each.get(key, {})):
            before, after = (each.get(key, {}).get(name) for each in times)
            shown = ("" if own is None else duration(min(own)) for own in (before, after))
            ratio = f"{_ratio(after, before):.3g} ×" if before and after else ""
            lines.append(f"| {key} | {name} | {' | '.join(shown)} | {ratio} |")
    return "\n".join(lines) + "\n"


def _ratio(one: list[float], other: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(one, other, strict=False))


def record(of: Built, times: Times, rows: int, machine: dict[str, str]) -> dict[str, Any]:
    """What is kept of a commit: each one's least seconds, and as a multiple of those of its case's first."""
    figures = {
        key: {
            name: {"seconds": min(own), "ratio": min(own) / min(next(iter(case.values())))}
            for name, own in case.items()
        }
        for key, case in times.items()
    }
    return {"commit": of.commit, "rows": rows, "machine": machine, "figures": figures}


def history(path: Path = KEPT) -> str:
    """All that was kept, a row a commit, machine and contender."""
    lines = ["| commit | CPU | rows | case | who | seconds | × the first |"]
    lines.append("| --- | --- | ---: | --- | --- | ---: | ---: |")
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        kept = json.loads(line)
        begin = f"| {kept['commit']} | {kept['machine']['CPU']} | {kept['rows']:,}"
        for key, case in kept["figures"].items():
            for name, own in case.items():
                lines.append(f"{begin} | {key} | {name} | {duration(own['seconds'])} | {own['ratio']:.3g} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    from benchmarks.__main__ import cases_of, count_of

    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument(
        "commits", nargs="*", metavar="COMMIT", help="the old and the new one; a folder is a working tree"
    )
    parser.add_argument("--case", type=cases_of, default="A,O1", help="such as A,B,O1 (default: A,O1)")
    parser.add_argument("--rows", type=count_of, default=1_000_000, help="results (default: 1,000,000)")
    parser.add_argument("--repeat", type=count_of, default=5, help="rounds (default: 5)")
    parser.add_argument("--keep", action="store_true", help="add the figures to history.jsonl")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.worker:
        key, name, rows = asked.worker
        work(key, name, int(rows))
        return
    if not asked.commits:
        print(history(), end="")
        return
    if len(asked.commits) != 2:
        parser.error("give two commits, the old and the new one, or none for the history")
    machine = report.machine()
    with built(asked.commits[0]) as old, built(asked.commits[1]) as new:
        times = alternating((old, new), asked.case, asked.rows, asked.repeat)
        print(table(old, new, times), end="")
        if asked.keep:
            with KEPT.open("a", encoding="utf-8") as kept:
                for each, own in zip((old, new), times, strict=True):
                    line = record(each, own, asked.rows, machine)
                    kept.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
