"""Recorded surprisals: language models of which only the surprisals in files are left, as systems of a study.

A recorded model answers the sentences that it has scored with the surprisals in its files, and no others: an item in
another wording is missing, with the reason. So published models are judged by the same measures as those at hand.

Surprisals are recorded in nats or in bits, and the files do not say in which. Those of the paper are in bits: every
value of its n-gram model is the binary logarithm of a probability of seven digits. All others are taken for nats where
nobody says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.labelling.texts import texts_of_items
from hengliang.core.records import Attribute, ResponseKind, ScoredUnit
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.corpora.catalogue import source
from hengliang.grammar.suites.published import SUITE_NAMES, layout_of
from hengliang.grammar.suites.recorded import (
    RecordedSuites,
    RecordedTraining,
    recorded_root,
    recorded_training,
    recorded_trainings,
)
from hengliang.grammar.suites.suite import Words
from hengliang.language_models.scores import scores_of

PUBLISHED = "wang2021-surprisals"
"""The source in the catalogue whose models have published accuracies."""

SurprisalUnit = Literal["nats", "bits"]
NATS: Mapping[SurprisalUnit, float] = {"nats": 1.0, "bits": math.log(2)}
"""How many nats one of each unit is."""

NOT_RECORDED = "this model has no recorded surprisals of the sentence"
TWO_ANSWERS = "the sentence is recorded twice, with different surprisals"


class Kind(NamedTuple):
    """What a name of the layout stands for."""

    title: str
    structured: bool


KINDS: Mapping[str, Kind] = {
    "ngram": Kind("n-gram", False),
    "lstm": Kind("LSTM", False),
    "rnng": Kind("RNNG", True),
    "trans": Kind("Transformer", False),
    "plm": Kind("PLM", True),
}
"""The models of the paper by their names in the layout, in the order of its tables."""


class RecordedModel(System):
    """One training of a model that is known by its recorded surprisals.

    `recorded_unit` is that of its files; if none is named, it is bits for the published files and nats for all others.
    `table` says how they are read.
    """

    role: ClassVar[str] = "system"
    kind: ClassVar[ResponseKind] = "units"
    looks_at: ClassVar[tuple[str, ...] | None] = ("suite", "frame")

    def __init__(
        self,
        folder: Path,
        name: str = "",
        seed: int | None = None,
        recorded_unit: SurprisalUnit | None = None,
        table: TableOptions = AS_RECOGNISED,
    ) -> None:
        self.folder = folder
        self.name = name
        self.seed = seed
        self.recorded_unit = recorded_unit
        self.table = table

    @cached_property
    def training(self) -> RecordedTraining:
        """The files of this training."""
        return recorded_training(self.folder, self.table)

    @cached_property
    def published(self) -> bool:
        """Whether these are the files from which the paper's accuracies were computed."""
        return _is_published(self.training)

    @cached_property
    def recorded_in(self) -> SurprisalUnit:
        """The unit of the surprisals in the files."""
        if self.recorded_unit is not None and self.recorded_unit not in NATS:
            raise unknown_name("unit of surprisal", self.recorded_unit, NATS)
        return self.recorded_unit or ("bits" if self.published else "nats")

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """The name, in both languages."""
        return Bilingual(self.name, self.name)

    def traits(self) -> Mapping[str, Attribute]:
        """Return architecture, whether it was trained on structure, and the training data, as far as known."""
        kind = KINDS.get(self.training.model)
        return MappingProxyType(
            {
                "architecture": kind.title if kind else None,
                "structured": kind.structured if kind else None,
                "data": "CTB" if self.published else None,
            }
        )

    def signature(self) -> Signature:
        """Return the checksum of the files and how the numbers in them are read."""
        return constructor_signature(self).and_(
            scoring="as recorded", recorded=self.recorded_in, unit="word", log="natural"
        )

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the recorded units of each sentence, each word a unit; a sentence that was not scored is missing."""
        nothing = pl.Series([""] * items.height, dtype=pl.String)
        where = [
            items[name].fill_null("") if name in items.columns else nothing.alias(name) for name in ("suite", "frame")
        ]
        nats = NATS[self.recorded_in]
        answered: list[tuple[ScoredUnit, ...] | str] = []
        for text, suite, frame in zip(texts_of_items(items), *where, strict=True):
            surprisals = self._recorded(tuple(text.words), str(suite), str(frame))
            if isinstance(surprisals, str):
                answered.append(surprisals)
                continue
            units = zip(text.spans, surprisals, strict=True)
            answered.append(tuple(ScoredUnit(start, end, 0.0 - nats * value, None) for (start, end), value in units))
        scores = scores_of(answered)
        reasons = pl.Series("reason", scores.problems, dtype=pl.String)
        answers = pl.DataFrame({"item": items["id"], "content": scores.content(), "reason": reasons})
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("missing"))
        return answers.with_columns(status=status).select(list(answer_schema("units")))

    def _recorded(self, words: Words, suite: str, frame: str) -> tuple[float, ...] | str:
        """Return the surprisals of these words: in a suite of the layout those of its item, else wherever they are.

        A beam search need not give one sentence the same number twice, so the place counts. A frame ends in the number
        of the item, whoever published its sentences.
        """
        by_item = self._sentences.get(words, {})
        if suite in SUITE_NAMES:
            answers = by_item.get((suite, frame.rpartition(" ")[2]), set())
        else:
            answers = {answer for several in by_item.values() for answer in several}
        if not answers:
            return NOT_RECORDED
        return next(iter(answers)) if len(answers) == 1 else TWO_ANSWERS

    @cached_property
    def _sentences(self) -> dict[Words, dict[tuple[str, str], set[tuple[float, ...]]]]:
        surprisals: dict[Words, dict[tuple[str, str], set[tuple[float, ...]]]] = {}
        for name in SUITE_NAMES:
            size = len(layout_of(name).lines)
            for number, sentence in enumerate(self.training.suite(name)):
                key = name, str(number // size + 1)
                surprisals.setdefault(sentence.words, {}).setdefault(key, set()).add(sentence.surprisals)
        return surprisals


def _is_published(training: RecordedTraining) -> bool:
    entries = {tuple(Path(file.path).parts[-2:]): file for file in source(PUBLISHED).files}
    for name in SUITE_NAMES:
        entry, path = entries.get((training.folder.name, f"{name}.tsv")), training.files.get(name)
        if entry is None or path is None or path.stat().st_size != entry.size or file_checksum(path) != entry.sha256:
            return False
    return True


class Recorded(NamedTuple):
    """What a folder of recorded surprisals brings into a study."""

    materials: RecordedSuites
    systems: tuple[RecordedModel, ...]


def recorded_models(
    folder: Path | str, unit: SurprisalUnit | None = None, table: TableOptions = AS_RECOGNISED
) -> tuple[RecordedModel, ...]:
    """Return the recorded models in a folder: those of the paper in its order, then the others by name."""
    order = list(KINDS)
    trainings = recorded_trainings(folder)
    ranked = sorted(trainings, key=lambda one: order.index(one.model) if one.model in KINDS else len(order))
    models = tuple(
        RecordedModel(one.folder, KINDS[one.model].title if one.model in KINDS else one.model, one.seed, unit, table)
        for one in ranked
    )
    for one, other in combinations(models, 2):
        if (one.name, one.seed) == (other.name, other.seed):
            raise UserError(
                f"{one.folder} and {other.folder} are both {one.name} (seed {one.seed}).",
                valid="A folder for each training, with a model or a seed of its own.",
                remedy="Rename one of the folders.",
            )
    return models


def recorded_study(
    folder: Path | str, unit: SurprisalUnit | None = None, table: TableOptions = AS_RECOGNISED
) -> Recorded:
    """Return material and systems of a folder of recorded surprisals, given by path or by name in the catalogue.

    `unit` is that of the files: bits for the published ones and nats for others, if it is not named. `table` says how
    they are read.
    `Study(name, *recorded_study("DIR"), measures=[prediction()])` judges them as any other models.
    """
    root = recorded_root(folder)
    return Recorded(RecordedSuites(root, table), recorded_models(root, unit, table))
