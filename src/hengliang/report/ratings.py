"""How does an analysis of ratings become a report?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hengliang.analysis.ratings.battery import Battery
from hengliang.analysis.ratings.copies import TITLES
from hengliang.analysis.ratings.design import levels_within
from hengliang.analysis.ratings.parts import Part
from hengliang.analysis.ratings.roles import HOW
from hengliang.analysis.ratings.table import Ratings
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, both
from hengliang.report.content import MaterialEntry, MeasureEntry, ReportContent, SystemEntry
from hengliang.report.statistics import (
    StatisticsSection,
    section_of_models,
    section_of_results,
    statistics_content,
)

FACTORS = {
    **TITLES,
    "measure": Bilingual("Measure", "测量"),
    "measures": Bilingual("Measures", "测量"),
    "rater": Bilingual("Rater", "评分者"),
    "raters": Bilingual("Raters", "评分者"),
    "cutoff": Bilingual("Cut-off ≤", "分界点 ≤"),
}


def ratings_content(
    battery: Battery, *, simulated: bool = False, titles: Mapping[str, Bilingual] | None = None
) -> ReportContent:
    """Return the report of a battery; `simulated` marks every figure of it, `titles` say what the measures asked."""
    ratings = battery.ratings
    columns = ratings.columns
    measures = " and ".join(columns.measures)
    return statistics_content(
        ratings.file.path.name,
        Bilingual(
            f"How do the levels of {columns.by} differ in {measures}?",
            f"各“{columns.by}”在{'、'.join(f'“{name}”' for name in columns.measures)}上有何差异？",
        ),
        [_section(part) for part in battery.parts],
        materials=[_material(battery)],
        systems=_levels(battery),
        measures=[MeasureEntry(name, (titles or {}).get(name, both(name)), "person") for name in columns.measures],
        notes=battery.notes,
        simulated=simulated,
    )


def _section(part: Part) -> StatisticsSection:
    if part.fits or not (part.results or part.estimates):
        made = section_of_models(part.name, part.title, part.explanation, part.fits)
        return replace(made, sentences=(*made.sentences, *part.sentences))
    return section_of_results(
        part.name,
        part.title,
        part.explanation,
        part.results,
        extra=part.estimates,
        statistics=part.statistics,
        factors=FACTORS,
        levels=part.levels,
        figure=part.figure,
        figure_statistics=part.figure_statistics,
        further=part.sentences,
    )


def _levels(battery: Battery) -> list[SystemEntry]:
    ratings = battery.ratings
    first = ratings.columns.measures[0]
    return [
        SystemEntry(
            level,
            both(level),
            n_responses=len(ratings.values(first, level)),
            n_missing=ratings.n_missing(first, level),
        )
        for level in ratings.levels
    ]


def _material(battery: Battery) -> MaterialEntry:
    ratings = battery.ratings
    columns = ratings.columns
    facts = [
        (Bilingual("Read as", "读取方式"), ratings.file.form),
        (Bilingual("Rows", "行数"), f"{ratings.frame.height:,}"),
        (Bilingual("Scale", "量表"), str(ratings.scale)),
        (Bilingual("Compared by", "比较因素"), f"{columns.by}: {', '.join(ratings.levels)}"),
    ]
    facts += [
        (Bilingual("Paired within", "配对单位"), f"{name} ({ratings.frame[name].n_unique():,})")
        for name in columns.pair
    ]
    facts += _roles(ratings)
    options = ((Bilingual("Split", "分组"), columns.split), (Bilingual("Response", "回答"), columns.response))
    facts += [(title, name) for title, name in options if name]
    signature = Signature.of(hengliang=version(), file=ratings.file.checksum, data=ratings.checksum)
    return MaterialEntry(
        ratings.file.path.name,
        Bilingual("Ratings", "评分"),
        _items(ratings),
        signature=str(signature),
        facts=tuple(facts),
    )


def _roles(ratings: Ratings) -> list[tuple[Bilingual, str]]:
    """Return which column names items and which raters; the title says how that is known, and what the design is."""
    by = ratings.columns.by
    roles = ((Bilingual("Item", "条目"), ratings.roles.item), (Bilingual("Rater", "评分者"), ratings.roles.rater))
    facts = []
    for title, role in roles:
        if role is not None:
            how = HOW[role.how]
            nested = levels_within(ratings, role.name).max() == 1
            crossed = Bilingual(f"crossed with '{by}'", f"与“{by}”交叉")
            lies = Bilingual(f"nested in '{by}'", f"嵌套于“{by}”") if nested else crossed
            told = Bilingual(f"{title.en}, {lies.en} ({how.en})", f"{title.zh}，{lies.zh}（{how.zh}）")
            facts.append((told, f"{role.name} ({ratings.frame[role.name].n_unique():,})"))
    return facts


def _items(ratings: Ratings) -> int:
    name = ratings.columns.item or next(iter(ratings.columns.pair), None)
    return ratings.frame[name].n_unique() if name else ratings.frame.height
