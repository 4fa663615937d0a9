"""Dependency trees: read from CoNLL-U, made projective, and turned into constituents.

Dependencies are read from CoNLL-U [1]. A word and all that depends on it, directly or not, become a constituent, whose
label follows the part of speech of the word; a word on which nothing depends is a bare word. Where the words of such a
constituent do not stand side by side, the dependencies are lifted first: the shortest arc that spans a word from
elsewhere is hung one head higher, until none is left [2].

[1] Nivre, J. et al. (2020). Universal Dependencies v2: An evergrowing multilingual treebank collection. LREC 2020.
[2] Nivre, J., Nilsson, J. (2005). Pseudo-projective dependency parsing. ACL 2005.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from hengliang.core.errors import UserError
from hengliang.corpora.plain_text import Faults, OnBroken, Reading, nothing_found, open_reading
from hengliang.corpora.tagged import check_columns, conllu_blocks
from hengliang.corpora.trees.constituents import Tree

__all__ = ["DependencySentence", "lifted", "nonprojective", "phrase_of", "projected_tree", "read_dependencies"]

_PHRASES = {
    **dict.fromkeys(("NOUN", "PROPN", "PRON"), "NP"),
    **dict.fromkeys(("VERB", "AUX"), "VP"),
    **dict.fromkeys(("SYM", "X", "PUNCT"), "XP"),
    **{"ADP": "PP", "NUM": "QP", "DET": "DP", "PART": "PRTP", "CCONJ": "CONJP", "SCONJ": "CP", "INTJ": "INTJ"},
}
_HEAD = re.compile(r"[0-9]{1,9}")
_REMEDY = "Correct the sentence; in Python, errors='skip' leaves broken ones out."
_VALID = "Every word has one head, one word of the sentence has the head 0, and from every word the heads lead to it."


@dataclass(frozen=True, slots=True)
class DependencySentence:
    """A sentence with a head, a relation and a part of speech a word.

    Heads are word numbers from 1, and 0 for the root. `number` is the line of the file on which the sentence starts,
    `id` the file's own name for it, if it has one.
    """

    number: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    id: str = ""

    def tree(self) -> Tree:
        """Return the constituents that follow from the dependencies."""
        return projected_tree(self.heads, self.tags, self.words)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_dependencies(
    path: Path | str, *, encoding: str = "utf-8", errors: OnBroken = "raise"
) -> Reading[DependencySentence]:
    """Read the words, universal parts of speech, heads and relations of a CoNLL-U file, sentence by sentence.

    Ranges of fused words (`1-2`) and empty nodes (`8.1`) are passed over. A sentence with a broken line, without a root
    or with several, or with heads that go round in a circle is an error that names file and line; with `errors='skip'`
    it is left out and counted in `skipped`.
    """
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_rows(checked, codec, faults), faults)


def _rows(path: Path, encoding: str, faults: Faults) -> Iterator[DependencySentence]:
    any_words = False
    for block in conllu_blocks(path, encoding, faults):
        try:
            sentence = _sentence(path, block)
        except UserError as problem:
            faults.note(problem)
            continue
        if sentence.words:
            any_words = True
            yield sentence
    if not any_words:
        raise nothing_found(path, "dependencies", faults)


def _sentence(path: Path, block: list[tuple[int, str]]) -> DependencySentence:
    rows: list[tuple[str, str, int, str]] = []
    lines: list[int] = []
    name = ""
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            name = value.strip() if key.strip() == "sent_id" else name
            continue
        columns = line.split("\t")
        check_columns(path, number, columns, len(rows) + 1)
        if columns[0].isdecimal():
            rows.append(_row(f"{path}, line {number}", columns))
            lines.append(number)
    words, tags, heads, relations = zip(*rows, strict=True) if rows else ((), (), (), ())
    fault = _fault(heads, words) if rows else None
    if fault is not None:
        raise UserError(f"{path}, line {lines[fault[0] - 1]}: {fault[1]}.", valid=_VALID, remedy=_REMEDY)
    return DependencySentence(block[0][0], words, tags, heads, relations, name)


def _row(where: str, columns: list[str]) -> tuple[str, str, int, str]:
    word, tag, head, relation = columns[1], columns[3], columns[6], columns[7]
    if not word:
        raise UserError(f"{where}: the word is empty.", valid="The second column holds the word.", remedy=_REMEDY)
    if tag in {"", "_"}:
        raise UserError(
            f"{where}: the word '{word}' has no part of speech.", valid="It is in column 4.", remedy=_REMEDY
        )
    if not _HEAD.fullmatch(head):
        problem = "has no head" if head in {"", "_"} else f"has the head '{head[:20]}'"
        raise UserError(f"{where}: the word '{word}' {problem}.", valid="Column 7 is a word's number.", remedy=_REMEDY)
    return word, intern(tag), int(head), intern(relation)


# --- checking and lifting ---------------------------------------------------------------------------------------------


def _fault(heads: Sequence[int], words: Sequence[str]) -> tuple[int, str] | None:
    """Return the number of the first word at which the heads make no tree, and why, or nothing."""
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    for word, head in enumerate(heads, start=1):
        if not 0 <= head <= len(heads):
            return word, f"the head of word {word} '{words[word - 1]}' is {head}, but there are {len(heads)} words"
    if len(roots) > 1:
        return roots[1], f"there are {len(roots)} roots, '{words[roots[0] - 1]}' and '{words[roots[1] - 1]}' among them"
    reached = {0}
    for word in range(1, len(heads) + 1):
        way = dict.fromkeys((word,))
        while (above := heads[next(reversed(way)) - 1]) not in reached:
            if above in way:
                return above, f"the heads go round in a circle at word {above} '{words[above - 1]}'"
            way[above] = None
        reached.update(way)
    return None


def nonprojective(heads: Sequence[int]) -> tuple[int, ...]:
    """Return the words (from 1) between which and their heads there is a word that does not depend on that head.

    >>> nonprojective([3, 4, 0, 3])
    (2,)
    """
    order = _from_above(heads)
    first, last = [0] * (len(heads) + 1), [0] * (len(heads) + 1)
    for position, word in enumerate(order):
        first[word] = last[word] = position
    for word in reversed(order):
        last[heads[word - 1]] = max(last[heads[word - 1]], last[word])
    words = []
    for word, head in enumerate(heads, start=1):
        between = range(min(word, head) + 1, max(word, head)) if head else ()
        if any(not first[head] <= first[dependent] <= last[head] for dependent in between):
            words.append(word)
    return tuple(words)


def _from_above(heads: Sequence[int]) -> list[int]:
    """Return all words, each before what depends on it, and what depends on it next to it."""
    below = _dependents(heads)
    order: list[int] = []
    waiting = list(below[0])
    while waiting:
        order.append(waiting.pop())
        waiting.extend(below[order[-1]])
    return order


def _dependents(heads: Sequence[int]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        below[head].append(word)
    return below


def lifted(heads: Sequence[int]) -> tuple[int, ...]:
    """Return heads of which every word stands side by side with all that depends on it.

    >>> lifted([3, 4, 0, 3])
    (3, 3, 0, 3)
    """
    changed = list(heads)
    # The root of the sentence covers every word, so that each arc comes to rest there at the latest.
    while crossing := nonprojective(changed):
        _, word = min((abs(changed[word - 1] - word), word) for word in crossing)
        changed[word - 1] = changed[changed[word - 1] - 1]
    return tuple(changed)


# --- constituents -----------------------------------------------------------------------------------------------------


def phrase_of(tag: str) -> str:
    """Return the label of a constituent whose head has this part of speech: NP for NOUN, and ADJP for ADJ."""
    return _PHRASES.get(tag, f"{tag}P")


def projected_tree(heads: Sequence[int], tags: Sequence[str], words: Sequence[str]) -> Tree:
    """Return the constituents that follow from heads (word numbers from 1, 0 for the root), one of each a word.

    >>> projected_tree([2, 0, 4, 2], ["PRON", "VERB", "ADJ", "NOUN"], ["我", "买", "新", "书"])
    Tree('VP', ('我', '买', Tree('NP', ('新', '书'))))
    """
    if not len(heads) == len(tags) == len(words) or not words:
        raise UserError(
            f"There are {len(words)} words, {len(heads)} heads and {len(tags)} parts of speech.",
            valid="A sentence has at least one word, and every word has a head and a part of speech.",
        )
    fault = _fault(heads, words)
    if fault is not None:
        raise UserError(f"In the sentence '{' '.join(words)}', {fault[1]}.", valid=_VALID)
    projective = lifted(heads)
    below = _dependents(projective)
    parts: list[Tree | str] = ["", *words]
    for word in reversed(_from_above(projective)):
        if below[word] or projective[word - 1] == 0:
            members = sorted((word, *below[word]))
            # The word itself is still a text: only what depends on it has been made before it.
            parts[word] = Tree(intern(phrase_of(tags[word - 1])), tuple(parts[member] for member in members))
    (root,) = (part for part, head in zip(parts[1:], projective, strict=True) if head == 0 and isinstance(part, Tree))
    return root
