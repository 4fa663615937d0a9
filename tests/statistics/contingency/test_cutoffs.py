"""Does the scan over cut-offs give the χ² values of paper 000, and is its permutation honest?"""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.contingency.cutoffs import scan_cutoff_counts, scan_cutoffs, split_statistics
from hengliang.statistics.contingency.tables import chi_squared

MATCH = [95, 70, 44, 65, 134, 226, 250]
NO_MATCH = [58, 59, 31, 40, 32, 61, 35]
"""The counts behind Figure 6 of paper 000, which the printed χ² values and Table 3 determine."""
NAMES = ("match", "no match")


def test_section_5_5_3_of_paper_000() -> None:
    scan = scan_cutoff_counts([MATCH, NO_MATCH], names=NAMES)
    found = {cutoff.at: cutoff.test for cutoff in scan.cutoffs}
    # Printed: 12.11, 43.65, 59.92, 79.85, 38.05 for k = 1, 2, 3, 4, 6, and φ = .10, .19, .22, .26, .18. The third is
    # 59.91496: 59.91 or 59.915, not 59.92; no other cells come closer. k = 5 is Mood's, printed as 53.33.
    printed = {
        1: (12.11, 0.10),
        2: (43.65, 0.19),
        3: (59.915, 0.22),
        4: (79.85, 0.26),
        5: (51.39, 0.21),
        6: (38.05, 0.18),
    }
    for at, (statistic, phi) in printed.items():
        test = found[at]
        assert test is not None
        assert test.statistic == pytest.approx(statistic, abs=0.005)
        assert test.effect("phi").value == pytest.approx(-phi, abs=0.005)
    assert len(scan.family.significant) == 6
    assert scan.largest.p == pytest.approx(1 / 10_001)
    assert scan.largest.details["cutoff"] == 4


def test_the_paper_asked_five_questions() -> None:
    scan = scan_cutoff_counts([MATCH, NO_MATCH], names=NAMES, cutoffs=[1, 2, 3, 4, 6])
    assert scan.family.size == 5
    # Bonferroni: 5 × .000501 (χ² = 12.1117)
    assert scan.family.members[0].adjusted == pytest.approx(0.0025053855506)
    assert scan.largest.conventions["cutoffs"] == 5


def test_ratings_and_counts_give_the_same_scan() -> None:
    ratings = [np.repeat(np.arange(1, 8), counts).tolist() for counts in (MATCH, NO_MATCH)]
    scan = scan_cutoffs([*ratings[0], math.nan], ratings[1], scale=range(1, 8), names=NAMES, draws=100)
    counted = scan_cutoff_counts([MATCH, NO_MATCH], names=NAMES, draws=100)
    assert scan.table().equals(counted.table())
    assert (scan.n_missing, counted.n_missing) == (1, 0)
    assert scan.signature() == counted.signature()
    assert "1 missing left out" in scan.summary()


