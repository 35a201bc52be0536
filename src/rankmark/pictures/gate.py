"""What a gate decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.gates import Allowance, Gate, LimitGate, MeasureGate
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Rule, Segments, picture
from rankmark.rendering.words import counted

__all__ = ["gate"]

PASSED, FAILED, UNSURE = "passed", "failed", "cannot tell"
TONES = {PASSED: "good", FAILED: "bad", UNSURE: "ink"}


@picture("gate", Gate, place=10)
def gate(shown: Gate) -> Figure:
    """What a gate decided of each measure: what was found, how far that can be off, and what passes.

    Args:
        shown: what the gate decided.

    """
    decided: list[MeasureGate | LimitGate] = [*shown.measures, *shown.limits]
    failed = [each for each in decided if not each.passed]
    of = counted(len(decided), "condition")
    panels = [_limit(each) for each in shown.limits]
    if shown.measures:
        panels.insert(0, _drops(shown))
    return Figure(
        title=f"The gate {'passed' if shown.passed else 'failed'}",
        subtitle=f"{len(failed)} of {of} not met" if failed else f"{of} met",
        description=" ".join(f"{line}." for line in shown.reasons),
        panels=tuple(panels),
        notes=tuple(_notes(shown)),
    )


def _notes(shown: Gate) -> Iterator[str]:
    if shown.confidence is not None:
        yield f"lines go to the worst that is possible with {100 * shown.confidence:g}% confidence"
    decided: list[MeasureGate | LimitGate] = [*shown.measures, *shown.limits]
    if any(_verdict(each, shown.allowed) == UNSURE for each in decided):
        yield f"{UNSURE}: what was found would pass, but the data do not show it, and so the gate fails"
    yield from shown.notes


def _verdict(own: MeasureGate | LimitGate, allowed: Allowance | None) -> str:
    """Whether it passed, failed, or would have passed by the point estimate."""
    if own.passed:
        return PASSED
    if isinstance(own, MeasureGate):
        within = allowed is not None and own.drop <= allowed.drop
    else:
        within = own.value >= own.limit if own.side == "least" else own.value <= own.limit
    return UNSURE if within else FAILED


def _drops(shown: Gate) -> Panel:
    """The drops of all measures that may not drop."""
    assert shown.allowed is not None
    own = shown.measures
    verdicts = [_verdict(each, shown.allowed) for each in own]
    relative = shown.allowed.relative
    return Panel(
        x=Axis(
            label=f"drop{', in % of the value before' * relative} (below 0 is better)",
            ticks="percent" if relative else "number",
        ),
        y=Axis(scale="names", names=tuple(each.measure for each in own), asides=tuple(verdicts)),
        marks=(
            Rule(x=0.0, tone="ink", dashed=False),
            Rule(x=shown.allowed.drop, name=f"allowed: {shown.allowed}"),
            *_marks([each.drop for each in own], [each.bound for each in own], verdicts),
        ),
    )


def _limit(own: LimitGate) -> Panel:
    """The value of a measure that has a limit."""
    verdict = _verdict(own, None)
    return Panel(
        x=Axis(label=f"{own.measure}, wanted at {own.side} {own.limit:.6g}"),
        y=Axis(scale="names", names=(own.measure,), asides=(verdict,)),
        marks=(
            Rule(x=own.limit, name="limit"),
            *_marks([own.value], [own.bound], [verdict]),
        ),
    )


def _marks(found: Sequence[float], bounds: Sequence[float | None], verdicts: Sequence[str]) -> Iterator[Mark]:
    """What was found and its bound, by what was decided of it."""
    values = np.array(found, np.float64)
    ends = np.array([np.nan if each is None else each for each in bounds], np.float64)
    places = np.arange(float(len(values)))
    for verdict, tone in TONES.items():
        kept = np.array([each == verdict for each in verdicts])
        if kept.any():
            at = places[kept]
            yield Segments(x=values[kept], y=at, to_x=ends[kept], to_y=at, tone=tone)
            yield Points(x=values[kept], y=at, name=verdict, tone=tone, hollow=verdict == UNSURE)
