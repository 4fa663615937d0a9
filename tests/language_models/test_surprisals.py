"""Are the words of a sentence the rows, and are units that cross them never given to one side?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models.opening import sentence_surprisals
from tests.language_models.small_models import Bytes, CharacterPairs, SmallBigrams

BIGRAMS = {"bigrams": SmallBigrams()}
PAIRS = {"pairs": CharacterPairs()}


def test_given_words_are_the_rows() -> None:
    view = sentence_surprisals(BIGRAMS, "他 买 了 米 。")
    assert view.rows == ("他", "买", "了", "米", "。")
    assert (view.division, view.crossing) == ("words", ())
    (model,) = view.models
    # P(他 | <s>) = (2 + 1) / (3 + 10); 米 is unknown, P = 1 / (3 + 10) after 了.
    assert model.surprisals[0] == pytest.approx(-math.log(3 / 13))
    assert model.surprisals[3] == pytest.approx(math.log(13))
    assert model.unknown == (False, False, False, True, False)
    # P(</s> | 。) = (3 + 1) / (3 + 10).
    assert model.end == pytest.approx(-math.log(4 / 13))
    assert model.total == pytest.approx(sum(model.surprisals) + model.end)
    assert model.perplexity.per("word") == pytest.approx(math.exp(model.total / 6))


def test_raw_text_is_cut_by_the_segmenter() -> None:
    assert sentence_surprisals(BIGRAMS, "他买了书。").rows == ("他", "买", "了", "书", "。")


def test_words_show_without_their_spaces() -> None:
    view = sentence_surprisals(BIGRAMS, "hello world")
    assert view.content == "hello world"
    assert view.rows == ("hello", "world")
    assert view.spans == ((0, 5), (5, 11))


def test_units_within_words_are_summed() -> None:
    # Two words of four characters are two units each, of one nat a unit.
    view = sentence_surprisals(PAIRS, "中文分词 人工智能")
    assert view.division == "words"
    assert view.models[0].surprisals == (2.0, 2.0)
    assert math.isnan(view.models[0].end)


def test_one_model_whose_units_cross_words_is_shown_by_its_units() -> None:
    view = sentence_surprisals(PAIRS, "他 买 了")
    assert (view.division, view.crossing) == ("units", ("pairs",))
    assert view.rows == ("他买", "了")
    assert view.models[0].surprisals == (1.0, 1.0)


def test_several_models_share_the_words_that_a_unit_joins() -> None:
    view = sentence_surprisals({**BIGRAMS, **PAIRS}, "他 买 了 书 。")
    assert (view.division, view.rows) == ("joined words", ("他买", "了书", "。"))
    bigrams, pairs = view.models
    alone = sentence_surprisals(BIGRAMS, "他 买 了 书 。").models[0]
    assert bigrams.surprisals[0] == pytest.approx(alone.surprisals[0] + alone.surprisals[1])
    assert pairs.surprisals == (1.0, 1.0, 1.0)


def test_units_within_a_character_are_shown_as_whole_characters() -> None:
    # Three characters are nine bytes, in units 0–2, 2–4, 4–6, 6–8, 8–9: the edge at 6 alone lies between characters.
    view = sentence_surprisals({"bytes": Bytes()}, "他 买 了")
    assert (view.division, view.rows) == ("units", ("他买", "了"))
    assert view.models[0].surprisals == (3.0, 2.0)


def test_a_sentence_that_a_model_cannot_score_has_a_problem_and_no_zeros() -> None:
    view = sentence_surprisals({**BIGRAMS, **PAIRS}, "他 x")
    bigrams, pairs = view.models
    assert view.rows == ("他", "x")
    assert pairs.problem == "there is an x in it"
    assert all(math.isnan(value) for value in (*pairs.surprisals, pairs.total, pairs.end))
    assert bigrams.problem == ""


def test_an_empty_sentence_is_refused() -> None:
    with pytest.raises(UserError, match="The sentence is empty"):
        sentence_surprisals(BIGRAMS, " \n")


@given(words=st.lists(st.text("他她买来了书车米。ab", min_size=1, max_size=4), min_size=2, max_size=8))
def test_rows_cover_the_sentence_and_sum_to_the_total(words: list[str]) -> None:
    view = sentence_surprisals({**BIGRAMS, **PAIRS}, " ".join(words))
    edges = [start for start, _ in view.spans] + [view.spans[-1][1]]
    assert edges == sorted(set(edges))
    assert (edges[0], edges[-1]) == (0, len(view.content.encode()))
    for model in view.models:
        end = 0.0 if math.isnan(model.end) else model.end
        assert sum(model.surprisals) + end == pytest.approx(model.total)
