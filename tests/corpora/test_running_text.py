"""Do sentences come whole, in order, with their words, and on one side of the split only?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import slices
from hengliang.corpora.running_text import (
    CorpusSentences,
    corpus_sentences,
    read_running_text,
    sentences_of,
    spread_rows,
)

DEFAULT = "peoples-daily-199801"


def write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_paragraph_is_cut_after_its_stops() -> None:
    words = ["他", "说", "：", "“", "走", "吧", "！", "”", "我", "就", "走", "了", "。", "天", "黑", "了"]
    found = list(sentences_of(words))
    assert found == [["他", "说", "：", "“", "走", "吧", "！", "”"], ["我", "就", "走", "了", "。"], ["天", "黑", "了"]]


def test_latin_words_keep_their_place() -> None:
    words = ["He", "left", ".", "我", "不", "走", "。"]
    assert [word for sentence in sentences_of(words) for word in sentence] == words


@given(st.lists(st.sampled_from([*"他走了我。！？；“”（）", "Go", "3.5", "……", "书"]), max_size=30))
def test_no_word_is_lost_or_moved(words: list[str]) -> None:
    found = list(sentences_of(words))
    assert [word for sentence in found for word in sentence] == words
    assert all(found)


def test_a_plain_file_gives_sentences_by_part(tmp_path: Path) -> None:
    data = write(tmp_path / "story.txt", [f"第 {number} 天 ， 他 走 了 。 我 没 走 。" for number in range(200)])
    text = read_running_text(data)
    assert text.sentences.columns == ["part", "block", "paragraph", "sentence", "line", "content"]
    assert text.sentences["content"].null_count() == 400
    assert text.sentences.height == 400
    assert text.sentences["line"][:2].to_list() == ["第 0 天 ， 他 走 了 。", "我 没 走 。"]
    # 200 paragraphs make blocks of 10; of each ten blocks the fifth is dev and the tenth test.
    sizes = dict(text.sentences.group_by("part").len().iter_rows())
    assert sizes == {"train": 320, "dev": 40, "test": 40}
    assert text.sentences.group_by("block").agg(pl.col("part").n_unique())["part"].max() == 1
    assert (text.segmenter, text.licence) == ("given", "unclear")


def test_raw_lines_are_segmented_and_the_segmenter_is_named(tmp_path: Path) -> None:
    data = write(tmp_path / "raw.txt", ["我们明天去北京。"] * 30)
    text = read_running_text(data)
    assert text.sentences["line"][0] == "我们 明天 去 北京 。"
    assert text.segmenter.startswith("segmenter:rjieba|version:")
    characters = read_running_text(data, segmenter="characters")
    assert characters.sentences["line"][0] == "我 们 明 天 去 北 京 。"


def test_long_sentences_are_dropped_and_counted(tmp_path: Path) -> None:
    lines = ["好 " * 5 + "。"] * 20 + ["好 " * 7 + "。"] * 20
    text = read_running_text(write(tmp_path / "long.txt", lines), longest=6)
    assert text.sentences.height == 20
    assert sum(text.dropped.values()) == 20
    with pytest.raises(UserError, match="at most 0 words"):
        read_running_text(write(tmp_path / "long.txt", lines), longest=0)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    first = read_running_text(write(tmp_path / "a.txt", ["他 走 。"] * 20))
    second = read_running_text(write(tmp_path / "a.txt", ["我 来 。"] * 20))
    assert first.sentences["line"][0] == "他 走 。"
    assert second.sentences["line"][0] == "我 来 。"
    assert first.checksum != second.checksum


def test_conllu_and_tagged_files_are_read(tmp_path: Path) -> None:
    rows = "1\t他\t他\tPRON\tPN\t_\t2\tnsubj\t_\t_\n2\t走\t走\tVERB\tVV\t_\t0\troot\t_\t_\n"
    treebank = tmp_path / "t.conllu"
    treebank.write_text("\n".join([rows] * 20) + "\n", encoding="utf-8")
    assert set(read_running_text(str(treebank)).sentences["line"]) == {"他 走"}
    tagged = write(tmp_path / "t.pku", ["他/r 走/v 了/u 。/w 我/r 来/v"] * 20)
    assert read_running_text(tagged).sentences["line"][:2].to_list() == ["他 走 了 。", "我 来"]


def test_sentences_of_treebanks_are_not_cut_again(tmp_path: Path) -> None:
    trees = write(tmp_path / "t.mrg", ["( (IP (NP-SBJ (PN 他)) (VP (VV 走) (PU 。) (VV 来))) )"] * 20)
    text = read_running_text(trees)
    assert set(text.sentences["line"]) == {"他 走 。 来"}
    assert text.segmenter == "given"
    assert set(text.sentences["part"]) == {"train", "dev", "test"}
    rows = (
        "1\t走\t_\tVERB\tVV\t_\t0\troot\t_\t_\n"
        "2\t。\t_\tPUNCT\tPU\t_\t1\tpunct\t_\t_\n"
        "3\t来\t_\tVERB\tVV\t_\t1\tconj\t_\t_\n"
    )
    words = write(tmp_path / "t.conllu", [rows] * 20)
    assert set(read_running_text(words).sentences["line"]) == {"走 。 来"}


@pytest.mark.untraced
@pytest.mark.mirror
def test_treebanks_of_the_catalogue_are_running_text(mirror: Path) -> None:
    text = read_running_text("sinica-treebank")
    assert text.sentences.height + sum(text.dropped.values()) == 10_000
    assert (text.licence, text.segmenter) == ("CC BY-NC-SA 2.5", "given")
    # 200 blocks of 50 clauses: of each ten the fifth is dev and the tenth test.
    assert dict(text.sentences.group_by("part").len().iter_rows()) == {"train": 8_000, "dev": 1_000, "test": 1_000}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("no-such-source", "No data source is called 'no-such-source'"),
        ("folder/none.txt", "There is no file folder/none.txt"),
        ("none.conllu", "There is no file none.conllu"),
        ("cc-cedict", "cc-cedict is no running text"),
    ],
)
def test_what_cannot_be_read_is_named(data: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_running_text(data)
    assert message.lower() in str(caught.value).lower()


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_bytes(b"PK")
    with pytest.raises(UserError, match="in no known format of text"):
        read_running_text(str(tmp_path / "x.docx"))


def test_items_carry_words_as_spans(tmp_path: Path) -> None:
    data = write(tmp_path / "s.txt", ["我 用 machine learning 。"] * 200)
    material = corpus_sentences(data, part="dev")
    items = material.items()
    assert items.height == 20
    row = items.row(0, named=True)
    assert row["content"] == "我用machine learning。"
    pairs = [(span["start"], span["end"]) for span in row["spans"]]
    assert slices(row["content"], pairs) == ["我", "用", "machine", " learning", "。"]
    assert {span["name"] for span in row["spans"]} == {"word"}
    assert row["id"] == "s.txt-41-1"
    assert all(finding.kept for finding in material.conformance())
    assert {title.en: value for title, value in material.facts(items)}["Words"] == "100"
    assert "part:dev" in str(material.signature())


def test_an_unknown_part_lists_the_parts() -> None:
    with pytest.raises(UserError, match="Parts: dev, test, train"):
        CorpusSentences(part="exam").items()  # type: ignore[arg-type]


@pytest.mark.untraced
def test_the_default_corpus_is_split_like_its_classifier_slots() -> None:
    from hengliang.classifiers import classifier_slots

    text = read_running_text(DEFAULT)
    # Counted by this function; the sizes are those that docs/language-model-perplexity.md names.
    sizes = dict(text.sentences.group_by("part").len().iter_rows())
    assert sizes == {"train": 38_303, "dev": 4_376, "test": 4_463}
    parts = text.sentences.group_by("paragraph").agg(pl.col("part").first())
    slots = classifier_slots().items().select("paragraph", "corpus_part").unique()
    both = slots.join(parts, on="paragraph")
    assert both.height > 5000
    assert (both["corpus_part"] == both["part"]).all()


# --- English --------------------------------------------------------------------------------------------------------


def test_english_keeps_what_was_written_and_its_words(tmp_path: Path) -> None:
    data = write(tmp_path / "story.txt", ["Mr. Lee didn't come.  The U.S. team won; we cheered."] * 40)
    text = read_running_text(data, segmenter="english")
    assert text.segmenter.startswith("segmenter:english|version:")
    assert text.sentences.height == 80
    assert text.sentences["content"][:2].to_list() == ["Mr. Lee didn't come.", "The U.S. team won; we cheered."]
    assert text.sentences["line"][:2].to_list() == ["Mr. Lee did n't come .", "The U.S. team won ; we cheered ."]


def test_english_words_that_stand_apart_already_are_the_same_words(tmp_path: Path) -> None:
    written = read_running_text(write(tmp_path / "a.txt", ["She hasn't, has she?"] * 20), segmenter="english")
    apart = read_running_text(write(tmp_path / "b.txt", ["She has n't , has she ?"] * 20), segmenter="english")
    assert written.sentences["line"].to_list() == apart.sentences["line"].to_list()


def test_english_items_are_as_written_and_their_words_cover_them(tmp_path: Path) -> None:
    data = write(tmp_path / "s.txt", ["He's here . She isn't."] * 200)
    items = corpus_sentences(data, "dev", segmenter="english").items()
    content = items["content"][1]
    assert content == "She isn't."
    assert slices(content, [(span["start"], span["end"]) for span in items["spans"][1]]) == ["She", " is", "n't", "."]


def test_a_folder_stands_for_its_files_in_order_of_name(tmp_path: Path) -> None:
    write(tmp_path / "2.txt", ["我 来 。"] * 20)
    write(tmp_path / "1.txt", ["他 走 。"] * 20)
    write(tmp_path / "notes.md", ["nothing to read"])
    text = read_running_text(str(tmp_path))
    assert text.sentences["line"].unique(maintain_order=True).to_list() == ["他 走 。", "我 来 。"]
    write(tmp_path / "2.txt", ["我 走 。"] * 20)
    assert read_running_text(str(tmp_path)).checksum != text.checksum
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="there is no plain text"):
        read_running_text(str(tmp_path / "empty"))


@pytest.mark.untraced
@pytest.mark.mirror
def test_a_file_of_a_source_has_the_terms_of_the_source(mirror: Path) -> None:
    text = read_running_text("lau2015/train.txt", segmenter="english")
    assert (text.name, text.licence) == ("lau2015/train.txt", "research and teaching only")
    # 10,000 lines of one sentence each: 34 are cut in two or more (616 by the rules for Chinese), and some of those
    # hold two sentences. Eleven of more than a hundred words are dropped.
    assert sum(text.dropped.values()) == 11
    cut = text.sentences.filter(pl.col("sentence") > 1)["paragraph"].n_unique()
    assert cut == 34
    with pytest.raises(UserError, match=r"No file of lau2015 is called 'trian\.txt'"):
        read_running_text("lau2015/trian.txt")


@pytest.mark.untraced
def test_a_source_of_one_plain_file_is_read_by_its_name() -> None:
    text = read_running_text("brown", segmenter="english")
    # 51,763 lines of one sentence each; in 29 of them 31 more ends are found (the rules for Chinese cut 2,673 lines).
    sentences = text.sentences.height + sum(text.dropped.values())
    assert sentences == 51_794
    assert set(text.sentences["part"].unique()) == {"train", "dev", "test"}
    assert (text.name, text.licence) == ("brown", "unclear")


def test_some_sentences_lie_evenly_spread(tmp_path: Path) -> None:
    data = write(tmp_path / "story.txt", [f"第 {number} 天 ， 他 走 了 。" for number in range(200)])
    whole, some = corpus_sentences(data), corpus_sentences(data, most=5)
    assert whole.items().height == 20
    assert some.items()["id"].to_list() == whole.items()["id"].to_list()[::4]
    assert corpus_sentences(data, most=100).items().equals(whole.items())
    assert some.signature() != whole.signature()
    with pytest.raises(UserError, match="-1 sentences are not possible"):
        corpus_sentences(data, most=-1).items()


@given(st.integers(0, 500), st.integers(1, 120))
def test_rows_are_spread_evenly(count: int, wanted: int) -> None:
    rows = spread_rows(count, wanted)
    assert len(rows) == min(count, wanted)
    if len(rows):
        assert rows[0] == 0 and rows[-1] < count
        gaps = np.diff([*rows.tolist(), count])
        assert gaps.min() >= 1 and gaps.max() - gaps.min() <= 1
