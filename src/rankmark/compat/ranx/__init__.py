"""ranx (0.3) over rankmark: `from rankmark.compat.ranx import Qrels, Run, compare, evaluate`.

Values are those of ranx to twelve digits or more. Otherwise than there, equal scores keep the order in which
they were given, whatever their number; bpref has a value where no item is judged not relevant, and not NaN;
the randomisation test ("fisher") is exact where that can be computed, and draws other permutations where not;
grades that are no whole numbers are refused, and not cut off. Nothing is compiled at the first call.
"""

from __future__ import annotations

from typing import Any

from rankmark.compat.ranx.comparing import Report, compare
from rankmark.compat.ranx.evaluation import evaluate
from rankmark.compat.ranx.tables import Qrels, Run
from rankmark.errors import NotHereError

__all__ = ["NOT_HERE", "Qrels", "Report", "Run", "compare", "evaluate"]

NOT_HERE = {
    "fuse": "rankmark measures runs and makes none: fuse them with ranx, and give Run(fused.to_dict())",
    "normalize": "rankmark measures runs and makes none: normalise scores with ranx",
    "optimize_fusion": "rankmark measures runs and makes none: fuse them with ranx",
    "plot": "rm.compare(...).to_html() and rm.curve(...) show results",
}
"""What ranx has beside these, and what to do for it."""


def __getattr__(name: str) -> Any:
    if name in NOT_HERE:
        raise NotHereError(f"rankmark.compat.ranx has no {name}: {NOT_HERE[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
