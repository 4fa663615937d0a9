"""How is a tagger made from anything that turns one sentence into a list of words and tags?

Derive from `WordwiseTagger` and write `words`. The rest is done here: words are put back onto the bytes of the
sentence, and a sentence that fails, is too long or comes back changed gets a problem while the others are tagged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from hengliang.errors import UserError
from hengliang.systems.labelled_spans import Labelled, LabelledSpans, labelled_spans
from hengliang.systems.taggers.base import Tagger, unreadable
from hengliang.systems.taggers.restored_words import Word, characters_changed, restored

_MOST_WORDS = 20  # for a character: the longest compatibility form (of ﷺ) has 18, should each be a word


class WordwiseTagger(Tagger):
    """A tagger that reads one sentence at a time: derive from it and write `words`."""

    @abstractmethod
    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with their tags, in order; white space may be left out."""

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by tag."""
        return labelled_spans([self._tagged(sentence) for sentence in sentences])

    def changed(self, sentence: str) -> bool:
        """Say whether the words of this sentence come back with other characters, be they restored or not."""
        returned = self._returned(sentence)
        return not isinstance(returned, str) and characters_changed(sentence, returned)

    def _tagged(self, sentence: str) -> list[Labelled] | str:
        returned = self._returned(sentence)
        if isinstance(returned, str):
            return returned
        return restored(sentence, returned) if returned or sentence.strip() else []

    def _returned(self, sentence: str) -> list[Word] | str:
        """Return the words, or the problem; a sentence of white space has no words, and not every tagger stands it."""
        problem = unreadable(sentence, self.name)
        if problem or not sentence.strip():
            return problem or []
        try:
            return _pairs(_ending(self.words(sentence), sentence))
        except UserError:
            raise
        except Exception as error:  # a stranger's model may raise anything on a sentence it has never seen the like of
            said = " ".join(str(error).split())[:200]
            return f"the tagger {self.name} failed: {type(error).__name__}: {said}".removesuffix(": ")


def _ending(words: Iterable[Word], sentence: str) -> list[Word]:
    """Return the words, but no more than a sentence can have: there are generators without an end."""
    most = _MOST_WORDS * (len(sentence) + 1)
    found = list(islice(words, most + 1))
    if len(found) > most:
        raise ValueError(f"it returned more than {most:,} words")
    return found


def _pairs(found: list[Word]) -> list[Word]:
    """Return what is words with tags, and name the first that is not.

    Looking at each pair by itself would take as long as the quickest tagger takes to find it.
    """
    if {type(pair) for pair in found} <= {tuple, list} and set(map(len, found)) == {2}:
        words, tags = zip(*found, strict=True)
        with suppress(TypeError):  # something that is no text cannot be joined
            "".join(words)
            "".join(tags)
            return list(zip(words, tags, strict=True))
    return [_checked(pair) for pair in found]


def _checked(pair: object) -> Word:
    match pair:
        case (str(word), str(tag)):
            return word, tag
    raise TypeError(f"{pair!r} is not a word and a tag")
