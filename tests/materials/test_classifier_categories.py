"""Are uses told apart as the criteria say, and does every classifier have a verdict?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from hengliang import UserError
from hengliang.materials.classifier_categories import (
    CATEGORIES,
    CATEGORY_TITLES,
    category_of_form,
    category_of_use,
    form_judgements,
    read_judgements,
    use_judgements,
)
from hengliang.materials.classifier_inventory import own_classifiers

FORMS = "classifier\tfirst\tsecond\tcategory\n"
USES = "classifier\tnoun\tfirst\tsecond\tcategory\n"


def test_every_classifier_of_the_inventory_was_judged_and_no_other() -> None:
    assert [one.classifier for one in form_judgements()] == [one.form for one in own_classifiers()]


def test_every_judged_use_has_a_classifier_of_the_inventory() -> None:
    assert {one.classifier for one in use_judgements()} <= {one.form for one in own_classifiers()}


@pytest.mark.parametrize(
    ("form", "noun", "expected"),
    [
        # The guide's own pairs: one form, both uses.
        ("条", "鱼", "true"),
        ("条", "烟", "measure"),
        ("把", "刀", "true"),
        ("把", "米", "measure"),
        ("块", "表", "true"),
        ("块", "肉", "measure"),
        ("头", "牛", "true"),
        ("头", "汗", "measure"),
        # Entailment: three books, three boxes of books; three kinds of animal are not three animals.
        ("本", "书", "true"),
        ("箱", "书", "measure"),
        ("种", "动物", "measure"),
        ("双", "鞋", "measure"),
        ("群", "人", "measure"),
        ("张", "纸", "true"),
        ("次", "会议", "true"),
        ("个", "独角兽", "true"),
        # A compound ends in its head.
        ("块", "五花肉", "measure"),
        ("条", "大草鱼", "true"),
        # Not a classifier of the inventory.
        ("砣", "肉", "not in list"),
    ],
)
def test_uses_are_told_apart(form: str, noun: str, expected: str) -> None:
    assert category_of_use(form, noun) == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [("本", "true"), ("条", "dual"), ("箱", "measure"), ("砣", "not in list"), ("", "not in list")],
)
def test_forms_are_told_apart(form: str, expected: str) -> None:
    assert category_of_form(form) == expected


def test_the_annotators_agree_and_differ() -> None:
    """κ as scikit-learn computes it; docs/classifier-inventory.md has the figures from the command line."""
    for judgements in (form_judgements(), use_judgements()):
        first, second = [one.first for one in judgements], [one.second for one in judgements]
        assert first != second
        assert cohen_kappa_score(first, second) > 0.9
        # What was settled is what one of the two said.
        settled = [one for one in judgements if one.first != one.second]
        assert sum(one.category in (one.first, one.second) for one in settled) == len(settled)
        assert all(one.category == one.first for one in judgements if one.first == one.second)


@given(st.sampled_from([one.form for one in own_classifiers()]), st.text(max_size=6))
def test_a_use_is_true_or_measure_whatever_the_noun(form: str, noun: str) -> None:
    by_form, by_use = category_of_form(form), category_of_use(form, noun)
    assert by_use in {"true", "measure"} if by_form != "not in list" else by_use == "not in list"
    assert set(CATEGORY_TITLES) == set(CATEGORIES)


@pytest.mark.parametrize(
    ("text", "with_noun", "message"),
    [
        ("本\ttrue\ttrue\ttrue\n", False, "another header"),
        (FORMS + "本\ttrue\ttrue\n", False, "line 2 has 3 columns"),
        (FORMS + "本\ttrue\tsortal\ttrue\n", False, "'sortal' is no verdict"),
        (FORMS + "本\ttrue\tunclear\ttrue\n", False, "'unclear' is no verdict"),
        (USES + "本\t书\ttrue\tdual\ttrue\n", True, "'dual' is no verdict"),
        (USES + "本\t书\ttrue\ttrue\ttrue\n本\t书\ttrue\ttrue\ttrue\n", True, "'本书' a second time"),
    ],
)
def test_a_broken_table_is_refused(text: str, with_noun: bool, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(read_judgements(text, with_noun=with_noun))
