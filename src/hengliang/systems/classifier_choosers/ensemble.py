"""Do several choosers together choose better than each alone?

The probabilities of the members are averaged, each with its weight. Members err in different places: a model of counts
knows the noun, an encoder the sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.rankings import DIGITS, TOP


@register("ENSEMBLE")
class Ensemble(ClassifierChooser):
    """The weighted mean of the probabilities of several choosers; without weights all count the same.

    A classifier that a member's ranking does not name has probability 0 for it. A member without an answer to a slot
    does not count there; where none has one, neither has the ensemble.
    """

    title = Bilingual("Ensemble of choosers", "量词选择器的组合")

    def __init__(
        self,
        members: Sequence[ClassifierChooser] = (),
        weights: Sequence[float] = (),
        top: int | None = TOP,
        name: str = "ENSEMBLE",
    ) -> None:
        self.members = tuple(members)
        self.weights = tuple(weights)
        self.top = top
        self.name = name

    def prepare(self, watcher: Watcher) -> None:
        """Get all members ready."""
        self._check()
        for member in self.members:
            member.prepare(watcher)

    def _check(self) -> None:
        if not self.members:
            raise UserError(
                "An ensemble needs members.", remedy="chooser('ENSEMBLE', members=[chooser('RULE'), chooser('LINEAR')])"
            )
        if self.weights and len(self.weights) != len(self.members):
            raise UserError(
                f"There are {len(self.weights)} weights for {len(self.members)} members.", valid="One weight a member."
            )
        strange = next((weight for weight in self.weights if not 0 < weight < math.inf), None)
        if strange is not None:
            raise UserError(f"A weight is {strange}.", valid="Weights are numbers above 0.")
        if self.top is not None and self.top < 1:
            raise UserError(
                f"A ranking of {self.top} classifiers is not possible.", valid="top is a whole number from 1, or None."
            )

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the classifiers by their mean probability; equal ones stand in the order of their characters."""
        self._check()
        weights = self.weights or (1.0,) * len(self.members)
        said = pl.concat([_votes(self.members[place], slots, place, weight) for place, weight in enumerate(weights)])
        total = said.select("row", "member", "weight").unique().group_by("row").agg(total=pl.col("weight").sum())
        means = (
            said.group_by("row", "label")
            .agg(mass=(pl.col("probability") * pl.col("weight")).sum())
            .join(total, on="row")
            .with_columns(probability=pl.col("mass") / pl.col("total"))
        )
        if self.top is not None:
            means = means.with_columns(pl.col("probability").round(DIGITS))
        means = means.sort("row", "probability", "label", descending=[False, True, False])
        if self.top is not None:
            means = means.filter(pl.int_range(pl.len()).over("row") < self.top)
        ranked = means.group_by("row", maintain_order=True).agg(content=pl.struct("label", "probability"))
        rows = pl.DataFrame({"row": pl.int_range(slots.height, eager=True)})
        return rows.join(ranked, on="row", how="left", maintain_order="left")["content"].fill_null([]).cast(RANKING)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the family, by which analyses may group."""
        return {"family": self.name}


def _votes(member: ClassifierChooser, slots: pl.DataFrame, place: int, weight: float) -> pl.DataFrame:
    """Return one row for each slot and classifier that a member names."""
    return (
        pl.DataFrame({"row": pl.int_range(slots.height, eager=True), "choice": member.ranked(slots)})
        .explode("choice")
        .drop_nulls("choice")
        .unnest("choice")
        .with_columns(member=pl.lit(place), weight=pl.lit(float(weight)))
    )
