"""Are words and sentences what a reader expects, and are groups of words the smallest that agree?"""

from __future__ import annotations

import builtins
import unicodedata
from importlib import metadata
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st

from hengliang.core.errors import UserError
from hengliang.core.text import segmentation
from hengliang.core.text.characters import ByteSpan, characters, slices
from hengliang.core.text.segmentation import (
    Group,
    align,
    join_words,
    read_segmented,
    read_words,
    segment,
    segmenter_signature,
    sentences,
    words_of,
)
from tests.core.text.text_strategies import HAN, NFC_TEXT, TEXT, WORD, covers

# --- words ----------------------------------------------------------------------------------------------------------


def test_raw_chinese_is_cut_into_words() -> None:
    assert words_of("他终于成为了医生。", segment("他终于成为了医生。")) == ["他", "终于", "成为", "了", "医生", "。"]


@pytest.mark.parametrize(
    ("raw", "pieces"),
    [
        ("New York很大", ["New", " York", "很大"]),
        (" 你好\u3000\n世界 ", [" 你好", "\u3000\n世界 "]),
        ("我有５００元", ["我", "有", "５００", "元"]),
        ("３．１４％的人", ["３．１４％", "的", "人"]),
        ("x\u0302是数", ["x\u0302", "是", "数"]),
        ("葛\U000e0100的", ["葛\U000e0100", "的"]),
        ("👨‍👩‍👧‍👦很好👍🏽", ["👨‍👩‍👧‍👦", "很", "好", "👍🏽"]),
        ("\u0301 他", ["\u0301", " 他"]),
        (" \n\u3000", []),
        ("", []),
    ],
)
def test_spaces_and_marks_do_not_stand_alone(raw: str, pieces: list[str]) -> None:
    assert slices(raw, segment(raw)) == pieces


def test_characters_are_a_segmenter_too() -> None:
    assert slices("他 来e\u0302了", segment("他 来e\u0302了", "characters")) == ["他", " 来", "e\u0302", "了"]


@given(TEXT)
def test_words_partition_the_text_and_hold_no_inner_space_edge(drawn: str) -> None:
    for segmenter in segmentation.SEGMENTERS:
        spans = segment(drawn, segmenter)
        assert covers(spans, len(drawn.encode())) or not drawn.strip()
        assert all(words_of(drawn, spans))
        for piece in slices(drawn, spans[:-1]):
            assert piece == piece.rstrip()


def test_an_unknown_segmenter_is_refused() -> None:
    for function in (segment, read_words):
        with pytest.raises(UserError, match=r"No segmenter is called 'jieba'\. Did you mean rjieba"):
            function("他来了", "jieba")
    with pytest.raises(UserError, match="Segmenters: characters, english, rjieba"):
        segmenter_signature("jieba")


# --- English words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "pieces"),
    [
        ("We've got a house , and … a garden.", ["We", "'ve", " got", " a", " house", " ,", " and", " …"]),
        ("He didn't pay £3.50 (or 5%).", ["He", " did", "n't", " pay", " £", "3.50", " (", "or", " 5", "%", ")", "."]),
        ("See https://a.org/b?c=1, well-known.", ["See", " https://a.org/b?c=1", ",", " well", "-", "known", "."]),
        ("  the U.S.  Army \n", ["  the", " U.S.", "  Army \n"]),
        ("cafe\u0301s 👨‍👩‍👧‍👦👍🏽", ["cafe\u0301s", " 👨‍👩‍👧‍👦", "👍🏽"]),
        (" \n", []),
        ("", []),
    ],
)
def test_english_is_cut_by_the_rules_of_spacy(raw: str, pieces: list[str]) -> None:
    assert slices(raw, segment(raw, "english"))[: len(pieces)] == pieces


# Without brackets and quotes: in `( :)` spaCy takes the smile apart, and in `' 's` the `'s`; alone it does not.
ENGLISH = st.lists(
    st.one_of(
        st.sampled_from([*" \t.,;:!?-&%$", "...", "  ", "n't", "'s", "’ll", "Mr.", "U.S.", "a.m.", "e.g."]),
        st.sampled_from(["a", "The", "can", "cannot", "gonna", "10km", "3.5", "2019", "www.a.org", "x@y.com", "é"]),
    ),
    max_size=15,
).map("".join)

SPACY = spacy.blank("en")


@given(ENGLISH)
def test_a_stretch_by_itself_is_cut_as_within_its_text(drawn: str) -> None:
    # spaCy's own cut of the whole text, words of white space left out.
    whole = [token.text for token in SPACY.tokenizer(drawn) if not token.is_space]
    assert words_of(drawn, segment(drawn, "english")) == whole


