"""How often was it seen, in bands that can be compared?

Accuracy is shown by how often a classifier or a noun was seen in training. The bands are about equal steps on a scale
of logarithms; their names sort in their order, so that tables keep it without being told.
"""

from __future__ import annotations

import polars as pl

BANDS: tuple[tuple[int, str], ...] = (
    (0, "00"),
    (1, "01"),
    (2, "02–04"),
    (5, "05–09"),
    (10, "10–49"),
    (50, "50+"),
)
"""The least count of each band, and its name."""

BAND_NAMES: tuple[str, ...] = tuple(name for _, name in BANDS)


def band(count: int) -> str:
    """Return the name of the band in which a count lies."""
    return next(name for least, name in reversed(BANDS) if count >= least)


def bands(counts: pl.Expr) -> pl.Expr:
    """Return the names of the bands of many counts."""
    found = pl.lit(BANDS[0][1])
    for least, name in BANDS[1:]:
        found = pl.when(counts >= least).then(pl.lit(name)).otherwise(found)
    return found
