"""Studies and their runs: a question, the parts that answer it, and the stages that run into a folder.

A `Study` names materials, systems, measures and analyses. Running it fills a run folder stage by stage, each only when
it is not up to date, and a `Run` is what is in the folder, ready to look at. At the end, studies are found by the name
of a module of ours or by the path of a Python file.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar, get_args

import polars as pl

from hengliang.core import places
from hengliang.core.base_classes import Analysis, Material, Measure, System
from hengliang.core.engine.mapping import Engine, InProcess
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import write_text
from hengliang.core.progress import Watcher, usual_watcher
from hengliang.core.records import ResponseKind
from hengliang.core.registry import load_file
from hengliang.core.runs import STAGES, Form, Manifest, RunFolder, Stage, StageRecord, now, package_versions
from hengliang.core.signature import digest, file_checksum
from hengliang.core.terms import Bilingual, Language, both
from hengliang.core.views import checked_views
from hengliang.report.content import ReportContent
from hengliang.report.index import headline
from hengliang.report.markdown import render_json, render_markdown
from hengliang.report.page import render_page
from hengliang.report.pivot import estimate_table
from hengliang.report.tables import Table
from hengliang.study.description import describe, report_content
from hengliang.study.stages import (
    Workshop,
    analysis_views,
    collect_estimates,
    collect_judgements,
    collect_responses,
    gather_items,
    measure_views,
)

# --- study and run ----------------------------------------------------------------------------------------------------


Thing = TypeVar("Thing", bound=Material | System | Measure | Analysis)
ReportFormat = Literal["html", "markdown", "json"]
SUFFIXES: Mapping[ReportFormat, str] = {"html": "html", "markdown": "md", "json": "json"}


@dataclass(frozen=True)
class Study:
    """A question, and everything it takes to answer it."""

    name: str
    materials: Material | Sequence[Material]
    systems: Sequence[System] = ()
    measures: Sequence[Measure] = ()
    analyses: Sequence[Analysis] = ()
    question: str | Bilingual = ""
    notes: Sequence[str | Bilingual] = ()
    form: Form = ""

    def run(
        self,
        out: str | Path,
        *,
        only: Stage | None = None,
        start: Stage | None = None,
        engine: Engine | None = None,
        cache: bool = True,
        watcher: Watcher | None = None,
        option: str = "--out",
    ) -> Run:
        """Run the stages that are not up to date in the folder `out`; after a crash the same call goes on.

        `only` runs one stage, `start` that stage and all after it, each from what the folder holds. Without `cache`,
        finished batches are kept inside the folder instead of being shared with other runs. Progress is shown in a
        terminal or a notebook, unless another `watcher` is given. A command that takes the folder by another option
        than --out names it in `option`, for errors.
        """
        _check_parts(self)
        _check_names(self)
        folder = RunFolder.create(out, option)
        with folder.lock() as locked:
            runner = _Runner(self, locked, engine or InProcess(), cache, watcher or usual_watcher())
            runner.begin()
            for stage in _chosen(only, start):
                runner.run(stage, force=only is not None or start is not None)
        return Run(folder)

    def material_list(self) -> Sequence[Material]:
        """Return the materials as a list, also when there is only one."""
        return [self.materials] if isinstance(self.materials, Material) else list(self.materials)


def _chosen(only: Stage | None, start: Stage | None) -> Sequence[Stage]:
    if only is not None and start is not None:
        raise UserError("--only and --from cannot be given together.", valid="Give one of them.")
    if only is not None:
        return (only,)
    return STAGES[STAGES.index(start) if start else 0 :]


def _labelled(things: Sequence[Thing]) -> list[tuple[str, Thing]]:
    """Name each thing; systems of one name, trained with several seeds, are told apart by their seeds."""
    names = Counter(thing.name for thing in things)
    return [(_label(thing, names[thing.name]), thing) for thing in things]


def _label(thing: Material | System | Measure | Analysis, namesakes: int) -> str:
    seed = thing.seed if isinstance(thing, System) and namesakes > 1 else None
    return thing.name if seed is None else f"{thing.name} (seed {seed})"


def _check_parts(study: Study) -> None:
    """Refuse what is not a part of a study, or not where it stands, before anything stumbles over it."""
    if not isinstance(study.name, str) or not study.name:
        raise UserError(f"{study.name!r} is no name of a study.", valid="A text, for example 'classifier choice'.")
    parts: dict[str, tuple[object, type | tuple[type, ...], str]] = {
        "materials": (study.materials, Material, "Material"),
        "systems": (study.systems, System, "System"),
        "measures": (study.measures, Measure, "Measure"),
        "analyses": (study.analyses, Analysis, "Analysis"),
        "notes": (study.notes, (str, Bilingual), "text"),
    }
    for what, (value, kind, title) in parts.items():
        if what == "materials" and isinstance(value, Material):
            continue
        valid = f"{what} are a list, and each of them is a {title}.".replace("a Analysis", "an Analysis")
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise UserError(f"The {what} of the study '{study.name}' are {_shown(value)}.", valid=valid)
        for part in value:
            if not isinstance(part, kind):
                raise UserError(f"Among the {what} of the study '{study.name}' is {_shown(part)}.", valid=valid)
    if not isinstance(study.question, str | Bilingual):
        raise UserError(f"The question of the study '{study.name}' is {_shown(study.question)}.", valid="A text.")
    if study.form not in get_args(Form):
        raise unknown_name("form of a study", str(study.form), [form for form in get_args(Form) if form])


def _shown(thing: object) -> str:
    """Return how a thing is named that stands where it should not; a class is not what it makes."""
    if isinstance(thing, type):
        return f"the class {thing.__name__}, not what it makes"
    return f"{thing!r:.60} ({type(thing).__name__})"


def _check_names(study: Study) -> None:
    groups: dict[str, Sequence[Material | System | Measure | Analysis]] = {
        "materials": study.material_list(),
        "systems": study.systems,
        "measures": study.measures,
        "analyses": study.analyses,
    }
    for what, things in groups.items():
        names = [label for label, _ in _labelled(things)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UserError(
                f"Two {what} of the study '{study.name}' are called '{twice[0]}'.", remedy="Rename one of them."
            )


@dataclass(frozen=True)
class _Runner:
    """Runs stages into a folder and records them in its manifest; what it asks of the study it asks once."""

    study: Study
    folder: RunFolder
    engine: Engine
    cache: bool
    watcher: Watcher

    @cached_property
    def measures(self) -> Sequence[Measure]:
        """The judges as they are now: what people have answered is read once."""
        return [measure.at_this_moment() for measure in self.study.measures]

    @cached_property
    def description(self) -> Mapping[str, Any]:
        """What the report needs to know of the study; a system is asked when it is prepared, a material by its items.

        The stages `items` and `report` do without: before the one there are no items, the other tells what it finds.
        """
        study = self.study
        return describe(
            study.name,
            both(study.question),
            study.material_list(),
            study.systems,
            self.measures,
            study.analyses,
            [both(note) for note in study.notes],
            self.folder.items(),
        )

    def begin(self) -> None:
        """Write a first manifest before any table, so that a run stopped by anything finds its folder again."""
        manifest = self.manifest()
        if manifest != self.folder.manifest():
            self.folder.write_manifest(manifest)

    def run(self, stage: Stage, *, force: bool) -> None:
        """Run one stage, unless it is up to date and not forced."""
        if stage == "responses":
            for system in self.study.systems:
                system.prepare(self.watcher)
        parts = self._parts(stage)
        signature = digest(stage, *(f"{name} {line}" for name, line in parts.items()), *self._upstream(stage))
        if not force and self.folder.is_current(stage, signature):
            self.folder.log(f"{stage}: up to date")
            self._confirm(stage)
            return
        self.folder.log(f"{stage}: begun")
        # Before the work, so that a part of the study that cannot be described stops the run at once.
        description = self.manifest().description if stage in ("items", "report") else self.description
        begun = time.monotonic()
        files, rows = self._work(stage)
        seconds = time.monotonic() - begun
        record = StageRecord(signature, parts, files, rows, round(seconds, 3), now(), self.study.form)
        self._record(stage, record, description)
        self.folder.log(f"{stage}: {rows} rows in {seconds:.1f} s")

    def _confirm(self, stage: Stage) -> None:
        """Record that a finished stage is the one of this form too: some stages are the same in both."""
        manifest = self.manifest()
        record = manifest.stages[stage]
        if self.study.form and record.form != self.study.form:
            stages = {**manifest.stages, stage: replace(record, form=self.study.form)}
            self.folder.write_manifest(replace(manifest, stages=stages))

    def _parts(self, stage: Stage) -> dict[str, str]:
        things: Sequence[Material | System | Measure | Analysis]
        match stage:
            case "items":
                things = self.study.material_list()
            case "responses":
                things = self.study.systems
            case "judgements":
                things = self.measures
            case "estimates":
                things = self.study.analyses
            case "report":
                form = self.manifest().form
                return {"form": form} if form else {}
        return {label: str(thing.signature()) for label, thing in _labelled(things)}

    def _upstream(self, stage: Stage) -> list[str]:
        """Return what the stages before this one were made from; a table edited by hand counts by its content."""
        lines = []
        for before in STAGES[: STAGES.index(stage)]:
            record = self.folder.record(before)
            present = {name: file_checksum(self.folder.path / name) for name in record.files}
            lines.append(record.signature if present == record.files else f"edited {sorted(present.items())}")
        return lines

    def _work(self, stage: Stage) -> tuple[dict[str, str], int]:
        work: dict[Stage, Callable[[], dict[Path, pl.DataFrame]]] = {
            "items": self._items,
            "responses": self._responses,
            "judgements": self._judgements,
        }
        if stage == "report":
            file = write_report(self.folder, "html")
            return {file.name: file_checksum(file)}, 1
        if stage == "estimates":
            return self._estimates()
        tables = work[stage]()
        rows = sum(frame.height for file, frame in tables.items() if file.name != "systems.parquet")
        return self.folder.write_tables(tables), rows

    def _workshop(self) -> Workshop:
        shared = places.cache() if self.cache else self.folder.path / "cache"
        return Workshop(self.engine, shared, self.watcher, self.folder.log)

    def _items(self) -> dict[Path, pl.DataFrame]:
        with self.watcher.watch("items", None):
            return {self.folder.table_file("items"): gather_items(self.study.material_list())}

    def _responses(self) -> dict[Path, pl.DataFrame]:
        systems, responses = collect_responses(self.folder.items(), self.study.systems, self._workshop())
        tables = {self.folder.table_file("responses", kind): frame for kind, frame in responses.items()}
        return {self.folder.path / "systems.parquet": systems, **tables}

    def _judgements(self) -> dict[Path, pl.DataFrame]:
        frame = collect_judgements(self.folder.items(), self.folder.responses(), self.measures, self._workshop())
        return {self.folder.table_file("judgements"): frame}

    def _estimates(self) -> tuple[dict[str, str], int]:
        """Write the estimates, what they say in words, and what a report shows besides them."""
        data, tables, analyses = digest(*self._upstream("estimates")), self.folder.tables(), self.study.analyses
        # Before the estimates, which may take hours: a view that cannot be made stops the run at once.
        views = measure_views(tables, self.measures)
        checked_views(views)
        estimates, sentences = collect_estimates(tables, analyses, data, self.watcher)
        views |= analysis_views(tables, analyses, estimates)
        beside = {self.folder.sentences_file: sentences} if sentences.height else {}
        files = self.folder.write_tables({self.folder.table_file("estimates"): estimates, **beside})
        return {**files, **self.folder.write_views(checked_views(views))}, estimates.height

    def _record(self, stage: Stage, record: StageRecord, description: Mapping[str, Any]) -> None:
        manifest = self.manifest()
        things: list[System | Analysis] = [*self.study.systems, *self.study.analyses]
        seeds = {label: getattr(thing, "seed", None) for label, thing in _labelled(things)}
        finished = {**manifest.stages, stage: record}
        stages: dict[str, StageRecord] = {name: finished[name] for name in STAGES if name in finished}
        self.folder.write_manifest(
            replace(manifest, description=description, seeds=seeds, stages=stages, versions=package_versions())
        )

    def manifest(self) -> Manifest:
        """Return the folder's manifest, or a new one; a folder that holds something of another study is refused."""
        manifest = self.folder.manifest()
        if manifest is None or (manifest.study != self.study.name and not manifest.stages):
            return Manifest(self.study.name, created=now())
        if manifest.study != self.study.name:
            raise UserError(
                f"The folder {self.folder.path} holds a run of the study '{manifest.study}', not of "
                f"'{self.study.name}'.",
                remedy=f"Choose another {self.folder.option}.",
            )
        return manifest


