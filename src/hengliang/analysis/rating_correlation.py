"""How closely do the scores of each system go with people's ratings of the same sentences?

Pearson's r is the paper's coefficient [1, 2]; Spearman's ρ asks for the same order only, and Kendall's τ-b for pairs in
the same order. Versions of one source sentence stay together: intervals resample whole source sentences
(`hengliang.statistics.correlation.clustered`). Sentences were rated in several modes of presentation, each on its own
scale, and correlations are taken within a mode. `pooled=True` throws the modes together as the paper does: with
different scales most of the variation of the ratings is then the mode, which no score can follow. That is why the
paper's values for the BNC had to be printed times ten (`scale=10`).

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36, Tables 5 to 8.
[2] Lau, J. H., Clark, A., Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast, get_args

import numpy as np
import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES
from hengliang.analyses.outcomes import NOT_STATED
from hengliang.analyses.subsets import Where, as_names, named_levels
from hengliang.analysis.rating_rows import SOURCE, Asked, Scored, problem_of, rating_rows, scored_cells
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.correlation.clustered import Coefficient, can_be_drawn, clustered_correlation, clustered_draws
from hengliang.statistics.resampling import Resampling
from hengliang.statistics.results import check_choice, write_bounded

MEASURE = "acceptability"
"""The measure whose scores are usually meant."""

MODE = "mode"
"""The attribute that says in which mode of presentation a sentence was rated."""

ENTITIES = "entities"
"""The attribute that says how many entities a sentence has, where somebody counted them."""

COEFFICIENTS: Mapping[str, Bilingual] = {
    "pearson": Bilingual("Pearson's r", "Pearson 相关 r"),
    "spearman": Bilingual("Spearman's ρ", "Spearman 相关 ρ"),
    "kendall": Bilingual("Kendall's τ-b", "Kendall τ-b"),
}
RATING_FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "dataset": Bilingual("Dataset", "数据集"),
    MODE: Bilingual("Mode of presentation", "呈现方式"),
    "origin": Bilingual("Origin", "来源"),
    "part": Bilingual("Measure", "指标"),
    "item": Bilingual("Sentence", "句子"),
    ENTITIES: Bilingual("Entities", "实体数"),
}
CLUSTERED = Bilingual(
    "Correlations of scores with people's mean ratings. Intervals resample whole source sentences with all versions "
    "that were made of them. Sentences without a score or a rating are left out and counted.",
    "分数与人工平均评分的相关。区间由重抽源句（连同其全部变体）得出。缺少分数或评分的句子不计入，但予以计数。",
)
WITHIN = Bilingual(
    "Each mode of presentation has its own scale; correlations are taken within one.",
    "各呈现方式的量表不同，相关在同一呈现方式内计算。",
)
POOLED = Bilingual(
    "This is the paper's own way: ratings given in several modes of presentation, on different scales, are thrown "
    "together as they are. The scales mix: much of the variation of the ratings is then the mode, which no score can "
    "follow, so that values can lie far below those within a mode. They stand here beside the paper's only.",
    "此为论文的做法：把不同呈现方式、不同量表的评分直接合并。合并使量表混杂，评分的变异有很大一部分来自呈现方式，"
    "任何分数都无法反映，因此数值可能远低于同一呈现方式内的相关。列于此处仅供与论文对照。",
)


@register("rating correlation")
class RatingCorrelation(Analysis):
    """The correlation of each system's scores with ratings, by measure (part) and by further factors.

    `measure` gives the scores, in parts; `rating` names people's ratings (`measure:part` one part of them). `where`
    keeps levels of attributes, such as `{"dataset": "BNC"}`. A system with several seeds has the mean of their
    correlations. A cell that has no correlation (fewer than three sentences, all scores equal) says why.
    """

    def __init__(
        self,
        measure: str = MEASURE,
        rating: str = "rating",
        parts: str | Sequence[str] = SENTENCE_PARTS,
        by: str | Sequence[str] = ("dataset", "mode"),
        coefficient: Coefficient | Sequence[Coefficient] = ("pearson", "spearman", "kendall"),
        where: Where | None = None,
        cluster: str = SOURCE,
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        pooled: bool = False,
        scale: float = 1.0,
        name: str = "",
    ) -> None:
        self.measure = measure
        self.rating = rating
        self.parts = as_names(parts)
        self.by = as_names(by)
        self.coefficient = cast(tuple[Coefficient, ...], as_names(coefficient))
        self.where = dict(where or {})
        self.cluster = cluster
        self.draws = draws
        self.seed = seed
        self.level = level
        self.pooled = pooled
        self.scale = scale
        self.name = name or _name(self.factors, self.where, pooled=pooled)

    @property
    def factors(self) -> tuple[str, ...]:
        """What parts the sentences: `by`, and without the modes where they are pooled."""
        return tuple(name for name in self.by if not (self.pooled and name == MODE))

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown, and of which sentences."""
        only = [str(level) for levels in self.where.values() for level in named_levels(levels)]
        one = self.parts[0] if len(self.parts) == 1 else ""
        only = [*only, *([self.measure] if self.measure != MEASURE else [])]
        english = f"Correlation of {one} with ratings" if one else "Correlation with ratings"
        english += f" ({', '.join(only)})" if only else ""
        chinese = f"{one}{' ' if one else ''}与评分的相关" + (f"（{'、'.join(only)}）" if only else "")
        if self.pooled:
            english, chinese = (
                f"{english}, all modes pooled, as in the paper",
                f"{chinese}（论文做法：合并全部呈现方式）",
            )
        return Bilingual(english, chinese)

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """How the numbers were made and what they are worth."""
        said = [CLUSTERED]
        said += [POOLED] if self.pooled else [WITHIN] if MODE in self.by else []
        if self.scale != 1:
            said.append(Bilingual(f"Values are times {self.scale:g}.", f"数值均乘以 {self.scale:g}。"))
        return Bilingual(" ".join(one.en for one in said), "".join(one.zh for one in said))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each combination of levels, coefficient, part and system."""
        for coefficient in self.coefficient:
            check_choice("coefficient", coefficient, get_args(Coefficient))
        if not np.isfinite(self.scale) or self.scale <= 0:
            raise UserError(f"scale = {self.scale} cannot multiply a correlation.", valid="A number above 0.")
        self._resampling().check()
        asked = Asked(self.measure, self.rating, self.parts, self.factors, self.cluster, self.where)
        rows = rating_rows(tables, asked)
        return estimates_frame(
            estimate for by, cell in scored_cells(rows, self.factors) for estimate in self._of_cell(by, cell)
        )

    def _resampling(self) -> Resampling:
        return Resampling(self.draws, self.seed, self.level)

    def _of_cell(self, by: Mapping[str, str], cell: Scored) -> Iterator[Estimate]:
        # Scores of the same sentences share their draws.
        alike: dict[bytes, list[tuple[str, str]]] = {}
        for key in cell.scores:
            alike.setdefault(cell.complete(key).tobytes(), []).append(key)
        found: dict[tuple[str, str, str], Estimate] = {}
        for keys in alike.values():
            found |= {(e.statistic, e.by["part"], e.by["system"]): e for e in self._of_scores(by, cell, keys)}
        for coefficient in self.coefficient:
            yield from (found[coefficient, part, system] for system, part in cell.scores)

    def _of_scores(self, by: Mapping[str, str], cell: Scored, keys: Sequence[tuple[str, str]]) -> Iterator[Estimate]:
        places = cell.complete(keys[0])
        ratings = cell.ratings[places]
        scores = {key: cell.scores[key][:, places] for key in keys}
        problems = {key: problem_of(ratings, {key[0]: table}) for key, table in scores.items()}
        counts = (len(places), len(cell.items) - len(places))
        for key, problem in problems.items():
            if problem is not None:
                for coefficient in self.coefficient:
                    yield self._estimate(by, key, coefficient, (None, None, None), counts, f"no number: {problem.en}")
        good = {key: table for key, table in scores.items() if problems[key] is None}
        if not good:
            return
        clusters, how = cell.way(places, self.cluster), self._resampling()
        stacked = np.concatenate(list(good.values()))
        edges = np.cumsum([0, *(len(table) for table in good.values())])
        for coefficient in self.coefficient:
            drawn = np.empty((0, len(stacked)))
            if can_be_drawn(coefficient, clusters):
                drawn = clustered_draws(coefficient, stacked, ratings, clusters, how)
            for number, (key, table) in enumerate(good.items()):
                own = drawn[:, edges[number] : edges[number + 1]]
                one = clustered_correlation(coefficient, table, ratings, clusters, how, own)
                note = f"{COEFFICIENTS[coefficient].en} of '{key[1]}' and '{self.rating}'"
                note += f", mean over {len(table)} seeds" if len(table) > 1 else ""
                values = (one.value, one.low, one.high)
                yield self._estimate(by, key, coefficient, values, counts, f"{note}; {one.method}")

    def _estimate(
        self,
        by: Mapping[str, str],
        key: tuple[str, str],
        coefficient: str,
        values: tuple[float | None, float | None, float | None],
        counts: tuple[int, int],
        method: str,
    ) -> Estimate:
        value, low, high = (None if number is None else self.scale * number for number in values)
        method += f"; times {self.scale:g}" if self.scale != 1 else ""
        method += "; modes of presentation pooled, as in the paper" if self.pooled else ""
        return Estimate(
            self.name,
            {**by, "part": key[1], "system": key[0]},
            coefficient,
            value,
            low,
            high,
            n=counts[0],
            n_missing=counts[1],
            method=method,
            signature=str(self.signature()),
        )

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say for each combination of levels which score goes best with the ratings, and how many have no number."""
        rows = list(estimate_records(estimates))
        first = [row for row in rows if self.coefficient and row.statistic == self.coefficient[0]]
        groups: dict[tuple[str, ...], list[Estimate]] = {}
        for row in first:
            groups.setdefault(tuple(row.by[name] for name in self.factors if name in row.by), []).append(row)
        told = [self._best(own) for own in groups.values() if any(row.value is not None for row in own)]
        empty = sum(row.value is None for row in rows)
        if empty:
            told.append(
                Bilingual(
                    f"{empty} of {len(rows)} correlations have no number; the method of each says why.",
                    f"{len(rows)} 个相关中有 {empty} 个没有数值，原因见各自的方法说明。",
                )
            )
        return told

    def _best(self, rows: Sequence[Estimate]) -> Bilingual:
        best = max((row for row in rows if row.value is not None), key=_value)
        symbol = {"pearson": "r", "spearman": "ρ", "kendall": "τ-b"}[best.statistic]
        times = f" (× {self.scale:g})" if self.scale != 1 else ""
        numbers = f"{symbol} = {written(best)}{times}, n = {best.n}"
        where = in_words({name: level for name, level in best.by.items() if name in self.factors})
        part, system = best.by["part"], best.by["system"]
        return Bilingual(
            f"{where.en}: of {len(rows)} scores, {part} of {system} has the highest correlation with the ratings "
            f"({numbers}).",
            f"{where.zh}：{len(rows)} 种分数中，{system} 的 {part} 与评分的相关最高（{numbers}）。",
        )

    def layout(self) -> Layout:
        """Return measures as rows and systems as columns, as in the paper; further factors are rows around them."""
        times = f" × {self.scale:g}" if self.scale != 1 else ""
        labels: dict[str, StatisticLabel] = {
            name: StatisticLabel(Bilingual(title.en + times, title.zh + times), "number", 2)
            for name, title in COEFFICIENTS.items()
            if name in self.coefficient
        }
        return Layout(
            rows=(*self.factors, "statistic", "part"),
            columns="system",
            statistics=labels,
            factors={
                name: RATING_FACTORS[name] for name in (*self.factors, "part", "system") if name in RATING_FACTORS
            },
            levels=LEVEL_TITLES,
            # Many measures in many groups would fill pages: they are read from the table.
            figure="none" if self.factors and len(self.parts) > 1 else "intervals",
            figure_statistics=self.coefficient[:1],
        )

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(generator="PCG64")


