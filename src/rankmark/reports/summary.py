"""What was found, in plain sentences: which system is better, by how much, how sure, what to distrust.

All figures are those of the results; nothing is computed here but which words they deserve.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankmark.comparing.caveats import skewed_lines
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import Pair, direction
from rankmark.comparing.prediction_words import least_lines, spread_lines
from rankmark.comparing.words import caution_lines
from rankmark.dataclassing import dataclass
from rankmark.language.written import written
from rankmark.rendering.words import chance, counted, printable
from rankmark.results.runs import OfRuns
from rankmark.results.sliced import slice_label

if TYPE_CHECKING:
    from rankmark.checks.report import CheckReport
    from rankmark.comparing.predictions import PredictionComparison, PredictionPair
    from rankmark.language.measure import Measure
    from rankmark.results.base import Result

__all__ = ["ISOLATES", "Summary", "isolated", "summary_of"]

DIGITS = 4
FEW = 5
"""Systems and measures that a sentence names."""
FIRST, LAST = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
ISOLATES = str.maketrans("", "", FIRST + LAST)
"""What takes them out of a text."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a reader should know who reads nothing else.

    Attributes:
        headline: the finding.
        sentences: how great it is, and how sure.
        doubts: what speaks against it.

    """

    headline: str
    sentences: tuple[str, ...]
    doubts: tuple[str, ...]


def summary_of(shown: OfRuns | Comparison | PredictionComparison, check: CheckReport | None) -> Summary:
    """The summary of results or of a comparison, and of what was found in the data."""
    if isinstance(shown, OfRuns):
        headline, *sentences = _measured(shown._runs)
        return Summary(headline, tuple(sentences), tuple(_found(check)))
    headline, *sentences = _compared(shown)
    return Summary(headline, tuple(sentences), (*_found(check), *_doubts(shown)))


def isolated(name: str) -> str:
    """A name in a sentence, whose direction of writing does not turn the words around it."""
    return f"{FIRST}{printable(name)}{LAST}"


def _listed(names: Iterable[str]) -> str:
    """``a, b and c``; of many names the first, and how many more there are."""
    names = list(names)
    if len(names) > FEW:
        names = [*names[: FEW - 1], f"{len(names) - FEW + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# --- One system, or several that are not compared ---------------------------------------------------------


def _measured(runs: Mapping[str, Result]) -> Iterator[str]:
    """What each run reached by the first measure."""
    first = next(iter(runs.values()))
    measure = first.measures[0]
    if len(runs) > 1:
        yield f"{counted(len(runs), 'system')}, each by itself."
        values = (f"{isolated(name)} {_value(measure, each[measure])}" for name, each in runs.items())
        yield f"By {measure.label}: {_listed(values)}. A comparison says which are more than chance."
        return
    (name,) = runs
    value = f"{measure.label} is {_value(measure, first[measure]) or 'undefined'}"
    yield f"{isolated(name)}: {value}." if name else f"{value}."
    yield f"It is of {first.account()[0]}."
    interval = first.intervals.get(measure.label)
    if interval is not None and interval.low < interval.high:
        low, high = (_value(measure, end) for end in (interval.low, interval.high))
        yield f"The data leave it between {low} and {high}, with {100 * interval.confidence:.6g}% confidence."
    others = [
        f"{each.label} {_value(each, first[each])}"
        for each in first.measures[1:]
        if first[each] == first[each]
    ]
    if others:
        yield f"Other values: {_listed(others)}."


# --- Systems that are compared ----------------------------------------------------------------------------


def _compared(shown: Comparison | PredictionComparison) -> Iterator[str]:
    measure = shown.pairs[0].measure
    own = [pair for pair in shown.pairs if pair.measure == measure]
    if len(own) == 1:
        yield from _two(shown, own[0])
    elif len(shown.baselines) == 1:
        yield from _against(own, shown.baselines[0])
    else:
        yield from _best(own)
    if len(own) > 1:
        yield from _corrected(shown)


def _two(shown: Comparison | PredictionComparison, pair: Pair | PredictionPair) -> Iterator[str]:
    """One pair, by every measure."""
    better, worse = _sides(pair)
    if pair.significant:
        finding = f"is better than {isolated(worse)}" if _is_good(pair) else f"differs from {isolated(worse)}"
        yield f"{isolated(better)} {finding}."
    elif _is_equal(pair):
        yield f"{isolated(pair.system)} and {isolated(pair.baseline)} are equally good in every query."
    else:
        yield f"{isolated(pair.system)} and {isolated(pair.baseline)} cannot be told apart."
    one, other = (_value(pair.measure, each) for each in (pair.value, pair.baseline_value))
    yield (
        f"By {pair.measure.label}, {isolated(pair.system)} has {one} and {isolated(pair.baseline)} {other}: "
        f"a difference of {_signed(pair)}{_between(shown, pair)}."
    )
    yield from _corrected(shown, pair)
    if isinstance(pair, Pair) and not _of_run(pair) and _is_good(pair):
        total = counted(pair.queries, "query", "queries")
        yield (
            f"On {total}, {isolated(pair.system)} is better {_times(pair.wins)}, "
            f"worse {_times(pair.losses)} and as good {_times(pair.ties)}."
        )
    yield from _others(shown, pair)


def _is_equal(pair: Pair | PredictionPair) -> bool:
    """Whether both have the same in every query; nobody counts that of rows, and of a run there is none."""
    return isinstance(pair, Pair) and not _of_run(pair) and not pair.wins + pair.losses


def _of_run(pair: Pair | PredictionPair) -> bool:
    """Whether queries have no values of it."""
    return pair.measure.page.aggregate == "run"


def _sides(pair: Pair | PredictionPair) -> tuple[str, str]:
    """The better and the worse."""
    ahead = pair.difference * direction(pair.measure) > 0
    return (pair.system, pair.baseline) if ahead else (pair.baseline, pair.system)


def _is_good(pair: Pair | PredictionPair) -> bool:
    """Whether more of the measure is better, or less; of how far scores are off, neither is."""
    return pair.measure.better != "neither"


def _between(shown: Comparison | PredictionComparison, pair: Pair | PredictionPair) -> str:
    low, high = (pair.figures[end] for end in ("low", "high"))
    if math.isnan(low):
        return ""
    plan = shown.plan if isinstance(shown, Comparison) else shown.plan.sampling
    ends = (written(pair.measure, end, DIGITS, "+") for end in (low, high))
    return f", {100 * plan.confidence:.6g}% interval {' to '.join(ends)}"


def _corrected(
    shown: Comparison | PredictionComparison, pair: Pair | PredictionPair | None = None
) -> Iterator[str]:
    """How sure it is, and that several tests were accounted for."""
    tests = sum(not math.isnan(each.p) for each in shown.pairs)
    how = "not corrected for" if shown.plan.correction == "none" else "corrected for all"
    several = f", {how} {counted(tests, 'test')}" if tests > 1 else ""
    if pair is None:
        if tests > 1:
            yield f"What is called better is so at p ≤ {shown.plan.alpha:g}{several}."
    elif not math.isnan(pair.corrected):
        p = chance(pair.corrected, DIGITS)
        p = f"= {p}" if p[0] != "<" else f"< {p[1:]}"
        yield f"Systems that are equally good would differ so by chance with p {p}{several}."


def _others(shown: Comparison | PredictionComparison, first: Pair | PredictionPair) -> Iterator[str]:
    """What the other measures say of the same pair."""
    agreeing: list[str] = []
    against: list[str] = []
    open_: list[str] = []
    equal: list[str] = []
    apart: list[str] = []
    for pair in shown.pairs:
        if pair.measure != first.measure:
            if _is_equal(pair):
                equal.append(pair.measure.label)
            elif not pair.significant:
                open_.append(pair.measure.label)
            elif not (_is_good(pair) and _is_good(first)):
                apart.append(pair.measure.label)
            elif _sides(pair) == _sides(first):
                agreeing.append(pair.measure.label)
            else:
                against.append(pair.measure.label)
    better, worse = _sides(first)
    if agreeing:
        also = " also" if first.significant else ""
        yield f"{isolated(better)} is{also} better by {_listed(agreeing)}."
    if against:
        yield f"But {isolated(worse)} is better by {_listed(against)}."
    if apart:
        yield f"They differ by {_listed(apart)}, of which neither more nor less is better."
    if equal:
        yield f"By {_listed(equal)} the two are{' also' * _is_equal(first)} equally good in every query."
    if open_:
        either = " either" * (not first.significant and not _is_equal(first))
        yield f"By {_listed(open_)} the two cannot be told apart{either}."


def _against(pairs: Sequence[Pair | PredictionPair], baseline: str) -> Iterator[str]:
    """Several systems against one."""
    label = pairs[0].measure.label
    if not _is_good(pairs[0]):
        yield from _apart(pairs)
        return
    better = [pair for pair in pairs if pair.significant and _sides(pair)[0] != baseline]
    worse = [pair for pair in pairs if pair.significant and _sides(pair)[0] == baseline]
    alike = [pair for pair in pairs if not pair.significant]
    many = f"{len(better) or 'None'} of {len(pairs)} systems {'is' if len(better) < 2 else 'are'}"
    yield f"{many} better than {isolated(baseline)} by {label}."
    for verdict, those in (("Better", better), ("Worse", worse), ("Not told apart from it", alike)):
        if those:
            ordered = sorted(those, key=lambda pair: -direction(pair.measure) * pair.difference)
            yield f"{verdict}: {_listed(f'{isolated(pair.system)} ({_signed(pair)})' for pair in ordered)}."


def _best(pairs: Sequence[Pair | PredictionPair]) -> Iterator[str]:
    """The one of several systems that leads, and which are not surely behind it."""
    measure = pairs[0].measure
    if not _is_good(pairs[0]):
        yield from _apart(pairs)
        return
    values = {pair.system: pair.value for pair in pairs} | {
        pair.baseline: pair.baseline_value for pair in pairs
    }
    leader = max(values, key=lambda name: direction(measure) * values[name])
    own = [pair for pair in pairs if leader in (pair.system, pair.baseline)]
    behind = [_sides(pair)[1] for pair in own if pair.significant]
    near = [{pair.system, pair.baseline}.difference([leader]).pop() for pair in own if not pair.significant]
    reached = _value(measure, values[leader])
    if not near:
        yield f"{isolated(leader)} is the best of {len(values)} systems by {measure.label}."
        yield f"With {reached} it is better than {_listed(map(isolated, behind))}."
        return
    yield f"No one of {len(values)} systems is surely the best by {measure.label}."
    yield f"{isolated(leader)} leads with {reached}, not told apart from {_listed(map(isolated, near))}."
    if behind:
        yield f"It is better than {_listed(map(isolated, behind))}."


def _apart(pairs: Sequence[Pair | PredictionPair]) -> Iterator[str]:
    """Several systems by a measure of which neither more nor less is better."""
    label, apart = pairs[0].measure.label, [pair for pair in pairs if pair.significant]
    yield f"{len(apart) or 'None'} of {len(pairs)} pairs of systems differ by {label}."
    yield f"Neither more nor less {label} is better."
    if apart:
        told = (f"{isolated(each.system)} from {isolated(each.baseline)} ({_signed(each)})" for each in apart)
        yield f"These are {_listed(told)}."


# --- What to distrust -------------------------------------------------------------------------------------


def _found(check: CheckReport | None) -> Iterator[str]:
    """What is serious in the data, and what else there is."""
    if check is None:
        return
    for finding in check.serious:
        yield f"{isolated(finding.where)}: {printable(finding.statement)}."
    less = dict.fromkeys(each.code for each in check.findings if each.severity == "worth knowing")
    if less:
        yield f"Worth knowing of the data: {'; '.join(check.codes[code] for code in less)}."


def _doubts(shown: Comparison | PredictionComparison) -> Iterator[str]:
    """What speaks against the finding, and against intervals and p-values."""
    yield from _turned(shown)
    if isinstance(shown, Comparison):
        lines = [*(f"of the intervals {line}" for line in caution_lines(shown.pairs)), *shown.notes]
    else:
        skewed = skewed_lines(shown.pairs, shown.alpha, shown.alternative)
        lines = [*shown.notes, *least_lines(shown.plan, shown.pairs), *spread_lines(shown.pairs), *skewed]
    names = tuple(printable(name) + end for name in shown.systems for end in ":, ")
    for line in lines:
        # A line may begin with the name of a system, which stays as it is written.
        first = line[0] if line.startswith(names) else line[0].upper()
        yield f"{first}{line[1:]}{'' if line.endswith('?') else '.'}"


def _turned(shown: Comparison | PredictionComparison) -> Iterator[str]:
    """Slices in which the worse of two systems is significantly better.

    Worse it is by the same measure or, where that cannot tell, by the first.
    """
    first = shown.pairs[0].measure
    known = {
        (pair.system, pair.baseline, pair.measure): _sides(pair)
        for pair in shown.pairs
        if pair.significant and _is_good(pair)
    }
    turned: dict[tuple[str, str], dict[str, list[str]]] = {}
    for each in () if shown.slices is None else shown.slices.pairs:
        pair = each.pair
        systems = pair.system, pair.baseline
        whole = known.get((*systems, pair.measure)) or known.get((*systems, first))
        if pair.significant and _is_good(pair) and whole is not None and _sides(pair) != whole:
            name = f"{printable(each.by)} {isolated(slice_label(each.slice))}"
            turned.setdefault(_sides(pair), {}).setdefault(name, []).append(pair.measure.label)
    for (better, worse), slices in turned.items():
        told = (f"{name} by {_listed(labels)}" for name, labels in slices.items())
        yield f"In slices {isolated(better)} is significantly better than {isolated(worse)}: {_listed(told)}."


def _value(measure: Measure, value: float) -> str:
    return written(measure, value, DIGITS)


def _signed(pair: Pair | PredictionPair) -> str:
    return written(pair.measure, pair.difference, DIGITS, "+")


def _times(number: int) -> str:
    return f"{number:,} times" if number != 1 else "once"
