"""IA."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.aspects import lists_of_aspects, sums
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.language.measure import measure_of_lists
from rankmark.language.parameters import ListMeasure
from rankmark.language.registry import item_measure

AP = ListMeasure("AP")


@item_measure(
    "IA",
    aliases=("IntentAware",),
    variants={
        "AP_IA": {"of": "AP"},
        "MAP_IA": {"of": "AP"},
        "P_IA": {"of": "P"},
        "nDCG_IA": {"of": "nDCG"},
        "RR_IA": {"of": "RR"},
        "MRR_IA": {"of": "RR"},
        "R_IA": {"of": "R"},
    },
    bounds=(0, None),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def intent_aware(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    of: ListMeasure = AP,
    empty: Literal["skip", "zero"] = "skip",
) -> Values:
    """Intent-aware: the mean of a measure over the aspects of a query, each with its own judgements.

        IA@k = Σ_a w_a · M_a@k / Σ_a w_a

    M_a is measure `of` with the judgements of aspect a alone, in which an item that is not judged for it is
    not judged. w_a is the weight of the aspect, 1 unless aspects have weights.

    Args:
        of: the measure of lists: a name, or with parameters a text, ``IA(of='nDCG(gain=exp2)')@10``; the
            cutoff follows the whole. Which items are relevant, it decides.
        empty: an aspect to which nothing is relevant is left out, ``skip`` (ndeval), or counts 0, ``zero``.

    Needs: judgements of aspects (subtopics, intents).

    Range: that of the measure.
    No relevant item: decided by `no_relevant`.

    Source: [agrawal2009].

    Example:
        For aspect 1 the list has hits at ranks 1 and 2, for aspect 2 at rank 1, for 3 none: P@2 of 1, ½, 0.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b"]}, ["IA(of=P)@2", "AP_IA"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.5, 0.666667]

    """
    own, query, weight = lists_of_aspects(lists.top(cutoff))
    values = measure_of_lists(of, cutoff).compute(own)
    assert not isinstance(values, tuple)  # those are refused
    queries = len(lists.offsets) - 1
    some = sums(query, weight * ~np.isnan(values), queries)
    every = sums(query, weight, queries) if empty == "zero" else some
    return ratio(sums(query, weight * np.nan_to_num(values), queries), every, some)
