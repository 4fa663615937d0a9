"""Do the last characters of a name say what it is, and is the list of types complete?"""

from __future__ import annotations

import re

import pytest

from hengliang.core import ENTITY_TYPES
from hengliang.systems.entities.chinese_types import (
    CHINESE_TYPES,
    NEVER_GIVEN,
    bare_time,
    name_type,
    place_type,
    time_type,
    title_type,
)
from tests import ROOT

PAGE = ROOT / "docs" / "entities.md"


def test_given_and_never_given_are_the_eighteen() -> None:
    assert sorted([*CHINESE_TYPES, *NEVER_GIVEN]) == sorted(ENTITY_TYPES)


def test_the_table_of_the_page_is_the_constant() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([A-Z_]+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE))
    assert rows == {**CHINESE_TYPES, **dict.fromkeys(NEVER_GIVEN, "never given: no tag tells it")}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[
            (name, "LOC")
            for name in ("泰山", "黄河", "太平洋", "欧洲", "西湖", "东南亚", "崇明岛", "山区", "臺灣海峽", "太平洋島")
        ],
        *[
            (name, "GPE")
            for name in ("中国", "上海", "青海", "浙江", "佛山", "青岛", "芜湖", "黑龙江", "臺灣", "三河", "基里巴斯")
        ],
        *[(name, "FAC") for name in ("浦东机场", "长江大桥", "人民广场", "京沪铁路", "少林寺", "浦東機場")],
    ],
)
def test_places(name: str, expected: str) -> None:
    assert place_type(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[
            (text, "DATE")
            for text in ("去年", "１９９８年１月", "当时", "平时", "晚年", "时代", "三天", "五分之一年", "古代")
        ],
        *[
            (text, "TIME")
            for text in ("下午", "今晚", "九时", "８点", "三小時", "十分钟", "6:30", "１月２日上午", "凌晨", "五秒")
        ],
    ],
)
def test_times(text: str, expected: str) -> None:
    assert time_type(text) == expected


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("近１０年来", "１０年"),
        ("三天内", "三天"),
        ("１９９６年以来", "１９９６年"),
        ("７年多", "７年"),
        ("日前", "日前"),
        ("不久前", "不久前"),
        ("近年来", "近年来"),
        ("上午九时", "上午九时"),
        ("", ""),
    ],
)
def test_a_time_is_cut_out_of_what_stands_around_it(text: str, bare: str) -> None:
    start, end = bare_time(text)
    assert text[start:end] == bare


def test_titles_and_other_names() -> None:
    assert [title_type(title) for title in ("劳动法", "交通管理条例", "春天的河", "方法")] == [
        *("LAW", "LAW", "WORK_OF_ART", "WORK_OF_ART")
    ]
    names = {
        **{"NORP": ["苗族", "佛教", "伊斯兰"], "LANGUAGE": ["汉语", "藏文", "英語"], "EVENT": ["抗日战争", "世界杯"]},
        **{
            "LAW": ["申根协定"],
            "FAC": ["京广线"],
            "WORK_OF_ART": ["三国演义", "鲁班奖"],
            "": ["丰田", "民族", "高速公路"],
        },
    }
    assert {kind: [name_type(name) for name in held] for kind, held in names.items()} == {
        kind: [kind] * len(held) for kind, held in names.items()
    }
