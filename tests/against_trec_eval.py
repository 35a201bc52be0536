"""`rankmark trec_eval` beside trec_eval itself, on random files and command lines.

::

    python tests/against_trec_eval.py --seconds 60 --seed 1

What both print and how both end is compared byte for byte. A difference that is wanted has a kind in
`EXPLAINED`; any other is printed with the smallest files and the fewest options that still show it.
trec_eval is built of its source in ``../shared/tools/trec_eval``; RANKMARK_TREC_EVAL says where else it is.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from rankmark.cli import main as rankmark
from rankmark.language.conventions.trec_table import TREC_MEASURES
from rankmark.peers.trec_plan import PREFERENCES

__all__ = [
    "Case",
    "Outcome",
    "Tally",
    "built",
    "compare",
    "explained",
    "group_cases",
    "random_cases",
    "real_cases",
]

SHARED = Path(__file__).parents[2] / "shared"
SOURCE = Path(os.environ.get("RANKMARK_TREC_EVAL") or SHARED / "tools" / "trec_eval")
DATA = Path(os.environ.get("RANKMARK_TEST_DATA") or SHARED / "data")
PATIENCE = 20
CANNOT_READ = 2
SURELY_MISSING = -10_000.0
"""A deviation that is part of a mean with -1000000, which stands for one that is not known."""

T = TypeVar("T")
Lines = tuple[bytes, ...]
Options = tuple[tuple[str, ...], ...]


# --- Both programs ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One command line with its files, each as its lines with their ends."""

    qrels: Lines
    run: Lines
    options: Options
    scores: Lines | None = None
    piped: bool = False
    """Whether the run comes from standard input."""

    def __str__(self) -> str:
        words = " ".join(repr(word) if " " in word else word for group in self.options for word in group)
        files = [f"  qrels   {b''.join(self.qrels)!r}", f"  run     {b''.join(self.run)!r}"]
        if self.scores is not None:
            files.append(f"  scores  {b''.join(self.scores)!r}")
        return "\n".join([f"trec_eval {words}{'  (run from standard input)' if self.piped else ''}", *files])


class Outcome(NamedTuple):
    """What a program printed, and how it ended; below 0 for one that crashed."""

    code: int
    out: bytes
    errors: str


@contextmanager
def built() -> Iterator[Path | None]:
    """The program, in a folder that is gone afterwards; None where there is no source, or no compiler."""
    if not (SOURCE / "trec_eval.c").exists() or not (shutil.which("make") and shutil.which("gcc")):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "trec_eval")
        shutil.copytree(SOURCE, copy, copy_function=shutil.copyfile)
        copy.chmod(0o755)
        subprocess.run(["make", "-s", "trec_eval"], cwd=copy, check=True, capture_output=True)
        yield copy / "trec_eval"


def _is_rbp(text: bytes | str) -> bool:
    return (
        re.match(r"Z?rbp(_p|[\s.]|$)", text if isinstance(text, str) else text.decode("latin-1")) is not None
    )


class Both:
    """Runs a case with both, theirs in a process of its own while ours runs here."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program = program
        self._paths = {name: str(folder / name) for name in ("qrels", "run", "scores")}
        self._pool = ThreadPoolExecutor(1)

    def outcomes(self, case: Case) -> tuple[Outcome, Outcome]:
        """How theirs and ours end."""
        for name, lines in (("qrels", case.qrels), ("run", case.run), ("scores", case.scores)):
            if lines is not None:
                Path(self._paths[name]).write_bytes(b"".join(lines))
        named = self._paths | ({"run": "-"} if case.piped else {})
        words = [word.format(**named) if "{" in word else word for group in case.options for word in group]
        text = b"".join(case.run) if case.piped else b""
        theirs = self._pool.submit(self._theirs, words, text)
        ours = _ours(words, text)
        return theirs.result(), ours

    def with_rbp_alone(self, case: Case, theirs: Outcome) -> Outcome:
        """What they print, but for rbp what they print if it is all that is asked for."""
        asked = [group for group in case.options if group[0].startswith(("-m", "--me"))]
        of_rbp = [
            group for group in asked if _is_rbp(group[-1].removeprefix("--measure=").removeprefix("-m"))
        ]
        others = tuple(
            group for group in case.options if group not in asked and not group[0].startswith(("-D", "--D"))
        )
        alone, _ = self.outcomes(replace(case, options=(*(of_rbp or [("-m", "rbp")]), *others)))
        values = iter(line for line in alone.out.splitlines(keepends=True) if _is_rbp(line))
        lines = theirs.out.splitlines(keepends=True)
        return theirs._replace(out=b"".join(next(values, line) if _is_rbp(line) else line for line in lines))

    def _theirs(self, words: Sequence[str], text: bytes) -> Outcome:
        done = subprocess.run(
            [self._program, *words], input=text, capture_output=True, timeout=PATIENCE, close_fds=False
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode("latin-1"))


def _ours(words: Sequence[str], text: bytes) -> Outcome:
    kept = sys.stdin, sys.stdout, sys.stderr
    out, errors = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(text))
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(out, encoding="utf-8"),
        io.TextIOWrapper(errors, encoding="utf-8"),
    )
    try:
        code = rankmark(["trec_eval", *words])
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(code, out.getvalue(), errors.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


# --- Wanted differences ------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A kind of difference that is wanted.

    Attributes:
        why: in words.
        ours: what is in our message when we refuse; None where we do not.
        theirs: of what they do, whatever ours does.

    """

    why: str
    ours: str | None = None
    theirs: Callable[[Case, Outcome, Outcome], bool] | None = None


