"""Which words for kinds of things stand in a Mandarin text, and which property do they name together?

There are no spaces, so words are found by the longest that fits. A noun phrase is a row of the domain's words with or
without 的 between them, or with 又 before each (又大又高兴的狗); several are joined by 和, 或 and their like. An
adjective before 的 reaches over the next bare noun (蓝色的圆形和方形: both blue), one without 的 does not, and none
reaches over 以及 and 或者是, nor over the 、 of a list that ends in them. A noun is shared by the adjectives before it
(红色和蓝色的圆形, 红蓝方块).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from hengliang.materials.quantified_properties import Property, Term, ordered
from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.mandarin_text import ordinary

# Words that stop an adjective, then those over which it reaches.
STOPPING = ("以及", "或者是", "还有", "或是", "要么是")
REACHING = ("或者", "或", "和", "与", "跟", "及", "、")
_DETERMINER = r"(?:这些|那些|这里的|图中的|图里的|画面中的)?"
_GENERIC = ""
# 动物大部分是黑色的: here 大 is not the size of an animal.
_QUANTITY = r"大部[分份]|大多数|大多(?!于)|大约|大概|大致|大半|小部[分份]|小半|多数|少数"


@dataclass(slots=True)
class _Phrase:
    """A row of words between two joining words."""

    values: list[str] = field(default_factory=list)
    generic: bool = False
    marked: bool = False
    """Whether 的 stands directly before the noun."""
    stopped: bool = False
    """Whether the joining word before it stops adjectives."""
    listed: bool = False
    """Whether 、 stands before it."""


@dataclass(frozen=True)
class Lexicon:
    """The words of a domain, and patterns for the phrases that are made of them."""

    domain: Domain
    words: dict[str, str]
    """The name of the value of each word; empty for words for any thing."""

    @property
    def word(self) -> str:
        """The pattern of one word, longer ones first."""
        return f"(?!{_QUANTITY})(?:" + "|".join(map(re.escape, sorted(self.words, key=len, reverse=True))) + ")"

    @property
    def term(self) -> str:
        """The pattern of one noun phrase."""
        return rf"{_DETERMINER}又?{self.word}(?:的?又?{self.word})*的?"

    @property
    def joined(self) -> str:
        """The pattern of noun phrases joined by words that also join within a comparison: 和, 、, 或."""
        return rf"{self.term}(?:(?:以及|或者是|或者|或|和|、){self.term})*"

    @property
    def things(self) -> str:
        """The pattern of one noun phrase or several, joined."""
        return rf"{self.term}(?:(?:{'|'.join((*STOPPING, *REACHING))}){self.term})*"

    def property_of(self, text: str) -> Property | None:
        """Return the property that a phrase names; None if its words cannot go together.

        >>> from hengliang.materials.scene_domains import DEFAULT_DOMAIN
        >>> print(lexicon(DEFAULT_DOMAIN).property_of("蓝色的圆形和方形"))
        blue circle or blue square
        """
        phrases = self._phrases(text)
        self._reach_forward(phrases)
        self._share_noun(phrases)
        terms: list[Term] = []
        for phrase in phrases:
            terms += [term for term in self._terms(phrase.values) if term not in terms]
        return Property(tuple(terms)) if terms else None

    def _phrases(self, text: str) -> list[_Phrase]:
        found, after_de = [_Phrase()], False
        for token in re.findall(rf"{self.word}|的|{'|'.join((*STOPPING, *REACHING))}", text):
            if token in self.words:
                value = self.words[token]
                if value == _GENERIC:
                    found[-1].generic = True
                else:
                    found[-1].values.append(value)
                    found[-1].marked = after_de
            elif token != "的":
                found.append(_Phrase(stopped=token in STOPPING, listed=token == "、"))
            after_de = token == "的"
        for phrase, after in reversed(list(pairwise(found))):
            phrase.stopped |= phrase.listed and after.stopped
        return found

    def _reach_forward(self, phrases: list[_Phrase]) -> None:
        for before, phrase in pairwise(phrases):
            bare = bool(phrase.values) and all(self._is_noun(value) for value in phrase.values)
            adjectives = [value for value in before.values if not self._is_noun(value)]
            if bare and not phrase.stopped and before.marked and adjectives and self._has_noun(before):
                phrase.values = [*adjectives, *phrase.values]
                phrase.marked = True

    def _share_noun(self, phrases: list[_Phrase]) -> None:
        for phrase, after in reversed(list(pairwise(phrases))):
            nouns = [value for value in after.values if self._is_noun(value)]
            modified = len(after.values) > len(nouns)
            alone = bool(phrase.values) and not self._has_noun(phrase) and not phrase.generic
            if alone and nouns and modified and not after.stopped:
                phrase.values = [*phrase.values, *nouns]

    def _terms(self, values: list[str]) -> list[Term]:
        """Return the terms of a row of values: two values of one attribute are alternatives (红蓝方块)."""
        places = self.domain.attribute_of
        rows: list[dict[int, str]] = [{}]
        for place in dict.fromkeys(places[value] for value in values):
            held = list(dict.fromkeys(value for value in values if places[value] == place))
            rows = [{**row, place: value} for row in rows for value in held]
        return [ordered(set(row.values()), self.domain) for row in rows]

    def _is_noun(self, value: str) -> bool:
        return self.domain.attributes[self.domain.attribute_of[value]].noun

    def _has_noun(self, phrase: _Phrase) -> bool:
        return any(self._is_noun(value) for value in phrase.values)


@lru_cache(maxsize=16)
def lexicon(domain: Domain) -> Lexicon:
    """Return the words of a domain: those it writes, those it understands, and colours without 色."""
    words = {ordinary(word): _GENERIC for word in (domain.chinese, *domain.other_chinese)}
    for value in domain.values.values():
        words |= {ordinary(word).removesuffix("的"): value.name for word in (value.chinese, *value.other_chinese)}
    short = {word[:-1]: name for word, name in words.items() if word.endswith("色") and len(word) == 2 and name}
    return Lexicon(domain, {**{word: name for word, name in short.items() if word not in words}, **words})
