"""What have people said so far about these responses?"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.experiments import Experiment, judgements_of
from hengliang.measures.base import Measure
from hengliang.people.collected.reading import collected_experiment, has_database
from hengliang.records import JudgeKind
from hengliang.signature import Signature, code_checksum, constructor_signature, digest, version


class People(Measure):
    """The answers of an experiment, joined to the responses they are about; there may be none yet.

    They come from the experiment's database where it has one, else from its folder.
    """

    judge_kind: JudgeKind = "person"
    title = Bilingual("people's judgements", "人的判断")

    def __init__(self, folder: Path, kind: str = "real", database_url: str | None = None) -> None:
        self.folder = folder
        self.kind = kind
        self.database_url = database_url

    @property
    def name(self) -> str:  # type: ignore[override]
        """The folder's name tells two experiments apart."""
        return f"people:{self.folder.name}"

    @property
    def simulated(self) -> bool:  # type: ignore[override]
        """Whether programs gave the answers, not people."""
        return self.experiment().simulated

    def experiment(self) -> Experiment:
        """Return the experiment with the answers it has now."""
        return collected_experiment(self.folder, database_url=self.database_url, kind=self.kind)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return every answer about one of these responses, once, however many systems share the response."""
        judgements = judgements_of(self.experiment())
        return judgements.join(responses.select(about="id").unique(), on="about", how="semi", maintain_order="left")

    def signature(self) -> Signature:
        """Return all that can change a judgement; of a database its answers, for its files change with every look."""
        if not has_database(self.folder, self.database_url):
            return constructor_signature(self)
        answers = digest(judgements_of(self.experiment()).write_csv())
        made = {"class": type(self).__qualname__, "code": code_checksum(type(self)), "hengliang": version()}
        return Signature.of(**made, kind=self.kind, answers=answers)


def people(folder: str | Path, *, kind: str = "real", database_url: str | None = None) -> People:
    """Take the experiment in `folder` into a study as one of its judges.

    `kind` chooses among the participants of a survey: `real`, `pilot` or `simulated`.
    """
    return People(Path(folder), kind, database_url)
