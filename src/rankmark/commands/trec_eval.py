"""`rankmark trec_eval`."""

from __future__ import annotations

import getopt
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import click

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, RankmarkError, UsageError
from rankmark.rendering.words import harmless

if TYPE_CHECKING:
    from rankmark.peers.trec_arithmetic import Settings
    from rankmark.peers.trec_eval import Report

__all__ = ["trec_eval"]

VERSION = "10.0-rc3"

LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Judged_docs_only": "J",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Zscore=": "Z",
    "answered": "answered",
}
"""The long options, each with the short one that it is."""

SHORT = "hvqcnoJm:l:D:N:M:R:T:Z:"

HELP = """\
rankmark trec_eval [OPTIONS] QRELS RUN

Prints what trec_eval 10.0 prints, byte for byte, and ends with its exit codes.

QRELS has lines 'query iter item grade', RUN 'query Q0 item rank score tag';
'-' as RUN is standard input. Either can be compressed, or any other table that
rankmark reads (CSV, JSON lines, Parquet).

  -q, --query_eval_wanted         Print each query's values, too.
  -n, --nosummary                 Print no values of all queries together.
  -c, --complete_rel_info_wanted  Count judged queries without results as empty
                                  lists. Without it the first one ends the
                                  evaluation, as in trec_eval 10.0.
      --answered                  Leave such queries out, as trec_eval 9 did.
                                  (Only here.)
  -m, --measure MEASURE[.PARAMETERS]
                                  What to measure; repeat it. Also official
                                  (the default), set, all_trec, prefs,
                                  all_prefs, qrels_jg.
  -l, --level_for_rel N           Least grade that counts as relevant.
                                  [default: 1]
  -M, --Max_retrieved_per_topic N
                                  Use the first N items of a list.
  -J, --Judged_docs_only          Take items that nobody judged out of lists.
  -N, --Number_docs_in_coll N     Items in the collection, for the fourth number
                                  of utility.
  -Z, --Zscore FILE               Print by how many standard deviations a value
                                  differs from the mean in FILE, whose lines are
                                  'query measure mean deviation'.
  -R, --Rel_info_format FORMAT    Format of QRELS: qrels; prefs and qrels_prefs
                                  for measures of preferences (prefs_simp ...);
                                  qrels_jg for means over the groups of
                                  judgements of several people (map_avgjg ...).
  -T, --Results_format trec_results
                                  Format of RUN.
  -D, --Debug_level N             Does nothing here.
  -o                              Does nothing, as in trec_eval.
  -v, --version                   Say which trec_eval this follows.
  -h, --help                      Show this; with -m also what the measures are.

A line of -R prefs is 'query group subgroup item grade', of qrels_prefs and
qrels_jg 'query group item grade': text, which can be compressed. A group is one
person's; within a subgroup an item is preferred to each of a lower grade.

Parameters follow a measure's name after a dot: -m P.5,10 -m ndcg_cut.10
-m utility.2,-1,0,0 -m rbp.p=0.8 -m ndcg.1=3,2=9 -m set_F.2. If a measure is
given parameters twice (-m P.5 -m P.10), the first count. Long options can be
cut short.

Exit codes: 0; 1 for a wrong command line; 2 for a file, a format or a parameter
that cannot be used; 4 for a query that cannot be evaluated (no results, an item
twice, no judgement of 0 or above); 255 for a wrong FILE of -Z.

Faults of trec_eval that are refused here, with a message:
  - scores and grades that are no numbers (it takes them for 0), NaN, fractions
    of grades (it cuts them off), no numbers in options and parameters
  - p, multiples of R and β² out of their ranges
  - gains less than 1 apart (it sorts them wrongly), gains below 0, two gains
    for one grade
  - utility's fourth number without -N (it takes the collection to be empty)
  - -l below 0 with a query judged below 0 only (it divides by 0)
  - a NUL byte before the end of a file, judgements without lines, -M below 0
    (it crashes, or stops reading)
Faults of trec_eval that are not followed:
  - rbp beside other measures reads memory that nobody set; alone it agrees
  - two comments in a row in judgements, or one at their end, end it
  - a byte order mark is part of the first id
  - -Z can take another query's mean where one is missing, and crashes with
    some measures
  - the name of a run without lines is whatever stands in memory
  - preferences that contradict each other crash it; so do comments at the end
  - prefs_avgjg_Rnonrel with grades below 0 reads memory that nobody set
Not here: what -D prints on the way.
"""


