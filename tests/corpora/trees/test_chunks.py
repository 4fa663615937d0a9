"""Is a word of the kind that its tag and its neighbours say?"""

from __future__ import annotations

import pytest

from hengliang.corpora.trees.chunks import Chunk, as_kind, settled, word_chunk
from hengliang.corpora.trees.constituents import Tree
from tests.corpora.trees.tagged_examples import words_of


@pytest.mark.parametrize(
    ("word", "tag", "kind"),
    [
        ("书", "n", "noun"), ("发展", "vn", "noun"), ("写", "v", "verb"), ("新", "a", "adjective"), ("的", "u", "de"),
        ("之", "u", "de"), ("地", "u", "di"), ("所", "u", "adverb"), ("了", "u", "other"), ("了", "y", "particle"),
        ("他", "r", "noun"), ("这", "r", "determiner"), ("这家", "r", "determiner"), ("这里", "r", "noun"),
        ("每年", "r", "time"), ("如何", "r", "adverb"), ("上", "f", "localiser"), ("东部", "f", "noun"),
        ("时", "Ng", "localiser"), ("、", "w", "conjunction"), ("在", "p", "preposition"), ("们", "k", "suffix"),
    ],
)  # fmt: skip
def test_tags_say_what_a_word_is(word: str, tag: str, kind: str) -> None:
    chunk = word_chunk(word, tag)
    assert (chunk.kind, chunk.parts, chunk.label) == (kind, (word,), "")


@pytest.mark.parametrize(
    ("tagged", "kinds"),
    [
        ("要/v 写/v 书/n", ["modal", "verb", "noun"]),
        ("要/v 书/n", ["verb", "noun"]),
        ("这/r 是/v 书/n", ["determiner", "verb", "noun"]),
        ("对/p 此/r 满意/a", ["preposition", "noun", "adjective"]),
        ("十分/m 困难/a", ["adverb", "adjective"]),
        ("十分/m 钟/n", ["number", "noun"]),
        ("高高兴兴/z 回家/v", ["adverb", "verb"]),
        ("上/f 半年/t", ["noun", "time"]),
        ("丰富多彩/i 的/u 生活/vn", ["adjective", "de", "noun"]),
        ("近年来/l 发展/v", ["adverb", "verb"]),
        ("上述/b 四/m 个/q", ["determiner", "number", "classifier"]),
        ("干部/n 特别/d 是/v 青年/n", ["noun", "conjunction", "noun"]),
    ],
)
def test_neighbours_settle_what_tags_leave_open(tagged: str, kinds: list[str]) -> None:
    assert [chunk.kind for chunk in settled(words_of(tagged))] == kinds


def test_an_argument_of_one_word_is_a_phrase_and_a_modifier_is_not() -> None:
    noun = word_chunk("书", "n")
    assert noun.trees() == ("书",)
    assert noun.whole() == (Tree("NP", ("书",)),)
    assert word_chunk("写", "v").whole() == ("写",)
    assert Chunk("quantity", "", ("三",), "三", "m").whole() == (Tree("QP", ("三",)),)
    assert Chunk("quantity", "", ("这个",), "这个", "q").whole() == (Tree("NP", ("这个",)),)


def test_another_kind_keeps_the_words() -> None:
    verb = word_chunk("研究", "v")
    assert as_kind(verb, "noun") == Chunk("noun", "", ("研究",), "研究", "v")
