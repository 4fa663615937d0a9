"""Are constituents compared as the usual scores for parsers compare them?"""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.bracketing import Bracketing, Span, compare_brackets, is_punctuation, spans_of
from hengliang.corpora.trees.constituents import Tree, right_branching, shuffled
from tests.corpora.trees.tree_strategies import deep_tree, trees

REFERENCE = Tree("S", (Tree("NP", ("他",)), Tree("VP", ("买", Tree("NP", ("新", "书")))), "。"))
FOUND = Tree("S", (Tree("NP", ("他",)), Tree("NP", ("买", Tree("NP", ("新",)), "书", "。"))))


def recursive_spans(tree: Tree, start: int = 0) -> list[Span]:
    found, place = [], start
    for part in tree.children:
        if isinstance(part, str):
            place += 1
        else:
            found += recursive_spans(part, place)
            place += len(part.words())
    return [(tree.label, start, place), *found]


def matched_one_by_one(one: Tree, two: Tree) -> int:
    """Return how many constituents of one tree have a partner in the other that no other has taken."""
    left = recursive_spans(two)
    count = 0
    for span in recursive_spans(one):
        if span in left:
            left.remove(span)
            count += 1
    return count


def test_spans_over_all_words_and_over_those_that_are_no_punctuation() -> None:
    assert spans_of(FOUND) == Counter([("S", 0, 5), ("NP", 0, 1), ("NP", 1, 5), ("NP", 2, 3)])
    assert spans_of(FOUND, punctuation=False) == Counter([("S", 0, 4), ("NP", 0, 1), ("NP", 1, 4), ("NP", 2, 3)])
    assert spans_of(FOUND, root=False).total() == 3
    assert spans_of(Tree("NP", (Tree("NP", ("书",)),))) == Counter({("NP", 0, 1): 2})
    quoted = Tree("S", (Tree("PRN", ("“",)), "走", Tree("PRN", ("”", "。"))))
    assert spans_of(quoted, punctuation=False) == Counter([("S", 0, 1)])


@pytest.mark.parametrize(
    ("word", "expected"),
    [("。", True), ("……", True), ("《", True), ("-", True), ("％", True), ("＋", False), ("书。", False), ("", False)],
)
def test_punctuation(word: str, expected: bool) -> None:
    assert is_punctuation(word) is expected


def test_scores_by_hand() -> None:
    # Without punctuation: reference S 0-4, NP 0-1, VP 1-4, NP 2-4; found S 0-4, NP 0-1, NP 1-4, NP 2-3.
    # The same with labels: S and the first NP, 2 of 4 and 2 of 4; without labels also 1-4, 3 of 4.
    score = compare_brackets([REFERENCE], [FOUND])
    assert (score.precision, score.recall, score.f1) == (0.5, 0.5, 0.5)
    assert (score.unlabelled_precision, score.unlabelled_recall, score.unlabelled_f1) == (0.75, 0.75, 0.75)
    assert (score.exact, score.exact_unlabelled, score.sentences) == (0, 0, 1)
    # With punctuation, VP 1-4 and NP 1-5 have different words.
    assert compare_brackets([REFERENCE], [FOUND], punctuation=True).matched_unlabelled == 2
    # Without the root: 1 of 3 with labels, 2 of 3 without.
    score = compare_brackets([REFERENCE], [FOUND], root=False)
    assert (score.matched, score.matched_unlabelled, score.reference, score.found) == (1, 2, 3, 3)
    assert (score.root, score.punctuation) == (False, False)
    # Added up over both sentences, not averaged: (2 + 4) of 8.
    assert compare_brackets([REFERENCE, REFERENCE], [FOUND, REFERENCE]).f1 == 0.75


def test_a_flat_tree_is_precise_but_finds_little() -> None:
    score = compare_brackets([REFERENCE], [Tree("S", REFERENCE.words())])
    assert (score.precision, score.recall, score.f1) == (1.0, 0.25, 0.4)  # 2 · 1 / (1 + 4)


def test_exact_matches_with_and_without_labels() -> None:
    relabelled = Tree("S", (Tree("DP", ("他",)), *REFERENCE.children[1:]))
    score = compare_brackets([REFERENCE, REFERENCE], [REFERENCE, relabelled])
    assert (score.exact, score.exact_unlabelled) == (1, 2)


def test_the_share_of_nothing_is_not_a_number() -> None:
    for score in (compare_brackets([], []), compare_brackets([Tree("S", ("。",))], [Tree("S", ("。",))])):
        assert math.isnan(score.f1) and math.isnan(score.precision) and math.isnan(score.unlabelled_recall)


@given(tree=trees(), root=st.booleans(), punctuation=st.booleans())
def test_a_tree_agrees_with_itself(tree: Tree, root: bool, punctuation: bool) -> None:
    assume(spans_of(tree, root=root, punctuation=punctuation))
    score = compare_brackets([tree], [tree], root=root, punctuation=punctuation)
    assert (score.f1, score.precision, score.recall, score.unlabelled_f1) == (1.0, 1.0, 1.0, 1.0)
    assert (score.exact, score.exact_unlabelled) == (1, 1)


def swapped(score: Bracketing) -> tuple[float, ...]:
    return score.recall, score.precision, score.unlabelled_recall, score.unlabelled_precision, score.f1, score.exact


@given(some=st.lists(trees(), min_size=1, max_size=8), root=st.booleans())
def test_precision_one_way_is_recall_the_other_way(some: list[Tree], root: bool) -> None:
    others = [
        tree if number % 3 else right_branching(tree.words()) for number, tree in enumerate(shuffled(some, seed=1))
    ]
    here = compare_brackets(some, others, root=root, punctuation=True)
    there = compare_brackets(others, some, root=root, punctuation=True)
    assert swapped(here) == pytest.approx(
        (there.precision, there.recall, there.unlabelled_precision, there.unlabelled_recall, there.f1, there.exact),
        nan_ok=True,
    )
    assert here.matched <= here.matched_unlabelled <= min(here.reference, here.found)
    assert here.exact <= here.exact_unlabelled


@given(some=st.lists(trees(), min_size=1, max_size=5))
def test_counts_agree_with_a_count_one_by_one(some: list[Tree]) -> None:
    others = shuffled(some, seed=2)
    assert [spans_of(tree) for tree in some] == [Counter(recursive_spans(tree)) for tree in some]
    score = compare_brackets(some, others, punctuation=True)
    assert score.matched == sum(map(matched_one_by_one, some, others))


def test_trees_of_different_sentences_are_refused() -> None:
    other = Tree("S", ("她", *REFERENCE.words()[1:]))
    with pytest.raises(UserError, match=r"Word 1 of sentence 2 is '他' in the reference and '她'"):
        compare_brackets([REFERENCE, REFERENCE], [FOUND, other])
    with pytest.raises(UserError, match="Sentence 1 has 5 words in the reference and 4"):
        compare_brackets([REFERENCE], [Tree("S", REFERENCE.words()[:4])])
    with pytest.raises(UserError, match="2 trees in the reference and 1"):
        compare_brackets([REFERENCE, REFERENCE], [FOUND])


def test_a_tree_as_deep_as_its_sentence_is_long() -> None:
    tree = deep_tree(3000)
    assert spans_of(tree).total() == 3000
    # A right-branching tree has no constituent of the last word alone.
    score = compare_brackets([tree], [right_branching(tree.words())])
    assert (score.matched, score.reference, score.found) == (2999, 3000, 2999)