def test_a_space_does_not_say_that_english_words_stand_apart() -> None:
    found = read_words("  Cafe\u0301s don't  open , do they? ", "english")
    assert found.content == "Cafés don't  open , do they?"
    assert found.words == ["Cafés", "do", "n't", "open", ",", "do", "they", "?"]
    assert covers(found.spans, len(found.content.encode()))


@pytest.mark.untraced
def test_a_stretch_of_any_length_is_cut_in_time() -> None:
    # The rules of spaCy would take a day.
    for unit in ("(", "a(", "ab"):
        raw = unit * 500_000
        spans = segment(raw, "english")
        assert covers(spans, len(raw))
        assert len(spans) == (1 if unit == "ab" else len(raw))


def test_words_stay_the_same_when_the_memory_of_spacy_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    written = "They weren't here, were they?"
    before = segment(written, "english")
    first = segmentation._english_tokenizer()
    monkeypatch.setattr(segmentation, "_MOST_STRINGS", 0)
    segmentation._english_words.cache_clear()
    assert segment(written, "english") == before
    assert segmentation._english_tokenizer() is not first


def test_the_signature_of_english_words_has_the_version_of_spacy() -> None:
    assert str(segmenter_signature("english")) == f"segmenter:english|version:{metadata.version('spacy')}"


def test_without_spacy_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> ModuleType:
        if name == "spacy":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    segmentation._english_words.cache_clear()
    segmentation._english_tokenizer.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError, match=r"spacy, which is not installed\. .*pip install 'hengliang\[english\]'"):
        segment("He left.", "english")


def test_the_signature_names_segmenter_and_version() -> None:
    assert str(segmenter_signature()).startswith("segmenter:rjieba|version:0.")
    assert str(segmenter_signature("characters")) == "segmenter:characters"


def test_segmented_text_is_read() -> None:
    content, spans = read_segmented("他 终于 成为 了 。")
    assert content == "他终于成为了。"
    assert spans == [(0, 3), (3, 9), (9, 15), (15, 18), (18, 21)]  # 3 bytes a character


def test_a_latin_space_belongs_to_the_word_after_it() -> None:
    assert read_segmented("I like\u3000tea 吗") == ("I like tea吗", [(0, 1), (1, 6), (6, 10), (10, 13)])


@pytest.mark.parametrize(
    ("words", "content"),
    [
        (["New", "York"], "New York"),
        (["他", "说", "OK", "了"], "他说OK了"),
        (["５００", "元"], "５００元"),
        (["５００", "kg"], "５００kg"),
        (["500", "kg"], "500 kg"),
        (["Ｔ恤", "Ｘ"], "Ｔ恤Ｘ"),
        (["Hello,", "world"], "Hello, world"),
        (["Hello", ",", "world"], "Hello,world"),
        (["3", ".", "5", "%"], "3.5%"),
        (["“Tom”", "(yes)"], "“Tom” (yes)"),
        (["T恤", "T恤"], "T恤T恤"),
        (["卡拉OK", "bar吧"], "卡拉OK bar吧"),
        (["café", "Zoë"], "café Zoë"),
        (["cafe\u0301", "x\u0302", "y"], "caf\u00e9 x\u0302 y"),
        (["a", "", "b", ""], "a b"),
        (["", "他", ""], "他"),
        ([], ""),
    ],
)
def test_when_a_space_is_kept(words: list[str], content: str) -> None:
    joined = join_words(words)
    assert joined.content == content
    assert joined.words == [unicodedata.normalize("NFC", word) for word in words]


def test_an_empty_word_is_zero_width() -> None:
    assert join_words(["a", "", "b"]).spans == [(0, 1), (1, 1), (1, 3)]
    assert join_words(["他", "", "。"]).spans == [(0, 3), (3, 3), (3, 6)]


@given(st.lists(WORD, max_size=12), st.lists(st.sampled_from([" ", "  ", "\u3000", "\n"]), min_size=13, max_size=13))
def test_reading_and_joining_are_inverse(words: list[str], separators: list[str]) -> None:
    line = separators[0] + "".join(word + separator for word, separator in zip(words, separators[1:], strict=False))
    try:
        content, spans = joined = read_segmented(line)
    except UserError as error:  # two words that become one character, such as e and a mark
        assert "starts with a mark" in str(error)
        assert not unicodedata.is_normalized("NFC", "".join(words))
        return
    assert joined == join_words(words)
    assert joined.words == words
    assert unicodedata.is_normalized("NFC", content)
    assert covers(spans, len(content.encode()))
    assert content.replace(" ", "") == "".join(words)
    assert join_words(words_of(content, spans)) == joined


