"""Are curves averaged over seeds, and does the fit find the power law that made them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from hengliang import Tables, UserError
from hengliang.analyses.learning_curve import (
    FitStatistic,
    fit_power_law,
    learning_curve,
    learning_curve_fit,
    size_name,
    size_trait,
)
from hengliang.core import estimate_records, responses_frame, with_response_ids
from tests.analyses.answers import answer, judge
from tests.analysis.slot_answers import Use, slot_items

SIZES = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])


def curve_tables(right: Mapping[tuple[str, int, int], Sequence[bool | None]], trait: str = "training_slots") -> Tables:
    """Return a run in which the system of a (family, size, seed) was right on these items."""
    n_items = len(next(iter(right.values())))
    items = slot_items([Use("书", "本", block=n % 5) for n in range(n_items)])
    rows, systems = [], []
    for (family, size, seed), judged in right.items():
        systems.append({"name": f"{family} {size}", "seed": seed, "family": family, trait: size})
        labels = [None if one is None else "本" if one else "个" for one in judged]
        rows += [answer(f"i{n:03}", f"{family} {size}", label, seed) for n, label in enumerate(labels)]
    frame = with_response_ids(responses_frame(rows, "label"), "label")
    return judge(Tables(items, pl.DataFrame(systems), {"label": frame}, pl.DataFrame()))


def test_seeds_are_averaged_by_hand() -> None:
    held = curve_tables(
        {
            ("L", 10, 1): [True, True, False, False],
            ("L", 10, 2): [True, False, False, None],
            ("L", 20, 1): [True, True, True, None],
        }
    )
    found = {row.by["size"]: row for row in estimate_records(learning_curve().estimate(held))}
    # Size 10: items (1 + 1)/2, (1 + 0)/2, 0, and 0 from the one seed that answered: 1.5 / 4.
    assert found["10"].value == pytest.approx(1.5 / 4)
    assert (found["20"].value, found["20"].n, found["20"].n_missing) == (1.0, 3, 1)
    assert "2 seeds" in found["10"].method


def test_sizes_that_differ_between_seeds_make_one_point() -> None:
    held = curve_tables({("L", 10, 1): [True] * 4, ("L", 20, 1): [True] * 4})
    systems = pl.concat(
        [held.systems, pl.DataFrame([{"name": "L 10", "seed": 2, "family": "L", "training_slots": 12}])]
    )
    second = [answer(f"i{n:03}", "L 10", "个", 2) for n in range(4)]
    frame = pl.concat([held.responses["label"], with_response_ids(responses_frame(second, "label"), "label")])
    held = judge(Tables(held.items, systems, {"label": frame}, held.judgements))
    found = {row.by["size"]: row.value for row in estimate_records(learning_curve().estimate(held))}
    assert found == {"11": 0.5, "20": 1.0}


def test_systems_without_a_size_are_left_out_and_a_run_without_sizes_is_refused() -> None:
    held = curve_tables({("L", 10, 1): [True] * 4})
    bare = Tables(held.items, held.systems.select("name", "seed"), held.responses, held.judgements)
    for analysis in (learning_curve(), learning_curve_fit()):
        with pytest.raises(UserError, match="training_slots"):
            analysis.estimate(bare)
    none = held.systems.with_columns(training_slots=pl.lit(None, dtype=pl.Int64))
    with pytest.raises(UserError, match="how many examples"):
        learning_curve().estimate(Tables(held.items, none, held.responses, held.judgements))


def test_a_share_serves_as_size() -> None:
    held = curve_tables({("L", 1, 1): [True] * 4}, trait="share")
    assert size_trait(held.systems) == "share"
    assert [row.by["size"] for row in estimate_records(learning_curve().estimate(held))] == ["100%"]
    assert (size_name(0.25), size_name(12_780.0)) == ("25%", "12,780")


# --- the fit --------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.floats(0.02, 0.5), st.floats(0.05, 0.45), st.floats(0.1, 2.0))
def test_an_exact_power_law_is_found_again(floor: float, scale: float, exponent: float) -> None:
    errors = floor + scale * (SIZES / 100) ** -exponent
    law = fit_power_law(SIZES, errors[None, :])
    assert law.error(1.0)[0] == pytest.approx(errors[-1], abs=1e-4)
    assert law.error(2.0)[0] == pytest.approx(floor + scale * 32**-exponent, abs=1e-3)
    assert law.exponent[0] == pytest.approx(exponent, rel=0.02)


def _law(size: np.ndarray, floor: float, scale: float, exponent: float) -> np.ndarray:
    return np.asarray(floor + scale * (size / 1600) ** -exponent)


@settings(max_examples=40)
@given(st.lists(st.floats(-0.03, 0.03), min_size=5, max_size=5))
def test_no_fit_of_scipy_is_better(noise: list[float]) -> None:
    errors = _law(SIZES, 0.2, 0.2, 0.5) + np.array(noise)
    law = fit_power_law(SIZES, errors[None, :])
    ours = ((law.floor[0] + law.scale[0] * (SIZES / 1600) ** -law.exponent[0] - errors) ** 2).sum()
    try:
        best, _ = curve_fit(_law, SIZES, errors, p0=[0.2, 0.2, 0.5], bounds=([0, 0, 0.01], [1, 5, 4]), maxfev=5000)
    except RuntimeError:  # theirs did not converge
        return
    assert ours <= ((_law(SIZES, *best) - errors) ** 2).sum() + 1e-7


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=4, max_size=6))
def test_whatever_the_errors_the_curve_stays_in_its_bounds(errors: list[float]) -> None:
    law = fit_power_law(SIZES[: len(errors)] if len(errors) <= 5 else np.arange(1.0, 7.0), np.array([errors]))
    assert law.floor[0] >= 0 and law.scale[0] >= 0 and 0.01 - 1e-12 <= law.exponent[0] <= 4 + 1e-12
    assert law.error(2.0)[0] <= law.error(1.0)[0] + 1e-12


def test_a_growing_error_gives_a_flat_line() -> None:
    law = fit_power_law(SIZES, np.array([[0.1, 0.2, 0.3, 0.4, 0.5]]))
    assert (law.scale[0], law.floor[0]) == (0.0, pytest.approx(0.3))


def test_rows_are_fitted_alone_or_together_alike() -> None:
    errors = np.random.default_rng(3).uniform(0.1, 0.6, (700, 5))
    together = fit_power_law(SIZES, errors)
    assert np.allclose(together.error(2.0)[5], fit_power_law(SIZES, errors[5:6]).error(2.0)[0])
    totals = np.column_stack([np.ones(700), 1 - errors])
    assert np.allclose(FitStatistic(SIZES)(totals)[:, 1], 1 - together.error(2.0))


def test_the_fit_of_a_run_and_its_words() -> None:
    # 64 items, of which 32, 40, 46, 50 are right: errors .5, .375, .28125, .21875.
    right = {
        ("L", size, 1): [n < number for n in range(64)] for size, number in ((100, 32), (200, 40), (400, 46), (800, 50))
    }
    analysis = learning_curve_fit(draws=200)
    concluded = analysis.conclude(curve_tables(right))
    found = {row.statistic: row for row in estimate_records(concluded.estimates)}
    assert found["gain"].value == pytest.approx((found["doubled"].value or 0) - (found["largest"].value or 0))
    assert 0.78 < (found["largest"].value or 0) < (found["doubled"].value or 0) < (found["limit"].value or 0) <= 1
    assert (found["gain"].low or 0) <= (found["gain"].value or 0) <= (found["gain"].high or 0)
    assert len(concluded.sentences) == 1 and "twice the data" in concluded.sentences[0].en


def test_three_sizes_are_too_few() -> None:
    right = {("L", size, 1): [True, False] * 4 for size in (100, 200, 400)}
    found = list(estimate_records(learning_curve_fit().estimate(curve_tables(right))))
    assert {row.value for row in found} == {None}
    assert "too few" in found[0].method


def test_they_keep_the_promises_of_an_analysis() -> None:
    for analysis in (learning_curve(), learning_curve_fit()):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
