from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.systems.classifier_choosers.slot_features import (
    GROUPS,
    CharacterShares,
    Codes,
    Vocabulary,
    slot_characters,
    slot_keys,
)

TEXT = st.text("一两这第五个本马书桥的大红来了买a1𠮷，", max_size=12)


def one(before: str, between: str, noun: str, after: str) -> dict[str, object]:
    return {"sentence": before + between + noun + after, "slot": len(before.encode()), "noun": noun}


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"sentence": pl.String, "slot": pl.Int64, "noun": pl.String})


def text(codes: Codes) -> str:
    return "".join(chr(code) for code in codes.tolist() if code)


def test_the_characters_around_a_slot() -> None:
    seen = slot_characters(frame(one("我昨天在市里买了三", "很新的", "小说集", "。好看"), one("", "", "马", "")))
    assert text(seen.before[0]) == "在市里买了三" and text(seen.before[1]) == ""
    assert text(seen.after[0]) == "很新的小说集" and text(seen.after[1]) == "马"
    assert text(seen.noun[0]) == "小说集" and text(seen.noun_start[0]) == "小"
    assert text(seen.modifier[0]) == "很新的" and text(seen.modifier[1]) == ""
    assert text(seen.behind[0]) == "。好" and text(seen.behind[1]) == ""
    assert seen.distance.tolist() == [3, 0] and seen.noun_length.tolist() == [3, 1]


def test_a_noun_that_stands_before_the_gap_has_no_distance() -> None:
    seen = slot_characters(frame({"sentence": "桌上有书三，笔两支", "slot": 15, "noun": "书"}))
    assert seen.distance.tolist() == [-1]
    assert text(seen.modifier[0]) == "" and text(seen.behind[0]) == "，笔"


def test_windows_do_not_reach_into_the_neighbouring_sentence() -> None:
    alone = slot_keys(slot_characters(frame(one("一", "", "马", ""))))
    among = slot_keys(
        slot_characters(frame(one("有两", "", "书", "了"), one("一", "", "马", ""), one("三", "", "人", "")))
    )
    assert (alone[:, 0] == among[:, 1]).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT), min_size=1, max_size=6))
def test_features_of_a_slot_do_not_depend_on_the_batch(parts: list[tuple[str, str, str, str]]) -> None:
    rows = [one(*each) for each in parts]
    together = slot_keys(slot_characters(frame(*rows)))
    for number, row in enumerate(rows):
        assert (slot_keys(slot_characters(frame(row)))[:, 0] == together[:, number]).all()


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT)
def test_the_windows_are_what_slicing_gives(before: str, between: str, noun: str, after: str) -> None:
    seen = slot_characters(frame(one(before, between, noun, after)))
    rest = between + noun + after
    assert text(seen.before[0]) == before[-6:] and text(seen.after[0]) == rest[:6]
    assert text(seen.noun[0]) == noun[-12:]
    assert seen.distance[0] == (rest.index(noun) if noun else -1)


def test_awkward_slots_have_features_too() -> None:
    rows = frame(
        {"sentence": "", "slot": 0, "noun": ""},
        {"sentence": "书", "slot": 99, "noun": "书"},
        {"sentence": "书", "slot": 1, "noun": "书"},
        {"sentence": None, "slot": None, "noun": None},
    )
    assert slot_keys(slot_characters(rows)).shape[1] == 4
    assert slot_keys(slot_characters(rows.clear())).shape[1] == 0


def changed(left: dict[str, object], right: dict[str, object]) -> int:
    keys = slot_keys(slot_characters(frame(left, right)))
    return int((keys[:, 0] != keys[:, 1]).sum())


def test_numerals_fall_together_in_some_features_and_the_noun_does_not() -> None:
    base, total = one("买了两", "", "书", "。"), len(slot_keys(slot_characters(frame(one("", "", "", "")))))
    # 两 and 三: the features of the last one and the last two characters change, none of their classes.
    assert changed(base, one("买了三", "", "书", "。")) == 2
    assert 2 < changed(base, one("买了这", "", "书", "。")) < total
    assert changed(base, base) == 0


def test_no_two_templates_and_no_two_characters_share_a_key() -> None:
    rows = [one(a + b, "", c, d) for a in "买看" for b in "一这" for c in "书马桥" for d in "。了"]
    keys = slot_keys(slot_characters(frame(*rows)))
    owners: dict[int, set[int]] = {}
    for template, row in enumerate(keys):
        for key in set(row.tolist()) - {0}:
            owners.setdefault(key, set()).add(template)
    # Only the characters of the noun are one bag, whatever their place; these nouns have one character.
    assert all(len(templates) == 1 for templates in owners.values())


def test_the_vocabulary_finds_exactly_its_own_keys() -> None:
    generator = np.random.default_rng(3)
    keys = np.unique(generator.integers(1, 2**63, 5000, dtype=np.uint64) * np.uint64(2) + np.uint64(1))
    known = Vocabulary(keys[::2])
    columns = known.columns(keys)
    assert (columns[::2] == np.arange(len(keys[::2]))).all() and (columns[1::2] == -1).all()


def test_the_vocabulary_finds_keys_that_begin_alike() -> None:
    keys = np.arange(10, 40, dtype=np.uint64)
    found = Vocabulary(keys).columns(np.arange(0, 50, dtype=np.uint64))
    assert found.tolist() == [-1] * 10 + list(range(30)) + [-1] * 10


def test_an_empty_vocabulary_knows_nothing() -> None:
    empty = Vocabulary(np.zeros(0, np.uint64))
    assert empty.columns(np.array([0, 1, 2**63], np.uint64)).tolist() == [-1, -1, -1]
    assert empty.design(np.ones((3, 4), np.uint64)).shape == (4, 0)


def test_features_that_occur_too_seldom_are_not_known() -> None:
    keys = np.array([[5, 5, 7, 0, 0, 9]], np.uint64)
    assert Vocabulary.of(keys, 2).keys.tolist() == [5]
    assert Vocabulary.of(keys, 1).keys.tolist() == [5, 7, 9]


def test_the_design_counts_the_known_features_of_each_slot() -> None:
    known = Vocabulary(np.array([5, 7], np.uint64))
    # Two templates, three slots: slot 0 has 5 and 7, slot 1 twice 7, slot 2 none that is known.
    matrix = known.design(np.array([[5, 7, 0], [7, 7, 8]], np.uint64)).toarray()
    assert matrix.tolist() == [[1, 1], [0, 2], [0, 0]]


def test_shares_are_means_over_the_known_characters() -> None:
    known = CharacterShares(np.array(sorted(map(ord, "书本子")), np.uint32))
    order = sorted("书本子")
    shares = known.shares(slot_characters(frame(one("有", "", "书本𠮷子", "x")))).toarray()[0].reshape(len(GROUPS), 3)
    # Three of the noun's four characters are known, the last one is 子; before the gap there is none; behind it again.
    assert np.allclose(shares[0], 1 / 3)
    assert dict(zip(order, shares[1].tolist(), strict=True)) == {"书": 0, "本": 0, "子": 1}
    assert not shares[2].any() and np.allclose(shares[3], 1 / 3)
