"""Documents as tools of retrieval hand them around."""

from __future__ import annotations

import pytest

import rankmark as rm
from rankmark.hooks.documents import grades, ranked


def test_an_id_is_looked_for_in_the_document_and_in_what_is_said_of_it() -> None:
    assert ranked([{"id": "a"}, {"metadata": {"doc_id": "b"}}, "c"]) == ["a", "b", "c"]
    assert ranked({"a": 0.5}) == {"a": 0.5}
    assert grades([{"doc_uri": "a", "relevance": 3}, {"document_id": "b"}, "c"]) == {"a": 3, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([{"text": "…"}], "has no id; it is looked for as doc_uri, id, doc_id, document_id"),
        ([{"text": "…", "metadata": "page 3"}], "has no id"),
        (None, "None is not what was retrieved"),
        ("abc", "'abc' is not what was retrieved: give a list of ids or documents, or {id: score}"),
    ],
)
def test_what_has_no_ids_is_refused(found: object, said: str) -> None:
    with pytest.raises(rm.DataError) as raised:
        ranked(found)
    assert said in str(raised.value)
