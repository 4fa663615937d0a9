"""Are only words moved whose order is fixed, and to where they cannot stand?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.perturbations.word_order import distant, neighbours, shuffled
from tests.materials.perturbations.toys import TOLD, tagged


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("我/r 从/p 上海/ns 出发/v 。/w", "preposition and object", "我上海从出发。"),
        ("她/r 也/d 是/v 医生/n 。/w", "adverb and verb", "她是也医生。"),
        ("他/r 也/d 从/p 上海/ns 来/v 。/w", "adverb and preposition", "他从也上海来。"),
        ("他们/r 种/v 了/u 梨树/n 。/w", "verb and aspect", "他们了种梨树。"),
        ("医院/n 的/u 花园/n 开/v 花/n 。/w", "noun and 的", "的医院花园开花。"),
        ("我/r 有/v 三/m 本/q 小说/n 。/w", "numeral and classifier", "我有本三小说。"),
        ("我/r 爱/v 这/r 本/q 小说/n 。/w", "pronoun and classifier", "我爱本这小说。"),
        ("他/r 在/p 信/n 里/f 说/v 过/u 。/w", "noun and place word", "他在里信说过。"),
        ("她/r 认真/a 地/u 写/v 信/n 。/w", "manner and 地", "她地认真写信。"),
        ("她/r 会/v 说/v 汉语/n 。/w", "modal and verb", "她说会汉语。"),
    ],
)
def test_neighbours_of_fixed_order_are_exchanged(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in neighbours(tagged(text))]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("他/r 不/d 会/v 去/v 。/w", "他会不去。"),
        ("他/r 被/p 人/n 骗/v 。/w", "他人被骗。"),
        ("护士/n 将/p 他/r 送/v 走/v 。/w", "护士他将送走。"),
        ("他/r 去/v 买/v 了/u 书/n 。/w", "他去了买书。"),
        ("我/r 去/v 过/u 上海/ns 。/w", "我过去上海。"),
        ("我/r 等/v 了/u 半/m 年/q 时间/n 。/w", "我等了年半时间。"),
        ("对/p 今天/t 来/v 的/u 人/n 说/v 。/w", "今天对来的人说。"),
        ("她/r 读/v “/w 我/r 从/p 上海/ns 来/v ”/w 。/w", "她读“我上海从来”。"),  # bad, but quoted
    ],
)
def test_nothing_is_exchanged_where_the_result_may_be_good(text: str, good: str) -> None:
    assert good not in {change.content for change in neighbours(tagged(text))}


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("我/r 读/v 过/u 老师/n 的/u 小说/n 。/w", "particle to the start", "的我读过老师小说。"),
        ("他/r 和/c 小林/nr 一起/d 种/v 了/u 树/n 。/w", "particle to the left", "他和了小林一起种树。"),
        ("他/r 从/p 上海/ns 坐/v 船/n 来/v 。/w", "preposition to the end", "他上海坐船来从。"),
        ("他们/r 都/d 喜欢/v 下雪/v 天/n 。/w", "adverb to the end", "他们喜欢下雪天都。"),
        ("梨/n 和/c 桃/n 今年/t 都/d 好/a 。/w", "conjunction to the end", "梨桃今年都好和。"),
        ("她/r 是/v 一/m 位/q 老师/n 。/w", "copula to the end", "她一位老师是。"),
        ("他/r 在/p 信/n 里/f 说/v 过/u 。/w", "place word to the start", "里他在信说过。"),
    ],
)
def test_a_word_goes_far_to_where_it_cannot_stand(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in distant(tagged(text))]


def test_a_place_word_does_not_become_the_first_half_of_a_word() -> None:
    found = {change.content for change in distant(tagged("药/n 的/u 生产/vn 是/v 工厂/n 中/f 的/u 大/a 事/n 。/w"))}
    assert found
    assert not any(content.startswith("中药") for content in found)


def test_no_word_moves_less_than_three_places() -> None:
    for text in TOLD:
        for change in distant(tagged(text)):
            assert abs(int(change.detail.rpartition(" ")[2])) >= 3


@pytest.mark.parametrize("text", TOLD)
def test_a_shuffled_clause_has_the_same_words_and_no_old_neighbours(text: str) -> None:
    sentence = tagged(text)
    for change in shuffled(sentence):
        (start, end), *others = change.changed
        assert not others
        old, new = sentence.words[start:end], change.words[start:end]
        assert sorted(old) == sorted(new)
        assert set(pairwise(old)).isdisjoint(pairwise(new))
        assert (change.words[:start], change.words[end:]) == (sentence.words[:start], sentence.words[end:])


def test_short_and_quoted_clauses_are_not_shuffled() -> None:
    assert not list(shuffled(tagged("他/r 今天/t 来/v 了/y ，/w 我/r 不/d 知道/v 。/w")))
    assert not list(shuffled(tagged("他/r 读/v 过/u 《/w 家/n 》/w 三/m 遍/q 。/w")))
    assert list(shuffled(tagged(TOLD[5])))


@given(st.lists(st.sampled_from([token for text in TOLD for token in text.split()]), min_size=2, max_size=20))
def test_all_orders_keep_the_words_of_any_sentence(tokens: list[str]) -> None:
    sentence = tagged(" ".join(tokens))
    for finder in (neighbours, distant, shuffled):
        for change in finder(sentence):
            assert sorted(change.words) == sorted(sentence.words)
