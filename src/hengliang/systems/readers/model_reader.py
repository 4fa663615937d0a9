"""Which scene would a reader rebuild who understands a description exactly?

The model reader parses a description, takes the scenes that are consistent with it and names one: one drawn by its
weight ("sample"), so that each seed is another reader, or the most typical one ("typical"). What it cannot read, and
what contradicts itself, it does not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.registry import register
from hengliang.core.signature import number_of
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.base import Reader, ReadScene, ReadText
from hengliang.systems.readers.parsing import Parse, parse_description
from hengliang.systems.readers.understanding import PRIORS, Prior, Understanding, contradiction, understand

ReaderChoice = Literal["sample", "typical"]
"""Which of the consistent scenes is named."""
Partial = Literal["use", "refuse"]
"""What becomes of a description of which a part could not be read."""

NOT_UNDERSTOOD = "the description is not understood"


@lru_cache(maxsize=10_000)
def remembered_parse(text: str, domain: Domain, language: Language | None) -> Parse:
    """Return the parse of a description; many readers read the same one, and parsing takes nearly all of the time."""
    return parse_description(text, domain, language)


@register("MODEL READER")
class ModelReader(Reader):
    """A reader that names a scene consistent with what it read.

    `choice` is "sample", a scene drawn by its weight, which depends on the seed, the text and the size of the scene and
    on nothing else, or "typical", the scene from which the others are fewest swaps away, whatever the seed.
    `prior` and `reading` are those of `understand`. With `partial="use"` what could be read of a description counts as
    all that it says; with "refuse" a description must be read whole. `language=None` lets the characters decide.
    """

    title = Bilingual("Model reader", "模型读者")

    def __init__(
        self,
        choice: ReaderChoice = "sample",
        prior: Prior = "scenes",
        seed: int | None = 0,
        domain: Domain = DEFAULT_DOMAIN,
        language: Language | None = None,
        reading: Reading = "pragmatic",
        partial: Partial = "use",
        name: str = "MODEL READER",
    ) -> None:
        self.choice: ReaderChoice = choice
        self.prior: Prior = prior
        self.seed = seed
        self.domain = domain
        self.language: Language | None = language
        self.reading: Reading = reading
        self.partial: Partial = partial
        self.name = name

    def read(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        """Return a consistent scene for each description, or why there is none."""
        self._check()
        return [self._one(description) for description in descriptions]

    def understanding(self, description: ReadText) -> Understanding:
        """Return which scenes the reader thinks possible, or say why it does not understand."""
        parse = remembered_parse(description.text, self.domain, self.language)
        unread = "; ".join(piece for piece in parse.unread if piece.strip())
        if not parse.expressions:
            raise UserError(f"{NOT_UNDERSTOOD}: {unread or 'it says nothing'}")
        if self.partial == "refuse" and not parse.whole:
            raise UserError(f"a part of the description is not understood: {unread}")
        return understand(parse.expressions, description.size, self.domain, self.reading, self.prior)

    def _one(self, description: ReadText) -> ReadScene:
        try:
            understood = self.understanding(description)
        except UserError as error:
            return ReadScene(None, str(error))
        if understood.contradictory:
            return ReadScene(None, f"the description contradicts itself. {contradiction(understood)}")
        if self.choice == "typical":
            return ReadScene(understood.typical())
        # A number of 53 bits is a fraction below 1 without rounding.
        drawn = number_of(f"{self.seed}\n{description.size}\n{description.text}") >> 11
        return ReadScene(understood.drawn(drawn / 2**53))

    def _check(self) -> None:
        given = (
            ("choice of a reader", self.choice, get_args(ReaderChoice)),
            ("prior", self.prior, PRIORS),
            ("reading", self.reading, READINGS),
            ("way of reading parts", self.partial, get_args(Partial)),
            ("language", self.language or "en", get_args(Language)),
        )
        for what, value, valid in given:
            if value not in valid:
                raise unknown_name(what, str(value), valid)
