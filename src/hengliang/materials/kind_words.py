"""How are things of a kind called: a blue square, blue squares, 蓝色方形, 橙色的牛?

The words of the domain, put together as descriptions put them: the noun last, and in Mandarin 的 after an adjective,
unless it has one character (大马) or is a colour before a noun of two characters or more (蓝色方形).
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import Domain, Value

DE = "的"


def kind_words(domain: Domain, kind: Sequence[Value], number: int = 2) -> Bilingual:
    """Return how so many things of a kind are called.

    >>> from hengliang.materials.scene_domains import DEFAULT_DOMAIN
    >>> kind_words(DEFAULT_DOMAIN, DEFAULT_DOMAIN.kinds[0], 1)
    Bilingual(en='blue square', zh='蓝色方形')
    """
    nouns = () if domain.noun is None else domain.noun.values
    noun = next((value for value in kind if value in nouns), None)
    adjectives = [value for value in kind if value is not noun]
    if noun is None:
        head = Bilingual(domain.english if number == 1 else domain.plural, domain.chinese)
    else:
        head = Bilingual(noun.english if number == 1 else noun.plural or noun.english, noun.chinese)
    return Bilingual(
        " ".join([*(value.english for value in adjectives), head.en]),
        _before([value.chinese for value in adjectives], head.zh) + head.zh,
    )


def listed_kinds(domain: Domain) -> str:
    """Return all kinds with their codes, for a message: BS (blue square), …"""
    named = zip(domain.codes, domain.kinds, strict=True)
    return ", ".join(f"{code} ({kind_words(domain, kind, 1).en})" for code, kind in named)


def _before(adjectives: Sequence[str], noun: str) -> str:
    """Return adjectives as they stand before a Chinese noun."""
    if not adjectives:
        return ""
    *others, last = adjectives
    # One 的 is enough: 大的橙色牛.
    loose = len(last) == 1 or (last.endswith("色") and (len(noun) > 1 or bool(others)))
    return "".join(map(_with_de, others)) + (last if loose else _with_de(last))


def _with_de(word: str) -> str:
    return word if word.endswith(DE) else word + DE
