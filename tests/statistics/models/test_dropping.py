"""Likelihood-ratio tests of terms against lme4 on the same rows (tests/oracles/mixed.R)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.comparison import drop_terms
from hengliang.statistics.models.mixed import fit_mixed
from tests.statistics.models.oracle_mixed import cases, fitted


@pytest.mark.parametrize("name", [name for name, case in cases().items() if case["drops"]])
def test_each_term_is_tested_as_in_lme4(name: str) -> None:
    results = drop_terms(fitted(name))
    expected = {drop["term"]: drop for drop in cases()[name]["drops"]}
    assert set(results) == set(expected)
    for term, result in results.items():
        assert result.statistic == pytest.approx(expected[term]["statistic"], rel=1e-4, abs=2e-6)
        assert result.df == (expected[term]["df"],)
        assert result.p == pytest.approx(expected[term]["p"], rel=1e-3)
        assert result.n == fitted(name).model.n


def test_a_main_effect_stays_with_its_interaction() -> None:
    assert set(drop_terms(fitted("crossed interaction"))) == {"length", "system:modifier"}


def test_the_sentence_names_the_term_and_the_conventions_the_estimation() -> None:
    result = drop_terms(fitted("sleepstudy slopes"))["Days"]
    assert result.sentence().en.startswith("'Days' improves the model")
    assert "“Days”" in result.sentence().zh
    assert result.conventions["estimation"] == "ML"


def test_a_model_of_the_intercept_alone_has_nothing_to_drop() -> None:
    with pytest.raises(UserError, match="no fixed term"):
        drop_terms(fitted("Penicillin crossed"))


def test_names_with_spaces_are_dropped_by_their_source() -> None:
    rng = np.random.default_rng(8)
    data = pl.DataFrame({"得分": rng.normal(size=60), "句 长": rng.normal(size=60), "g": np.arange(60) % 6})
    (result,) = drop_terms(fit_mixed("得分 ~ `句 长` + (1 | g)", data)).values()
    assert "`句 长` - `句 长`" in str(result.conventions["smaller"])
