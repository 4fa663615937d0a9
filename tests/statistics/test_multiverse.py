"""Are all conventions run, and those found under which the conclusion changes?"""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from hengliang import Bilingual, UserError
from hengliang.statistics.conventions import Convention, multiverse, with_sensitivity
from hengliang.statistics.results import TestResult

CONVENTIONS = (
    Convention({"zeros": "drop"}, ("R",)),
    Convention({"zeros": "split"}),
    Convention({"zeros": "refuse"}, ("nobody",)),
)


def sign(above: int, zero: int, below: int, *, zeros: str = "drop", alpha: float = 0.05) -> TestResult:
    """Run a sign test whose p really depends on what is done with zeros."""
    if zeros == "refuse" and zero:
        raise UserError(f"{zero} differences are zero.")
    half = zero // 2 if zeros == "split" else 0
    p = float(binomtest(above + half, above + below + 2 * half).pvalue)
    return TestResult(
        test="sign",
        title=Bilingual("sign test", "符号检验"),
        symbol="",
        statistic=float(above + half),
        p=p,
        alternative="two-sided",
        n=above + below + 2 * half,
        significant=Bilingual("differs", "有差异"),
        otherwise=Bilingual("no difference found", "未发现差异"),
        alpha=alpha,
    )


# By hand: 9 of 10 above: p = 2 (C(10,9) + C(10,10)) / 2^10 = 22/1024 = .0215. Ten zeros split in halves give 14 of 20:
# p = .1153. So dropping zeros is significant at .05 and splitting them is not.
def test_conventions_that_flip_the_conclusion_are_attached() -> None:
    result = with_sensitivity(sign, CONVENTIONS, 9, 10, 1)
    assert result.p == pytest.approx(22 / 1024)
    assert [variant.settings for variant in result.variants] == [{"zeros": "split"}]
    assert result.variants[0].p == pytest.approx(0.1153, abs=5e-5)


def test_where_all_agree_nothing_is_attached() -> None:
    assert with_sensitivity(sign, CONVENTIONS, 19, 2, 1).variants == ()


def test_the_table_shows_every_convention_and_the_refused_are_kept_with_their_reason() -> None:
    found = multiverse(sign, CONVENTIONS, 9, 10, 1)
    assert found.table()["conclusion stays"].to_list() == [True, False]
    assert found.table()["users"].to_list() == ["R", ""]
    assert [(convention.users, reason) for convention, reason in found.refused] == [
        (("nobody",), "10 differences are zero.")
    ]
    assert found.sentence().en == "1 of 2 defensible conventions keeps the conclusion at α = 0.05."
    assert "2 种合理惯例中有 1 种" in found.sentence().zh


def test_what_was_chosen_is_kept_where_a_convention_says_nothing() -> None:
    found = multiverse(sign, CONVENTIONS, 9, 10, 1, chosen={"alpha": 0.2})
    assert found.chosen.alpha == 0.2
    assert found.deviating == ()
