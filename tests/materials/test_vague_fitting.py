"""Are the meanings of vague quantifiers fitted as stated, and usable whatever the uses?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.vague_fitting import (
    SET_BY_HAND,
    USE_SCHEMA,
    WORDS,
    conveyable,
    fit_meanings,
    held_out_fit,
    meanings_json,
    probabilities,
    said_of_a_part,
)
from hengliang.materials.vague_quantifiers import COUNT_WORDS, REACH, FittedMeaning, counts_or_shares, meaning_at

SIZES = (4, 9, 20)


def table(*uses: tuple[str, int, str, int, int]) -> pl.DataFrame:
    rows = [(word, size, subject, "", x, y) for word, size, subject, x, y in uses]
    return pl.DataFrame(rows, schema=USE_SCHEMA, orient="row")


@st.composite
def many_uses(draw: st.DrawFn) -> pl.DataFrame:
    held = []
    for _ in range(draw(st.integers(0, 30))):
        size = draw(st.sampled_from(SIZES))
        x = draw(st.integers(1, size))
        held.append((draw(st.sampled_from(WORDS)), size, draw(st.sampled_from("abcd")), x, draw(st.integers(1, x))))
    return table(*held)


def test_words() -> None:
    assert set(WORDS) == set(SET_BY_HAND) == {name for name, one in QUANTIFIERS.items() if one.vague}


def test_by_hand() -> None:
    uses = table(*[("many", 20, "a", 20, y) for y in (12, 14, 16, 18, 15)])
    held = fit_meanings(uses)["many"]
    # Five uses with the mean .75 and the variance .01, and five more by hand: .65 and .04.
    overall = (0.75 + 0.65) / 2
    variance = (0.01 + 0.04) / 2 + 0.05**2
    # At twenty: five uses with .75, and the word's .7 as five more. At four and nine there are no uses.
    assert [(one.mean, one.uses) for one in held] == [(overall, 0), (overall, 0), (pytest.approx(0.725), 5)]
    assert held[1].spread == pytest.approx(math.sqrt(variance), abs=2e-4)
    assert held[2].spread == pytest.approx(math.sqrt((0.01 + variance) / 2 + 0.025**2), abs=2e-4)


def test_counts_by_hand() -> None:
    uses = table(*[("a few", 20, "a", x, y) for x, y in ((20, 3), (10, 4), (20, 5), (8, 4), (20, 4))])
    held = fit_meanings(uses)["a few"]
    # However many there are: five uses with the mean 4, and five by hand with 3. At twenty 4 and 3.5 count alike; at
    # four a few are two or three.
    assert [(one.mean, one.uses) for one in held] == [(3, 0), (3.5, 0), (pytest.approx(3.75), 5)]


def test_many_uses_have_the_last_word() -> None:
    uses = table(*[("many", 20, str(place), 20, 10 + place % 2) for place in range(2000)])
    held = fit_meanings(uses)["many"][2]
    # Tens and elevens of twenty: mean .525, spread .025.
    assert (held.mean, held.spread) == pytest.approx((0.525, 0.025), abs=2e-3)


def test_uses_of_all_things_are_none() -> None:
    uses = table(("several", 20, "a", 20, 20), ("several", 20, "a", 20, 1), ("several", 20, "a", 20, 5))
    assert said_of_a_part(uses)["y"].to_list() == [5]
    assert fit_meanings(uses)["several"][2].uses == 1


def test_unused_words_keep_what_is_set_by_hand() -> None:
    held = fit_meanings(table())
    assert (held["about half"][2].mean, held["about half"][2].spread) == pytest.approx(
        SET_BY_HAND["about half"], abs=1e-3
    )


def test_what_can_be_said() -> None:
    assert conveyable("a few", 4) == [2, 3]
    assert conveyable("few", 4) == [1]
    assert conveyable("about half", 4) == [1, 2, 3]


@settings(max_examples=60)
@given(many_uses())
def test_some_number_is_called_so_at_every_size(uses: pl.DataFrame) -> None:
    faults = []
    for word, held in fit_meanings(uses).items():
        for size in SIZES:
            mean, spread = meaning_at(held, size)
            values = [float(counts_or_shares(word, size, count)) for count in conveyable(word, size)]
            true = [value for value in values if abs(value - mean) <= REACH * spread]
            if not true or not 0 < mean < (size if word in COUNT_WORDS else 1) or spread <= 0:
                faults.append((word, size, mean, spread))
    assert not faults


@settings(max_examples=40)
@given(many_uses())
def test_order_and_number_of_uses(uses: pl.DataFrame) -> None:
    held, other = fit_meanings(uses), fit_meanings(uses.reverse())
    assert held == other
    assert sum(one.uses for rows in held.values() for one in rows) == said_of_a_part(uses).height


@given(st.integers(1, 20), st.floats(0.05, 0.95), st.floats(0.02, 0.5))
def test_probabilities_add_up(x: int, mean: float, spread: float) -> None:
    held = probabilities("about half", (FittedMeaning(20, mean, spread, 1),), x, 20)
    assert (len(held), held.sum()) == (x, pytest.approx(1))
    nearest = min(range(1, x + 1), key=lambda count: abs(count / x - mean))
    assert held[nearest - 1] == pytest.approx(held.max())


def test_beyond_the_mean_all_numbers_are_as_likely_on_the_open_side() -> None:
    held = probabilities("many", (FittedMeaning(20, 0.5, 0.1, 1),), 20, 20)
    assert held[9:] == pytest.approx([held[9]] * 11)
    assert held[8] < held[9]


def test_held_out_fit_by_hand() -> None:
    uses = table(("many", 20, "a", 20, 14), ("many", 20, "b", 20, 14), ("many", 20, "c", 20, 2))
    fits = {one.word: one for one in held_out_fit(uses)}
    # Meanings fitted to 14 and 14 do not cover 2; those fitted to 14 and 2 cover 14.
    assert fits["many"].covered == pytest.approx(2 / 3)
    assert fits["many"].uses == 3
    # Many of twenty things can be two to nineteen: eighteen numbers.
    assert fits["many"].uniform == pytest.approx(-math.log(18))
    assert fits["all"].log_likelihood == fits["many"].log_likelihood


@settings(max_examples=10)
@given(many_uses())
def test_held_out_fit_is_finite(uses: pl.DataFrame) -> None:
    fits = held_out_fit(uses)
    assert sum(one.uses for one in fits if one.word != "all") == said_of_a_part(uses).height
    assert all(0 <= one.covered <= 1 and np.isfinite(one.log_likelihood) for one in fits)


def test_json() -> None:
    held = meanings_json(fit_meanings(table()), "nothing")
    assert (held["source"], set(held["meanings"]), held["counts"]) == ("nothing", set(WORDS), list(COUNT_WORDS))
    assert held["meanings"]["many"][0].keys() == {"size", "mean", "spread", "uses"}
