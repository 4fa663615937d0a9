"""Which whole numbers stand behind a printed χ²?

A χ² of a 2 × 2 table with known margins takes one value for each whole number in its first cell, and two printed
decimals are as a rule enough to tell these numbers apart. Paper 000 prints χ² for five cuts through one table, so the
table itself, which it shows only as a figure, can be recovered.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hengliang.analysis.replication.published import Paper
from hengliang.analysis.replication.verdicts import Printed
from hengliang.core.errors import Failure
from hengliang.statistics.contingency.tables import chi_squared, g_test

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Margins:
    """The margins of a 2 × 2 table: how many are in the first row, how many in the first column, how many in all."""

    first_row: int
    first_column: int
    total: int

    def cells(self) -> NDArray[np.int64]:
        """Return every number that the first cell can hold."""
        least = max(0, self.first_row + self.first_column - self.total)
        return np.arange(least, min(self.first_row, self.first_column) + 1)

    def table(self, cell: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the table with this number in its first cell."""
        rest = self.first_column - cell
        other = self.total - self.first_row
        return (cell, self.first_row - cell), (rest, other - rest)

    def statistics(self, cells: NDArray[np.int64]) -> Floats:
        """Return Pearson's χ² for each number in the first cell: N (ad − bc)² over the product of the margins."""
        n, row, column = float(self.total), float(self.first_row), float(self.first_column)
        counts = cells.astype(np.float64)
        values: Floats = n * (counts * n - row * column) ** 2 / (row * column * (n - row) * (n - column))
        return values


@dataclass(frozen=True, slots=True)
class RecoveredCell:
    """The number in the first cell whose χ² lies nearest to the printed one, and the runner-up.

    `rounds` says that its χ² rounds to the printed text, `unique` that no other number comes within one unit of the
    printed last digit.
    """

    cut_off: int
    printed: Printed
    cell: int
    statistic: float
    runner_up: int
    runner_up_statistic: float
    rounds: bool
    unique: bool


def nearest_cell(cut_off: int, printed: Printed, margins: Margins) -> RecoveredCell:
    """Find the number in the first cell that explains a printed χ² best."""
    cells = margins.cells()
    statistics = margins.statistics(cells)
    distances = np.abs(statistics - printed.value)
    first, second = np.argsort(distances, kind="stable")[:2]
    near = distances <= 2 * printed.half_unit + 1e-12
    return RecoveredCell(
        cut_off,
        printed,
        int(cells[first]),
        float(statistics[first]),
        int(cells[second]),
        float(statistics[second]),
        printed.agrees(float(statistics[first])),
        bool(near[first]) and int(near.sum()) == 1,
    )


def cut_margins(pooled: Sequence[int], matching: int, cut_off: int) -> Margins:
    """Return the margins of the table that a cut makes: matching or not, at most `cut_off` or above."""
    return Margins(matching, sum(pooled[:cut_off]), sum(pooled))


def recover_cells(pooled: Sequence[int], matching: int, printed: Mapping[int, Printed]) -> dict[int, RecoveredCell]:
    """Recover the first cell of every cut from its printed χ²."""
    return {
        cut_off: nearest_cell(cut_off, text, cut_margins(pooled, matching, cut_off))
        for cut_off, text in printed.items()
    }


def possible_between(pooled: Sequence[int], cells: Mapping[int, int], cut_off: int) -> tuple[int, int]:
    """Return the least and the greatest first cell at `cut_off` that the cells of the other cuts leave possible.

    From one cut to the next the matching ratings can only grow, and by no more than there are ratings between them.
    """
    low, high = 0, sum(pooled[:cut_off])
    for other, cell in cells.items():
        between = sum(pooled[min(other, cut_off) : max(other, cut_off)])
        if other < cut_off:
            low, high = max(low, cell), min(high, cell + between)
        elif other > cut_off:
            low, high = max(low, cell - between), min(high, cell)
    return low, high


