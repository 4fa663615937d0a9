"""Labelled brackets: treebank files read and written, and plain trees for models of sentences and trees.

The format is that of the Penn treebanks [1, 2]: `(IP (NP (PN 他)) (VP (VV 走)) (PU 。))`, over as many lines as one
likes, several trees per file, with or without an outermost pair of brackets that has no label, and with or without
lines such as `<S ID=1>` around. Brackets among the words are written -LRB- and -RRB-.

[1] Marcus, M. P., Santorini, B., Marcinkiewicz, M. A. (1993). Building a large annotated corpus of English: The Penn
    Treebank. Computational Linguistics, 19(2), 313-330.
[2] Xue, N., Xia, F., Chiou, F., Palmer, M. (2005). The Penn Chinese TreeBank: Phrase structure annotation of a large
    corpus. Natural Language Engineering, 11(2), 207-238.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern

from hengliang.core.errors import UserError
from hengliang.corpora.catalogue import reads
from hengliang.corpora.plain_text import Faults, OnBroken, Reading, decoded_lines, nothing_found, open_reading
from hengliang.corpora.trees.constituents import Tree, actions_of

__all__ = ["OUTERMOST", "plain_tree", "read_brackets", "write_brackets"]

OUTERMOST = "TOP"
"""The label of a root that has none and that has several parts."""

_OUTER_LABELS = frozenset(("", OUTERMOST, "ROOT", "S1"))
_EMPTY = "-NONE-"
_FUNCTION = re.compile(r"(?<!^)[-=|].*", re.DOTALL)
# Only these separate: an ideographic space may itself be a word.
_SPACES = " \t\r\n"
_TOKEN = re.compile(rf"[()]|[^(){_SPACES}]+")
_WRAPPER = re.compile(r"\s*</?[A-Za-z][^<>()]*>(?:[^()]*</[A-Za-z][^<>()]*>)?\s*")
_MOST_LINES = 1000
_FORM = "A tree is (LABEL part part …), and a part is a word or a tree."
_REMEDY = "Correct the line; in Python, errors='skip' leaves broken trees out."


# --- reading ----------------------------------------------------------------------------------------------------------


@reads("brackets")
def read_brackets(path: Path | str, *, encoding: str = "utf-8", errors: OnBroken = "raise") -> Reading[Tree]:
    """Read the trees of a file as they stand there, parts of speech, empty categories and functional tags included.

    `plain_tree` takes those away. A broken tree is an error that names file and line; with `errors='skip'` it is left
    out and counted in `skipped`, and reading goes on where the next line begins with a bracket, not further in than the
    line on which the last tree began. A tree ends at the latest with a blank line, a line like `</S>`, or 1,000 lines.
    """
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_tree_rows(checked, codec, faults), faults)


def _tree_rows(path: Path, encoding: str, faults: Faults) -> Iterator[Tree]:
    any_tree = False
    for tree in _Scan(path, decoded_lines(path, encoding, faults), faults).trees():
        any_tree = True
        yield tree
    if not any_tree:
        raise nothing_found(path, "trees", faults)


@dataclass(slots=True)
class _Growing:
    """A tree that is being read: its lines so far, its open constituents, and the first thing wrong with it."""

    lines: list[tuple[int, str]]
    opened: list[tuple[str | None, int, list[Tree | str]]] = field(default_factory=list)
    fault: tuple[int, str] | None = None

    def open(self, line: int) -> None:
        """Begin a constituent; if no label came before it, the one around it has none."""
        if self.opened and self.opened[-1][0] is None:
            self._label("", line)
        self.opened.append((None, line, []))

    def say(self, token: str, line: int) -> None:
        """Take a label, or if there is one already, a word."""
        if self.opened[-1][0] is None:
            self._label(intern(token), line)
        else:
            self.opened[-1][2].append(token.replace("-LRB-", "(").replace("-RRB-", ")"))

    def _label(self, label: str, line: int) -> None:
        _, begun, parts = self.opened[-1]
        self.opened[-1] = (label, begun, parts)
        if not label and len(self.opened) > 1:
            self.spoil(line, "a constituent has no label; only the outermost one may do without")

    def close(self) -> Tree | None:
        """End a constituent; return it if it is the outermost one."""
        label, begun, parts = self.opened.pop()
        if not parts:
            self.spoil(begun, f"the constituent '{label}' is empty" if label else "a constituent is empty")
        tree = Tree(label or "", tuple(parts))
        if not self.opened:
            return tree
        self.opened[-1][2].append(tree)
        return None

    def spoil(self, line: int, fault: str) -> None:
        """Remember the first fault."""
        self.fault = self.fault or (line, fault)


class _Scan:
    """The way through the lines of a file."""

    def __init__(self, path: Path, lines: Iterator[tuple[int, str]], faults: Faults) -> None:
        self.path = path
        self.lines = lines
        self.faults = faults
        self.again: deque[tuple[int, str]] = deque()
        self.growing: _Growing | None = None
        self.lost = False
        self.indentation = 0

    def trees(self) -> Iterator[Tree]:
        """Yield the trees that are whole."""
        last = 0
        while (row := self._next_line()) is not None:
            number, line = row
            if number > last + 1:  # the line between did not decode, which is counted already
                self.growing, self.lost = None, True
            last = number
            if not line.strip(_SPACES) or _WRAPPER.fullmatch(line):
                if self.growing is not None:
                    self._give_up(self.growing, f"line {number}", (number, line))
                else:
                    self.lost = False
            elif self._found_again(line):
                yield from self._line(number, line)
            elif "(" not in line and ")" not in line:  # the rest of a broken tree has some, running text has none
                self._stray(number, line.strip(_SPACES)[:20])

    def _next_line(self) -> tuple[int, str] | None:
        row = self.again.popleft() if self.again else next(self.lines, None)
        if row is None and self.growing is not None:
            self._give_up(self.growing, "the end of the file")
            return self._next_line()
        return row

    def _found_again(self, line: str) -> bool:
        indentation = len(line) - len(line.lstrip(_SPACES))
        if self.lost and line[indentation] == "(" and indentation <= self.indentation:
            self.lost = False
        if self.growing is None and not self.lost:
            self.indentation = indentation
        return not self.lost

    def _line(self, number: int, line: str) -> Iterator[Tree]:
        if self.growing is not None:
            self.growing.lines.append((number, line))
            if len(self.growing.lines) > _MOST_LINES:
                self._give_up(self.growing, f"line {number}")
                return
        for token in _TOKEN.findall(line):
            if self.growing is None:
                if token != "(":
                    self._stray(number, token)
                    return
                self.growing = _Growing([(number, line)])
            if token == "(":
                self.growing.open(number)
            elif token == ")":
                tree, fault = self.growing.close(), self.growing.fault
                self.growing = None if tree is not None else self.growing
                if tree is not None and fault is None:
                    yield tree
                elif tree is not None and fault is not None:
                    self._note(*fault)
            else:
                self.growing.say(token, number)

    def _give_up(self, growing: _Growing, place: str, *further: tuple[int, str]) -> None:
        """Say that a tree never closes, and look for the next one behind its first line."""
        self.growing, self.lost = None, True
        self._note(growing.lines[0][0], f"a tree begins that is not closed before {place}")
        self.again.extendleft(reversed((*growing.lines[1:], *further)))

    def _stray(self, number: int, token: str) -> None:
        self.lost = True
        self._note(
            number,
            "a bracket closes that was never opened" if token == ")" else f"'{token}' stands outside of all brackets",
        )

    def _note(self, number: int, fault: str) -> None:
        self.faults.note(UserError(f"{self.path}, line {number}: {fault}.", valid=_FORM, remedy=_REMEDY))


# --- writing ----------------------------------------------------------------------------------------------------------


def write_brackets(trees: Iterable[Tree]) -> str:
    """Return the trees as labelled brackets, one per line; `read_brackets` reads the same trees back.

    >>> write_brackets([Tree("S", (Tree("NP", ("他",)), "走", ")"))])
    '(S (NP 他) 走 -RRB-)\\n'
    """
    return "".join(f"{_written(tree)}\n" for tree in trees)


def _written(tree: Tree) -> str:
    _check_writable(tree)
    written: list[str] = []
    for action in actions_of(tree):
        if action.kind == "open":
            written.append(f" ({action.name}")
        elif action.kind == "shift":
            written.append(" " + action.name.replace("(", "-LRB-").replace(")", "-RRB-"))
        else:
            written.append(")")
    return "".join(written)[1:]


def _check_writable(tree: Tree) -> None:
    # Before a word, a missing label would be read as if the word were the label.
    outer = not tree.label and bool(tree.children) and isinstance(tree.children[0], Tree)
    for part in (*tree.parts(), *(() if outer else (tree,))):
        if isinstance(part, str):
            if not part or any(space in part for space in _SPACES) or "-LRB-" in part or "-RRB-" in part:
                raise UserError(
                    f"The word {part!r} cannot be written within brackets.",
                    valid="A word has no spaces, is not empty, and does not hold -LRB- or -RRB-, which mean ( and ).",
                )
        elif not part.label or not _TOKEN.fullmatch(part.label) or part.label in {"(", ")"}:
            raise UserError(
                f"The label {part.label!r} cannot be written within brackets.",
                valid="A label is a text without spaces and brackets; only the root may do without, over constituents.",
            )
        if isinstance(part, Tree) and not part.children:
            raise UserError(f"The constituent '{part.label}' is empty.", valid="A constituent has at least one part.")


# --- plain trees for models -------------------------------------------------------------------------------------------


def plain_tree(tree: Tree, *, tagged: bool = True, removed: Counter[str] | None = None) -> Tree | None:
    """Return the phrases of a tree over its words, or None if no word is left.

    Taken away are empty categories (-NONE-), constituents without words, functional tags and indices (NP-SBJ-1 and NP=2
    become NP; what begins with a hyphen, like -LRB-, is a label), unary cycles (an X that holds nothing but an X, also
    with other constituents between: the lower one stays), an outermost label (none, TOP, ROOT, S1) over one
    constituent, and, if the tree is `tagged`, parts of speech: constituents of exactly one word. A root without a label
    that has several parts, or that was a part of speech, is called TOP. `removed` counts what was taken away.

    >>> plain_tree(Tree("", (Tree("IP-HLN", (Tree("NP-SBJ", (Tree("-NONE-", ("*pro*",)),)), Tree("VV", ("走",)))),)))
    Tree('IP', ('走',))
    """
    counts: Counter[str] = Counter() if removed is None else removed
    opened: list[tuple[str, list[Tree | str], bool]] = []
    waiting: list[Tree | str | None] = [tree]
    kept: list[Tree | str] = []
    while waiting:
        part = waiting.pop()
        if isinstance(part, Tree):
            tag = tagged and len(part.children) == 1 and isinstance(part.children[0], str)
            opened.append((part.label, [], tag))
            waiting.append(None)
            waiting.extend(reversed(part.children))
        elif part is not None:
            opened[-1][1].append(part)
        else:
            (opened[-2][1] if len(opened) > 1 else kept).extend(_simplified(*opened.pop(), counts))
    return _rooted(kept[0], counts) if kept else None


def _simplified(label: str, parts: list[Tree | str], tag: bool, counts: Counter[str]) -> list[Tree | str]:
    """Return what is left of a constituent whose parts are simple already: nothing, a word, or a constituent."""
    if label.startswith(_EMPTY):
        counts["empty categories"] += 1
        return []
    if not parts:
        counts["empty constituents"] += 1
        return []
    if tag:
        counts["parts of speech"] += 1
        return parts
    name = label if label.startswith("-") else intern(_FUNCTION.sub("", label))
    if name != label:
        counts["functional tags"] += 1
    below: Tree | str = parts[0]
    while len(parts) == 1 and isinstance(below, Tree):
        if below.label == name:
            counts["unary cycles"] += 1
            return [below]
        below = below.children[0] if len(below.children) == 1 else ""
    return [Tree(name, tuple(parts))]


def _rooted(root: Tree | str, counts: Counter[str]) -> Tree:
    if isinstance(root, str):
        return Tree(OUTERMOST, (root,))
    while root.label in _OUTER_LABELS:
        only = root.children[0]
        if len(root.children) > 1 or isinstance(only, str):
            return Tree(OUTERMOST, root.children)
        counts["outermost labels"] += 1
        root = only
    return root
