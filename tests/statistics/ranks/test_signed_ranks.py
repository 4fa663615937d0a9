import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from hengliang import UserError
from hengliang.statistics.conventions import multiverse, with_sensitivity
from hengliang.statistics.effect_sizes import Zeros
from hengliang.statistics.ranks.wilcoxon import CONVENTIONS, signed_rank_test
from tests.statistics.ranks.oracle import SIDES, oracle

PAIRS = ("ratings", "few", "measured", "many")
differences = st.lists(st.integers(-5, 5), min_size=1, max_size=30).filter(any)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", PAIRS)
def test_p_of_r(name: str, side: str) -> None:
    held = oracle()["pairs"][name]
    x, y = held["x"], held["y"]
    as_r = signed_rank_test(x, y, method="auto-r", correction=True, alternative=side)
    assert as_r.p == pytest.approx(held["default"][side], rel=1e-9)
    assert as_r.statistic == held["V"]
    plain = signed_rank_test(x, y, method="asymptotic", alternative=side)
    assert plain.p == pytest.approx(held["plain"][side], rel=1e-9)
    corrected = signed_rank_test(x, y, method="asymptotic", correction=True, alternative=side)
    assert corrected.p == pytest.approx(held["corrected"][side], rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_p_of_coin_with_zeros_and_ties_exact_and_asymptotic(name: str, side: str, zeros: Zeros) -> None:
    held = oracle()["pairs"][name]
    asymptotic = signed_rank_test(held["x"], held["y"], zeros=zeros, method="asymptotic", alternative=side)
    assert asymptotic.p == pytest.approx(held[f"coin_{zeros}"][side], rel=1e-9)
    exact = signed_rank_test(held["x"], held["y"], zeros=zeros, method="exact", alternative=side)
    # coin's own tolerance: it groups statistics that differ by less than the root of the machine's precision
    assert exact.p == pytest.approx(held[f"coin_{zeros}_exact"][side], rel=1e-6)
    if zeros == "pratt":
        assert asymptotic.details["z"] == pytest.approx(held["coin_pratt_z"], rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize(("ours", "theirs"), [("wilcox", "wilcox"), ("pratt", "pratt"), ("split", "zsplit")])
@given(values=differences)
def test_asymptotic_p_of_scipy(ours: Zeros, theirs: str, correction: bool, side: str, values: list[int]) -> None:
    found = signed_rank_test(values, zeros=ours, correction=correction, method="asymptotic", alternative=side)
    expected = wilcoxon(values, zero_method=theirs, correction=correction, method="asymptotic", alternative=side)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.untraced
@settings(max_examples=30)  # SciPy's permutations take a tenth of a second
@given(differences)
def test_automatic_choice_of_scipy(values: list[int]) -> None:
    found = signed_rank_test(values, method="auto-scipy")
    assert found.p == pytest.approx(wilcoxon(values).pvalue, rel=1e-9)


@given(differences, st.sampled_from(["wilcox", "pratt", "split"]))
def test_swapping_the_samples_turns_everything_round(values: list[int], zeros: Zeros) -> None:
    here = signed_rank_test(values, zeros=zeros, alternative="greater")
    there = signed_rank_test([-value for value in values], zeros=zeros, alternative="less")
    assert here.p == pytest.approx(there.p)
    assert here.effect("r").value == pytest.approx(-there.effect("r").value)
    assert here.effect("rank-biserial").value == pytest.approx(-there.effect("rank-biserial").value)
    assert (here.details["W+"], here.details["W-"]) == (there.details["W-"], there.details["W+"])


def test_split_zeros_keep_the_exact_p_of_pratt() -> None:
    values = [0, 0, 0, 1, 2, -1, 3, 4, 4]
    pratt, split = (signed_rank_test(values, zeros=zeros, method="exact").p for zeros in ("pratt", "split"))
    assert pratt == split


def test_float_noise_changes_p_unless_differences_are_rounded() -> None:
    # In tenths the differences are 1, 1, 1, −1, 0, 2: one zero, four of size 1, one of 2. W₊ = 3 × 2.5 + 5 = 12.5.
    x = [0.3, 0.4, 0.8, 0.7, 0.1 + 0.2, 0.9]
    y = [0.2, 0.3, 0.7, 0.8, 0.3, 0.7]
    rounded, raw = signed_rank_test(x, y), signed_rank_test(x, y, digits=None)
    assert rounded.statistic == 12.5
    assert rounded.details["n zero"] == 1
    assert raw.details["n zero"] == 0
    assert rounded.p != raw.p
    assert rounded.p == signed_rank_test([3, 4, 8, 7, 3, 9], [2, 3, 7, 8, 3, 7]).p


def test_r_takes_all_pairs_or_those_that_differ() -> None:
    values = [0] * 16 + [1, 2, 3, 4, 5, -1, 6, 7, 8]
    pairs, nonzero = (signed_rank_test(values, n_for_r=counted) for counted in ("pairs", "nonzero"))
    z = pairs.details["z"]
    assert pairs.effect("r").value == pytest.approx(z / 5)
    assert nonzero.effect("r").value == pytest.approx(z / 3)
    assert pairs.conventions["r"] != nonzero.conventions["r"]
    assert (pairs.details["n positive"], pairs.details["n negative"], pairs.details["n zero"]) == (8, 1, 16)


def test_conventions_say_what_was_done() -> None:
    small, large = signed_rank_test([1, 2, -3]), signed_rank_test(np.arange(1, 80), correction=True)
    assert (small.conventions["method"], large.conventions["method"]) == ("exact", "asymptotic")
    assert (small.conventions["correction"], large.conventions["correction"]) == (False, True)
    assert "zeros:wilcox" in str(small.signature())


def test_a_convention_that_flips_the_conclusion_is_shown() -> None:
    # Zeros: 12 pairs differ, 9 for and 3 against; R corrects for continuity and finds p > .05, SPSS p < .05.
    values = [2, 1, 3, 2, 1, 4, 2, 3, 1, -2, -1, -1] + [0] * 30
    found = multiverse(signed_rank_test, CONVENTIONS, values)
    assert len(found.variants) == len(CONVENTIONS)
    ps = {variant.users[0]: variant.p for variant in found.variants if variant.users}
    assert ps["SPSS"] is not None and ps["R"] is not None
    alpha = (ps["SPSS"] + ps["R"]) / 2
    told = with_sensitivity(signed_rank_test, CONVENTIONS, values, method="asymptotic", alpha=alpha)
    assert ("R",) in {variant.users for variant in told.variants}
    assert "Other conventions decide otherwise" in told.sentence().en


def test_sentences_say_who_is_higher() -> None:
    result = signed_rank_test([5, 6, 7, 7, 6, 7], [1, 3, 2, 4, 5, 5], names=("BERT", "GE"))
    assert result.sentence().en.startswith(
        "BERT tends to be higher than GE (Wilcoxon's signed-rank test, two-sided: W₊("
    )
    assert result.sentence().zh.startswith("BERT 倾向于高于 GE（Wilcoxon 符号秩检验，双侧：")


@pytest.mark.parametrize("x", [[], [0, 0, 0], [math.nan], ["high", "low"]])
def test_samples_without_a_test(x: list[float]) -> None:
    with pytest.raises(UserError):
        signed_rank_test(x)


def test_choices_that_do_not_exist() -> None:
    with pytest.raises(UserError, match="zeros"):
        signed_rank_test([1, 2], zeros="drop")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="method"):
        signed_rank_test([1, 2], method="fast")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="alternative"):
        signed_rank_test([1, 2], alternative="both")
    with pytest.raises(UserError, match="1 and 2 values"):
        signed_rank_test([1], [1, 2])


def test_one_pair_has_p_one() -> None:
    result = signed_rank_test([3], [1])
    assert result.p == 1
    assert result.effect("r").low is None
