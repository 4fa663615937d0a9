"""Do controls keep the sentences and take away what their trees say?"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.constituents import Action, Tree, actions_of, right_branching, shuffled, tree_of
from tests.corpora.trees.tree_strategies import WORDS, deep_tree, trees

Shape = tuple[tuple[str, str], ...]


def shape(tree: Tree) -> Shape:
    return tuple((action.kind, "" if action.kind == "shift" else action.name) for action in actions_of(tree))


def shapes_by_length(some: list[Tree]) -> dict[int, Counter[Shape]]:
    """Return how often each shape occurs, by length, for lengths that occur more than once."""
    found: dict[int, Counter[Shape]] = {}
    for tree in some:
        found.setdefault(len(tree.words()), Counter())[shape(tree)] += 1
    return {length: counts for length, counts in found.items() if counts.total() > 1}


def mirrored(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(part if isinstance(part, str) else mirrored(part) for part in tree.children[::-1]))


def numbered(tree: Tree, sentence: int) -> Tree:
    """Return the tree over words that say from which sentence they are and which place they have."""
    actions = actions_of(tree)
    places = iter(range(len(actions)))
    return tree_of(
        Action("shift", f"{sentence}.{next(places)}") if action.kind == "shift" else action for action in actions
    )


def test_the_right_branching_trees_of_short_sentences() -> None:
    assert right_branching(["走"]) == Tree("X", ("走",))
    assert right_branching(["他", "走"]) == Tree("X", ("他", "走"))
    assert right_branching(("他", "不", "走", "。")) == Tree("X", ("他", Tree("X", ("不", Tree("X", ("走", "。"))))))
    with pytest.raises(UserError, match="without words"):
        right_branching([])


@given(words=st.lists(WORDS, min_size=1, max_size=30))
def test_right_branching_keeps_the_words(words: list[str]) -> None:
    tree = right_branching(words)
    assert list(tree.words()) == words
    constituents = [tree, *(part for part in tree.parts() if isinstance(part, Tree))]
    assert len(constituents) == max(len(words) - 1, 1)
    assert {part.label for part in constituents} == {"X"}
    # A constituent other than a single word's begins with a word, and ends where the sentence ends.
    assert all(isinstance(part.children[0], str) and part.words()[-1] == words[-1] for part in constituents)


@given(some=st.lists(trees(), max_size=12), seed=st.integers(0, 5))
def test_shuffling_keeps_words_and_shapes(some: list[Tree], seed: int) -> None:
    changed = shuffled(some, seed)
    assert [tree.words() for tree in changed] == [tree.words() for tree in some]
    assert shapes_by_length(changed) == shapes_by_length(some)
    assert shuffled(some, seed) == changed
    lengths = Counter(len(tree.words()) for tree in some)
    for old, new in zip(some, changed, strict=True):
        if lengths[len(old.words())] == 1:
            assert shape(new) == shape(mirrored(old))


def test_no_sentence_keeps_its_own_shape() -> None:
    # Labels that say whose they are show where each shape has gone.
    some = [Tree(f"S{number}", ("甲", Tree("VP", ("乙", "丙")))) for number in range(40)]
    for seed in range(20):
        donors = [tree.label for tree in shuffled(some, seed)]
        assert sorted(donors) == sorted(tree.label for tree in some)
        assert not any(tree.label == donor for tree, donor in zip(some, donors, strict=True))


def test_every_circle_of_four_is_drawn_about_equally_often() -> None:
    # Of four things there are 3! = 6 circular orders; 600 draws give 100 of each, with a deviation of about 9.
    some = [Tree(str(number), ("甲",)) for number in range(4)]
    drawn = Counter("".join(tree.label for tree in shuffled(some, seed)) for seed in range(600))
    assert len(drawn) == 6
    assert min(drawn.values()) > 60 and max(drawn.values()) < 140


def test_seeds_differ() -> None:
    some = [Tree(f"S{number}", ("甲", "乙")) for number in range(30)]
    assert shuffled(some, 1) != shuffled(some, 2)


def test_a_length_of_its_own_gets_its_mirror_image() -> None:
    own = Tree("S", (Tree("NP", ("他",)), Tree("VP", ("买", Tree("NP", ("新", "书")))), "。"))
    others = [Tree("S", ("走", Tree("NP", ("吧",)))), Tree("VP", (Tree("V", ("走",)), "吧"))]
    changed = shuffled([own, *others], 1)
    assert changed[0] == Tree("S", ("他", Tree("VP", (Tree("NP", ("买", "新")), "书")), Tree("NP", ("。",))))
    # Two sentences of one length can only change places.
    assert changed[1:] == [Tree("VP", (Tree("V", ("走",)), "吧")), Tree("S", ("走", Tree("NP", ("吧",))))]
    assert shuffled([], 1) == []


def test_trees_as_deep_as_their_sentences_are_long() -> None:
    some = [numbered(deep_tree(300), number) for number in range(3)] + [deep_tree(301)]
    changed = shuffled(some, 1)
    assert [tree.words() for tree in changed] == [tree.words() for tree in some]
    assert changed[0] == some[0]  # all three have the same shape
    assert isinstance(changed[3].children[0], Tree)
    words = [str(number) for number in range(3000)]
    assert list(right_branching(words).words()) == words
