"""How does an analysis wish its estimates to be laid out as a table and a figure?

An analysis names a `Layout`; the report obeys it. The layout is a plain value and travels as JSON with the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hengliang.bilingual import Bilingual

StatisticFormat = Literal["percent", "number", "p", "integer"]
FigureKind = Literal["intervals", "bars", "none"]


@dataclass(frozen=True, slots=True)
class StatisticLabel:
    """What a statistic is called and how its values are written.

    `percent` multiplies by a hundred and says so in the heading; `p` is written as probabilities of a test are
    (`< .001`); `digits` are the decimals shown.
    """

    title: Bilingual
    format: StatisticFormat = "number"
    digits: int = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """Which factors make the rows, what makes the columns, and what is drawn.

    `rows` are factors of `Estimate.by`; `columns` is `statistic` or one more factor. `factors` and `levels` are the
    titles of factors and of their levels; a name without a title is shown as it is. `figure_statistics` are the
    statistics that the figure draws; none named means all.
    """

    rows: tuple[str, ...]
    columns: str = "statistic"
    statistics: Mapping[str, StatisticLabel] = field(default_factory=dict)
    factors: Mapping[str, Bilingual] = field(default_factory=dict)
    levels: Mapping[str, Bilingual] = field(default_factory=dict)
    figure: FigureKind = "intervals"
    figure_statistics: tuple[str, ...] = ()
