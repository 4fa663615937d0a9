"""Does the report say everything in two languages, and the same in both?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import hengliang
from hengliang import Bilingual, Estimate
from hengliang.core import JUDGE_KINDS, STAGES
from hengliang.report import words
from hengliang.report.pivot import missing_reason

ENDINGS = {".": "。", ": ": "："}


def said() -> Iterator[tuple[str, Bilingual]]:
    for name, value in vars(words).items():
        if isinstance(value, Bilingual):
            yield name, value
        elif isinstance(value, Mapping) and name.isupper():
            yield from ((f"{name}[{key}]", title) for key, title in value.items())


EVERY = dict(said())


def is_chinese(text: str) -> bool:
    return any(unicodedata.name(character, "").startswith("CJK UNIFIED") for character in text)


def test_there_are_words() -> None:
    assert {"RESULTS", "REASONS[no_data]", "STAGES[items]"} <= set(EVERY)


def test_each_language_has_its_own_words() -> None:
    assert [name for name, one in EVERY.items() if not is_chinese(one.zh)] == ["N"]  # a symbol, the same everywhere
    assert [name for name, one in EVERY.items() if is_chinese(one.en)] == ["PRODUCT"]  # our name is Chinese
    assert [name for name, one in EVERY.items() if not one.en.strip()] == []


def test_chinese_has_chinese_punctuation_and_ends_as_the_english_does() -> None:
    assert [name for name, one in EVERY.items() if set(one.zh) & set(",.:;?!()")] == []
    for english, chinese in ENDINGS.items():
        assert [n for n, one in EVERY.items() if one.en.endswith(english) != one.zh.endswith(chinese)] == []


def test_chinese_is_in_simplified_characters() -> None:
    opencc = pytest.importorskip("opencc", reason="the extra 'chinese' is not installed")
    simplified = opencc.OpenCC("t2s").convert
    assert [name for name, one in EVERY.items() if simplified(one.zh) != one.zh] == []


def test_every_stage_and_every_kind_of_judge_has_a_name() -> None:
    assert list(words.STAGES) == list(STAGES)
    assert set(words.JUDGE_KINDS) == set(JUDGE_KINDS)


def test_every_reason_for_a_missing_number_has_words() -> None:
    # Not estimated at all; without data; with data, and yet none.
    found = [
        missing_reason(row) for row in (None, Estimate("a", {}, "s", None, n=0), Estimate("a", {}, "s", None, n=3))
    ]
    assert found == ["not_estimated", "no_data", "not_computable"]
    assert set(found) <= set(words.REASONS)


def test_no_two_levels_of_a_kind_are_called_alike() -> None:
    kinds = (words.THEMES, words.JUDGE_KINDS, words.STAGES, words.REASONS, words.INTERVAL_RELATIONS)
    for titles in kinds:
        assert len({title.en for title in titles.values()}) == len(titles)
        assert len({title.zh for title in titles.values()}) == len(titles)


def test_counts_are_written_with_separators_and_one_is_singular() -> None:
    assert words.answers_remark(1) == Bilingual("1 answer", "1 个回答")
    assert words.rows_remark(1) == Bilingual("1 row", "1 行")
    assert words.rows_remark(0) == Bilingual("0 rows", "0 行")
    assert words.answers_remark(31_192) == Bilingual("31,192 answers", "31,192 个回答")
    assert words.rows_remark(1_200) == Bilingual("1,200 rows", "1,200 行")
    assert words.missing_remark(12) == Bilingual("12 missing", "缺失 12")


def test_nothing_stands_here_that_no_page_says() -> None:
    files = Path(hengliang.__file__).parent.rglob("*.py")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    names = [name for name, value in vars(words).items() if isinstance(value, Bilingual) or name.endswith("_remark")]
    unsaid = [name for name in names if not re.search(rf"\bwords\.{name}\b", text)]
    assert unsaid == []
