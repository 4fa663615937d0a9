"""People's judgements: the answers of an experiment, as they are now, about the responses of a run."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import NamedTuple, Self

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.records import JudgeKind
from hengliang.core.signature import Signature, code_checksum, constructor_signature, digest, version
from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment, judgements_of
from hengliang.people.collected.reading import collected_experiment, has_database


class _Answers(NamedTuple):
    """What people had answered at one moment."""

    signature: Signature
    simulated: bool
    judgements: pl.DataFrame


class People(Measure):
    """The answers of an experiment, joined to the responses they are about; there may be none yet.

    They come from the experiment's database where it has one, else from its folder.
    """

    judge_kind: JudgeKind = "person"
    title = Bilingual("people's judgements", "人的判断")
    _kept: _Answers | None = None
    """What was read for the time of a run."""

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
        return self._answers().simulated

    def experiment(self) -> Experiment:
        """Return the experiment with the answers it has now."""
        return collected_experiment(self.folder, database_url=self.database_url, kind=self.kind)

    def at_this_moment(self) -> Self:
        """Return this judge with the answers of now, which are read here and stay what they are for a run."""
        frozen = copy.copy(self)
        frozen._kept = self._read()
        return frozen

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return every answer about one of these responses, once, however many systems share the response."""
        judgements = self._answers().judgements
        return judgements.join(responses.select(about="id").unique(), on="about", how="semi", maintain_order="left")

    def signature(self) -> Signature:
        """Return all that can change a judgement; of a database its answers, for its files change with every look."""
        if self._kept is None and not has_database(self.folder, self.database_url):
            return constructor_signature(self)
        return self._answers().signature

    def _answers(self) -> _Answers:
        return self._kept or self._read()

    def _read(self) -> _Answers:
        """Read the experiment; files that change meanwhile are read again, for the signature is that of the answers."""
        if has_database(self.folder, self.database_url):
            experiment = self.experiment()
            judgements = judgements_of(experiment)
            made = {"class": type(self).__qualname__, "code": code_checksum(type(self)), "hengliang": version()}
            signature = Signature.of(**made, kind=self.kind, answers=digest(judgements.write_csv()))
            return _Answers(signature, experiment.simulated, judgements)
        while True:
            before = constructor_signature(self) if self.folder.is_dir() else None
            experiment = self.experiment()
            signature = constructor_signature(self)
            if signature == before:
                return _Answers(signature, experiment.simulated, judgements_of(experiment))


def people(folder: str | Path, *, kind: str = "real", database_url: str | None = None) -> People:
    """Take the experiment in `folder` into a study as one of its judges.

    `kind` chooses among the participants of a survey: `real`, `pilot` or `simulated`.
    """
    return People(Path(folder), kind, database_url)