def write_report(
    folder: RunFolder, form: ReportFormat = "html", out: Path | None = None, language: Language = "en"
) -> Path:
    """Write the report of a run from what its folder holds, and return where it is."""
    content = report_content(folder)
    file = out or folder.path / f"report.{SUFFIXES[form]}"
    write_text(file, render(content, form, language))
    return file


def render(content: ReportContent, form: ReportFormat, language: Language = "en") -> str:
    """Return a report in one of its formats; the page holds both languages, Markdown the one asked for."""
    if form == "html":
        return render_page(content)
    if form == "markdown":
        return render_markdown(content, language)
    return render_json(content)


@dataclass(frozen=True)
class Run:
    """What a study left in its folder, ready to look at."""

    folder: RunFolder

    @property
    def study(self) -> str:
        """The name of the study."""
        return self._manifest().study

    @property
    def form(self) -> Form:
        """Whether the tables are of the quick or the full form of the study; nothing where nobody said."""
        return self._manifest().form

    def _manifest(self) -> Manifest:
        manifest = self.folder.manifest()
        if manifest is None:
            raise UserError(f"There is no run in {self.folder.path}.", remedy="Run the study first.")
        return manifest

    @property
    def items(self) -> pl.DataFrame:
        """What was asked."""
        return self.folder.items()

    @property
    def responses(self) -> dict[ResponseKind, pl.DataFrame]:
        """What was answered, one table per kind."""
        return self.folder.responses()

    @property
    def judgements(self) -> pl.DataFrame:
        """What judges said of it."""
        return self.folder.judgements()

    @property
    def estimates(self) -> pl.DataFrame:
        """What follows, one row per number."""
        return self.folder.estimates()

    @property
    def sentences(self) -> pl.DataFrame:
        """What follows in words, one row per sentence: analysis, English, Chinese."""
        return self.folder.sentences()

    def table(self, analysis: str, language: Language = "en") -> Table:
        """Return the estimates of one analysis laid out as in the report."""
        content = report_content(self.folder)
        for entry in content.analyses:
            if entry.name == analysis:
                rows = content.estimates.filter(pl.col("analysis") == analysis)
                return estimate_table(rows, entry.layout, language)
        raise UserError(
            f"The run has no analysis '{analysis}'.",
            valid="Analyses: " + ", ".join(entry.name for entry in content.analyses),
        )

    def headline(self) -> Bilingual:
        """Return the first result in one line."""
        return headline(report_content(self.folder))

    def report(self, form: ReportFormat = "html", out: str | Path | None = None, language: Language = "en") -> Path:
        """Write the report and return where it is."""
        return write_report(self.folder, form, Path(out) if out else None, language)