def _name(factors: Sequence[str], where: Where, *, pooled: bool) -> str:
    only = [str(level) for levels in where.values() for level in named_levels(levels)]
    return (
        "rating correlation"
        + (" by " + " and ".join(factors) if factors else "")
        + (f" ({', '.join(only)})" if only else "")
        + (", pooled" if pooled else "")
    )


def in_words(by: Mapping[str, str]) -> Bilingual:
    """Say which sentences are meant: `BNC, MOP2, 3+ entities`."""
    if not by:
        return Bilingual("All sentences", "全部句子")
    told = [_entities(level) if name == ENTITIES else Bilingual(level, level) for name, level in by.items()]
    return Bilingual(", ".join(one.en for one in told), "、".join(one.zh for one in told))


def _entities(level: str) -> Bilingual:
    if level == NOT_STATED:
        return Bilingual("entities not counted", "实体数不详")
    return Bilingual(f"{level} {'entity' if level == '1' else 'entities'}", f"实体数 {level}")


def _value(row: Estimate) -> float:
    return -np.inf if row.value is None else row.value


def written(row: Estimate) -> str:
    """Write a correlation with its interval: `.41 [.36, .45]`."""
    if row.value is None:
        return "—"
    value = write_bounded(row.value)
    if row.low is None or row.high is None:
        return value
    return f"{value} [{write_bounded(row.low)}, {write_bounded(row.high)}]"


# What users write among the analyses of a study.
rating_correlation = RatingCorrelation
