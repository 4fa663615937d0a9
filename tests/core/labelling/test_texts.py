"""Are texts read in columns as they are read one by one, and do their words stay with them?"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import (
    PLAIN,
    WORD,
    Texts,
    concat,
    edges_of,
    ranges,
    raw_texts,
    read_segmented_texts,
    read_texts,
    texts_of,
    texts_of_items,
)
from hengliang.core.records import Item, Span, items_frame
from hengliang.core.text.segmentation import Segmented, join_words, read_segmented, read_words, segment
from tests.core.text.text_strategies import ANY_CHARACTER, LATIN_WORD, NFC_TEXT, TEXT, covers
from tests.core.text.text_strategies import WORD as ONE_WORD

# Everything that Python takes for white space, and neighbours that it does not.
ODD_SPACE = st.sampled_from(
    "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u200a\u2028\u2029\u202f\u205f\u200b\ufeff\x00\x1b\v\f"
)
EDGE = st.sampled_from([*"!/:@[`{~‘’“”-&^|]}\\", "A", "z", "0", "ª", "ʯ", "é", "e\u0301", "Ｚ", "ﬁ", "\u0302", "Ａ"])
LINE = st.lists(st.one_of(TEXT, ODD_SPACE, EDGE, st.just(" "), LATIN_WORD, ANY_CHARACTER), max_size=12).map("".join)


def outcome(read: object, lines: Sequence[str]) -> list[Segmented] | str:
    """Return what a reader makes of the lines, or the message with which it refuses them."""
    try:
        return list(read(lines))  # type: ignore[operator]
    except UserError as error:
        return str(error)


def one_by_one(lines: Sequence[str]) -> list[Segmented]:
    return [read_segmented(line) for line in lines]


@given(st.lists(LINE, max_size=5))
@example(["", "a b", "", "他 走", ""])
@example(["C++ yes", "(a) “b” c", "a - b", "a ] b", "5 % x", "x\u0302 y", "Ａ Ｂ"])
@example(["a\x1cb", "a\x1fb\u3000c", "a\u200bb", "\x85他 \x1d 走\u2028"])
@example(["他 \u0301走"])
@example(["e \u0301", "a \u0338"])
def test_segmented_lines_are_read_as_one_by_one(lines: list[str]) -> None:
    assert outcome(read_segmented_texts, lines) == outcome(one_by_one, lines)


@given(st.lists(LINE, max_size=5))
@example(["他走了", "他 走", "", "  ", "\x1c好\x1f", "I am"])
def test_lines_are_read_as_one_by_one(lines: list[str]) -> None:
    """As `read_words` reads them, but that the words of a raw text are found only when a model asks for them."""

    def words_found_late(lines: Sequence[str]) -> list[Segmented]:
        return list(read_texts(lines).with_words("characters"))

    def words_found_at_once(lines: Sequence[str]) -> list[Segmented]:
        return [read_words(line, "characters") for line in lines]

    assert outcome(words_found_late, lines) == outcome(words_found_at_once, lines)


@given(st.lists(LINE, max_size=5))
def test_only_white_space_within_a_line_marks_words(lines: list[str]) -> None:
    try:
        texts = read_texts(lines)
    except UserError:
        return
    assert texts.segmented.tolist() == [len(line.split()) > 1 for line in lines]
    assert (np.diff(texts.offsets)[~texts.segmented] == 0).all()


@given(st.lists(st.lists(ONE_WORD, max_size=6), max_size=4))
def test_words_are_entries_without_their_spaces(lines: list[list[str]]) -> None:
    try:
        texts = texts_of(join_words(words) for words in lines)
    except UserError:
        reject()  # a mark that begins a word melts with what stands before it
    assert texts.words.to_list() == [word for words in lines for word in words]
    for text, words in zip(texts, lines, strict=True):
        assert text.words == words
        assert covers(text.spans, len(text.content.encode()))


def test_a_space_belongs_to_the_word_after_it() -> None:
    # 我 three bytes, love 4, " you" 4 with its space
    texts = read_texts(["我 love you"])
    assert texts.contents.to_list() == ["我love you"]
    assert texts.words.to_list() == ["我", "love", "you"]
    assert (texts.starts.tolist(), texts.ends.tolist()) == ([0, 3, 7], [3, 7, 11])


# --- batches ---

BATCH = st.lists(NFC_TEXT.filter(lambda text: not any(map(str.isspace, text))) | st.just("他 走 了"), max_size=6)


def batch(lines: list[str]) -> Texts:
    try:
        return read_texts(lines)
    except UserError:
        return raw_texts(lines)


def rows(texts: Texts) -> list[tuple[Segmented, bool]]:
    return list(zip(texts, texts.segmented.tolist(), strict=True))


@given(BATCH, st.data())
def test_taking_rows_takes_their_words(lines: list[str], data: st.DataObject) -> None:
    texts = batch(lines)
    wanted = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=8)) if lines else []
    taken = texts.take(wanted)
    assert rows(taken) == [rows(texts)[row] for row in wanted]
    assert taken.words.to_list() == [word for row in wanted for word in rows(texts)[row][0].words]


@given(st.lists(BATCH, max_size=4))
def test_joined_batches_hold_what_the_batches_held(parts: list[list[str]]) -> None:
    batches = [batch(lines) for lines in parts]
    whole = concat(batches)
    assert rows(whole) == [row for part in batches for row in rows(part)]
    assert whole.words.to_list() == [word for part in batches for word in part.words.to_list()]


@given(BATCH)
def test_missing_words_are_found_and_given_ones_kept(lines: list[str]) -> None:
    texts = batch(lines)
    full = texts.with_words("characters")
    assert full.segmented.all()
    assert full.contents.to_list() == texts.contents.to_list()
    for (before, given_words), after in zip(rows(texts), full, strict=True):
        assert after.spans == (before.spans if given_words else segment(before.content, "characters"))


def test_words_are_found_by_the_segmenter_that_is_asked() -> None:
    texts = read_texts(["他终于成为了医生", "他 终于成为 了 医生"])
    assert [text.words for text in texts.with_words()] == [
        ["他", "终于", "成为", "了", "医生"],
        ["他", "终于成为", "了", "医生"],
    ]
    with pytest.raises(UserError, match="No segmenter is called 'thulac'"):
        texts.with_words("thulac")


def test_texts_with_all_their_words_stay_as_they_are() -> None:
    texts = read_texts(["他 走"])
    assert texts.with_words("there is no such segmenter") is texts


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_ranges_are_put_one_after_the_other(pairs: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([pair[place] for pair in pairs], np.int64) for place in (0, 1))
    assert ranges(starts, counts).tolist() == [at for start, count in pairs for at in range(start, start + count)]
    assert edges_of(counts).tolist() == [sum(counts[:place].tolist()) for place in range(len(pairs) + 1)]


# --- what is refused ---


@pytest.mark.parametrize("read", [read_texts, read_segmented_texts, raw_texts])
def test_what_is_no_list_of_texts_is_refused(read: object) -> None:
    assert callable(read)
    with pytest.raises(UserError, match="'他 走' is one text"):
        read("他 走")
    with pytest.raises(UserError, match="U\\+D800"):
        read(["他", "\ud800走"])
    with pytest.raises(UserError, match="Text 2 is missing"):
        read(pl.Series(["他", None]))


@given(TEXT)
def test_raw_texts_keep_their_spaces(text: str) -> None:
    texts = raw_texts([text])
    assert texts.contents.to_list() == pl.Series([text]).str.normalize("NFC").to_list()
    assert not texts.segmented.any()
    assert len(texts.words) == 0


# --- items ---


def item(content: str, *spans: tuple[int, int], name: str = WORD) -> Item:
    return Item(f"{content}{spans}", "s", "m", "", content, tuple(Span(name, *span) for span in spans))


def test_spans_called_word_are_the_words_of_an_item() -> None:
    given_words = Item("a", "s", "m", "", "他走", (Span("verb", 3, 6), Span(WORD, 0, 3), Span(WORD, 3, 6)))
    texts = texts_of_items(items_frame([given_words, item("好人"), item("", name="slot")]))
    assert texts.segmented.tolist() == [True, False, False]
    assert texts.words.to_list() == ["他", "走"]
    assert [text.spans for text in texts] == [[(0, 3), (3, 6)], [], []]


def test_items_without_words_are_raw_texts() -> None:
    texts = texts_of_items(items_frame([item("他 走", (0, 3), name="subject")]))
    assert texts.contents.to_list() == ["他 走"]
    assert not texts.segmented.any()
    assert len(texts_of_items(items_frame([]))) == 0


@pytest.mark.parametrize(
    ("spans", "told"),
    [
        ([(0, 3)], "ends at byte 6, where 3 was expected"),
        ([(3, 6)], "starts or the content ends at byte 3, where 0"),
        ([(3, 6), (0, 3)], "at byte 3, where 0"),
        ([(0, 6), (3, 6)], "at byte 3, where 6"),
        ([(0, 3), (3, 6), (3, 6)], "at byte 3, where 6"),
        ([(0, 4), (4, 6)], "byte offset 4 falls inside a character"),
    ],
)
def test_words_that_do_not_cover_an_item_are_refused(spans: list[tuple[int, int]], told: str) -> None:
    with pytest.raises(UserError, match=told):
        texts_of_items(items_frame([item("中文", *spans)]))


@given(st.lists(NFC_TEXT, unique=True, max_size=4))
def test_items_carry_texts_there_and_back(contents: list[str]) -> None:
    cut = [Segmented(content, segment(content, "characters")) for content in contents]
    # A text of white space alone has no words that could cover it.
    items = items_frame(item(text.content, *text.spans) for text in cut)
    texts = texts_of_items(items)
    assert list(texts) == cut
    assert texts.segmented.tolist() == [bool(text.spans) for text in cut]


def test_plain_characters_never_change_under_normalisation() -> None:
    # The text of PLAIN alone is in NFC because each of its characters is, starts anew, and is no Hangul vowel or final
    # that could join the one before it.
    letters = pl.Series([chr(code) for code in range(0x10000) if not 0xD800 <= code <= 0xDFFF])
    plain = letters.filter(letters.str.contains(PLAIN)).to_list()
    assert len(plain) > 27_000
    assert [letter for letter in plain if not unicodedata.is_normalized("NFC", letter)] == []
    assert [letter for letter in plain if unicodedata.combining(letter)] == []
    assert not any("\u1160" <= letter <= "\u11ff" for letter in plain)


# --- languages written with spaces ----------------------------------------------------------------------------------


@given(st.lists(LINE, max_size=4))
@example(["He didn't  go , did he?", " Cafe\u0301s\tclose. ", "", " \x1c "])
def test_english_lines_are_raw_and_read_as_one_by_one(lines: list[str]) -> None:
    texts = read_texts(lines, "english")
    assert not texts.segmented.any()
    assert list(texts.with_words("english")) == [read_words(line, "english") for line in lines]


def test_english_words_come_without_their_spaces() -> None:
    texts = read_texts(["He didn't  go , did he?"], "english").with_words("english")
    assert texts.contents.to_list() == ["He didn't  go , did he?"]
    assert texts.words.to_list() == ["He", "did", "n't", "go", ",", "did", "he", "?"]
    # The two spaces belong to `go`, which ends at byte 13.
    assert list(zip(texts.starts.tolist(), texts.ends.tolist(), strict=True))[2:4] == [(6, 9), (9, 13)]


def test_other_segmenters_change_nothing_about_what_spaces_mean() -> None:
    for segmenter in ("", "rjieba", "characters"):
        assert list(read_texts(["他 走 了", "他走了"], segmenter)) == list(read_texts(["他 走 了", "他走了"]))
