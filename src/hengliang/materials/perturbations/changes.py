"""What is one change to a sentence, and which of the possible ones is made?

A kind of perturbation is a function from a sentence to all changes that its guards allow. One of them is taken by lot:
first a rule of the kind, so that a frequent rule does not crowd out the others, then a place. The lots depend on the
seed, the sentence, the kind, the rule and the change, and on nothing else; no other sentence and no other kind can
move them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hengliang.core.records import Span
from hengliang.core.signature import digest
from hengliang.core.text.segmentation import join_words
from hengliang.materials.perturbations.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Change:
    """A changed sentence.

    `words` are the new words; `changed` the stretches of new words that differ, an empty one where something is gone;
    `touched` the words of the original that were moved, replaced or deleted, or between which something was put.
    """

    rule: str
    words: tuple[str, ...]
    changed: tuple[tuple[int, int], ...]
    touched: tuple[int, ...]
    detail: str

    @property
    def content(self) -> str:
        """The changed sentence as written."""
        return join_words(self.words).content


Finder = Callable[[Sentence], Iterator[Change]]
"""Yields all changes of one kind that a sentence allows."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written in one string, apart by spaces."""
    return frozenset(text.split())


def swapped(sentence: Sentence, rule: str, first: int, detail: str = "") -> Change:
    """Exchange a word and the next."""
    words = list(sentence.words)
    words[first], words[first + 1] = words[first + 1], words[first]
    told = detail or f"{words[first]} before {words[first + 1]}"
    return Change(rule, tuple(words), ((first, first + 1), (first + 1, first + 2)), (first, first + 1), told)


def moved(sentence: Sentence, rule: str, start: int, before: int) -> Change:
    """Move a word to stand before another word of the original."""
    words = list(sentence.words)
    word = words.pop(start)
    landing = before - 1 if before > start else before
    words.insert(landing, word)
    left = start if before > start else start + 1
    places = tuple(sorted(((landing, landing + 1), (left, left))))
    return Change(rule, tuple(words), places, (start,), f"{word} moved by {landing - start:+d}")


def replaced(sentence: Sentence, rule: str, place: int, word: str, detail: str) -> Change:
    """Put another word in the place of one."""
    words = (*sentence.words[:place], word, *sentence.words[place + 1 :])
    return Change(rule, words, ((place, place + 1),), (place,), detail)


def deleted(sentence: Sentence, rule: str, start: int, end: int, detail: str = "") -> Change:
    """Leave out the words from `start` to before `end`."""
    words = sentence.words[:start] + sentence.words[end:]
    told = detail or f"without {''.join(sentence.words[start:end])}"
    return Change(rule, words, ((start, start),), tuple(range(start, end)), told)


def inserted(sentence: Sentence, rule: str, place: int, word: str) -> Change:
    """Put a word before another one."""
    words = (*sentence.words[:place], word, *sentence.words[place:])
    around = (place - 1, place) if place else (0,)
    return Change(rule, words, ((place, place + 1),), around, f"{word} before {sentence.word(place)}")


def changed_spans(change: Change) -> tuple[Span, ...]:
    """Return the words and the changed places of the new sentence as spans of its bytes."""
    _, spans = join_words(change.words)
    words = tuple(Span("word", start, end) for start, end in spans)
    edges = [start for start, _ in spans] + [spans[-1][1]]
    places = tuple(Span("changed", edges[start], edges[end]) for start, end in change.changed)
    return words + places


def in_order_of_lots(changes: Iterable[Change], seed: int, sentence: str, kind: str) -> list[Change]:
    """Return the changes in the order in which they are tried; see above on what the order depends."""

    def lot(change: Change) -> tuple[str, str]:
        rule = digest(str(seed), sentence, kind, change.rule)
        return rule, digest(str(seed), sentence, kind, change.rule, change.detail, *map(str, change.touched))

    return sorted(changes, key=lot)
