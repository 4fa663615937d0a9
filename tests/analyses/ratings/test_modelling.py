"""Is the model of the battery the one that a user would fit?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang.analyses.ratings.comparisons import unique_ratings
from hengliang.analyses.ratings.modelling import model_parts
from hengliang.analyses.ratings.parts import Questions
from hengliang.statistics import fit_ordinal
from tests.analyses.ratings.made_ratings import made_ratings, table_of

FRAME = made_ratings(items=12, raters=6)


def test_the_model_is_that_of_fit_ordinal(tmp_path: Path) -> None:
    (part,) = model_parts(table_of(tmp_path, FRAME), Questions(reference="RULE"), None)
    fit = part.fits["fluency"]
    assert fit.formula == "fluency ~ system + (1 | item) + (1 | rater)"
    frame = FRAME.with_columns(pl.col("system").cast(pl.Enum(["RULE", "CORPUS", "LSTM", "BERT"])))
    expected = fit_ordinal("fluency ~ system + (1 | rater) + (1 | item)", frame)
    assert fit.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-6)
    assert [held.name for held in fit.coefficients] == ["system[CORPUS]", "system[LSTM]", "system[BERT]"]
    # CORPUS was drawn 0.9 above RULE with noise of scale 0.7, 0.9 / 0.7 = 1.3 on the scale of log-odds.
    corpus = fit.coefficient("system[CORPUS]")
    assert corpus.low < 0.9 / 0.7 + 0.8 and corpus.high > 0.9 / 0.7 - 0.3 and corpus.p < 0.001


def test_unique_ratings_are_fitted_with_shares_and_copies_stand_beside(tmp_path: Path) -> None:
    frame = made_ratings(items=40, raters=4, shared=True)
    ratings = table_of(tmp_path, frame, response="response")
    unique, copied = model_parts(ratings, Questions(), unique_ratings(ratings))
    assert unique.fits["fluency"].n == frame.unique(["item", "rater", "response"]).height
    assert copied.fits["fluency"].n == frame.height
    assert unique.fits["fluency"].formula == (
        "fluency ~ share_RULE + share_LSTM + share_BERT + (1 | item) + (1 | rater)"
    )
    assert "paper's way" in copied.title.en and "论文的做法" in copied.title.zh
    # Copies feign more data than there are.
    assert copied.fits["fluency"].coefficients[0].error < unique.fits["fluency"].coefficients[0].error


def test_there_is_no_model_without_pairs_or_steps(tmp_path: Path) -> None:
    assert not list(model_parts(table_of(tmp_path, FRAME, pair=()), Questions(), None))
    halves = FRAME.with_columns((pl.col("fluency") - 0.5).clip(1, 7).alias("fluency"))
    assert not list(model_parts(table_of(tmp_path, halves), Questions(), None))


def test_systems_that_always_answered_alike_cannot_be_told_apart_and_that_is_said(tmp_path: Path) -> None:
    frame = made_ratings(items=12, raters=4, shared=True).filter(pl.col("system").is_in(["CORPUS", "RULE"]))
    twin = frame.filter(pl.col("system") == "RULE").with_columns(pl.lit("TWIN").alias("system"))
    ratings = table_of(tmp_path, pl.concat([frame, twin]), response="response")
    unique, copied = model_parts(ratings, Questions(), unique_ratings(ratings))
    assert not unique.fits and "share_TWIN" in unique.sentences[0].en
    assert copied.fits


def test_the_model_says_that_it_has_intercepts_only_where_levels_vary_within(tmp_path: Path) -> None:
    (within,) = model_parts(table_of(tmp_path, FRAME), Questions(), None)
    (caution,) = within.sentences
    assert "random intercepts only" in caution.en and "between 'item' and 'rater'" in caution.en
    assert "随机截距" in caution.zh and "hengliang fit" in caution.zh
    # Items and raters of one system each: no effect can vary within them.
    own = FRAME.with_columns(pl.concat_str(name, "system").alias(name) for name in ("item", "rater"))
    (between,) = model_parts(table_of(tmp_path, own, levels=("RULE", "BERT")), Questions(), None)
    assert between.fits["fluency"].formula == "fluency ~ system + (1 | item) + (1 | rater)"
    assert not between.sentences


def test_names_with_spaces_are_quoted(tmp_path: Path) -> None:
    frame = FRAME.rename({"fluency": "how fluent"})
    (part,) = model_parts(table_of(tmp_path, frame, "how fluent"), Questions(), None)
    assert part.fits["how fluent"].formula.startswith("`how fluent` ~ system")
