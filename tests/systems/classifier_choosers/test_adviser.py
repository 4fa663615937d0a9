"""Do a chooser and a dictionary together give what the formula says?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import Finding, Silent
from hengliang.language_models import stored_models
from hengliang.systems.classifier_choosers.adviser import Adviser, known_inventory, listed_forms
from hengliang.systems.classifier_choosers.ensemble import Ensemble
from hengliang.systems.classifier_choosers.language_model import LanguageModelChooser
from hengliang.systems.classifier_choosers.linear import Linear
from hengliang.systems.classifier_choosers.rule import NounCounts, Rule
from tests.language_models.small_models import SmallBigrams
from tests.systems.classifier_choosers.lessons import Lessons, rankings, slots

COUNTS = pl.DataFrame({"noun": ["马", "马", "天梯"], "label": ["匹", "头", "道"], "count": [3, 1, 1]})


def rule() -> Rule:
    return Rule(NounCounts(COUNTS, "by hand", "CC0"))


def test_listed_pairs_count_as_uses_beside_the_opinion() -> None:
    (found,) = rankings(Adviser(rule(), strength=3).choose(slots("马")))
    shares = dict(found)
    listed = listed_forms("马")
    kinds = {form: known_inventory().classifiers[form].kind for form in listed}
    weights = {form: 1 if kinds[form] in {"general", "sortal", "event"} else 0.25 for form in listed}
    # RULE gives 匹 3/4 and 头 1/4; the formula by hand, from what the dictionaries list.
    total = 3 + sum(weights.values())
    assert "匹" in listed
    assert shares["匹"] == pytest.approx((3 * 0.75 + 1) / total)
    assert shares["头"] == pytest.approx((3 * 0.25 + weights.get("头", 0)) / total)
    assert sum(shares.values()) == pytest.approx(1)
    assert [share for _, share in found] == sorted(shares.values(), reverse=True)


def test_a_rule_that_has_not_seen_the_noun_is_not_heard() -> None:
    (found,) = rankings(Adviser(rule()).choose(slots("猫")))
    assert {form for form, _ in found} == set(listed_forms("猫"))
    assert found[0][0] == "只"


def test_a_noun_that_nobody_lists_is_the_choosers_alone() -> None:
    assert listed_forms("天梯") == ()
    assert rankings(Adviser(rule()).choose(slots("天梯", "哎"))) == [[("道", 1.0)], [("个", 1.0)]]


def test_a_compound_is_listed_like_the_noun_it_ends_in() -> None:
    assert listed_forms("语文老师") == listed_forms("老师") != ()
    assert listed_forms("") == ()


def test_its_promises_hold() -> None:
    adviser = Adviser(rule())
    adviser.prepare(Silent())
    broken: list[Finding] = [finding for finding in adviser.conformance() if not finding.kept]
    assert broken == []


def test_the_signature_changes_with_the_chooser_and_the_strength() -> None:
    lines = {str(Adviser(rule()).signature()), str(Adviser("GE").signature()), str(Adviser(rule(), 2).signature())}
    assert len(lines) == 3


def test_a_strength_must_be_above_zero() -> None:
    for strength in (0, float("nan"), float("inf")):
        adviser = Adviser(rule(), strength=strength)
        with pytest.raises(UserError, match=f"A strength of {strength} is not possible"):
            adviser.choose(slots("马"))
        with pytest.raises(UserError, match=f"A strength of {strength} is not possible"):
            adviser.prepare(Silent())


def test_a_noun_may_be_null() -> None:
    asked = slots("马").with_columns(noun=pl.lit(None, pl.String))
    assert rankings(Adviser(rule()).choose(asked)) == [[("个", 1.0)]]


def test_it_asks_for_whole_rankings_whoever_answers() -> None:
    # Abridged, the model names one of three classifiers, and the probabilities would not sum to 1.
    asked = pl.DataFrame({"sentence": ["他买了。"], "slot": [9], "noun": ["天梯"]})
    short = LanguageModelChooser(SmallBigrams(), ("来", "书", "车"), any_classifier=True, cut="apart", top=1)
    for chooser in (short, Ensemble([short, short], top=1)):
        (found,) = rankings(Adviser(chooser).choose(asked))
        assert sorted(form for form, _ in found) == sorted(("来", "书", "车"))
        assert sum(share for _, share in found) == pytest.approx(1)
    assert short.top == 1


def test_nothing_is_trained_before_it_is_asked() -> None:
    adviser = Adviser(Linear(train=Lessons()))
    assert adviser.asked.top is None
    adviser.signature()
    assert stored_models() == []
