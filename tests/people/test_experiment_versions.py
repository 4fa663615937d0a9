"""Are items divided evenly among versions, and does none follow a variant of its sentence?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.errors import UserError
from hengliang.experiments import stimuli_frame
from hengliang.people.experiment_versions import divide, neighbours

SYSTEMS = ("CORPUS", "GE", "RULE", "BERT")


def stimuli(sizes: list[int]) -> pl.DataFrame:
    """Return sentences with so many variants; the first variant has all systems that are not alone."""
    rows = []
    for number, size in enumerate(sizes):
        for variant in range(size):
            givers = list(SYSTEMS[: 5 - size]) if variant == 0 else [SYSTEMS[4 - size + variant]]
            about = f"{number}-{variant}"
            rows.append({"about": about, "item": str(number), "text": about, "spans": [], "systems": givers})
    return stimuli_frame(rows)


def members(versions: pl.DataFrame, shown: pl.DataFrame) -> dict[str, list[str]]:
    held = versions.join(shown, on="about").sort("version", "position")
    return dict(held.group_by("version", maintain_order=True).agg("item").iter_rows())


@given(st.lists(st.integers(1, 4), min_size=1, max_size=40), st.integers(1, 6), st.integers(0, 99))
def test_sentences_stay_together_and_kinds_are_even(sizes: list[int], groups: int, seed: int) -> None:
    shown = stimuli(sizes)
    groups = min(groups, len(sizes))
    versions = divide(shown, groups, seed)
    assert sorted(versions["about"].to_list()) == sorted(shown["about"].to_list())
    held = members(versions, shown)
    of_item = {item: version for version, items in held.items() for item in items}
    for kind in range(1, 5):
        counts = Counter(of_item[str(number)] for number, size in enumerate(sizes) if size == kind)
        even = [counts[str(version)] for version in range(1, groups + 1)]
        assert max(even) - min(even) <= 1
    for version, items in held.items():
        assert all(of_item[item] == version for item in items)
    assert versions["position"].min() == 1
    # An order without neighbours exists unless one sentence has more than half of the items, rounded up.
    for items in held.values():
        most = Counter(items).most_common(1)[0][1]
        followed = sum(one == other for one, other in pairwise(items))
        assert followed == max(0, most - (len(items) - most) - 1)
    assert neighbours(versions, shown) == sum(one == other for items in held.values() for one, other in pairwise(items))


@pytest.mark.parametrize("sizes", [[1], [2, 1], [2, 2], [3, 2], [3, 1], [4, 3], [4, 1, 1], [2, 2, 2], [1, 1, 4, 1]])
def test_the_fewest_neighbours_by_full_enumeration(sizes: list[int]) -> None:
    items = [number for number, size in enumerate(sizes) for _ in range(size)]
    best = min(sum(one == other for one, other in pairwise(order)) for order in permutations(items))
    shown = stimuli(sizes)
    assert {neighbours(divide(shown, 1, seed), shown) for seed in range(20)} == {best}


def test_the_same_seed_gives_the_same_versions_whatever_the_order_of_rows() -> None:
    shown = stimuli([1, 2, 3, 4] * 5)
    versions = divide(shown, 4, seed=7)
    turned = divide(shown.sample(fraction=1, shuffle=True, seed=1), 4, seed=7)
    assert versions.rows() == turned.rows()
    assert versions.rows() != divide(shown, 4, seed=8).rows()


def test_samples_are_even_over_versions() -> None:
    shown = stimuli([2] * 24)
    strata = {str(number): "random" if number < 12 else "infrequent" for number in range(24)}
    held = members(divide(shown, 4, strata=strata), shown)
    assert [Counter(strata[item] for item in items) for items in held.values()] == [{"random": 6, "infrequent": 6}] * 4


def test_a_latin_square_shows_a_sentence_once_and_every_system_in_turn() -> None:
    shown = stimuli([1, 2, 3, 4] * 4)
    versions = divide(shown, 4, lists="latin")
    assert all(sorted(items) == sorted(map(str, range(16))) for items in members(versions, shown).values())
    # A choice of k systems is shown in k of the four versions.
    times = Counter(versions["about"].to_list())
    assert all(times[about] == len(systems) for about, systems in shown.select("about", "systems").iter_rows())
    assert neighbours(versions, shown) == 0
    with pytest.raises(UserError, match=r"Latin square of 4 systems cannot have 3 versions\. .* 4, 8, 12"):
        divide(shown, 3, lists="latin")


def test_bad_input() -> None:
    shown = stimuli([1, 2])
    with pytest.raises(UserError, match="3 versions are wanted of 2 sentences"):
        divide(shown, 3)
    with pytest.raises(UserError, match="0 versions"):
        divide(shown, 0)
    with pytest.raises(UserError, match="No kind of list is called 'random'"):
        divide(shown, 1, lists="random")  # type: ignore[arg-type]
