"""Are classifier facts held against the inventory, and only where it knows something?"""

from __future__ import annotations

import pytest

from hengliang.grammar.suites.lint import check_classifiers, classifier_of, noun_evidence
from tests.grammar.suites.lint_toys import HEADER, ITEMS, TABLE, codes, suite, toy_inventory

CLASHING = HEADER.replace("fits:  ", "clashes:")


def with_classifier(old: str, new: str) -> list[str]:
    return [ITEMS[0].replace(old, new)]


def test_facts_that_are_borne_out_have_nothing() -> None:
    assert list(check_classifiers(suite(), toy_inventory())) == []


def test_a_classifier_that_does_not_fit() -> None:
    found = list(check_classifiers(suite(with_classifier("这 台", "这 匹")), toy_inventory()))
    assert codes(found) == [("1", "classifier-misfit", "error")]
    assert "匹 with 电脑" in found[0].message and "listed with 个 台 only" in found[0].message


def test_a_misfit_that_rests_on_the_ending_is_a_warning() -> None:
    found = list(check_classifiers(suite(with_classifier("这 台 | | 电脑", "这 匹 | | 旧电脑")), toy_inventory()))
    assert codes(found) == [("1", "classifier-misfit", "warning")]
    assert "by its ending 电脑" in found[0].message


@pytest.mark.parametrize("noun", ["键盘", "问题"])
def test_what_nobody_lists_is_noted(noun: str) -> None:
    found = check_classifiers(suite([ITEMS[0].replace("电脑", noun)]), toy_inventory())
    assert codes(found) == [("1", "classifier-unlisted", "note")]


def test_a_clash_that_is_none() -> None:
    found = list(check_classifiers(suite(ITEMS[:1], CLASHING), toy_inventory()))
    assert codes(found) == [("1", "classifier-fits", "error")]
    assert "should clash, but is listed (hengliang)" in found[0].message


def test_a_clash_that_rests_on_the_ending_is_a_warning() -> None:
    found = check_classifiers(suite([ITEMS[0].replace("电脑", "旧电脑")], CLASHING), toy_inventory())
    assert codes(found) == [("1", "classifier-fits", "warning")]


def test_a_clash_that_is_one_has_nothing() -> None:
    assert list(check_classifiers(suite(with_classifier("这 台", "这 匹"), CLASHING), toy_inventory())) == []


@pytest.mark.parametrize("held", ["这", "", "这 电脑"])
def test_a_region_without_a_classifier(held: str) -> None:
    found = check_classifiers(suite(with_classifier("这 台", held)), toy_inventory())
    assert codes(found) == [("1", "no-classifier", "error")]


def test_a_fact_without_a_noun() -> None:
    found = list(check_classifiers(suite([ITEMS[0].replace("电脑", "")]), toy_inventory()))
    assert codes(found) == [("1", "no-classifier", "error")]
    assert "match.noun is empty" in found[0].message


def test_a_word_between_that_the_classifier_fits() -> None:
    found = list(
        check_classifiers(suite([ITEMS[2].replace("| |", "| 读 书 的 |").replace("匹", "本")]), toy_inventory())
    )
    assert ("3", "classifier-fits-between", "warning") in codes(found)
    good = [ITEMS[2].replace("| |", "| 读 书 的 |")]
    assert list(check_classifiers(suite(good), toy_inventory())) == []


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (("这", "台"), "台"),
        (("这台",), "台"),
        (("这个",), "个"),
        (("一个",), "个"),
        (("每本",), "本"),
        (("台",), "台"),
        (("电台",), ""),
        (("这",), ""),
        ((), ""),
    ],
)
def test_the_classifier_of_a_region(words: tuple[str, ...], form: str) -> None:
    assert classifier_of(words, toy_inventory()) == form


def test_a_noun_of_several_words_is_judged_as_a_whole_and_by_its_last() -> None:
    held = toy_inventory(TABLE + "支\tzhī\tsortal\tteams\t队\t马队\n")
    # 马 队: the whole is listed. 黑 马: only its last word is. 石 马 房: nothing is.
    assert noun_evidence("支", ("马", "队"), held).verdict == "attested"
    assert noun_evidence("匹", ("马", "队"), held).verdict == "contradicted"
    assert noun_evidence("匹", ("黑", "马"), held).noun == "马"
    assert noun_evidence("匹", ("石", "马", "房"), held).verdict == "unknown"
