"""Are nouns, pairs of uses and what the noun can bring counted as a person would count them?"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.noun_classifiers import (
    competitors,
    disagreement,
    disagreement_interval,
    noun_only_scores,
    noun_profiles,
    reference_uses,
    uses_of,
    with_bands,
)
from tests.analysis.slot_answers import Given, Use, slot_items


def uses(*pairs: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item": [f"i{n}" for n in range(len(pairs))],
            "noun": [noun for noun, _ in pairs],
            "classifier": [classifier for _, classifier in pairs],
            "block": [n % 3 for n in range(len(pairs))],
        }
    )


# 学生: 名 twice, 个 once, 位 once; 书: 本 twice; 纸: 张 once.
SEEN = uses(
    ("学生", "名"), ("学生", "名"), ("学生", "个"), ("学生", "位"), ("书", "本"), ("书", "本"), ("纸", "张")
)  # fmt: skip


def test_profiles_by_hand() -> None:
    found = {row["noun"]: row for row in noun_profiles(SEEN).iter_rows(named=True)}
    # Shares 1/2, 1/4, 1/4: entropy 1/2 · 1 + 2 · 1/4 · 2 = 1.5 bits.
    assert found["学生"]["entropy"] == pytest.approx(1.5)
    assert (found["学生"]["uses"], found["学生"]["classifiers"], found["学生"]["share"]) == (4, 3, 0.5)
    assert found["学生"]["in_use"] == "名 2, 个 1, 位 1"  # 个 (U+4E2A) stands before 位 (U+4F4D)
    assert (found["书"]["entropy"], found["书"]["share"]) == (0.0, 1.0)
    assert math.copysign(1, found["书"]["entropy"]) == 1


def test_bands_have_their_lower_end() -> None:
    nine = [("甲", "个")] * 9 + [("甲", "位")]
    seven = [("乙", "个")] * 7 + [("乙", "位")] * 3
    half = [("丙", "个"), ("丙", "位")]
    third = [("丁", "个"), ("丁", "位"), ("丁", "名")]
    found = with_bands(pl.Series(["甲", "乙", "丙", "丁", "戊"]), uses(*nine, *seven, *half, *third))
    assert found.to_list() == ["≥ .9", ".7–.9", ".5–.7", "< .5", "unseen"]


def test_competitors_by_hand() -> None:
    # 名 and 个 share 学生 (2 and 1) and 人 (1 and 3): overlap 1 + 1; 位 shares only 学生 with each.
    held = uses(*SEEN.select("noun", "classifier").rows(), ("人", "名"), ("人", "个"), ("人", "个"), ("人", "个"))
    found = {frozenset(row[:2]): row[2:5] for row in competitors(held).iter_rows()}
    assert found == {
        frozenset("个名"): (2, 2, 3 + 4), frozenset("位名"): (1, 1, 3), frozenset("个位"): (1, 1, 2),
    }  # fmt: skip
    assert set(competitors(held).row(0)[:2]) == {"个", "名"}


def test_two_uses_differ_by_hand() -> None:
    # 学生: of 6 pairs one is 名名, so 5/6 differ; 书: none. Weighted by uses: (4 · 5/6 + 2 · 0) / 6 = 5/9; 纸 does not
    # count.
    assert disagreement(SEEN) == pytest.approx(5 / 9)
    assert disagreement(uses(("纸", "张"))) is None
    assert disagreement_interval(uses(("纸", "张")), "block") == (None, None, None)
    # Where all uses agree leaving one out changes nothing: no interval.
    assert disagreement_interval(uses(*[("书", "本")] * 6), "block") == (0.0, None, None)


def test_the_jackknife_by_hand() -> None:
    # 学生 in three blocks: 名 名 | 名 个 | 个 个. All: c(c − 1) = 3 · 2 + 3 · 2 = 12 of n(n − 1) = 30:
    # 1 − 12/30 = .6. Without a block four are left: 名 个 个 个 → 1 − 6/12 = .5;
    # 名 名 个 个 → 1 − 4/12 = 2/3; 名 名 名 个 → .5. Mean 5/9; squares: 2 · (1/18)² + (1/9)² = 1/54; times 2/3: 1/81.
    held = pl.DataFrame({"noun": ["学生"] * 6, "classifier": list("名名名个个个"), "block": [0, 0, 1, 1, 2, 2]})
    value, low, high = disagreement_interval(held, "block")
    assert value == pytest.approx(0.6)
    assert low is not None and high is not None
    assert (high - low) / 2 == pytest.approx(1.959964 * 1 / 9, rel=1e-5)


PAIRS = st.lists(st.tuples(st.sampled_from("甲乙丙"), st.sampled_from("个位名")), min_size=1, max_size=14)


@settings(max_examples=60)
@given(PAIRS)
def test_two_uses_differ_by_enumeration(pairs: list[tuple[str, str]]) -> None:
    total, weight = 0.0, 0
    for noun, size in Counter(noun for noun, _ in pairs).items():
        mine = [classifier for other, classifier in pairs if other == noun]
        if size > 1:
            drawn = list(combinations(mine, 2))
            total += size * sum(one != two for one, two in drawn) / len(drawn)
            weight += size
    found = disagreement(uses(*pairs))
    assert found == (pytest.approx(total / weight) if weight else None)


@settings(max_examples=60)
@given(PAIRS)
def test_entropy_is_bounded_by_the_number_of_classifiers(pairs: list[tuple[str, str]]) -> None:
    for row in noun_profiles(uses(*pairs)).iter_rows(named=True):
        assert 0 <= row["entropy"] <= math.log2(row["classifiers"]) + 1e-9
        assert 1 / row["classifiers"] - 1e-9 <= row["share"] <= 1


@settings(max_examples=60)
@given(PAIRS, PAIRS)
def test_leaving_one_out_by_enumeration(pairs: list[tuple[str, str]], more: list[tuple[str, str]]) -> None:
    found = noun_only_scores(uses(*pairs), uses(*more))
    for place, (noun, classifier) in enumerate(pairs):
        others = [two for n, (one, two) in enumerate(pairs) if one == noun and n != place]
        others += [two for one, two in more if one == noun]
        row = found.row(place, named=True)
        assert row["others"] == len(others)
        if not others:
            assert row["left_out"] is None
            continue
        counts = Counter(others)
        best = [name for name, count in counts.items() if count == max(counts.values())]
        assert row["left_out"] == pytest.approx((classifier in best) / len(best))


@settings(max_examples=40)
@given(PAIRS)
def test_no_fixed_choice_by_noun_is_better_than_the_upper_bound(pairs: list[tuple[str, str]]) -> None:
    best = sum(max(Counter(two for one, two in pairs if one == noun).values()) for noun in {one for one, _ in pairs})
    assert noun_only_scores(uses(*pairs))["itself"].sum() == best


def test_uses_have_a_noun_a_classifier_and_a_number() -> None:
    items = slot_items(
        [Use("书", "本", before="买一"), Use("书", "本", before="买三"), Use("", "个"), Use("书", None),
         Use("书", "本", before="买这", trigger="demonstrative")]
    )  # fmt: skip
    found = uses_of(items)
    assert found["item"].to_list() == ["i000", "i001", "i004"]
    assert found["number"].to_list() == ["one", "another number", None]
    with pytest.raises(UserError, match="no slot"):
        reference_uses(Given([Use("", "个")]))


def test_an_entropy_of_many_nouns_is_that_of_scipy() -> None:
    from scipy.stats import entropy

    generator = np.random.default_rng(5)
    held = uses(*((f"名{n}", f"量{c}") for n, c in generator.integers(0, 6, (400, 2))))
    for row in noun_profiles(held).iter_rows(named=True):
        counts = Counter(held.filter(noun=row["noun"])["classifier"].to_list())
        assert row["entropy"] == pytest.approx(entropy(list(counts.values()), base=2))
