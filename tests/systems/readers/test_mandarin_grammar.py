"""Does the grammar read what people type in Mandarin, and hand back what it cannot read?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.core import to_traditional
from hengliang.materials.quantified_expressions import Expression, read_expression
from hengliang.materials.quantified_properties import OBJECT, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.mandarin import realise_mandarin
from hengliang.systems.readers.mandarin_grammar import parse_mandarin
from hengliang.systems.readers.parsing import Parse, parse_description
from tests.systems.readers.mandarin_domains import ANIMALS, DOMAINS, descriptions

TYPED = Path(__file__).with_name("typed_mandarin.tsv")
# What was typed later and is still not read as it is meant.
NOT_YET = {"各种颜色的圆形都有。"}
_WIDE = str.maketrans("0123456789,.%", "０１２３４５６７８９，。％")


def typed() -> Iterator[tuple[str, str, Parse]]:
    """Yield the set, the text and the parse that it should have."""
    for line in TYPED.read_text("utf-8").splitlines()[3:]:
        which, text, forms, unread = [*line.split("\t"), "", ""][:4]
        expressions = [read_expression(form, DEFAULT_DOMAIN) for form in forms.split(" | ") if form]
        yield which, text, Parse(tuple(expressions), tuple(one for one in unread.split(" | ") if one))


def told(parse: Parse) -> str:
    return " | ".join(map(str, parse.expressions)) + " // " + " | ".join(parse.unread)


@pytest.mark.parametrize("which", ["own", "further", "later"])
def test_typed_descriptions_are_read_as_they_are_meant(which: str) -> None:
    pytest.importorskip("opencc")  # Some are in traditional characters.
    cases = [(text, parse) for held, text, parse in typed() if held == which]
    wrong = [
        f"{text} {told(parse_mandarin(text))}, not {told(parse)}"
        for text, parse in cases
        if parse_mandarin(text) != parse and text not in NOT_YET
    ]
    assert len(cases) >= 40
    assert not wrong, "\n".join(wrong)


def test_what_is_not_read_yet_is_handed_back() -> None:
    wrong = [text for text in NOT_YET if parse_mandarin(text).expressions or not parse_mandarin(text).unread]
    assert not wrong


def test_traditional_characters_and_full_width_forms_are_read_alike() -> None:
    pytest.importorskip("opencc")
    wrong = [
        text
        for _, text, parse in typed()
        if not parse.unread
        and text not in NOT_YET
        and not (parse_mandarin(text) == parse_mandarin(to_traditional(text)) == parse_mandarin(text.translate(_WIDE)))
    ]
    assert not wrong


def test_simplified_text_is_read_without_the_library_for_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> str:
        from hengliang.core.text import missing_chinese_library

        raise missing_chinese_library("opencc", "Simplified and traditional characters")

    monkeypatch.setattr("hengliang.systems.readers.mandarin_text.to_simplified", absent)
    parse = parse_mandarin("有三个红色圆形，其余的是蓝色方形。")
    assert told(parse) == "number(3; object, red circle, rest blue square) // "


# --- what was realised is read back -----------------------------------------------------------------------------------


def _lost(domain: Domain, seeds: range) -> list[str]:
    """Return what is not read back, of every quantifier with every pair of fillers."""
    lost = []
    fillers = single_properties(domain)
    for place, (name, held) in enumerate(QUANTIFIERS.items()):
        numbers = ((), (2,), (1, 4))[held.numbers]
        for spot, first in enumerate(fillers):
            second = OBJECT if held.form == "kinds" else fillers[(spot * 7 + place) % len(fillers)]
            rest = fillers[(spot * 3 + place) % len(fillers)] if held.rest and spot % 2 else None
            meant = (Expression(name, first, second, numbers, rest),)
            for random in (None, *(Random(seed * 1000 + spot) for seed in seeds)):
                text = realise_mandarin(meant, domain, random)
                parse = parse_mandarin(text, domain)
                if parse != Parse(meant):
                    lost.append(f"{text} {told(parse)}, not {told(Parse(meant))}")
    return lost


@pytest.mark.parametrize("domain", DOMAINS, ids=[domain.name for domain in DOMAINS])
def test_every_quantifier_with_every_filler_is_read_back(domain: Domain) -> None:
    lost = _lost(domain, range(12 if domain is DEFAULT_DOMAIN else 1))
    assert not lost, "\n".join(lost[:10])


def test_every_pair_of_fillers_is_read_back() -> None:
    fillers = single_properties(DEFAULT_DOMAIN)
    lost: list[str] = []
    for name, held in QUANTIFIERS.items():
        if held.form == "kinds":
            continue
        for first in fillers:
            for second in fillers:
                meant = (Expression(name, first, second, ((), (3,), (2, 3))[held.numbers]),)
                for random in (None, Random(len(lost))):
                    text = realise_mandarin(meant, DEFAULT_DOMAIN, random)
                    if parse_mandarin(text) != Parse(meant):
                        lost.append(f"{text} {told(parse_mandarin(text))}, not {told(Parse(meant))}")
    assert not lost, "\n".join(lost[:10])


@pytest.mark.parametrize("domain", DOMAINS, ids=[domain.name for domain in DOMAINS])
@settings(max_examples=150, deadline=None)
@given(data=st.data(), seed=st.none() | st.integers(0, 10**6))
def test_descriptions_of_several_sentences_are_read_back(domain: Domain, data: st.DataObject, seed: int | None) -> None:
    meant = data.draw(descriptions(domain))
    text = realise_mandarin(meant, domain, None if seed is None else Random(seed))
    assert parse_mandarin(text, domain) == Parse(meant), text


@settings(max_examples=60, deadline=None)
@given(meant=descriptions(ANIMALS), seed=st.integers(0, 10**6))
def test_realised_text_in_traditional_characters_is_read_back(meant: tuple[Expression, ...], seed: int) -> None:
    pytest.importorskip("opencc")
    text = to_traditional(realise_mandarin(meant, ANIMALS, Random(seed)))
    assert parse_mandarin(text, ANIMALS) == Parse(meant), text


# --- what cannot be read ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "。。", " \n ", "，！"])
def test_nothing_is_read_from_nothing(text: str) -> None:
    assert parse_mandarin(text) == Parse()


def test_only_what_is_not_understood_is_handed_back_as_it_was_written() -> None:
    parse = parse_mandarin("左边有２個紅圓，都是方形；其餘的我没看清。")
    assert told(parse) == "all(object, square) // 左边有２個紅圓 | 其餘的我没看清"


@settings(max_examples=150, deadline=None)
@given(st.text("一两三半红蓝方圆形个的都是有没和比多少其中余除了，。、x5% ", max_size=40))
def test_any_text_is_read_or_handed_back(text: str) -> None:
    parse = parse_mandarin(text)
    assert parse.expressions or parse.unread or not set(text) - set("，。 ")
    assert all(one in text for one in parse.unread)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("圆形中。", " // 圆形中"),
        ("其中。都是方形。", "all(object, square) // 其中"),
        ("圆形中，三个红的。", "number(3; circle, red) // "),
        ("圆形中，我看不清。", " // 圆形中 | 我看不清"),
    ],
)
def test_what_only_leads_over_is_read_where_something_follows(text: str, read: str) -> None:
    assert told(parse_mandarin(text)) == read


def test_chinese_characters_lead_to_this_grammar() -> None:
    assert told(parse_description("都是圆形。")) == "all(object, circle) // "
