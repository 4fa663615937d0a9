"""Do all views of a text point at the same bytes, and do widths and scripts come out right?"""

from __future__ import annotations

import builtins
import pickle
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hengliang.core.errors import UserError
from hengliang.core.text import characters as text
from hengliang.core.text.characters import (
    WIDTHS,
    ByteSpan,
    byte_offsets,
    bytes_to_characters,
    characters,
    characters_to_bytes,
    half_character,
    is_fullwidth,
    is_han,
    is_han_text,
    joins_previous,
    normalise,
    script_of,
    slice_bytes,
    slices,
    to_simplified,
    to_traditional,
)
from hengliang.core.text.segmentation import read_segmented, segment, sentences
from tests.core.text.text_strategies import TEXT, covers

# --- characters -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "character",
    # The first and last assigned ideographs of each block in the Unicode charts, up to extension J (Unicode 17).
    "〇一鿿㐀䶿豈舘並龎\U00020000\U0002a6df\U0002a700\U0002b73f\U0002b740\U0002b81d\U0002b820\U0002cead\U0002ceb0\U0002ebe0"
    "\U0002ebf0\U0002ee5d\U0002f800\U0002fa1d\U00030000\U0003134a\U00031350\U000323af\U000323b0\U00033479",
)
def test_ideographs_of_every_block_are_han(character: str) -> None:
    assert is_han(character)
    assert is_han_text(character * 2)


@pytest.mark.parametrize("character", "aＡ５，。、々⺀⼀㇀ㄅかア한😀 \u3000\n\U0002a6e0\U0002fa1e\U0003134b\U0003347a")
def test_other_characters_are_not_han(character: str) -> None:
    assert not is_han(character)
    assert not is_han_text("他" + character)


def test_the_ranges_hold_every_ideograph_that_python_knows() -> None:
    prefixes = ("CJK UNIFIED IDEOGRAPH-", "CJK COMPATIBILITY IDEOGRAPH-")
    known = {code for code in range(0x110000) if unicodedata.name(chr(code), "").startswith(prefixes)}
    assert len(known) > 90_000
    assert all(is_han(chr(code)) for code in known)
    newer = {code for code in range(0x110000) if is_han(chr(code))} - known - {0x3007}
    assert all(unicodedata.category(chr(code)) == "Cn" for code in newer)


def test_nothing_is_no_han_text() -> None:
    assert not is_han_text("")


def test_a_predicate_of_one_character_refuses_two() -> None:
    with pytest.raises(UserError, match="'他们' has 2 characters"):
        is_han("他们")
    with pytest.raises(UserError, match="0 characters"):
        is_fullwidth("")


def test_full_width_is_what_has_a_narrow_form() -> None:
    wide = [character for character in "Ａa５5，,。、\u3000 ％他ｶカ￥" if is_fullwidth(character)]
    assert wide == list("Ａ５，\u3000％￥")


# --- offsets --------------------------------------------------------------------------------------------------------


def test_byte_offsets_by_hand() -> None:
    # UTF-8 takes 1 byte for a, 2 for é, 3 for 他, 4 for 𠀀: 0, 1, 1+2, 3+3, 6+4.
    assert byte_offsets("aé他𠀀").tolist() == [0, 1, 3, 6, 10]
    assert byte_offsets("").tolist() == [0]
    assert characters("aé他𠀀") == [(0, 1), (1, 3), (3, 6), (6, 10)]


@given(TEXT)
def test_every_view_gives_back_the_same_bytes(drawn: str) -> None:
    raw = drawn.encode()
    words = segment(drawn)
    for spans in (characters(drawn), words, segment(drawn, "characters")):
        assert b"".join(raw[start:end] for start, end in spans) == (raw if spans else b"")
        assert "".join(slices(drawn, spans)) == (drawn if spans else "")
    assert bool(words) == bool(drawn.strip())
    assert [drawn[index] for index in range(len(drawn))] == slices(drawn, characters(drawn))


@given(TEXT)
def test_offsets_agree_with_encoding_every_prefix(drawn: str) -> None:
    expected = [len(drawn[:index].encode()) for index in range(len(drawn) + 1)]
    assert byte_offsets(drawn).tolist() == expected
    everywhere = np.arange(len(drawn) + 1)
    assert characters_to_bytes(drawn, everywhere).tolist() == expected
    assert bytes_to_characters(drawn, expected).tolist() == everywhere.tolist()


