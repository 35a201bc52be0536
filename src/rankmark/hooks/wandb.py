"""Weights & Biases: results in its runs.

Needs ``pip install wandb``.
"""

from __future__ import annotations

from typing import Any

from rankmark.errors import UsageError
from rankmark.hooks.records import about, check_loggable, numbers, queries
from rankmark.tools import tool

__all__ = ["log"]

MOST_ROWS = 200_000
"""Rows that W&B shows of a table."""


def log(
    result: Any, *, run: Any = None, prefix: str = "", step: int | None = None, files: bool | None = None
) -> None:
    """Logs a result, a comparison or a gate to a run of W&B.

    - metrics: its numbers by plain names, such as ``ndcg_at_10``, see `Result.to_dict`;
    - ``rankmark`` in the run's config: ``signature`` of each measure, ``version``, a gate's ``verdict``, and
      hashes of the ``inputs`` if they were hashed;
    - ``per_query``, a table of the values of each query, of the first 200,000, and ``report``, a page.

    Args:
        result: what rankmark returned.
        run: the run; the active one if None.
        prefix: what the names of all that begin with, such as ``valid/``.
        step: that of the metrics.
        files: whether to log the table and the page; if None, where there is no step.

    Raises:
        UsageError: what is logged has no numbers, or there is no run.
        ToolMissingError: W&B is not installed.

    Example:
        >>> import rankmark as rm
        >>> result = rm.evaluate("qrels.txt", "bm25.run", "nDCG@10", intervals=True)  # doctest: +SKIP
        >>> with wandb.init(project="search"):  # doctest: +SKIP
        ...     rm.hooks.wandb.log(result)

    """
    check_loggable(result)
    wandb = tool("wandb", "wandb")
    run = run or wandb.run
    if run is None:
        raise UsageError("there is no run of W&B to log to: call wandb.init() first, or give run=")
    run.config.update({f"{prefix}rankmark": about(result)}, allow_val_change=True)
    logged: dict[str, Any] = dict(numbers(result, prefix))
    if files if files is not None else step is None:
        logged[f"{prefix}report"] = wandb.Html(result.to_html())
        if (values := queries(result)) is not None:
            shown = values.head(MOST_ROWS)
            logged[f"{prefix}per_query"] = wandb.Table(columns=shown.columns, data=shown.rows())
    run.log(logged, step=step)
