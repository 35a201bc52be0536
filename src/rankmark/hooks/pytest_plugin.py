"""pytest: the fixture `rankmark_gate`, which fails a test where a candidate is worse than allowed.

pytest finds it by itself where rankmark is installed. Nothing of rankmark is loaded before a test uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rankmark.comparing.gates import Gate

__all__ = ["Gates", "rankmark_gate"]


class Gates:
    """The fixture: ``rankmark_gate(…)`` of runs, ``rankmark_gate.predictions(…)`` of labelled scores."""

    def __call__(self, *tables: Any, **options: Any) -> Gate:
        """Fails the test unless the candidate passes; takes what `rankmark.gate` takes.

        Returns:
            What was decided.

        """
        __tracebackhide__ = True
        from rankmark.comparing.gating import gate

        return _passed(gate(*tables, **options))

    def predictions(self, *tables: Any, **options: Any) -> Gate:
        """The same of what `rankmark.gate_predictions` takes."""
        __tracebackhide__ = True
        from rankmark.comparing.prediction_gate import gate_predictions

        return _passed(gate_predictions(*tables, **options))


@pytest.fixture
def rankmark_gate() -> Gates:
    """Fails the test unless a candidate passes.

    It is called as `rankmark.gate` is: ``rankmark_gate(qrels, old, new, "nDCG@10", max_drop="1%")``.
    """
    return Gates()


def _passed(gate: Gate) -> Gate:
    __tracebackhide__ = True
    if not gate:
        from rankmark.rendering.formats.table import FORMAT

        pytest.fail("\n\n".join(FORMAT.shown(gate._page(4))))
    return gate
