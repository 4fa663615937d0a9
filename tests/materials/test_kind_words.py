"""Are things called as descriptions call them, in both languages?"""

from __future__ import annotations

import pytest

from hengliang import Bilingual
from hengliang.materials.kind_words import kind_words, listed_kinds
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.systems.describers.mandarin import realise_mandarin

SIZE = Attribute("size", (Value("large", "L", "large", "大"), Value("tiny", "T", "tiny", "微小")))
COAT = Attribute("coat", (Value("orange", "O", "light orange", "橙色"), Value("spotted", "S", "spotted", "带斑点的")))
ANIMAL = Attribute(
    "animal", (Value("ox", "X", "ox", "牛", "oxen"), Value("rabbit", "R", "rabbit", "兔子", "rabbits")), noun=True
)
FARM = Domain("farm", (SIZE, COAT, ANIMAL), "animal", "animals", "动物")
COATS = Domain("coats", (COAT, ANIMAL), "animal", "animals", "动物")


@pytest.mark.parametrize(
    ("names", "number", "en", "zh"),
    [
        (("orange", "ox"), 2, "light orange oxen", "橙色的牛"),
        (("orange", "ox"), 1, "light orange ox", "橙色的牛"),
        (("orange", "rabbit"), 2, "light orange rabbits", "橙色兔子"),
        (("spotted", "rabbit"), 2, "spotted rabbits", "带斑点的兔子"),
        (("large", "ox"), 2, "large oxen", "大牛"),
        (("tiny", "rabbit"), 0, "tiny rabbits", "微小的兔子"),
        (("large", "orange", "ox"), 2, "large light orange oxen", "大的橙色牛"),
        (("large", "orange"), 2, "large light orange animals", "大的橙色动物"),
        (("ox",), 1, "ox", "牛"),
    ],
)
def test_words_of_a_kind(names: tuple[str, ...], number: int, en: str, zh: str) -> None:
    assert kind_words(FARM, [FARM.values[name] for name in names], number) == Bilingual(en, zh)


@pytest.mark.parametrize("domain", [DEFAULT_DOMAIN, COATS], ids=lambda domain: domain.name)
def test_descriptions_say_the_same(domain: Domain) -> None:
    # The plainest wording of "all objects are …" names the kind as its predicate.
    said = [realise_mandarin((read_expression(f"all(object, {name})", domain),), domain) for name in domain.kind_names]
    assert [
        text for kind, text in zip(domain.kinds, said, strict=True) if kind_words(domain, kind).zh not in text
    ] == []


def test_kinds_are_listed_by_their_english_words() -> None:
    assert listed_kinds(DEFAULT_DOMAIN) == "BS (blue square), BC (blue circle), RS (red square), RC (red circle)"
    assert "LOX (large light orange ox)" in listed_kinds(FARM)