@given(st.lists(HAN, max_size=12))
def test_chinese_words_are_joined_by_nothing(words: list[str]) -> None:
    assert join_words(words).content == unicodedata.normalize("NFC", "".join(words))


@given(NFC_TEXT)
def test_segmenting_what_has_no_spaces_comes_back_from_a_line(drawn: str) -> None:
    content = "".join(drawn.split())
    if not unicodedata.is_normalized("NFC", content):
        return
    words = words_of(content, segment(content))
    line = " ".join(words)
    # Two words that both are Latin can only come from a text with a space, or from a segmenter that cuts within Latin.
    assert read_segmented(line).content.replace(" ", "") == content
    assert read_segmented(line).words == words


def test_words_that_merge_are_refused_by_name() -> None:
    # Composition reaches over U+0327: a + U+0327 + U+0301 becomes á + U+0327, so the third word is the culprit.
    with pytest.raises(UserError, match="Word 3 "):
        join_words(["a", "\u0327", "\u0301", "他"])
    with pytest.raises(UserError, match="'New York' has white space"):
        join_words(["New York"])
    with pytest.raises(UserError, match="has white space"):
        join_words(["他 "])


def test_white_space_means_that_words_are_marked() -> None:
    assert read_words("他成为 了医生").words == ["他成为", "了医生"]
    assert read_words(" 他成为了医生\n").words == ["他", "成为", "了", "医生"]
    assert read_words("Cafe\u0301 noir") == ("Caf\u00e9 noir", [(0, 5), (5, 10)])
    assert read_words("他来了", "characters").spans == [(0, 3), (3, 6), (6, 9)]
    assert read_words(" ") == ("", [])


