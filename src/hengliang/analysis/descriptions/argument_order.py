"""Do people speak of shapes and say their colour, or the other way round?

*Half of the squares are red* has the shape in its first argument place and the colour in its second. Three questions
are asked. Where one place names the shape alone and the other the colour alone: how often is the shape first? Of first
places that name one of them, how often is it the shape, and of such second places, how often the colour? And with
places that name both (*blue square*), each expression counted once: is the shape more often before the colour than
after it? Half is what indifference would give in the first question, no difference in the last.
"""

from __future__ import annotations

import math

import polars as pl

from hengliang.analyses.clustered import mean_with_interval
from hengliang.analysis.descriptions.size_trends import ALL, Measured, mixed_estimate, size_estimates
from hengliang.core.records import Estimate
from hengliang.statistics.resampling import Resampling, describe_interval

SHAPE_FIRST = "shape first, colour second"
FIRST_PLACE = "shape, of first places that name one attribute"
SECOND_PLACE = "colour, of second places that name one attribute"
BOTH_PLACES = "shape before colour less colour before shape"

MEASURES: tuple[Measured, ...] = (
    Measured(SHAPE_FIRST, "shape_first", True),
    Measured(FIRST_PLACE, "first_shape", True),
    Measured(SECOND_PLACE, "second_colour", True),
)


def order_estimates(analysis: str, filled: pl.DataFrame, how: Resampling) -> list[Estimate]:
    """Return the shares by size and over all sizes, their trends, and the tests against indifference.

    `filled` are the argument places of expressions (`observed.places`).
    """
    found = [one for measured in MEASURES for one in size_estimates(analysis, measured, filled, how, pooled=True)]
    ordered = filled.filter(pl.col("order").is_not_null())
    if ordered.height:
        found.append(_balance(analysis, ordered, filled.height - ordered.height, how))
    decided = filled.filter(pl.col("shape_first").is_not_null())
    if decided.height:
        value = pl.col("shape_first").cast(pl.Float64)
        table = decided.select("description_id", "subject", "scene_key", value=value)
        by = {"measure": SHAPE_FIRST, "size": ALL}
        formula = "value ~ 1 + (1 | subject) + (1 | scene_key)"
        found.append(mixed_estimate(analysis, by, formula, "(Intercept)", table, "binomial", how.level))
    return found


def _balance(analysis: str, ordered: pl.DataFrame, missing: int, how: Resampling) -> Estimate:
    """Return by how much expressions with the shape before the colour are more than those with it after, as a share."""
    held = mean_with_interval(ordered["order"].cast(pl.Float64), ordered["subject"], how)
    parts = [] if held is None else [float(part[0]) for part in (held.value, held.low, held.high)]
    value, low, high = [None if math.isnan(part) else part for part in parts] or (None, None, None)
    told = describe_interval(how, held, "subject") if held else ""
    return Estimate(
        analysis,
        {"measure": BOTH_PLACES, "size": ALL},
        "share",
        value,
        low,
        high,
        n=ordered.height,
        n_missing=missing,
        method="mean over expressions: 1 with the shape in the first place and the colour in the second, −1 the other "
        f"way round, 0 both at once, left out neither; {told}",
    )
