"""What does a report say, before anybody has thought about how it looks?

A `ReportContent` holds everything that a page shows. It travels as JSON, so that a report can be made again from a run
folder alone, long after the systems and the corpora are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, TypeVar, cast, get_args

import polars as pl

from hengliang.analysis.layout import Layout
from hengliang.bilingual import Bilingual, both
from hengliang.errors import UserError
from hengliang.records import ESTIMATE_SCHEMA
from hengliang.report.rows import SCHEMA_VERSION, estimate_rows, estimates_from_rows
from hengliang.report.suite_items import SuiteView, suites_from_json
from hengliang.report.tagging_view import PairView, pairs_from_json
from hengliang.runs import Form

_Made = TypeVar("_Made")


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

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {
            "name": self.name,
            "title": self.title.to_json(),
            "n_items": self.n_items,
            "licence": self.licence,
            "citation": self.citation,
            "signature": self.signature,
            "facts": [[title.to_json(), value] for title, value in self.facts],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        facts = tuple((Bilingual(**title), text) for title, text in value["facts"])
        return cls(
            value["name"],
            Bilingual(**value["title"]),
            value["n_items"],
            value["licence"],
            value["citation"],
            value["signature"],
            facts,
        )


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

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {
            "name": self.name,
            "title": self.title.to_json(),
            "seed": self.seed,
            "traits": dict(self.traits),
            "signature": self.signature,
            "n_responses": self.n_responses,
            "n_missing": self.n_missing,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        return cls(
            value["name"],
            Bilingual(**value["title"]),
            value["seed"],
            dict(value["traits"]),
            value["signature"],
            value["n_responses"],
            value["n_missing"],
        )


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """How the answers were judged, and by what kind of judge."""

    name: str
    title: Bilingual
    judge_kind: str
    signature: str = ""
    conventions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {
            "name": self.name,
            "title": self.title.to_json(),
            "judge_kind": self.judge_kind,
            "signature": self.signature,
            "conventions": dict(self.conventions),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        title, conventions = Bilingual(**value["title"]), dict(value.get("conventions", {}))
        return cls(value["name"], title, value["judge_kind"], value["signature"], conventions)


@dataclass(frozen=True, slots=True)
class AnalysisEntry:
    """What was concluded how; its numbers are the estimates whose `analysis` is `name`.

    `sentences` say the same in words, as a results section would.
    """

    name: str
    title: Bilingual
    explanation: Bilingual
    layout: Layout
    sentences: tuple[Bilingual, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {
            "name": self.name,
            "title": self.title.to_json(),
            "explanation": self.explanation.to_json(),
            "layout": self.layout.to_json(),
            "sentences": [sentence.to_json() for sentence in self.sentences],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        return cls(
            value["name"],
            Bilingual(**value["title"]),
            Bilingual(**value["explanation"]),
            Layout.from_json(value["layout"]),
            # Content that was written before there were sentences has none.
            tuple(Bilingual(**sentence) for sentence in value.get("sentences", ())),
        )


class StageEntry(NamedTuple):
    """One stage of the run."""

    name: str
    rows: int
    seconds: float
    signature: str


def _no_estimates() -> pl.DataFrame:
    return pl.DataFrame(schema=ESTIMATE_SCHEMA)


@dataclass(frozen=True, slots=True, eq=False)
class ReportContent:
    """Everything that the report of one study shows."""

    name: str
    question: Bilingual
    created: str
    simulated: bool = False
    form: Form = ""
    materials: tuple[MaterialEntry, ...] = ()
    systems: tuple[SystemEntry, ...] = ()
    measures: tuple[MeasureEntry, ...] = ()
    analyses: tuple[AnalysisEntry, ...] = ()
    estimates: pl.DataFrame = field(default_factory=_no_estimates)
    notes: tuple[Bilingual, ...] = ()
    stages: tuple[tuple[str, int, float, str], ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    suites: tuple[SuiteView, ...] = ()
    error_pairs: tuple[PairView, ...] = ()

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
        """Return the content as a JSON object, the estimates as rows."""
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "question": self.question.to_json(),
            "created": self.created,
            "simulated": self.simulated,
            "form": self.form,
            "materials": [entry.to_json() for entry in self.materials],
            "systems": [entry.to_json() for entry in self.systems],
            "measures": [entry.to_json() for entry in self.measures],
            "analyses": [entry.to_json() for entry in self.analyses],
            "estimates": estimate_rows(self.estimates),
            "notes": [note.to_json() for note in self.notes],
            "stages": [StageEntry(*stage)._asdict() for stage in self.stages],
            "versions": dict(self.versions),
            "suites": [suite.to_json() for suite in self.suites],
            "error_pairs": [pair.to_json() for pair in self.error_pairs],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave; say what is wrong with anything else."""
        version = value.get("schema_version")
        if version != SCHEMA_VERSION:
            raise UserError(
                f"The report content has the schema version {version!r}.",
                valid=f"This hengliang reads version {SCHEMA_VERSION}.",
                remedy="Make the report again with the hengliang that wrote it, or run the stage 'report' again.",
            )
        return cls(
            name=_part(value, "name", str),
            question=_part(value, "question", _bilingual),
            created=_part(value, "created", str),
            simulated=_part(value, "simulated", bool),
            # Content that was written before the form was told does not know it.
            form=_part(value, "form", _form) if "form" in value else "",
            materials=_part(value, "materials", _all(MaterialEntry.from_json)),
            systems=_part(value, "systems", _all(SystemEntry.from_json)),
            measures=_part(value, "measures", _all(MeasureEntry.from_json)),
            analyses=_part(value, "analyses", _all(AnalysisEntry.from_json)),
            estimates=_part(value, "estimates", estimates_from_rows),
            notes=_part(value, "notes", _all(_bilingual)),
            stages=_part(value, "stages", _all(_stage)),
            versions=_part(value, "versions", dict),
            # Content that was written before there were suites, or error pairs, has none.
            suites=_part(value, "suites", suites_from_json) if "suites" in value else (),
            error_pairs=_part(value, "error_pairs", pairs_from_json) if "error_pairs" in value else (),
        )


def _form(value: str) -> Form:
    for form in get_args(Form):
        if form == value:
            return cast(Form, form)
    raise ValueError(f"no form is called {value!r}")


def _bilingual(value: Mapping[str, str]) -> Bilingual:
    return Bilingual(**value)


def _stage(value: Mapping[str, Any]) -> StageEntry:
    return StageEntry(**value)


def _all(make: Callable[[Any], _Made]) -> Callable[[Any], tuple[_Made, ...]]:
    def make_all(values: Any) -> tuple[_Made, ...]:
        return tuple(make(value) for value in values)

    return make_all


def _part(value: Mapping[str, Any], key: str, make: Callable[[Any], _Made]) -> _Made:
    """Read one part, and name it when it is not there or not of the right shape."""
    try:
        return make(value[key])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"no '{error.args[0]}'" if isinstance(error, KeyError) else str(error)
        raise UserError(
            f"The report content cannot be read at '{key}': {what}.",
            remedy="Run the stage 'report' again; it writes the content anew.",
        ) from error
