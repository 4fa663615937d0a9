"""Which trees of the same sentences say nothing about their structure?

A model that learns from trees may profit from their shapes and labels as such, whatever they say about the sentence.
Two controls tell: trees that all have the same shape, and trees that belong to other sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hengliang.core.errors import UserError
from hengliang.materials.trees.actions import CLOSING, Action, actions_of, tree_of
from hengliang.materials.trees.constituents import Tree

LABEL = "X"
"""The label of every constituent of a right-branching tree."""


def right_branching(words: Sequence[str]) -> Tree:
    """Return the tree in which every word but the last two stands beside a constituent of all words after it.

    >>> right_branching(["他", "买", "书"])
    Tree('X', ('他', Tree('X', ('买', '书'))))
    """
    if not words:
        raise UserError("A sentence without words has no tree.", valid="At least one word.")
    tree = Tree(LABEL, tuple(words[-2:]))
    for word in reversed(words[:-2]):
        tree = Tree(LABEL, (word, tree))
    return tree


def shuffled(trees: Sequence[Tree], seed: int) -> list[Tree]:
    """Return the same sentences in the same order, each with the shape and the labels of another of the same length.

    Among sentences of one length every shape stays as often as it was, and none stays with its own sentence (though
    two sentences may have had the same shape). A sentence whose length no other has gets its own shape back to front.
    """
    lengths: dict[int, list[int]] = {}
    for place, tree in enumerate(trees):
        lengths.setdefault(len(tree.words()), []).append(place)
    donors = list(range(len(trees)))
    for length, places in lengths.items():
        for place, donor in zip(places, _in_a_circle(places, Random(f"{seed} {length}")), strict=True):
            donors[place] = donor
    return [
        _with_words(_mirrored(tree) if donor == place else actions_of(trees[donor]), tree.words())
        for place, (tree, donor) in enumerate(zip(trees, donors, strict=True))
    ]


def _in_a_circle(places: list[int], random: Random) -> list[int]:
    """Return the places in an order in which none is where it was: one long circle, each of them equally likely [1].

    [1] Sattolo, S. (1986). An algorithm to generate a random cyclic permutation. Information Processing Letters, 22(6).
    """
    order = list(places)
    for last in range(len(order) - 1, 0, -1):
        other = random.randrange(last)
        order[last], order[other] = order[other], order[last]
    return order


def _mirrored(tree: Tree) -> list[Action]:
    """Return the actions of the tree back to front, its words too."""
    opened: list[str] = []
    labels: list[str] = []
    actions = actions_of(tree)
    for action in actions:  # the label of a constituent is wanted where it ends, which is where its mirror image begins
        if action.kind == "open":
            opened.append(action.name)
        elif action.kind == "close":
            labels.append(opened.pop())
    turned: list[Action] = []
    for action in reversed(actions):
        if action.kind == "close":
            turned.append(Action("open", labels.pop()))
        else:
            turned.append(CLOSING if action.kind == "open" else action)
    return turned


def _with_words(actions: list[Action], words: Sequence[str]) -> Tree:
    following = iter(words)
    return tree_of(Action("shift", next(following)) if action.kind == "shift" else action for action in actions)
