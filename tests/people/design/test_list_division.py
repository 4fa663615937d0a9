"""Are items divided evenly among lists, with clusters whole or nobody seeing two variants?"""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest

from hengliang import UserError
from hengliang.experiments import stimuli_frame, versions_frame
from hengliang.people.design.list_division import LISTS, Lists, divide, neighbours, numbers_of_variants
from tests.people.design.made_lists import SYSTEMS, stimuli


def items_of(shown: pl.DataFrame) -> dict[str, str]:
    return dict(shown.select("about", "item").iter_rows())


def test_clusters_stay_whole_and_lists_are_alike() -> None:
    shown = stimuli([1] * 13 + [2] * 9 + [3] * 5 + [4] * 2)
    lists = divide(shown, 4, seed=3)
    assert sorted(about for held in lists for about in held) == sorted(shown["about"])
    where = {about: number for number, held in enumerate(lists) for about in held}
    assert all(len({where[about] for about in held}) == 1 for held in shown.group_by("item").agg("about")["about"])
    # 13 + 18 + 15 + 8 = 54 rows
    assert sorted(map(len, lists)) == [13, 13, 14, 14]


def test_the_same_seed_gives_the_same_lists_whatever_the_order_of_rows() -> None:
    shown = stimuli([1, 2, 3, 4] * 5)
    turned = shown.sample(fraction=1, shuffle=True, seed=1)
    for lists in LISTS:
        assert divide(shown, 4, 7, lists) == divide(turned, 4, 7, lists)
        assert divide(shown, 4, 7, lists) != divide(shown, 4, 8, lists)


def test_samples_are_even_over_lists() -> None:
    strata = {str(number): "random" if number < 12 else "infrequent" for number in range(24)}
    lists = divide(stimuli([2] * 24), 4, strata=strata)
    # 12 items of two variants each in four lists: 6 rows.
    held = [Counter(strata[about.split("-")[0]] for about in shown) for shown in lists]
    assert held == [{"random": 6, "infrequent": 6}] * 4


def test_agreements_are_spread_over_lists() -> None:
    # Twelve items on which A and B agree against C, twelve on which A and C agree: three of each kind in each list.
    rows = [
        {"about": f"{item}-{name}", "item": str(item), "text": f"{item}-{name}", "spans": [], "systems": list(name)}
        for item in range(24)
        for name in (("AB", "C") if item % 2 else ("AC", "B"))
    ]
    for seed in range(20):
        for shown in divide(stimuli_frame(rows), 4, seed):
            assert Counter(about.split("-")[1] for about in shown) == {"AB": 3, "C": 3, "AC": 3, "B": 3}


def test_a_latin_square_shows_an_item_once_and_every_system_in_turn() -> None:
    shown = stimuli([1, 2, 3, 4] * 4)
    lists = divide(shown, 4, lists="latin")
    items = items_of(shown)
    assert all(sorted(items[about] for about in held) == sorted(map(str, range(16))) for held in lists)
    # A choice of k systems is shown in k of the four lists.
    times = Counter(about for held in lists for about in held)
    assert all(times[about] == len(systems) for about, systems in shown.select("about", "systems").iter_rows())
    # Each list has four items of each number of variants; those of four have each system once.
    systems = dict(shown.select("about", "systems").iter_rows())
    four = [Counter(systems[about][0] for about in held if int(items[about]) % 4 == 3) for held in lists]
    assert four == [dict.fromkeys(SYSTEMS, 1)] * 4


def test_twice_as_many_lists_of_a_latin_square_are_half_as_long() -> None:
    shown = stimuli([4] * 10)
    lists = divide(shown, 8, lists="latin")
    assert [len(held) for held in lists] == [5] * 8
    assert Counter(about for held in lists for about in held) == dict.fromkeys(shown["about"], 1)
    assert all(len({about.split("-")[0] for about in held}) == 5 for held in lists)


def test_a_latin_square_of_variants_that_nobody_is_named_for() -> None:
    shown = stimuli([3] * 6).with_columns(systems=pl.lit([], pl.List(pl.String)))
    lists = divide(shown, 3, lists="latin")
    assert [len(held) for held in lists] == [6] * 3
    assert Counter(about for held in lists for about in held) == dict.fromkeys(shown["about"], 1)


