"""Are near-duplicates found, all of them and no others?"""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.test_sets import selection as module
from hengliang.tagging.test_sets.selection import jaccard, near_duplicate_groups, near_duplicates, shingles

TEXTS = st.lists(st.text(st.sampled_from("天下雨风"), max_size=12), max_size=12)
THRESHOLDS = st.sampled_from([0.1, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0])


def test_shingles_are_stretches_of_three_characters() -> None:
    assert shingles("明天下雨") == {"明天下", "天下雨"}
    assert shingles("雨") == {"雨"}
    assert shingles("") == {""}
    assert shingles("明天下雨", 2) == {"明天", "天下", "下雨"}


def test_jaccard_is_a_quotient() -> None:
    # 明天下雨 has 明天下 and 天下雨, 明天下雪 has 明天下 and 天下雪: one of three is shared.
    assert jaccard("明天下雨", "明天下雪") == 1 / 3
    assert jaccard("", "") == 1


def brute_force(texts: list[str], threshold: float, size: int) -> set[tuple[int, int]]:
    pairs = combinations(range(len(texts)), 2)
    return {(one, other) for one, other in pairs if jaccard(texts[one], texts[other], size) >= threshold}


@given(TEXTS, THRESHOLDS, st.integers(1, 4))
def test_pairs_are_those_of_brute_force(texts: list[str], threshold: float, size: int) -> None:
    expected = brute_force(texts, threshold, size)
    found = near_duplicates(texts, threshold, size)
    sets = [shingles(text, size) for text in texts]
    first = [sets.index(held) for held in sets]
    # Of texts with the same shingles only the first is compared with the others.
    expected = {
        (one, other)
        for one, other in expected
        if (first[one] == one and first[other] == other) or (first[other] == one and one != other)
    }
    assert set(found.select("first", "second").rows()) == expected
    for one, other, index in found.rows():
        assert index == jaccard(texts[one], texts[other], size)


@given(TEXTS, THRESHOLDS)
def test_groups_are_the_connected_texts(texts: list[str], threshold: float) -> None:
    expected = list(range(len(texts)))
    pairs = brute_force(texts, threshold, 3)
    for _ in texts:  # the smallest neighbour spreads one step at a time
        for one, other in pairs:
            expected[one] = expected[other] = min(expected[one], expected[other])
    assert near_duplicate_groups(texts, threshold).tolist() == expected


@given(TEXTS, st.randoms(use_true_random=False))
def test_the_order_of_the_texts_does_not_count(texts: list[str], chance: random.Random) -> None:
    order = chance.sample(range(len(texts)), len(texts))
    shuffled = near_duplicate_groups([texts[place] for place in order]).tolist()
    groups = near_duplicate_groups(texts).tolist()
    for one, other in combinations(range(len(texts)), 2):
        assert (shuffled[one] == shuffled[other]) == (groups[order[one]] == groups[order[other]])


def test_many_pairs_are_compared_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    texts = ["".join(chance.choices("天下雨风云", k=15)) for _ in range(150)]
    whole = near_duplicates(texts, 0.2)
    monkeypatch.setattr(module, "_COMPARED_AT_ONCE", 50)
    assert whole.height > 10
    assert near_duplicates(texts, 0.2).equals(whole)


def test_a_late_edition_is_found_among_many() -> None:
    chance = random.Random(2)
    characters = [chr(0x4E00 + place) for place in range(2000)]
    texts = ["".join(chance.choices(characters, k=30)) for _ in range(3000)]
    texts.append(texts[17][:-1] + "。")
    # 27 of 28 shingles are the same: 27 / 29.
    assert near_duplicates(texts).rows() == [(17, 3000, 27 / 29)]


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan")])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(UserError, match="no threshold"):
        near_duplicates(["天"], threshold)


def test_a_shingle_has_characters() -> None:
    with pytest.raises(UserError, match="cannot have 0 characters"):
        near_duplicates(["天"], size=0)