@dataclass(frozen=True, slots=True)
class RecoveredTable:
    """The frequencies of the answers 1, 2, … for both rows of the table behind Figure 6 of paper 000."""

    matching: tuple[int, ...]
    others: tuple[int, ...]

    def mean(self, row: str) -> float:
        """Return the mean answer of a row, `matching` or `others`."""
        counts = self.matching if row == "matching" else self.others
        return sum(answer * count for answer, count in enumerate(counts, start=1)) / sum(counts)


def pooled_counts(paper: Paper, table: str, rows: Sequence[str]) -> tuple[int, ...]:
    """Return the frequencies of some rows of a table, added up."""
    held = paper.rows(table)
    return tuple(int(count) for count in np.sum([held[row] for row in rows], axis=0))


def recovered_cells(paper: Paper) -> dict[int, RecoveredCell]:
    """Recover the cells behind the χ² values that paper 000 prints, the cut-off of its median test included."""
    pooled = pooled_counts(paper, "2", paper.claim("median-test.n").inputs["rows"])
    printed = {int(key): Printed.parse(text) for key, text in paper.facts["cut_off_chi_squared"].items()}
    return recover_cells(pooled, sum(paper.rows("3")["match"]), printed)


def recovered_table(paper: Paper) -> RecoveredTable:
    """Recover the table behind Figure 6 of paper 000: five cuts from their χ², that at the median from Table 3."""
    pooled = pooled_counts(paper, "2", paper.claim("median-test.n").inputs["rows"])
    match = paper.rows("3")["match"]
    at_median = int(paper.tables["3"]["cut_off"])
    cells = {cut_off: found.cell for cut_off, found in recovered_cells(paper).items() if found.unique}
    cells = {**cells, at_median: match[0], len(pooled): sum(match), 0: 0}
    steps = [cells[answer] - cells[answer - 1] for answer in range(1, len(pooled) + 1)]
    others = [all_of - step for all_of, step in zip(pooled, steps, strict=True)]
    if min(*steps, *others) < 0:
        raise Failure("The recovered cells contradict each other.")
    return RecoveredTable(tuple(steps), tuple(others))


@dataclass(frozen=True, slots=True)
class Explanation:
    """One table and one convention that give a statistic."""

    convention: str
    table: tuple[tuple[int, int], tuple[int, int]]
    statistic: float


def _conventions(table: tuple[tuple[int, int], tuple[int, int]]) -> Iterator[tuple[str, float]]:
    pearson = chi_squared(table).statistic
    yield "Pearson", pearson
    yield "Pearson with Yates's correction", chi_squared(table, correction="yates").statistic
    yield "likelihood ratio", g_test(table).statistic
    yield "likelihood ratio with Yates's correction", g_test(table, correction="yates").statistic
    total = sum(map(sum, table))
    yield "N − 1 in place of N", pearson * (total - 1) / total


def conventions_of(table: tuple[tuple[int, int], tuple[int, int]]) -> list[Explanation]:
    """Return the statistic of one table under every convention in use."""
    return [Explanation(name, table, value) for name, value in _conventions(table)]


def explanations(printed: Printed, margins: Margins) -> list[Explanation]:
    """Return the tables with these margins, and the conventions, that give a printed statistic.

    No convention is far from Pearson's χ²: tables whose χ² is off by more than 4 and three tenths are not tried.
    """
    cells = margins.cells()
    near = np.abs(margins.statistics(cells) - printed.value) <= 4 + 0.3 * printed.value
    found = (each for cell in cells[near] for each in conventions_of(margins.table(int(cell))))
    return [explanation for explanation in found if printed.agrees(explanation.statistic)]


def neighbours(printed: Printed, table: Sequence[Sequence[int]], reach: int = 3) -> list[Explanation]:
    """Return the tables, each cell within `reach` of the given one, whose χ² would be printed so; margins are free."""
    (a, b), (c, d) = table
    found = []
    for steps in itertools.product(range(-reach, reach + 1), repeat=4):
        cells = (a + steps[0], b + steps[1]), (c + steps[2], d + steps[3])
        margins = Margins(sum(cells[0]), cells[0][0] + cells[1][0], sum(map(sum, cells)))
        value = float(margins.statistics(np.array([cells[0][0]]))[0])
        if printed.agrees(value):
            found.append(Explanation("Pearson", cells, value))
    return found
