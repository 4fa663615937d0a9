"""Which logical forms does a written description have, and what of it was not understood?

English and Mandarin have a grammar each. What a grammar does not understand it hands back as it was written: nothing is
dropped silently, and a clause that cannot be read is better left unread than read wrongly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hengliang.core.errors import unknown_name
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain

_CHINESE = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True, slots=True)
class Parse:
    """The expressions of a description in the order in which they were said, and the clauses that were not read."""

    expressions: Description = ()
    unread: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether everything was understood, and there was something to understand."""
        return bool(self.expressions) and not self.unread


def language_of(text: str) -> Language:
    """Return the language of a text: one Chinese character makes it Chinese."""
    return "zh" if _CHINESE.search(text) else "en"


def parse_description(text: str, domain: Domain = DEFAULT_DOMAIN, language: Language | None = None) -> Parse:
    """Return the logical forms of a description; without a language, Chinese characters decide.

    >>> parse = parse_description("All objects are round; a third of them are blue.")
    >>> print(*parse.expressions, sep="; ")
    all(object, circle); fraction(1/3; circle, blue)
    """
    chosen = language_of(text) if language is None else language
    if chosen not in LANGUAGES:
        raise unknown_name("language", chosen, LANGUAGES)
    # The grammars build on Parse: they are imported once it is there.
    if chosen == "zh":
        from hengliang.systems.readers.mandarin_grammar import parse_mandarin

        return parse_mandarin(text, domain)
    from hengliang.systems.readers.english_grammar import parse_english

    return parse_english(text, domain)
