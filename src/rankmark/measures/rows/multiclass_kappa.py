"""MulticlassKappa."""

from __future__ import annotations

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.classes import Classes, Predicted
from rankmark.kinds.rows import Undefined
from rankmark.language.registry import row_measure
from rankmark.statistics.agreement import Cost, costs_of


@row_measure(
    "MulticlassKappa",
    aliases=("Kappa", "cohen_kappa", "cohen_kappa_score"),
    variants={"quadratic_weighted_kappa": {"cost": "quadratic"}, "QWK": {"cost": "quadratic"}},
    bounds=(-1, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_kappa(
    classes: Classes,
    *,
    cost: Cost = "equal",
    ties: Predicted = "expected",
) -> float:
    """Cohen's kappa of predicted classes: how far they agree with the labels beyond what chance would.

        MulticlassKappa = 1 − Σ w · Σ cost(c, d) N_cd / Σ cost(c, d) P_c F_d

    The class with the greatest score is predicted. The sums are over pairs of classes c, d. N_cd is the
    weight of the rows of class c that are predicted to be of class d, P_c that of the rows of class c, and
    F_d that of the rows predicted to be of d. With equal costs it is (a − e) / (1 − e), a the accuracy and e
    that of chance.

    Args:
        cost: of a row of c that is predicted to be of d: ``equal`` is 1 for each that is wrong; ``linear`` is
            how far apart the classes stand in their order (ascending, unless `classes` says another), and
            ``quadratic`` its square (quadratic weighted kappa).
        ties: where m classes have the same greatest score, ``expected`` takes 1/m of the row for a prediction
            of each; ``first`` predicts the first of them in the order of the classes, as most tools do.

    Range: −1 to 1; 0 is what chance gives.
    All rows of one class and predicted to be: undefined, as in scikit-learn.

    Source: [cohen1968].

    Example:
        One of four rows is wrong, where by chance (2 · 2 + 1 · 2 + 1 · 4) / 4 would be: 1 − 1 / 2.5.

        >>> import rankmark as rm
        >>> table = {"label": ["a", "a", "b", "c"], "guess": ["a", "a", "b", "b"]}
        >>> kappa = rm.evaluate_predictions(table, "MulticlassKappa", predicted="guess")["MulticlassKappa"]
        >>> round(kappa, 6)
        0.6

    """
    cells, confusion = classes.cells(ties), classes.confusion(ties)
    numbers = np.arange(len(classes.names))
    observed = _native.exact_sum(cells.weight * costs_of(cells.label - cells.predicted, cost))
    chance = sum(
        own * _native.exact_sum(confusion.found * costs_of(numbers - number, cost))
        for number, own in enumerate(confusion.positive.tolist())
        if own
    )
    if chance == 0:
        raise Undefined("every row is of one class, and predicted to be")
    return float(1 - observed * classes.weight / chance)