def _crashed(_: Case, theirs: Outcome, __: Outcome) -> bool:
    return theirs.code < 0


def _has_mark(case: Case, _: Outcome, __: Outcome) -> bool:
    return any(lines[:1] and lines[0].startswith(b"\xef\xbb\xbf") for lines in (case.qrels, case.run))


def _lone_comment(case: Case, theirs: Outcome, _: Outcome) -> bool:
    comment = [line.startswith(b"#") for line in case.qrels]
    return theirs.code == CANNOT_READ and any(
        one and following for one, following in zip(comment, [*comment[1:], True], strict=True)
    )


def _same_but_for(lines: Callable[[bytes], bool], theirs: Outcome, ours: Outcome) -> bool:
    kept = [[line for line in outcome.out.splitlines() if not lines(line)] for outcome in (theirs, ours)]
    return theirs.code == ours.code and kept[0] == kept[1]


def _run_without_rows(case: Case, theirs: Outcome, ours: Outcome) -> bool:
    """What stands in memory may have ends of lines in it, so that lines cannot be compared."""
    rows = [line for line in case.run if line.strip(b" \t\r\n\f\v\0") and not line.lstrip().startswith(b"#")]
    before, name, after = ours.out.partition(b"runid                 \tall\t")
    same = re.escape(before + name) + b".*" + re.escape(after[after.find(b"\n") :])
    return bool(not rows and name and theirs.code == ours.code and re.fullmatch(same, theirs.out, re.DOTALL))


def _mean_is_missing(case: Case, theirs: Outcome, ours: Outcome) -> bool:
    lines = [line.split(b"\t") for line in ours.out.splitlines() if line.startswith(b"Z")]
    missing = {name for name, _, value in lines if float(value) < SURELY_MISSING}
    return case.scores is not None and _same_but_for(
        lambda line: line.split(b"\t")[0] in missing, theirs, ours
    )


def _printed_on_the_way(case: Case, theirs: Outcome, ours: Outcome) -> bool:
    left = iter(theirs.out.splitlines())
    asked = any(group[0].startswith(("-D", "--Debug")) for group in case.options)
    return asked and theirs.code == ours.code and all(line in left for line in ours.out.splitlines())


UNSET = "rbp beside other measures, whose least and greatest gain trec_eval does not set: rbp alone agrees"

