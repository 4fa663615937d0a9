"""How many of the annotators' words, and of their tagged words, does a tagger find?

Precision, recall and F1 in the way of the segmentation bakeoffs [1]: a word is found when it begins and ends where the
annotators' does; a tagged word when its tag is the same too. A sentence that could not be tagged has no words.

[1] Sproat, R., & Emerson, T. (2003). The first international Chinese word segmentation bakeoff. SIGHAN 2003, 133–143.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hengliang.core.labelling.spans import LabelledSpans
from hengliang.materials.tagged_sentences import gold_spans


@dataclass(frozen=True, slots=True)
class TaggingScores:
    """Counts of words: the annotators', the tagger's, those in both, and those in both with the same tag."""

    gold: int
    found: int
    words: int
    tagged: int
    sentences: int
    failed: int

    @property
    def word_f1(self) -> float:
        """Two times the words in both, divided by the words of both; 0 where there are none."""
        return 2 * self.words / (self.gold + self.found) if self.gold + self.found else 0.0

    @property
    def tagged_f1(self) -> float:
        """The same for words with their tags."""
        return 2 * self.tagged / (self.gold + self.found) if self.gold + self.found else 0.0

    def as_dict(self) -> dict[str, float]:
        """Return counts and both F1 by name, for a card."""
        return {**asdict(self), "word_f1": round(self.word_f1, 6), "tagged_f1": round(self.tagged_f1, 6)}


def tagging_scores(golds: Sequence[str], found: LabelledSpans) -> TaggingScores:
    """Compare tagged sentences with their gold (`就/p 此/r`)."""
    gold_count = found_count = words = tagged = 0
    for row, gold in enumerate(golds):
        wanted, given = set(gold_spans(gold)), set(found.of(row))
        gold_count += len(wanted)
        found_count += len(given)
        tagged += len(wanted & given)
        words += len({span[:2] for span in wanted} & {span[:2] for span in given})
    failed = sum(bool(problem) for problem in found.problems)
    return TaggingScores(gold_count, found_count, words, tagged, len(golds), failed)
