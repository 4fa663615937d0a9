"""Does each entity become one symbol, and does every word still point to where it stands?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.acceptability import Recogniser
from hengliang.core import Labelled, LabelledSpans, Segmented, labelled_spans
from hengliang.language_models import Texts, raw_texts, read_texts, texts_of
from hengliang.language_models.preprocessing.entities import ReplacedEntities, replace_spans
from tests.language_models.preprocessing.recognisers import BREAKS_ON, ListedNames


def words(texts: Texts, row: int = 0) -> list[str]:
    return texts.words[int(texts.offsets[row]) : int(texts.offsets[row + 1])].to_list()


def spans(texts: Texts, row: int = 0) -> list[tuple[int, int]]:
    place = slice(int(texts.offsets[row]), int(texts.offsets[row + 1]))
    return list(zip(texts.starts[place].tolist(), texts.ends[place].tolist(), strict=True))


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("他 是 法国 公民 。", ["他", "是", "<ne:GPE>", "公民", "。"]),
        # An edge within a word cuts it there.
        ("北京市长 来 了", ["<ne:GPE>", "市长", "来", "了"]),
        ("他 在北京", ["他", "在", "<ne:GPE>"]),
        # Several words become one; two entities side by side stay two.
        ("王 小明 到 北京 法国", ["<ne:PERSON>", "到", "<ne:GPE>", "<ne:GPE>"]),
        # An English entity takes the space before it along.
        ("go to New York in May", ["go", "to", "<ne:GPE>", "in", "<ne:DATE>"]),
        # A word that looks like a symbol is not taken for one.
        ("他 写 <ne:GPE> 和 <pos:v>", ["他", "写", "<unk>", "和", "<unk>"]),
        ("没有 名字", ["没有", "名字"]),
    ],
)
def test_entities_become_symbols(line: str, seen: list[str]) -> None:
    texts = read_texts([line])
    found = ReplacedEntities(ListedNames()).coarsen(texts)
    assert words(found.texts) == seen
    assert found.problems == ("",)
    assert found.original_words.to_list() == [len(line.split())]
    assert found.texts.contents.equals(texts.contents)


def test_spans_cover_the_original_text() -> None:
    found = ReplacedEntities(ListedNames()).coarsen(read_texts(["go to New York in May"])).texts
    # " New York" is one span of nine bytes, its space included.
    assert spans(found) == [(0, 2), (2, 5), (5, 14), (14, 17), (17, 21)]


@pytest.mark.parametrize(
    ("content", "seen", "where"),
    [
        # The space at the end is the last word's: neither a word of its own nor taken for the space before the entity.
        ("I saw New York ", ["I", "saw", "<ne:GPE>"], [(0, 1), (1, 5), (5, 15)]),
        ("in May\r\n", ["in", "<ne:DATE>"], [(0, 2), (2, 8)]),
        ("他在北京　", ["他", "在", "<ne:GPE>"], [(0, 3), (3, 6), (6, 15)]),
    ],
)
def test_space_at_the_end_of_a_text_goes_with_its_last_word(
    content: str, seen: list[str], where: list[tuple[int, int]]
) -> None:
    texts = raw_texts([content]).with_words("characters" if content[0] == "他" else "english")
    found = ReplacedEntities(ListedNames()).coarsen(texts).texts
    assert words(found) == seen
    assert spans(found) == where


def test_what_stands_before_an_entity_in_its_word_is_kept_when_the_text_ends_with_space() -> None:
    # The space after the word is as long as what stands before the entity.
    texts = texts_of([Segmented("x北京吧 ", [(0, 11)])])
    assert words(ReplacedEntities(ListedNames()).coarsen(texts).texts) == ["x", "<ne:GPE>", "吧"]


def test_the_rest_of_a_cut_word_cannot_pass_for_a_symbol() -> None:
    found = ReplacedEntities(ListedNames()).coarsen(read_texts(["他 写 <ne:PERSON>北京 。"]))
    assert words(found.texts) == ["他", "写", "<unk>", "<ne:GPE>", "。"]


class Careless(Recogniser):
    """Finds what it was told to find, wherever that is."""

    name = "careless"
    types: ClassVar[tuple[str, ...]] = ("GPE",)

    def __init__(self, found: Sequence[Labelled]) -> None:
        self.found = found

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Find the same in every text that speaks of 北京."""
        return labelled_spans(list(self.found) if "北京" in content else [] for content in contents)


