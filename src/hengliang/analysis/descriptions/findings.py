"""Do descriptions of larger scenes get vaguer, less complete and shorter, and does the shape come before the colour?

The four findings on the QTUNA corpus that section 2.2 of paper 001 names, each by size of scene with an interval, and
with a test that knows that descriptions come in subjects and in scenes; and how many descriptions the grammar could
parse. Completeness is known of descriptions that were parsed whole. For all descriptions it is bounded: by none of the
others being complete, and by all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from hengliang.analyses.clustered import ClusteredAnalysis
from hengliang.analysis.descriptions import argument_order
from hengliang.analysis.descriptions.finding_titles import FACTORS, LEVELS, STATISTICS
from hengliang.analysis.descriptions.finding_words import finding_sentences
from hengliang.analysis.descriptions.observed import observe, parse_all, places
from hengliang.analysis.descriptions.size_trends import Measured, size_estimates
from hengliang.analysis.descriptions.vagueness import WIDTHS
from hengliang.core.base_classes import Layout
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.materials import elicited_descriptions
from hengliang.materials.elicited_descriptions import descriptions_of_items
from hengliang.materials.quantifiers import READINGS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.statistics.resampling import IntervalKind, Resampling
from hengliang.systems.readers.parsing import Parse

NAME = "description findings"

COVERAGE = (
    Measured("parsed whole", "whole", True),
    Measured("something parsed", "read", True),
)
VAGUENESS = (
    *(Measured(f"vague expressions ({width})", f"vague_{width}", True, "expressions") for width in WIDTHS),
    *(Measured(f"descriptions with a vague word ({width})", f"vague_word_{width}", True) for width in WIDTHS),
)
COMPLETENESS = tuple(
    Measured(f"{title} ({reading})", f"{column}_{reading}", True)
    for reading in reversed(READINGS)
    for title, column in (
        ("complete, of those parsed whole", "known"),
        ("complete, none of the others", "least"),
        ("complete, all of the others", "most"),
        ("complete by what was read", "partial"),
        ("complete and true of the scene, of those parsed whole", "known_success"),
        ("true of the scene, of those parsed whole", "true"),
    )
)
LENGTH = (
    Measured("words", "words", False),
    Measured("characters", "characters", False),
    Measured("expressions, of those parsed whole", "known_expressions", False),
)
MEASURES: Mapping[str, tuple[Measured, ...]] = {
    "coverage": COVERAGE,
    "vagueness": VAGUENESS,
    "completeness": COMPLETENESS,
    "length": LENGTH,
}
"""What is averaged by size, under the finding that it belongs to; the order of arguments comes besides."""


@register(NAME)
class DescriptionFindings(ClusteredAnalysis):
    """Vagueness, completeness, length and argument order of descriptions, by size of scene.

    The items are those of the material `elicited_descriptions`, or of any with its attributes. Subjects are drawn anew
    for intervals.
    """

    title = Bilingual("How people describe scenes", "人们怎样描述场景")
    explanation = Bilingual(
        "Means by number of things in a scene, with intervals from subjects drawn anew. Trends are for each doubling "
        "of that number: the slope has a standard error clustered by subject and scene, the coefficient comes from a "
        "mixed model with subjects and scenes (in log-odds where it is a share), and with descriptions where several "
        "expressions of one count. Vague in the narrow sense: a few, "
        "few, a couple, several, many, almost all, about half; in the wide sense also some, most, a majority, a "
        "minority. Complete: exactly one scene is consistent with the description in the reading that is named. "
        "Complete and true: it is the scene that was described.",
        "按场景中物体的数目求均值，区间由重抽受试者得到。趋势按物体数目每翻一倍计：斜率的标准误按受试者和场景双向聚类，"
        "系数来自含受试者与场景随机效应的混合模型（比例用对数优势；同一描述的多个量化式计入时另加描述的随机效应）。"
        "狭义的模糊量词：几个、很少、两三个、若干、许多、"
        "几乎所有、大约一半；广义的另加一些、大多数、多数、少数。完备：按所注解读只有一个场景与描述相符。完备且相符：该场景即被描述的场景。",
    )
    conventions: Mapping[str, str] = {
        "empty_texts": "left out",
        "order": "proportions and only, not comparisons; shares of places without those that name both attributes",
        "characters": "without spaces",
    }

    def __init__(
        self,
        material: str = elicited_descriptions.NAME,
        domain: Domain = DEFAULT_DOMAIN,
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        name: str = NAME,
    ) -> None:
        super().__init__("subject", draws, seed, level, interval)
        self.material = material
        self.domain = domain
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of the descriptions among the items of a run."""
        return self.of_descriptions(described_items(tables, self.material))

    def of_descriptions(self, frame: pl.DataFrame, parses: Sequence[Parse] | None = None) -> pl.DataFrame:
        """Return the estimates of a table of descriptions; `parses` are the grammar's unless somebody knows better."""
        held = frame if parses is not None else frame.sort("description_id")
        parsed = parse_all(held, self.domain) if parses is None else parses
        found = finding_estimates(self.name, held, parsed, self.domain, self.resampling())
        signature = str(self.signature())
        return estimates_frame(replace(one, signature=signature) for one in found)

    def sentences(self, estimates: pl.DataFrame) -> tuple[Bilingual, ...]:
        """Return the findings in words."""
        return finding_sentences(estimates)

    def layout(self) -> Layout:
        """Show a row a measure and statistic, and a column a size."""
        return Layout(
            rows=("measure", "statistic"),
            columns="size",
            statistics=STATISTICS,
            factors=FACTORS,
            levels=LEVELS,
            figure="none",
        )


def described_items(tables: Tables, material: str) -> pl.DataFrame:
    """Return the descriptions among the items of a run, or say that there are none."""
    held = tables.items.filter(pl.col("material") == material)
    if not held.height or not {"subject", "scene_size", "scene_number"} <= set(held.columns):
        raise UserError(
            f"This run has no descriptions of the material '{material}'.",
            valid=f"Materials of this run: {', '.join(tables.items['material'].unique().sort().to_list())}.",
            remedy="Add the material elicited_descriptions to the study.",
        )
    return descriptions_of_items(held)


def finding_estimates(
    analysis: str, frame: pl.DataFrame, parses: Sequence[Parse], domain: Domain, how: Resampling
) -> list[Estimate]:
    """Return coverage and the four findings of parsed descriptions."""
    rows = bounded(observe(frame, parses, domain))
    found = [
        estimate
        for measures in MEASURES.values()
        for measured in measures
        for estimate in size_estimates(analysis, measured, rows, how, pooled=True)
    ]
    return found + argument_order.order_estimates(analysis, places(frame, parses, domain), how)


def bounded(rows: pl.DataFrame) -> pl.DataFrame:
    """Add to observed descriptions what is known of those parsed whole, and what is the least and the most."""
    whole = pl.col("whole")
    added = [pl.when(whole).then("expressions").alias("known_expressions")]
    for reading in READINGS:
        complete = pl.col(f"complete_{reading}")
        added += [
            pl.when(whole).then(complete).alias(f"known_{reading}"),
            pl.when(whole).then(pl.col(f"success_{reading}")).alias(f"known_success_{reading}"),
            (whole & complete).alias(f"least_{reading}"),
            (~whole | complete).alias(f"most_{reading}"),
            (pl.col("read") & complete).alias(f"partial_{reading}"),
            pl.when(whole).then(pl.col(f"holds_{reading}")).alias(f"true_{reading}"),
        ]
    return rows.with_columns(added)


# What users write among the analyses of a study.
description_findings = DescriptionFindings
