"""Do the statistics of Tables 4 and 5 come out, from their printed values and from answers that have them?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f_oneway, kruskal
from scipy.stats import tukey_hsd as scipy_tukey

from hengliang.analysis.reconstruction.spread import (
    ANOVA,
    GAMES_HOWELL,
    KRUSKAL,
    MEAN,
    OF_SCENES,
    SUM,
    TUKEY,
    WELCH,
    pair_spreads,
    scene_columns,
    spread_columns,
    spread_means,
    spread_tests,
)
from hengliang.analysis.replication.spread_001 import CAP, FLOOR, columns_of
from hengliang.statistics import Resampling
from tests.analysis.reconstruction.made_answers import PAPER, made, spread_answers
from tests.statistics.variance.oracle import SETS

ENTRIES = {table: columns_of(PAPER, table) for table in ("4", "5")}
MEANS = {"4": [0.111, 0.984, 4.841], "5": [0.236, 0.354, 1.768]}
PRINTED_P = {"4": 2.2167e-06, "5": 0.0008}
# Section 4.2. The paper's software stops at .001 and .900, and interpolates between tabled quantiles: .458.
PRINTED_TUKEY = {
    "4": {("4", "9"): 0.458, ("4", "20"): 0.001, ("9", "20"): 0.001},
    "5": {("6", "10"): 0.900, ("6", "16"): 0.002, ("10", "16"): 0.004},
}
# R: TukeyHSD(aov(values ~ ind)) of the printed entries.
TRUE_TUKEY = {"4": [0.4559647, 4.1876e-06, 3.3620e-05], "5": [0.95427, 0.0017116, 0.0037810]}


@pytest.mark.parametrize("table", ["4", "5"])
def test_the_printed_entries(table: str) -> None:
    found = spread_tests(ENTRIES[table])
    # Rounded entries: 4.242 / 12 is .3535, and 3·√2 / 12, which is meant, .35355.
    assert [float(np.mean(column)) for column in found.columns.values()] == pytest.approx(MEANS[table], abs=5.1e-4)
    assert [result.p for result in found.tukey.values()] == pytest.approx(TRUE_TUKEY[table], rel=1e-4)
    assert found.refused == {}


def test_the_anova_of_the_printed_entries() -> None:
    # F(2, 27) = 21.91 and F(2, 33) = 8.90. The entries of Table 4 have three decimals; these leave p between 2.2147e-06
    # and 2.2187e-06, and the printed one is among them.
    p = {table: spread_tests(entries).tests[ANOVA].p for table, entries in ENTRIES.items()}
    assert p["4"] == pytest.approx(2.2154e-06, rel=1e-4) and p["4"] == pytest.approx(PRINTED_P["4"], rel=1e-3)
    assert p["5"] is not None and round(p["5"], 4) == PRINTED_P["5"]


@pytest.mark.parametrize("table", ["4", "5"])
def test_tukey_as_printed_is_the_true_p_within_floor_and_cap(table: str) -> None:
    found = spread_tests(ENTRIES[table]).tukey
    for pair, printed in PRINTED_TUKEY[table].items():
        clipped = min(max(found[pair].p or 0.0, FLOOR), CAP)
        # .456 is printed as .458: the same approximation.
        assert clipped == pytest.approx(printed, abs=0.0025)


@pytest.mark.parametrize("table", ["4", "5"])
def test_answers_with_these_spreads_give_the_same(table: str) -> None:
    spreads = pair_spreads(made(spread_answers(table)).frame)
    columns = spread_columns(spreads)
    rounded = {size: [round(value, 3) for value in held] for size, held in columns.items()}
    assert rounded == ENTRIES[table]
    found = spread_tests(columns)
    assert [float(np.mean(column)) for column in columns.values()] == pytest.approx(MEANS[table], abs=5e-4)
    anova = found.tests[ANOVA]
    # Not 2.2154e-06 any more: from whole answers, without rounding, p is the printed one to all its digits.
    digits = {"4": 1e-10, "5": 5e-5}
    assert anova.p == pytest.approx(PRINTED_P[table], abs=digits[table])
    assert [result.p for result in found.tukey.values()] == pytest.approx(TRUE_TUKEY[table], rel=1e-3)


@pytest.mark.parametrize("table", ["4", "5"])
def test_against_r(table: str) -> None:
    # tests/oracles/variance.R: aov, oneway.test, TukeyHSD and the formula of Games and Howell with ptukey.
    truth, found = SETS[f"table_{table}"], spread_tests(ENTRIES[table])
    assert found.tests[ANOVA].p == pytest.approx(truth["anova"]["p"], rel=1e-6)
    assert found.tests[WELCH].p == pytest.approx(truth["welch"]["p"], rel=1e-6)
    assert [held.p for held in found.tukey.values()] == pytest.approx(truth["tukey"]["p"], abs=1e-6)
    assert [held.p for held in found.games_howell.values()] == pytest.approx(truth["games_howell"]["p"], rel=2e-4)


@pytest.mark.parametrize("table", ["4", "5"])
def test_against_scipy_on_the_answers(table: str) -> None:
    columns = spread_columns(pair_spreads(made(spread_answers(table)).frame))
    found, groups = spread_tests(columns), list(columns.values())
    assert found.tests[ANOVA].p == pytest.approx(f_oneway(*groups).pvalue, rel=1e-9)
    assert found.tests[KRUSKAL].p == pytest.approx(kruskal(*groups).pvalue, rel=1e-9)
    upper = scipy_tukey(*groups).pvalue[np.triu_indices(3, 1)]
    assert [held.p for held in found.tukey.values()] == pytest.approx(upper.tolist(), rel=1e-4, abs=1e-9)


def test_sum_and_mean_over_kinds_give_one_f() -> None:
    spreads = pair_spreads(made(spread_answers("4")).frame)
    one, other = (spread_tests(spread_columns(spreads, statistic)) for statistic in (SUM, MEAN))
    assert spreads[MEAN].to_list() == pytest.approx((spreads[SUM] / 4).to_list())
    for name in (ANOVA, WELCH, KRUSKAL):
        assert one.tests[name].statistic == pytest.approx(other.tests[name].statistic)


def frame(answers: Sequence[list[int] | None], size: int = 4) -> pl.DataFrame:
    held = {"pair": ["1"] * len(answers), "describer": ["Human"] * len(answers), "size": [size] * len(answers)}
    return pl.DataFrame({**held, "answer": pl.Series(answers, dtype=pl.List(pl.Int64))})


def test_one_deviant_of_four_and_two_a_swap_apart() -> None:
    # Two kinds with counts 0, 0, 0, 1: a deviation of 1/2 each. Two readers: 1/√2 each.
    assert pair_spreads(frame([[2, 1, 0, 1]] * 3 + [[2, 1, 1, 0]]))[SUM].to_list() == [1.0]
    assert pair_spreads(frame([[2, 1, 0, 1], [2, 1, 1, 0]]))[SUM].to_list() == pytest.approx([math.sqrt(2)])


def test_one_reader_has_no_spread_and_missing_answers_are_none() -> None:
    found = pair_spreads(frame([[2, 1, 0, 1], None])).row(0, named=True)
    assert found["readers"] == 1 and found[SUM] is None and found[MEAN] is None
    assert spread_columns(pair_spreads(frame([[2, 1, 0, 1], None]))) == {}


def test_means_with_intervals_from_pairs() -> None:
    spreads = pair_spreads(made(spread_answers("4")).frame)
    rows = list(spread_means(spreads, {"experiment": "A"}, Resampling(draws=200), "spread"))
    assert [(row.by["size"], row.statistic, row.n) for row in rows[:3]] == [
        ("4", SUM, 9),
        ("4", MEAN, 9),
        ("9", SUM, 12),
    ]
    sums = [row for row in rows if row.statistic == SUM]
    assert [round(row.value or 0, 3) for row in sums] == MEANS["4"]
    assert all(row.low is not None and row.high is not None and row.low <= (row.value or 0) <= row.high for row in sums)
    assert "12 levels of pair drawn with replacement" in sums[1].method


def test_pairs_that_do_not_differ_have_no_interval_and_a_lone_reader_no_value() -> None:
    alike = list(spread_means(pair_spreads(frame([[4, 0], [4, 0]])), {}, Resampling(draws=50), "spread"))
    assert (alike[0].value, alike[0].low, alike[0].n) == (0.0, None, 1)
    lone = list(spread_means(pair_spreads(frame([[4, 0]])), {}, Resampling(draws=50), "spread"))
    assert (lone[0].value, lone[0].n, lone[0].n_missing) == (None, 0, 1)


def test_means_of_scenes_are_one_row_more() -> None:
    # Two scenes a size with two pairs each: 1 and 3, 2 and 2; 5 and 7, 6 and 8.
    held = pl.DataFrame(
        {"pair": list("abcdefgh"), "scene": list("ssttuuvv"), "size": [4] * 4 + [9] * 4}
        | {SUM: [1.0, 3.0, 2.0, 2.0, 5.0, 7.0, 6.0, 8.0]}
    )
    scenes = scene_columns(held)
    assert scenes == {"4": [2.0, 2.0], "9": [6.0, 7.0]}
    found = spread_tests(spread_columns(held), scenes=scenes)
    assert found.of_scenes is found.tests[OF_SCENES] and found.of_scenes is not None
    assert found.of_scenes.p == pytest.approx(f_oneway([2, 2], [6, 7]).pvalue)
    assert found.anova is not None and found.anova.p == spread_tests(spread_columns(held)).tests[ANOVA].p


def test_where_scenes_are_pairs_or_sizes_there_is_no_such_row() -> None:
    held = pl.DataFrame({"pair": list("abcd"), "scene": list("sstt"), "size": [4, 4, 9, 9], SUM: [1.0, 2.0, 3.0, 4.0]})
    assert scene_columns(held) is None and scene_columns(held.with_columns(scene="pair")) is None
    assert scene_columns(pair_spreads(made(spread_answers("4")).frame)) is None


def test_spreads_of_scenes_that_differ_by_chance() -> None:
    # No effect of size; 10 scenes with 3 pairs each. Over pairs the ANOVA rejects too often, over scenes as it says.
    pairs = scenes = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        sizes = np.repeat([4, 4, 4, 9, 9, 9, 9, 20, 20, 20], 3)
        values = np.repeat(generator.normal(0, 1, 10), 3) + generator.normal(0, 1, 30)
        held = pl.DataFrame({"pair": np.arange(30), "scene": np.repeat(np.arange(10), 3), "size": sizes, SUM: values})
        found = spread_tests(spread_columns(held), scenes=scene_columns(held))
        assert found.anova is not None and found.of_scenes is not None
        pairs, scenes = pairs + found.anova.is_significant, scenes + found.of_scenes.is_significant
    # 40 worlds at 5 %: more than 6 has a chance of 0.3 %.
    assert scenes <= 6 and pairs > scenes


def test_what_cannot_be_tested_says_why() -> None:
    found = spread_tests({"4": [0.0, 0.0, 0.0], "9": [0.0, 0.0]})
    assert found.anova is None and set(found.refused) >= {ANOVA, WELCH, TUKEY, GAMES_HOWELL}
    # A size without variance: Welch's test is not defined, the others are.
    partly = spread_tests({"4": [0.0, 0.0, 0.0], "9": [1.0, 2.0, 3.0]})
    assert set(partly.refused) == {WELCH} or set(partly.refused) == {WELCH, GAMES_HOWELL}
    assert partly.anova is not None


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=2, max_size=6),
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
)
def test_a_spread_is_that_of_the_readers_not_of_the_scene(answers: list[list[int]], shift: list[int]) -> None:
    moved = [[one + more for one, more in zip(answer, shift, strict=True)] for answer in answers]
    one, other, turned = (pair_spreads(frame(held))[SUM][0] for held in (answers, moved, answers[::-1]))
    assert one == pytest.approx(other) == pytest.approx(turned)
    assert (one == 0) == (len({tuple(answer) for answer in answers}) == 1)
