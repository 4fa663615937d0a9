"""Does each check of shape find its fault, and that fault alone?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.grammar.suites.formulas import parse_formula
from hengliang.grammar.suites.lint import check_shape, comparisons, regions_of, target_regions, terms
from tests.grammar.suites.lint_toys import HEADER, ITEMS, codes, suite


def with_line(line: str, header: str = HEADER) -> str:
    return f"{header}{line}\n"


def with_item(text: str) -> list[str]:
    return [*ITEMS[:3], text]


def test_a_good_suite_has_nothing() -> None:
    assert list(check_shape(suite())) == []


def test_terms_and_comparisons_of_a_formula() -> None:
    formula = parse_formula("a.x > b.x & (b.y - a.y > 0 | 1 > 2)")
    assert [str(one) for one in comparisons(formula)] == ["a.x > b.x", "b.y - a.y > 0", "1 > 2"]
    assert [str(term) for term in terms(formula.expression)] == ["a.x", "b.x", "b.y", "a.y"]


def test_regions_of_terms() -> None:
    held = suite()
    stretch, whole = parse_formula("match.noun:stop > mismatch.*").terms
    assert regions_of(held, stretch) == ("noun", "stop")
    assert regions_of(held, whole) == held.regions
    assert target_regions(held) == {"noun", "stop"}


def test_whole_sentences_have_no_target() -> None:
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "mismatch.* > match.*")
    held = suite(header=header)
    assert target_regions(held) == frozenset()
    assert list(check_shape(held)) == []


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("mismatch.stop > match.stop & 1 > 0", "no-region"),
        ("mismatch.stop > match.stop & match.stop >= match.stop", "self-comparison"),
    ],
)
def test_a_prediction_that_compares_nothing(formula: str, code: str) -> None:
    found = list(check_shape(suite(header=with_line(f"control odd: {formula}"))))
    assert codes(found) == [("", code, "error")]
    assert "'odd'" in found[0].message


def test_a_condition_that_nobody_uses() -> None:
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "match.noun:stop > 2")
    found = list(check_shape(suite(header=header)))
    assert codes(found) == [("", "unused-condition", "warning")]
    assert "'mismatch'" in found[0].message


def test_conditions_that_are_all_bad() -> None:
    found = check_shape(suite(header=HEADER.replace("match *mismatch", "*match *mismatch")))
    assert codes(found) == [("", "no-good-condition", "error")]


def test_a_missing_gloss() -> None:
    found = check_shape(suite([*ITEMS[:3], ITEMS[3].replace("The sailors boarded this ship.", "")]))
    assert codes(found) == [("4", "no-gloss", "warning")]


def test_identical_conditions_also_when_cut_otherwise() -> None:
    found = list(
        check_shape(
            suite(
                with_item(
                    "4  Water.\n   match  人 | 开 水 | 这 台 | | 马 | 。\n   mismatch  人 | 开水 | 这 台 | | 马 | 。\n"
                )
            )
        )
    )
    assert codes(found) == [("4", "identical-conditions", "error")]
    assert "人开水这台马。" in found[0].message


def test_targets_that_differ() -> None:
    found = list(check_shape(suite(with_item(ITEMS[3].replace("轮船 | 。\n   mismatch", "货船 | 。\n   mismatch")))))
    assert ("4", "target-differs", "error") in codes(found)
    # It also has another pattern of equal conditions than the three items before it.
    assert {code for _, code, _ in codes(found)} == {"target-differs", "other-pattern"}
    assert "货船 in match, 轮船 in mismatch" in found[0].message


def test_balanced_targets_may_differ() -> None:
    header = HEADER.replace("balanced:   verb", "balanced:   verb noun")
    items = [text.replace("| 。\n   mismatch", "车 | 。\n   mismatch") for text in ITEMS]
    assert "target-differs" in {code for _, code, _ in codes(check_shape(suite(items)))}
    assert "target-differs" not in {code for _, code, _ in codes(check_shape(suite(items, header)))}


def test_targets_that_are_empty() -> None:
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "mismatch.modifier > match.modifier")
    found = list(check_shape(suite(ITEMS[:1], header)))
    assert codes([one for one in found if one.code == "empty-target"]) == [("1", "empty-target", "error")] * 2
    assert "mismatch.modifier" in found[0].message


def test_sentences_that_are_the_same_up_to_the_target() -> None:
    after = ITEMS[3].replace("翻译 了", "登上 了").replace("轮船 | 。\n", "轮船 | 。\n", 1)
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "mismatch.noun > match.noun")
    other_end = after[: after.rindex("。")] + "！\n"
    found = [one for one in check_shape(suite(with_item(other_end), header)) if one.code == "same-prefix"]
    assert codes(found) == [("4", "same-prefix", "error")]
    assert "a tie for every model" in found[0].message
    assert "same-prefix" not in {one.code for one in check_shape(suite())}


def test_balanced_words_of_unequal_length() -> None:
    found = list(check_shape(suite(with_item(ITEMS[3].replace("登上", "上")))))
    assert codes(found) == [("4", "unequal-length", "warning")]
    assert "上了 (2), 翻译了 (3)" in found[0].message


def test_compared_conditions_of_unequal_length() -> None:
    longer = ITEMS[3].replace("mismatch  水手", "mismatch  那 几 个 水手")
    found = [one for one in check_shape(suite(with_item(longer))) if one.code != "other-pattern"]
    assert codes(found) == [("4", "unequal-conditions", "warning")]
    assert "match has 7 words and mismatch 10" in found[0].message


def test_one_word_more_or_an_empty_region_is_no_matter() -> None:
    one_more = ITEMS[3].replace("mismatch  水手", "mismatch  老 水手")
    emptied = ITEMS[3].replace("mismatch  水手", "mismatch  ")
    for text in (one_more, emptied):
        assert [one for one in check_shape(suite(with_item(text))) if one.code != "other-pattern"] == []


def test_an_item_whose_conditions_are_alike_where_others_differ() -> None:
    found = list(check_shape(suite(with_item(ITEMS[3].replace("mismatch  水手", "mismatch  船员")))))
    assert codes(found) == [("4", "other-pattern", "warning")]
    assert "region subject" in found[0].message
    assert "in 3 of 4 items, where all have the same words" in found[0].message


def test_two_items_have_no_usual_pattern() -> None:
    assert list(check_shape(suite([ITEMS[0], ITEMS[3].replace("mismatch  水手", "mismatch  船员")]))) == []


@given(st.permutations(range(4)))
def test_the_order_of_items_is_no_matter(order: list[int]) -> None:
    items = [*ITEMS[:2], ITEMS[2].replace("mismatch  爷爷", "mismatch  奶奶"), ITEMS[3].replace("登上", "上")]
    usual = sorted(codes(check_shape(suite(items))))
    assert usual == [("3", "other-pattern", "warning"), ("4", "unequal-length", "warning")]
    assert sorted(codes(check_shape(suite([items[place] for place in order])))) == usual


def test_a_comparison_across_regions_of_other_words() -> None:
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "mismatch.noun > match.verb")
    found = [finding for finding in check_shape(suite(ITEMS, header)) if finding.code == "target-differs"]
    assert [finding.item for finding in found] == ["1", "2", "3", "4"]
    assert "电脑 and 修理 了" in found[0].message
    # The same words under another name are no fault.
    same = "1  It is.\n   match     他 | 是 | 他 | | 他 | 。\n   mismatch  她 | 是 | 他 | | 他 | 。\n"
    header = HEADER.replace("mismatch.noun:stop > match.noun:stop", "mismatch.noun > match.classifier")
    assert "target-differs" not in {finding.code for finding in check_shape(suite([same], header))}
