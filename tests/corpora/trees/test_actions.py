"""Is every tree one list of actions, and is every list that builds no tree refused?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.constituents import CLOSING, Action, Tree, actions_of, tree_of
from hengliang.corpora.trees.dependencies import read_dependencies
from hengliang.corpora.trees.sinica import read_sinica
from tests.corpora.trees.tree_strategies import deep_tree, trees

EXAMPLE = Tree("S", (Tree("NP", ("他",)), Tree("VP", ("买", Tree("NP", ("书",)))), "。"))
OPEN, SHIFT = Action("open", "S"), Action("shift", "他")


def test_the_actions_of_a_tree() -> None:
    assert [(action.kind, action.name) for action in actions_of(EXAMPLE)] == [
        *[("open", "S"), ("open", "NP"), ("shift", "他"), ("close", "")],
        *[("open", "VP"), ("shift", "买"), ("open", "NP"), ("shift", "书"), ("close", ""), ("close", "")],
        *[("shift", "。"), ("close", "")],
    ]
    assert tree_of(iter(actions_of(EXAMPLE))) == EXAMPLE


@given(tree=trees())
def test_actions_build_the_tree_they_come_from(tree: Tree) -> None:
    actions = actions_of(tree)
    assert tree_of(actions) == tree
    assert [action.name for action in actions if action.kind == "shift"] == list(tree.words())
    kinds = [action.kind for action in actions]
    assert kinds.count("open") == kinds.count("close") == 1 + sum(isinstance(part, Tree) for part in tree.parts())


@given(tree=trees(), data=st.data())
def test_a_missing_or_doubled_bracket_is_noticed(tree: Tree, data: st.DataObject) -> None:
    actions = actions_of(tree)
    place = data.draw(st.integers(0, len(actions) - 1))
    assume(actions[place].kind != "shift")
    for changed in (
        actions[:place] + actions[place + 1 :],
        actions[:place] + actions[place : place + 1] + actions[place:],
    ):
        with pytest.raises(UserError):
            tree_of(changed)


@given(actions=st.lists(st.sampled_from([OPEN, Action("open", "NP"), SHIFT, CLOSING]), max_size=12))
def test_what_builds_a_tree_is_what_the_tree_is_built_by(actions: list[Action]) -> None:
    try:
        tree = tree_of(actions)
    except UserError:
        tree = None
    assert tree is None or actions_of(tree) == actions


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([], "There are no actions"),
        ([SHIFT], r"Action 1, shift '他', comes before the first constituent is open"),
        ([CLOSING], "Action 1, close, comes before"),
        ([OPEN, SHIFT], r"After action 2, the last, 1 constituent is still open: 'S'"),
        ([OPEN, Action("open", "NP"), SHIFT], r"2 constituents are still open: 'S', 'NP'"),
        ([OPEN, CLOSING], "Action 2 closes an empty constituent 'S'"),
        ([OPEN, SHIFT, CLOSING, CLOSING], "Action 4, close, comes after the root 'S' is closed"),
        ([OPEN, SHIFT, CLOSING, OPEN, SHIFT, CLOSING], "Action 4, open 'S', comes after the root"),
        ([OPEN, SHIFT, CLOSING, SHIFT], "Action 4, shift '他', comes after the root.*one root"),
        ([OPEN, SHIFT, Action("close", "NP")], "Action 3 closes 'NP'.*has no name"),
        ([OPEN, SHIFT, Action("reduce")], "Action 3 is 'reduce'.*open, shift, close"),  # type: ignore[arg-type]
        ([OPEN] * 12, r"12 constituents are still open: ('S', ){10}…"),
    ],
)
def test_what_builds_no_tree(actions: list[Action], expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        tree_of(actions)


def test_a_tree_as_deep_as_its_sentence_is_long() -> None:
    tree = deep_tree(3000)
    assert len(actions_of(tree)) == 9000
    assert tree_of(actions_of(tree)) == tree


@pytest.mark.mirror
def test_the_trees_of_real_treebanks_are_rebuilt_exactly(mirror: Path) -> None:
    files = sorted((mirror / "ud_chinese").glob("*.conllu"))
    all_trees = [*read_sinica(mirror / "sinica_treebank" / "parsed")]
    all_trees += [sentence.tree() for file in files for sentence in read_dependencies(file)]
    assert len(all_trees) == 10_000 + 500 + 500 + 3_997
    assert [number for number, tree in enumerate(all_trees) if tree_of(actions_of(tree)) != tree] == []
