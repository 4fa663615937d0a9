"""Are Tables 2, 3 and 6 of paper 001 made as it makes them, and do intervals respect pairs and readers?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang.analysis.reconstruction.answers import Answer, reconstructions
from hengliang.analysis.reconstruction.swap_table import (
    EXACT,
    OF_MAXIMUM,
    OF_PAIRS,
    SHARE,
    STATISTICS,
    SWAPS,
    TOTAL,
    SwapCell,
    swap_cells,
    swap_layout,
)
from hengliang.core import estimates_frame
from hengliang.materials.scenes import Scene
from hengliang.replication import Printed
from hengliang.report import estimate_table
from hengliang.statistics import Resampling
from tests.analysis.reconstruction.made_answers import PAPER, made, swap_answers

QUICK = Resampling(draws=200)


def table(frame: pl.DataFrame, resampling: Resampling = QUICK) -> dict[tuple[str, str], SwapCell]:
    return {(cell.describer, cell.size): cell for cell in swap_cells(frame, resampling)}


def unlike(found: dict[tuple[str, str], SwapCell], number: str) -> list[str]:
    """Return the cells of a printed table that differ from what is found, at its own decimals."""
    printed = PAPER.tables[number]
    rows = {**printed["cells"], TOTAL: printed["totals"]}
    faults = []
    for model, texts in rows.items():
        for size, text in zip(printed["sizes"], texts, strict=True):
            value = 100 * (found[model, str(size)].values[SHARE][0] or 0.0)
            if not Printed.parse(text).agrees(value):
                faults.append(f"{model} n = {size}: {text}, found {value:.4f}")
    return faults


@pytest.mark.parametrize("number", ["2", "3"])
def test_the_tables_of_the_paper_come_out(number: str) -> None:
    assert unlike(table(made(swap_answers(number)).frame), number) == []


def test_table_6_has_the_totals_of_what_it_lists_only_without_people() -> None:
    both = made(swap_answers("2"), swap_answers("3")).frame
    # With the human descriptions the printed totals come out, although Table 6 does not list those.
    assert unlike(table(both), "6") == []
    # Without: n = 4 has 1 swap of 24 × 4, n = 9 has 29 of 32 × 9, n = 20 has 80 of 24 × 20.
    alone = table(both.filter(pl.col("describer") != "Human"))
    values = [100 * (alone[TOTAL, size].values[SHARE][0] or 0) for size in ("4", "9", "20")]
    assert values == pytest.approx([100 / 96, 100 * 29 / 288, 100 * 80 / 480])
    assert [fault.split(":")[0] for fault in unlike(alone, "6")] == ["total n = 4", "total n = 9", "total n = 20"]


def uneven() -> pl.DataFrame:
    """Return two pairs of which one has three readers and the other one: 2, 2, 2 and 0 swaps of 4."""
    scene = Scene((4, 0, 0, 0))
    rows = [Answer("a", "Human", scene, f"p{n}", (2, 2, 0, 0)) for n in range(3)]
    rows += [Answer("b", "Human", scene, "p0", (4, 0, 0, 0)), Answer("b", "Human", scene, "p1", None)]
    return reconstructions(rows).frame


def test_means_over_answers_and_over_pairs_part_where_readers_are_unequal() -> None:
    cell = table(uneven())["Human", "4"]
    assert {name: held[0] for name, held in cell.values.items()} == {
        SHARE: pytest.approx(6 / 16),
        OF_PAIRS: pytest.approx((0.5 + 0) / 2),
        OF_MAXIMUM: pytest.approx(6 / 16),
        SWAPS: pytest.approx(6 / 4),
        EXACT: pytest.approx(1 / 4),
    }
    assert (cell.n, cell.n_missing, cell.pairs) == (4, 1, 2)


def test_the_maximum_is_that_of_each_scene() -> None:
    answers = [
        Answer("a", "Human", Scene((1, 1, 1, 1)), "p1", (2, 0, 1, 1)),
        Answer("b", "Human", Scene((4, 0, 0, 0)), "p1", (3, 1, 0, 0)),
    ]
    # 1 of 3 possible swaps and 1 of 4.
    assert table(reconstructions(answers).frame)["Human", "4"].values[OF_MAXIMUM][0] == pytest.approx(
        (1 / 3 + 1 / 4) / 2
    )


def test_an_interval_is_withheld_where_all_answers_are_alike() -> None:
    cell = table(made(swap_answers("2")).frame)["QDG-IA", "4"]
    assert cell.values[SHARE] == (0.0, None, None)
    assert cell.how == "no interval: all answers are alike, and resampling cannot show others"


def test_intervals_hold_their_value_and_say_what_was_drawn() -> None:
    found = table(made(swap_answers("2")).frame)
    outside = [
        (place, name)
        for place, cell in found.items()
        for name, (value, low, high) in cell.values.items()
        if low is not None and high is not None and value is not None and not low <= value <= high
    ]
    assert outside == []
    assert "30 levels of pair and 20 levels of participant drawn with replacement" in found[TOTAL, TOTAL].how


def test_readers_who_err_together_widen_the_interval() -> None:
    # Twenty pairs, four readers each. In one world each reader errs now and then, in the other one reader errs always:
    # as many swaps, but a new reader may be like that one.
    scene = Scene((4, 0, 0, 0))

    def world(errs: list[list[bool]]) -> pl.DataFrame:
        rows = [
            Answer(f"{pair}", "Human", scene, f"p{reader}", (3, 1, 0, 0) if errs[pair][reader] else (4, 0, 0, 0))
            for pair in range(20)
            for reader in range(4)
        ]
        return reconstructions(rows).frame

    scattered = world([[reader == pair % 4 for reader in range(4)] for pair in range(20)])
    together = world([[reader == 0 for reader in range(4)] for _ in range(20)])
    widths = []
    for frame in (scattered, together):
        value, low, high = table(frame, Resampling(draws=1000))["Human", "4"].values[SHARE]
        assert value == pytest.approx(1 / 16)
        widths.append((high or 0) - (low or 0))
    assert widths[1] > 1.5 * widths[0]


def test_coverage_of_the_intervals_on_simulated_readers() -> None:
    # Readers and pairs with effects of their own; the true mean share is known. Percentile intervals of 12 pairs and 8
    # readers cover less than 95 %, products of weights more: between 85 and 100 % of 60 worlds is what can be asked.
    generator, scene = np.random.default_rng(3), Scene((20, 0, 0, 0))
    held = 0
    for _ in range(60):
        pairs, readers = generator.normal(0, 0.05, 12), generator.normal(0, 0.05, 8)
        rows = []
        for pair in range(12):
            for reader in range(8):
                chance = min(max(0.3 + pairs[pair] + readers[reader], 0.0), 1.0)
                wrong = int(generator.binomial(20, chance))
                rows.append(Answer(f"{pair}", "Human", scene, f"p{reader}", (20 - wrong, wrong, 0, 0)))
        _, low, high = table(reconstructions(rows).frame, QUICK)["Human", "20"].values[SHARE]
        held += (low or 0) <= 0.3 <= (high or 0)
    assert 51 <= held <= 60


def many_scenes(deviation: float) -> pl.DataFrame:
    """Return 8 scenes with 3 descriptions each and 6 readers; scenes err by chance of their own, or pairs do."""
    generator, rows = np.random.default_rng(5), []
    for number in range(8):
        own = generator.normal(0, deviation)
        scene = Scene((20 - number, number, 0, 0))
        for describer in ("Human", "A", "B"):
            for reader in range(6):
                wrong = int(generator.binomial(12, min(max(0.4 + own, 0.0), 1.0)))
                counts = (20 - number - wrong, number + wrong, 0, 0)
                rows.append(Answer(f"{describer} {number}", describer, scene, f"p{reader}", counts))
    return reconstructions(rows).frame


def test_scenes_are_drawn_whole_with_all_their_descriptions() -> None:
    held = many_scenes(0.2)
    by_scene = table(held, Resampling(draws=1000))[TOTAL, "20"]
    by_pair = table(held.drop("scene"), Resampling(draws=1000))[TOTAL, "20"]
    assert "8 levels of scene and 6 levels of participant drawn" in by_scene.how
    assert "24 levels of pair and 6 levels of participant drawn" in by_pair.how
    widths = [(cell.values[SHARE][2] or 0) - (cell.values[SHARE][1] or 0) for cell in (by_scene, by_pair)]
    # Descriptions of one scene err alike: three pairs tell hardly more than one, and √3 is the most that it costs.
    assert 1.3 * widths[1] < widths[0] < 2.2 * widths[1]
    assert by_scene.values[SHARE][0] == by_pair.values[SHARE][0]


def test_one_scene_of_each_size_is_said() -> None:
    cell = table(made(swap_answers("2")).frame)["Human", "9"]
    assert "pairs drawn, for there is one scene of each size" in cell.how


def test_a_cell_without_answers_has_no_number() -> None:
    scene = Scene((4, 0, 0, 0))
    rows = [Answer("a", "Human", scene, "p1", (4, 0, 0, 0)), Answer("b", "QDG-IA", scene, "p1", None)]
    cell = table(reconstructions(rows).frame)["QDG-IA", "4"]
    assert cell.values[SHARE] == (None, None, None) and (cell.n, cell.n_missing) == (0, 1)


def test_the_layout_has_describers_as_rows_and_sizes_as_columns() -> None:
    cells = swap_cells(made(swap_answers("2")).frame, QUICK)
    rows = [row for cell in cells for row in cell.estimates("swaps", {}, ("describer", "size"), "signed")]
    shown = estimate_table(estimates_frame(rows), swap_layout())
    assert shown.frame["describer"].to_list()[:4] == ["Human", "QDG-IA", "QDG-GREEDY", "total"]
    assert [column.title.en for column in shown.columns if not column.header][:4] == ["4", "9", "20", "total"]
    assert len(rows) == len(cells) * len(STATISTICS) and all(row.signature == "signed" for row in rows)