def test_p_by_permutation_against_all_ways_to_deal() -> None:
    first, second = [1, 1, 2, 3], [2, 3, 3, 3, 3]
    pooled = np.array(first + second)
    largest = []
    for chosen in combinations(range(9), 4):
        one, other = pooled[list(chosen)], np.delete(pooled, chosen)
        largest.append(
            max(
                chi_squared([[(one <= k).sum(), (one > k).sum()], [(other <= k).sum(), (other > k).sum()]]).statistic
                for k in (1, 2)
            )
        )
    scan = scan_cutoffs(first, second, scale=[1, 2, 3], draws=40_000, seed=2)
    truth = np.mean(np.array(largest) >= scan.largest.statistic - 1e-9)
    # Four standard errors of a share in 40,000 draws: .009 at most.
    assert scan.largest.p == pytest.approx(truth, abs=0.009)
    again = scan_cutoffs(first, second, scale=[1, 2, 3], draws=40_000, seed=2)
    assert again.largest.p == scan.largest.p


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=10, max_size=10), st.sampled_from(["none", "yates"]))
def test_every_statistic_is_that_of_the_single_test(cells: list[int], correction: str) -> None:
    counts = np.reshape(cells, (2, 5))
    counts[:, 0] += 1
    counts[:, -1] += 1
    scan = scan_cutoff_counts(counts, correction=correction, draws=5)  # type: ignore[arg-type]
    below, pooled = counts.cumsum(axis=1)[:, :-1], counts.sum(axis=0).cumsum()[:-1]
    fast = split_statistics(below[:1], pooled, int(counts[0].sum()), int(counts.sum()), yates=correction == "yates")
    for cutoff, statistic in zip(scan.cutoffs, fast[0], strict=True):
        assert cutoff.test is not None
        assert cutoff.test.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
    # Renaming the groups turns φ and nothing else.
    turned = scan_cutoff_counts(counts[::-1], correction=correction, draws=5)  # type: ignore[arg-type]
    assert turned.table()["phi"].to_numpy() == pytest.approx(-scan.table()["phi"].to_numpy(), abs=1e-12)
    assert turned.table()["p"].to_numpy() == pytest.approx(scan.table()["p"].to_numpy())


def test_a_cutoff_that_parts_nothing_has_no_test_but_counts() -> None:
    scan = scan_cutoff_counts([[0, 5, 3], [0, 2, 9]], draws=50)
    assert scan.cutoffs[0].test is None
    assert scan.family.size == 2
    assert scan.table()["p"].to_list()[0] is None
    assert "no test" in scan.summary()
    assert len(scan.sentences()) == 1
    first = next(iter(scan.estimates("cutoffs")))
    assert first.value is None and first.by == {"cutoff": "1"}


def test_the_scan_says_itself() -> None:
    scan = scan_cutoff_counts([MATCH, NO_MATCH], names=NAMES, draws=999)
    sentence = scan.sentence()
    assert "differ at 6 of 6 cut-offs (α = 0.05, Bonferroni correction, family of 6)" in sentence.en
    assert "max χ²(N = 1200) = 79.85" in sentence.en and "检验族大小 6" in sentence.zh
    assert "10.7 % of match, 18.4 % of no match" in scan.sentences()[0].en
    assert "seed:1" in str(scan.signature()) and "family:bonferroni" in str(scan.signature())
    rows = list(scan.estimates("cutoffs", {"measure": "fluency"}))
    assert {row.by["cutoff"] for row in rows} == {"1", "2", "3", "4", "5", "6", "largest"}
    assert sum(row.statistic == "phi" for row in rows) == 7


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="rating 8, which is not on the scale"):
        scan_cutoffs([1, 8], [2, 3], scale=range(1, 8))
    with pytest.raises(UserError, match="3 rows"):
        scan_cutoff_counts([[1, 2], [3, 4], [5, 6]])
    with pytest.raises(UserError, match="no ratings"):
        scan_cutoff_counts([[0, 0], [3, 4]])
    with pytest.raises(UserError, match="All ratings are equal"):
        scan_cutoffs([2, 2], [2], scale=[1, 2, 3])
    with pytest.raises(UserError, match="7 is no cut-off"):
        scan_cutoff_counts([MATCH, NO_MATCH], cutoffs=[7])
    with pytest.raises(UserError, match="5 points for 7 columns"):
        scan_cutoff_counts([MATCH, NO_MATCH], scale=range(5))
    with pytest.raises(UserError, match="No cut-off parts"):
        scan_cutoff_counts([[0, 5, 3], [0, 2, 9]], cutoffs=[1])


def test_missing_ratings_are_counted_in_every_test() -> None:
    scan = scan_cutoffs([1, 2, math.nan, 4], [2, 3, 4, math.nan, 4], scale=range(1, 5), draws=9)
    assert scan.n_missing == scan.largest.n_missing == 2
    assert {cutoff.test.n_missing for cutoff in scan.cutoffs if cutoff.test} == {2}
