"""What does a report say, before anybody has thought about how it looks?

A `ReportContent` holds everything that a page shows. It travels as JSON, so that a report can be made again from a run
folder alone, long after the systems and the corpora are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, Self

import polars as pl

from hengliang.core.base_classes import Layout
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import SCHEMA_VERSION, estimate_rows, estimates_from_rows
from hengliang.core.records import ESTIMATE_SCHEMA
from hengliang.core.runs import Form
from hengliang.core.settings import Later, WrittenAs, from_json, record_to_json
from hengliang.core.terms import Bilingual, both
from hengliang.core.views import View


@dataclass(frozen=True, slots=True)
class MaterialEntry:
    """What was asked; `facts` are further lines, a title and a value each."""

    name: str
    title: Bilingual
    n_items: int
    licence: str = ""
    citation: str = ""
    signature: str = ""
    facts: tuple[tuple[Bilingual, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """Who answered, how often, and how often not."""

    name: str
    title: Bilingual
    seed: int | None = None
    traits: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    n_responses: int = 0
    n_missing: int = 0


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """How the answers were judged, and by what kind of judge."""

    name: str
    title: Bilingual
    judge_kind: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class AnalysisEntry:
    """What was concluded how; its numbers are the estimates whose `analysis` is `name`.

    `sentences` say the same in words, as a results section would.
    """

    name: str
    title: Bilingual
    explanation: Bilingual
    layout: Layout
    sentences: Annotated[tuple[Bilingual, ...], Later()] = ()


class StageEntry(NamedTuple):
    """One stage of the run."""

    name: str
    rows: int
    seconds: float
    signature: str


_AGAIN = "Run the study from its estimates, which describes it anew: hengliang run STUDY --from estimates"


def _no_estimates() -> pl.DataFrame:
    return pl.DataFrame(schema=ESTIMATE_SCHEMA)


def _stage_objects(stages: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [StageEntry(*stage)._asdict() for stage in stages]


def _stage_entries(values: Iterable[Mapping[str, Any]]) -> tuple[StageEntry, ...]:
    return tuple(StageEntry(**value) for value in values)


@dataclass(frozen=True, slots=True, eq=False)
class ReportContent:
    """Everything that the report of one study shows."""

    name: str
    question: Bilingual
    created: str
    simulated: bool = False
    form: Annotated[Form, Later()] = ""
    materials: tuple[MaterialEntry, ...] = ()
    systems: tuple[SystemEntry, ...] = ()
    measures: tuple[MeasureEntry, ...] = ()
    analyses: tuple[AnalysisEntry, ...] = ()
    estimates: Annotated[pl.DataFrame, WrittenAs(estimate_rows, estimates_from_rows)] = field(
        default_factory=_no_estimates
    )
    notes: tuple[Bilingual, ...] = ()
    stages: Annotated[tuple[tuple[str, int, float, str], ...], WrittenAs(_stage_objects, _stage_entries)] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    views: Annotated[tuple[View, ...], Later()] = ()

    def estimates_of(self, analysis: str) -> pl.DataFrame:
        """Return the estimates of one analysis, in their order."""
        return self.estimates.filter(pl.col("analysis") == analysis)

    def all_analyses(self) -> tuple[AnalysisEntry, ...]:
        """Return the analyses, and a plain entry for each that has estimates and no entry: no number goes unseen."""
        known = {entry.name for entry in self.analyses}
        others = [name for name in dict.fromkeys(self.estimates["analysis"].to_list()) if name not in known]
        plain = (AnalysisEntry(name, both(name), Bilingual("", ""), Layout(rows=())) for name in others)
        return (*self.analyses, *plain)

    def to_json(self) -> dict[str, Any]:
        """Return the content as a JSON object: the estimates as rows, the data of each view under its name."""
        held = record_to_json(self)
        data = {view["name"]: view.pop("data") for view in held["views"]}
        shown = {name: value for name, value in data.items() if value is not None}
        return {"schema_version": SCHEMA_VERSION, **held, **shown}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave; say what is wrong with anything else."""
        version = value.get("schema_version")
        if version != SCHEMA_VERSION:
            raise UserError(
                f"The report content has the schema version {version!r}.",
                valid=f"This hengliang reads version {SCHEMA_VERSION}.",
                remedy=f"Make the report again with the hengliang that wrote it. {_AGAIN}",
            )
        views = value.get("views")
        if isinstance(views, list) and all(isinstance(view, Mapping) for view in views):
            views = [{**view, "data": value.get(str(view.get("name")))} for view in views]
            value = {**value, "views": views}
        return from_json(cls, value, "The report content", remedy=_AGAIN)
