"""Are tokens that share bytes one unit, and is the end symbol the last one, of no width?"""

from __future__ import annotations

import numpy as np
import pytest

from hengliang.language_models.huggingface.tokens import NO_NUMBER, Tokens, units_of

# Three tokens, of which the first stands for no byte and joins the second: two units of three bytes.
TOKENS = Tokens(np.array([7, 5, 6]), np.array([0, 0, 1]), np.array([0, 3]), np.array([3, 6]))
LOGPROBS = np.array([-1.0, -2.0, -4.0])
UNIGRAMS = -np.arange(10.0)


def test_the_tokens_of_a_unit_are_summed() -> None:
    scores = units_of(TOKENS, TOKENS.ids, LOGPROBS, UNIGRAMS, unknown=6)
    assert scores.logprobs.tolist() == [-3.0, -4.0]
    assert scores.unigram_logprobs.tolist() == [-12.0, -6.0]
    assert (scores.starts.tolist(), scores.ends.tolist()) == ([0, 3], [3, 6])
    assert scores.unknown.tolist() == [False, True]


def test_the_end_symbol_is_a_last_unit_of_no_width() -> None:
    scores = units_of(TOKENS, np.array([7, 5, 6, 2]), np.append(LOGPROBS, -0.5), None, unknown=-1)
    assert scores.logprobs.tolist() == [-3.0, -4.0, -0.5]
    assert (scores.starts[-1], scores.ends[-1]) == (6, 6)
    assert np.isnan(scores.unigram_logprobs).all()


@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_what_is_no_number_is_a_problem(wrong: float) -> None:
    scores = units_of(TOKENS, TOKENS.ids, np.array([-1.0, wrong, -4.0]), None, unknown=-1)
    assert scores.problems == (NO_NUMBER,)
    assert scores.counts.tolist() == [0]


def test_an_unreadable_text_keeps_its_problem() -> None:
    none = np.zeros(0, np.int64)
    scores = units_of(Tokens(none, none, none, none, "a character is lost"), none, np.zeros(0), None, unknown=-1)
    assert scores.problems == ("a character is lost",)
