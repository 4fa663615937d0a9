"""Does every place of a simplified text lead back to where it was written?"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import to_simplified
from hengliang.systems.slot_finding.simplified import _edges, simplified

pytest.importorskip("opencc")


def test_a_traditional_text_is_converted_and_leads_back() -> None:
    form = simplified("他買了一隻狗")
    assert form.text == "他买了一只狗"
    assert form.to_original(12, 15) == (12, 15)  # 只 is the fifth character, three bytes each
    assert form.original.encode()[12:15].decode() == "隻"


def test_a_simplified_text_is_left_alone() -> None:
    # 乾 stands in simplified texts too (乾隆); converted it would become 干.
    assert simplified("这本书讲乾隆").text == "这本书讲乾隆"


def test_bytes_of_another_number() -> None:
    # 㘔 has three bytes, its simplified form 𫬐 (extension E) has four.
    form = simplified("㘔書")
    assert form.text == "𫬐书"
    assert (form.to_original(0, 4), form.to_original(4, 7)) == ((0, 3), (3, 6))


def test_a_text_that_is_not_in_nfc() -> None:
    text = "e\u0301書個"  # e and an accent: three bytes, composed é two
    form = simplified(text)
    assert form.text == "é书个"
    assert form.to_original(2, 5) == (3, 6)
    assert text.encode()[3:6].decode() == "書"


@given(st.text(alphabet="個隻書这后後㑮㘔a é\u0301。𠮷", max_size=12))
def test_every_character_leads_back(text: str) -> None:
    form = simplified(text)
    assert form.to_original(0, len(form.text.encode())) == (0, len(text.encode()))
    before = 0
    for place, character in enumerate(form.text):
        start, stop = (len(form.text[:cut].encode()) for cut in (place, place + 1))
        first, last = form.to_original(start, stop)
        piece = unicodedata.normalize("NFC", text.encode()[first:last].decode())
        assert character in piece + to_simplified(piece)
        assert before <= first < last
        before = first


@given(st.text("甲乙丙", max_size=8), st.text("甲乙丁", max_size=8))
def test_forms_of_another_length_are_cut_alike(one: str, other: str) -> None:
    here, there = _edges(one, other)
    assert (here[0], there[0]) == (0, 0)
    assert (here[-1], there[-1]) == (3 * len(one), 3 * len(other))
    assert all(earlier <= later for edges in (here, there) for earlier, later in pairwise(edges))
