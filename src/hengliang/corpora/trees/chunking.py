"""Chunking of Mandarin: constituent trees from words and part-of-speech tags, by a cascade of stages.

A cascade of stages, each of them a single pass from left to right [1], builds a tree from words and PKU tags: paired
marks, clauses between marks, base phrases (`phrases`), modifiers with 的 (`modifiers`), subjects and predicates
(`clauses`). The labels are those of the Chinese Treebank [2] as far as they go: S is the root, IP a clause with its
subject, VP a predicate, CP a relative clause (with 的) or a subordinate one (with 如果), NP, QP (number and
classifier), DP (determiner and classifier), ADJP, DNP (a modifier with 的 that is not a clause), DVP (with 地), LCP
(with a localiser), PP; PRN is a remark in brackets and QUO a quotation.

A constituent of one word is kept where it is an argument or a predicate (subject, object, what a preposition governs),
since it tells these from modifiers; a modifier of one word stands bare. No more than `CHAIN` constituents begin at the
same word after one another, and no more than `DEPTH` hold each other: what would exceed this loses its bracket.

[1] Abney, S. (1996). Partial parsing via finite-state cascades. Natural Language Engineering 2(4), 337-344.
[2] Xue, N., Xia, F., Chiou, F.-D., Palmer, M. (2005). The Penn Chinese TreeBank: phrase structure annotation of a large
    corpus. Natural Language Engineering 11(2), 207-238.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.errors import UserError
from hengliang.corpora.tagged import PKU_TAGS
from hengliang.corpora.trees.chunk_words import STRAY_TAGS
from hengliang.corpora.trees.chunks import NOUN, REMARK, Chunk, word_chunk
from hengliang.corpora.trees.clauses import clause_trees
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.modifiers import with_modifiers
from hengliang.corpora.trees.phrases import base_chunks

ROOT = "S"
CHAIN = 6
"""So many constituents at most begin one after the other without a word between them."""
DEPTH = 24
"""So many constituents at most hold each other, the root included."""

_TAGS = PKU_TAGS | STRAY_TAGS
_PAIRS = {
    "“": "”",
    "‘": "’",
    "『": "』",
    "「": "」",
    "《": "》",
    "〈": "〉",
    "（": "）",
    "(": ")",
    "［": "］",
    "【": "】",
}
_CLOSING = frozenset(_PAIRS.values())
_REMARKS = frozenset("（(［【")
_TITLES = frozenset("《〈")
_WITHIN = frozenset(("、", "·", "／", "％", "‰", "—", "－", "×"))
"""Marks that do not end a clause."""
_NESTED = 3
_SHORT = 8

Item = Chunk | str
"""A word or phrase, or a mark between clauses."""


def chunked_tree(words: Sequence[str], tags: Sequence[str]) -> Tree:
    """Return the tree of a sentence from its words and their PKU tags.

    >>> chunked_tree(["他", "走", "了", "。"], ["r", "v", "u", "w"])
    Tree('S', (Tree('IP', (Tree('NP', ('他',)), Tree('VP', ('走', '了')))), '。'))
    """
    _check(words, tags)
    return _bounded(Tree(ROOT, _sentence(_items(words, tags))))


def _check(words: Sequence[str], tags: Sequence[str]) -> None:
    if len(words) != len(tags):
        raise UserError(f"{len(words)} words have {len(tags)} tags.", valid="Every word has one tag.")
    if not words:
        raise UserError("A sentence without words has no tree.", valid="A sentence has at least one word.")
    for word, tag in zip(words, tags, strict=True):
        if tag not in _TAGS:
            raise UserError(
                f"'{tag}', the tag of '{word}', is no tag of the PKU set.",
                valid=f"Tags: {' '.join(sorted(PKU_TAGS))}.",
                remedy="Trees are chunked from PKU tags only; a treebank with tags of its own has trees of its own.",
            )


# --- paired marks -----------------------------------------------------------------------------------------------------


def _items(words: Sequence[str], tags: Sequence[str]) -> list[Item]:
    """Turn words into chunks and marks; what stands between paired marks becomes one chunk."""
    partners = _partners(words, tags)
    opened: list[tuple[str, list[Item]]] = [("", [])]
    for number, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if partners.get(number, -1) > number:
            opened.append((word, []))
        elif number in partners:
            mark, inside = opened.pop()
            opened[-1][1].append(_marked(mark, inside, word))
        elif tag == "w" and word not in _WITHIN:
            opened[-1][1].append(word)
        else:
            opened[-1][1].append(word_chunk(word, tag))
    return opened[0][1]


def _partners(words: Sequence[str], tags: Sequence[str]) -> dict[int, int]:
    """Return for each paired mark the place of its partner; marks that are empty or nested too deeply are left out."""
    waiting: list[tuple[int, str]] = []
    partners: dict[int, int] = {}
    for number, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if tag != "w":
            continue
        if word in _PAIRS:
            waiting.append((number, _PAIRS[word]))
        elif word in _CLOSING and any(mark == word for _, mark in waiting[-_NESTED:]):
            while waiting[-1][1] != word:
                waiting.pop()
            start, _ = waiting.pop()
            if number > start + 1 and len(waiting) < _NESTED:
                partners[start], partners[number] = number, start
    return partners


def _marked(mark: str, inside: Sequence[Item], end: str) -> Chunk:
    """Return a title, a name or a term in quotation marks, a quotation, or a remark as one chunk."""
    trees = _sentence(inside)
    if mark in _REMARKS:
        return Chunk(REMARK, "PRN", (mark, *trees, end), end, "w")
    only = trees[0]
    if len(trees) == 1 and isinstance(only, Tree) and only.label == "NP":
        trees = only.children
    clauses = any(isinstance(item, str) for item in inside)
    label = "QUO" if mark not in _TITLES and (clauses or len(inside) > _SHORT) else "NP"
    return Chunk(NOUN, label, (mark, *trees, end), end, "nz")


# --- clauses between marks --------------------------------------------------------------------------------------------


def _sentence(items: Sequence[Item]) -> tuple[Tree | str, ...]:
    """Return the trees of the clauses of a sentence with the marks between them."""
    parts: list[Tree | str] = []
    clause: list[Chunk] = []
    for item in items:
        if isinstance(item, Chunk):
            clause.append(item)
            continue
        if clause:
            parts.extend(clause_trees(with_modifiers(base_chunks(clause))))
            clause = []
        parts.append(item)
    if clause:
        parts.extend(clause_trees(with_modifiers(base_chunks(clause))))
    return tuple(parts)


# --- bounds on depth and chains ---------------------------------------------------------------------------------------


def _bounded(tree: Tree) -> Tree:
    """Take away brackets that exceed the bounds, and a constituent that is all of another with the same label."""
    # Each entry is a constituent being rebuilt: its label ("" if its bracket goes), its parts so far, its children
    # still to come, how many constituents began with it, how many hold it, and the labels of which it is all.
    stack: list[_Growing] = [_Growing(tree, 1, 1, frozenset())]
    while True:
        top = stack[-1]
        child = next(top.waiting, None)
        if child is None:
            stack.pop()
            if not stack:
                return Tree(top.label, tuple(top.parts))
            stack[-1].take(top)
        elif isinstance(child, str):
            top.parts.append(child)
        else:
            stack.append(top.below(child))


class _Growing:
    """A constituent that is being rebuilt within the bounds."""

    __slots__ = ("chain", "depth", "label", "only", "parts", "waiting", "whole_of")

    def __init__(self, tree: Tree, chain: int, depth: int, whole_of: frozenset[str], *, kept: bool = True) -> None:
        self.label = tree.label if kept else ""
        self.waiting = iter(tree.children)
        self.only = len(tree.children) == 1
        self.parts: list[Tree | str] = []
        self.chain = chain
        self.depth = depth
        self.whole_of = whole_of | {self.label}

    def below(self, child: Tree) -> _Growing:
        chain = 0 if self.parts else self.chain
        same = self.only and child.label in self.whole_of
        kept = chain < CHAIN and self.depth < DEPTH and not same
        whole_of = self.whole_of if self.only else frozenset[str]()
        return _Growing(child, chain + kept, self.depth + kept, whole_of, kept=kept)

    def take(self, done: _Growing) -> None:
        if done.label:
            self.parts.append(Tree(done.label, tuple(done.parts)))
        else:
            self.parts.extend(done.parts)
