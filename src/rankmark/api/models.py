"""The front door for models: they are asked in batches for what they would recommend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import NDArray

from rankmark.api.arrays import checked_k, evaluate_scores
from rankmark.api.evaluation import evaluate_tables, with_known
from rankmark.api.finishing import Finish
from rankmark.api.predicting import Judged, predicted
from rankmark.api.recommending import recommended
from rankmark.errors import ChoiceError, UsageError
from rankmark.inputs import align_ids, read_qrels
from rankmark.inputs.clusters import ClustersBy
from rankmark.inputs.places import Places
from rankmark.inputs.sampling import mark_of
from rankmark.inputs.slicing import By
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import (
    ModelChoices,
    given,
)
from rankmark.language.measure import Measure
from rankmark.language.plan import check_threads, planned
from rankmark.progress import counting
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import IntervalName

if TYPE_CHECKING:
    from rankmark.results.lists import ListResult

__all__ = ["evaluate_model"]


class _Options(ModelChoices, total=False):
    """The keyword arguments of `evaluate_model` but for what is ranked."""

    like: str | None
    k: int | None
    batch_size: int
    exclude: Any
    columns: Mapping[str, Any] | None
    threads: int | None
    by: By
    attributes: Any
    weights: WeightsBy | Weighting
    intervals: bool | IntervalName
    confidence: float
    clusters: ClustersBy
    resamples: int
    catalogue: Any
    train: Any


@overload
def evaluate_model(
    model: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    items: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    candidates: None = None,
    **options: Unpack[_Options],
) -> ListResult: ...


@overload
def evaluate_model(
    model: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    items: None = None,
    candidates: Any,
    **options: Unpack[_Options],
) -> ListResult: ...


@overload
def evaluate_model(
    model: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    items: Sequence[int] | Sequence[str] | NDArray[Any],
    candidates: Any,
    **options: Unpack[_Options],
) -> Runs: ...


def evaluate_model(
    model: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    k: int | None = None,
    batch_size: int = 1024,
    items: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    candidates: Any = None,
    exclude: Any = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    by: By = None,
    attributes: Any = None,
    weights: WeightsBy | Weighting = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    catalogue: Any = None,
    train: Any = None,
    **choices: Unpack[ModelChoices],
) -> ListResult | Runs:
    """Measures how well a model ranks for the judged queries, which it is asked about in batches.

    The model is one of these, tried in this order:

    - an object with ``recommend(users, k)``, or a function ``model(users, k)``: for so many users it gives
      their items, best first, as a list a user or an array of shape [users, k], or a tuple of such items and
      their scores (a tuple is always that). A list may have less than k; of integers -1 stands for none.
    - an object with ``predict(user, items)``: it gives the scores of all `items`, or of the user's own
      `candidates`, for one user. With `candidates` it is tried first, and a function is that.

    Users are the queries of the judgements with their ids as they were read, integers as an array of NumPy
    and text as a list. While it takes longer than a second, a bar on stderr shows how many were asked.

    Args:
        model: what is asked.
        qrels: the judgements, as in `evaluate`.
        measures: as in `evaluate`.
        like: a convention, as in `evaluate`.
        k: how many items are asked for, by default the largest cutoff; needed if a measure has none. With
            ``predict`` the length at which lists end; if None they do not.
        batch_size: users that ``recommend`` is asked about at once.
        items: the ids of all items, for ``predict``, which is given them in ascending order.
        candidates: the items that are ranked for each user, for ``predict``, in the place of `items`:
            ``"test"`` for those that are judged for the user, what `sample_candidates` gave, which signatures
            say, or query and item as a table, a dict of lists … A user without any is a missing one. Values
            of different candidates are not comparable, and are higher than those among all items; with
            `items` both are computed, side by side.
        exclude: results that do not count, for ``predict``: query and item, as a table, a dict of lists …
            (whatever `qrels` can be), such as what the model was trained on. ``recommend`` leaves out
            itself what it should.
        columns: the columns of `qrels` to use, as in `evaluate`.
        threads: how many threads to use; all cores if None.
        by: what to slice the queries by, for `Result.slices`, as in `evaluate`: columns of `attributes` or
            `qrels`, ``{query: slice}``, a Series, a function, values of the rows of `qrels`.
        attributes: a path or table with a column of queries, for `by`, `weights` and `clusters`.
        weights: how much each query counts in means, as in `evaluate`.
        intervals: whether to give confidence intervals, for `Result.intervals`, as in `evaluate`.
        confidence: the share of intervals that hold the true value, 0 to 1.
        clusters: what a query belongs to, such as its user, over which intervals are then, as in `evaluate`.
        resamples: how many, for intervals that draw.
        catalogue: for measures of what is recommended, the items that can be, and what they are like, as
            `items` of `evaluate`.
        train: for these measures the interactions before, as in `evaluate`.
        **choices: as in `evaluate_arrays`, but for ``unjudged_queries``, which there are not; with
            ``predict`` and ``ties="random"`` the items are known by number.

    Returns:
        The values, those of each query, and the account of the queries; with `items` and `candidates` those
        among all and among the candidates by name.

    Raises:
        UsageError: an unknown measure or choice, or a model that cannot be asked or answers something else.
        DataError: judgements or answers that cannot be evaluated.

    Example:
        >>> import rankmark as rm
        >>> popular = ["a", "b", "c"]
        >>> qrels = {"ann": ["b"], "bob": ["a", "c"]}
        >>> rm.evaluate_model(lambda users, k: [popular[:k] for _ in users], qrels, ["HR@1", "RR@2"]).values
        {'HR@1': 0.5, 'RR@2': 0.75}
        >>> class Model:
        ...     def predict(self, user, items):
        ...         return [popular.index(item) for item in items]
        >>> judged = {"ann": {"a": 0, "b": 1}, "bob": {"b": 0, "c": 0, "a": 1}}
        >>> rm.evaluate_model(Model(), judged, "RR", candidates="test").values
        {'RR': 0.6666666666666666}

    """
    if items is not None and candidates is not None:
        shared: dict[str, Any] = {
            "like": like,
            "exclude": exclude,
            "columns": columns,
            "threads": threads,
            "by": by,
            "attributes": attributes,
            "weights": weights,
            "intervals": intervals,
            "confidence": confidence,
            "clusters": clusters,
            "resamples": resamples,
            "catalogue": catalogue,
            "train": train,
            **choices,
        }
        among: dict[str, Any] = {
            "all items": evaluate_model(model, qrels, measures, items=items, k=k, **shared),
            mark_of(candidates) or "candidates": evaluate_model(
                model, qrels, measures, candidates=candidates, **shared
            ),
        }
        return Runs(among)
    said = given(choices, ModelChoices, evaluate_model)
    plan = planned(measures, like, said | {"candidates": mark_of(candidates)}, items=True)
    plan, known = with_known(plan, catalogue, train, argument="catalogue")
    check_threads(threads)
    k = checked_k(k)
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ChoiceError(f"batch_size={batch_size!r} is not a whole number from 1")
    finish = Finish.asked(
        plan,
        Places(qrels, None, attributes, columns),
        by=by,
        weights=weights,
        intervals=intervals,
        confidence=confidence,
        clusters=clusters,
        resamples=resamples,
        threads=threads,
    )
    if candidates is not None:
        predict = _predictor(model, k)
        judgements = read_qrels(qrels, columns)
        results = predicted(predict, judgements, candidates, exclude)
        tables = align_ids(judgements, results)
        return finish.of(evaluate_tables(*tables, plan, threads=threads, known=known, of_candidates=True))
    recommend = _recommender(model)
    if recommend is None:
        judged = Judged(read_qrels(qrels, columns), items, exclude, plan.choices.duplicates)
        with counting("asking the model", len(judged.users)) as counter:
            arrays = judged.scored(model.predict, counter)
            result = evaluate_scores(
                arrays, plan, item_ids=judged.item_ids, k=k, threads=threads, known=known
            )
        return finish.of(result)
    if exclude is not None or items is not None:
        raise UsageError(
            "items and exclude are for predict(user, items): recommend decides itself on these; "
            "without candidates a function is recommend(users, k), so give an object with a method predict"
        )
    judgements = read_qrels(qrels, columns)
    results = recommended(recommend, judgements, _depth(k, plan.measures), batch_size)
    return finish.of(evaluate_tables(*align_ids(judgements, results), plan, threads=threads, known=known))


def _predictor(model: Any, k: int | None) -> Callable[[Any, Any], Any]:
    """What of a model predicts the scores of candidates.

    Raises:
        UsageError: nothing does, or something is said that does not go with candidates.

    """
    predict = getattr(model, "predict", None if hasattr(model, "recommend") else model)
    if not callable(predict):
        raise UsageError(
            "candidates are for predict(user, items), which the model does not have; give an object "
            "with that method, or a function of these two"
        )
    if k is not None:
        raise UsageError("k ends lists of all items; with candidates give each measure its cutoff, nDCG@10")
    return predict  # type: ignore[no-any-return]


def _recommender(model: Any) -> Callable[[Any, int], Any] | None:
    """What of a model recommends items; None where it predicts scores.

    Raises:
        UsageError: it does neither.

    """
    recommend: Callable[[Any, int], Any] | None = getattr(model, "recommend", None)
    if recommend or hasattr(model, "predict"):
        return recommend
    if not callable(model):
        raise UsageError(
            f"the model is of type {type(model).__name__}, which has neither recommend(users, k) nor "
            "predict(user, items) and is no function"
        )
    return model  # type: ignore[no-any-return]


def _depth(k: int | None, measures: tuple[Measure, ...]) -> int:
    """How many items to ask for."""
    if k is not None:
        return k
    for measure in measures:
        if measure.cutoff is None:
            raise UsageError(f"{measure} has no cutoff: say with k how many items to ask the model for")
    return max(measure.cutoff or 0 for measure in measures)