EXPLAINED = [
    Kind("-l below 0 with a query of nothing but negative judgements", ours="has no meaning"),
    Kind("grades below 0, of which prefs_avgjg_Rnonrel reads too many", ours="has grades below 0"),
    Kind("what -D prints on the way", theirs=_printed_on_the_way),
    Kind("trec_eval crashes", theirs=_crashed),
    Kind("judgements without lines, which trec_eval makes some of", ours="has only comment lines"),
    Kind(
        "judgements with two comments in a row, or one at the end, which trec_eval refuses",
        theirs=_lone_comment,
    ),
    Kind("the name of a run without rows, which trec_eval does not set", theirs=_run_without_rows),
    Kind(
        "a mean that -Z's file lacks, for which trec_eval may take that of another query",
        theirs=_mean_is_missing,
    ),
    Kind("a byte order mark, which trec_eval takes for part of an id", theirs=_has_mark),
    Kind("a score that is no number, or NaN", ours="the score .* is not a number"),
    Kind("a grade that is no whole number", ours="the relevance .* is not a whole number"),
    Kind("a NUL byte in the middle of a file", ours="has a NUL byte"),
    Kind("a number that is none, in an option or a parameter", ours="is not a (whole )?number"),
    Kind("utility's fourth number without the size of the collection", ours="needs -N"),
    Kind(
        "a grade without a gain, or a patience that is none",
        ours="is no grade|parameter is p|has two values|gain is below",
    ),
    Kind("gains that trec_eval sorts wrongly", ours="gains .* less than 1 apart"),
    Kind(
        "a parameter beyond its range",
        ours="the cutoff|recall lies|from 0 to 1|between 0 and 1|above 0|below 0",
    ),
]


def difference(both: Both, case: Case) -> str | None:
    """Why the outcomes differ, empty if that is not explained; None if they are equal."""
    theirs, ours = both.outcomes(case)
    if theirs[:2] == ours[:2]:
        return None
    if why := explained(case, theirs, ours):
        return why
    if any(map(_is_rbp, theirs.out.splitlines())):
        alone = both.with_rbp_alone(case, theirs)
        return UNSET if alone[:2] == ours[:2] else explained(case, alone, ours)
    return ""


def explained(case: Case, theirs: Outcome, ours: Outcome) -> str:
    """Why a difference is wanted, empty if it is not."""
    for kind in EXPLAINED:
        if kind.theirs is not None and not kind.theirs(case, theirs, ours):
            continue
        if kind.ours is None or (ours.code and re.search(kind.ours, ours.errors)):
            return kind.why
    return ""


# --- Random cases ------------------------------------------------------------------------------------------

GRADES = [(0, 1), (0, 1, 2, 3), (0, 0, 0, 1), (1,), (-1, 0, 1), (-2, -1, 0, 1, 5), (0, 1, 2, 9, 12), (0,)]
QUERY_IDS = ["{}", "q{}", "q{:03}", "topic-{}"]
ITEM_IDS = ["d{}", "{}", "DOC-{:05}", "x{}y"]
QUERY_COUNTS = (1, 1, 1, 2, 2, 3, 5, 8, 16, 32)


WITH_MEANS = {
    "map": "map", "P.5": "P_5", "num_ret": "num_ret", "bpref": "bpref", "recall.5": "recall_5",
    "set_F": "set_F",
}  # fmt: skip
"""Measures, and the names of their lines."""


OF_PREFERENCES = ["prefs", "all_prefs", "all_prefs", "prefs_simp.5", "runid", "num_q", *PREFERENCES]
OF_QRELS_JG = [
    *("qrels_jg", "map_avgjg", "P_avgjg", "P_avgjg.3,1", "Rprec_mult_avgjg", "Rprec_mult_avgjg.0.5,1.5"),
    *("num_q", "map_avgjg.3"),
]
"""What is asked for of judgements of groups."""


