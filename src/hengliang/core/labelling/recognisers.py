"""Named entities: the types of OntoNotes, and the base class of entity recognisers.

The types are the eighteen of OntoNotes 5 [1], which the English pipelines of spaCy use. Every recogniser here gives
types of this list, so that two languages and two recognisers can be set side by side; which of them it can give, it
says itself.

[1] Weischedel, R. et al. (2013). OntoNotes Release 5.0. Linguistic Data Consortium.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import LabelledSpans, labelled_safely
from hengliang.core.registry import find
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual

# --- entity types -----------------------------------------------------------------------------------------------------


ENTITY_TYPES: Mapping[str, Bilingual] = {
    "PERSON": Bilingual("people, real or invented", "人名"),
    "NORP": Bilingual("nationalities, religious and political groups", "民族、宗教、政治群体"),
    "FAC": Bilingual("buildings, airports, roads, bridges", "建筑、机场、道路、桥梁"),
    "ORG": Bilingual("companies, agencies, institutions", "机构"),
    "GPE": Bilingual("countries, cities, provinces", "国家、城市、省份"),
    "LOC": Bilingual("other places: mountains, rivers, regions", "其他地点：山川、地区"),
    "PRODUCT": Bilingual("things that are made: vehicles, weapons, foods", "产品"),
    "EVENT": Bilingual("named wars, storms, games", "事件"),
    "WORK_OF_ART": Bilingual("titles of books, songs, films", "作品名"),
    "LAW": Bilingual("named laws and treaties", "法律、条约"),
    "LANGUAGE": Bilingual("named languages", "语言"),
    "DATE": Bilingual("dates and periods of a day or longer", "日期"),
    "TIME": Bilingual("times shorter than a day", "时刻"),
    "PERCENT": Bilingual("percentages", "百分比"),
    "MONEY": Bilingual("amounts of money", "金额"),
    "QUANTITY": Bilingual("measurements: lengths, weights", "度量"),
    "ORDINAL": Bilingual("first, second, …", "序数"),
    "CARDINAL": Bilingual("other numbers", "基数"),
}


# --- recognisers ------------------------------------------------------------------------------------------------------
# A recogniser finds the stretches of texts that are names, dates or numbers, and gives the type of each. Texts come as
# they were written, with their capitals and before any word is taken for unknown. One text that it cannot read gets a
# problem; the others are recognised all the same.


class Recogniser(ABC):
    """Somebody who finds entities: derive from it, say which types it gives, and write `recognise`."""

    role: ClassVar[str] = "entity recogniser"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    types: ClassVar[tuple[str, ...]] = ()
    """The types that it can give, of `hengliang.core.labelling.recognisers.ENTITY_TYPES`."""

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
        from hengliang.core.labelling.recogniser_conformance import recogniser_promises

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