def test_a_system_without_answers_leaves_sizes_within_one() -> None:
    shown = stimuli([4] * 9).filter(~pl.col("about").is_in([f"{item}-3" for item in range(6)]))
    for seed in range(10):
        sizes = [len(held) for held in divide(shown, 4, seed, "latin")]
        # 9 · 4 − 6 = 30 rows over four lists
        assert sorted(sizes) == [7, 7, 8, 8]


def broken(shown: pl.DataFrame, lists: list[list[str]], latin: bool) -> bool:
    """Return whether lists break what they promise, by counting."""
    items = items_of(shown)
    seen = Counter(about for held in lists for about in held)
    wanted = {about: len(systems) if latin else 1 for about, systems in shown.select("about", "systems").iter_rows()}
    places = sum(len({items[about] for about in held}) for held in lists)
    # Whole clusters: each item counts in one list. Latin: each row of a list is of another item.
    whole = places == (sum(map(len, lists)) if latin else len(set(items.values())))
    return seen != wanted or not whole or max(map(len, lists)) - min(map(len, lists)) > 1


def test_a_thousand_seeds_and_awkward_sizes() -> None:
    drawn = random.Random(9)
    done = 0
    refused: list[UserError] = []
    while done < 1000:
        among = drawn.choice(((1, 1, 2, 3, 4), (1, 4), (2, 3), (3, 4), (4,)))
        sizes = [drawn.choice(among) for _ in range(drawn.randint(1, 45))]
        shown = stimuli(sizes)
        lists: Lists = drawn.choice(("clusters", "clusters", "latin"))
        most = min(7, len(sizes))
        groups = drawn.randint(1, most) if lists == "clusters" else 4 * drawn.randint(1, min(2, len(sizes)))
        try:
            for seed in range(25):
                assert not broken(shown, divide(shown, groups, seed, lists), lists == "latin")
                done += 1
        except UserError as error:
            # That there is no division then is shown in test_list_counts.py by trying all.
            refused.append(error)
    assert done == 1000
    assert 5 < len(refused) < 100 and all("are not possible" in error.problem for error in refused)


def test_numbers_of_variants_and_neighbours() -> None:
    shown = stimuli([1, 2, 3])
    assert numbers_of_variants(list(shown["about"]), items_of(shown)) == {1: 1, 2: 1, 3: 1}
    seen = {"1": ("2-0", "2-1", "0-0", "2-2"), "2": ("1-0", "1-1")}
    versions = versions_frame(
        {"version": version, "position": position, "about": about}
        for version, held in seen.items()
        for position, about in enumerate(held, 1)
    )
    # 2-1 follows 2-0, 1-1 follows 1-0; 1-0 is the first of its list.
    assert neighbours(versions, shown) == 2


@pytest.mark.parametrize("systems", [["A"], []])
def test_a_latin_square_has_one_text_of_each_system(systems: list[str]) -> None:
    named = {"0-0": ["A"], "0-1": systems, "1-0": ["A"], "1-1": ["B"]}
    rows = [{"about": about, "item": about[0], "text": about, "systems": held} for about, held in named.items()]
    with pytest.raises(UserError, match="The item '0' has a text without a system, or two texts of one system"):
        divide(stimuli_frame(rows), 2, 1, "latin")
    assert sorted(divide(stimuli_frame(rows), 1, 1)[0]) == sorted(named)


def test_bad_input() -> None:
    shown = stimuli([1, 2])
    with pytest.raises(UserError, match="3 versions are wanted of 2 sentences"):
        divide(shown, 3)
    with pytest.raises(UserError, match="0 versions"):
        divide(shown, 0)
    with pytest.raises(UserError, match="No kind of list is called 'apart'"):
        divide(shown, 1, lists="apart")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"Latin square of 4 systems cannot have 3 versions\. .* 4, 8, 12"):
        divide(stimuli([4, 4]), 3, lists="latin")
    with pytest.raises(UserError, match="12 versions are wanted of 2 sentences and 4 systems"):
        divide(stimuli([4, 4]), 12, lists="latin")
