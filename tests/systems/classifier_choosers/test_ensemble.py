"""Is an ensemble the mean of its members, whatever their number and order?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Choice
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.ensemble import Ensemble
from hengliang.systems.classifier_choosers.general import General
from hengliang.systems.classifier_choosers.rule import Rule
from tests.systems.classifier_choosers.lessons import Lessons, rankings, slots


class Fixed(ClassifierChooser):
    """Says the same of every slot; nothing about the noun it does not know."""

    def __init__(self, shares: Sequence[tuple[str, float]] = (), silent: str = "", name: str = "fixed") -> None:
        self.shares = tuple(shares)
        self.silent = silent
        self.name = name

    def choose(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [
            [] if noun == self.silent else [Choice(label, share) for label, share in self.shares]
            for noun in slots["noun"].to_list()
        ]


def test_the_mean_with_and_without_weights() -> None:
    # 书: RULE says 本 3/4, 部 1/4; GE says 个 1. Mean: 个 1/2, 本 3/8, 部 1/8.
    # With weights 3 to 1: 本 9/16, 个 1/4, 部 3/16.
    members = [Rule(Lessons()), General()]
    assert rankings(Ensemble(members).choose(slots("书")))[0] == [("个", 0.5), ("本", 0.375), ("部", 0.125)]
    weighted = Ensemble(members, weights=[3, 1], top=None).choose(slots("书"))
    assert rankings(weighted)[0] == [("本", 0.5625), ("个", 0.25), ("部", 0.1875)]


def test_members_of_one_name_all_count() -> None:
    twice = Ensemble([Fixed([("本", 1.0)]), Fixed([("册", 1.0)]), Fixed([("本", 1.0)])])
    assert rankings(twice.choose(slots("书")))[0] == [("本", 0.666667), ("册", 0.333333)]


def test_a_member_without_an_answer_does_not_count() -> None:
    ensemble = Ensemble([Fixed([("本", 1.0)], silent="马"), Fixed([("匹", 1.0)], silent="书")])
    found = rankings(ensemble.choose(slots("书", "马", "人")))
    assert found == [[("本", 1.0)], [("匹", 1.0)], [("匹", 0.5), ("本", 0.5)]]
    silent = Ensemble([Fixed([("本", 1.0)], silent="书")])
    assert rankings(silent.choose(slots("书", "马"))) == [[], [("本", 1.0)]]


@given(st.permutations([0, 1, 2]), st.lists(st.floats(0.1, 5), min_size=3, max_size=3))
def test_the_order_of_members_does_not_matter(order: list[int], weights: list[float]) -> None:
    members = [Fixed([("本", 0.7), ("册", 0.3)]), Fixed([("册", 1.0)]), Fixed([("部", 0.6), ("本", 0.4)])]
    one = rankings(Ensemble(members, weights).choose(slots("书")))[0]
    other = rankings(Ensemble([members[n] for n in order], [weights[n] for n in order]).choose(slots("书")))[0]
    assert dict(one) == pytest.approx(dict(other), abs=2e-6)
    assert sum(share for _, share in one) == pytest.approx(1, abs=1e-5)


def test_it_keeps_the_promises_of_a_chooser() -> None:
    for ensemble in (Ensemble([Rule(Lessons()), General()]), Ensemble([Rule(Lessons()), General()], top=None)):
        broken = [finding for finding in ensemble.conformance() if not finding.kept]
        assert broken == []


def test_impossible_ensembles_are_refused() -> None:
    with pytest.raises(UserError, match="needs members"):
        Ensemble().choose(slots("书"))
    with pytest.raises(UserError, match="2 weights for 1 members"):
        Ensemble([General()], [1, 2]).choose(slots("书"))
    for weight in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UserError, match=f"A weight is {weight}"):
            Ensemble([General(), General()], [1, weight]).choose(slots("书"))
    with pytest.raises(UserError, match="A ranking of 0 classifiers is not possible"):
        Ensemble([General()], top=0).choose(slots("书"))


def test_its_signature_is_that_of_its_members_in_their_order() -> None:
    rule, general = Rule(Lessons()), General()
    ensembles = [
        Ensemble([rule, general]),
        Ensemble([general, rule]),
        Ensemble([Rule(Lessons(), seed=2), general]),
        Ensemble([rule, general], [2, 1]),
        Ensemble([rule, general], top=None),
    ]
    assert len({str(ensemble.signature()) for ensemble in ensembles}) == len(ensembles)
    assert ensembles[0].signature() == Ensemble([Rule(Lessons()), General()]).signature()
    assert dict(ensembles[0].signature().pairs)["members"] == f"[({rule.signature()}), ({general.signature()})]"
