"""Constituent trees: their representation, the actions that build them, and control trees without syntax.

A constituent has a label and parts, each of them a constituent or a word. Models of sentences and their trees want
phrases over words, without a constituent for the part of speech of a single word; a reader of a treebank may return
those too, and `hengliang.corpora.trees.brackets` takes them away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, cast

from hengliang.core.errors import UserError

# --- trees ------------------------------------------------------------------------------------------------------------


_Flat = tuple[str | tuple[str, int], ...]


# A right-branching tree is as deep as its sentence is long. What a dataclass brings along for comparing, showing and
# pickling calls itself for every part and gives up at some 250 levels, so all of that goes by a list here.
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A constituent: its label and its parts, in the order of the sentence; a text among them is a word."""

    label: str
    children: tuple[Tree | str, ...]

    def words(self) -> tuple[str, ...]:
        """Return the words of the sentence.

        >>> Tree("IP", (Tree("NP", ("他",)), Tree("VP", ("走", "了")), "。")).words()
        ('他', '走', '了', '。')
        """
        return tuple(part for part in self.parts() if isinstance(part, str))

    def parts(self) -> Iterator[Tree | str]:
        """Yield every constituent and every word below this one, a constituent before its parts."""
        waiting: list[Tree | str] = list(reversed(self.children))
        while waiting:
            part = waiting.pop()
            yield part
            if isinstance(part, Tree):
                waiting.extend(reversed(part.children))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs: list[tuple[Tree | str, Tree | str]] = [(self, other)]
        while pairs:
            left, right = pairs.pop()
            if isinstance(left, str) or isinstance(right, str):
                if left != right:
                    return False
            elif left is not right:
                if left.label != right.label or len(left.children) != len(right.children):
                    return False
                pairs.extend(zip(left.children, right.children, strict=True))
        return True

    def __hash__(self) -> int:
        return hash(self._flat())

    def __repr__(self) -> str:
        shown: list[str] = []
        waiting: list[Tree | str | tuple[str]] = [self]  # a tuple holds a text to be shown as it is
        while waiting:
            part = waiting.pop()
            if isinstance(part, tuple):
                shown.append(part[0])
            elif isinstance(part, str):
                shown.append(repr(part))
            else:
                shown.append(f"Tree({part.label!r}, (")
                waiting.append((",))",) if len(part.children) == 1 else ("))",))
                for number, child in enumerate(reversed(part.children)):
                    waiting += [(", ",), child] if number else [child]
        return "".join(shown)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (self._flat(),))

    def _flat(self) -> _Flat:
        """Return every constituent as its label and number of parts, and every word, a constituent before its parts."""
        everything: Iterable[Tree | str] = (self, *self.parts())
        return tuple(part if isinstance(part, str) else (part.label, len(part.children)) for part in everything)


def _rebuilt(flat: _Flat) -> Tree:
    done: list[Tree | str] = []
    for part in reversed(flat):
        if isinstance(part, str):
            done.append(part)
        else:
            label, count = part
            below = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(Tree(label, tuple(reversed(below))))
    return cast(Tree, done[0])


# --- actions that build a tree ----------------------------------------------------------------------------------------
# A sentence and its tree are said together, from left to right [1]: "open" begins a constituent with a label, "shift"
# says the next word, "close" ends the constituent that was begun last. Every tree is one list of actions, and no other.
#
# [1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.

Kind = Literal["open", "shift", "close"]


@dataclass(frozen=True, slots=True)
class Action:
    """A step: its kind, and the label that it opens or the word that it shifts; a close has no name."""

    kind: Kind
    name: str = ""


CLOSING = Action("close")


def actions_of(tree: Tree) -> list[Action]:
    """Return the steps that build a tree.

    >>> [f"{action.kind} {action.name}".strip() for action in actions_of(Tree("S", (Tree("NP", ("他",)), "走")))]
    ['open S', 'open NP', 'shift 他', 'close', 'shift 走', 'close']
    """
    actions: list[Action] = []
    waiting: list[Tree | str | None] = [tree]  # None stands for the end of a constituent
    while waiting:
        part = waiting.pop()
        if part is None:
            actions.append(CLOSING)
        elif isinstance(part, str):
            actions.append(Action("shift", part))
        else:
            actions.append(Action("open", part.label))
            waiting.append(None)
            waiting.extend(reversed(part.children))
    return actions


def tree_of(actions: Iterable[Action]) -> Tree:
    """Return the tree that the steps build; steps that build no tree, or more than one, are an error."""
    opened: list[tuple[str, list[Tree | str]]] = []
    done: Tree | None = None
    number = 0
    for number, action in enumerate(actions, start=1):
        if done is not None or (not opened and action.kind != "open"):
            raise _outside(number, action, done)
        if action.kind == "open":
            opened.append((action.name, []))
        elif action.kind == "shift":
            opened[-1][1].append(action.name)
        else:
            tree = _closed(number, action, *opened.pop())
            if opened:
                opened[-1][1].append(tree)
            else:
                done = tree
    if done is None:
        raise _unfinished(number, opened)
    return done


def _closed(number: int, action: Action, label: str, parts: list[Tree | str]) -> Tree:
    if action.kind != "close":
        raise UserError(f"Action {number} is '{action.kind}', which is no action.", valid="Valid: open, shift, close.")
    if action.name:
        raise UserError(
            f"Action {number} closes '{action.name}'.",
            valid="A close has no name: it ends the constituent that was opened last.",
        )
    if not parts:
        raise UserError(
            f"Action {number} closes an empty constituent '{label}'.",
            valid="A constituent has at least one part.",
        )
    return Tree(label, tuple(parts))


def _outside(number: int, action: Action, done: Tree | None) -> UserError:
    where = "before the first constituent is open" if done is None else f"after the root '{done.label}' is closed"
    what = f"Action {number}, {action.kind}" + (f" '{action.name}'" if action.name else "")
    return UserError(f"{what}, comes {where}.", valid="A tree has one root, and every word lies within it.")


def _unfinished(number: int, opened: list[tuple[str, list[Tree | str]]]) -> UserError:
    if not opened:
        return UserError("There are no actions.", valid="A tree has at least three: open, shift, close.")
    labels = ", ".join(f"'{label}'" for label, _ in opened[:10]) + (", …" if len(opened) > 10 else "")
    return UserError(
        f"After action {number}, the last, {len(opened)} constituent{'s are' if len(opened) > 1 else ' is'} still open:"
        f" {labels}.",
        valid="Every open needs a close.",
    )


# --- controls ---------------------------------------------------------------------------------------------------------
# A model that learns from trees may profit from their shapes and labels as such, whatever they say about the sentence.
# Two controls of the same sentences, whose trees say nothing about their structure, tell: trees that all have the same
# shape, and trees that belong to other sentences.

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
    for number, tree in enumerate(trees):
        lengths.setdefault(len(tree.words()), []).append(number)
    donors = list(range(len(trees)))
    for length, numbers in lengths.items():
        for number, donor in zip(numbers, _in_a_circle(numbers, Random(f"{seed} {length}")), strict=True):
            donors[number] = donor
    return [
        _with_words(_mirrored(tree) if donor == number else actions_of(trees[donor]), tree.words())
        for number, (tree, donor) in enumerate(zip(trees, donors, strict=True))
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
