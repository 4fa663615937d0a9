"""Which words, with which tags, does the trainable tagger know from its training sentences?

A word that was seen tells where words begin and end, and which tags it takes. In training every word has been seen,
which would teach the tagger to trust this knowledge blindly. So the training sentences are cut into folds of
neighbours, and while a fold is learned from, what was seen there alone counts as unknown: the tagger meets about as
many unknown words in training as in new text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import write_text

FOLDS = 10
LONGEST_WORD = 6
"""The most characters of a known word that is looked for in a text."""

UNKNOWN = "?"
RARE = 0.02
"""Of a word's occurrences, the share below which a tag is not listed with the word."""

SEVERAL = -1


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Known words. `folds` says in which fold alone each was seen (`SEVERAL`: more than one); `tags` which it takes.

    `without` has, for each fold, the words of that fold that take other tags elsewhere; it is there in training only.
    """

    folds: Mapping[str, int]
    tags: Mapping[str, str]
    without: Sequence[Mapping[str, str]] = field(default=())

    def tags_of(self, word: str, fold: int | None = None) -> str:
        """Return the tags that a word takes, the most frequent first (`v n`), as far as other folds than this tell."""
        if fold is not None:
            known = self.without[fold].get(word)
            if known is not None:
                return known
        return self.tags.get(word, UNKNOWN)


def fold_numbers(sentences: int) -> list[int]:
    """Return the fold of each sentence: neighbours, which repeat each other's rare words, share one."""
    return [row * FOLDS // sentences for row in range(sentences)]


def learn_lexicon(sentences: Iterable[tuple[Sequence[str], Sequence[str], int]]) -> Lexicon:
    """Return the words of tagged sentences, each given as widened words, tags and the number of its fold."""
    counts: dict[str, Counter[tuple[str, int]]] = {}
    for words, tags, fold in sentences:
        for word, tag in zip(words, tags, strict=True):
            counts.setdefault(word, Counter())[tag, fold] += 1
    folds: dict[str, int] = {}
    known: dict[str, str] = {}
    without: list[dict[str, str]] = [{} for _ in range(FOLDS)]
    for word in sorted(counts):
        seen = counts[word]
        inside = {fold for _, fold in seen}
        folds[word] = inside.pop() if len(inside) == 1 else SEVERAL
        known[word] = _listed(seen, None)
        for fold in {fold for _, fold in seen}:
            elsewhere = _listed(seen, fold)
            if elsewhere != known[word]:
                without[fold][word] = elsewhere
    return Lexicon(folds, known, tuple(without))


def _listed(seen: Counter[tuple[str, int]], left_out: int | None) -> str:
    totals: Counter[str] = Counter()
    for (tag, fold), count in seen.items():
        if fold != left_out:
            totals[tag] += count
    least = RARE * totals.total()
    ranked = sorted((-count, tag) for tag, count in totals.items() if count >= least)
    return " ".join(tag for _, tag in ranked) or UNKNOWN


def write_lexicon(path: Path, lexicon: Lexicon) -> None:
    """Write the known words with their tags, one a line, in order."""
    write_text(path, "".join(f"{word}\t{tags}\n" for word, tags in sorted(lexicon.tags.items())))


def read_lexicon(path: Path) -> Lexicon:
    """Read what `write_lexicon` wrote; folds are not kept, for they matter in training only."""
    with file_errors(path, "read"):
        lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise UserError(f"{path} is no list of known words.", remedy="Train the tagger again.")
    tags = {pair[0]: pair[1] for pair in pairs}
    return Lexicon(dict.fromkeys(tags, SEVERAL), tags)
