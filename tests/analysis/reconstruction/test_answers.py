"""Are answers counted in swaps, missing ones counted apart, and contradictions refused?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.reconstruction.answers import Answer, reconstructions
from hengliang.materials.scenes import Scene

SCENE = Scene((2, 0, 1, 1))


def answer(counts: tuple[int, ...] | None, participant: str = "p1", **changed: object) -> Answer:
    held = {"pair": "1", "describer": "Human", "scene": SCENE, "participant": participant, "counts": counts}
    return Answer(**{**held, **changed})  # type: ignore[arg-type]


def test_the_worked_example_of_section_3_4() -> None:
    # BS 2, RS 1, BC 0, RC 1 answered as BS 2, RS 1, BC 1, RC 0: (0 + 0 + 1 + 1) / 2 = 1 swap, of 4 things 25 %.
    # The kinds are in the order of the domain: BS, BC, RS, RC. A kind is absent, so that all 4 could be swapped.
    row = reconstructions([answer((2, 1, 1, 0))]).frame.row(0, named=True)
    assert (row["swaps"], row["share"], row["share_of_maximum"], row["exact"]) == (1, 0.25, 0.25, 0)


def test_the_true_maximum_is_less_than_n_where_every_kind_is_there() -> None:
    # n = 8, the smallest count 2: at most 6 swaps. From (2, 2, 2, 2) to (5, 1, 1, 1) it takes 3.
    row = reconstructions([answer((5, 1, 1, 1), scene=Scene((2, 2, 2, 2)))]).frame.row(0, named=True)
    assert (row["share"], row["share_of_maximum"]) == (3 / 8, 3 / 6)


def test_missing_answers_are_counted_and_never_zero() -> None:
    held = reconstructions(
        [answer((2, 0, 1, 1)), answer(None, "p2", reason="did not understand"), answer(None, "p3", reason="withdrawn")]
    )
    assert held.frame["swaps"].to_list() == [0, None, None]
    assert held.given.height == 1
    assert held.reasons == {"did not understand": 1, "withdrawn": 1}
    assert "2 of 3 answers are missing" in held.notes[0].en and "never counted as zero" in held.notes[0].en
    assert "不计为零" in held.notes[0].zh


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"describer": "QDG-IA"}, "has the describer 'Human' in row 2 and 'QDG-IA' in row 3"),
        ({"scene": Scene((4, 0, 0, 0))}, "has the scene 'BS=2 RS=1 RC=1' in row 2 and 'BS=4' in row 3"),
        ({"experiment": "B"}, "has the experiment '' in row 2 and 'B' in row 3"),
        ({"participant": "p1"}, "'p1' answered the pair '1' twice: row 2 and row 3"),
    ],
)
def test_contradictions_are_named_with_their_places(second: dict[str, object], told: str) -> None:
    changed = {"participant": "p2", "where": "row 3", **second}
    with pytest.raises(UserError) as caught:
        reconstructions([answer((2, 0, 1, 1), where="row 2"), answer((2, 0, 1, 1), **changed)])  # type: ignore[arg-type]
    assert told in caught.value.problem


def test_the_plain_name_of_a_pair_is_kept_beside_its_own() -> None:
    frame = reconstructions([answer((2, 0, 1, 1)), answer((2, 0, 1, 1), pair="2 · R", plain_pair="2")]).frame
    assert frame.select("pair", "plain_pair").rows() == [("1", "1"), ("2 · R", "2")]


def test_nothing_but_missing_answers_is_refused() -> None:
    with pytest.raises(UserError, match="all are missing"):
        reconstructions([answer(None)], source="answers.csv")
    with pytest.raises(UserError, match="hold no answer"):
        reconstructions([], source="answers.csv")


def counts_of(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    cuts = st.lists(st.integers(0, size), min_size=3, max_size=3).map(sorted)
    return cuts.map(lambda cut: (cut[0], cut[1] - cut[0], cut[2] - cut[1], size - cut[2]))


@given(st.integers(1, 20).flatmap(lambda size: st.tuples(counts_of(size), counts_of(size))))
def test_swaps_lie_between_nothing_and_the_maximum(pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    scene, counts = pair
    row = reconstructions([answer(counts, scene=Scene(scene))]).frame.row(0, named=True)
    assert 0 <= row["share"] <= row["share_of_maximum"] <= 1
    assert (row["swaps"] == 0) == (scene == counts) == (row["exact"] == 1)
    # Each swap moves one thing: those that stay are the smaller count of every kind.
    assert row["swaps"] == sum(scene) - sum(map(min, scene, counts))


def test_the_checksum_does_not_depend_on_the_order() -> None:
    rows = [answer((2, 0, 1, 1)), answer((1, 1, 1, 1), "p2")]
    assert reconstructions(rows).checksum == reconstructions(rows[::-1]).checksum
    assert reconstructions(rows).checksum != reconstructions(rows[:1]).checksum
