"""Are the whole numbers behind printed χ² values recovered, and only where they are unique?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from hengliang.analysis.replication.published import published
from hengliang.analysis.replication.recovery import (
    Margins,
    conventions_of,
    cut_margins,
    explanations,
    nearest_cell,
    neighbours,
    pooled_counts,
    possible_between,
    recover_cells,
    recovered_cells,
    recovered_table,
)
from hengliang.analysis.replication.verdicts import Printed

PAPER = published("000")
POOLED = (153, 129, 75, 105, 166, 287, 285)  # Table 2: RULE + LSTM + BERT


def test_the_pooled_counts_are_those_of_table_2() -> None:
    assert pooled_counts(PAPER, "2", ("RULE", "LSTM", "BERT")) == POOLED


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_the_closed_formula_is_pearsons_statistic(a: int, b: int, c: int, d: int) -> None:
    margins = Margins(a + b, a + c, a + b + c + d)
    assert margins.table(a) == ((a, b), (c, d))
    expected = chi2_contingency([[a, b], [c, d]], correction=False).statistic
    assert margins.statistics(np.array([a]))[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_five_cells_of_the_scan() -> None:
    # Each χ² recomputed by SciPy from the recovered cell; at 3 it rounds to 59.91, one unit below the printed 59.92.
    found = recovered_cells(PAPER)
    assert {cut: found[cut].cell for cut in (1, 2, 3, 4, 6)} == {1: 95, 2: 165, 3: 209, 4: 274, 6: 634}
    for cut in (1, 2, 3, 4, 6):
        cell, at_most = found[cut].cell, sum(POOLED[:cut])
        table = [[cell, 884 - cell], [at_most - cell, 316 - at_most + cell]]
        statistic = chi2_contingency(table, correction=False).statistic
        assert found[cut].statistic == pytest.approx(statistic, rel=1e-9)
        assert found[cut].unique
        assert found[cut].rounds is (cut != 3)
    assert found[3].printed.rounded_twice(found[3].statistic)


def test_no_cell_explains_the_median_test() -> None:
    # 407 gives 53.286, 408 (Table 3) gives 51.388: neither is printed as 53.33.
    found = recovered_cells(PAPER)[5]
    assert (found.cell, round(found.statistic, 2)) == (407, 53.29)
    assert not found.rounds
    assert not found.unique
    margins = cut_margins(POOLED, 884, 5)
    assert margins == Margins(884, 628, 1200)
    assert round(float(margins.statistics(np.array([408]))[0]), 2) == 51.39


def test_other_conventions_do_not_explain_it_either() -> None:
    printed = Printed.parse("53.33")
    assert explanations(printed, Margins(884, 628, 1200)) == []
    names = {explanation.convention for explanation in conventions_of(((408, 476), (220, 96)))}
    assert len(names) == 5
    # Tables with each cell within 3 of Table 3: three give 53.33, and none of them has 1200 ratings.
    near = neighbours(printed, ((408, 476), (220, 96)))
    assert len(near) == 3
    for explanation in near:
        assert chi2_contingency(explanation.table, correction=False).statistic == pytest.approx(53.33, abs=0.005)
        assert sum(map(sum, explanation.table)) != 1200


def test_an_explanation_that_exists_is_found() -> None:
    # Yates's χ² of Table 3 is 50.451 (SciPy: chi2_contingency([[408, 476], [220, 96]])).
    found = explanations(Printed.parse("50.45"), Margins(884, 628, 1200))
    assert [(each.convention, each.table[0][0]) for each in found] == [("Pearson with Yates's correction", 408)]


def test_the_table_behind_figure_6() -> None:
    table = recovered_table(PAPER)
    assert table.matching == (95, 70, 44, 65, 134, 226, 250)
    assert table.others == (58, 59, 31, 40, 32, 61, 35)
    assert (sum(table.matching), sum(table.others)) == (884, 316)
    assert tuple(map(sum, zip(table.matching, table.others, strict=True))) == POOLED
    # A matching choice shows the corpus's sentence, so its ratings are copies of CORPUS's: at most three times each.
    corpus = PAPER.rows("2")["CORPUS"]
    assert all(count <= 3 * held for count, held in zip(table.matching, corpus, strict=True))
    assert table.mean("matching") == pytest.approx(4403 / 884)
    assert table.mean("others") == pytest.approx(1200 / 316)


def test_the_other_cuts_leave_room_for_the_printed_cell() -> None:
    cells = {1: 95, 2: 165, 3: 209, 4: 274, 6: 634}
    # At least 634 − 287 of those up to 6, at most 274 + 166 of those up to 4.
    assert possible_between(POOLED, cells, 5) == (347, 440)


@given(
    st.lists(st.integers(1, 40), min_size=4, max_size=6),
    st.data(),
)
def test_cells_are_recovered_from_their_own_statistics(pooled: list[int], data: st.DataObject) -> None:
    matching = [data.draw(st.integers(0, count)) for count in pooled]
    if not 0 < sum(matching) < sum(pooled):
        return
    printed, cells = {}, {}
    for cut in range(1, len(pooled)):
        margins = cut_margins(pooled, sum(matching), cut)
        cells[cut] = sum(matching[:cut])
        value = float(margins.statistics(np.array([cells[cut]]))[0])
        printed[cut] = Printed.parse(f"{value:.2f}")
    for cut, found in recover_cells(pooled, sum(matching), printed).items():
        if len(cut_margins(pooled, sum(matching), cut).cells()) > 1 and found.unique:
            assert found.cell == cells[cut]
            others = {at: cell for at, cell in cells.items() if at != cut}
            low, high = possible_between(pooled, others, cut)
            assert low <= cells[cut] <= high


def test_a_runner_up_is_the_second_nearest() -> None:
    margins = Margins(10, 9, 20)
    values = margins.statistics(margins.cells())
    found = nearest_cell(1, Printed.parse(f"{values[2]:.2f}"), margins)
    assert found.cell == int(margins.cells()[2])
    ranked = sorted(itertools.chain(values), key=lambda value: abs(value - found.printed.value))
    assert found.runner_up_statistic == pytest.approx(ranked[1])
