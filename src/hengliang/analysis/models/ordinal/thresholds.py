"""Where may the borders between categories lie on the latent scale?

A model with K categories has K − 1 thresholds θ = Jα. `flexible` leaves them free; `symmetric` puts them in mirrored
pairs round a centre; `equidistant` sets them one spacing apart. The matrices J are those of R's `ordinal` package [1].

Thresholds may differ between cells of the data (each rater has their own) and may shift with numeric columns. Where a
cell never uses a category, the likelihood is greatest when that category has no width: its two thresholds are one,
and a threshold beyond the last category used lies at infinity. Such thresholds are no parameters.

[1] Christensen, R. H. B. (2022). ordinal: regression models for ordinal data. R package 2022.11-16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats, Integers
from hengliang.core.errors import UserError

ThresholdKind = Literal["flexible", "symmetric", "equidistant"]


def threshold_matrix(kind: ThresholdKind, categories: int) -> tuple[Floats, tuple[str, ...]]:
    """Return J (one row a threshold) and the names of its columns; a flexible column has an empty name."""
    borders = categories - 1
    if kind == "flexible" or borders == 1:
        return np.eye(borders), ("",) * borders
    if kind == "equidistant":
        return np.column_stack([np.ones(borders), np.arange(borders, dtype=np.float64)]), ("threshold.1", "spacing")
    half = borders // 2
    centres = 1 if borders % 2 else 2
    matrix = np.zeros((borders, centres + (borders - centres) // 2))
    for place in range(borders):
        mirrored = min(place, borders - 1 - place)
        side = -1.0 if place < half else 1.0
        matrix[place, 0 if centres == 1 or place < half else 1] = 1.0
        distance = half - mirrored - (0 if centres == 1 else 1)
        if distance:
            matrix[place, centres + distance - 1] = side
    spacings = tuple(f"spacing.{number + 1}" for number in range(matrix.shape[1] - centres))
    return matrix, (("central",) if centres == 1 else ("central.1", "central.2")) + spacings


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """All thresholds of a model as a linear function of its threshold parameters α.

    `matrix` has a row for each cell and threshold (cell by cell) and a column a parameter; `offset` is 0, or ±∞ where
    the threshold is at infinity. `nominal` has a row for each numeric column and threshold: how much a unit of the
    column shifts that threshold.
    """

    kind: ThresholdKind
    categories: tuple[str, ...]
    cells: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: scipy.sparse.csr_array
    offset: Floats
    nominal: scipy.sparse.csr_array
    names: tuple[str, ...]

    @property
    def borders(self) -> int:
        """How many thresholds a cell has."""
        return len(self.categories) - 1

    @property
    def border_names(self) -> tuple[str, ...]:
        """The thresholds' names, `1|2`."""
        return tuple(f"{low}|{high}" for low, high in pairwise(self.categories))

    def values(self, alpha: Floats) -> Floats:
        """Return the thresholds, a row a cell."""
        return np.asarray(self.matrix @ alpha + self.offset).reshape(len(self.cells), self.borders)

    def shifts(self, alpha: Floats) -> Floats:
        """Return how much a unit of each numeric column shifts each threshold, a row a column."""
        return np.asarray(self.nominal @ alpha).reshape(len(self.columns), self.borders)

    def at(self, alpha: Floats, cells: Integers, nominal: Floats) -> Floats:
        """Return the thresholds of observations, a row each."""
        held = self.values(alpha)[cells]
        return np.asarray(held + nominal @ self.shifts(alpha)) if self.columns else np.asarray(held)

    def incidence(self, border: Integers, cells: Integers, nominal: Floats) -> tuple[scipy.sparse.csr_array, Floats]:
        """Return which parameters make threshold number `border` of each observation, and what is added.

        Border −1 lies at −∞, the last but one after the top category at +∞.
        """
        low, high = border < 0, border >= self.borders
        inside = ~(low | high)
        place = np.where(inside, cells * self.borders + border, 0)
        rows = _scale_rows(self.matrix[place], inside.astype(np.float64))
        offset = np.where(inside, self.offset[place], np.where(low, -np.inf, np.inf))
        finite = np.isfinite(offset)
        for column in range(len(self.columns)):
            shift = self.nominal[np.where(inside, column * self.borders + border, 0)]
            rows = rows + _scale_rows(shift, np.where(finite, nominal[:, column], 0.0))
        return scipy.sparse.csr_array(rows), offset


