"""SnowNLP tagger for Chinese words and parts of speech.

SnowNLP cuts Chinese characters by a generative model of characters [1] and tags by TnT [2]; everything else is cut at
white space alone, so that punctuation clings to digits and Latin letters. It was trained on the very corpus that is our
default: what it says about that corpus is not a test (`hengliang.tagging.taggers.cards.overlap_warning`).

Between tags of equal probability SnowNLP takes the first in a set, and sets have another order in each process: of
1,547 sentences 19 were tagged otherwise under another `PYTHONHASHSEED`. Here the tags stand in the order of the
alphabet, and a sentence is tagged the same everywhere.

[1] Wang, K., Zong, C., & Su, K.-Y. (2009). Which is more suitable for Chinese word segmentation, the generative model
    or the discriminative one? PACLIC 23, 827–834.
[2] Brants, T. (2000). TnT: a statistical part-of-speech tagger. ANLP 2000, 224–231.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from hengliang.core.labelling.taggers import WordwiseTagger
from hengliang.core.labelling.words import Word
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.tagging.taggers.libraries import library, library_folder, library_version

_EXTRA = "taggers"


@register("snownlp")
class SnowNlpTagger(WordwiseTagger):
    """Words and tags by SnowNLP; the tags are those of the People's Daily, with a few slips of its annotators."""

    name = "snownlp"
    title = Bilingual("SnowNLP", "SnowNLP")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with SnowNLP's tags."""
        words = _cut()(sentence)
        return list(_tagger().tag(words)) if words else []

    def signature(self) -> Signature:
        """Return the class and its code, the version of the library and the checksums of its two models."""
        folder = library_folder("snownlp", _EXTRA)
        return constructor_signature(self).and_(
            snownlp=library_version("snownlp", _EXTRA),
            segmenter=file_checksum(folder / "seg" / "seg.marshal.3")[:16],
            tagger=file_checksum(folder / "tag" / "tag.marshal.3")[:16],
        )


@cache
def _cut() -> Callable[[str], list[str]]:
    cut: Callable[[str], list[str]] = library("snownlp.seg", _EXTRA).seg
    return cut


@cache
def _tagger() -> Any:
    # A copy that shares the tables of probabilities: the library's own tagger stays as it is.
    ordered = copy.copy(library("snownlp.tag", _EXTRA).tagger)
    ordered.status = sorted(ordered.status)
    ordered.word = {word: sorted(tags) for word, tags in ordered.word.items()}
    return ordered
