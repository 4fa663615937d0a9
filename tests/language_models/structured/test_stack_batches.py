"""Do the numbers of a batch say which element lies on which stack, and which parts a constituent has?"""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.structured.derivations import CLOSE, OPEN, SHIFT, stacks_of, structure_of
from hengliang.language_models.structured.rnng import StackBatch, stack_batch
from tests.language_models.structured.random_networks import some_trees
from tests.language_models.structured.test_derivations import LABELS, derived

Element = Tree | str
"""What lies on a stack: a word, a finished constituent, or, as a text in brackets, one that was opened."""


def stacks_in(trees: list[Tree]) -> list[list[Element]]:
    """Return what lies on the stack before each step of these trees, played plainly."""
    found: list[list[Element]] = []
    for tree in trees:
        stack: list[Element] = []
        words = iter(tree.words())
        for step in structure_of(tree, LABELS):
            found.append(list(stack))
            if step == CLOSE:
                start = max(place for place, held in enumerate(stack) if isinstance(held, str) and held[0] == "(")
                parts, label = tuple(stack[start + 1 :]), str(stack[start])[1:]
                stack[start:] = [Tree(label, parts)]
            else:
                stack.append(next(words) if step == SHIFT else "(" + sorted(LABELS)[step - OPEN])
    return found


def elements_of(batch: StackBatch, trees: list[Tree]) -> list[Element]:
    """Return what each vector of a batch stands for, the begin first, from nothing but the numbers of the batch."""
    names = sorted(LABELS)
    found: list[Element] = ["begin", *(word for tree in trees for word in tree.words())]
    found += ["(" + names[label] for label in batch.opened.tolist()]
    for level in batch.composed:
        parts: list[list[int]] = [[] for _ in level.labels]
        turned: list[list[int]] = [[] for _ in level.labels]
        for column, rows in ((parts, level.parts), (turned, level.reversed_parts)):
            for row in rows:
                for place, number in enumerate(row.tolist()):
                    column[place].append(number)
        assert turned == [row[::-1] for row in parts]
        assert [len(row) for row in parts] == sorted((len(row) for row in parts), reverse=True)
        pairs = zip(level.labels.tolist(), parts, strict=True)
        found += [Tree(names[label], tuple(found[number] for number in row)) for label, row in pairs]
    return found


def stacks_of_batch(batch: StackBatch, elements: list[Element]) -> list[list[Element]]:
    """Return what lies on the stack before each step, from the numbers of the batch."""
    stacks: list[list[Element]] = [[]]
    uppermost = iter(batch.vectors[1:].tolist())
    before: list[list[Element]] = [[]]
    for level in batch.below:
        before = [[*before[under], elements[next(uppermost)]] for under in level.tolist()]
        stacks += before
    return [stacks[place] for place in batch.before.tolist()]


@given(some_trees(most=5), st.randoms(use_true_random=False))
def test_a_batch_holds_the_stacks_of_its_trees(trees: list[Tree], chance: Random) -> None:
    derivations = derived(trees)
    rows = list(range(len(trees)))
    chance.shuffle(rows)
    # Any trees of a corpus in any order.
    rows = rows[: max(1, len(rows) - 1)]
    chosen = [trees[row] for row in rows]
    batch = stack_batch(derivations, stacks_of(derivations), np.array(rows, np.int64))
    assert batch.vectors[0] == 0
    assert stacks_of_batch(batch, elements_of(batch, chosen)) == stacks_in(chosen)


def test_a_small_batch_by_hand() -> None:
    # (S (NP 老师) 看) and (S 书): steps S NP 老师 ) 看 ) and S 书 ). Vectors: begin 0, words 1 2 3, OPENs 4 5 6, then
    # by height (NP 老师) 7 and (S 书) 8, of height 1, and (S …) 9, of height 2.
    trees = [Tree("S", (Tree("NP", ("老师",)), "看")), Tree("S", ("书",))]
    derivations = derived(trees)
    batch = stack_batch(derivations, stacks_of(derivations), np.array([0, 1]))
    assert batch.opened.tolist() == [LABELS["S"], LABELS["NP"], LABELS["S"]]
    assert [level.labels.tolist() for level in batch.composed] == [[LABELS["NP"], LABELS["S"]], [LABELS["S"]]]
    assert [[part.tolist() for part in level.parts] for level in batch.composed] == [[[1, 3]], [[7], [2]]]
    # By depth: 1 holds (S of the first, the whole first tree, (S of the second and the whole second tree; 2 holds (NP,
    # (NP 老师) and 书; 3 holds 老师 and 看.
    assert batch.vectors.tolist() == [0, 4, 9, 6, 8, 5, 7, 3, 1, 2]
    assert [level.tolist() for level in batch.below] == [[0, 0, 0, 0], [0, 0, 2], [0, 1]]
    # Before the steps lie the stacks: empty, (S, (S (NP, … 老师, (S (NP 老师), … 看; empty, (S, (S 书.
    assert batch.before.tolist() == [0, 1, 5, 8, 6, 9, 0, 3, 7]
