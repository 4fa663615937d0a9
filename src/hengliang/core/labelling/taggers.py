"""Part-of-speech taggers: the base classes, and the cards that say what is known about a tagger.

A tagger cuts sentences into words and says what kind of word each is. Words are byte spans of the sentence that follow
each other and cover it (a space belongs to the word after it); tags are the tagger's own. Whoever has a function from
one sentence to a list of words and tags derives from `WordwiseTagger`, everybody else from `Tagger`.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from typing import Any, ClassVar

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.words import Word, characters_changed, checked_words, restored
from hengliang.core.records import CONTENT_TYPES, ResponseKind
from hengliang.core.registry import find, load_plugins

# --- taggers and their cards ------------------------------------------------------------------------------------------


LONGEST = 10_000
"""The most characters of a sentence that our taggers read; a longer one gets a problem."""


@dataclass(frozen=True, slots=True)
class TaggerCard:
    """What is known about a tagger.

    `trained_on` names the corpora of our catalogue that it was surely trained on, `perhaps_trained_on` those that its
    documents leave possible. `version` is that of the installed library, and empty where it is not installed.
    """

    name: str
    library: str
    licence: str
    training_data: str
    tagset: str
    trained_on: tuple[str, ...] = ()
    perhaps_trained_on: tuple[str, ...] = ()
    citation: str = ""
    note: str = ""

    @property
    def version(self) -> str:
        """The version of the library that is installed here, or nothing."""
        try:
            return metadata.version(self.library) if self.library else ""
        except metadata.PackageNotFoundError:
            return ""


_cards: dict[str, TaggerCard] = {}


def add_cards(cards: Iterable[TaggerCard]) -> None:
    """Say what is known about taggers; a plug-in that does so is imported before anybody asks for a card."""
    _cards.update((card.name, card) for card in cards)


class Tagger(System):
    """A system that cuts sentences into words and tags them: derive from it, write `tag`, and the rest follows."""

    role: ClassVar[str] = "tagger"
    kind: ClassVar[ResponseKind] = "tagging"
    looks_at: ClassVar[tuple[str, ...] | None] = ()
    batch_size: int = 200
    """Sentences are tagged one by one, and slowly by some: a stopped run loses a few seconds."""

    @abstractmethod
    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by tag."""

    def hurried(self, seconds: float) -> Tagger:
        """Return the tagger for a process in which a sentence may take so many seconds.

        What it takes to read a model does not count; a tagger that cannot tell reading from hanging has to hurry.
        """
        return self

    @outside_signatures("a card changes no number")
    def card(self) -> TaggerCard | None:
        """Return what is known about the library, its licence and its training data, or None where nothing is."""
        name = self.name.partition(":")[0]
        if name not in _cards:
            load_plugins(calling=add_cards.__name__)
        return _cards.get(name)

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the tagged words of each item's content; a sentence that several items share is tagged once.

        Words that do not cover their sentence, or have no tag, make a failed answer.
        """
        contents: list[str] = items["content"].to_list()
        places = {content: number for number, content in enumerate(dict.fromkeys(contents))}
        tagged = self.tag(list(places))
        if isinstance(tagged, LabelledSpans) and len(tagged) != len(places):
            raise UserError(
                f"The tagger '{self.name}' returned {len(tagged)} sentences for {len(places)}.",
                remedy=f"Return one a sentence, in order, then try: hengliang check {self.name}",
            )
        tagged = checked_words(tagged, list(places), self.name)
        rows = [
            None if problem else [{"start": start, "end": end, "tag": tag} for start, end, tag in tagged.of(row)]
            for row, problem in enumerate(tagged.problems)
        ]
        distinct = pl.DataFrame(
            {
                "content": pl.Series(rows, dtype=CONTENT_TYPES["tagging"]),
                "reason": pl.Series(tagged.problems, dtype=pl.String),
            }
        )
        answers = distinct[[places[content] for content in contents]].with_columns(item=items["id"])
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("failed"))
        return answers.with_columns(status=status).select(list(answer_schema("tagging")))

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a tagger on itself."""
        from hengliang.core.labelling.tagger_conformance import tagger_promises

        return examine([*general_promises(self), *tagger_promises(self)])


def tagger(reference: str) -> Tagger:
    """Return the tagger of this name; what follows a colon is its one argument (`spacy:en_core_web_sm`)."""
    name, _, argument = reference.partition(":")
    entry = find("tagger", name)
    if argument and not _takes_argument(entry.kind):
        raise UserError(f"The tagger {name} takes nothing after its name, but '{argument}' stands there.")
    made = entry.kind(argument) if argument else entry.make()
    if not isinstance(made, Tagger):
        raise UserError(f"'{name}' is registered as a tagger, but is none.")
    return made


def _takes_argument(kind: type[Any]) -> bool:
    try:
        inspect.signature(kind).bind("")
    except TypeError:
        return False
    return True


def unreadable(sentence: str, name: str) -> str:
    """Return why the tagger of this name cannot read a sentence (too long, half a character), or nothing."""
    if len(sentence) > LONGEST:
        return f"the text has {len(sentence):,} characters; the tagger {name} reads at most {LONGEST:,}"
    try:
        sentence.encode()
    except UnicodeEncodeError as error:
        return f"character {error.start + 1} of the text is half a character (U+{ord(sentence[error.start]):04X})"
    return ""


# --- one sentence at a time -------------------------------------------------------------------------------------------
# A tagger is made from anything that turns one sentence into a list of words and tags: derive from `WordwiseTagger` and
# write `words`. The rest is done here: words are put back onto the bytes of the sentence, and a sentence that fails, is
# too long or comes back changed gets a problem while the others are tagged.

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
            message = " ".join(str(error).split())[:200]
            return f"the tagger {self.name} failed: {type(error).__name__}: {message}".removesuffix(": ")


def _ending(words: Iterable[Word], sentence: str) -> list[Word]:
    """Return the words, but no more than a sentence can have: there are generators without an end."""
    most = _MOST_WORDS * (len(sentence) + 1)
    taken = list(islice(words, most + 1))
    if len(taken) > most:
        raise ValueError(f"it returned more than {most:,} words")
    return taken


def _pairs(found: list[Word]) -> list[Word]:
    """Return what is words with tags, and name the first that is not.

    Looking at each pair by itself would take as long as the quickest tagger takes to find it.
    """
    if {type(pair) for pair in found} <= {tuple, list} and set(map(len, found)) == {2}:
        words, tags = zip(*found, strict=True)
        with suppress(TypeError):  # something that is not text cannot be joined
            "".join(words)
            "".join(tags)
            return list(zip(words, tags, strict=True))
    return [_checked(pair) for pair in found]


def _checked(pair: object) -> Word:
    match pair:
        case (str(word), str(tag)):
            return word, tag
    raise TypeError(f"{pair!r} is not a word and a tag")
