"""Does each language have its realiser?"""

from __future__ import annotations

from random import Random

import pytest

from hengliang import UserError
from hengliang.core import Language
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.quantifiers import Numbers, quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.describers.candidates import candidates, quantifiers_of
from hengliang.systems.describers.english import realise_english
from hengliang.systems.describers.mandarin import realise_mandarin
from hengliang.systems.describers.realisation import realise
from hengliang.systems.readers.parsing import Parse, parse_description

SAID = (read_expression("all(object, square)", DEFAULT_DOMAIN), read_expression("half(square, blue)", DEFAULT_DOMAIN))

FRACTIONS: tuple[Numbers, ...] = ((1, 3), (2, 3), (1, 4), (3, 4))


def test_each_language_is_realised_by_its_own() -> None:
    assert realise(SAID) == realise(SAID, DEFAULT_DOMAIN, "en") == realise_english(SAID, DEFAULT_DOMAIN)
    assert realise(SAID, DEFAULT_DOMAIN, "zh") == realise_mandarin(SAID, DEFAULT_DOMAIN)


def test_chance_is_handed_on() -> None:
    for language in ("en", "zh"):
        wordings = {realise(SAID, DEFAULT_DOMAIN, language, Random(seed)) for seed in range(30)}
        assert len(wordings) > 1
        assert realise(SAID, DEFAULT_DOMAIN, language, Random(3)) in wordings


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whatever_a_describer_can_say_is_read_back(language: Language) -> None:
    misread = []
    # Every third: three does not divide the numbers of fillers, so each quantifier meets all sorts of them.
    for number, candidate in enumerate(candidates(DEFAULT_DOMAIN, quantifiers_of("with numbers"))[::3]):
        numbers = {0: (), 1: (2 + number % 5,), 2: FRACTIONS[number % 4]}[quantifier(candidate.quantifier).numbers]
        said = (candidate.expression(numbers),)
        text = realise(said, DEFAULT_DOMAIN, language, Random(number))
        if parse_description(text, DEFAULT_DOMAIN, language) != Parse(said):
            misread.append((str(said[0]), text))
    assert misread == []


def test_another_language_is_refused() -> None:
    with pytest.raises(UserError, match="No language of descriptions is called 'nl'"):
        realise(SAID, DEFAULT_DOMAIN, "nl")
