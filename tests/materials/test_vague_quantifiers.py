"""Vague quantifiers: the shape of their fitted meanings, and what follows from any."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.vague_quantifiers import (
    COUNT_WORDS,
    TRUE_FROM,
    Borders,
    FittedMeaning,
    borders,
    can_be_said,
    fitted_meanings,
    is_vaguely_true,
    meaning_at,
    membership,
)
from tests.quantifiers_in_words import at_size

WORDS = sorted(fitted_meanings())
words = st.sampled_from(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_a_meaning_is_a_count_or_share_with_a_spread_at_growing_sizes(word: str) -> None:
    rows = fitted_meanings()[word]
    assert all(one.size < other.size for one, other in itertools.pairwise(rows))
    faults = [
        one
        for one in rows
        if not (0 < one.mean / (one.size if word in COUNT_WORDS else 1) < 1 and one.spread > 0 and one.uses >= 0)
    ]
    assert faults == []


def test_the_file_says_which_words_are_counts() -> None:
    text = resources.files("hengliang.materials").joinpath("vague_quantifiers.json").read_text("utf-8")
    assert tuple(json.loads(text)["counts"]) == COUNT_WORDS
    assert set(COUNT_WORDS) < set(WORDS)


def test_every_word_is_fitted_for_the_sizes_of_the_corpus() -> None:
    assert {word: [one.size for one in rows] for word, rows in fitted_meanings().items()} == {
        word: [4, 9, 20] for word in WORDS
    }


def test_words_are_in_the_order_that_their_names_promise() -> None:
    # Whatever the fit: a couple are fewer than several; almost all are more than half, and more than many.
    means = {word: meaning_at(fitted_meanings()[word], 20)[0] for word in WORDS}
    assert means["a couple"] < means["a few"] < means["several"] < 10
    assert means["few"] < means["several"]
    assert abs(means["about half"] - 0.5) < 0.1
    assert means["about half"] < means["many"] < means["almost all"]


THREE = (FittedMeaning(4, 0.2, 0.1, 5), FittedMeaning(16, 0.4, 0.3, 5), FittedMeaning(64, 0.4, 0.1, 5))


@pytest.mark.parametrize(
    ("size", "mean", "spread"),
    [
        (1, 0.2, 0.1),  # below the smallest: kept
        (4, 0.2, 0.1),
        (8, 0.3, 0.2),  # log 8 is halfway between log 4 and log 16
        (16, 0.4, 0.3),
        (32, 0.4, 0.2),  # halfway again
        (400, 0.4, 0.1),
    ],
)
def test_between_sizes_meanings_are_interpolated_along_the_logarithm(size: int, mean: float, spread: float) -> None:
    assert meaning_at(THREE, size) == pytest.approx((mean, spread))


@given(words, st.integers(1, 400))
def test_interpolation_agrees_with_the_one_by_hand(word: str, size: int) -> None:
    assert meaning_at(fitted_meanings()[word], size) == pytest.approx(at_size(word, size))


@given(words, st.integers(1, 400), st.booleans(), st.data())
def test_membership_is_half_at_the_borders_and_one_on_the_open_side(
    word: str, size: int, conveyed: bool, data: st.DataObject
) -> None:
    x = data.draw(st.integers(1, size))
    y = data.draw(st.integers(0, x))
    value = y if word in COUNT_WORDS else y / x
    held = borders(word, size, conveyed=conveyed)
    found = float(membership(word, x, y, size, conveyed=conveyed))
    border = held.low if value < held.mean else held.high
    # ½ to the power of the square of the way from the mean to the border; no way at all where there is no border.
    way = (value - held.mean) / max(abs(border - held.mean), 1e-6)
    assert found == pytest.approx(0.5 ** min(way**2, 2000), abs=1e-12)
    true = bool(is_vaguely_true(word, x, y, size, conveyed=conveyed))
    assert true == (held.low <= value <= held.high)
    assert found >= TRUE_FROM - 1e-9 if true else found <= TRUE_FROM + 1e-9
    if math.isinf(border):
        assert found == 1


@given(words, st.integers(1, 400))
def test_borders_are_where_the_bell_is_at_half_unless_they_are_set(word: str, size: int) -> None:
    mean, spread = at_size(word, size)
    held, alone = borders(word, size), borders(word, size, conveyed=False)
    reach = spread * math.sqrt(2 * math.log(2))
    upper = {"many": math.inf, "almost all": math.inf, "about half": mean + reach, "few": max(mean + reach, 1)}
    lower = {"few": -math.inf, "a couple": 2, **dict.fromkeys(("a few", "several"), min(max(mean - reach, 2), 3))}
    assert held.high == pytest.approx(upper.get(word, max(mean + reach, 3)))
    assert held.low == pytest.approx(lower.get(word, mean - reach))
    assert (alone.low, alone.high) == (held.low, math.inf if word in {"a few", "a couple", "several"} else held.high)
    assert held.low <= held.mean <= held.high


def test_fits_by_hand() -> None:
    # From the mean 3 it is 1 to the lower border and 2 to the upper: half at 2 and 5, and a sixteenth at twice the way.
    fits = np.exp(Borders(2, 3, 5).log_fits(np.array([1.0, 2.0, 3.0, 5.0, 7.0])))
    assert fits == pytest.approx([1 / 16, 1 / 2, 1, 1 / 2, 1 / 16])
    assert np.exp(Borders(2, 3, math.inf).log_fits(np.array([2.0, 4.0, 400.0]))) == pytest.approx([1 / 2, 1, 1])


def test_of_which_numbers_words_can_be_said() -> None:
    def said(word: str) -> list[int]:
        return [y for y in range(8) if can_be_said(word, 7, y)]

    # Of seven: not of all, of several but for *few* and *about half*, and few are a minority.
    assert (said("a few"), said("about half"), said("few")) == ([2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [1, 2, 3])


@given(words, st.integers(1, 400), st.booleans())
def test_the_numbers_of_which_a_word_is_true_have_no_gap(word: str, size: int, conveyed: bool) -> None:
    y = np.arange(size + 1)
    true = np.flatnonzero(is_vaguely_true(word, np.full(size + 1, size), y, size, conveyed=conveyed))
    assert true.tolist() == (list(range(true[0], true[-1] + 1)) if true.size else [])


@pytest.mark.parametrize("word", WORDS)
def test_a_share_of_nothing_fits_no_word_and_warns_nobody(word: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert membership(word, np.array([0, 4]), np.array([0, 2]), 4)[0] == 0
        assert not is_vaguely_true(word, 0, 0, 4)


@pytest.mark.parametrize("word", WORDS)
def test_arrays_are_judged_as_single_numbers_are(word: str) -> None:
    pairs = [(x, y) for x in range(10) for y in range(x + 1)]
    x, y = (np.array(column, np.int16) for column in zip(*pairs, strict=True))
    assert membership(word, x, y, 9).tolist() == [float(membership(word, a, b, 9)) for a, b in pairs]