def _scale_rows(rows: scipy.sparse.csr_array, factors: Floats) -> scipy.sparse.csr_array:
    scaled = scipy.sparse.csr_array(
        (rows.data * np.repeat(factors, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )
    scaled.eliminate_zeros()
    return scaled


def make_thresholds(
    kind: ThresholdKind,
    categories: Sequence[str],
    used: Floats,
    cells: Sequence[str] = ("",),
    columns: Sequence[str] = (),
) -> Thresholds:
    """Lay out the thresholds: `used` counts, a row a cell, how often each category was given there."""
    jacobian, labels = threshold_matrix(kind, len(categories))
    borders = len(categories) - 1
    plain = [f"{low}|{high}" for low, high in pairwise(categories)]
    labels = tuple(label or plain[place] for place, label in enumerate(labels))
    blocks, offsets, names = [], [], []
    for cell, counts in zip(cells, used, strict=True):
        columns_of_cell, offset, kept = _cell(kind, counts > 0, jacobian, cell)
        blocks.append(columns_of_cell)
        offsets.append(offset)
        names += [f"{cell}: {labels[place]}" if cell else labels[place] for place in kept]
    own = sum(block.shape[1] for block in blocks)
    matrix = np.zeros((len(cells) * borders, own))
    place = 0
    for number, block in enumerate(blocks):
        matrix[number * borders : (number + 1) * borders, place : place + block.shape[1]] = block
        place += block.shape[1]
    shifted = np.kron(np.eye(len(columns)), jacobian)
    return Thresholds(
        kind,
        tuple(categories),
        tuple(cells),
        tuple(columns),
        scipy.sparse.csr_array(
            scipy.sparse.hstack(
                [scipy.sparse.csr_array(matrix), scipy.sparse.csr_array((len(matrix), shifted.shape[1]))]
            )
        ),
        np.concatenate(offsets),
        scipy.sparse.csr_array(np.hstack([np.zeros((len(shifted), own)), shifted])),
        (*names, *(f"{label}: {column}" for column in columns for label in labels)),
    )


def _cell(kind: str, used: np.ndarray, jacobian: Floats, cell: str) -> tuple[Floats, Floats, list[int]]:
    """Return J of one cell, what is added to its thresholds, and which columns of J it keeps."""
    present = np.flatnonzero(used)
    offset = np.zeros(len(jacobian))
    if kind != "flexible" or len(present) == len(used):
        if kind != "flexible" and len(present) < min(3, len(used)):
            raise UserError(
                f"{cell or 'The response'} uses {len(present)} of {len(used)} categories: too few for {kind} ones.",
                remedy='Use threshold="flexible", or leave these ratings out.',
            )
        return jacobian, offset, list(range(jacobian.shape[1]))
    if len(present) < 2:
        raise UserError(
            f"All ratings of {cell or 'the response'} are equal, so there is no threshold to estimate.",
            remedy="Leave these ratings out, or do not let the thresholds differ by this column.",
        )
    # Threshold k parts category k from k + 1; it is free where k is used, and follows the last one used before.
    borders = np.arange(len(jacobian))
    offset[borders < present[0]] = -np.inf
    offset[borders >= present[-1]] = np.inf
    free = [int(place) for place in present[:-1]]
    owner = np.searchsorted(present, borders, side="right") - 1
    rows = np.zeros((len(jacobian), len(free)))
    inside = np.isfinite(offset)
    rows[borders[inside], owner[inside]] = 1.0
    return rows, offset, free
