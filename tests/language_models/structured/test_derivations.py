"""Do trees become the right steps, limits and stacks, and steps the tree again?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

from hengliang import UserError
from hengliang.corpora import Tree
from hengliang.language_models import edges_of
from hengliang.language_models.structured.derivations import (
    BOTTOM,
    CLOSE,
    NOTHING,
    OPEN,
    SHIFT,
    Derivations,
    Limits,
    allowed,
    derivations_of,
    limits_of,
    stacks_of,
    structure_of,
    tree_of_steps,
)
from tests.language_models.structured.random_networks import WORDS, some_trees

LABELS = {"NP": 0, "S": 1, "VP": 2}
TREE = Tree("S", (Tree("NP", ("老师",)), Tree("VP", ("买", "了")), "。"))
STEPS = [OPEN + 1, OPEN, SHIFT, CLOSE, OPEN + 2, SHIFT, SHIFT, CLOSE, SHIFT, CLOSE]


def derived(trees: Sequence[Tree]) -> Derivations:
    """Return the steps of trees; the id of a word is its place among all words."""
    words = [word for tree in trees for word in tree.words()]
    ids = np.array([WORDS.index(word) for word in words], np.int64)
    return derivations_of(trees, LABELS, ids, edges_of([len(tree.words()) for tree in trees]))


def test_the_steps_of_a_tree() -> None:
    found = derived([TREE, Tree("S", ("看",))])
    assert structure_of(TREE, LABELS) == STEPS
    assert found.steps.tolist() == [*STEPS, OPEN + 1, SHIFT, CLOSE]
    assert found.words[found.steps == SHIFT].tolist() == [
        WORDS.index(word) for word in ("老师", "买", "了", "。", "看")
    ]
    assert (found.words[found.steps != SHIFT] == NOTHING).all()
    assert (len(found), found.lengths.tolist(), found.firsts.tolist()) == (2, [10, 3], [0] * 10 + [10] * 3)


def played(trees: Sequence[Tree]) -> list[tuple[int, int]]:
    """Return how many constituents are open, and how many were just opened in a row, before each step."""
    rows = []
    for tree in trees:
        opened = chain = 0
        for step in structure_of(tree, LABELS):
            rows.append((opened, chain))
            opened += 1 if step >= OPEN else -1 if step == CLOSE else 0
            chain = chain + 1 if step >= OPEN else 0
    return rows


@given(some_trees())
def test_progress_is_that_of_a_plain_loop(trees: list[Tree]) -> None:
    derivations = derived(trees)
    progress = derivations.progress()
    assert list(zip(progress.opened.tolist(), progress.chain.tolist(), strict=True)) == played(trees)
    # Whatever the trees do is possible within their own limits.
    possible = allowed(progress, limits_of(derivations, len(LABELS)))
    assert possible[np.arange(len(derivations.steps)), derivations.steps].all()


def height(tree: Tree | str) -> int:
    """Return how many constituents lie above each other."""
    return 0 if isinstance(tree, str) else 1 + max(height(part) for part in tree.children)


def chain(tree: Tree | str) -> int:
    """Return how many constituents begin at the same place, this one included."""
    return 0 if isinstance(tree, str) else 1 + chain(tree.children[0])


@given(some_trees())
def test_limits_are_those_of_the_trees(trees: list[Tree]) -> None:
    everything = [part for tree in trees for part in (tree, *tree.parts())]
    expected = Limits(3, max(chain(part) for part in everything), max(height(tree) for tree in trees))
    assert limits_of(derived(trees), 3) == expected


def test_no_trees_have_the_smallest_limits() -> None:
    nothing = derived([])
    assert (len(nothing), limits_of(nothing, 2)) == (0, Limits(2, 1, 1))
    assert len(nothing.progress().opened) == 0
    assert len(stacks_of(nothing).below) == 0


@given(some_trees(most=1))
def test_steps_become_the_tree_again(trees: list[Tree]) -> None:
    (tree,) = trees
    assert tree_of_steps(structure_of(tree, LABELS), tree.words(), sorted(LABELS)) == tree


@given(some_trees())
def test_stacks_are_those_of_a_plain_play(trees: list[Tree]) -> None:
    derivations = derived(trees)
    stacks = stacks_of(derivations)
    for number, tree in enumerate(trees):
        first = int(derivations.offsets[number])
        stack: list[tuple[int, Tree | str | int]] = []  # the row, and the part or the label of an open constituent
        for place, step in enumerate(structure_of(tree, LABELS)):
            row = first + place
            children = stacks.children[stacks.edges[row] : stacks.edges[row + 1]].tolist()
            if step == CLOSE:
                start = max(at for at, (_, held) in enumerate(stack) if isinstance(held, int))
                parts = stack[start + 1 :]
                label = stack[start][1]
                closed = Tree(sorted(LABELS)[int(label)], tuple(held for _, held in parts))  # type: ignore[arg-type, misc]
                assert (stacks.opener[row], stacks.height[row]) == (stack[start][0], height(closed))
                assert children == [held for held, _ in parts]
                del stack[start:]
                pushed: Tree | str | int = closed
            else:
                assert (stacks.opener[row], stacks.height[row], children) == (BOTTOM, 0, [])
                pushed = step - OPEN if step >= OPEN else WORDS[derivations.words[row]]
            assert stacks.below[row] == (stack[-1][0] if stack else BOTTOM)
            stack.append((place, pushed))
            assert stacks.depth[row] == len(stack)
        assert [held for _, held in stack] == [tree]


def test_what_does_not_fit_is_named() -> None:
    ids, two = np.zeros(6, np.int64), [TREE, Tree("S", ("看", "书"))]
    with pytest.raises(UserError, match=r"Tree 2 has 2 words and its text 3"):
        derivations_of(two, LABELS, ids, np.array([0, 4, 7]))
    with pytest.raises(UserError, match="There are 2 trees and 1 texts"):
        derivations_of(two, LABELS, ids, np.array([0, 4]))
    with pytest.raises(UserError, match="No label of a constituent is called 'PP'"):
        derivations_of([Tree("PP", ("看",))], LABELS, ids, np.array([0, 1]))
    with pytest.raises(UserError, match="Tree 2 has an empty constituent"):
        derivations_of([TREE, Tree("S", (Tree("NP", ()), "看"))], LABELS, ids[:5], np.array([0, 4, 5]))
    with pytest.raises(UserError, match="The steps say 4 words, and 3 are given"):
        tree_of_steps(STEPS, ("老师", "买", "了"), sorted(LABELS))
    with pytest.raises(UserError, match="still open"):
        tree_of_steps(STEPS[:-1], TREE.words(), sorted(LABELS))
