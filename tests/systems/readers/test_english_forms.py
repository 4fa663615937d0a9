"""Can the forms of clauses be compared and kept?"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from hengliang.systems.readers.english_forms import ELIDED, Existence, Item, Predicate, Reference, Statement, Subject
from hengliang.systems.readers.english_nouns import NounPhrase
from hengliang.systems.readers.english_quantities import ALL

RED = NounPhrase((("red",),), ((("red",),),))


def test_forms_are_values() -> None:
    one = Statement((Subject(ALL, ELIDED),), Predicate(RED))
    assert one == Statement((Subject(ALL, Reference("elided")),), Predicate(RED))
    assert hash(one) == hash(replace(one))
    assert one != replace(one, topic=Reference("them"))


def test_forms_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Existence((Item(ALL, RED),)).only = True  # type: ignore[misc]