class Draw(random.Random):
    """Random choices of what files and command lines are made of."""

    def often(self, share: float) -> bool:
        """Whether something happens."""
        return self.random() < share

    def case(self) -> Case:
        """A case."""
        qrels, run = self.files()
        return self.command(qrels, run)

    def command(self, qrels: Lines, run: Lines) -> Case:
        """A command line for these files."""
        options, scores = self.options(), None
        if any("{scores}" in word for group in options for word in group):
            options, scores = self.with_scores(options, qrels)
        return Case(qrels, run, options, scores, piped=self.often(0.05))

    # Files

    def files(self) -> tuple[Lines, Lines]:
        """Judgements and results of a few queries."""
        queries = self._ids(QUERY_IDS, self.choice(QUERY_COUNTS))
        size = self.choice((3, 6, 10, 20, 70)) if len(queries) <= 8 else self.choice((2, 5, 8))
        items = self._ids(ITEM_IDS, size)
        grades, space = self.choice(GRADES), self.choice((b" ", b" ", b" ", b"\t", b"  "))
        qrels: list[Sequence[bytes]] = []
        run: list[Sequence[bytes]] = []
        tag = self.choice((b"tag", b"run-1", b"t"))
        for query in queries:
            judged = self.sample(items, self.randint(1, len(items)))
            found = self.sample(items, self.randint(1, len(items)))
            if not self.often(0.04):
                qrels += [(query, b"0", item, b"%d" % self.choice(grades)) for item in judged]
            if not self.often(0.08):
                scores = self.scores(len(found))
                run += [(query, b"Q0", item, b"1", s, tag) for item, s in zip(found, scores, strict=True)]
        if self.often(0.2):
            self.shuffle(qrels)
            self.shuffle(run)
        if self.often(0.1):
            run = [(*row[:5], self.choice((b"a", b"b", b"c"))) for row in run]
        end = b"\r\n" if self.often(0.06) else b"\n"
        lines = [[space.join(row) + end for row in rows] for rows in (qrels, run)]
        for some in lines:
            while self.often(0.12):
                self.spoil(some)
        return tuple(lines[0]), tuple(lines[1])

    def groups(self) -> Case:
        """A case of preferences, or of judgements of several people."""
        format_ = self.choice(("prefs", "prefs", "prefs", "qrels_prefs", "qrels_jg"))
        items = self._ids(ITEM_IDS, self.choice((2, 4, 7, 12, 30)))
        judged: list[Sequence[bytes]] = []
        run: list[Sequence[bytes]] = []
        for query in self._ids(QUERY_IDS, self.choice((1, 1, 2, 3))):
            for group in self.sample((b"0", b"u1", b"a", b"z"), self.choice((1, 1, 2, 3))):
                judged += self._group(format_, query, group, items)
            found = self.sample(items, self.randint(0 if self.often(0.1) else 1, len(items)))
            scores = self.scores(len(found))
            run += [(query, b"Q0", item, b"1", s, b"tag") for item, s in zip(found, scores, strict=True)]
        if self.often(0.3):
            self.shuffle(judged)
        lines = [[b" ".join(row) + b"\n" for row in rows] for rows in (judged, run or [(b"q", b"0")])]
        for some in lines:
            while self.often(0.06):
                self.spoil(some)
        names = OF_QRELS_JG if format_ == "qrels_jg" else OF_PREFERENCES
        asked = [self.choice(names) for _ in range(self.choice((1, 2, 5)))]
        options: list[tuple[str, ...]] = [("-R", format_), *(("-m", name) for name in asked)]
        for share, group_of_words in (
            (0.8, ("-q",)),
            (0.1, ("-n",)),
            (0.5, ("-c",)),
            (0.15, ("-M", self.choice(("0", "1", "3")))),
            (0.1, ("-J",)),
            (0.1, ("-l", self.choice(("0", "2", "3", "-1")))),
            (0.02, ("-m", "map")),
            (0.1, ("-Z", "{scores}")),
        ):
            if self.often(share):
                options.append(group_of_words)
        scores_file = None
        if ("-Z", "{scores}") in options:
            queries = sorted({row[0] for row in judged})
            shown = [name for name in asked if name in PREFERENCES or name == "map_avgjg"]
            options = [each for each in options if each[0] != "-m" or each[1] in shown]
            rows = [(query, name) for query in queries for name in shown]
            scores_file = tuple(b"%b %b .25 .125\n" % (query, name.encode()) for query, name in rows)
        if not any(each[0] == "-m" for each in options):
            options.append(("-m", "num_q"))
        return Case(tuple(lines[0]), tuple(lines[1]), (*options, ("{qrels}",), ("{run}",)), scores_file)

    def _group(
        self, format_: str, query: bytes, group: bytes, items: Sequence[bytes]
    ) -> Iterator[Sequence[bytes]]:
        """The judgements of one person."""
        grades = (0, 0, 1, 2, 3) if self.often(0.8) else self.choice(GRADES)
        grade = {item: self.choice(grades) for item in items}
        for subgroup in (b"s", b"t", b"u")[: self.choice((1, 1, 2, 3)) if format_ == "prefs" else 1]:
            if self.often(0.05):
                grade = {item: value and self.choice(grades) for item, value in grade.items()}
            chosen = self.sample(items, self.randint(1, len(items)))
            for item in chosen + self.sample(chosen, self.often(0.03)):
                between = (subgroup,) if format_ == "prefs" else ()
                yield query, group, *between, item, b"%d" % grade[item]

    def _ids(self, patterns: Sequence[str], count: int) -> list[bytes]:
        pattern = self.choice(patterns)
        numbers = self.sample(range(1, 4 * count + 8), count)
        names = [pattern.format(number).encode() for number in numbers]
        if self.often(0.06):
            odd = self.choice((b"caf\xe9", b"\xff", "é".encode(), "東".encode(), b"\x80\xfe"))
            names = [name + odd if self.often(0.5) else name for name in names]
        return names

    def scores(self, count: int) -> list[bytes]:
        """Scores, in some lists with many ties."""
        if self.often(0.3):
            return [b"%d" % self.randint(0, 2) for _ in range(count)]
        if self.often(0.2):
            return [
                self.choice((b"1e3", b"-inf", b"inf", b"0", b"-0.0", b".5", b"5.", b"+2"))
                for _ in range(count)
            ]
        return [f"{self.gauss(0, 3):.{self.choice((1, 4, 9))}f}".encode() for _ in range(count)]

    def spoil(self, lines: list[bytes]) -> None:
        """Changes something about a file that somebody's program might write."""
        at = self.randint(0, len(lines))
        old = lines[min(at, len(lines) - 1)] if lines else b"q1 0 d1 1\n"
        words = old.split()
        changes: list[Callable[[], object]] = [
            lambda: lines.insert(at, old),
            lambda: lines.insert(at, b"# a comment\n"),
            lambda: lines.insert(at, b"  # indented, four\n"),
            lambda: lines.insert(at, b"\n"),
            lambda: lines.insert(at, b" \t\n"),
            lambda: lines.insert(0, b"\n"),
            lambda: lines.append(self.choice((b"\0", b"\0\0\0", b"\n", b"#", b"# end", b" "))),
            lambda: lines.insert(at, b"\f".join(words) + b"\n"),
            lambda: lines.insert(at, b" \v".join(words) + b" \n"),
            lambda: lines.insert(at, b" ".join(words[:-1]) + b"\n"),
            lambda: lines.insert(at, b" ".join([*words, b"more"]) + b"\n"),
            lambda: lines.append(lines.pop().rstrip()) if lines else None,
            lambda: lines.clear() if self.often(0.1) else None,
            lambda: lines.insert(0, b"\xef\xbb\xbf" + lines.pop(0)) if lines else None,
            lambda: lines.insert(
                at, old.replace(b"1", self.choice((b"1.5", b"nan", b"x", b"1e1", b"0x1", b"1.0")), 1)
            ),
            lambda: lines.insert(at, old[: len(old) // 2] + b"\0" + old[len(old) // 2 :]),
        ]
        self.choice(changes)()

    def with_scores(self, options: Options, qrels: Lines) -> tuple[Options, Lines]:
        """The options with measures of which -Z's file has the means, because trec_eval crashes on others."""
        names = self.sample(list(WITH_MEANS), self.randint(1, 3))
        others = [group for group in options if not group[0].startswith(("-m", "--m"))]
        queries = sorted({line.split()[0] for line in qrels if line.split()}) or [b"q"]
        rows = [
            f"{WITH_MEANS[name]} {self.choice(('0.5', '1', '.25'))} {self.choice(('0.1', '2', '1', '0'))}\n"
            for _ in queries
            for name in names
        ]
        places = [query for query in queries for _ in names]
        lines = [query + b" " + row.encode() for query, row in zip(places, rows, strict=True)]
        if self.often(0.2):
            lines.pop(self.randrange(len(lines)))
        return (*(("-m", name) for name in names), *others), tuple(lines)

    # Command lines

    def options(self) -> Options:
        """All words of a command line; files are written as ``{qrels}``."""
        groups: list[tuple[str, ...]] = [self.measure() for _ in range(self.choice((0, 1, 1, 2, 3, 4, 6)))]
        level = self.choice(("0", "1", "2", "2", "3", "5", "-1", "-2", "x", "1e1"))
        first = self.choice(("0", "1", "2", "3", "5", "10", "1000", "99999999999999999999", "2x"))
        size = self.choice(("100", "1000", "5", "0", "1e3"))
        for share, group in (
            (0.6, (self.choice(("-q", "-q", "-q", "--query_eval_wanted", "--query")),)),
            (0.15, (self.choice(("-n", "-n", "--nosummary")),)),
            (0.5, (self.choice(("-c", "-c", "-c", "--complete_rel_info_wanted", "--comp")),)),
            (0.2, self.choice((("-l", level), (f"-l{level}",), (f"--level_for_rel={level}",)))),
            (0.15, self.choice((("-M", first), (f"-M{first}",), ("--Max_retrieved_per_topic", first)))),
            (0.15, (self.choice(("-J", "-J", "--Judged_docs_only")),)),
            (0.1, self.choice((("-N", size), (f"--Number_docs_in_coll={size}",)))),
            (0.03, ("-o",)),
            (0.03, ("-D", self.choice(("0", "1", "x")))),
            (0.03, ("-R", "qrels")),
            (0.03, ("-T", "trec_results")),
            (0.03, self.choice((("-Z", "{scores}"), ("--Zscore={scores}",)))),
            (0.02, self.choice((("-v",), ("--version",), ("-x",), ("--bogus",), ("-R", "x"), ("extra",)))),
        ):  # fmt: skip
            if self.often(share):
                groups.append(group)
        self.shuffle(groups)
        if self.often(0.03):
            groups.insert(0, ("-qc",))
        files: list[tuple[str, ...]] = [("{qrels}",), ("{run}",)]
        if self.often(0.02):
            self.choice((files.pop, lambda: files.reverse(), lambda: files.insert(0, ("--",))))()
        if self.often(0.05):
            place = self.randint(0, len(groups))
            return (*groups[:place], *files, *groups[place:]) if ("--",) not in files else (*groups, *files)
        return (*groups, *files)

    def measure(self) -> tuple[str, ...]:
        """``-m`` with a measure."""
        name = self.choice(
            (self.choice(("official", "set", "all_trec")),)
            if self.often(0.04)
            else [m.name for m in TREC_MEASURES]
        )
        text = name + self.parameter(name)
        return self.choice(
            (("-m", text), ("-m", text), (f"-m{text}",), ("--measure", text), (f"--measure={text}",))
        )

    def parameter(self, name: str) -> str:
        """What follows a measure's name."""
        if self.often(0.45):
            return ""
        if self.often(0.06):
            wrong = (
                ".x",
                ".0",
                ".-1",
                ".",
                ".5,5",
                "_5",
                ".5.5",
                ".1=2",
                ".p=0.5",
                ".1e1",
                ".5_5",
                ".,",
                ".1,x",
                ".1,2",
            )
            return self.choice(wrong)
        whole = [str(self.randint(1, 40)) for _ in range(self.choice((1, 1, 2, 3)))]
        parts = [f"{self.random() * 1.1:.{self.choice((1, 2, 3))}f}" for _ in range(self.choice((1, 2, 3)))]
        grades = self.sample((0, 1, 2, 3, 5), len(whole))
        gains = [f"{grade}={self.choice((0, 1, 2, 3, 4, 7, 10))}" for grade in grades]
        if self.often(0.1):
            gains.append(f"{self.choice((1, 2, -1))}={self.choice((-1, 0.5, 1.5, 2))}")
        worths = [self.choice(("1", "-1", "0", "2", "0.5", "-.25")) for _ in range(4)]
        if name in ("iprec_at_recall", "11pt_avg", "Rprec_mult"):
            return "." + ",".join(part.removeprefix("0") if self.often(0.3) else part for part in parts)
        if name in ("ndcg", "ndcg_rel", "Rndcg", "G"):
            return "." + ",".join(gains)
        if name in ("rbp", "rbp_resid"):
            return f".p={self.choice(('0.8', '.5', '0.95', '0.1', '0.25'))}"
        if name == "utility":
            return "." + ",".join(worths)
        if name == "set_F":
            return f".{self.choice(('1', '0.5', '2', '4', '1.0', '.25', '0'))}"
        if name == "relstring":
            return f".{self.choice(('3', '5', '20', '100', '1'))}"
        return "." + ",".join(whole)


def random_cases(seed: int) -> Iterator[Case]:
    """Cases without end."""
    draw = Draw(seed)
    while True:
        yield draw.case()


def group_cases(seed: int) -> Iterator[Case]:
    """Cases of preferences, and of judgements of several people, without end."""
    draw = Draw(seed)
    while True:
        yield draw.groups()


REAL = [
    ("trec_eval/qrels.test", "trec_eval/results.test"),
    ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    ("trec_eval/qrels.test", "trec_eval/results.trunc"),
    ("trec_eval/qrels.test.with-comments", "trec_eval/results.test"),
    ("trec_eval/qrels-302.test", "trec_eval/results-302.test"),
    ("anserini_cacm/qrels.cacm.txt", "anserini_cacm/cacm-bm25.txt"),
    ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
    ("cwl_eval/qrel_file", "cwl_eval/result_file"),
]
"""Judgements and results, in the folder of real data."""


def real_cases(seed: int) -> Iterator[Case]:
    """Random command lines for the collections beside the checkout, without end if there are any."""
    draw = Draw(seed)
    pairs = [(DATA / qrels, DATA / run) for qrels, run in REAL]
    files = [
        tuple(tuple(path.read_bytes().splitlines(keepends=True)) for path in pair)
        for pair in pairs
        if all(path.exists() for path in pair)
    ]
    while files:
        qrels, run = draw.choice(files)
        yield draw.command(qrels, run)


# --- Comparing -------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What came of comparing.

    Attributes:
        compared: how many cases.
        seconds: in what time.
        processor: the processor time of this process, in which rankmark runs.
        wanted: how many differences there were of each kind that is explained.
        unexplained: the other differences, as small as they get.

    """

    compared: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    wanted: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        rates = [f"{self.compared / spent:.0f} a second" for spent in (self.seconds, self.processor)]
        lines = [
            f"{self.compared} combinations in {self.seconds:.1f} s: {rates[0]}, {rates[1]} of its own time",
            f"{len(self.unexplained)} differences unexplained, {sum(self.wanted.values())} explained",
        ]
        lines += [f"{count:7}  {why}" for why, count in self.wanted.most_common()]
        return "\n".join([*lines, *self.unexplained])


def compare(
    program: Path,
    cases: Iterator[Case],
    *,
    most: int | None = None,
    seconds: float | None = None,
    show: int = 10,
) -> Tally:
    """Compares until there are `most` cases, or `seconds` have gone by, or `show` differences are found."""
    tally, start, busy = Tally(), time.perf_counter(), time.process_time()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        both = Both(program, Path(folder))
        for case in cases:
            why = difference(both, case)
            tally.compared += 1
            if why:
                tally.wanted[why] += 1
            elif why is not None:
                tally.unexplained.append(_told(both, smallest(both, case)))
            tally.seconds, tally.processor = time.perf_counter() - start, time.process_time() - busy
            if tally.compared == most or len(tally.unexplained) >= show:
                break
            if seconds is not None and tally.seconds >= seconds:
                break
    return tally


def smallest(both: Both, case: Case) -> Case:
    """The case without whatever the difference does not need."""

    changed = True
    while changed:
        changed = False
        for tried in _smaller(case):
            if difference(both, tried) == "":
                case, changed = tried, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """The case without some of its options or lines, first without many."""
    for options in _without(case.options):
        yield replace(case, options=options)
    for run in _without(case.run):
        yield replace(case, run=run)
    for qrels in _without(case.qrels):
        yield replace(case, qrels=qrels)
    for scores in _without(case.scores or ()):
        yield replace(case, scores=scores)


def _without(whole: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    size = len(whole)
    while size:
        for start in range(0, len(whole), size):
            yield whole[:start] + whole[start + size :]
        size //= 2


def _told(both: Both, case: Case) -> str:
    theirs, ours = both.outcomes(case)
    lines = [
        f"\n{case}",
        f"  theirs  exit {theirs.code} {theirs.errors[:300]!r}",
        f"  ours    exit {ours.code} {ours.errors[-300:]!r}",
    ]
    theirs_out, ours_out = (outcome.out.splitlines() for outcome in (theirs, ours))
    lines += [f"  <  {line!r}" for line in theirs_out if line not in ours_out][:6]
    lines += [f"  >  {line!r}" for line in ours_out if line not in theirs_out][:6]
    return "\n".join(lines)


def main() -> int:
    """Compares for as long as one likes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of the random cases (default: 1)")
    parser.add_argument("--real", action="store_true", help="take the files of ../shared/data")
    parser.add_argument(
        "--groups", action="store_true", help="of preferences and several people's judgements"
    )
    parser.add_argument("--show", type=int, default=10, help="end after so many differences (default: 10)")
    asked = parser.parse_args()
    with built() as program:
        if program is None:
            print(f"there is no source of trec_eval in {SOURCE}, or no make and gcc")
            return 2
        kind = real_cases if asked.real else group_cases if asked.groups else random_cases
        cases = kind(asked.seed)
        tally = compare(program, cases, seconds=asked.seconds, show=asked.show)
    print(tally)
    return bool(tally.unexplained)


if __name__ == "__main__":
    sys.exit(main())