@pytest.mark.parametrize(
    "found",
    [
        [(3, 9, "GPE"), (0, 3, "GPE")],
        [(0, 6, "GPE"), (3, 9, "GPE")],
        [(3, 90, "GPE")],
        [(-3, 3, "GPE")],
        [(3, 3, "GPE")],
    ],
)
def test_a_text_whose_entities_cannot_be_where_they_are_has_a_problem(found: list[Labelled]) -> None:
    coarse = ReplacedEntities(Careless(found)).coarsen(read_texts(["他 来 了", "他 去 北京", "好"]))
    assert [bool(problem) for problem in coarse.problems] == [False, True, False]
    assert "careless found overlap, are not in order, or lie outside" in coarse.problems[1]
    assert words(coarse.texts, 1) == ["他", "去", "北京"]


def test_a_text_on_which_the_recogniser_breaks_has_a_problem_and_the_others_do_not() -> None:
    found = ReplacedEntities(ListedNames()).coarsen(read_texts(["他 在 北京", f"{BREAKS_ON} 一 声", "去 法国"]))
    assert [bool(problem) for problem in found.problems] == [False, True, False]
    assert "listed names failed: ValueError: a word that nobody has seen" in found.problems[1]
    assert words(found.texts, 1) == [BREAKS_ON, "一", "声"]
    assert words(found.texts, 2) == ["去", "<ne:GPE>"]


def test_no_texts_and_no_words_are_no_trouble() -> None:
    assert len(ReplacedEntities(ListedNames()).coarsen(raw_texts([])).texts) == 0
    empty = ReplacedEntities(ListedNames()).coarsen(raw_texts([""]))
    assert words(empty.texts) == []


@st.composite
def cases(draw: st.DrawFn) -> tuple[Texts, list[list[tuple[int, int, str]]]]:
    """Return texts of short words, and entities at any character, none overlapping another."""
    lines = draw(st.lists(st.lists(st.text("他在北京ab", min_size=1, max_size=3), min_size=1, max_size=6), max_size=4))
    texts = read_texts([" ".join(line) for line in lines]).with_words("characters")
    found = []
    for content in texts.contents.to_list():
        edges = sorted(draw(st.sets(st.integers(0, len(content)), max_size=6)))
        pairs = [(edges[place], edges[place + 1]) for place in range(0, len(edges) - 1, 2)]
        visible = [(a, b) for a, b in pairs if not content[a].isspace() and not content[b - 1].isspace()]
        found.append([(len(content[:a].encode()), len(content[:b].encode()), "GPE") for a, b in visible])
    return texts, found


@given(cases())
def test_words_follow_each_other_and_cover_the_text_whatever_the_entities(
    case: tuple[Texts, list[list[tuple[int, int, str]]]],
) -> None:
    texts, entities = case
    found = replace_spans(texts, labelled_spans(entities))
    for row, content in enumerate(texts.contents.to_list()):
        raw = content.encode()
        held = spans(found, row)
        assert [0, *(end for _, end in held)] == [*(start for start, _ in held), len(raw)]
        symbols = [word for word in words(found, row) if word == "<ne:GPE>"]
        assert len(symbols) == len(entities[row])
        for word, (start, end) in zip(words(found, row), held, strict=True):
            shown = raw[start:end].decode().strip()
            assert word == shown or (start <= len(raw) and word == "<ne:GPE>")
        for start, end, _ in entities[row]:
            # The unit of an entity ends where the entity does, and begins there or with the space before it.
            assert any(last == end and raw[first:start].strip() == b"" and first <= start for first, last in held)


@given(cases())
def test_without_entities_nothing_changes(case: tuple[Texts, list[list[tuple[int, int, str]]]]) -> None:
    texts, _ = case
    same = replace_spans(texts, labelled_spans([[] for _ in range(len(texts))]))
    assert same.words.equals(texts.words)
    assert np.array_equal(same.starts, texts.starts)


def test_the_recogniser_is_in_the_signature() -> None:
    assert "ListedNames" in str(ReplacedEntities(ListedNames()).signature())
    assert isinstance(ReplacedEntities(ListedNames()).coarsen(raw_texts([])).original_words, pl.Series)


def test_what_has_no_letter_is_no_entity() -> None:
    class Everything(ListedNames):
        """Takes every text for a person."""

        def recognise(self, contents: Sequence[str]) -> LabelledSpans:
            return labelled_spans([[(0, len(content.encode()), "PERSON")] for content in contents])

    found = ReplacedEntities(Everything()).coarsen(read_texts(["😀 😀", "小明 １"]))
    assert [words(found.texts, row) for row in range(2)] == [["😀", "😀"], ["<ne:PERSON>"]]
