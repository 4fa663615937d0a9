"""Which words does THULAC find, and how does it tag them?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from threading import Lock
from typing import Any

from hengliang.core.labelling.taggers import WordwiseTagger
from hengliang.core.labelling.words import Word
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.systems.taggers.library_loading import library, library_folder, library_version, quietly
from hengliang.systems.taggers.thulac_decoding import mapped_weights, quicken

_EXTRA = "taggers"
_LOCK = Lock()  # the library keeps the sentence in its decoder: two threads would mix theirs


@register("thulac")
class ThulacTagger(WordwiseTagger):
    """Words and tags by THULAC with its defaults: traditional characters are left as they are."""

    name = "thulac"
    title = Bilingual("THULAC", "THULAC")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with THULAC's tags."""
        with _LOCK:
            return [(word, tag) for word, tag in _model().cut(sentence)]

    def signature(self) -> Signature:
        """Return the class and its code, the version of the library and the checksum of its model."""
        model = library_folder("thulac", _EXTRA) / "models" / "model_c_model.bin"
        version = library_version("thulac", _EXTRA)
        return constructor_signature(self).and_(thulac=version, model=file_checksum(model)[:16])


@cache
def _model() -> Any:
    thulac, decoding = library("thulac", _EXTRA), library("thulac.character.CBTaggingDecoder", _EXTRA)
    with quietly(), mapped_weights(decoding):
        model = thulac.thulac()
    quicken(model._thulac__tagging_decoder)
    return model