@given(TEXT, st.data())
def test_offsets_inside_characters_are_refused(drawn: str, data: st.DataObject) -> None:
    inside = sorted(set(range(len(drawn.encode()))) - set(byte_offsets(drawn).tolist()))
    if not inside:
        return
    offset = data.draw(st.sampled_from(inside))
    for attempt in (
        lambda: slice_bytes(drawn, 0, offset),
        lambda: slice_bytes(drawn, offset, len(drawn.encode())),
        lambda: bytes_to_characters(drawn, [0, offset]),
    ):
        with pytest.raises(UserError, match=f"byte offset {offset} falls inside a character"):
            attempt()


def test_offsets_keep_their_shape_and_order() -> None:
    assert characters_to_bytes("他来了", [[3, 0], [1, 1]]).tolist() == [[9, 0], [3, 3]]
    assert bytes_to_characters("他来了", []).tolist() == []


@pytest.mark.parametrize("span", [(-1, 3), (0, 7), (3, 0)])
def test_spans_outside_of_the_text_are_refused(span: ByteSpan) -> None:
    with pytest.raises(UserError, match=r"0 ≤ start ≤ end ≤ 6"):
        slice_bytes("他们", *span)


@pytest.mark.parametrize("offsets", [[-1], [0, 7]])
def test_offsets_outside_of_the_text_are_refused(offsets: list[int]) -> None:
    with pytest.raises(UserError, match="outside of the text"):
        bytes_to_characters("他们", offsets)
    with pytest.raises(UserError, match="outside of the text"):
        characters_to_bytes("他们", offsets)


def test_offsets_are_whole_numbers() -> None:
    with pytest.raises(UserError, match="whole numbers"):
        characters_to_bytes("他们", [0.5])


@pytest.mark.parametrize(
    "function", [byte_offsets, characters, segment, sentences, normalise, read_segmented, to_simplified, to_traditional]
)
def test_half_a_character_is_refused(function: Callable[[str], object]) -> None:
    with pytest.raises(UserError, match=r"is half a character \(U\+D83D\)"):
        function("他\ud83d")


def test_half_a_character_is_told_by_its_code() -> None:
    assert half_character("他\ud83d") == (
        "it holds half a character (U+D83D): read it with the encoding it was written in"
    )
    assert half_character("他🐼") == half_character("") == ""


# --- normalisation --------------------------------------------------------------------------------------------------


def test_normalisation_by_hand() -> None:
    # ｶ + ﾞ (6 bytes) are one ガ (3), Ａ (3) is A (1), the ideographic space (3) a space (1), e + U+0301 (3) is é (2).
    normalised = normalise("ｶﾞＡ\u3000e\u0301。")
    assert normalised.text == "ガA é。"
    assert normalised.text_edges.tolist() == [0, 3, 4, 5, 7, 10]
    assert normalised.original_edges.tolist() == [0, 6, 9, 12, 15, 18]
    assert normalised.to_original(3, 4) == (6, 9)
    assert normalised.to_original(3, 7) == (6, 15)
    assert normalised.from_original(12, 15) == (5, 7)


def test_a_span_within_a_composed_character_is_widened() -> None:
    normalised = normalise("ae\u0301")  # a is byte 0, e byte 1, the mark bytes 2 and 3; é is bytes 1 and 2
    assert normalised.from_original(2, 4) == (1, 3)
    assert normalised.from_original(2, 2) == (1, 3)
    assert normalised.from_original(1, 1) == (1, 1)
    assert normalised.to_original(2, 3) == (1, 4)


def test_unchanged_marks_keep_their_own_place() -> None:
    # x + U+0302 has no composed form: although é next to it changes, x (byte 0) and its mark (1 to 3) stay apart.
    normalised = normalise("x\u0302e\u0301")
    assert normalised.to_original(0, 1) == (0, 1)
    assert normalised.to_original(1, 3) == (1, 3)
    assert normalised.to_original(3, 5) == (3, 6)


def test_marks_that_are_reordered_belong_together() -> None:
    # U+0302 U+0323 after a are sorted to U+0323 U+0302 and composed to U+1EAD.
    normalised = normalise("他a\u0302\u0323们")
    assert normalised.text == "他\u1ead们"
    assert normalised.to_original(3, 6) == (3, 8)


