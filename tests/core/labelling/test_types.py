"""Are the types those of OntoNotes, and is each explained in both languages?"""

from __future__ import annotations

from hengliang.core.labelling.recognisers import ENTITY_TYPES

# The names and values of OntoNotes 5: eleven kinds of names, seven of values (Weischedel et al. 2013, section 2.6).
NAMES = "PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE"
VALUES = "DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL"


def test_there_are_the_eighteen_types() -> None:
    assert list(ENTITY_TYPES) == f"{NAMES} {VALUES}".split()


def test_every_type_is_explained_in_two_languages() -> None:
    for words in ENTITY_TYPES.values():
        assert words.en.isascii() or "…" in words.en
        assert any("一" <= character <= "鿿" for character in words.zh)
