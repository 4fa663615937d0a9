"""How does an analysis wish its estimates to be laid out as a table and a figure?

An analysis names a `Layout`; the report obeys it. The layout is a plain value and travels as JSON with the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

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

    def to_json(self) -> dict[str, Any]:
        """Return the label as a JSON object."""
        return {"title": self.title.to_json(), "format": self.format, "digits": self.digits}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        return cls(Bilingual(**value["title"]), value["format"], value["digits"])


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

    def to_json(self) -> dict[str, Any]:
        """Return the layout as a JSON object."""
        return {
            "rows": list(self.rows),
            "columns": self.columns,
            "statistics": {name: label.to_json() for name, label in self.statistics.items()},
            "factors": {name: title.to_json() for name, title in self.factors.items()},
            "levels": {name: title.to_json() for name, title in self.levels.items()},
            "figure": self.figure,
            "figure_statistics": list(self.figure_statistics),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        return cls(
            rows=tuple(value["rows"]),
            columns=value["columns"],
            statistics={name: StatisticLabel.from_json(label) for name, label in value["statistics"].items()},
            factors={name: Bilingual(**title) for name, title in value["factors"].items()},
            levels={name: Bilingual(**title) for name, title in value["levels"].items()},
            figure=value["figure"],
            figure_statistics=tuple(value["figure_statistics"]),
        )
