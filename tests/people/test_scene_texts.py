"""Are readers and experts told all they need, in both languages, and are the worked examples right?"""

from __future__ import annotations

import re

import pytest

from hengliang import Bilingual
from hengliang.core import Language
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.people.scene_texts import (
    rating_consent,
    rating_instructions,
    reading_consent,
    reading_instructions,
    spoken,
)
from hengliang.surveys import CONSENT
from tests.people.scene_examples import ANIMALS, SIGNS

TWO = Domain(
    "two", (Attribute("colour", (Value("black", "B", "black", "黑色"), Value("white", "W", "white", "白色"))),)
)


@pytest.mark.parametrize("domain", [DEFAULT_DOMAIN, ANIMALS, SIGNS, TWO], ids=lambda domain: domain.name)
def test_the_numbers_of_the_examples_add_up(domain: Domain) -> None:
    told = reading_instructions(domain)
    for text, answers, count in (
        (told.en, r"(?:[Aa]nswer|Another): ([^.]+)\.", r"(\d+) \w"),
        (told.zh, r"(?:答案|另一种)：([^。]+)。", r"：(\d+)"),
    ):
        found = re.findall(answers, text)
        # One answer to a scene of 5 things, two to one of 10.
        assert [sum(int(number) for number in re.findall(count, answer)) for answer in found] == [5, 10, 10]


def test_readers_are_told_what_the_paper_told_its_readers() -> None:
    told = reading_instructions(DEFAULT_DOMAIN)
    for en, zh in (
        ("blue squares, blue circles, red squares, red circles", "蓝色方形、蓝色圆形、红色方形、红色圆形"),
        ("how many objects the scene holds", "该场景中图形的总数"),
        ("stand does not matter", "位置无关紧要"),
        ("take notes", "做笔记"),
        ("choose one scene that fits", "选择一个您认为符合的场景"),
        ("do not understand", "看不懂"),
        ("comment", "意见"),
        ("Example 1", "例一"),
        ("Example 2", "例二"),
        ("You may stop", "随时关闭页面退出"),
    ):
        assert en in told.en and zh in told.zh
    assert not re.search("[\u4e00-\u9fff]", told.en) and not re.search("[A-Za-z]{2,}", told.zh)


@pytest.mark.parametrize("domain", [ANIMALS, SIGNS], ids=lambda domain: domain.name)
def test_chinese_texts_have_no_classifier_of_the_noun_and_no_other_word_for_things(domain: Domain) -> None:
    for told in (reading_instructions(domain), rating_instructions(domain)):
        assert f"个{domain.chinese}" not in told.zh and "若干个" not in told.zh and "物体" not in told.zh
        assert domain.plural in told.en and not re.search(r"\bthings?\b", told.en)
        assert not re.search("[\\d一二三五十] 个", told.zh)
    assert "object" not in reading_instructions(ANIMALS).en and "图形" not in reading_instructions(ANIMALS).zh


@pytest.mark.parametrize(
    ("languages", "words"),
    [
        (("en",), Bilingual("English", "英文")),
        (("zh",), Bilingual("Chinese", "中文")),
        (("en", "zh"), Bilingual("English and Chinese", "英文和中文")),
    ],
)
def test_the_language_of_the_descriptions_is_told(languages: tuple[Language, ...], words: Bilingual) -> None:
    assert spoken(languages) == words
    for told in (
        reading_consent(ANIMALS, languages),
        rating_consent(languages),
        reading_instructions(ANIMALS, languages),
        rating_instructions(ANIMALS, languages),
    ):
        assert words.en in told.en and words.zh in told.zh


def test_who_agrees_is_told_what_is_done_and_all_that_everybody_is_told() -> None:
    reading, rating = reading_consent(ANIMALS, ["en"]), rating_consent(["en"])
    assert "how many animals of each kind" in reading.en and "各种动物的数量" in reading.zh
    assert "three questions" in rating.en and "三个问题" in rating.zh
    for told in (reading, rating):
        for text, usual, wrong in ((told.en, CONSENT.en, "no right or wrong"), (told.zh, CONSENT.zh, "没有对错之分")):
            assert text.split("\n\n")[1:] == usual.split("\n\n")[1:] and wrong not in text
    assert not re.search("[\u4e00-\u9fff]", reading.en + rating.en)


def test_experts_are_told_what_they_judge() -> None:
    told = rating_instructions(ANIMALS)
    assert "black cats, black dogs, white cats, white dogs" in told.en and "三个问题" in told.zh
    assert not re.search("[\u4e00-\u9fff]", told.en) and not re.search("[A-Za-z]{2,}", told.zh)
