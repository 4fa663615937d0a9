"""How is a property called in Mandarin, as what is spoken of and as what is said of it?

A value that is a noun is said as it is (方形); one that is an adjective stands before the noun (蓝色方形, 大的蓝色方形)
or, as a predicate, with 的 (是蓝色的). 的 stands once before a noun, so several adjectives are joined by 又
(又大又高兴的狗), and words that say of which sort a thing is (蓝色) follow them directly before the noun. Alternatives
are joined by 和 or 或. Where 的 would let the first adjective reach over the next noun (蓝色的圆形和方形: are the
squares blue?), the joining word is one that stops it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hengliang.materials.quantified_properties import Property, Term
from hengliang.materials.scene_domains import Domain, Value

DE = "的"
# Words with these endings say of which sort a thing is; they have no degrees, so 又 … 又 … cannot join them.
_SORTING = ("色", "形", "状", "制", "质", "型", "式", "性")


@dataclass(frozen=True, slots=True)
class Joining:
    """A word that joins alternatives, and the one that keeps an adjective from reaching over it."""

    word: str
    stopping: str


AND = Joining("和", "以及")
OR = Joining("或", "或者是")


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one domain; with `random` None the plainest ones."""

    domain: Domain
    random: Random | None = None

    def noun(self, term: Term) -> str:
        """Return the head noun of a term: that of its values, else the word for a thing."""
        found = next((value for value in self._values(term) if self._is_noun(value)), None)
        return found.chinese if found is not None else self.domain.chinese

    def thing(self, term: Term, compact: bool = False) -> str:
        """Return a term as a noun phrase: 方形, 蓝色的方形, 大的蓝色方形; `compact` without 的 if that can be."""
        noun, degrees, sorts = self.noun(term), *self._adjectives(term)
        if degrees:
            return _with_de(_at_once(degrees)) + "".join(sorts) + noun
        if not sorts:
            return noun
        with_de = len(noun) == 1 or (len(sorts) == 1 and not compact and self._chance(0.5))
        return "".join(sorts[:-1]) + (_with_de(sorts[-1]) if with_de else sorts[-1]) + noun

    def things(self, what: Property, joining: Joining = AND, compact: bool = False) -> str:
        """Return a property as a noun phrase, its alternatives joined."""
        if what.single:
            return self.thing(what.terms[0], compact)
        if self._only_adjectives(what) and joining != AND:
            return self._alternatives(what) + self.domain.chinese
        # 红色和蓝色的图形 might be of two colours each, so with 和 the noun is said again.
        phrases = [self.thing(term, compact=True) for term in what.terms]
        reaches = any(self._reaches(before, after) for before, after in pairwise(what.terms))
        return _joined(phrases, joining.stopping if reaches else joining.word)

    def predicate(self, what: Property) -> str:
        """Return a property as what follows 是: 方形, 蓝色的, 又大又高兴的, 蓝色方形, 红色或蓝色的."""
        if self._only_adjectives(what):
            return self._alternatives(what)
        if what.single:
            degrees, _ = self._adjectives(what.terms[0])
            if degrees and len(degrees) == len(what.terms[0]):
                return _with_de(_at_once(degrees))
        return self.things(what, OR)

    def _alternatives(self, what: Property) -> str:
        """Return adjectives without their noun: 蓝色的, 红色或蓝色的, 大的或小的."""
        words = [self._values(term)[0].chinese for term in what.terms]
        alike = all(word.endswith(_SORTING) for word in words)
        return _joined([*(words[:-1] if alike else map(_with_de, words[:-1])), _with_de(words[-1])], OR.word)

    def _adjectives(self, term: Term) -> tuple[list[str], list[str]]:
        """Return the adjectives of a term that have degrees, and those that name a sort."""
        words = [value.chinese for value in self._values(term) if not self._is_noun(value)]
        return [word for word in words if not _sorts(word)], [word for word in words if _sorts(word)]

    def _reaches(self, before: Term, after: Term) -> bool:
        """Whether an adjective would be taken to reach over the noun that follows: its 的 touches a noun of its own."""
        bare = len(after) == 1 and self._is_noun(self.domain.values[after[0]])
        own = any(self._is_noun(value) for value in self._values(before))
        return bare and own and self.thing(before, compact=True).endswith(DE + self.noun(before))

    def _values(self, term: Term) -> list[Value]:
        return [self.domain.values[name] for name in term]

    def _is_noun(self, value: Value) -> bool:
        noun = self.domain.noun
        return noun is not None and value in noun.values

    def _only_adjectives(self, what: Property) -> bool:
        """Whether each alternative is one adjective."""
        return all(len(term) == 1 and not self._is_noun(self.domain.values[term[0]]) for term in what.terms)

    def _chance(self, share: float) -> bool:
        return self.random is not None and self.random.random() < share


def _with_de(word: str) -> str:
    return word if word.endswith(DE) else word + DE


def _sorts(word: str) -> bool:
    """Whether a word may stand directly before a noun: 蓝色方形; but 小刀 and 老女人 are words of their own."""
    return len(word) > 1 and word.endswith(_SORTING)


def _at_once(words: Sequence[str]) -> str:
    """Join adjectives that hold together: 又大又高兴."""
    return words[0] if len(words) == 1 else "".join("又" + word.removesuffix(DE) for word in words)


def _joined(words: Sequence[str], joining: str) -> str:
    """Join the last two by the word, those before by 、: one list has one joining word."""
    return "、".join(words[:-1]) + (joining if len(words) > 1 else "") + words[-1]
