"""What have people said so far about these responses?"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.experiments import judgements_of, read_experiment
from hengliang.measures.base import Measure
from hengliang.records import JudgeKind


class People(Measure):
    """The answers in an experiment folder, joined to the responses they are about; there may be none yet."""

    judge_kind: JudgeKind = "person"
    title = Bilingual("people's judgements", "人的判断")

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def name(self) -> str:  # type: ignore[override]
        """The folder's name tells two experiments apart."""
        return f"people:{self.folder.name}"

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return every answer about one of these responses, once, however many systems share the response."""
        judgements = judgements_of(read_experiment(self.folder))
        return judgements.join(responses.select(about="id").unique(), on="about", how="semi", maintain_order="left")


def people(folder: str | Path) -> People:
    """Take the experiment in `folder` into a study as one of its judges."""
    return People(Path(folder))
