"""Are people's descriptions of the same scenes as complete as those of algorithms?

Each describer describes each scene that people described, once for each seed. For both, the share of complete
descriptions and their length in expressions and words are given by size. Of people's descriptions those that were
parsed whole count, and the others bound the share. Scenes are drawn anew for intervals. What is compared is how the
same scenes are described, so differences are taken scene by scene, the mean of the describer's descriptions of it less
the mean of people's, and scenes are drawn with their differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from hengliang.analyses.clustered import ClusteredAnalysis, mean_with_interval
from hengliang.analysis.descriptions.finding_titles import FACTORS, LEVELS, STATISTICS
from hengliang.analysis.descriptions.finding_words import write_value
from hengliang.analysis.descriptions.findings import bounded, described_items
from hengliang.analysis.descriptions.observed import counts_in_forms, counts_in_text, observe, parse_all
from hengliang.core.base_classes import Layout
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual
from hengliang.materials import elicited_descriptions
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import read_scene
from hengliang.statistics.resampling import IntervalKind, describe_interval
from hengliang.statistics.results import MINUS
from hengliang.systems.describers.base import Describer, describer
from hengliang.systems.readers.parsing import Parse

NAME = "describer completeness"
PEOPLE = "people"
DESCRIBERS: tuple[str, ...] = ("QDG-IA", "QDG-GREEDY")
SEEDS: tuple[int, ...] = (1, 2, 3, 4, 5)

BY_COLUMN: Mapping[str, tuple[str, str]] = {
    "known_pragmatic": ("complete (pragmatic)", "share"),
    "least_pragmatic": ("complete, none of the others (pragmatic)", "share"),
    "most_pragmatic": ("complete, all of the others (pragmatic)", "share"),
    "known_success_pragmatic": ("complete and true (pragmatic)", "share"),
    "known_semantic": ("complete (semantic)", "share"),
    "known_success_semantic": ("complete and true (semantic)", "share"),
    "known_expressions": ("expressions", "mean"),
    "words": ("words", "mean"),
}
"""What is averaged: the column, and the measure and statistic that it gives."""


@register(NAME)
class DescriberCompleteness(ClusteredAnalysis):
    """Completeness and length of people's descriptions beside those of describers, by size of scene."""

    title = Bilingual("People and algorithms on the same scenes", "人与算法对同一批场景的描述")
    explanation = Bilingual(
        "The share of descriptions with which exactly one scene is consistent, and their length. Describers were run "
        "once for each seed on every scene that people described. Intervals come from scenes drawn anew. Differences "
        "from people are means over scenes of the difference on each.",
        "只有一个场景与之相符的描述所占比例，以及描述的长度。每个算法用每个随机种子对人们描述过的每个场景各描述一次。"
        "区间由重抽场景得到。与人的差异先在每个场景内求出，再对场景取平均。",
    )

    def __init__(
        self,
        describers: Sequence[str] = DESCRIBERS,
        seeds: Sequence[int] = SEEDS,
        material: str = elicited_descriptions.NAME,
        domain: Domain = DEFAULT_DOMAIN,
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        name: str = NAME,
    ) -> None:
        super().__init__("scene", draws, seed, level, interval)
        self.describers = describers
        self.seeds = seeds
        self.material = material
        self.domain = domain
        self.name = name

    def signature(self) -> Signature:
        """Return the arguments and the describers with their seeds."""
        made = {one.name: one.signature() for one in self._made(self.seeds[:1])}
        return super().signature().and_(**made)

    def _made(self, seeds: Iterable[int]) -> list[Describer]:
        return [describer(name, seed=seed, domain=self.domain) for name in self.describers for seed in seeds]

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of the descriptions among the items of a run, and of the describers on their scenes."""
        return self.of_descriptions(described_items(tables, self.material))

    def of_descriptions(self, frame: pl.DataFrame, parses: Sequence[Parse] | None = None) -> pl.DataFrame:
        """Return the estimates of a table of descriptions beside the describers."""
        held = frame if parses is not None else frame.sort("description_id")
        parsed = parse_all(held, self.domain) if parses is None else parses
        people = bounded(observe(held, parsed, self.domain)).with_columns(describer=pl.lit(PEOPLE))
        machines = describer_rows(self._made(self.seeds), held, self.domain)
        rows = pl.concat([people, bounded(machines)], how="diagonal")
        signature = str(self.signature())
        return estimates_frame(replace(one, signature=signature) for one in self._estimates(rows))

    def _estimates(self, rows: pl.DataFrame) -> Iterable[Estimate]:
        sizes = rows["scene_size"].unique().sort().to_list()
        for name in rows["describer"].unique(maintain_order=True):
            own = rows.filter(pl.col("describer") == name)
            for size in sizes:
                cell = own.filter(pl.col("scene_size") == size)
                for column, (measure, statistic) in BY_COLUMN.items():
                    by = {"measure": measure, "describer": name, "size": str(size)}
                    yield self._cell(by, statistic, cell, column)

        for name in rows["describer"].unique(maintain_order=True):
            for size in sizes if name != PEOPLE else ():
                cell = rows.filter(pl.col("scene_size") == size)
                for column, (measure, statistic) in BY_COLUMN.items():
                    by = {"measure": measure, "describer": less_people(name), "size": str(size)}
                    yield self._difference(by, statistic, differences(cell, name, column))

    def _difference(self, by: Mapping[str, str], statistic: str, paired: pl.DataFrame) -> Estimate:
        """Return the mean difference over scenes; one that nobody described whole has none."""
        present = paired.drop_nulls("difference")
        missing = paired.height - present.height
        held = mean_with_interval(present["difference"], present["scene_key"], self.resampling())
        if held is None:
            return Estimate(self.name, by, statistic, None, n=0, n_missing=missing, method="no scene has both")
        value, low, high = (_number(part[0]) for part in (held.value, held.low, held.high))
        told = f"mean of paired differences of scenes; {describe_interval(self.resampling(), held, 'scene')}"
        return Estimate(self.name, by, statistic, value, low, high, n=present.height, n_missing=missing, method=told)

    def _cell(self, by: Mapping[str, str], statistic: str, cell: pl.DataFrame, column: str) -> Estimate:
        present = cell.filter(pl.col(column).is_not_null())
        held = mean_with_interval(present[column].cast(pl.Float64), present["scene_key"], self.resampling())
        missing = cell.height - present.height
        if held is None:
            return Estimate(self.name, by, statistic, None, n=0, n_missing=missing, method="none was parsed whole")
        value, low, high = (_number(part[0]) for part in (held.value, held.low, held.high))
        told = f"{statistic}; {describe_interval(self.resampling(), held, 'scene')}"
        n = present.height
        return Estimate(self.name, by, statistic, value, low, high, n=n, n_missing=missing, method=told)

    def sentences(self, estimates: pl.DataFrame) -> tuple[Bilingual, ...]:
        """Return the completeness in words, a sentence a size."""
        return beside_sentences(estimates)

    def layout(self) -> Layout:
        """Show a row a measure and size, and a column a describer, then their differences from people."""
        named = [less_people(one.name) for one in self._made(self.seeds[:1])]
        return Layout(
            rows=("measure", "size"),
            columns="describer",
            statistics=STATISTICS,
            factors=FACTORS,
            levels={**LEVELS, **{name: Bilingual(name, _chinese(name)) for name in named}},
            figure="none",
        )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def less_people(name: str) -> str:
    """Return what the difference of a describer from people is called.

    >>> less_people("QDG-IA")
    'QDG-IA − people'
    """
    return f"{name} {MINUS} {PEOPLE}"


def differences(rows: pl.DataFrame, name: str, column: str) -> pl.DataFrame:
    """Return for each scene the mean of a column over a describer's descriptions less that over people's."""
    value, whose = pl.col(column).cast(pl.Float64), pl.col("describer")
    means = [value.filter(whose == one).mean() for one in (name, PEOPLE)]
    return rows.group_by("scene_key", maintain_order=True).agg(difference=means[0] - means[1])


def describer_rows(made: Sequence[Describer], frame: pl.DataFrame, domain: Domain = DEFAULT_DOMAIN) -> pl.DataFrame:
    """Return what is counted in the descriptions that describers give of the scenes of a table of descriptions."""
    scenes = frame.select("scene_size", "scene_number", "scene").unique().sort("scene_size", "scene_number")
    known = [read_scene(code, domain) for code in scenes["scene"]]
    rows = []
    for one in made:
        for (size, number, code), scene, said in zip(scenes.iter_rows(), known, one.describe(known), strict=True):
            rows.append(
                {
                    "describer": one.name,
                    "scene_number": number,
                    "scene_size": size,
                    "scene": code,
                    "scene_key": f"{size}-{number}",
                    "whole": True,
                    **counts_in_text(said.text),
                    **counts_in_forms(said.expressions, scene),
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def beside_sentences(estimates: pl.DataFrame) -> tuple[Bilingual, ...]:
    """Say for each size how many descriptions of people and of describers are complete, and how far they differ."""
    shares: dict[str, list[Estimate]] = {}
    for one in estimate_records(estimates):
        if one.by["measure"] == "complete (pragmatic)":
            shares.setdefault(one.by["size"], []).append(one)
    told = []
    for size, held in shares.items():
        english = ", ".join(f"{one.by['describer']} {write_value(one)}" for one in held)
        chinese = "，".join(f"{_chinese(one.by['describer'])} {write_value(one)}" for one in held)
        told.append(
            Bilingual(
                f"Complete descriptions of scenes of {size} things, pragmatic reading: {english}.",
                f"{size} 个物体的场景，完备描述（语用解读）：{chinese}。",
            )
        )
    return tuple(told)


def _chinese(name: str) -> str:
    return " ".join(LEVELS[word].zh if word in LEVELS else word for word in name.split(" "))


# What users write among the analyses of a study.
describer_completeness = DescriberCompleteness
