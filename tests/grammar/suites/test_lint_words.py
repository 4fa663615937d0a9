"""Does each check of words find its fault, and that fault alone?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.corpora import frequency_table
from hengliang.grammar.suites.lint import (
    LintSettings,
    check_frequencies,
    check_transitivity,
    check_writing,
    region_count,
)
from hengliang.grammar.suites.verbs import TransitivityTable, VerbUses
from tests.grammar.suites.lint_toys import HEADER, ITEMS, codes, suite, toy_frequencies

SETTINGS = LintSettings()


def test_known_and_balanced_words_have_nothing() -> None:
    held = suite()
    assert list(check_frequencies(held, toy_frequencies(held), SETTINGS)) == []


def test_a_suite_that_does_not_say_what_its_words_are_is_not_looked_up() -> None:
    held = suite(header=f"{HEADER}words: unknown\n")
    assert list(check_frequencies(held, frequency_table({"天": 1}, "toy"), SETTINGS)) == []


def test_a_word_that_the_table_does_not_have() -> None:
    held = suite()
    found = list(check_frequencies(held, toy_frequencies(held, 爷爷=0), SETTINGS))
    assert codes(found) == [("3", "unknown-word", "warning")]
    assert "'爷爷' does not occur in toy counts" in found[0].message


def test_a_rare_word_is_noted_in_compared_regions_only() -> None:
    held = suite()
    found = list(check_frequencies(held, toy_frequencies(held, 轮船=19, 爷爷=19, 书=20), SETTINGS))
    assert codes(found) == [("4", "rare-word", "note")]
    assert "occurs 19 times, fewer than 20" in found[0].message
    assert list(check_frequencies(held, toy_frequencies(held, 轮船=19), LintSettings(rare_below=19))) == []


@pytest.mark.parametrize(("count", "unequal"), [(203, False), (204, True)])
def test_the_ratio_of_balanced_words(count: int, unequal: bool) -> None:
    # The other verb occurs 50 times: (203 + 1) / (50 + 1) = 4 is allowed, (204 + 1) / 51 is above.
    held = suite()
    found = list(check_frequencies(held, toy_frequencies(held, 登上=count, 了=1000), SETTINGS))
    assert codes(found) == ([("4", "unequal-frequency", "error")] if unequal else [])


def test_the_message_names_the_counts() -> None:
    held = suite()
    found = list(check_frequencies(held, toy_frequencies(held, 登上=509, 了=1000), SETTINGS))
    assert "are 10.0 to 1: 翻译 了 50, 登上 了 509. At most 4 to 1." in found[0].message  # (509 + 1) / (50 + 1)


def test_a_region_is_as_frequent_as_its_rarest_word() -> None:
    table = frequency_table({"登上": 7, "了": 1000}, "toy")
    assert [region_count(words, table) for words in [("登上", "了"), ("了",), ("天",), ()]] == [7, 1000, 0, 0]


@given(st.integers(1, 400), st.integers(1, 400))
def test_which_of_two_words_is_rarer_is_no_matter(one: int, other: int) -> None:
    held = suite(ITEMS[:1])
    settings = LintSettings(rare_below=0)
    first = codes(check_frequencies(held, toy_frequencies(held, 修理=one, 浇灌=other, 了=1000), settings))
    second = codes(check_frequencies(held, toy_frequencies(held, 修理=other, 浇灌=one, 了=1000), settings))
    assert first == second
    assert bool(first) == (max(one, other) + 1 > 4 * (min(one, other) + 1))


# --- verbs ----------------------------------------------------------------------------------------------------------

OBJECT_HEADER = """class:      missing object / 宾语缺失
conditions: complete *missing
regions:    subject verb aspect object stop
predict:    missing.stop > complete.stop
"""
OBJECT_ITEMS = [
    "1  He became a doctor.\n   complete  他 | 成为 | 了 | 医生 | 。\n   missing   他 | 成为 | 了 |      | 。\n",
    "2  He met a nurse.\n   complete  他 | 认识 | 了 | 护士 | 。\n   missing   他 | 认识 | 了 |      | 。\n",
]


def uses(verb: VerbUses) -> TransitivityTable:
    return TransitivityTable("toy corpus", {"成为": VerbUses("成为", 100, 0), verb.verb: verb}, "0")


def test_verbs_that_need_an_object_have_nothing() -> None:
    # 10 of 100 uses are 0.10, and that is not above 0.10.
    held = suite(OBJECT_ITEMS, OBJECT_HEADER)
    assert list(check_transitivity(held, uses(VerbUses("认识", 100, 10)), SETTINGS)) == []


def test_a_verb_that_does_without_an_object() -> None:
    held = suite(OBJECT_ITEMS, OBJECT_HEADER)
    found = list(check_transitivity(held, uses(VerbUses("认识", 100, 11)), SETTINGS))
    assert codes(found) == [("2", "objectless-verb", "warning")]
    assert "11 of 100 uses in toy corpus have no object (11%)" in found[0].message


@pytest.mark.parametrize("seen", [VerbUses("认识", 9, 9), VerbUses("走", 0, 0)])
def test_a_verb_that_is_hardly_used(seen: VerbUses) -> None:
    held = suite(OBJECT_ITEMS, OBJECT_HEADER)
    assert codes(check_transitivity(held, uses(seen), SETTINGS)) == [("2", "few-uses", "note")]


def test_other_classes_are_not_asked() -> None:
    assert list(check_transitivity(suite(), uses(VerbUses("浇灌", 100, 100)), SETTINGS)) == []


# --- writing --------------------------------------------------------------------------------------------------------


def test_good_writing_has_nothing() -> None:
    assert list(check_writing(suite())) == []


def test_a_traditional_character() -> None:
    pytest.importorskip("opencc")
    found = list(check_writing(suite([ITEMS[0].replace("电脑", "電脑"), ITEMS[3]])))
    assert codes(found) == [("1", "mixed-script", "warning")]
    assert "traditional character 電" in found[0].message


def test_a_suite_in_traditional_characters_is_as_good() -> None:
    pytest.importorskip("opencc")
    sentences = ("match  他 | 買 了 | 這 艘 | | 輪船 | 。", "mismatch  他 | 學 了 | 這 艘 | | 輪船 | 。")
    items = ["\n   ".join(["1  He bought this ship.", *sentences])]
    assert list(check_writing(suite(items))) == []
    found = list(check_writing(suite([items[0].replace("學", "学")])))
    assert codes(found) == [("1", "mixed-script", "warning")]
    assert "simplified character 学" in found[0].message


@pytest.mark.parametrize("mark", [".", "!", "?"])
def test_a_half_width_mark(mark: str) -> None:
    found = check_writing(suite([ITEMS[0].replace("。", mark)]))
    assert codes(found) == [("1", "half-width", "warning")]


@pytest.mark.parametrize("word", ["3.5", "U.S.", "Ｕ", "Windows"])
def test_foreign_words_may_have_marks(word: str) -> None:
    assert list(check_writing(suite([ITEMS[0].replace("工程师", word)]))) == []


def test_an_english_suite_has_english_marks() -> None:
    item = "1  The engineer repaired it.\n   match  He | saw | it | | now | .\n   mismatch  He | ate | it | | now | .\n"
    assert list(check_writing(suite([item], HEADER))) == []
