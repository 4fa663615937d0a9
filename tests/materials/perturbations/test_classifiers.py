"""Does a noun get a classifier that it cannot have, or none where it needs one?"""

from __future__ import annotations

import pytest

from hengliang.classifiers import inventory
from hengliang.materials.perturbations.classifiers import (
    NARROW,
    SORTS,
    corpus_compatibility,
    corpus_words,
    counted,
    missing,
    wrong,
)
from tests.materials.perturbations.toys import TOLD, tagged


def forms(text: str) -> set[str]:
    return {change.detail.split(" ")[0] for change in wrong(tagged(text))}


@pytest.mark.untraced
def test_the_new_classifier_is_of_another_sort() -> None:
    found = forms("她/r 是/v 一/m 位/q 老师/n 。/w")
    assert found
    assert found.isdisjoint({"位", "名", "个", "员"})
    found = forms("门口/s 停/v 着/u 三/m 辆/q 汽车/n 。/w")
    assert found
    assert found.isdisjoint(("辆", "艘", "架", "列", "部", "台", "个"))


def test_a_fused_word_keeps_its_numeral() -> None:
    changes = list(wrong(tagged("这/r 是/v 一个/m 问题/n 。/w")))
    assert changes
    assert all(change.words[2][0] == "一" and change.words[2][1:] in NARROW for change in changes)


def test_persons_are_not_offered_where_a_person_may_be_counted() -> None:
    assert forms("来/v 了/u 一/m 个/q 学生/n 。/w").isdisjoint({"位", "名"})


def test_no_source_knows_the_new_pair() -> None:
    known, table = inventory(), corpus_compatibility()
    for text in (*TOLD, "她/r 是/v 一/m 位/q 老师/n 。/w", "树/n 上/f 有/v 两/m 只/q 鸟/n 。/w"):
        for change in wrong(tagged(text)):
            form, _, _, _, noun = change.detail.split(" ")
            assert table.attested(form, noun) == 0
            assert known.fits(form, noun).verdict != "attested"


def test_a_noun_of_which_nothing_is_known_is_left_alone() -> None:
    assert not forms("她/r 画/v 了/u 一/m 个/q 咕噜兽/n 。/w")


def test_the_new_classifier_makes_no_word_with_what_follows() -> None:
    # 本 is among the nearest in frequency to 笔, and 这本钱 is this capital.
    changes = list(wrong(tagged("他/r 用/p 这/r 笔/q 钱/n 坐车/v 。/w")))
    assert "本钱" in corpus_words()
    assert changes
    assert all(change.words[3] != "本" for change in changes)


def test_quoted_slots_are_left_alone() -> None:
    assert not list(counted(tagged("他/r 写/v “/w 三/m 本/q 小说/n ”/w 。/w")))


def test_all_forms_are_in_our_table_and_in_one_sort() -> None:
    assert set(NARROW) <= set(inventory(cedict=False).classifiers)
    assert len(NARROW) == len(set(NARROW))
    assert "个" not in NARROW
    assert all(set(own.split()).isdisjoint(others.split()) for own, others in SORTS.values())


@pytest.mark.parametrize(
    ("text", "rule", "content"),
    [
        ("她/r 提出/v 了/u 三/m 个/q 办法/n 。/w", "after 了", "她提出了三办法。"),
        ("我/r 想到/v 几/m 个/q 办法/n 。/w", "after an open number", "我想到几办法。"),
        ("桌上/s 有/v 三/m 本/q 很/d 厚/a 的/u 小说/n 。/w", "before a description", "桌上有三很厚的小说。"),
        ("村/n 里/f 收/v 了/u ５０/m 吨/q 小麦/n 。/w", "unit before a noun", "村里收了５０小麦。"),
        ("三/m 年/q 来/f 他/r 没/d 回/v 过/u 家/n 。/w", "unit of time", "三来他没回过家。"),
        ("我/r 去/v 过/u 两/m 次/q 。/w", "unit at the end", "我去过两。"),
    ],
)
def test_a_classifier_is_left_out_where_it_is_needed(text: str, rule: str, content: str) -> None:
    assert (rule, content) in [(change.rule, change.content) for change in missing(tagged(text))]


@pytest.mark.parametrize(
    "text",
    [
        "她/r 写/v 了/u 一/m 本/q 小说/n 。/w",  # 一小说, literary
        "来/v 了/u 三/m 个/q 人/n 。/w",  # 三人
        "会议/n 请/v 了/u 三/m 位/q 代表/n 。/w",  # 三代表, newspapers
        "他/r 走/v 过/u 五/m 个/q 国家/n 。/w",  # 五国家, headlines
        "村/n 里/f 来/v 了/u 百余/m 个/q 学生/n 。/w",  # 百余学生
        "我/r 认识/v 这/r 位/q 老师/n 。/w",  # 这老师
        "他/r 写/v 过/u 『/w 四/m 个/q 办法/n 』/w 。/w",  # quoted
    ],
)
def test_a_classifier_stays_where_it_may_go(text: str) -> None:
    assert not list(missing(tagged(text)))
