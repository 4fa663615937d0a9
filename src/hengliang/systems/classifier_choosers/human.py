"""What would people put into the slot?

Speakers who filled the slots of a cloze test are a system like any other: the ranking of a slot holds what they
answered, with the share of speakers who did. One speaker by name is a system, too, so that people can be compared with
each other and with the models (`hengliang.analysis.speaker_agreement`).

[1] Chen, G. (2022). Computational generation of Chinese noun phrases. PhD thesis, Utrecht University. Speakers chose
    the corpus's classifier in 70.97 % of random sentences and in 41.82 % of those with infrequent classifiers, as
    reported by de Bruijn (2023).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.corpora.plain_text import OnBroken
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.speakers import SpeakerAnswers, read_speakers

Speakers = Literal["plurality", "random"]
"""Whose answer comes first: the one that most speakers gave, or that of one speaker drawn for each slot."""


@register("HUMAN")
class Human(ClassifierChooser):
    """What speakers answered to the slots of a cloze test, from a file or an experiment folder.

    A ranking holds the answers with the share of speakers who gave them. Equal shares are ordered by how often the
    classifier was answered in all, then by its characters. With `speakers="random"` it holds the answer of one speaker,
    drawn for each slot by a hash of `seed`, sentence and slot; with `participant` that of this speaker. A slot that
    nobody answered is missing.

    `answers` is the file or folder; `items`, `scale` and `errors` are those of `read_speakers`.
    """

    title = Bilingual("Speakers", "母语者")

    def __init__(
        self,
        answers: Path | str = "",
        participant: str = "",
        speakers: Speakers = "plurality",
        items: Material | None = None,
        scale: str = "",
        errors: OnBroken = "raise",
        seed: int | None = None,
        name: str = "",
    ) -> None:
        self.answers = Path(answers) if answers else None
        self.participant = participant
        self.speakers = speakers
        self.items = items
        self.scale = scale
        self.errors = errors
        self.seed = seed
        self.name = name or participant or "HUMAN"

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return what the speakers answered to each slot; an empty ranking where nobody did."""
        if self.speakers not in get_args(Speakers):
            raise unknown_name("way to join speakers", self.speakers, get_args(Speakers))
        table = self._answered() if slots.height else pl.DataFrame(schema={**_KEY, "content": RANKING})
        found = slots.join(table, on=["sentence", "slot"], how="left", maintain_order="left")
        return found.select(pl.coalesce("content", pl.lit([], dtype=RANKING)).alias("content"))["content"]

    def recorded(self) -> SpeakerAnswers:
        """Return the answers as they were read, with the count of what was changed in them."""
        held: SpeakerAnswers | None = self.__dict__.get("_recorded")
        if held is None:
            if self.answers is None:
                raise UserError(
                    "HUMAN has no answers of speakers.",
                    valid="A CSV or TSV file with the columns sentence, participant, answer, or an experiment folder.",
                    remedy="Name it: chooser('HUMAN', answers='cloze.csv')",
                )
            held = read_speakers(self.answers, items=self.items, scale=self.scale, errors=self.errors)
            self.__dict__["_recorded"] = held
        return held

    def _answered(self) -> pl.DataFrame:
        """Return one row a slot with its ranking."""
        held: pl.DataFrame | None = self.__dict__.get("_table")
        if held is None:
            recorded = self.recorded()
            table = recorded.of(self.participant) if self.participant else recorded.table
            answered = table.drop_nulls("answer")
            if self.speakers == "random" and not self.participant:
                answered = _drawn(answered, 1 if self.seed is None else self.seed)
            held = self.__dict__["_table"] = _ranked(answered)
        return held

    def traits(self) -> Mapping[str, Attribute]:
        """Say that these are people and, of a single one, who."""
        return {"family": "HUMAN", "speaker": self.participant or None}

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was read behind: a worker process reads it itself."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}


_KEY = {"sentence": pl.String(), "slot": pl.Int64()}


def _ranked(answered: pl.DataFrame) -> pl.DataFrame:
    everywhere = answered.group_by("answer").agg(overall=pl.len())
    return (
        answered.group_by("sentence", "slot", "answer")
        .agg(count=pl.len())
        .join(everywhere, on="answer")
        .with_columns(probability=pl.col("count") / pl.col("count").sum().over("sentence", "slot"))
        .sort("sentence", "slot", "count", "overall", "answer", descending=[False, False, True, True, False])
        .group_by("sentence", "slot", maintain_order=True)
        .agg(content=pl.struct(label="answer", probability="probability"))
    )


def _drawn(answered: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Keep one answer a slot: that of the speaker whose hash of seed, slot and name is the lowest."""
    keys = [
        hashlib.blake2b(f"{seed} {slot} {len(who)} {who}{sentence}".encode(), digest_size=8).hexdigest()
        for sentence, slot, who in answered.select("sentence", "slot", "participant").iter_rows()
    ]
    drawn = answered.with_columns(draw=pl.Series(keys, dtype=pl.String)).sort("draw")
    return drawn.unique(["sentence", "slot"], keep="first", maintain_order=True).drop("draw")


def speakers(
    answers: Path | str, items: Material | None = None, scale: str = "", errors: OnBroken = "raise"
) -> tuple[Human, ...]:
    """Return each speaker of a file or an experiment folder as a system of their own, by name."""
    everyone = Human(answers, items=items, scale=scale, errors=errors)
    return tuple(
        Human(answers, participant=who, items=items, scale=scale, errors=errors)
        for who in everyone.recorded().participants
    )