class _AsTyped(click.Command):
    """A command that reads its options itself, by the rules of another program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["words"] = tuple(args)
        return []


@click.command("trec_eval", cls=_AsTyped, add_help_option=False)
def trec_eval(words: Sequence[str]) -> int:
    """Print what trec_eval 10.0 prints, byte for byte."""
    from rankmark.peers.trec_plan import UNUSABLE, USAGE, TrecEvalError

    try:
        return _run(_Asked.of(words))
    except TrecEvalError as error:
        return _failed(error, error.code)
    except (UsageError, DataError) as error:
        return _failed(error, UNUSABLE)
    except getopt.GetoptError as error:
        return _failed(f"trec_eval: {error} (rankmark trec_eval -h shows what there is)", USAGE)


def _failed(error: RankmarkError | str, code: int) -> int:
    click.echo(harmless(f"rankmark: error: {error}"), err=True)
    return code


@dataclass
class _Asked:
    """What was typed."""

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    measures: list[str] = field(default_factory=list)
    files: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, words: Sequence[str]) -> _Asked:
        """Reads a command line.

        Raises:
            GetoptError: an option that there is not, or one without its value.

        """
        asked = cls()
        options, asked.files = getopt.gnu_getopt(list(words), SHORT, list(LONG))
        letters = {name.removesuffix("="): letter for name, letter in LONG.items()}
        for option, value in options:
            letter = letters.get(option.lstrip("-"), option.lstrip("-"))
            if letter == "v":  # what follows is not heard
                asked.flags = {letter}
                break
            if letter == "m":
                asked.measures.append(value)
            elif f"{letter}:" in SHORT:
                asked.values[letter] = value
            else:
                asked.flags.add(letter)
        return asked

    def settings(self) -> Settings:
        """What holds for all measures."""
        from rankmark.peers.trec_arithmetic import Settings

        level, most = self._number("l"), self._number("M")
        if most is not None and most < 0:
            raise UsageError(f"-M {most} is not a number of items (trec_eval crashes)")
        return Settings(
            level=1 if level is None else level,
            complete="c" in self.flags,
            answered_only="answered" in self.flags,
            judged_only="J" in self.flags,
            most=most,
            items=self._number("N"),
        )

    def _number(self, letter: str) -> int | None:
        """The number that an option gives, read as far as it is one; None without the option."""
        from rankmark.peers.trec_plan import whole_number

        text = self.values.get(letter)
        if text is None:
            return None
        found = re.match(r"\s*[-+]?[0-9]+", text)
        if found is None:
            raise UsageError(f"-{letter} {text!r} is not a whole number (trec_eval would take it for 0)")
        if found.end() < len(text):
            self.notes.append(f"-{letter} {text} is read as {found[0]}, as trec_eval does")
        return whole_number(found[0])


def _run(asked: _Asked) -> int:
    from rankmark.peers.trec_deviations import read_deviations
    from rankmark.peers.trec_plan import FORMATS, USAGE, TrecEvalError, asked_for, plan

    named = asked_for(asked.measures)
    if "v" in asked.flags:
        from rankmark._native import __version__

        click.echo(f"trec_eval version {VERSION} (as rankmark {__version__} follows it)", err=True)
        return 0
    if "h" in asked.flags:
        click.echo(HELP, nl=False)
        click.echo("".join(_meanings(asked.measures)), nl=False)
        return 0
    if len(asked.files) != 2:
        raise TrecEvalError(_not_two(asked.files), USAGE)
    settings = asked.settings()
    for letter, known in (("R", FORMATS), ("T", ("trec_results",))):
        if asked.values.get(letter, known[0]) not in known:
            raise UsageError(f"-{letter} {asked.values[letter]}: trec_eval knows {', '.join(known)}")
    judgements, run = asked.files
    format_ = asked.values.get("R", "qrels")
    computed = _reader(format_, judgements, run)
    deviations = read_deviations(asked.values["Z"]) if "Z" in asked.values else None
    planned = plan(named)
    planned.refuse_others(format_)
    for note in (*asked.notes, *planned.notes):
        click.echo(harmless(f"rankmark: note: {note}"), err=True)
    report = computed(planned, settings, deviations)
    for block in report.blocks(per_query="q" in asked.flags, summary="n" not in asked.flags):
        click.echo(block, nl=False)
    return 0


def _reader(format_: str, judgements: str, run: str) -> Callable[..., Report]:
    """Reads both files, and says what evaluates them."""
    from rankmark.peers.trec_eval import evaluate, evaluate_groups
    from rankmark.peers.trec_files import read_files, read_results
    from rankmark.peers.trec_groups import read_groups

    if format_ == "qrels":
        return partial(evaluate, read_files(judgements, run))
    return partial(evaluate_groups, read_groups(judgements, format_), *read_results(run))


def _not_two(files: Sequence[str]) -> str:
    """What is wrong with a command line that does not name two files."""
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    said = f"{count} ({', '.join(files)})" if files else "no files"
    return f"trec_eval takes QRELS and RUN, not {said}; write -m before each measure (-h shows what there is)"


def _meanings(texts: Sequence[str]) -> Iterable[str]:
    """For each measure asked for what it is here."""
    from rankmark.language.measure import Measure
    from rankmark.peers.trec_plan import MEASURES, OF_GROUPS, PREFERENCES, asked_for

    for name in asked_for(texts).parameters if texts else ():
        known = MEASURES[name]
        if name in PREFERENCES:
            yield f"\n{name}\n    {PREFERENCES[name]}\n"
            continue
        if not known.measure:
            yield f"\n{name}\n    A line of text, and not a measure.\n"
            continue
        measure = Measure(*known.base)
        first = (measure.page.function.__doc__ or "").split("\n", 1)[0]
        over = "the mean over groups of " if name in OF_GROUPS else ""
        yield f"\n{name}\n    {over}{measure}: {first}\n    More: rankmark measures {measure.name}\n"
