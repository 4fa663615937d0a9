from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.errors import (
    CANDIDATE_SCHEMA,
    INSTANCE_SCHEMA,
    PAIR_SCHEMA,
    candidates,
    common_words,
    error_instances,
    mining_summary,
    pair_counts,
)
from tests.tagging.tagged_answers import answers, sentences

FIVE = ("A", "B", "C", "D", "E")


def errors(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Return instances from (system, pair, word)."""
    return pl.DataFrame(
        [
            {
                "item": f"s{number}",
                "system": system,
                "pair": pair,
                "direction": "same",
                "start": 0,
                "end": 3,
                "word": word,
                "gold": f"{word}/{pair.partition(':')[0]}",
                "predicted": f"{word}/{pair.partition(':')[2]}",
            }
            for number, (system, pair, word) in enumerate(rows)
        ],
        schema=INSTANCE_SCHEMA,
    )


# v:n is made by three of five, a:d by two, n:v by one and often.
SOME = errors(
    ("A", "v:n", "跑"), ("B", "v:n", "跑"), ("C", "v:n", "跳"), ("A", "a:d", "好"), ("E", "a:d", "白"),
    ("D", "n:v", "学"), ("D", "n:v", "学"), ("D", "n:v", "画"), ("D", "n:v", "锁"),
)  # fmt: skip


def test_three_of_five_make_a_candidate() -> None:
    found = candidates(SOME, FIVE)
    assert dict(found.schema) == CANDIDATE_SCHEMA
    assert found.select("pair", "systems", "instances", "words", "kept").rows() == [
        ("v:n", 3, 3, 2, True),
        ("a:d", 2, 2, 2, False),
        ("n:v", 1, 4, 3, False),
    ]
    assert found["counts"][0].to_list() == [
        {"system": "A", "instances": 1},
        {"system": "B", "instances": 1},
        {"system": "C", "instances": 1},
    ]


@pytest.mark.parametrize(
    ("share", "least", "kept"),
    [
        (0.51, 3, {"v:n"}),
        (0.6, 3, set()),  # three of five are not more than 60 %
        (0.0, 1, {"v:n", "a:d", "n:v"}),  # whatever anybody makes: the disjunction
        (0.3, 2, {"v:n", "a:d"}),
        (0.0, 4, set()),
    ],
)
def test_share_and_least_number_must_both_be_met(share: float, least: int, kept: set[str]) -> None:
    assert set(candidates(SOME, FIVE, share, least).filter("kept")["pair"]) == kept


def test_a_tagger_may_be_asked_to_make_an_error_more_often() -> None:
    found = candidates(SOME, FIVE, share=0, least=1, times=2)
    assert found.select("pair", "systems", "instances", "kept").rows() == [
        ("n:v", 1, 4, True),
        ("v:n", 0, 3, False),
        ("a:d", 0, 2, False),
    ]
    with pytest.raises(UserError, match="0 times"):
        candidates(SOME, FIVE, times=0)


def test_only_the_named_taggers_vote() -> None:
    found = candidates(SOME, ("A", "E"), least=2)
    assert found.select("pair", "systems", "kept").rows() == [("a:d", 2, True), ("v:n", 1, False)]


def test_counts_by_tagger() -> None:
    found = pair_counts(SOME)
    assert dict(found.schema) == PAIR_SCHEMA
    assert found.rows()[0] == ("a:d", "same", "A", 1, 1)
    assert found.filter(pl.col("system") == "D").rows() == [("n:v", "same", "D", 4, 3)]


def test_the_summary_is_that_of_the_paper() -> None:
    """Section 2.1.2 gives instances and 2.1.3 kinds of error by tagger, 2.1.4 the candidates."""
    found = candidates(SOME, FIVE)
    summary = mining_summary(SOME, found, FIVE)
    assert summary.by_system.rows() == [("A", 2, 2, 1), ("B", 1, 1, 1), ("C", 1, 1, 1), ("D", 4, 1, 0), ("E", 1, 1, 0)]
    assert (summary.instances, summary.pairs, summary.candidates, summary.about_words) == (9, 3, 1, 0)


def test_from_sentences_to_candidates() -> None:
    items = sentences({"one": "他/r 就/p 此/r 走/v", "two": "我/r 跑/v"})
    joined = {"one": "他/r 就此/d 走/v", "two": "我/r 跑/v"}
    right = {"one": "他/r 就/p 此/r 走/v", "two": "我/r 跑/n"}
    instances = error_instances(items, answers({"A": joined, "B": joined, "C": joined, "D": right}))
    found = candidates(instances, ("A", "B", "C", "D"))
    assert found.select("pair", "direction", "systems", "kept").rows() == [
        ("p+r:d", "coarser", 3, True),
        ("v:n", "same", 1, False),
    ]
    assert mining_summary(instances, found, ("A", "B", "C", "D")).about_words == 1


def test_nothing_found_is_a_table_too() -> None:
    found = candidates(SOME.clear(), FIVE)
    assert (dict(found.schema), found.height) == (CANDIDATE_SCHEMA, 0)
    assert mining_summary(SOME.clear(), found, FIVE).by_system["instances"].to_list() == [0] * 5


rows = st.lists(
    st.tuples(st.sampled_from(FIVE), st.sampled_from(["v:n", "n:v", "a:d"]), st.sampled_from("甲乙")), max_size=20
)


@given(rows, st.floats(0, 0.99), st.integers(1, 5))
def test_candidates_follow_from_the_definition_in_any_order(
    found: list[tuple[str, str, str]], share: float, least: int
) -> None:
    table = candidates(errors(*found), FIVE, share, least)
    counts = Counter((pair, system) for system, pair, _ in found)
    makers = Counter(pair for pair, _ in counts)
    expected = {pair for pair, number in makers.items() if number >= least and number > share * 5}
    assert set(table.filter("kept")["pair"]) == expected
    assert dict(table.select("pair", "systems").rows()) == dict(makers)
    assert table["instances"].sum() == len(found)
    for row in table.iter_rows(named=True):
        assert {entry["system"]: entry["instances"] for entry in row["counts"]} == {
            system: number for (pair, system), number in counts.items() if pair == row["pair"]
        }
    assert candidates(errors(*found[::-1]), FIVE, share, least).equals(table)


@pytest.mark.parametrize(
    ("systems", "share", "least", "said"),
    [
        ((), 0.51, 3, "No tagger votes"),
        (FIVE, 1.0, 3, "The share 1.0"),
        (FIVE, -0.1, 3, "The share -0.1"),
        (FIVE, 0.51, 0, "At least 0 of 5"),
        (("A", "B"), 0.51, 3, "At least 3 of 2 taggers"),
    ],
)
def test_an_impossible_vote_is_refused(systems: tuple[str, ...], share: float, least: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        candidates(SOME, systems, share, least)


def test_another_table_is_refused() -> None:
    with pytest.raises(UserError, match="no column 'pair'"):
        pair_counts(SOME.drop("pair"))


def chosen_words(found: pl.DataFrame) -> set[tuple[str, str]]:
    return set(found.select("pair", "word").rows())


def test_words_that_several_taggers_miss() -> None:
    # 跑 has two votes for v:n; all other words have one.
    assert chosen_words(common_words(SOME, votes=2)) == {("v:n", "跑")}
    assert common_words(SOME).equals(SOME)


def test_of_many_words_those_with_most_votes_then_most_errors() -> None:
    # Of v:n 跑 has two votes; of n:v 学 is missed twice; of a:d both have one vote and one error, so 好 < 白 decides.
    assert chosen_words(common_words(SOME, most=1)) == {("v:n", "跑"), ("n:v", "学"), ("a:d", min("好", "白"))}


@pytest.mark.parametrize(("votes", "most"), [(0, None), (1, 0)])
def test_no_votes_or_words_are_refused(votes: int, most: int | None) -> None:
    with pytest.raises(UserError, match="1 or more"):
        common_words(SOME, votes, most)
