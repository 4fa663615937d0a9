"""Does power grow with the experiment, and do false positives keep to alpha?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy.stats import binom

from hengliang.core import Processes, places
from hengliang.statistics.power import estimation
from hengliang.statistics.power.estimation import PowerCell, PowerResult, estimate_power
from hengliang.statistics.power.plan import TEMPLATE, read_plan, simulate_ratings
from tests.killed import killed
from tests.statistics.power.made_plans import PLAN


def test_power_of_a_sign_test_follows_the_binomial_distribution() -> None:
    # Two answers, no spread: P(1) = .5 for the corpus, and with an effect of 2 log-odds P(2) = 1 / (1 + e^−2) = .8808
    # for the model. A pair of ratings differs upwards with .5 · .8808 = .4404 and downwards with .5 · .1192 = .0596.
    plan = replace(
        PLAN, shares=(0.5, 0.5), effects={"model": 2.0}, rater=0.0, item=0.0, test="sign", raters=(4,), items=(6,),
        simulations=400,
    )  # fmt: skip
    up, down, pairs = 0.4404, 0.0596, 24
    expected = 0.0
    for differing in range(pairs + 1):
        weight = binom.pmf(differing, pairs, up + down)
        share = up / (up + down)
        for above in range(differing + 1):
            p = min(1.0, 2 * binom.cdf(min(above, differing - above), differing, 0.5))
            expected += weight * binom.pmf(above, differing, share) * (p <= 0.05)
    cell = estimate_power(plan).cells[0]
    # The standard error of a share of 400 is at most .025.
    assert cell.power == pytest.approx(expected, abs=0.075)


@pytest.mark.untraced
def test_more_raters_and_items_have_more_power() -> None:
    result = estimate_power(replace(PLAN, raters=(6, 20), items=(8, 20), simulations=16))
    power = {(cell.raters, cell.items): cell.power for cell in result.cells}
    assert power[6, 8] < power[20, 20]
    assert power[20, 20] > 0.9
    best = result.enough("model")
    assert best is not None
    assert best.ratings == min(cell.ratings for cell in result.cells if cell.power >= 0.8)


def test_the_same_plan_gives_the_same_numbers_on_any_engine() -> None:
    plan = replace(PLAN, simulations=12, test="wilcoxon")
    assert estimate_power(plan).cells == estimate_power(plan, engine=Processes(2)).cells
    assert estimate_power(plan).cells != estimate_power(replace(plan, seed=2)).cells


def test_a_test_that_ignores_how_raters_and_items_differ_is_found_out() -> None:
    plan = replace(PLAN, test="wilcoxon", rater_by_system=1.5, item_by_system=1.5, simulations=60, items=(20,))
    result = estimate_power(plan)
    assert result.cells[0].false_positives > 0.2
    assert "not to be trusted" in result.sentence().en
    assert "不可信" in result.sentence().zh


def cell(found: int, false: int) -> PowerCell:
    return PowerCell(8, 12, 192.0, "model", -0.8, found, false, 100, 0)


def test_the_reason_for_false_positives_is_that_of_the_test() -> None:
    told = {
        test: PowerResult(replace(PLAN, test=test), (cell(90, 40),)).warnings()[0].en for test in ("ordinal", "sign")
    }
    assert "no random slopes" in told["ordinal"] and "for independent" not in told["ordinal"]
    assert "for independent" in told["sign"]


def test_sentences_name_what_is_enough_or_that_nothing_is() -> None:
    assert PowerResult(PLAN, (cell(85, 5),)).sentence().en == (
        "8 raters and 12 items (192 ratings) find model − corpus (−0.8) in 85% of the simulated experiments."
    )
    nothing = PowerResult(PLAN, (cell(79, 5),)).sentence()
    assert nothing.en == "No planned size finds model − corpus (−0.8) with power 0.8."
    assert "均不能" in nothing.zh


def test_the_table_and_the_estimates_hold_exact_intervals() -> None:
    result = PowerResult(PLAN, (cell(80, 5),))
    # Clopper–Pearson for 80 of 100: qbeta(.025, 80, 21) = .7082, qbeta(.975, 81, 20) = .8733
    row = result.table().row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx((0.7082, 0.8733), abs=5e-5)
    power, false = result.estimates("power")
    assert (power.value, power.n, false.value) == (0.8, 100, 0.05)
    assert power.by == {"raters": "8", "items": "12", "system": "model"}
    assert "power 0.800 [0.708, 0.873]" in str(result)


def test_a_size_named_twice_is_simulated_once() -> None:
    plan = replace(PLAN, test="sign", raters=(4, 4), simulations=5)
    assert estimate_power(plan).cells == estimate_power(replace(plan, raters=(4,))).cells


def test_items_on_which_all_systems_answer_alike_may_be_all() -> None:
    held = estimate_power(replace(PLAN, raters=(2,), items=(2,), identical=0.95, simulations=4)).cells[0]
    assert held.unfit == 8


# --- resuming -------------------------------------------------------------------------------------------------------


def drawn_experiments(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note the experiments that are drawn from now on: whether without any effect."""
    drawn: list[bool] = []
    simulate = simulate_ratings

    def noted(*arguments: Any, null: bool) -> pl.DataFrame:
        drawn.append(null)
        return simulate(*arguments, null=null)

    monkeypatch.setattr(estimation, "simulate_ratings", noted)
    return drawn


@pytest.mark.untraced
def test_a_killed_command_goes_on_to_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A test by a model takes some hundredths of a second an experiment, so that there is a midst to be killed in.
    text = TEMPLATE.replace("[8, 16, 32]", "[6, 8]").replace("[20, 40]", "8").replace("= 200", "= 22")
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    done = killed(["power", str(tmp_path / "plan.toml"), "-q"], places.cache() / "simulations", 2)
    drawn = drawn_experiments(monkeypatch)
    plan = read_plan(tmp_path / "plan.toml")
    again = estimate_power(plan)
    # Files are called by size, first experiment and the one after the last; each is drawn with the effect and without.
    kept = [stop - start for _, _, start, stop in (map(int, file.stem.split("-")) for file in done)]
    assert len(drawn) == 2 * (2 * 22 - sum(kept))
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "empty"))
    assert estimate_power(plan) == again


def test_more_simulations_or_sizes_go_on_from_those_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, test="sign", simulations=10)
    estimate_power(plan)
    drawn = drawn_experiments(monkeypatch)
    more = estimate_power(replace(plan, simulations=15, items=(12, 6), alpha=0.1))
    assert len(drawn) == 2 * (5 + 15)
    drawn.clear()
    estimate_power(replace(plan, seed=2))
    assert len(drawn) == 2 * 10
    monkeypatch.setenv("HENGLIANG_CACHE", str(places.cache() / "empty"))
    assert estimate_power(replace(plan, simulations=15, items=(12, 6), alpha=0.1)) == more