def test_a_character_that_expands_maps_as_a_whole() -> None:
    # U+0958 is excluded from composition and becomes two characters of 3 bytes.
    normalised = normalise("a\u0958b")
    assert normalised.text == "a\u0915\u093cb"
    assert normalised.to_original(1, 4) == (1, 4)
    assert normalised.to_original(4, 7) == (1, 4)
    assert normalised.from_original(1, 4) == (1, 7)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        ((), "Ａ５，\u3000ｶ｡"),
        (("alphanumeric",), "A5，\u3000ｶ｡"),
        ("punctuation", "Ａ５,\u3000ｶ｡"),
        (["space"], "Ａ５， ｶ｡"),
        ({"halfwidth"}, "Ａ５，\u3000カ。"),
        (WIDTHS, "A5, カ。"),
    ],
)
def test_widths_can_be_chosen(width: tuple[text.Width, ...], expected: str) -> None:
    assert normalise("Ａ５，\u3000ｶ｡", width).text == expected


def test_an_unknown_width_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"'spaces'\. Did you mean space\?\s+Widths: alphanumeric, halfwidth"):
        normalise("他", ["spaces"])  # type: ignore[list-item]


def test_width_agrees_with_compatibility_normalisation_where_only_width_differs() -> None:
    # NFKC goes on where the ordinary character has a compatibility form itself: U+FFE3 becomes a macron, which NFKC
    # takes apart, and the 52 half-width jamo become jamo letters, which NFKC replaces by conjoining ones.
    codes = [0x3000, *range(0xFF00, 0xFFF0)]
    changed = [code for code in codes if normalise(chr(code)).text != chr(code)]
    further = [code for code in changed if normalise(chr(code)).text != unicodedata.normalize("NFKC", chr(code))]
    # The space, 94 forms of ASCII, 2 white parentheses, 63 katakana and marks, 52 jamo, 7 wide and 7 narrow symbols.
    assert len(changed) == 1 + 94 + 2 + 63 + 52 + 7 + 7
    assert further[-1] == 0xFFE3
    assert len(further) == 52 + 1
    assert all(unicodedata.name(chr(code)).startswith("HALFWIDTH HANGUL") for code in further[:-1])
    assert normalise(chr(0xFFE3)).text == "¯"
    assert all(normalise(chr(code), ()).text == chr(code) for code in codes)


@given(TEXT)
def test_width_normalisation_is_canonically_stable(drawn: str) -> None:
    normalised = normalise(drawn).text
    assert unicodedata.is_normalized("NFC", normalised)
    assert normalise(normalised).text == normalised
    assert unicodedata.normalize("NFKC", normalised) == unicodedata.normalize("NFKC", drawn)
    assert normalise(drawn, ()).text == unicodedata.normalize("NFC", drawn)


@given(TEXT)
@example("a\u0327\u0301")
@example("\u0301a")
def test_edges_cut_both_texts_into_pieces_that_normalise_to_each_other(drawn: str) -> None:
    normalised = normalise(drawn)
    assert normalised.original == drawn
    here = list(pairwise(normalised.text_edges.tolist()))
    there = list(pairwise(normalised.original_edges.tolist()))
    assert covers(here, len(normalised.text.encode()))
    assert covers(there, len(drawn.encode()))
    for piece, source in zip(slices(normalised.text, here), slices(drawn, there), strict=True):
        assert normalise(source).text == piece


@given(TEXT, st.data())
def test_a_partition_at_edges_maps_to_a_partition_and_back(drawn: str, data: st.DataObject) -> None:
    normalised = normalise(drawn)
    chosen = data.draw(st.sets(st.sampled_from(normalised.text_edges.tolist())))
    spans = list(pairwise(sorted({0, *chosen, len(normalised.text.encode())})))
    mapped = [normalised.to_original(*span) for span in spans]
    assert "".join(slices(drawn, mapped)) == drawn
    assert [normalised.from_original(*span) for span in mapped] == spans


@given(TEXT, st.data())
def test_any_span_maps_to_the_smallest_span_that_covers_it(drawn: str, data: st.DataObject) -> None:
    normalised = normalise(drawn)
    size = len(normalised.text.encode())
    start = data.draw(st.integers(0, size))
    end = data.draw(st.integers(start, size))
    edges = list(zip(normalised.text_edges.tolist(), normalised.original_edges.tolist(), strict=True))
    # The definition, searched through: the innermost pair of edges around the span.
    expected = (
        max(there for here, there in edges if here <= start),
        min(there for here, there in edges if here >= end),
    )
    assert normalised.to_original(start, end) == expected
    back = normalised.from_original(*expected)
    assert back[0] <= start <= end <= back[1]


