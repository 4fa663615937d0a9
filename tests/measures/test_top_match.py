from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import top_k_accuracy_score

from hengliang import Response, UserError
from hengliang.core import find_registered as find
from hengliang.measures.label_match import LabelMatch
from hengliang.measures.top_match import TopMatch, top_match
from tests.measures.rankings import even, judged, judged_labels, slot, unanswered

CLASSES = ("个", "本", "张", "条", "把")
BOOK = [slot("book", "书", "本")]


def test_the_gold_answer_counts_in_the_first_k_places() -> None:
    answer = [even("book", "个", "册", "本", "部")]
    assert [judged(TopMatch(k), BOOK, answer)["value"][0] for k in (1, 2, 3, 4, 9)] == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_a_label_is_a_ranking_of_one() -> None:
    items = [slot("a", "书", "本"), slot("b", "纸", "张")]
    found = judged_labels(TopMatch(), items, {"a": "本", "b": "本"})
    assert found["value"].to_list() == [1.0, 0.0]


def test_seeds_whose_rankings_begin_alike_are_judged_apart() -> None:
    # Both say 个 first, so the two answers have one id; only the second ranking goes on with the gold answer.
    found = judged(TopMatch(), BOOK, [even("book", "个", "部", seed=1), even("book", "个", "本", seed=2)])
    assert found["about"].n_unique() == 1
    assert found.select("scored_system", "value").rows() == [("A (seed 1)", 0.0), ("A (seed 2)", 1.0)]


@pytest.mark.parametrize(
    "response", [even("nowhere", "个"), even("book"), unanswered("book", "failed", "out of memory")]
)
def test_what_cannot_be_judged_has_no_zero(response: Response) -> None:
    row = judged(TopMatch(), BOOK, [response]).row(0, named=True)
    assert row["value"] is None and row["status"] != "ok" and row["reason"]


def test_no_answers_give_no_judgements() -> None:
    assert judged(TopMatch(), BOOK, []).height == 0


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_an_impossible_k_is_refused(k: int) -> None:
    with pytest.raises(UserError, match="whole number from 1"):
        judged(TopMatch(k), BOOK, [])


ANSWERS = st.lists(st.tuples(st.sampled_from(CLASSES), st.permutations(CLASSES)), min_size=1, max_size=12)


@given(ANSWERS)
@settings(max_examples=25, deadline=None)
def test_it_grows_with_k_from_match_to_one(answers: list[tuple[str, list[str]]]) -> None:
    items = [slot(f"i{n}", "物", gold) for n, (gold, _) in enumerate(answers)]
    responses = [even(f"i{n}", *labels) for n, (_, labels) in enumerate(answers)]
    values = np.array([judged(TopMatch(k), items, responses)["value"].to_list() for k in range(1, len(CLASSES) + 1)])
    assert (np.diff(values, axis=0) >= 0).all() and (values[-1] == 1).all()
    assert values[0].tolist() == judged(LabelMatch(), items, responses)["value"].to_list()
    backwards = judged(TopMatch(2), items[::-1], responses[::-1])["value"].to_list()
    assert backwards[::-1] == values[1].tolist()


@given(ANSWERS, st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_the_mean_is_that_of_scikit_learn(answers: list[tuple[str, list[str]]], k: int) -> None:
    items = [slot(f"i{n}", "物", gold) for n, (gold, _) in enumerate(answers)]
    responses = [even(f"i{n}", *labels) for n, (_, labels) in enumerate(answers)]
    # scikit-learn takes a score for each class; five for the first of the ranking, one for the last.
    scores = [[5 - labels.index(label) for label in CLASSES] for _, labels in answers]
    expected = top_k_accuracy_score(
        [CLASSES.index(gold) for gold, _ in answers], scores, k=k, labels=range(len(CLASSES))
    )
    assert judged(TopMatch(k), items, responses)["value"].mean() == pytest.approx(expected)


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("measure", "top-3").kind is TopMatch
    assert (TopMatch().name, top_match(5).name, top_match(5, "five").name) == ("top-3", "top-5", "five")
    assert top_match().signature() == TopMatch().signature() != TopMatch(5).signature()
    assert [finding for finding in TopMatch().conformance() if not finding.kept] == []
