"""Is a simulated experiment tested as a real one would be?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import wilcoxon

from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.power.estimation import ordinal_design, p_values
from hengliang.statistics.power.plan import simulate_ratings
from tests.statistics.power.made_plans import PLAN

RATINGS = simulate_ratings(PLAN, 8, 12, np.random.default_rng(6))


def test_the_model_is_that_of_the_formula() -> None:
    fit = fit_ordinal("rating ~ system + (1 | rater) + (1 | item)", RATINGS)
    found = p_values(PLAN, RATINGS)[0]
    assert found == pytest.approx(fit.coefficient("system[model]").p, rel=1e-6)


def test_the_design_is_that_of_the_formula() -> None:
    ours = ordinal_design(PLAN, RATINGS)
    theirs = design("rating ~ system + (1 | rater) + (1 | item)", RATINGS)
    assert np.array_equal(ours.fixed[:, 0], theirs.fixed[:, theirs.fixed_names.index("system[model]")])
    for mine, other in zip(ours.random, theirs.random, strict=True):
        assert (mine.group, mine.levels) == (other.group, other.levels)
        assert np.array_equal(mine.codes, other.codes)


def test_pairs_are_those_of_rater_and_item() -> None:
    plan = replace(PLAN, test="wilcoxon")
    wide = RATINGS.pivot(on="system", index=["rater", "item"], values="rating")
    expected = wilcoxon(wide["model"], wide["corpus"], method="asymptotic").pvalue
    assert p_values(plan, RATINGS)[0] == pytest.approx(expected, rel=1e-9)
    assert 0 <= (p_values(replace(PLAN, test="sign"), RATINGS)[0] or 0) <= 1


def test_an_experiment_that_cannot_be_tested_has_no_p() -> None:
    flat = RATINGS.with_columns(pl.lit(3).alias("rating"))
    assert p_values(PLAN, flat) == [None]
    assert p_values(replace(PLAN, test="wilcoxon"), flat) == [None]


def test_an_effect_that_parts_the_answers_is_found() -> None:
    # Every rating of the model lies above every one of the corpus: no finite estimate, and Wald's p is 1.
    apart = RATINGS.with_columns(pl.when(pl.col("system") == "model").then(pl.col("rating") + 4).otherwise("rating"))
    fit = fit_ordinal("rating ~ system + (1 | rater) + (1 | item)", apart)
    assert fit.model.warnings and not fit.coefficient("system[model]").p < 0.9
    assert (p_values(PLAN, apart)[0] or 1) < 1e-10
