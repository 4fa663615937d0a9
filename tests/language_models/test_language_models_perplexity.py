"""Is perplexity what a hand calculation in fractions gives?"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import ScoredUnit
from hengliang.language_models import Texts, raw_texts, read_texts
from hengliang.language_models import concat as concat_texts
from hengliang.language_models.perplexity import Perplexity, perplexity
from hengliang.language_models.scores import concat, scores_of
from tests.language_models.tiny_language_models import Bigrams, Masked, Subwords, UniformCharacters


def test_bigrams_by_hand() -> None:
    # p(他|<s>) = (2+1)/(3+9) = 1/4    p(终于|他) = (1+1)/(2+9) = 2/11    p(走|终于) = (1+1)/(1+9) = 1/5
    # p(</s>|走) = (0+1)/(2+9) = 1/11: 走 was followed by 了 both times
    chances = [Fraction(1, 4), Fraction(2, 11), Fraction(1, 5), Fraction(1, 11)]
    product = Fraction(1, 4) * Fraction(2, 11) * Fraction(1, 5) * Fraction(1, 11)
    texts = read_texts(["他 终于 走"])
    scores = Bigrams().score(texts)
    np.testing.assert_allclose(scores.logprobs, [log(chance) for chance in chances], rtol=1e-14)
    result = perplexity(scores, texts)
    assert (result.words, result.characters, result.units, result.ends, result.unknown) == (3, 4, 4, 1, 0)
    # three words and the end; four characters and the end
    assert result.per("word") == pytest.approx(float(1 / product) ** (1 / 4), rel=1e-12)
    assert result.per("unit") == pytest.approx(result.per("word"), rel=1e-12)
    assert result.per("character") == pytest.approx(float(1 / product) ** (1 / 5), rel=1e-12)


def test_a_uniform_model_has_the_perplexity_of_its_vocabulary() -> None:
    # 他走了。终于医生好 are nine characters, and there are the unknown one and the end
    texts = raw_texts(["他走了", "龘", ""])
    result = perplexity(UniformCharacters().score(texts), texts)
    assert result.per("character") == pytest.approx(11, rel=1e-12)
    assert result.per("unit") == pytest.approx(11, rel=1e-12)
    assert isnan(result.per("word"))
    assert (result.texts, result.characters, result.ends, result.unknown) == (3, 4, 3, 1)
    assert result.unknown_share == 1 / 4


def test_a_model_without_ends_counts_none() -> None:
    texts = read_texts(["他 走"])
    scores = Masked().score(texts)
    result = perplexity(scores, texts)
    assert result.ends == 0
    assert result.per("word") == pytest.approx(exp(-scores.logprobs.sum() / 2), rel=1e-12)


def test_views_differ_only_in_what_is_counted() -> None:
    # 他 终 于 by pieces: 他 and ##终于, and the end
    texts = read_texts(["他 终 于"])
    result = perplexity(Subwords().score(texts), texts)
    assert (result.words, result.units, result.characters) == (3, 3, 3)
    assert result.per("unit") == pytest.approx(exp(-result.logprob / 3), rel=1e-12)
    assert result.per("word") == pytest.approx(exp(-result.logprob / 4), rel=1e-12)


def test_texts_without_a_score_are_counted_and_left_out() -> None:
    texts = read_texts(["他 走", "好 人 啊"])
    scores = scores_of([[ScoredUnit(0, 3, -1.0, None), ScoredUnit(3, 6, -3.0, None)], "too hard"])
    result = perplexity(scores, texts)
    assert (result.texts, result.unscored, result.words, result.characters) == (1, 1, 2, 2)
    assert result.per("word") == pytest.approx(exp(4 / 2), rel=1e-15)


def test_words_are_counted_only_where_all_scored_texts_have_them() -> None:
    scores = scores_of([[ScoredUnit(0, 6, -1.0, None)], [ScoredUnit(0, 3, -1.0, None)]])
    mixed = perplexity(scores, read_texts(["他 走", "好"]))
    assert mixed.words == 0
    assert isnan(mixed.per("word"))
    # The text without words was not scored, so that it takes nothing away.
    unscored = replace(scores.take([0, 1]), problems=("", "too hard")).take([0])
    refused = perplexity(concat([unscored, scores_of(["too hard"])]), read_texts(["他 走", "好"]))
    assert refused.words == 2


def test_nothing_has_no_perplexity() -> None:
    nothing = perplexity(scores_of([]), raw_texts([]))
    assert isnan(nothing.per("unit"))
    assert isnan(nothing.per("character"))
    assert isnan(nothing.unknown_share)
    # An empty text has an end with a probability, but not a unit whose perplexity could be told.
    empty = perplexity(scores_of([[ScoredUnit(0, 0, -2.0, None)]]), raw_texts([""]))
    assert (empty.ends, empty.logprob) == (1, -2.0)
    assert isnan(empty.per("character"))


def test_an_impossible_unit_makes_the_perplexity_infinite() -> None:
    scores = scores_of([[ScoredUnit(0, 3, -np.inf, None)], [ScoredUnit(0, 3, -1.0, None)]])
    assert perplexity(scores, raw_texts(["他", "走"])).per("character") == np.inf


LINES = ["他 走", "医生 好 。", "龘 终于", "走 了", "", "好"]


def perplexity_of(lines: list[str]) -> tuple[Perplexity, Texts]:
    texts = read_texts(lines)
    return perplexity(Bigrams().score(texts), texts), texts


@given(st.lists(st.lists(st.sampled_from(LINES), max_size=4), max_size=4))
def test_perplexities_of_batches_add_up(batches: list[list[str]]) -> None:
    parts = [perplexity_of(lines) for lines in batches]
    whole = concat_texts([texts for _, texts in parts])
    expected = perplexity(Bigrams().score(whole), whole)
    added = sum((part for part, _ in parts), perplexity(scores_of([]), raw_texts([])))
    assert added.logprob == pytest.approx(expected.logprob, rel=1e-12)
    assert replace(added, logprob=0.0) == replace(expected, logprob=0.0)


def test_an_empty_line_takes_nothing_away_from_the_words() -> None:
    result, _ = perplexity_of(["他 走", ""])
    assert (result.words, result.ends) == (2, 2)
    assert result.per("word") == pytest.approx(exp(-result.logprob / 4), rel=1e-12)


def test_adding_texts_without_words_makes_words_unknown() -> None:
    with_words, _ = perplexity_of(["他 走"])
    without, _ = perplexity_of(["好"])
    assert (with_words.words, without.words) == (2, 0)
    assert (with_words + without).words == 0
    assert isnan((with_words + without).per("word"))
    assert (with_words + without).characters == 3
