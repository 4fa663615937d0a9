"""Which small language models, right by construction, do the tests share?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import log, prod

import numpy as np

from hengliang.core import ByteSpan, ScoredUnit, characters
from hengliang.language_models import Texts
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits
from hengliang.language_models.scores import Numbers, Scores, scores_of

CORPUS = ("他 走 了 。", "他 终于 走 了 。", "医生 好 。")
BEGIN, UNKNOWN = "<s>", "<unk>"
Unit = tuple[int, int, str]


def known(word: str, vocabulary: Iterable[str]) -> str:
    """Return the word or, if it is not in the vocabulary of written words, the unknown word."""
    return word if word in vocabulary and word not in {END, UNKNOWN} else UNKNOWN


@cache
def _singles(corpus: tuple[str, ...]) -> Counter[str]:
    return Counter(word for line in corpus for word in line.split())


@cache
def _pairs(corpus: tuple[str, ...]) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    pairs = [pair for line in corpus for pair in pairwise([BEGIN, *line.split(), END])]
    return Counter(pairs), Counter(before for before, _ in pairs)


class Tiny(LanguageModel):
    """A model of words that scores text after text; a word of raw text is a character."""

    def __init__(self, corpus: tuple[str, ...] = CORPUS, name: str = "tiny") -> None:
        self.corpus = corpus
        self.name = name

    def conventions(self) -> Conventions:
        return Conventions("causal", "word", True, True, "one class", "training counts", "one word", "characters")

    @property
    def vocabulary(self) -> list[str]:
        """The words of the corpus, the unknown word and the end: seven words and two."""
        return [*_singles(self.corpus), UNKNOWN, END]

    def pieces(self, texts: Texts) -> list[list[Unit]]:
        """Return the units of each text with their spans, the end included."""
        return [_ended(text.content, text.spans, text.words) for text in texts.with_words("characters")]

    def score(self, texts: Texts) -> Scores:
        found: list[Sequence[ScoredUnit]] = []
        flags = []
        vocabulary = set(self.vocabulary)
        for units in self.pieces(texts):
            # An end that is written in the text has a width and is no end.
            words = [END if start == end else known(word, vocabulary) for start, end, word in units]
            chances = zip(units, self.probabilities(words), words, strict=True)
            found.append([ScoredUnit(s, e, log(p), log(self.unigram(word))) for (s, e, _), p, word in chances])
            flags += [word == UNKNOWN for word in words]
        return scores_of(found, flags)

    def probabilities(self, words: list[str]) -> list[Fraction]:
        """Return the probability of each word of a sentence that ends with END."""
        raise NotImplementedError

    def unigram(self, word: str) -> Fraction:
        """Return the relative frequency with one added to each count."""
        counts = _singles(self.corpus)
        ends = len(self.corpus)
        return Fraction((ends if word == END else counts[word]) + 1, counts.total() + ends + len(self.vocabulary))


def size(content: str) -> int:
    return len(content.encode())


def _ended(content: str, spans: Iterable[ByteSpan], words: Iterable[str]) -> list[Unit]:
    end = size(content)
    return [*((start, stop, word) for (start, stop), word in zip(spans, words, strict=True)), (end, end, END)]


class Bigrams(Tiny):
    """Words after words, one added to each count, in fractions.

    >>> Bigrams().chance("他", "走")  # once of the two times 他 was seen, and 9 entries with one more each
    Fraction(2, 11)
    """

    def chance(self, before: str, word: str) -> Fraction:
        """Return p(word | before) = (c(before, word) + 1) / (c(before) + V)."""
        pairs, befores = _pairs(self.corpus)
        return Fraction(pairs[before, word] + 1, befores[before] + len(self.vocabulary))

    def probabilities(self, words: list[str]) -> list[Fraction]:
        return [self.chance(before, word) for before, word in pairwise([BEGIN, *words])]

    def next_units(self, prefixes: Texts) -> NextUnits:
        rows = []
        for text in prefixes.with_words("characters"):
            before = known(text.words[-1], self.vocabulary) if text.words else BEGIN
            rows.append([log(self.chance(before, word)) for word in self.vocabulary])
        return NextUnits(self.vocabulary, np.array(rows, np.float64).reshape(len(prefixes), len(self.vocabulary)))


class UniformCharacters(Tiny):
    """Every known character, the unknown one and the end have one probability."""

    def conventions(self) -> Conventions:
        return Conventions("causal", "character", False, True, "one class", "training counts", "none")

    @property
    def vocabulary(self) -> list[str]:
        return [*dict.fromkeys("".join(self.corpus).replace(" ", "")), UNKNOWN, END]

    def pieces(self, texts: Texts) -> list[list[Unit]]:
        return [_ended(content, characters(content), content) for content in texts.contents]

    def probabilities(self, words: list[str]) -> list[Fraction]:
        return [Fraction(1, len(self.vocabulary))] * len(words)

    def next_units(self, prefixes: Texts) -> NextUnits:
        chance = log(Fraction(1, len(self.vocabulary)))
        return NextUnits(self.vocabulary, np.full((len(prefixes), len(self.vocabulary)), chance))


class Masked(Bigrams):
    """A word by the words on both its sides: the product of the two bigrams, made to sum to one; no end."""

    def conventions(self) -> Conventions:
        return Conventions("masked", "word", True, False, "one class", "none", "both sides", "characters")

    def score(self, texts: Texts) -> Scores:
        rows = []
        for units in self.pieces(texts):
            words = [BEGIN, *(known(word, self.vocabulary) for *_, word in units[:-1]), END]
            chances = [self._between(*words[place : place + 3]) for place in range(len(units) - 1)]
            rows.append([ScoredUnit(s, e, log(p), None) for (s, e, _), p in zip(units[:-1], chances, strict=True)])
        return scores_of(rows)

    def _between(self, left: str, word: str, right: str) -> Fraction:
        weights = {held: self.chance(left, held) * self.chance(held, right) for held in self.vocabulary if held != END}
        return weights[word] / sum(weights.values())

    next_units = LanguageModel.next_units


class Beam(Tiny):
    """Words from hidden moods: the mood moves, then says a word; the beam keeps the `width` likeliest mood histories.

    Mood 0 and 1 follow each other with 3/4 and stay with 1/4. Mood 0 says all words alike, mood 1 says END with 1/2.
    """

    def __init__(self, width: int = 2, corpus: tuple[str, ...] = CORPUS, name: str = "beam") -> None:
        self.width = width
        self.corpus = corpus
        self.name = name

    def conventions(self) -> Conventions:
        return Conventions("beam", "word", True, True, "one class", "training counts", "all", "characters")

    def step(self, before: int, mood: int, word: str) -> Fraction:
        """Return p(mood, word | the mood before)."""
        even = Fraction(1, len(self.vocabulary))
        said = even if mood == 0 else Fraction(1, 2) if word == END else Fraction(1, 2) / (len(self.vocabulary) - 1)
        return (Fraction(1, 4) if before == mood else Fraction(3, 4)) * said

    def probabilities(self, words: list[str]) -> list[Fraction]:
        beam: dict[tuple[int, ...], Fraction] = {(0,): Fraction(1)}
        found, before = [], Fraction(1)
        for word in words:
            grown = {(*way, mood): p * self.step(way[-1], mood, word) for way, p in beam.items() for mood in (0, 1)}
            beam = dict(sorted(grown.items(), key=lambda held: held[1], reverse=True)[: self.width])
            found.append(sum(beam.values()) / before)
            before = sum(beam.values(), Fraction(0))
        return found

    def enumerable(self) -> bool:
        return True

    def exact_logprobs(self, texts: Texts) -> Numbers:
        """Sum over all histories of moods, one after the other: another calculation than the beam's."""
        vocabulary = set(self.vocabulary)
        sums = []
        for units in self.pieces(texts):
            words = [END if start == end else known(word, vocabulary) for start, end, word in units]
            ways = ([0, *way] for way in product((0, 1), repeat=len(words)))
            chances = (prod(self.step(a, b, w) for (a, b), w in zip(pairwise(way), words, strict=True)) for way in ways)
            sums.append(log(sum(chances)))
        return np.array(sums)

    def at_full_width(self) -> Beam:
        return Beam(2**20, self.corpus, self.name)