def test_a_span_outside_of_the_normalised_text_is_refused() -> None:
    with pytest.raises(UserError, match="≤ 1, in bytes"):
        normalise("Ａ").to_original(0, 2)


def test_every_character_that_composition_can_join_is_known() -> None:
    seconds = set()
    for code in range(0x110000):
        decomposition = unicodedata.decomposition(chr(code))
        if decomposition and not decomposition.startswith("<") and " " in decomposition:
            first, second = (chr(int(part, 16)) for part in decomposition.split())
            if unicodedata.normalize("NFC", first + second) == chr(code):
                seconds.add(second)
    seconds |= {chr(code) for code in range(0x110000) if unicodedata.combining(chr(code))}
    seconds |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    assert len(seconds) > 900
    assert all(joins_previous(character) for character in seconds)
    # A character that decomposes into such a one at its start joins as well, whatever its own class.
    assert joins_previous("\u0f73")
    assert unicodedata.combining("\u0f73") == 0
    assert not any(map(joins_previous, "a他Ａ한é。 "))


def test_a_normalised_text_is_a_value() -> None:
    normalised = normalise("Ａ他")
    assert normalised == normalise("Ａ他")
    assert hash(normalised) == hash(normalise("Ａ他"))
    assert pickle.loads(pickle.dumps(normalised)) == normalised
    with pytest.raises(ValueError, match="read-only"):
        normalised.text_edges[0] = 1


# --- script ---------------------------------------------------------------------------------------------------------


def test_conversion_minds_phrases() -> None:
    # 发 is 發 (to send out) or 髮 (hair); 后 is 後 (after) but stays in 皇后 (empress).
    assert to_traditional("头发发光，后来见皇后") == "頭髮發光，後來見皇后"
    assert to_simplified("頭髮發光，後來見皇后") == "头发发光，后来见皇后"


@pytest.mark.parametrize(
    ("written", "script"),
    [
        ("我们说汉语。", "simplified"),
        ("我們說漢語。", "traditional"),
        ("我们說汉语。", "mixed"),
        ("你好，天上人。", "both"),
        ("皇后住在公里之外", "both"),
        ("台灣的床上有一群人吃飯", "traditional"),  # 台床群吃 have other standard forms in OpenCC, but are used
        ("她為客户開户，脱税", "traditional"),  # 户 and 脱 as Hong Kong writes them
        ("乾隆年间", "simplified"),  # 乾 is kept in the name although 干 is its simplified form
        ("体育", "simplified"),  # 体 is in Big5 too, but among its rare characters
        ("𠮷〇", "both"),
        ("abc, ５ 😀", "none"),
        ("", "none"),
    ],
)
def test_script_is_guessed(written: str, script: str) -> None:
    assert script_of(written) == script


@pytest.mark.parametrize(
    ("library", "attempt"), [("rjieba", lambda: segment("他")), ("opencc", lambda: to_simplified("漢"))]
)
def test_a_missing_library_names_the_line_that_installs_it(
    library: str, attempt: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> ModuleType:
        if name == library:
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    text._converter.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError, match=rf"{library}.*pip install 'hengliang\[chinese\]'"):
        attempt()


# --- widths ---


@pytest.mark.parametrize(
    ("texts", "convention"),
    [
        ([], ""),
        (["他来了。"], ""),  # 。 is no mark of ASCII in any width
        (["增长５％，"], "digits=full marks=full"),
        (["增长5%", "Ａ"], "digits=half letters=full marks=half"),
        (["增长5", "增长５", "(a)"], "letters=half marks=half"),  # digits in both widths: nothing can be said
    ],
)
def test_texts_tell_their_widths(texts: list[str], convention: str) -> None:
    assert text.width_convention(texts) == convention


@given(TEXT)
def test_folding_is_one_character_for_one_and_can_be_undone(content: str) -> None:
    full, half = (
        {ord(one): other for one, other in text.width_folding(f"digits={w} letters={w} marks={w}").items()}
        for w in ("full", "half")
    )
    wide = content.translate(full)
    assert len(wide) == len(content)
    assert not any("!" <= character <= "~" for character in wide)
    assert wide.translate(full) == wide
    assert wide.translate(half) == content.translate(half)
    # What Unicode calls the wide form of a character of ASCII, and nothing else, is folded to half width.
    narrow = "".join(unicodedata.normalize("NFKC", one) if "！" <= one <= "～" else one for one in content)
    assert content.translate(half) == narrow


def test_a_convention_that_says_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="'digits=wide' says nothing about the width"):
        text.width_folding("digits=wide")
