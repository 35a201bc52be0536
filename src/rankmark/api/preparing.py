"""The door for many small evaluations: what was asked is understood once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from rankmark.api.evaluation import evaluate_tables, ranked
from rankmark.dataclassing import dataclass
from rankmark.inputs import read_inputs
from rankmark.inputs.roles import ColumnNames
from rankmark.language.choices import GivenChoices, given
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.results.lists import ListResult

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Measures and choices that were understood, to be called with judgements and results.

    Attributes:
        plan: what is computed, and how.
        candidates: what was ranked, if it was said; else judgements may say so.
        columns: as for `rankmark.evaluate`, here and below.
        threads: how many to use.

    """

    plan: Plan
    candidates: str | None
    columns: ColumnNames | None
    threads: int | None

    def __call__(self, qrels: Any, run: Any) -> ListResult:
        """What `rankmark.evaluate` gives for these measures and choices, of one run.

        Raises:
            DataError: a table that cannot be evaluated as it is.

        """
        plan = self.plan
        if (candidates := ranked(self.candidates, qrels)) != self.candidates:
            plan = plan.of_candidates(candidates)
        return evaluate_tables(*read_inputs(qrels, run, self.columns), plan, threads=self.threads)


def prepare(
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[GivenChoices],
) -> Prepared:
    """Prepares an evaluation that is made many times, as in a loop over queries or steps of training.

    It takes less time than `evaluate`, above all of tables that `read_qrels` and `read_run` read before.

    Args:
        measures: as for `evaluate`, but for those of what is recommended.
        like: a convention, as there.
        columns: the columns to use, as there.
        threads: how many threads to use; all cores if None.
        choices: as there.

    Returns:
        What is called with judgements and results, and gives what `evaluate` gives of them.

    Raises:
        UsageError: an unknown measure, parameter or choice.

    Example:
        >>> import rankmark as rm
        >>> prepared = rm.prepare(["nDCG@10", "RR"], missing="skip")
        >>> prepared({"q": {"a": 1}}, {"q": ["b", "a"]}).values
        {'nDCG@10': 0.6309297535714575, 'RR': 0.5}

    """
    said = given(choices, GivenChoices, prepare)
    check_threads(threads)
    return Prepared(planned(measures, like, said), said.get("candidates"), columns, threads)