class Subwords(Tiny):
    """Pieces of a text, the longest first, pieces that go on marked ##; a character without a piece is three pieces.

    A prefix can be cut up otherwise than the whole: 终于 is one piece, 终 is none. Each piece has the probability
    (1 + its place in the vocabulary) / a sum, turned by the piece before, so that no two neighbours have the same.
    """

    PIECES = (
        "终于",
        "成为",
        "了医",
        "生",
        "。",
        "火车",
        "开",
        "走了",
        "他",
        "他们",
        "虽然",
        "天",
        "气很",
        "冷",
        "，",
        "还",
    )
    BYTE = "<byte>"

    def conventions(self) -> Conventions:
        return Conventions("causal", "subword", True, True, "bytes", "none", "one piece")

    @property
    def vocabulary(self) -> list[str]:
        return [*self.PIECES, *(f"##{piece}" for piece in self.PIECES), self.BYTE, END]

    def pieces(self, texts: Texts) -> list[list[Unit]]:
        rows = []
        for content in texts.contents:
            units: list[Unit] = []
            place = at = 0
            while at < len(content):
                piece = max((held for held in self.PIECES if content.startswith(held, at)), key=len, default="")
                taken = piece or content[at]
                span = (place, place + size(taken))
                names = [f"##{piece}" if at else piece] if piece else [self.BYTE] * size(taken)
                units += [(*span, name) for name in names]
                place, at = span[1], at + len(taken)
            rows.append([*units, (place, place, END)])
        return rows

    def chance(self, before: int, piece: int) -> Fraction:
        count = len(self.vocabulary)
        return Fraction(1 + (piece + before) % count, count * (count + 1) // 2)

    def score(self, texts: Texts) -> Scores:
        places = {piece: place for place, piece in enumerate(self.vocabulary)}
        rows = []
        for units in self.pieces(texts):
            names = [0, *(places[name] for *_, name in units)]
            chances = [self.chance(before, piece) for before, piece in pairwise(names)]
            rows.append([ScoredUnit(s, e, log(p), None) for (s, e, _), p in zip(units, chances, strict=True)])
        return scores_of(rows)

    def next_units(self, prefixes: Texts) -> NextUnits:
        places = {piece: place for place, piece in enumerate(self.vocabulary)}
        last = [places[units[-2][2]] if len(units) > 1 else 0 for units in self.pieces(prefixes)]
        rows = [[log(self.chance(before, piece)) for piece in range(len(places))] for before in last]
        return NextUnits(self.vocabulary, np.array(rows, np.float64).reshape(len(prefixes), len(places)))
