"""Bracketing scores: precision and recall of constituents against reference trees of the same sentences.

The usual measure of parsers [1]: of the constituents found, how many are in the reference (precision), and of those of
the reference, how many were found (recall), summed over a corpus. A constituent is its label and the words that it
spans; without the label for the unlabelled scores. Of several constituents with the same label and words each counts.
Two things are a matter of choice, and are said with the scores: whether roots count (by default they do, as in
evalb, which leaves out only a root called TOP), and whether punctuation does. By default it does not: words of nothing
but punctuation marks are taken out of the sentence before spans are counted, and constituents of nothing else with it.

[1] Black, E. et al. (1991). A procedure for quantitatively comparing the syntactic coverage of English grammars.
    Speech and Natural Language Workshop 1991.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.core.errors import UserError
from hengliang.corpora.trees.constituents import Tree, actions_of

__all__ = ["Bracketing", "Span", "compare_brackets", "is_punctuation", "spans_of"]

Span = tuple[str, int, int]
"""The label of a constituent, its first word (from 0) and the word after its last."""


def is_punctuation(word: str) -> bool:
    """Say whether a word is made of punctuation marks only (Unicode's category P)."""
    return bool(word) and all(unicodedata.category(character)[0] == "P" for character in word)


def spans_of(tree: Tree, *, root: bool = True, punctuation: bool = True) -> Counter[Span]:
    """Return the constituents of a tree as label and span of words, and how often there is each.

    Without `punctuation`, only the other words count, and constituents without any of them do not.

    >>> sorted(spans_of(Tree("S", (Tree("NP", ("他",)), Tree("VP", ("走", "了")), "。"))))
    [('NP', 0, 1), ('S', 0, 4), ('VP', 1, 3)]
    """
    spans: Counter[Span] = Counter()
    opened: list[tuple[str, int]] = []
    position = 0
    for action in actions_of(tree):
        if action.kind == "open":
            opened.append((action.name, position))
        elif action.kind == "shift":
            position += punctuation or not is_punctuation(action.name)
        else:
            label, start = opened.pop()
            if start < position and (opened or root):
                spans[label, start, position] += 1
    return spans


@dataclass(frozen=True, slots=True)
class Bracketing:
    """How many constituents there are in the reference and in the trees found, and how many are in both.

    `exact` and `exact_unlabelled` are the sentences of which all constituents are the same. `root` and `punctuation`
    say what was counted. A share of nothing is not a number.
    """

    sentences: int
    reference: int
    found: int
    matched: int
    matched_unlabelled: int
    exact: int
    exact_unlabelled: int
    root: bool = True
    punctuation: bool = False

    @property
    def precision(self) -> float:
        """The share of the constituents found that are in the reference."""
        return _share(self.matched, self.found)

    @property
    def recall(self) -> float:
        """The share of the constituents of the reference that were found."""
        return _share(self.matched, self.reference)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.matched, self.found + self.reference)

    @property
    def unlabelled_precision(self) -> float:
        """The share of the constituents found whose words are those of a constituent of the reference."""
        return _share(self.matched_unlabelled, self.found)

    @property
    def unlabelled_recall(self) -> float:
        """The share of the constituents of the reference whose words are those of a constituent found."""
        return _share(self.matched_unlabelled, self.reference)

    @property
    def unlabelled_f1(self) -> float:
        """The harmonic mean of unlabelled precision and recall."""
        return _share(2 * self.matched_unlabelled, self.found + self.reference)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def compare_brackets(
    reference: Sequence[Tree], found: Sequence[Tree], *, root: bool = True, punctuation: bool = False
) -> Bracketing:
    """Compare the trees found with those of the reference, sentence by sentence, and add up over all of them."""
    if len(reference) != len(found):
        raise UserError(
            f"There are {len(reference)} trees in the reference and {len(found)} to compare with them.",
            valid="One tree of the same sentence each.",
        )
    spans: list[tuple[Counter[Span], Counter[Span]]] = []
    for number, (reference_tree, found_tree) in enumerate(zip(reference, found, strict=True), start=1):
        _check_words(number, reference_tree.words(), found_tree.words())
        expected, actual = (spans_of(tree, root=root, punctuation=punctuation) for tree in (reference_tree, found_tree))
        spans.append((expected, actual))
    bare = [(_bare(expected), _bare(actual)) for expected, actual in spans]
    return Bracketing(
        sentences=len(spans),
        reference=sum(expected.total() for expected, _ in spans),
        found=sum(actual.total() for _, actual in spans),
        matched=sum((expected & actual).total() for expected, actual in spans),
        matched_unlabelled=sum((expected & actual).total() for expected, actual in bare),
        exact=sum(expected == actual for expected, actual in spans),
        exact_unlabelled=sum(expected == actual for expected, actual in bare),
        root=root,
        punctuation=punctuation,
    )


def _bare(spans: Counter[Span]) -> Counter[tuple[int, int]]:
    bare: Counter[tuple[int, int]] = Counter()
    for (_, start, end), count in spans.items():
        bare[start, end] += count
    return bare


def _check_words(number: int, reference: tuple[str, ...], found: tuple[str, ...]) -> None:
    if reference == found:
        return
    index = next((i for i, pair in enumerate(zip(reference, found, strict=False)) if pair[0] != pair[1]), None)
    if index is None:
        problem = f"Sentence {number} has {len(reference)} words in the reference and {len(found)} in the tree found."
    else:
        problem = f"Word {index + 1} of sentence {number} is '{reference[index]}' in the reference and '{found[index]}'"
        problem += " in the tree found."
    raise UserError(problem, valid="Both trees of a pair have the same words.")
