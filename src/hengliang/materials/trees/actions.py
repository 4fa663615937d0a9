"""Which steps build a tree from the top down, and which tree do steps build?

A sentence and its tree are said together, from left to right [1]: "open" begins a constituent with a label, "shift"
says the next word, "close" ends the constituent that was begun last. Every tree is one list of actions, and no other.

[1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hengliang.core.errors import UserError
from hengliang.materials.trees.constituents import Tree

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
    place = "before the first constituent is open" if done is None else f"after the root '{done.label}' is closed"
    what = f"Action {number}, {action.kind}" + (f" '{action.name}'" if action.name else "")
    return UserError(f"{what}, comes {place}.", valid="A tree has one root, and every word lies within it.")


def _unfinished(number: int, opened: list[tuple[str, list[Tree | str]]]) -> UserError:
    if not opened:
        return UserError("There are no actions.", valid="A tree has at least three: open, shift, close.")
    labels = ", ".join(f"'{label}'" for label, _ in opened[:10]) + (", …" if len(opened) > 10 else "")
    return UserError(
        f"After action {number}, the last, {len(opened)} constituent{'s are' if len(opened) > 1 else ' is'} still open:"
        f" {labels}.",
        valid="Every open needs a close.",
    )
