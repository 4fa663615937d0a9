"""Are the printed swaps laid beside those of a run, and is it said which agree?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hengliang.analysis.reconstruction.published_swaps import (
    DIFFERENCE,
    INSIDE,
    PRINTED,
    PublishedSwaps,
    means_of_experiments,
    paper_cell,
    printed_swaps,
)
from hengliang.analysis.reconstruction.swap_table import SHARE
from hengliang.core import estimate_records
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from tests.analysis.reconstruction.made_answers import PAPER, swap_answers
from tests.analysis.reconstruction.made_runs import run_of


def test_every_printed_cell_is_known() -> None:
    printed = printed_swaps()
    assert {key: held.text for key, held in printed.items() if key[0] == "Human"} == {
        ("Human", 4): "8.33%",
        ("Human", 9): "6.25%",
        ("Human", 20): "15%",
    }
    # Three describers by three sizes in Table 2, two by three in Table 3.
    assert len(printed) == 15


def test_answers_with_the_swaps_of_the_paper_agree_in_every_cell() -> None:
    """`swap_answers` makes answers whose swaps are the whole numbers behind the printed percentages."""
    found = PublishedSwaps(draws=200).conclude(run_of(swap_answers("2")))
    rows = list(estimate_records(found.estimates))
    assert {row.value for row in rows if row.statistic == INSIDE} == {1.0}
    # No verdict where all answers are alike: QDG-IA made no swap at n = 4, and 36 swaps of 12 answers are 3 each in the
    # two cells of 15 % at n = 20.
    assert sum(row.statistic == INSIDE for row in rows) == 9 - 3
    assert max(abs(row.value or 0) for row in rows if row.statistic == DIFFERENCE) < 0.00006
    (told,) = found.sentences
    assert "cannot be told apart (6): " in told.en
    assert "can be told apart (0): none" in told.en
    assert "all answers alike (3): Human n = 20 15.0, paper 15.0; QDG-IA n = 4 0.0, paper 0.0" in told.en
    assert "无法区分（6）" in told.zh


def test_other_swaps_are_told_with_both_percentages() -> None:
    """The scenes of 4 things change places with those of 20: QDG-IA has 18.33 % instead of 0 %, and the reverse."""
    tables = run_of(swap_answers("2"))
    sizes = tables.items["scene_size"].replace({4: 20, 20: 4})
    found = PublishedSwaps(draws=200).conclude(replace(tables, items=tables.items.with_columns(scene_size=sizes)))
    rows = {
        (row.by["condition"], row.by["scene_size"], row.statistic): row.value
        for row in estimate_records(found.estimates)
    }
    assert rows["QDG-IA", "4", SHARE] == pytest.approx(0.18333, abs=1e-5)
    assert rows["QDG-IA", "4", PRINTED] == 0
    # All answers alike: neither agreement nor its contrary.
    assert rows["QDG-IA", "20", SHARE] == 0
    assert ("QDG-IA", "20", INSIDE) not in rows
    (told,) = found.sentences
    assert "QDG-IA n = 20 0.0, paper 18.3" in told.en.partition("no verdict")[2]
    assert "QDG-IA n = 20 0.0, 论文 18.3" in told.zh.partition("不作判断")[2]


def test_a_cell_of_the_paper_has_its_pairs_and_readers() -> None:
    """Sections 3.1 and 3.2.3: 3, 4 and 3 scenes with four readers, six scenes each with two."""
    assert [paper_cell(size) for size in (4, 9, 20)] == [(3, 4), (4, 4), (3, 4)]
    assert [paper_cell(size) for size in (6, 10, 16)] == [(6, 2)] * 3


def test_experiments_as_large_scatter_as_theory_says() -> None:
    """Ten scenes, 0 or 1 throughout, half of each; three scenes drawn without putting back: hypergeometric.

    P(mean 0) = C(5, 3) / C(10, 3) = 10/120, and the variance of the mean is p q / 3 · (10 − 3) / (10 − 1).
    """
    rows = [
        (str(scene), f"{scene}-{pair}", float(scene % 2)) for scene in range(10) for pair in range(2) for _ in "abcd"
    ]
    given = pl.DataFrame(rows, schema=["scene", "pair", "share"], orient="row")
    means = means_of_experiments(given, 3, 4, 20_000, 1)
    assert set(np.round(means, 6)) == {0.0, 0.333333, 0.666667, 1.0}
    # Four standard errors of a share among 20,000 draws.
    assert np.mean(means == 0) == pytest.approx(10 / 120, abs=4 * (10 / 120 * 110 / 120 / 20_000) ** 0.5)
    assert means.var() == pytest.approx(0.25 / 3 * 7 / 9, rel=0.05)


def test_a_scene_with_many_descriptions_counts_once() -> None:
    """One scene has 99 descriptions without a swap, the other one with all: half of single draws are 1."""
    rows = [("many", str(pair), 0.0) for pair in range(99)] + [("one", "alone", 1.0)]
    given = pl.DataFrame(rows, schema=["scene", "pair", "share"], orient="row")
    means = means_of_experiments(given, 1, 2, 10_000, 1)
    assert means.mean() == pytest.approx(0.5, abs=0.02)


def test_sizes_that_the_run_does_not_have_are_left_out() -> None:
    rows = list(estimate_records(PublishedSwaps(draws=50).estimate(run_of(swap_answers("3")))))
    assert {row.by["scene_size"] for row in rows} == {str(size) for size in PAPER.tables["3"]["sizes"]}


def test_it_is_registered_and_can_be_laid_out() -> None:
    assert find("analysis", "swaps beside the paper").kind is PublishedSwaps
    made = PublishedSwaps(draws=50)
    table = estimate_table(made.estimate(run_of(swap_answers("2"))), made.layout())
    assert len(table) == 9
