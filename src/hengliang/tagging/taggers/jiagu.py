"""Jiagu tagger for Chinese words and parts of speech.

Jiagu looks words up in a dictionary of counts and tags them with an averaged perceptron that reads from left to right.
It tags white space as if it were a word, and the tag of a word may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from hengliang.core.labelling.taggers import WordwiseTagger
from hengliang.core.labelling.words import Word
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.tagging.taggers.libraries import library, library_folder, library_version, quietly

_EXTRA = "taggers"
_FILES = ("segment/dict/jiagu.dict", "segment/dict/user.dict", "model/pos.model")


@register("jiagu")
class JiaguTagger(WordwiseTagger):
    """Words and tags by Jiagu; the tags are those of the State Language Commission (nhf a surname, nd a locative)."""

    name = "jiagu"
    title = Bilingual("Jiagu", "甲骨")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with Jiagu's tags."""
        model = _model()
        words = list(model.seg(sentence))
        return list(zip(words, model.pos(words), strict=True))

    def signature(self) -> Signature:
        """Return the class and its code, the version of the library and the checksums of its files."""
        folder = library_folder("jiagu", _EXTRA)
        files = {file.rpartition("/")[2].replace(".", "_"): file_checksum(folder / file)[:16] for file in _FILES}
        return constructor_signature(self).and_(jiagu=library_version("jiagu", _EXTRA), **files)


@cache
def _model() -> Any:
    # One of our own: words that others in this process add to the library's are not in it.
    analyze = library("jiagu.analyze", _EXTRA)
    with quietly():
        model = analyze.Analyze()
        model.init_cws()
        model.init_pos()
    return model
