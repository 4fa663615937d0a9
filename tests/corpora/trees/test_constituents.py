"""Do trees hold their words, and can deep ones be compared, shown and sent to another process?"""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

from hengliang.corpora.trees.constituents import Tree
from tests.corpora.trees.tree_strategies import deep_tree, trees

EXAMPLE = Tree("IP", (Tree("NP", ("他",)), Tree("VP", ("走", "了")), "。"))


def recursive_words(tree: Tree) -> list[str]:
    return [word for part in tree.children for word in ([part] if isinstance(part, str) else recursive_words(part))]


def recursively_equal(one: Tree | str, two: Tree | str) -> bool:
    if isinstance(one, str) or isinstance(two, str):
        return one == two
    return (
        one.label == two.label
        and len(one.children) == len(two.children)
        and all(map(recursively_equal, one.children, two.children))
    )


def test_a_constituent_comes_before_its_parts() -> None:
    assert [part if isinstance(part, str) else part.label for part in EXAMPLE.parts()] == [
        *("NP", "他", "VP", "走", "了", "。")
    ]
    assert EXAMPLE.words() == ("他", "走", "了", "。")


def test_a_tree_is_shown_as_it_is_written_in_code() -> None:
    assert repr(EXAMPLE) == "Tree('IP', (Tree('NP', ('他',)), Tree('VP', ('走', '了')), '。'))"
    assert repr(Tree("X", ())) == "Tree('X', ())"


def test_a_tree_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        EXAMPLE.label = "S"  # type: ignore[misc]


@pytest.mark.parametrize(
    "other",
    [
        Tree("CP", EXAMPLE.children),
        Tree("IP", EXAMPLE.children[:2]),
        Tree("IP", ("他", *EXAMPLE.children[1:])),
        Tree("IP", (Tree("NP", ("她",)), *EXAMPLE.children[1:])),
        Tree("IP", (Tree("DP", ("他",)), *EXAMPLE.children[1:])),
        "IP",
        None,
    ],
)
def test_trees_differ_by_label_word_and_shape(other: object) -> None:
    example = EXAMPLE
    assert other != example
    assert example != other


@given(tree=trees(), other=trees())
def test_as_recursion_would_have_it(tree: Tree, other: Tree) -> None:
    assert list(tree.words()) == recursive_words(tree)
    assert (tree == other) == recursively_equal(tree, other)
    assert eval(repr(tree), {"Tree": Tree}) == tree
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree and hash(again) == hash(tree)


def test_a_tree_as_deep_as_its_sentence_is_long() -> None:
    tree, other = deep_tree(3000), deep_tree(3000)
    assert tree == other
    assert tree != deep_tree(2999)
    assert hash(tree) == hash(other)
    assert repr(tree).count("Tree(") == 3000
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    assert len(tree.words()) == 3000
