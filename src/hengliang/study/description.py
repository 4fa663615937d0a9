"""Description of a study in its manifest: what a report needs once systems and corpora are gone.

The manifest keeps a description of materials, systems, measures and analyses; with the tables beside it, a report can
be made from the folder alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from hengliang.core.base_classes import Analysis, Material, Measure, System
from hengliang.core.errors import UserError
from hengliang.core.records import ResponseKind
from hengliang.core.runs import Manifest, RunFolder
from hengliang.core.settings import from_json
from hengliang.core.terms import Bilingual
from hengliang.core.views import View
from hengliang.report.content import (
    AnalysisEntry,
    MaterialEntry,
    MeasureEntry,
    ReportContent,
    StageEntry,
    SystemEntry,
)


def describe(
    name: str,
    question: Bilingual,
    materials: Sequence[Material],
    systems: Sequence[System],
    measures: Sequence[Measure],
    analyses: Sequence[Analysis],
    notes: Sequence[Bilingual],
    items: pl.DataFrame,
) -> dict[str, Any]:
    """Return everything about a study that its tables do not hold, as JSON for the manifest."""
    content = ReportContent(
        name=name,
        question=question,
        created="",
        simulated=any(measure.simulated for measure in measures),
        materials=tuple(_material(material, items) for material in materials),
        systems=tuple(_system(system) for system in systems),
        measures=tuple(
            MeasureEntry(measure.name, _title(measure), measure.judge_kind, str(measure.signature()))
            for measure in measures
        ),
        analyses=tuple(
            AnalysisEntry(analysis.name, _title(analysis), analysis.explanation, analysis.layout())
            for analysis in analyses
        ),
        notes=tuple(notes),
    )
    described = content.to_json()
    # What a plug-in says that is of another type is named now, not when the report is made.
    from_json(ReportContent, described, f"The description of the study '{name}'", remedy="Mend the class that says so.")
    return described


def _title(thing: Material | System | Measure | Analysis) -> Bilingual:
    return thing.title if thing.title.en else Bilingual(thing.name, thing.name)


def _material(material: Material, items: pl.DataFrame) -> MaterialEntry:
    own = items.filter(pl.col("material") == material.name)
    return MaterialEntry(
        name=material.name,
        title=_title(material),
        n_items=own.height,
        licence=material.licence or "",
        citation=material.citation or "",
        signature=str(material.signature()),
        facts=tuple(material.facts(own)),
    )


def _system(system: System) -> SystemEntry:
    traits = {name: str(value) for name, value in system.traits().items()}
    return SystemEntry(system.name, _title(system), system.seed, traits, str(system.signature()))


def report_content(folder: RunFolder) -> ReportContent:
    """Return what the report of this run says, from what its folder holds."""
    manifest = folder.manifest()
    if manifest is None or not manifest.stages:
        raise UserError(
            f"There is no run in {folder.path}.", remedy="Run the study first: hengliang run STUDY --out FOLDER"
        )
    if "estimates" not in manifest.stages or not manifest.description:
        raise UserError(
            f"The run in {folder.path} has no estimates yet.",
            remedy=f"Finish it: hengliang run {manifest.study} --out {folder.path}",
        )
    content = ReportContent.from_json(manifest.description)
    counts = _response_counts(folder.responses() if "responses" in manifest.stages else {})
    views, remark = _views(folder, manifest, content)
    return replace(
        content,
        created=manifest.stages["estimates"].finished,
        form=manifest.form,
        systems=tuple(_counted(entry, counts) for entry in content.systems),
        analyses=_told(content.analyses, folder.sentences()),
        estimates=folder.estimates(),
        stages=tuple(
            StageEntry(name, record.rows, record.seconds, record.signature)
            for name, record in manifest.stages.items()
            if name != "report"
        ),
        versions=manifest.versions,
        views=views,
        notes=(*content.notes, *remark),
    )


_BEFORE_VIEWS = Bilingual(
    "This run was made by a version of hengliang that did not keep what measures show besides numbers, such as single "
    "items with their answers. If it has such parts, they are missing here. The command that made the run makes them "
    "too, and so does:",
    "本次运行所用的 hengliang 版本尚不保存测量在数值之外所展示的内容（如逐条列出的条目及其回答）。"
    "若有此类内容，此处缺失。再次执行生成本次运行的命令即可补上，也可用：",
)
_BROKEN_VIEWS = Bilingual(
    "What measures show besides numbers is missing here, for its file (views.json) is gone or not as it was written. "
    "The command that made the run makes it again, and so does:",
    "测量在数值之外所展示的内容此处缺失，因其文件（views.json）不存在或已被改动。再次执行生成本次运行的命令即可补上，也可用：",
)


def _with_command(note: Bilingual, command: str) -> Bilingual:
    return Bilingual(f"{note.en} {command}", f"{note.zh}{command}")


def _views(
    folder: RunFolder, manifest: Manifest, content: ReportContent
) -> tuple[tuple[View, ...], tuple[Bilingual, ...]]:
    """Return what measures and analyses show besides numbers, or a note that says how to get it where it is missing."""
    again = f"hengliang run {shlex.quote(manifest.study)} --out {shlex.quote(str(folder.path))} --from estimates"
    if "views" not in manifest.description:
        # What people judged was never more than numbers, and exported surveys are not studies that could run again.
        machines = any(entry.judge_kind == "machine" for entry in content.measures)
        return (), (_with_command(_BEFORE_VIEWS, again),) if machines else ()
    views = folder.views()
    return (views, ()) if views is not None else ((), (_with_command(_BROKEN_VIEWS, again),))


def _told(entries: Sequence[AnalysisEntry], sentences: pl.DataFrame) -> tuple[AnalysisEntry, ...]:
    """Return the entries with what their numbers say in words."""
    sentences_of: dict[str, list[Bilingual]] = {}
    for analysis, english, chinese in sentences.iter_rows():
        sentences_of.setdefault(analysis, []).append(Bilingual(english, chinese))
    return tuple(replace(entry, sentences=tuple(sentences_of.get(entry.name, ()))) for entry in entries)


Counts = Mapping[tuple[str, int | None], tuple[int, int]]
"""How many answers a system with a seed gave, and how many are missing."""


def _response_counts(responses: Mapping[ResponseKind, pl.DataFrame]) -> Counts:
    counts = {}
    for frame in responses.values():
        answered = pl.col("status") == "ok"
        grouped = frame.group_by("system", "seed").agg(n=answered.sum(), missing=answered.not_().sum())
        counts.update({(name, seed): (n, missing) for name, seed, n, missing in grouped.iter_rows()})
    return counts


def _counted(entry: SystemEntry, counts: Counts) -> SystemEntry:
    responses, missing = counts.get((entry.name, entry.seed), (0, 0))
    return replace(entry, n_responses=responses, n_missing=missing)
