"""Has every quantifier wordings, and does each of them say what it must?"""

from __future__ import annotations

import re
from string import Formatter

from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.systems.describers.mandarin_wordings import EXCEPTION, REST, WORDINGS


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_quantifier_can_be_said_in_full() -> None:
    assert set(WORDINGS) == set(QUANTIFIERS)
    # A clause in full needs nothing before it and takes any restrictor.
    lacking = [name for name, held in WORDINGS.items() if not any(wording.use == "full" for wording in held)]
    assert not lacking


def test_no_wording_stands_twice() -> None:
    # Two quantifiers with the same words could not be told apart.
    said = [wording.text for held in WORDINGS.values() for wording in held]
    assert len(said) == len(set(said))


def test_every_wording_says_everything() -> None:
    wrong = []
    for name, held in WORDINGS.items():
        for wording in held:
            found = places(wording.text)
            subject = "A" in found or wording.use != "full"
            predicate = bool(found & {"B", "P"}) or QUANTIFIERS[name].form == "kinds"
            numbers = {0: set(), 1: {"n", "t"}, 2: {"f"}}[QUANTIFIERS[name].numbers]
            if not subject or not predicate or bool(found & {"n", "t", "f"}) != bool(numbers):
                wrong.append(wording.text)
    assert not wrong


def test_numerals_and_every_are_followed_by_a_classifier() -> None:
    texts = [wording.text for held in WORDINGS.values() for wording in held]
    bare = [text for text in (*texts, *EXCEPTION) if re.search(r"\{n\}(?!\{[apc]\})|每(?!一?\{a\}|一?种)", text)]
    assert not bare


def test_the_rest_is_said_of_the_rest() -> None:
    assert all(places(text) == {"C"} for text in REST)
