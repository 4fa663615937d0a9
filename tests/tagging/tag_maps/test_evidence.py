"""Is counted what the corpus says of a tagger's words?"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import join_words
from hengliang.tagging.sentences import TaggedSpan, gold_text
from hengliang.tagging.tag_maps.lint import EVIDENCE_SCHEMA, tag_evidence
from hengliang.tagging.tag_maps.tables import parse_map

MAP = parse_map("N\tn\nV\tv\nX\tx\nX\tw\tpunctuation\n", "mine", "mine.tsv")


def sentence(gold: list[tuple[str, str]], own: list[tuple[str, str]]) -> tuple[str, str, list[TaggedSpan]]:
    content, _ = join_words([word for word, _ in gold])
    _, spans = join_words([word for word, _ in own])
    tagged = [(start, end, tag) for (start, end), (_, tag) in zip(spans, own, strict=True)]
    return content, gold_text(*zip(*gold, strict=True)), tagged


def test_words_that_are_one_word_on_both_sides_are_counted() -> None:
    first = sentence(
        [("大", "a"), ("马", "n"), ("跑", "v"), ("，", "w"), ("快", "a")],
        [("大马", "N"), ("跑", "V"), ("，", "X"), ("快", "V")],
    )
    second = sentence([("马", "n"), ("跑", "vn"), ("快", "a")], [("马", "N"), ("跑", "V"), ("快", "V")])
    rows = tag_evidence(MAP, [first, second, ("没有词", "没有词/n", [])]).rows_by_key(["own", "form"], named=True)
    (noun,), (verb,), (mark,) = rows["N", "any"], rows["V", "any"], rows["X", "punctuation"]
    # 大马 is two words in the corpus: counted as a word, but nothing is said about its tag.
    assert (noun["n"], noun["aligned"], noun["gold"], noun["target_share"], noun["agrees"]) == (2, 1, "n", 1.0, True)
    # Of four verbs the corpus has one as v, one as vn and two as a.
    assert (verb["n"], verb["gold"], verb["gold_share"], verb["target_share"]) == (4, "a", 0.5, 0.25)
    assert verb["agrees"] is False
    assert (mark["target"], mark["agrees"]) == ("w", True)


def test_of_tags_equally_frequent_the_target_counts_and_nothing_aligned_says_nothing() -> None:
    equal = tag_evidence(MAP, [sentence([("马", "a"), ("牛", "n")], [("马", "N"), ("牛", "N")])])
    assert equal.row(0, named=True)["gold"] == "n"
    nothing = tag_evidence(MAP, [sentence([("马", "n"), ("牛", "n")], [("马牛", "Q")])]).row(0, named=True)
    assert (nothing["target"], nothing["aligned"], nothing["gold"], nothing["agrees"]) == ("?Q", 0, None, None)
    assert dict(tag_evidence(MAP, []).schema) == EVIDENCE_SCHEMA


@given(
    st.lists(st.tuples(st.sampled_from(["马", "跑", "，"]), st.sampled_from("nva"), st.sampled_from("NVX")), min_size=1)
)
def test_shares_are_those_of_a_plain_count(words: list[tuple[str, str, str]]) -> None:
    given_words = sentence([(word, gold) for word, gold, _ in words], [(word, own) for word, _, own in words])
    counted = tag_evidence(MAP, [given_words])
    assert counted["n"].sum() == counted["aligned"].sum() == len(words)
    for row in counted.iter_rows(named=True):
        golds = Counter(
            gold for word, gold, own in words if (own, MAP.form_that_decides(own, word)) == (row["own"], row["form"])
        )
        assert row["gold_share"] == pytest.approx(golds.most_common(1)[0][1] / golds.total())
        assert row["target_share"] == pytest.approx(golds[row["target"]] / golds.total())
