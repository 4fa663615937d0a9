"""Which noun does a classifier count?

The words after the classifier are read as `[modifiers] noun noun …`, the last noun of the run being the head. A verb
or a preposition opens a relative clause, which 的 closes. Where the structure leaves more than one reading
(两个国家的领导人, 一种群众喜爱的形式), every reading is returned, nearest first, and
`hengliang.materials.slot_compatibility` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from hengliang.materials import slot_lexicon as lexicon

Bridge = Literal[
    "",
    "relative",
    "object",
    "run",
    "的",
    "之",
    "and",
    "quoted",
    "locative",
    "predicate",
    "clause",
    "compound",
    "verb",
    "title",
    "before",
]
"""What lies between the classifier, or the reading before, and a reading.

`''` nothing but modifiers; `relative` a clause that begins with a verb, and 的; `object` a verb whose noun stands
before that 的; `run` an earlier noun of the same run; `的` and `之` the particle alone; `and` a conjunction; `quoted`
an opening quote; `locative` a place word and 的; `predicate` an adjective and 的; `clause` a verb and 的; `compound`
a verb that modifies the noun without 的; `verb` the head is tagged as a verb; `title` the head is a title; `before`
the noun precedes the numeral.
"""

_NOUNS = frozenset(("n", "vn", "an", "nz", "nt", "ns", "nr", "j", "Ng", "nx", "na"))
_ATTRIBUTES = frozenset(("a", "b", "z", "Ag", "Bg", "h"))
_MODIFIERS = _ATTRIBUTES | frozenset(("ad", "d", "i", "l", "m", "q", "f", "Tg", "o", "Dg", "vd", "k", "t", "s"))
_CLAUSES = frozenset(("v", "Vg", "p", "r", "d", "vvn", "a", "ad", "t", "s", "m", "f", "l", "i", "z", "c"))
_PREDICATE = frozenset(("a", "d", "z", "i", "l", "ad", "Ag"))
_NAMES = frozenset(("nr", "ns", "nt"))
_CONJOINED = frozenset(("n", "vn", "an", "nz", "nt", "ns", "nr", "j", "Ng", "nx", "a", "b", "z", "i", "l"))
_CLOSING = {
    "“": "”",
    "‘": "’",
    "『": "』",
    "「": "」",
    "《": "》",
    "〈": "〉",
    "（": "）",
    "(": ")",
    "【": "】",
    "〔": "〕",
}
_TITLES = frozenset("《〈")
_REMARKS = frozenset("（(〔【")
_QUOTES = frozenset("“‘『「")
_QUOTE_ENDS = frozenset("”’』」")
_PARTICLES = frozenset("的之")
_STAY, _PASS = -1, -2
_REACH = 28
_MOST_READINGS = 4


class Reading(NamedTuple):
    """A possible head: the words from `first` to `last`, and what had to be crossed to reach it."""

    first: int
    last: int
    bridge: Bridge


class _Run(NamedTuple):
    """Nouns side by side (each from its first to its last word) and the index of the word after them."""

    nouns: tuple[tuple[int, int], ...]
    after: int

    def readings(self, bridge: Bridge) -> list[Reading]:
        return [Reading(*self.nouns[-1], bridge)] + [Reading(*noun, "run") for noun in self.nouns[:-1]]


_Found = tuple[list[Reading], int]


def readings_after(words: Sequence[str], tags: Sequence[str], start: int, end: int) -> list[Reading]:
    """Return the possible heads of a classifier whose phrase goes on at word `start`; the sentence ends at `end`."""
    phrase = _Phrase(words, tags, min(end, start + _REACH))
    found = phrase.first(start)
    if found is None:
        return []
    return found[0] + phrase.further(found[1])


def reading_before(
    words: Sequence[str], tags: Sequence[str], left: int, after: int, begin: int, end: int
) -> Reading | None:
    """Return the noun that precedes its numeral and classifier (图片 1 张), when nothing after them can be the head."""
    if after < end and not (tags[after] in {"w", "c"} or words[after] in lexicon.AFTER_QUANTITY):
        return None
    if after < end and words[after] in _CLOSING and words[after] not in _REMARKS:
        return None
    before = left - 1
    while before > begin and words[before] in lexicon.BEFORE_QUANTITY:
        before -= 1
    if (
        before < begin
        or tags[before] not in {"n", "vn", "nz", "j", "Ng", "nx"}
        or words[before].endswith(lexicon.AMOUNTS)
    ):
        return None
    return Reading(before, before, "before")


class _Phrase:
    """The words after a classifier, up to where its noun phrase can reach."""

    __slots__ = ("end", "tags", "words")

    def __init__(self, words: Sequence[str], tags: Sequence[str], end: int) -> None:
        self.words = words
        self.tags = tags
        self.end = end

    def first(self, start: int) -> _Found | None:
        """Return the nearest reading and where the phrase goes on."""
        run = self.run(start)
        at = run.after
        if run.nouns:
            return run.readings(""), at
        if at >= self.end:
            return None
        word, tag = self.words[at], self.tags[at]
        if word == "的":
            return self.past(at, "") if at > start else None
        if word in _TITLES and (close := self.closing(at)) > at + 1:
            return [Reading(at + 1, close - 1, "title")], close + 1
        if tag not in _CLAUSES or word in lexicon.CONJUNCTIONS or self._is_predicate(start, at):
            return None
        if tag == "v" and at + 1 < self.end and self.words[at + 1] in lexicon.LATER_PREDICATE_WORDS:
            return self._verbal(at)
        if (particle := self.particle(at)) and (found := self.past(particle, "relative" if tag == "v" else "")):
            return self._with_object(found, at, particle)
        return self._verbal(at) if tag == "v" and at - start < 2 else None

    def _with_object(self, found: _Found, at: int, particle: int) -> _Found:
        """Add the noun between the verb and 的, which may be the head after all: 百家[供应厂商]的工作."""
        run = self.run(at + 1)
        if (
            self.tags[at] != "v"
            or len(self.words[at]) < 2
            or run.after != particle
            or run.nouns[:1] != ((at + 1, at + 1),)
        ):
            return found
        readings, after = found
        return [readings[0], Reading(*run.nouns[-1], "object"), *readings[1:]], after

    def _is_predicate(self, start: int, at: int) -> bool:
        return any(word in lexicon.PREDICATE_WORDS for word in self.words[start : at + 1])

    def _verbal(self, at: int) -> _Found | None:
        """Read a verb right after the classifier as a modifier without 的, or as a noun that was tagged as a verb."""
        if len(self.words[at]) < 2 or self.words[at - 1] in {"不", "未", "没", "没有"}:
            return None
        run = self.run(at + 1)
        if run.nouns and run.nouns[0][0] == at + 1:
            return [Reading(*run.nouns[-1], "compound")], self.end
        ends = (
            at + 1 >= self.end or self.tags[at + 1] in {"f", "c"} or self.words[at + 1] in lexicon.LATER_PREDICATE_WORDS
        )
        if ends or (self.tags[at + 1] == "w" and self.words[at + 1] not in _CLOSING):
            return [Reading(at, at, "verb")], self.end
        return None

    def further(self, at: int) -> list[Reading]:
        """Return the readings that lie beyond the nearest one, one for each particle or conjunction crossed."""
        readings: list[Reading] = []
        while at < self.end and len(readings) < _MOST_READINGS:
            found = self._next(at)
            if found is None:
                break
            readings.append(found[0][0])
            at = found[1]
        return readings

    def _next(self, at: int) -> _Found | None:
        word, tag = self.words[at], self.tags[at]
        if tag == "u":
            if word in _PARTICLES:
                return self.past(at, "的" if word == "的" else "之")
            return self._conjunct(at) if word == "等" else None
        if (word in lexicon.CONJUNCTIONS and tag in {"c", "w"}) or word in _QUOTES:
            return self._conjunct(at)
        if tag not in _CLAUSES or word in lexicon.PREDICATE_WORDS:
            return None
        particle = self.particle(at)
        if not particle:
            return None
        return self.past(particle, self._bridge(at, particle))

    def _bridge(self, at: int, particle: int) -> Bridge:
        """Tell what stands between a noun and the next 的: a place word, an adjective, or a whole clause."""
        if set(self.tags[at:particle]) == {"f"}:
            return "locative"
        while at < particle and self.tags[at] in {"d", "f"}:
            at += 1
        adjective = at
        while at < particle and self.tags[at] in _PREDICATE:
            at += 1
        return "predicate" if at > adjective and (at == particle or self.words[at] == "、") else "clause"

    def _conjunct(self, at: int) -> _Found | None:
        if at + 1 >= self.end or (self.tags[at + 1] not in _CONJOINED and self.words[at + 1] not in _CLOSING):
            return None
        run = self.run(at + 1)
        return (run.readings("quoted" if self.words[at] in _QUOTES else "and"), run.after) if run.nouns else None

    def past(self, particle: int, bridge: Bridge) -> _Found | None:
        """Return the reading after a particle, across adjectives and one relative clause that have their own 的."""
        for _ in range(3):
            if bridge not in {"", "relative"} and particle + 1 < self.end and self.tags[particle + 1] == "m":
                return None  # a numeral begins a phrase of its own: 三个小学的二十个孩子
            run = self.run(particle + 1)
            if run.nouns:
                return run.readings(bridge), run.after
            at = run.after
            if at >= self.end or not (self.words[at] == "的" or self.tags[at] in _CLAUSES):
                return None
            particle = self.particle(at)
            if not particle:
                return None
        return None

    def particle(self, at: int) -> int:
        """Return the index of the next 的 before the clause ends, else 0."""
        while at < self.end:
            word = self.words[at]
            if word == "的" and self.tags[at] == "u":
                return at
            if word in _CLOSING:
                at = self.closing(at)
                if not at:
                    return 0
            elif self.tags[at] == "w" and word != "、" and word[0] != "·":
                return 0
            at += 1
        return 0

    def closing(self, at: int) -> int:
        """Return the index of the mark that closes the one at `at`, else 0."""
        mark = _CLOSING[self.words[at]]
        for other in range(at + 1, self.end):
            if self.words[other] == mark:
                return other
        return 0

    def run(self, at: int) -> _Run:
        """Read modifiers, then nouns side by side from `at`; quoted modifiers, titles and remarks are stepped over."""
        nouns: list[tuple[int, int]] = []
        while at < self.end:
            if self.tags[at] == "w":
                step = self._mark(at, bool(nouns))
                if step < 0:
                    return _Run(tuple(nouns), at if step == _STAY else at + 1)
                at = step
                continue
            last = self._noun(at, bool(nouns))
            if last >= at:
                nouns.append((at, last))
                at = last
            elif not (self._joins(at) if nouns else self._modifies(at)):
                break
            at += 1
        return _Run(tuple(nouns), at)

    def _mark(self, at: int, after_noun: bool) -> int:
        """Return where to go on from a punctuation mark, `_STAY` to stop before it, `_PASS` to stop behind it."""
        word = self.words[at]
        if word in _QUOTE_ENDS:
            return _PASS if after_noun else at + 1
        if word not in _CLOSING or not (close := self.closing(at)):
            return _STAY
        if word in _REMARKS or self._noun_at(close + 1):
            return close + 1
        if word in _TITLES or after_noun:
            return _STAY
        return close + 1 if close + 1 < self.end and self.words[close + 1] == "的" else at + 1

    def _noun_at(self, at: int) -> bool:
        """Say whether a noun follows here, alone or after one attribute."""
        if at < self.end and self.tags[at] in _ATTRIBUTES:
            at += 1
        return at < self.end and self.tags[at] in _NOUNS

    def _noun(self, at: int, after_noun: bool) -> int:
        """Return the last word of the noun that begins here, or -1."""
        word, tag = self.words[at], self.tags[at]
        follows = self.tags[at + 1] if at + 1 < self.end else ""
        if tag in _NAMES and after_noun and self.tags[at - 1] in {"n", "vn"}:
            return -1  # a name in apposition: 两位作家老舍和巴金
        if tag == "nr":
            while at + 1 < self.end and self.tags[at + 1] == "nr":
                at += 1
            return at
        if (
            tag in {"n", "Ng"}
            and after_noun
            and (word in lexicon.NO_LATER_NOUNS or (follows == "v" and word in lexicon.BODY_PARTS))
        ):
            return -1
        if tag in _NOUNS:
            return at
        if after_noun and tag in {"t", "s"}:
            return -1
        if tag == "t" or tag == "s":
            alone = follows not in _NOUNS and follows not in _ATTRIBUTES
            return at if alone and (word in lexicon.TIME_HEADS or word.endswith(lexicon.PLACE_ENDINGS)) else -1
        if tag == "l" and word.endswith(lexicon.PHRASE_ENDINGS) and not self._is(at + 1, "的"):
            return at
        return -1

    def _modifies(self, at: int) -> bool:
        """Say whether the word may stand before the first noun."""
        tag, word = self.tags[at], self.words[at]
        if tag == "c":  # 民办和股份制医院
            return word in lexicon.CONJUNCTIONS and self.tags[at - 1] in _ATTRIBUTES
        return tag in _MODIFIERS or (tag == "r" and word in lexicon.PRONOUN_MODIFIERS)

    def _joins(self, at: int) -> bool:
        """Say whether the word may stand between two nouns of a run: a suffix, or an attribute with a noun after it."""
        tag = self.tags[at]
        if tag == "k":
            return True
        return tag in _ATTRIBUTES and at + 1 < self.end and self._noun(at + 1, True) >= 0

    def _is(self, at: int, word: str) -> bool:
        return at < self.end and self.words[at] == word
