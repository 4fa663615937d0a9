"""Is the ratio of odds ratios that of the counts, and is a cell without failures told?"""

from __future__ import annotations

import math

import polars as pl
import pytest

from hengliang import Bilingual
from hengliang.analyses import observations
from hengliang.grammar.models import TOGETHER, Interaction, fitted_interaction, interaction_formula
from tests.grammar.structured_suites import FRAMES, MODIFIERS, SEEDS, USUAL, Right, structured_run

LONGEST = MODIFIERS[2:]


def rows_of(right: Right) -> pl.DataFrame:
    run = structured_run(right)
    rows = observations(run, "prediction", columns=["modifier", "frame", "structured", "architecture"])
    kinds = {"lstm": "recurrent", "rnng": "recurrent", "transformer": "transformer", "plm": "transformer"}
    return rows.with_columns(
        pl.col("modifier").cast(pl.Enum(MODIFIERS)),
        parameterisation=pl.col("architecture").replace_strict(kinds),
    )


RECURRENT = {name: USUAL[name] for name in ("LSTM", "RNNG")}


def by_hand(place: int, right: Right = RECURRENT) -> tuple[float, float]:
    """Return log ratio and its standard error from the eight counts, the textbook way (Woolf 1955)."""
    log, variance = 0.0, 0.0
    for system, sign in (("RNNG", 1), ("LSTM", -1)):
        for at, other in ((place, 1), (0, -1)):
            good = FRAMES * right[system][at]
            bad = FRAMES * (SEEDS - right[system][at])
            log += sign * other * math.log(good / bad)
            variance += 1 / good + 1 / bad
    return log, math.sqrt(variance)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_ratio_is_that_of_the_counts(place: int) -> None:
    found = fitted_interaction(rows_of(RECURRENT), MODIFIERS, LONGEST, several=False)
    ratio = found.ratios[MODIFIERS[place]]
    log, error = by_hand(place)
    assert math.log(ratio.value) == pytest.approx(log, abs=1e-3)
    assert math.log(ratio.high / ratio.low) / 2 == pytest.approx(1.959964 * error, rel=2e-3)
    assert found.n == 2 * SEEDS * FRAMES * len(MODIFIERS)


def test_the_longest_together_are_the_mean_of_both_on_the_scale_of_logits() -> None:
    found = fitted_interaction(rows_of(RECURRENT), MODIFIERS, LONGEST, several=False)
    expected = (by_hand(2)[0] + by_hand(3)[0]) / 2
    assert math.log(found.ratios[TOGETHER].value) == pytest.approx(expected, abs=1e-3)
    assert TOGETHER not in fitted_interaction(rows_of(RECURRENT), MODIFIERS, (), several=False).ratios


def test_statsmodels_finds_the_same_without_random_effects() -> None:
    """Both kinds of network together; a plain logistic regression, for neither items nor trainings differ here."""
    formula = pytest.importorskip("statsmodels.formula.api")
    families = pytest.importorskip("statsmodels.api").families
    rows = rows_of(USUAL)
    data = {name: rows[name].cast(pl.String).to_list() for name in ("modifier", "parameterisation")}
    data |= {"value": rows["value"].to_list(), "structured": rows["structured"].cast(pl.Int64).to_list()}
    text = "value ~ (structured + C(parameterisation)) * C(modifier, Treatment('none'))"
    frame = pytest.importorskip("pandas").DataFrame(data)
    other = formula.glm(text, frame, family=families.Binomial()).fit()
    found = fitted_interaction(rows, MODIFIERS, LONGEST, several=True)
    for modifier in MODIFIERS[1:]:
        name = f"structured:C(modifier, Treatment('none'))[T.{modifier}]"
        assert math.log(found.ratios[modifier].value) == pytest.approx(other.params[name], abs=1e-3)
        assert found.ratios[modifier].p == pytest.approx(other.pvalues[name], abs=1e-3)


def test_a_cell_without_failures_leaves_its_ratios_out() -> None:
    """An LSTM that is always right without a modifier has no finite odds there, so that nothing can be compared."""
    found = fitted_interaction(
        rows_of({"LSTM": (4, 3, 2, 1), "RNNG": USUAL["RNNG"]}), MODIFIERS, LONGEST, several=False
    )
    assert found.ratios == {}
    assert set(found.reasons) == {*MODIFIERS[1:], TOGETHER}
    assert "all 32 answers with structured = false, modifier = none are 1" in found.reasons[TOGETHER].en
    only = fitted_interaction(rows_of({"LSTM": (3, 4, 2, 1), "RNNG": USUAL["RNNG"]}), MODIFIERS, LONGEST, several=False)
    assert set(only.reasons) == {"subject relative"}
    assert TOGETHER in only.ratios


def test_what_cannot_be_fitted_says_why() -> None:
    found = fitted_interaction(rows_of(RECURRENT).head(0), MODIFIERS, LONGEST, several=False)
    assert found.ratios == {} and found.reason
    told = list(found.told(Bilingual("recurrent", "循环网络")))
    assert told[0].en.startswith("recurrent: no model (")


def test_warnings_name_their_network() -> None:
    warned = Interaction("f", 1, reasons={"none": Bilingual("why", "何故")}, warnings=(Bilingual("hot", "热"),))
    told = [one.en for one in warned.told(Bilingual("recurrent", "循环网络"))]
    assert told == ["recurrent, none: why.", "Warning for recurrent: hot"]
    assert "parameterisation" in interaction_formula("frame", several=True)
    assert "parameterisation" not in interaction_formula("frame", several=False)


def test_random_terms_without_variance_are_told_in_one_line() -> None:
    found = fitted_interaction(rows_of(RECURRENT), MODIFIERS, LONGEST, several=False)
    assert found.without_variance == ("frame", "frame:modifier", "model:seed", "model:seed:modifier")
    (told,) = [one.en for one in found.told(Bilingual("recurrent", "循环网络")) if "variance" in one.en]
    assert told.startswith("recurrent: no variance was found between the levels of frame")
    assert not any("Singular" in one.en for one in found.warnings)