def open_run(path: str | Path) -> Run:
    """Open the folder of a run that was made before."""
    return Run(RunFolder.open(path))


# --- studies by name or file ------------------------------------------------------------------------------------------

PACKAGE = "hengliang.studies"


def study_names() -> list[str]:
    """Return the names of the studies that come with hengliang."""
    return sorted(module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__))


def load_study(name: str, *, quick: bool = False) -> Study:
    """Return the study of this name, or the one in the Python file at this path."""
    if name.endswith(".py") or "/" in name or Path(name).is_file():
        return _study_of(load_file(name), name, quick)
    if name not in study_names():
        raise unknown_name("study", name, study_names())
    return _study_of(importlib.import_module(f"{PACKAGE}.{name}"), name, quick)


def missing_for(name: str) -> str:
    """Say what the study of this name needs that is not here, and how to get it; nothing when it can run.

    A study says so itself, by a function `missing()` whose answer can follow "it needs"; one without it needs nothing
    but what is installed.
    """
    missing = getattr(importlib.import_module(f"{PACKAGE}.{name}"), "missing", None)
    return str(missing()) if callable(missing) else ""


def _study_of(module: ModuleType, name: str, quick: bool) -> Study:
    defined = getattr(module, "study", None)
    form: Form = "full"  # a study that is not a function has one form only, and that is the whole of it
    if callable(defined):
        defined, form = defined(quick=quick), "quick" if quick else "full"
    if not isinstance(defined, Study):
        raise UserError(
            f"{name} defines no study.",
            valid="It must hold a Study called 'study', or a function study(quick) that returns one.",
            remedy="See a working one: hengliang new study my_study",
        )
    return replace(defined, form=defined.form or form)
