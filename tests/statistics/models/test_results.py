"""Does a fitted model say everything?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from tests.statistics.models.made_fits import LARGER


def test_information_criteria() -> None:
    # AIC = 2 · 7 + 2 · 81.565413 = 177.130826; BIC = 7 ln 72 + 163.130826 = 29.936665 + 163.130826
    assert LARGER.aic == pytest.approx(177.130826)
    assert LARGER.bic == pytest.approx(193.067491, abs=1e-5)


def test_a_coefficient_is_found_by_name_or_the_names_are_listed() -> None:
    assert LARGER.coefficient("1|2").estimate == -1.6237
    with pytest.raises(UserError, match=r"no coefficient 'temp'. Coefficients: temp\[warm\], contact\[yes\], 1\|2"):
        LARGER.coefficient("temp")


def test_the_summary_holds_everything() -> None:
    summary = str(LARGER)
    for part in ("log-likelihood -81.5654", "72 observations (2 missing left out)", "groups: judge 9", "SD 1.1311"):
        assert part in summary
    for part in ("convention link: logit", "warning: Few judges.", "thresholds:", "p not defined"):
        assert part in summary


def test_sentences_in_both_languages_carry_the_warning() -> None:
    sentence = LARGER.sentence()
    assert "temp[warm]: b = 3.063, SE = 0.595, z = 5.14, p < .001, CI [1.896, 4.230]" in sentence.en
    assert "Warning: Few judges." in sentence.en
    assert "累积链接混合模型" in sentence.zh
    assert "警告：评委太少。" in sentence.zh


def test_estimates_name_the_term() -> None:
    rows = list(LARGER.estimates("fit", {"measure": "bitterness"}))
    kinds = ["coefficient", "coefficient", "threshold", "standard deviation", "log-likelihood"]
    assert [row.statistic for row in rows] == kinds
    assert rows[0].by == {"measure": "bitterness", "term": "temp[warm]"}
    assert rows[2].p is None
    assert rows[3].value == pytest.approx(1.2795**0.5)
    assert all("link:logit" in row.signature for row in rows)
