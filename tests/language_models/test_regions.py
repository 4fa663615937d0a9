"""Are regions given exactly the units that belong to them?"""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import ScoredUnit
from hengliang.language_models import read_texts
from hengliang.language_models.regions import (
    CROSSED,
    Edges,
    Regions,
    region_scores,
    sentence_logprobs,
    sentence_unigram_logprobs,
    word_regions,
)
from hengliang.language_models.scores import Scores, scores_of
from tests.language_models.score_strategies import scores, scores_and_regions
from tests.language_models.tiny_language_models import Bigrams


def regions(*triples: tuple[int, int, int]) -> Regions:
    return Regions(*np.array(triples, np.int64).reshape(-1, 3).T)


def naive(found: Scores, row: int, start: int, end: int, edges: Edges) -> tuple[float, float, int, str]:
    """Return log-probability, unigram log-probability, number of units and problem of a region, unit by unit."""
    nan = float("nan")
    if found.problems[row]:
        return nan, nan, 0, found.problems[row]
    units = [unit for unit in found.units(row) if unit.start < unit.end]
    touching = [unit for unit in units if start < end and unit.start < end and unit.end > start]
    inside = [unit for unit in touching if unit.start >= start and unit.end <= end]
    if edges == "refuse" and len(inside) < len(touching):
        return nan, nan, 0, CROSSED
    counted = touching if edges == "include" else inside
    unigrams = [nan if unit.unigram_logprob is None else unit.unigram_logprob for unit in counted]
    return sum((unit.logprob for unit in counted), 0.0), sum(unigrams, 0.0), len(counted), ""


@given(scores_and_regions(), st.sampled_from(get_args(Edges)))
def test_regions_are_scored_as_unit_by_unit(drawn: tuple[Scores, Regions], edges: Edges) -> None:
    found, asked = drawn
    result = region_scores(found, asked, edges)
    triples = zip(asked.rows.tolist(), asked.starts.tolist(), asked.ends.tolist(), strict=True)
    expected = [naive(found, *triple, edges) for triple in triples]
    # The log-probabilities are quarters, so that no sum is rounded.
    np.testing.assert_array_equal(result.logprobs, [logprob for logprob, *_ in expected])
    np.testing.assert_array_equal(result.unigram_logprobs, [unigram for _, unigram, *_ in expected])
    assert result.units.tolist() == [units for *_, units, _ in expected]
    assert list(result.problems) == [problem for *_, problem in expected]
    np.testing.assert_array_equal(result.surprisals, -np.array([logprob for logprob, *_ in expected]))


# 他 | 终于 | 了 | end, of 3, 6 and 3 bytes
FOUND = scores_of(
    [
        [
            ScoredUnit(0, 3, -1.0, -2.0),
            ScoredUnit(3, 9, -4.0, None),
            ScoredUnit(9, 12, -0.5, -3.0),
            ScoredUnit(12, 12, -8.0, -8.0),
        ],
        "no model",
    ]
)


def test_a_region_is_the_sum_of_its_units_without_the_end() -> None:
    result = region_scores(FOUND, regions((0, 0, 12), (0, 3, 9), (0, 9, 12), (0, 12, 12), (1, 0, 3)))
    # −1 − 4 − 0.5; the end, −8, belongs to the sentence alone
    np.testing.assert_array_equal(result.surprisals, [5.5, 4.0, 0.5, 0.0, np.nan])
    assert result.units.tolist() == [3, 1, 1, 0, 0]
    assert result.problems == ("", "", "", "", "no model")
    # 终于 has no unigram log-probability, and a sum with an unknown part is unknown
    np.testing.assert_array_equal(result.unigram_logprobs, [np.nan, np.nan, -3.0, 0.0, np.nan])


def test_a_unit_across_an_edge_goes_by_the_policy() -> None:
    half = regions((0, 0, 6), (0, 6, 12), (0, 4, 5))
    assert region_scores(FOUND, half).problems == (CROSSED,) * 3
    np.testing.assert_array_equal(region_scores(FOUND, half).logprobs, [np.nan] * 3)
    # the unit that is crossed counts on both sides, also where the region lies within it
    np.testing.assert_array_equal(region_scores(FOUND, half, "include").logprobs, [-5.0, -4.5, -4.0])
    np.testing.assert_array_equal(region_scores(FOUND, half, "exclude").logprobs, [-1.0, -0.5, 0.0])


def test_surprisal_of_nothing_is_zero_and_not_minus_zero() -> None:
    nothing = region_scores(FOUND, regions((0, 3, 3))).surprisals
    assert nothing.tolist() == [0.0]
    assert not np.signbit(nothing).any()


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(UserError, match=r"'split'.*refuse, include, exclude"):
        region_scores(FOUND, regions((0, 0, 3)), "split")  # type: ignore[arg-type]


@given(scores())
@example(scores_of([]))
@example(scores_of(["no", "no"]))
@example(scores_of([[], [], [ScoredUnit(0, 0, -1.0, -1.0)], []]))
def test_sentences_are_summed_with_their_ends(found: Scores) -> None:
    rows = range(len(found))
    expected = [sum((unit.logprob for unit in found.units(row)), 0.0) for row in rows]
    np.testing.assert_array_equal(sentence_logprobs(found), np.where(found.scored, expected, np.nan))
    unigrams = [
        sum((np.nan if unit.unigram_logprob is None else unit.unigram_logprob for unit in found.units(row)), 0.0)
        for row in rows
    ]
    np.testing.assert_array_equal(sentence_unigram_logprobs(found), np.where(found.scored, unigrams, np.nan))


def test_words_are_regions_and_their_sum_with_the_end_is_the_sentence() -> None:
    texts = read_texts(["他 走 了 。", "好", "I am 医生"]).with_words("characters")
    found = Bigrams().score(texts)
    words = word_regions(texts)
    assert words.rows.tolist() == [0, 0, 0, 0, 1, 2, 2, 2]
    result = region_scores(found, words)
    assert result.units.tolist() == [1] * 8
    ends = found.logprobs[found.starts == found.ends]
    np.testing.assert_allclose(
        np.bincount(words.rows, result.logprobs) + ends, sentence_logprobs(found), rtol=0, atol=1e-12
    )
