"""Does McNemar's test agree with R, statsmodels and the binomial distribution?"""

import math
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from hengliang import UserError
from hengliang.statistics.contingency.mcnemar import CONVENTIONS, mcnemar, mcnemar_pairs
from hengliang.statistics.conventions import with_sensitivity
from tests.statistics.contingency.oracle import squares

discordant = st.tuples(st.integers(0, 20), st.integers(0, 20))


@pytest.mark.parametrize("case", squares().values(), ids=squares().keys())
def test_against_r(case: dict[str, Any]) -> None:
    table, truth = case["counts"], case["mcnemar"]
    for method, name in (("corrected", "corrected"), ("chi-squared", "uncorrected")):
        result = mcnemar(table, method=method)  # type: ignore[arg-type]
        assert result.statistic == pytest.approx(truth[name]["chi"], rel=1e-12, abs=1e-12)
        assert result.p == pytest.approx(truth[name]["p"], rel=1e-9)
    exact = mcnemar(table)
    assert exact.p == pytest.approx(truth["exact"], rel=1e-9)
    assert mcnemar(table, alternative="greater").p == pytest.approx(truth["exact_greater"], rel=1e-9)
    effect = exact.effect("cohen-g")
    assert effect.value == pytest.approx(truth["share"] - 0.5)
    # R: binom.test(b, b + c)$conf.int
    assert (effect.low, effect.high) == pytest.approx([bound - 0.5 for bound in truth["interval"]], abs=1e-9)


@given(discordant)
def test_exact_and_mid_p_by_counting(pair: tuple[int, int]) -> None:
    b, c = pair
    n = b + c
    shares = [comb(n, k) / 2**n for k in range(n + 1)]
    upper, lower = sum(shares[b:]), sum(shares[: b + 1])
    table = [[5, b], [c, 7]]
    assert mcnemar(table, alternative="greater").p == pytest.approx(upper)
    assert mcnemar(table, alternative="less").p == pytest.approx(lower)
    assert mcnemar(table).p == pytest.approx(min(1.0, 2 * min(upper, lower)))
    assert mcnemar(table, method="mid-p").p == pytest.approx(min(1.0, 2 * (min(upper, lower) - shares[b] / 2)))


@given(discordant, st.sampled_from(["exact", "mid-p", "chi-squared", "corrected"]))
def test_swapping_the_two_turns_the_direction(pair: tuple[int, int], method: Any) -> None:
    b, c = pair
    one, other = mcnemar([[5, b], [c, 7]], method=method), mcnemar([[5, c], [b, 7]], method=method)
    assert one.p == (None if other.p is None else pytest.approx(other.p))
    greater = mcnemar([[5, b], [c, 7]], method=method, alternative="greater").p
    assert greater == pytest.approx(mcnemar([[5, c], [b, 7]], method=method, alternative="less").p)
    if b + c:
        assert one.effect("cohen-g").value == pytest.approx(-other.effect("cohen-g").value)


def test_against_statsmodels() -> None:
    table = [[30, 12], [5, 53]]
    for method, exact, corrected in (("exact", True, True), ("chi-squared", False, False), ("corrected", False, True)):
        theirs = statsmodels_mcnemar(table, exact=exact, correction=corrected)
        assert mcnemar(table, method=method).p == pytest.approx(theirs.pvalue, rel=1e-9)  # type: ignore[arg-type]


def test_pairs_are_counted() -> None:
    bert = ["yes", "yes", "no", "yes", None, "no"]
    rule = ["no", "yes", "no", "no", "yes", "yes"]
    result = mcnemar_pairs(bert, rule, success="yes", names=("BERT", "RULE"))
    assert result.details == {"only BERT succeeds": 2, "only RULE succeeds": 1}
    assert (result.n, result.n_missing) == (5, 1)
    nan = mcnemar_pairs([1.0, 0.0, math.nan], [0.0, 1.0, 1.0], success=1)
    assert (nan.n, nan.n_missing) == (2, 1)


def test_without_a_difference_there_is_nothing_to_test() -> None:
    result = mcnemar([[5, 0], [0, 7]])
    assert result.p == 1.0
    assert math.isnan(result.effect("cohen-g").value)
    assert "no pair" in result.notes[0].en
    assert mcnemar([[5, 0], [0, 7]], method="corrected").p is None
    assert "p not defined" in mcnemar([[5, 0], [0, 7]], method="corrected").summary()


def test_sentences_name_the_better_one_and_conventions_are_compared() -> None:
    table = [[10, 9], [2, 5]]
    # exact: 2·(1 + 11 + 55)/2^11 = .0654; mid-p .0386; χ² = 49/11, p = .0348; corrected 36/11, p = .0704
    result = with_sensitivity(mcnemar, CONVENTIONS, table, names=("BERT", "RULE"))
    assert result.p == pytest.approx(2 * (1 + 11 + 55) / 2**11)
    assert [variant.settings["method"] for variant in result.variants] == ["mid-p", "chi-squared"]
    plain = mcnemar(table, method="chi-squared", names=("BERT", "RULE"))
    assert plain.sentence().en.startswith("BERT succeeds more often than RULE")
    assert "BERT的成功率显著高于RULE" in plain.sentence().zh
    assert "Only 11 pairs differ" in plain.notes[0].en
    swapped = mcnemar([[10, 2], [9, 5]], method="chi-squared", names=("RULE", "BERT"))
    assert swapped.sentence().en.startswith("BERT succeeds more often than RULE")


def test_one_side_at_the_edge() -> None:
    effect = mcnemar([[5, 6], [0, 7]]).effect("odds-ratio")
    assert effect.value == math.inf and effect.high == math.inf
    # Clopper–Pearson for 6 of 6: low = .025^(1/6) = .5407, odds 1.1773
    assert effect.low == pytest.approx(0.025 ** (1 / 6) / (1 - 0.025 ** (1 / 6)))


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="2 × 2"):
        mcnemar([[1, 2, 3], [3, 4, 5]])
    with pytest.raises(UserError, match="method 'bowker'"):
        mcnemar([[1, 2], [3, 4]], method="bowker")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="1 and 2 values"):
        mcnemar_pairs([True], [True, False])


def test_one_sided_sentences_speak_of_their_side_only() -> None:
    told = mcnemar([[5, 1], [15, 5]], alternative="greater", names=("BERT", "RULE")).sentence()
    assert told.en.startswith("BERT was not shown to succeed more often than RULE (")
    assert told.zh.startswith("未能证明BERT的成功率高于RULE（")
    told = mcnemar([[5, 1], [15, 5]], alternative="less", names=("BERT", "RULE")).sentence()
    assert told.en.startswith("BERT succeeds less often than RULE (")
    assert told.zh.startswith("BERT的成功率显著低于RULE（")


def test_missing_outcomes_of_any_kind_are_left_out() -> None:
    result = mcnemar_pairs([True, None, np.float32("nan"), pd.NA, False], [False, True, True, True, False])
    assert (result.n, result.n_missing) == (2, 3)


def test_no_pair_that_differs_has_no_p_in_either_language() -> None:
    told = mcnemar([[5, 0], [0, 5]], method="chi-squared").sentence()
    assert "p not defined" in told.en
    assert "p 无定义" in told.zh
    assert "not defined" not in told.zh
