"""Is a classifier called wrong only where all that is known speaks against it?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.proofreading.corrections import Thresholds
from hengliang.systems.proofreading.profiles import profiles
from tests.systems.proofreading.small_profiles import COUNTS, small_profiles

KNOWN = small_profiles()
USUAL = Thresholds()


def test_a_profile_adds_uses_and_listed_pairs() -> None:
    # Our table lists 书 with 本 and not with 张: 20 uses and one listed pair, which weighs 3.
    assert "书" in KNOWN.known.classifiers["本"].nouns
    assert KNOWN.profile("书")["本"] == 20 + 3
    assert KNOWN.profile("书")["张"] == 0
    assert KNOWN.goes_with("本", "书")
    assert not KNOWN.goes_with("张", "书")


def test_a_compound_leans_on_the_noun_it_ends_in() -> None:
    assert KNOWN.listed_noun("旧桌子") == "桌子"
    assert KNOWN.profile("旧桌子")["张"] == 3
    assert KNOWN.listed_noun("") == ""


@pytest.mark.parametrize(
    ("form", "noun", "why"),
    [
        ("本", "书", "seen"),
        ("摞", "书", "bunches go with any noun"),
        ("种", "书", "kinds go with any noun"),
        ("辆", "甲乙", "the noun is known with 个 alone"),
        ("辆", "铁塔尖", "too little is known"),
        ("幢", "大厦", "幢 changes places with 栋"),
        ("个", "桌子", "six uses are too few against 个"),
    ],
)
def test_no_objection(form: str, noun: str, why: str) -> None:
    assert KNOWN.objection(form, noun, USUAL) is None, why


def test_an_objection_names_what_is_usual() -> None:
    found = KNOWN.objection("辆", "桌子", USUAL)
    assert found is not None
    assert found.usual[0] == "张"
    assert (found.seen, found.listed) == (6, "桌子")


def test_general_needs_many_uses_without_it() -> None:
    assert KNOWN.objection("个", "信", USUAL) is not None
    assert KNOWN.objection("个", "信", Thresholds(evidence_general=13)) is None


def test_a_classifier_of_nouns_with_the_same_ending_is_excused() -> None:
    # 辆 counts 汽车 in our table, and 缆车 ends in the same character.
    assert "辆" in KNOWN.endings["车"]
    assert KNOWN.objection("辆", "缆车", USUAL) is None


def test_which_nouns_want_a_classifier() -> None:
    assert KNOWN.wants_classifier("书")
    assert KNOWN.wants_classifier("学生")
    assert not KNOWN.wants_classifier("甲乙")
    assert not KNOWN.wants_classifier("铁塔尖")


def test_the_usual_profiles_know_the_training_corpus_and_the_lists() -> None:
    usual = profiles()
    assert usual.goes_with("本", "书")
    assert usual.objection("匹", "书", USUAL) is not None


@given(
    st.sampled_from(sorted(KNOWN.known.classifiers)),
    st.sampled_from(sorted({noun for noun, _, _ in COUNTS})),
    st.integers(1, 30),
    st.integers(1, 5),
)
def test_more_evidence_asked_for_never_adds_an_objection(form: str, noun: str, evidence: int, kinship: int) -> None:
    strict = KNOWN.objection(form, noun, Thresholds(evidence=evidence + 1, kinship=kinship))
    if strict is not None:
        assert KNOWN.objection(form, noun, Thresholds(evidence=evidence, kinship=kinship)) is not None
        assert KNOWN.objection(form, noun, Thresholds(evidence=evidence, kinship=kinship + 1)) is not None
        assert not KNOWN.goes_with(form, noun)
