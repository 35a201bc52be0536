"""Names of measures that are not here: what a reader may look for in vain, so that no other is suggested."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rankmark.language.definition import key_of

__all__ = ["absent", "nearly_absent"]

OF_TEXTS = "it is of texts"

ABSENT: Mapping[str, str] = {
    **dict.fromkeys(("BLEU", "ROUGE", "METEOR", "BERTScore", "Perplexity"), OF_TEXTS),
    "Faithfulness": OF_TEXTS,
    "Diversity": "within lists it is IntraListDiversity, and between them Personalisation",
    "Entropy": "of categories of lists it is CategoryEntropy, and of what is recommended ExposureEntropy",
    **dict.fromkeys(("ILS", "IntraListSimilarity"), "it is 1 minus IntraListDiversity"),
    "PopularityBias": "it is Popularity, against what users had PopularityLift, and between items PopRSP",
    "Exposure": "as the attention that groups of items get it is GroupExposure, as that of items EED",
    "Fairness": "as shares of attention of groups of items it is AWRF, as attention for relevance EEL",
    "Gini": "as the index of how evenly items are recommended it is ExposureGini",
    "ARP": (
        "as average recommendation popularity it is Popularity; as average relevance position (TF-Ranking) "
        "it is MeanRank(gain=linear)"
    ),
}
"""Each name, and what it is that is not measured."""
_KEYS = {key_of(name): why for name, why in ABSENT.items()}


def absent(name: str) -> str | None:
    """Why there is no measure of this name, if it is a known one; what stands after it may be a cutoff."""
    plain = re.sub(r"(_at)?_?[0-9]+$", "", name)
    why = _KEYS.get(key_of(name)) or _KEYS.get(key_of(plain))
    return f"{plain} is not measured here (yet): {why}" if why else None


def nearly_absent(name: str) -> str:
    """``"; did you mean X? …"`` for the known name that comes near, and what it is; or the empty string."""
    from difflib import get_close_matches

    near = get_close_matches(key_of(name), _KEYS, n=1, cutoff=0.8)
    called = next((each for each in ABSENT if [key_of(each)] == near), None)
    return "" if called is None else f"; did you mean {called!r}? {ABSENT[called]}"
