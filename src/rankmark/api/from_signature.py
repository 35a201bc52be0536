"""The door of signatures: what one describes is evaluated again, on other tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.inputs import Input, read_inputs, read_shared
from rankmark.inputs.places import Places
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import Choices
from rankmark.language.plan import Plan
from rankmark.language.signature import DEFAULTS_OF_ROWS, Recipe, read_signature
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    from rankmark.results.lists import ListResult
    from rankmark.results.predictions import PredictionResult

__all__ = ["Evaluation", "from_signature"]

CHOICES_OF_PREDICTIONS = ("ties", "seed", "no_relevant", "duplicates", "short_lists")


def from_signature(signature: str | Recipe) -> Evaluation:
    """The evaluation that a signature describes, in its full or its short form.

    Args:
        signature: what `Result.signature` gave, in this version or an earlier one; or what
            `Result.evaluation` gave, which can have a function for a parameter.

    Returns:
        What evaluates other tables in the same way: with `Evaluation.evaluate`, or a measure of predictions
        with `Evaluation.evaluate_predictions`.

    Raises:
        SignatureError: it is no signature, is of a later version, has a field that there is not, or is of a
            measure with a function for a parameter: what that computes no signature says.
        ChoiceError: a choice with a value that there is not.

    Example:
        >>> import rankmark as rm
        >>> evaluation = rm.from_signature("nDCG(gain=exp2)@10|missing:skip|rankmark:0.1.0")
        >>> evaluation.measure, evaluation.choices.missing
        (nDCG(gain=exp2)@10, 'skip')
        >>> evaluation.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}).values
        {'nDCG(gain=exp2)@10': 0.7967075809905066}
        >>> evaluation = rm.from_signature("PCOPC|positive:hit|rankmark:0.1.0")
        >>> evaluation.evaluate_predictions({"label": ["hit", "miss"], "score": [0.5, 0.75]}).values
        {'PCOPC': 1.25}

    """
    recipe = signature if isinstance(signature, Recipe) else read_signature(signature)
    return Evaluation(**{each.name: getattr(recipe, each.name) for each in fields(Recipe)})


@dataclass(frozen=True, slots=True)
class Evaluation(Recipe):
    """A measure and all that decides its value but the tables, with the doors for these.

    Attributes:
        measure: the measure with its parameters.
        choices: how ties, duplicates, missing queries … are decided.
        item_ids: the type of the items' ids; None for whichever the tables have.
        convention: the convention that the choices are of, ``NAME-VERSION``; None for none.
        k: where lists of arrays are ended; None for nowhere.
        positive: the label of positive rows, of predictions.
        weights: the column of the rows' weights, of lists that of the queries'; None for none.
        classes: of predictions of classes, how many there are; None for whatever the table has.

    """

    def evaluate(
        self,
        qrels: Any,
        run: Any,
        *,
        weights: WeightsBy = None,
        columns: Mapping[str, Any] | None = None,
        threads: int | None = None,
        items: Any = None,
        train: Any = None,
    ) -> ListResult:
        """Evaluates so; the tables are whatever `rankmark.evaluate` takes.

        Integer item ids are ordered as text where `item_ids` says so. Where `weights` of the signature names
        the weights of queries, these are that column of the tables, or what is given as ``weights``. A
        measure of what is recommended also takes ``items`` and ``train``, and `qrels` may be None.

        Raises:
            UsageError: lists are to end after k items, which those of tables do as they are.
            MeasureError: the measure is one of predictions.
            DataError: a table that cannot be evaluated as it is, or item ids that are text where they are to
                be integers.

        """
        from rankmark.api.evaluation import evaluate_tables, refuse_without_judgements, with_known

        self._check_of_lists()
        self._check_named(weights)
        if self.is_cut:
            raise UsageError(
                f"the signature is of arrays whose lists end after {self.k} items; evaluate such with "
                "evaluate_arrays, or give tables of so many items, and a signature without k"
            )
        if self.classes is not None or self.positive != DEFAULTS_OF_ROWS["positive"]:
            labels = f"whose positive label is {self.positive!r}"
            if self.classes is not None:
                labels = f"of {counted(self.classes, 'class', 'classes')}"
            raise UsageError(
                f"the signature is of predictions {labels}; evaluate such with evaluate_predictions"
            )
        text_items = self.item_ids == "text"
        plan = Plan((self.measure,), self.choices, convention=self.convention, text_items=text_items)
        plan, known = with_known(plan, items, train, columns, judged=qrels is not None, aspects=True)
        judged = qrels
        if qrels is None:
            refuse_without_judgements(plan)
            run = read_shared(run, "run", columns)
            judged = run.queries()
        judgements, results = read_inputs(judged, run, columns)
        if self.item_ids == "integer":
            for table in (results,) if qrels is None else (judgements, results):
                _refuse_text(table)
        result = evaluate_tables(judgements, results, plan, threads=threads, known=known)
        return self._weighed(result, weights, Places(qrels, run, columns=columns))

    def evaluate_arrays(
        self,
        scores: Any,
        relevance: Any,
        *,
        exclude: Any = None,
        queries: Any = None,
        weights: WeightsBy = None,
        threads: int | None = None,
    ) -> ListResult:
        """Evaluates so; the arrays are whatever `rankmark.evaluate_arrays` takes.

        Where `weights` of the signature names the weights of queries, they are what is given as ``weights``.

        Raises:
            UsageError: arrays that do not fit together; weights that the signature does not name, or none
                where it does.
            MeasureError: the measure is one of predictions.
            DataError: arrays that cannot be evaluated as they are.

        """
        from rankmark.api.arrays import evaluate_arrays

        self._check_of_lists()
        self._check_named(weights)
        if self.weights is not None and weights is None:
            raise UsageError(f"the signature weighs queries by {self.weights!r}: give these as weights=")
        choices = asdict(self.choices)
        choices["precision"] = choices.pop("scores")
        k = self.k if self.is_cut else None
        result = evaluate_arrays(
            scores, relevance, self.measure, exclude=exclude, queries=queries, k=k, threads=threads, **choices
        )
        rows = range(len(scores)) if queries is None else queries
        return self._weighed(result, weights, Places(rows=rows))

    def _check_named(self, weights: WeightsBy) -> None:
        if self.weights is None and weights is not None:
            raise UsageError("the signature names no weights of queries: leave them out")

    def _weighed(self, result: ListResult, weights: WeightsBy, places: Places) -> ListResult:
        """The result with the weights that were given or are in the column of that name, if there are any."""
        found = Weighting.of(self.weights if weights is None else weights, places)
        if found is None or self.weights is None:
            return result
        return result.with_weights(replace(found, name=self.weights))

    def _check_of_lists(self) -> None:
        if not self.of_lists:
            raise MeasureError(
                f"{self.measure} is a measure of predictions, of one table; evaluate it with "
                "evaluate_predictions"
            )

    def evaluate_predictions(
        self,
        table: Any,
        *,
        label: str | None = None,
        score: str | Sequence[str] | None = None,
        predicted: str | None = None,
        query: str | None = None,
        item: str | None = None,
        weight: str | None = None,
        group: Any = None,
        threads: int | None = None,
    ) -> PredictionResult:
        """Evaluates so; the table is whatever `rankmark.evaluate_predictions` takes.

        Args:
            table: the labelled scores.
            label: the column of what happened.
            score: the column of predictions; for a measure of classes a column each.
            predicted: for a measure of classes, instead, the column of predicted classes.
            query: the column of the query, user or session.
            item: the column of the item; for a measure of lists.
            weight: the column of the weights, if it has another name than in `weights`.
            group: instead of the query, how many rows each has.
            threads: how many threads to use; all cores if None.

        Raises:
            UsageError: a measure of lists with a choice that there is not for predictions.
            DataError: a table that cannot be evaluated as it is; without the positive label or the column of
                weights that the signature says.

        """
        from rankmark.api.predictions import evaluate_predictions

        if self.of_lists and self.weights is not None:
            raise UsageError(
                f"the signature weighs queries by {self.weights!r}: evaluate with evaluate_predictions "
                "without it, and weigh the result, with_weights"
            )
        of_positives = self.classes is None if self.of_lists else self.measure.page.labels == "binary"
        return evaluate_predictions(
            table,
            self.measure,
            label=label,
            score=score,
            predicted=predicted,
            query=query,
            item=item,
            weight=weight or self.weights or "",
            group=group,
            positive=self.positive if of_positives else None,
            threads=threads,
            **self._choices_of_predictions(),
        )

    def _choices_of_predictions(self) -> dict[str, Any]:
        """The choices that an evaluation of predictions has; others are to be the standard."""
        if not self.of_lists:
            return {}
        choices, standard = asdict(self.choices), asdict(Choices())
        taken = {name: choices.pop(name) for name in CHOICES_OF_PREDICTIONS}
        for name, value in choices.items():
            if value != standard[name]:
                raise UsageError(
                    f"the signature says {name}:{value}, which predictions do not know; evaluate it with "
                    "evaluate"
                )
        return taken


def _refuse_text(table: Input) -> None:
    if table.table.kind(table.item) != "integer":
        raise DataError(
            f"the signature is of integer item ids, and those of {table.name} (column {table.item!r}) "
            "are text; cast them to integers"
        )
