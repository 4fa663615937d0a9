"""Are repeated items found within a suite and among its sisters, and items that a sister lacks or changes?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.grammar.suites.lint import LintSettings, check_items, content_words, overlap
from tests.grammar.suites.lint_toys import HEADER, ITEMS, codes, suite

SETTINGS = LintSettings()
ADJECTIVE = HEADER.replace("none / 无修饰语", "adjective / 形容词")
MODIFIED = [text.replace("| |", "| 旧 |") for text in ITEMS]
WORDS = st.frozensets(st.sampled_from("天地人山水火"))


def repeated(text: str) -> str:
    return "5" + text[1:]


def test_different_items_have_nothing() -> None:
    assert list(check_items([suite()], SETTINGS)) == []


def test_content_words_leave_out_function_words_and_modifiers() -> None:
    held = suite(MODIFIED)
    assert content_words(held, held.items[0], SETTINGS) == {"工程师", "修理", "浇灌", "台", "电脑"}
    with_modifiers = LintSettings(modifier_regions=())
    assert "旧" in content_words(held, held.items[0], with_modifiers)


def test_an_item_that_stands_twice() -> None:
    found = list(check_items([suite([*ITEMS, repeated(ITEMS[0])])], SETTINGS))
    assert codes(found) == [("5", "duplicate-item", "error")]
    assert "same as item 1" in found[0].message


def test_an_item_that_nearly_stands_twice() -> None:
    # 4 of 6 content words are common (0.67) after one change, 5 of 5 when only the modifier differs.
    changed = repeated(ITEMS[0]).replace("电脑", "电视")
    modified = repeated(ITEMS[0]).replace("| |", "| 旧 |")
    assert list(check_items([suite([*ITEMS, changed])], SETTINGS)) == []
    found = list(check_items([suite([*ITEMS, changed])], LintSettings(nearly_same=0.6)))
    assert codes(found) == [("5", "near-duplicate", "warning")]
    assert "67%" in found[0].message
    assert codes(check_items([suite([*ITEMS, modified])], SETTINGS)) == [("5", "near-duplicate", "warning")]


def test_a_near_duplicate_in_a_sister_suite_is_told_once() -> None:
    sister = suite([*MODIFIED[1:], repeated(MODIFIED[0])], ADJECTIVE, "sister")
    found = [one for one in check_items([suite(), sister], SETTINGS) if one.code != "missing-item"]
    assert codes(found) == [("5", "near-duplicate", "warning")]
    assert "item 1 of toy" in found[0].message


def test_the_own_suite_is_named_before_a_sister() -> None:
    both = [suite([*ITEMS, repeated(ITEMS[0])]), suite([*MODIFIED, repeated(MODIFIED[0])], ADJECTIVE, "sister")]
    found = list(check_items(both, SETTINGS))
    assert [(one.suite, one.item, one.code) for one in found] == [
        ("toy", "5", "duplicate-item"),
        ("sister", "5", "duplicate-item"),
    ]


def test_suites_of_other_classes_may_share_items() -> None:
    other = suite(ITEMS, HEADER.replace("verb–noun", "another class"), "other")
    assert list(check_items([suite(), other], SETTINGS)) == []


def test_sisters_with_the_same_items_have_nothing() -> None:
    assert list(check_items([suite(), suite(MODIFIED, ADJECTIVE, "sister")], SETTINGS)) == []


def test_an_item_that_a_sister_lacks() -> None:
    found = list(check_items([suite(), suite(MODIFIED[:2], ADJECTIVE, "sister")], SETTINGS))
    assert [(one.suite, one.code, one.severity) for one in found] == [("sister", "missing-item", "note")]
    assert found[0].message.endswith("3, 4.")


def test_an_item_that_a_sister_changes() -> None:
    sentences = ("match  商人 | 卖 了 | 这 辆 | | 汽车 | 。", "mismatch  商人 | 喝 了 | 这 辆 | | 汽车 | 。")
    other = "\n   ".join(["4  The merchant sold this car.", *sentences])
    found = list(check_items([suite(), suite([*MODIFIED[:3], other], ADJECTIVE, "sister")], SETTINGS))
    assert [(one.suite, *codes([one])[0]) for one in found] == [("sister", "4", "other-frame", "warning")]
    assert "only 0%" in found[0].message


@pytest.mark.parametrize(
    ("one", "other", "share"), [("天地", "地人", 1 / 3), ("天", "天", 1.0), ("天", "地", 0.0), ("", "", 0.0)]
)
def test_overlap_by_hand(one: str, other: str, share: float) -> None:
    assert overlap(frozenset(one), frozenset(other)) == share


@given(WORDS, WORDS)
def test_overlap_is_symmetric_and_bounded(one: frozenset[str], other: frozenset[str]) -> None:
    assert overlap(one, other) == overlap(other, one)
    assert 0 <= overlap(one, other) <= 1
    assert (overlap(one, other) == 1) == (one == other and bool(one))


@given(st.permutations(range(5)))
def test_the_order_of_items_is_no_matter(order: list[int]) -> None:
    items = [*ITEMS, repeated(ITEMS[1]).replace("| |", "| 旧 |")]
    found = codes(check_items([suite([items[place] for place in order])], SETTINGS))
    assert found == [("5", "near-duplicate", "warning")]


def test_an_item_of_function_words_that_stands_twice() -> None:
    words = "   match     他 | 在 | 这个 | | 那 | 。\n   mismatch  她 | 在 | 这个 | | 那 | 。\n"
    found = list(check_items([suite([f"{number}  It is there.\n{words}" for number in (1, 2)])], LintSettings()))
    assert [(finding.item, finding.code) for finding in found] == [("2", "duplicate-item")]
