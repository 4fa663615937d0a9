"""What must a recogniser of entities do?

It answers one question: which stretches of these texts are names, dates or numbers, and of which type? Texts come as
they were written, with their capitals and before any word is taken for unknown. One text that it cannot read gets a
problem; the others are recognised all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.errors import UserError
from hengliang.findings import Finding, examine, general_promises
from hengliang.registry import find
from hengliang.signature import Signature, constructor_signature
from hengliang.systems.labelled_spans import LabelledSpans, labelled_safely


class Recogniser(ABC):
    """Somebody who finds entities: derive from it, say which types it gives, and write `recognise`."""

    role: ClassVar[str] = "entity recogniser"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    types: ClassVar[tuple[str, ...]] = ()
    """The types that it can give, of `hengliang.systems.entities.types.ENTITY_TYPES`."""

    @abstractmethod
    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Return the entities of each text as byte spans, in order, none overlapping another, labelled by type."""

    def language(self) -> str:
        """Return the code of the language that it reads ("en", "zh"); nothing where any will do or nobody says."""
        return ""

    def signature(self) -> Signature:
        """Return all that can change what is found: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a recogniser on itself."""
        from hengliang.systems.entities.conformance import recogniser_promises

        return examine([*general_promises(self), *recogniser_promises(self)])


def recognise_safely(recogniser: Recogniser, contents: Sequence[str]) -> LabelledSpans:
    """Recognise a batch; where that fails as a whole, text by text, so that only those that fail have a problem.

    A recogniser that cannot be used at all (its library is missing) says so with a `UserError`, which is passed on.
    """
    return labelled_safely(recogniser.recognise, contents, f"the entity recogniser {recogniser.name}", recogniser.name)


def recogniser(reference: str) -> Recogniser:
    """Return the recogniser of this name; what follows a colon is its one argument (`spacy:en_core_web_sm`)."""
    name, _, argument = reference.partition(":")
    entry = find("entity recogniser", name)
    made = entry.kind(argument) if argument else entry.make()
    if not isinstance(made, Recogniser):
        raise UserError(f"'{name}' is registered as an entity recogniser, but is none.")
    return made
