"""Is a wrong entry of a test set refused, and is a set known by what is in it?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.sentences import tagged_sentences
from hengliang.tagging.test_sets.test_set import (
    SET_SCHEMA,
    ErrorPair,
    HeldCorpus,
    SetSummary,
    TaggingSet,
    check_entries,
    filled,
    held_corpus,
    paragraph_texts,
    tagging_set,
    without_text,
)

RIGHT: dict[str, object] = {
    "pair": "p+r:d", "word": "就此", "gold": "就/p 此/r", "corpus": "small", "paragraph": 1, "offset": 0,
    "start": 3, "end": 9, "content": "他就此走了。", "corpus_part": "train",
}  # fmt: skip
OTHER: dict[str, object] = {
    "pair": "v:t", "word": "过去", "gold": "过去/v", "corpus": "small", "paragraph": 2, "offset": 0,
    "start": 3, "end": 9, "content": "船过去了。", "corpus_part": "dev",
}  # fmt: skip


def entries(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([{**RIGHT, **row} for row in rows], schema=SET_SCHEMA)


def small(*rows: dict[str, object], **more: object) -> TaggingSet:
    return tagging_set(entries(*(rows or (RIGHT, OTHER))), **more)  # type: ignore[arg-type]


def corpus(folder: Path, *lines: str, name: str = "small.txt") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


LINES = ("他/r 就/p 此/r 走/v 了/u 。/w", "船/n 过去/v 了/u 。/w 我/r 看见/v 了/u 。/w")


# --- checks ---------------------------------------------------------------------------------------------------------


def test_a_right_entry_is_taken() -> None:
    assert check_entries(entries({})).height == 1
    # Of a reference the text is not known.
    assert check_entries(entries({"content": None})).height == 1


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"pair": "p+r"}, "'p\\+r' is no error pair"),
        ({"pair": "<[p+r], [d]>"}, "is written p\\+r:d"),
        ({"pair": "p:d"}, "the item p:d is about p, but '就/p 此/r' has the tags p\\+r"),
        ({"gold": "就此"}, "'就此' is no tagged text"),
        ({"word": "就是"}, "'就/p 此/r' makes '就此', not '就是'"),
        ({"start": 0, "end": 6}, "at the bytes 0–6 of the sentence stands '他就', not '就此'"),
        ({"start": 4, "end": 10}, "at the bytes 4–10"),
        ({"start": 3, "end": 90}, "the bytes 3–90 lie outside of the sentence, which has 18"),
        ({"start": -3, "end": 3}, "lie outside"),
        ({"start": None}, "the place of '就此' is missing"),
        ({"content": "他\u0301就此走了。"}, "at the bytes 3–9"),
        ({"content": "e\u0301就此走了。"}, "composed form"),
        ({"content": None, "paragraph": None}, "neither here nor named"),
    ],
)
def test_a_wrong_entry_is_named(wrong: dict[str, object], fault: str) -> None:
    with pytest.raises(UserError, match=f"Entry 2 of the test set: .*{fault}"):
        check_entries(entries({}, wrong))
    with pytest.raises(UserError, match=r"a\.tsv, line 9: "):
        check_entries(entries({}, wrong), Path("a.tsv"), [5, 9])


def test_columns_are_checked() -> None:
    with pytest.raises(UserError, match="no column 'gold'"):
        check_entries(entries({}).drop("gold"))
    with pytest.raises(UserError, match="'start' of the test set is String"):
        check_entries(entries({}).with_columns(pl.col("start").cast(pl.String)))


def test_a_text_has_the_size_that_is_recorded() -> None:
    assert check_entries(entries({}).with_columns(size=pl.lit(18, pl.Int64))).height == 1
    with pytest.raises(UserError, match="the text has 18 bytes, not 15"):
        check_entries(entries({}).with_columns(size=pl.lit(15, pl.Int64)))


def test_a_space_before_the_word_may_belong_to_it() -> None:
    row = {"pair": "nx:n", "word": "York", "gold": "York/nx", "content": "去New York", "start": 6, "end": 11}
    assert check_entries(entries(row)).height == 1
    assert check_entries(entries({**row, "start": 7})).height == 1


# --- what a set says of itself --------------------------------------------------------------------------------------


def test_the_summary_counts() -> None:
    found = small(RIGHT, OTHER, {"start": 3}, listed=[("v:t", "从前"), ("v:t", "过去"), ("p+r:d", "就此")])
    # 就此 has the same sentence twice, 从前 has none.
    assert found.summary() == SetSummary(items=2, words=3, entries=3, sentences=2, words_without_sentence=1)
    assert found.counts().rows() == [("v:t", 2, 1, 1), ("p+r:d", 1, 0, 2)]
    assert found.pairs == ("v:t", "p+r:d")
    assert found.words == (("v:t", "从前"), ("v:t", "过去"), ("p+r:d", "就此"))


def test_an_empty_set_counts_nothing() -> None:
    found = tagging_set(pl.DataFrame(schema=SET_SCHEMA))
    assert found.summary() == SetSummary(0, 0, 0, 0, 0)
    assert (found.has_text, found.counts().height) == (True, 0)


def test_subsets_by_item_and_part() -> None:
    found = small(listed=[("v:t", "从前"), ("v:t", "过去"), ("p+r:d", "就此")])
    assert found.of_pairs(["v:t"]).words == (("v:t", "从前"), ("v:t", "过去"))
    assert found.of_pairs([ErrorPair(("p", "r"), ("d",)), "<[v], [t]>"]).summary() == found.summary()
    assert found.of_parts(["dev"]).entries["word"].to_list() == ["过去"]
    assert found.of_parts("dev").words == (("v:t", "过去"),)
    with pytest.raises(UserError, match="No item of this set is called 'v:n'"):
        found.of_pairs(["v:n"])
    with pytest.raises(UserError, match="No part in this set is called 'test'"):
        found.of_parts(["test"])


@given(st.permutations([RIGHT, OTHER, {**OTHER, "paragraph": 7}, {**RIGHT, "paragraph": None}]))
def test_the_signature_does_not_depend_on_order_or_on_text_that_can_be_looked_up(rows: list[dict[str, object]]) -> None:
    found = small(*rows)
    plain = small(RIGHT, OTHER, {**OTHER, "paragraph": 7}, {**RIGHT, "paragraph": None})
    assert found.signature() == plain.signature()
    assert without_text(found).signature() == plain.signature()


@pytest.mark.parametrize(
    "changed",
    [
        small(RIGHT),
        small(RIGHT, {**OTHER, "offset": 3}),
        small(RIGHT, {**OTHER, "pair": "v:d"}),
        small(name="another"),
        small(version=2),
        small(corpora=[HeldCorpus("small", "a" * 64)]),
        small(listed=[("v:t", "从前")]),
    ],
)
def test_the_signature_tells_sets_apart(changed: TaggingSet) -> None:
    assert changed.signature() != small().signature()


def test_a_text_of_no_corpus_is_part_of_the_signature() -> None:
    own = {**RIGHT, "corpus": None, "paragraph": None, "offset": None}
    assert small(own).signature() != small({**own, "content": "她就此走了。"}).signature()
    assert without_text(small(own)).entries["content"].to_list() == ["他就此走了。"]


# --- text and references --------------------------------------------------------------------------------------------


def test_a_set_of_references_is_filled_from_its_corpus(tmp_path: Path) -> None:
    path = corpus(tmp_path, *LINES)
    whole = small(corpora=[held_corpus(path)])
    bare = without_text(whole)
    assert (bare.has_text, bare.entries["content"].null_count()) == (False, 2)
    again = filled(bare, path)
    assert again.entries.equals(whole.entries)
    assert filled(bare, tagged_sentences(path)).entries.equals(whole.entries)


def test_a_text_of_several_sentences_is_cut_by_its_size(tmp_path: Path) -> None:
    both = {**OTHER, "content": None}
    found = TaggingSet(entries(both).with_columns(size=pl.lit(30, pl.Int64)))
    # 船过去了。 and 我看见了。 have fifteen bytes each.
    assert filled(found, corpus(tmp_path, *LINES)).entries["content"].to_list() == ["船过去了。我看见了。"]


def test_another_corpus_is_refused(tmp_path: Path) -> None:
    bare = without_text(small(corpora=[held_corpus(corpus(tmp_path, *LINES))]))
    with pytest.raises(UserError, match="No sentence of this test set stands in the corpus large") as told:
        filled(bare, corpus(tmp_path, *LINES, name="large.txt"))
    assert "small" in told.value.valid
    with pytest.raises(UserError, match=r"is not the corpus small of this test set: its SHA-256 is"):
        filled(bare, corpus(tmp_path, *LINES, "再/d 见/v"))


def test_without_a_checksum_the_places_tell(tmp_path: Path) -> None:
    bare = without_text(small())
    with pytest.raises(UserError, match="no such sentence at byte 0 of its paragraph 2"):
        filled(bare, corpus(tmp_path, LINES[0]))
    with pytest.raises(UserError, match="stands '看见', not '过去'"):
        filled(bare, corpus(tmp_path, LINES[0], "我/r 看见/v 了/u 。/w"))


def test_paragraphs_come_together_again(tmp_path: Path) -> None:
    path = corpus(tmp_path, *LINES, "他/r 说/v ：/w Hong/nx Kong/nx ！/w 再见/v")
    texts = {number: text.decode() for number, (text, _) in paragraph_texts(tagged_sentences(path).items()).items()}
    assert texts == {1: "他就此走了。", 2: "船过去了。我看见了。", 3: "他说：Hong Kong！再见"}


def test_a_set_is_frozen() -> None:
    assert replace(small(), name="b").name == "b"
    with pytest.raises(AttributeError):
        small().name = "b"  # type: ignore[misc]
