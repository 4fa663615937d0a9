"""Is a kind known by its code and by its names in both languages?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.analysis.reconstruction.kinds import kind_place, named_kind
from hengliang.materials.kind_words import listed_kinds
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value


@pytest.mark.parametrize(
    "name", ["BC", "bc", "blue circle", "Blue Circles", "blue_circle", "blue-circles", "蓝色圆形", "蓝圆形"]
)
def test_names_of_one_kind(name: str) -> None:
    assert kind_place(name, DEFAULT_DOMAIN) == DEFAULT_DOMAIN.codes.index("BC")


def test_every_code_and_name_finds_its_own_place() -> None:
    for names in (DEFAULT_DOMAIN.codes, DEFAULT_DOMAIN.kind_names):
        assert [kind_place(name, DEFAULT_DOMAIN) for name in names] == [0, 1, 2, 3]


def test_an_unknown_kind_lists_the_kinds() -> None:
    assert kind_place("green circle", DEFAULT_DOMAIN) is None
    with pytest.raises(UserError) as caught:
        named_kind("GC", DEFAULT_DOMAIN, "Row 3")
    assert caught.value.problem == "Row 3: there is no kind 'GC'."
    assert listed_kinds(DEFAULT_DOMAIN) in caught.value.valid and "BS (blue square)" in caught.value.valid


def test_a_domain_of_ones_own() -> None:
    values = (Value("cat", "C", "cat", "猫", "cats"), Value("dog", "D", "dog", "狗", "dogs"))
    pets = Domain("pets", (Attribute("animal", values, noun=True),))
    assert [kind_place(name, pets) for name in ("cats", "狗", "D", "blue square")] == [0, 1, 1, None]