# --- sentences ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces",
    [
        ["他来了。", "你呢？", "走吧！", "第一；", "第二;", "好吗?", "好!"],
        ["他问：“来吗？”", "我说：“不来。", "你呢？！”", "他走了。"],
        ["“好！”，他说。"],
        ["（他没来，真的吗？不知道！）我来了。", "好。"],
        ["《你是谁？》是一本书。", "很好"],
        ["圆周率是3.14。", "涨了３．５％。"],
        ["他想……，然后走了。", "也许吧……", "谁知道呢…", "走了。。。", "好..."],
        ["“……”他沉默了。"],
        ["……我不知道。"],
        ['他说:"好。"', '"你呢?"', "走。"],
        ["见 http://a.cn/?q=1&b;c 吗?", "OK!"],
        ["真的吗？？？！！", "是！\ufe0f", "嗯"],
        ["没有标点"],
    ],
)
def test_sentences_without_spaces(pieces: list[str]) -> None:
    assert slices("".join(pieces), sentences("".join(pieces))) == pieces


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        ("Dr. Li met J. Smith. He left.", ["Dr. Li met J. Smith.", "He left."]),
        ("Well... maybe. Who knows... Not me.", ["Well... maybe.", "Who knows...", "Not me."]),
        ("1. 我去。 2. 你去。", ["1. 我去。", "2. 你去。"]),
        ("Tea, e.g. green tea. 好。", ["Tea, e.g. green tea.", "好。"]),
        ("标题\n\u3000\u3000他来了。\r\n  你呢\n", ["标题", "他来了。", "你呢"]),
        ("他（没关上。\n我来了）。好。", ["他（没关上。", "我来了）。", "好。"]),
        ("见(图1)。)好。", ["见(图1)。)", "好。"]),
        ('5" 。\n"好。"走。', ['5" 。', '"好。"', "走。"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences_with_spaces(written: str, pieces: list[str]) -> None:
    assert slices(written, sentences(written)) == pieces


@given(TEXT)
def test_sentences_cover_everything_but_white_space_in_order(drawn: str) -> None:
    raw, spans = drawn.encode(), sentences(drawn)
    edges = [0, *(offset for span in spans for offset in span), len(raw)]
    assert edges == sorted(edges)
    gaps = list(zip(edges[::2], edges[1::2], strict=True))
    assert all(not gap.strip() for gap in slices(drawn, gaps))
    for sentence in slices(drawn, spans):
        assert sentence
        assert sentence == sentence.strip()
        assert "\n" not in sentence


@example("．\u200d", "他")
@given(TEXT, TEXT)
def test_lines_are_cut_on_their_own(one: str, other: str) -> None:
    size = len(one.encode()) + 1
    shifted = [(start + size, end + size) for start, end in sentences(other)]
    assert sentences(f"{one}\n{other}") == sentences(one) + shifted


# --- alignment ------------------------------------------------------------------------------------------------------


def cut(pieces: list[int]) -> list[ByteSpan]:
    """Return spans of the given lengths, one after another."""
    edges = np.cumsum([0, *pieces]).tolist()
    return list(pairwise(edges))


def naive_groups(one: list[ByteSpan], other: list[ByteSpan]) -> list[Group]:
    """Take the shortest pair of runs that covers the same bytes, again and again; zero-width runs on their own."""
    groups, a, b, place = [], 0, 0, 0
    while a < len(one) or b < len(other):
        c = next((index for index in range(a, len(one)) if one[index] != (place, place)), len(one))
        d = next((index for index in range(b, len(other)) if other[index] != (place, place)), len(other))
        if (c, d) == (a, b):
            ends = [(end, i + 1) for i, (start, end) in enumerate(one) if i >= a and start < end]
            others = [(end, i + 1) for i, (start, end) in enumerate(other) if i >= b and start < end]
            place, c, d = min((end, i, j) for end, i in ends for same, j in others if end == same)
        groups.append((range(a, c), range(b, d)))
        a, b = c, d
    return groups


def test_alignment_by_hand() -> None:
    # 成为|了|医生 and 成为了|医|生: the first two words are one in the other, the last one is two.
    assert align(cut([6, 3, 6]), cut([9, 3, 3])) == [(range(0, 2), range(0, 1)), (range(2, 3), range(1, 3))]
    assert align([(9, 12), (12, 15)], [(9, 15)]) == [(range(0, 2), range(0, 1))]
    assert align([], []) == []


def test_zero_width_spans_at_a_shared_edge_are_their_own_group() -> None:
    assert align(cut([3, 0]), cut([3])) == [(range(0, 1), range(0, 1)), (range(1, 2), range(1, 1))]
    assert align(cut([0, 3]), cut([0, 0, 3])) == [(range(0, 1), range(0, 2)), (range(1, 2), range(2, 3))]
    assert align(cut([3, 0, 3]), cut([6])) == [(range(0, 3), range(0, 1))]
    assert align([(4, 4)], []) == [(range(0, 1), range(0, 0))]


CUTS = st.sets(st.integers(1, 29), max_size=20)
ZEROS = st.lists(st.integers(0, 30), max_size=6)


@given(CUTS, CUTS, ZEROS, ZEROS)
def test_groups_partition_both_and_are_the_smallest(
    one_cuts: set[int], other_cuts: set[int], one_zeros: list[int], other_zeros: list[int]
) -> None:
    one = list(pairwise(sorted([0, 30, *one_cuts, *(z for z in one_zeros if z in {0, 30} | one_cuts)])))
    other = list(pairwise(sorted([0, 30, *other_cuts, *(z for z in other_zeros if z in {0, 30} | other_cuts)])))
    groups = align(one, other)
    assert [index for left, _ in groups for index in left] == list(range(len(one)))
    assert [index for _, right in groups for index in right] == list(range(len(other)))
    assert groups == naive_groups(one, other)
    assert groups == [(left, right) for right, left in align(np.array(other), np.array(one))]
    for left, right in groups:
        inner = [{one[i][1] for i in left[:-1]}, {other[i][1] for i in right[:-1]}]
        wide = any(one[i][0] < one[i][1] for i in left)
        assert not wide or not inner[0] & inner[1]


@given(NFC_TEXT)
def test_words_align_with_characters_one_to_many(drawn: str) -> None:
    words = segment(drawn)
    if words:
        groups = align(words, characters(drawn))
        assert [len(left) for left, _ in groups] == [1] * len(words)
        assert ["".join(drawn[i] for i in right) for _, right in groups] == slices(drawn, words)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ([(0, 3)], [(0, 6)], "first segmentation covers the bytes 0–3, the second 0–6"),
        ([(0, 3)], [], "covers the bytes 0–3, the second 0–0"),
        ([(3, 6)], [(0, 6)], "covers the bytes 3–6"),
        ([(0, 3), (4, 6)], [(0, 6)], "first segmentation a span starts at 4, but the one before it ends at 3"),
        ([(0, 6)], [(0, 3), (2, 6)], "second segmentation a span starts at 2, but the one before it ends at 3"),
        ([(6, 0)], [(0, 6)], "6–0 ends before it starts"),
    ],
)
def test_what_is_no_pair_of_segmentations_is_refused(one: list[ByteSpan], other: list[ByteSpan], message: str) -> None:
    with pytest.raises(UserError, match=message):
        align(one, other)
