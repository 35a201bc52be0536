"""Words that take no more room than there is."""

from __future__ import annotations

from time import perf_counter

from rankmark.figures.words import broken, cut, cut_apart, width


def test_names_that_begin_alike_keep_their_ends() -> None:
    names = [f"what is the meaning of query {i}" for i in range(12)]
    shown = cut_apart(names, 11.5, 90)
    assert len(set(shown)) == 12
    assert all(width(each, 11.5) <= 90 for each in shown)
    assert all(each.startswith("w") for each in shown)


def test_names_that_begin_otherwise_lose_their_ends() -> None:
    names = ["bm25 with rm3 and much else", "dense with rm3 and much else", "short"]
    assert cut_apart(names, 11.5, 90) == [cut(name, 11.5, 90) for name in names]


def test_the_same_name_twice_stays_the_same() -> None:
    assert cut_apart(["bm25", "bm25"], 11.5, 90) == ["bm25", "bm25"]


def test_a_name_of_very_many_letters_is_cut_at_once() -> None:
    long = ["x" * 100_000 + "a", "x" * 100_000 + "b"]
    began = perf_counter()
    assert [each[-1] for each in cut_apart(long, 11.5, 90)] == ["a", "b"]
    assert "".join(broken(long[0], 11.5, 700)) == long[0]
    assert perf_counter() - began < 5


def test_names_that_begin_and_end_alike_keep_what_differs() -> None:
    names = [f"castorini/a-model-with-a-long-name ({i} terms, 10 docs, weight 0.5)" for i in (5, 10)]
    assert len(set(cut_apart(names, 11.5, 130))) == 2


def test_of_differences_both_names_are_seen_and_each_is_cut_alike() -> None:
    names = [f"castorini/a-model-with-a-long-name ({i} terms, 10 docs)" for i in (5, 10, 20)]
    shown = cut_apart([f"{names[0]} − {names[1]}", f"{names[2]} − {names[0]}", "a − b"], 11.5, 200)
    assert all(" − " in each and width(each, 11.5) <= 200 for each in shown)
    assert len(set(shown)) == 3
    assert shown[0].split(" − ")[0] == shown[1].split(" − ")[1]
