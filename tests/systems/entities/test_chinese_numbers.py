"""Is every Chinese numeral found whole, with its unit and without its classifier, and nothing that is no numeral?"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import folded_numerals
from hengliang.systems.entities.chinese_numbers import Word, number_entities

DIGITS = "零一二三四五六七八九"
SCRIPTS = {
    "simplified": ("零一二三四五六七八九", "十百千", "万亿"),
    "traditional": ("零一二三四五六七八九", "十百千", "萬億"),
    "commercial": ("零壹贰叁肆伍陆柒捌玖", "拾佰仟", "万亿"),
    "commercial, traditional": ("零壹貳參肆伍陸柒捌玖", "拾佰仟", "萬億"),
}


def found(line: str) -> str:
    """Return the numbers of a line of word/tag, with their types."""
    words, place = [], 0
    text = ""
    for token in line.split():
        word, _, tag = token.rpartition("/")
        words.append(Word(place, place + len(word), tag))
        place += len(word)
        text += word
    return " ".join(f"{text[start:end]} {kind}" for start, end, kind in number_entities(text, words))


def below_ten_thousand(number: int, digits: str, scales: str) -> str:
    """Return a number from 1 to 9999 as it is said, with 零 for a gap: 1005 is 一千零五."""
    said, gap = "", False
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit:
            said += (digits[0] if gap and said else "") + digits[digit] + (scales[power - 1] if power else "")
            gap = False
        else:
            gap = True
    return said


def numeral(number: int, script: str) -> str:
    """Return a number from 1 to 10¹² − 1 as it is written in Chinese."""
    digits, scales, great = SCRIPTS[script]
    parts = [(number // 10**8, great[1]), (number // 10**4 % 10**4, great[0]), (number % 10**4, "")]
    said = ""
    for value, scale in parts:
        if value:
            said += (digits[0] if said and value < 1000 else "") + below_ten_thousand(value, digits, scales) + scale
    return said


def arabic(number: int, script: str) -> str:
    return (
        str(number).translate({48 + digit: 0xFF10 + digit for digit in range(10)}) if script == "wide" else str(number)
    )


@st.composite
def numerals(draw: st.DrawFn) -> str:
    """Draw a number in any of the ways in which it is written."""
    number = draw(st.one_of(st.integers(2, 9999), st.integers(2, 10**12 - 1)))
    form = draw(st.sampled_from([*SCRIPTS, "narrow", "wide", "digits", "decimal", "thousands"]))
    if form in SCRIPTS:
        return numeral(number, form)
    if form == "digits":
        return "二" + "".join(DIGITS[int(digit)] for digit in str(number))
    if form == "decimal":
        return f"{number}.{draw(st.integers(0, 99))}{draw(st.sampled_from(['', '万', '亿']))}"
    if form == "thousands":
        return f"{number:,}"
    return arabic(number, form) + draw(st.sampled_from(["", "万", "亿", "多万"]))


UNITS = {
    "MONEY": ["元", "美元", "块钱", "日元", "港币", "英镑"],
    "QUANTITY": ["公里", "公斤", "平方米", "摄氏度", "吨", "立方米", "畝", "千瓦时", "千克", "兆赫", "公里/小时", "kg"],
    "DATE": ["年", "天", "个月", "世纪", "歲", "年代"],
    "TIME": ["小时", "分钟", "秒", "個小時"],
    "PERCENT": ["%", "％", "个百分点"],
}
UNIT_OF = st.sampled_from([(kind, unit) for kind, units in UNITS.items() for unit in units])


@given(numerals())
def test_a_numeral_is_one_number(text: str) -> None:
    assert found(f"有/v {text}/m 人/n") == f"{text} CARDINAL"


@given(numerals(), st.sampled_from("个本张条位名次棵头匹種"), st.booleans())
def test_a_classifier_is_not_swallowed(text: str, classifier: str, fused: bool) -> None:
    line = f"{text}{classifier}/m" if fused else f"{text}/m {classifier}/q"
    assert found(f"有/v {line} 东西/n") == f"{text} CARDINAL"


@given(numerals(), UNIT_OF, st.booleans())
def test_a_unit_belongs_to_the_number(text: str, unit: tuple[str, str], fused: bool) -> None:
    kind, written = unit
    line = f"{text}{written}/m" if fused else f"{text}/m {written}/q"
    assert found(f"有/v {line} 。/w") == f"{text}{written} {kind}"


@given(numerals())
def test_the_ordinal_begins_with_di(text: str) -> None:
    assert found(f"第{text}/m 名/q") == f"第{text} ORDINAL"
    assert found(f"第{text}名/m") == f"第{text} ORDINAL"


@given(numerals())
def test_a_percentage_begins_with_its_hundred(text: str) -> None:
    assert found(f"占/v 百分之{text}/m") == f"百分之{text} PERCENT"


@given(numerals(), st.sampled_from(["v", "d", "n", "PER", "LOC", "nz", "a", "ad", "r", "nr", "ns", "t"]))
def test_chinese_numerals_in_other_words_are_left_alone(text: str, tag: str) -> None:
    if not any(character.isdigit() for character in text):
        assert found(f"他们/r 甲{text}/{tag} 了/u") == ""


TOKENS = st.lists(
    st.tuples(
        st.text(
            st.sampled_from("一二三十百万亿两几多余半第首点分之元年月公里个本零下上5０1.,·％%$￥/:-—至到天时A之人国"),
            min_size=1,
            max_size=5,
        ),
        st.sampled_from(["m", "q", "n", "w", "v", "TIME", "t", "d", "u", "nz"]),
    ),
    max_size=8,
)


@given(TOKENS)
def test_numbers_are_apart_whatever_the_words(tokens: list[tuple[str, str]]) -> None:
    text, words = "", []
    for word, tag in tokens:
        words.append(Word(len(text), len(text) + len(word), tag))
        text += word
    place = 0
    for start, end, kind in number_entities(text, words):
        assert place <= start < end <= len(text)
        assert kind in {"CARDINAL", "ORDINAL", "DATE", "TIME", "MONEY", "QUANTITY", "PERCENT"}
        assert any(end > word.start and start < word.end for word in words)
        place = end


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # no numbers
        ("一定/d 统一/v 一起/d 一直/d 一样/a 万一/d 千万/d 两岸/n 唯一/b", ""),
        ("一些/m 一点/m 一下/m 一阵/m 十分/m 许多/m 若干/m 多/m 几/m 的/u 数/m 的/u 千千万万/m 半天/m 成千上万/m", ""),
        ("原因/n 之/u 一/m", ""),
        ("ＧＰＴ/nx -/w 4/m 和/c V97MMX/nx", ""),
        ("张三/PER 四川/LOC 五一/TIME 360/ORG", ""),
        # approximations
        (
            "十几/m 个/q 几十/m 个/q 上百/m 个/q 一百多/m 人/n",
            "十几 CARDINAL 几十 CARDINAL 百 CARDINAL 一百多 CARDINAL",
        ),
        ("２０/m 余/m 万/m 人/n", "２０余万 CARDINAL"),
        ("三万多元/m", "三万多元 MONEY"),
        ("３２４/m 万人/n", "３２４万 CARDINAL"),
        # fractions, ratios, decimals, ranges
        ("三分之一/m 、/w １／３/m 、/w ３∶０/m", "三分之一 CARDINAL １／３ CARDINAL ３∶０ CARDINAL"),
        ("百分之/m 三点五/TIME", "百分之三点五 PERCENT"),
        ("十五点/TIME 一亿元/m", "十五点一亿元 MONEY"),
        ("3/m .14%/w", "3.14% PERCENT"),
        ("５０·３５/m 点/q", "５０·３５ CARDINAL"),
        ("3—5/m 公里/q", "3—5公里 QUANTITY"),
        # money
        ("￥/v 300/m 和/c $/w 5.2亿/m", "￥300 MONEY $5.2亿 MONEY"),
        ("三元五角/m", "三元五角 MONEY"),
        ("1/m ,/w 234.56美元/m", "1,234.56美元 MONEY"),
        # units that are none
        ("二年级/n 三/m 年级/n", "三 CARDINAL"),
        ("一米八/m", "一米 QUANTITY"),
        ("5km/m 5kmx/m", "5km QUANTITY"),
        ("零下/n 5/m ℃/w", "零下5℃ QUANTITY"),
        ("零下/n 5/m 个/q", "5 CARDINAL"),
        # dates and times
        ("2008/m -/w 08/m -08/w", "2008-08-08 DATE"),
        ("二十/m 世纪/n 九十/m 年代/n", "二十世纪九十年代 DATE"),
        ("第二/m 天/q 第二/m 届/q", "第二天 DATE 第二 ORDINAL"),
        ("两/m 个/q 半/m 小时/n", "两个半小时 TIME"),
        ("首/m 次/q 一/m 首/q 歌/n", "首 ORDINAL 一 CARDINAL"),
        ("壹佰貳/PER 拾叁元/m", "壹佰貳拾叁元 MONEY"),
    ],
)
def test_numbers_of_phrases(line: str, expected: str) -> None:
    assert found(line) == expected


def test_a_text_without_words_has_no_numbers() -> None:
    assert number_entities("", []) == []


def test_folding_keeps_every_character_in_its_place() -> None:
    text = "".join(chr(code) for code in [*range(0x20, 0x3000), *range(0x3000, 0xA000), *range(0xFF00, 0xFFF0)])
    assert len(folded_numerals(text)) == len(text)


@pytest.mark.parametrize(
    "unit", ["万", "一", "1", "第", "1/", "点", "十几", "1万", "半", "分之", "1:", "上", "多万", "元1", "-"]
)
def test_long_lines_take_no_longer_than_short_ones(unit: str) -> None:
    text = (unit * 10_000)[:10_000]
    begun = time.perf_counter()
    number_entities(text, [Word(0, len(text), "m")])
    number_entities(text, [Word(place, place + 1, "m") for place in range(len(text))])
    # Linear work takes a tenth of a second; anything tried twice a character would take minutes.
    assert time.perf_counter() - begun < 8
