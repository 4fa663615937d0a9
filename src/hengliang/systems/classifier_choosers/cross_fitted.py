"""How good is a chooser that also learns from the genre it is tried on, without ever seeing what it is asked?

The sentences of a small collection are dealt into folds by a hash of their text. For each fold there is a chooser that
learned from the usual examples and from the other folds. A slot is put to the chooser that has not seen its sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, number_of
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.materials.joined_slots import JoinedSlots
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser, chooser
from hengliang.systems.classifier_choosers.trained import TrainedChooser

REPEATS = 3
"""How many times the few examples of the genre count beside the many others."""


class OtherFolds(Material):
    """The items of a material whose sentences are not in one fold, each repeated so that it counts more."""

    title = Bilingual("All folds but one", "除一折以外")

    def __init__(self, material: Material, fold: int, folds: int, repeats: int = 1) -> None:
        self.material = material
        self.fold = fold
        self.folds = folds
        self.repeats = repeats
        self.name = f"{material.name} without fold {fold} of {folds}"
        self.licence = material.licence

    def items(self) -> pl.DataFrame:
        """Return the items of the other folds; copies have ids of their own."""
        items = self.material.items()
        kept = items.filter(fold_numbers(items["content"].to_list(), self.folds) != self.fold)
        copies = [kept.with_columns(id=pl.format("{}#{}", "id", pl.lit(copy))) for copy in range(1, self.repeats)]
        return pl.concat([kept, *copies])


def fold_numbers(sentences: Sequence[str], folds: int) -> pl.Series:
    """Return the fold of each sentence, from 0; the same sentence is always in the same one."""
    if folds < 2:
        raise UserError(f"{folds} folds are not possible.", valid="At least 2 folds.")
    return pl.Series([number_of(sentence) % folds for sentence in sentences], dtype=pl.Int64)


@register("CROSS-FITTED")
class CrossFitted(ClassifierChooser):
    """Choosers of one family, one a fold of `genre`, each trained on `train` and the folds that are not its own."""

    title = Bilingual("Cross-fitted chooser", "交叉训练的量词选择器")

    def __init__(
        self,
        family: str = "LINEAR",
        genre: Material | None = None,
        train: Material | None = None,
        folds: int = 5,
        repeats: int = REPEATS,
        seed: int = 1,
        name: str = "",
    ) -> None:
        self.family = family
        self.genre = genre
        self.train = train
        self.folds = folds
        self.repeats = repeats
        self.seed = seed
        self.name = name or f"{family} cross-fitted"

    @property
    def top(self) -> int | None:  # type: ignore[override]  # it is that of the family, and cannot be set
        """How many classifiers a ranking names at most: as many as those of the family."""
        return chooser(self.family).top

    def choosers(self) -> tuple[ClassifierChooser, ...]:
        """Return the chooser of each fold."""
        held: tuple[ClassifierChooser, ...] | None = self.__dict__.get("_choosers")
        if held is None:
            if self.genre is None:
                raise UserError(
                    "A cross-fitted chooser needs the material of its genre.",
                    remedy="chooser('CROSS-FITTED', family='LINEAR', genre=my_slots)",
                )
            usual = self.train or ClassifierSlots(part="train")
            held = tuple(self._fitted(usual, self.genre, fold) for fold in range(self.folds))
            self.__dict__["_choosers"] = held
        return held

    def _fitted(self, usual: Material, genre: Material, fold: int) -> ClassifierChooser:
        joined = JoinedSlots([usual, OtherFolds(genre, fold, self.folds, self.repeats)])
        options: dict[str, Any] = {"train": joined, "seed": self.seed}
        if isinstance(chooser(self.family), TrainedChooser):
            options["dev"] = ClassifierSlots(part="dev")
        return chooser(self.family, **options)

    def signature(self) -> Signature:
        """Return the arguments and what signs the chooser of a fold: its family is found by name."""
        if self.genre is None:
            return super().signature().and_(member=code_checksum(type(chooser(self.family))))
        return super().signature().and_(member=self.choosers()[0].signature())

    def prepare(self, watcher: Watcher) -> None:
        """Train the chooser of each fold, or find it in the store."""
        for one in self.choosers():
            one.prepare(watcher)

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the rankings of the choosers that have not seen the sentences."""
        numbered = slots.with_row_index("row").with_columns(fold=fold_numbers(slots["sentence"].to_list(), self.folds))
        parts = [pl.DataFrame(schema={"row": pl.UInt32, "content": RANKING})]
        for fold, one in enumerate(self.choosers()):
            asked = numbered.filter(pl.col("fold") == fold)
            if asked.height:
                parts.append(asked.select("row").with_columns(content=one.ranked(asked)))
        return pl.concat(parts).sort("row")["content"]

    def traits(self) -> Mapping[str, Attribute]:
        """Return the family and the seed, by which analyses may group."""
        return {"family": self.name, "seed": self.seed}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the choosers behind: they are made again from the arguments, and find themselves in the store."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
