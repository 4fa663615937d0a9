"""How does an analysis of reconstructions become a report?"""

from __future__ import annotations

from hengliang.analysis.reconstruction.battery import Battery
from hengliang.analysis.reconstruction.sections import Section, sections_of, signature_of
from hengliang.analysis.reconstruction.swap_table import FACTORS
from hengliang.core.terms import Bilingual, both
from hengliang.report.content import MaterialEntry, MeasureEntry, ReportContent, SystemEntry
from hengliang.report.statistics import (
    StatisticsSection,
    section_of_models,
    section_of_results,
    statistics_content,
)


def reconstruction_content(battery: Battery) -> ReportContent:
    """Return the report of an analysis of reconstructions; that of simulated readers marks every figure."""
    data = battery.data
    return statistics_content(
        data.source,
        Bilingual(
            "How well do readers rebuild scenes from descriptions, and did experts foresee it?",
            "读者据描述重构场景的效果如何？专家评分能否预见？",
        ),
        [_section(section) for section in sections_of(battery)],
        materials=[_material(battery)],
        systems=_describers(battery),
        measures=[MeasureEntry("swaps", Bilingual("Swaps", "交换次数"), "machine")],
        notes=battery.notes,
        simulated=data.simulated,
    )


def _section(section: Section) -> StatisticsSection:
    if section.fits:
        return section_of_models(section.name, section.title, section.explanation, section.fits)
    if section.layout is not None:
        return StatisticsSection(
            section.name, section.title, section.explanation, section.layout, section.estimates, section.sentences
        )
    return section_of_results(
        section.name,
        section.title,
        section.explanation,
        section.results,
        statistics=section.statistics,
        factors=FACTORS,
        further=section.sentences,
    )


def _describers(battery: Battery) -> list[SystemEntry]:
    held = battery.data.frame
    found = []
    for name in battery.data.describers:
        own = held.filter(describer=name)
        missing = own["swaps"].null_count()
        found.append(SystemEntry(name, both(name), n_responses=own.height - missing, n_missing=missing))
    return found


def _material(battery: Battery) -> MaterialEntry:
    data = battery.data
    facts = [
        (Bilingual("Read as", "读取方式"), data.form),
        (Bilingual("Answers", "回答"), f"{data.given.height:,}"),
        (Bilingual("Missing", "缺失"), f"{data.frame.height - data.given.height:,}"),
        (Bilingual("Participants", "参与者"), f"{data.frame['participant'].n_unique():,}"),
        (Bilingual("Sizes", "规模"), ", ".join(map(str, data.sizes))),
        (Bilingual("Kinds", "类别"), ", ".join(data.domain.kind_names)),
    ]
    if battery.experts:
        facts.append((Bilingual("Experts' scores", "专家评分"), battery.experts.source))
    return MaterialEntry(
        data.source,
        Bilingual("Pairs of a scene and a description", "场景与描述的配对"),
        data.frame["pair"].n_unique(),
        signature=str(signature_of(battery)),
        facts=tuple(facts),
    )
