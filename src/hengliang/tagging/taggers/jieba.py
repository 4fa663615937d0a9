"""jieba taggers: the Python library `jieba` and its rewriting in Rust, `rjieba`.

jieba looks words up in a dictionary of counts and guesses the others with a hidden Markov model. `jieba` is the library
in Python, whose model for unknown words tags them as well; `rjieba` is its rewriting in Rust, which takes the same
dictionary but finds unknown words without regard to their tags, and so does not always agree with it.

Both get a dictionary of their own. The one that the library jieba shares may have had words added by others in the same
process, and comes from a file in the folder for temporary files that nobody checks.
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


@register("jieba")
class JiebaTagger(WordwiseTagger):
    """Words and tags by jieba's `posseg`; the tags are those of ICTCLAS, `x` for all that it does not know."""

    name = "jieba"
    title = Bilingual("jieba", "结巴分词")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with jieba's tags."""
        return [(pair.word, pair.flag) for pair in _posseg().cut(sentence)]

    def signature(self) -> Signature:
        """Return the class and its code, the version of the library and the checksum of its dictionary."""
        version = library_version("jieba", "taggers")
        dictionary = file_checksum(library_folder("jieba", "taggers") / "dict.txt")
        return constructor_signature(self).and_(jieba=version, dictionary=dictionary[:16])


@register("rjieba")
class RjiebaTagger(WordwiseTagger):
    """Words and tags by rjieba, jieba in Rust; the dictionary is part of the library."""

    name = "rjieba"
    title = Bilingual("rjieba", "结巴分词（Rust）")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with rjieba's tags."""
        words: list[Word] = _rust().tag(sentence)
        return words

    def signature(self) -> Signature:
        """Return the class and its code, and the version of the library."""
        return constructor_signature(self).and_(rjieba=library_version("rjieba", "chinese"))


@cache
def _posseg() -> Any:
    jieba, posseg = library("jieba", "taggers"), library("jieba.posseg", "taggers")
    with quietly():
        dictionary = jieba.Tokenizer()
        dictionary.FREQ, dictionary.total = dictionary.gen_pfdict(dictionary.get_dict_file())
        dictionary.initialized = True
        return posseg.POSTokenizer(dictionary)


@cache
def _rust() -> Any:
    return library("rjieba", "chinese").Jieba()
