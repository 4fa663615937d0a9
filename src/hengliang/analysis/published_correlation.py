"""Which correlations did the paper print, and how far are ours from them on the same sentences?

Tables 5 to 8 of the paper [1] stand beside ours in the same layout, computed in the paper's own way: Pearson's r, the
modes of presentation pooled, for the BNC times ten. The rated sentences are the same; the training text, the models and
the version of the entity recogniser are not. What can be compared is the pattern: which measures do better, whether
longer n-grams help, and in which direction replacing entities moves a value.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36, Tables 5 to 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from hengliang.analyses.subsets import as_names
from hengliang.analysis.rating_correlation import MODE, RATING_FACTORS, RatingCorrelation
from hengliang.analysis.rating_rows import SOURCE, Asked, Scored, problem_of, rating_rows, scored_cells
from hengliang.analysis.replication.published import paper_003
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual, both
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.correlation.clustered import coefficient_value
from hengliang.statistics.results import listed

TABLES: Mapping[str, str] = {"BNC": "5", "ENWIKI": "6", "ADGER": "7", "ADGER-FILTERED": "8"}
"""The datasets of the paper and the table of each."""

OURS, PAPER, DIFFERENCE = "ours", "paper", "difference"
DATASET = "dataset"

EXPLANATION = Bilingual(
    "Our models were trained on another text, and entities found with another version of a recogniser or another one, "
    "so that levels differ and a difference between ours and the paper's says nothing for or against the method. The "
    "pattern can be compared: the order of the measures and of the models, and whether replacing entities moves a "
    "value up or down. Pooled values also hold what no score can know: which sentences were rated on which scale. The "
    "directions within modes of presentation are told below for that reason. The printed values have two decimals and "
    "no intervals; whether one of their differences is more than chance cannot be told from them.",
    "我们的模型训练文本不同，实体识别工具或其版本亦不同，因此数值水平不同，本次与论文之差不能说明方法的优劣。"
    "可以比较的是总体趋势：各指标与各模型的次序，以及替换实体使数值上升还是下降。"
    "合并后的数值还包含任何分数都无从得知的因素，即哪些句子用了哪种量表；因此下文另列同一呈现方式内的变化方向。"
    "论文数值只有两位小数且无区间，无法由此判断其差异是否超出偶然。",
)


def published_correlations(dataset: str) -> Mapping[tuple[str, str], str]:
    """Return the printed correlations of a dataset, by measure and system."""
    if dataset not in TABLES:
        raise unknown_name("dataset of the paper", dataset, TABLES)
    paper = paper_003()
    return {
        (part, system): text
        for part, texts in paper.tables[TABLES[dataset]]["rows"].items()
        for system, text in zip(paper.facts["systems"], texts, strict=True)
    }


def published_scale(dataset: str) -> float:
    """Return by how much the printed correlations of a dataset were multiplied."""
    return float(paper_003().tables[TABLES[dataset]]["scale"])


@register("published correlation")
class PublishedCorrelation(Analysis):
    """The paper's correlations beside ours: ours in the paper's way, the printed value, and the difference.

    Where no `datasets` are named, they are those of the paper that a run has, or all if it has none. `systems` says how
    the paper's systems are called here, where the names differ: `{"4-gram SP": "tetragram"}`. A dataset, system or
    measure that this run does not have leaves our place empty, with the reason.
    """

    title = Bilingual("Correlation with ratings beside the paper's", "与论文所报相关的对照")

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """Which tables these are, how ours were made and what can be compared."""
        named = self.datasets or tuple(TABLES)
        tables = listed(TABLES[dataset] for dataset in named if dataset in TABLES)
        present = (
            both("")
            if self.datasets
            else Bilingual(", as far as this run has their sentences", "（限本次运行所含句子）")
        )
        return Bilingual(
            f"{'Tables' if len(named) > 1 else 'Table'} {tables.en} of Daultani and Okazaki (2022){present.en}, and "
            "our values computed in their way: Pearson's r, "
            f"modes of presentation pooled, for the BNC times ten. {EXPLANATION.en}",
            f"Daultani 与 Okazaki（2022）表 {tables.zh}{present.zh}，以及按其做法计算的本次数值：Pearson 相关，"
            f"合并各呈现方式，BNC 乘以十。{EXPLANATION.zh}",
        )

    def __init__(
        self,
        datasets: str | Sequence[str] = (),
        systems: Mapping[str, str] | None = None,
        measure: str = "acceptability",
        rating: str = "rating",
        cluster: str = SOURCE,
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "correlation beside the paper's",
    ) -> None:
        self.datasets = as_names(datasets)
        self.systems = dict(systems or {})
        self.measure = measure
        self.rating = rating
        self.cluster = cluster
        self.draws = draws
        self.seed = seed
        self.level = level
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return three rows a cell of the paper's tables: ours, the paper's and the difference."""
        for dataset in self.datasets:
            published_correlations(dataset)
        known = paper_003().facts["systems"]
        for system in self.systems:
            if system not in known:
                raise unknown_name("system of the paper", system, known)
        return estimates_frame(row for dataset in self._named(tables) for row in self._of_dataset(tables, dataset))

    def _named(self, tables: Tables) -> tuple[str, ...]:
        """Return the datasets that are asked for."""
        held = tuple(dataset for dataset in TABLES if _level(tables, dataset) is not None)
        return self.datasets or held or tuple(TABLES)

    def _of_dataset(self, tables: Tables, dataset: str) -> Iterator[Estimate]:
        scale = published_scale(dataset)
        held, absent = self._computed(tables, dataset, scale)
        for (part, system), text in published_correlations(dataset).items():
            place = {DATASET: dataset, "part": part, "system": system}
            named = self.systems.get(system, system)
            own = held.get((part, named))
            why = absent or f"no number: '{named}' did not score '{part}' in this run"
            signature = str(self.signature())
            value = None if own is None else own.value
            yield Estimate(
                self.name,
                place,
                OURS,
                value,
                own.low if own else None,
                own.high if own else None,
                n=own.n if own else None,
                n_missing=own.n_missing if own else None,
                method=own.method if own else why,
                signature=signature,
            )
            printed = float(text)
            times = f", times {scale:g}" if scale != 1 else ""
            where = f"as printed in Table {TABLES[dataset]} of Daultani and Okazaki (2022){times}"
            yield Estimate(self.name, place, PAPER, printed, method=where, signature=signature)
            apart = None if value is None else value - printed
            told = why if own is None else f"ours less the value {where}" if value is not None else own.method
            yield Estimate(self.name, place, DIFFERENCE, apart, method=told, signature=signature)

    def _computed(self, tables: Tables, dataset: str, scale: float) -> tuple[dict[tuple[str, str], Estimate], str]:
        """Return our own correlations by part and system, or why there are none."""
        level = _level(tables, dataset)
        if level is None:
            return {}, f"no number: this run has no sentences of {dataset}"
        analysis = RatingCorrelation(
            measure=self.measure,
            rating=self.rating,
            parts=self._parts(tables),
            by=(DATASET, MODE),
            coefficient="pearson",
            where={DATASET: level},
            cluster=self.cluster,
            draws=self.draws,
            seed=self.seed,
            level=self.level,
            pooled=True,
            scale=scale,
        )
        rows = estimate_records(analysis.estimate(tables))
        return {(row.by["part"], row.by["system"]): row for row in rows}, ""

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and how often replacing entities moves our value in the paper's direction."""
        estimates = self.estimate(tables)
        values = {
            (row.by[DATASET], row.statistic, row.by["part"], row.by["system"]): row.value
            for row in estimate_records(estimates)
        }
        told = [_direction(dataset, values, self._risen(tables, dataset)) for dataset in self._named(tables)]
        return Conclusion(estimates, tuple(sentence for sentence in told if sentence is not None))

    def _risen(self, tables: Tables, dataset: str) -> tuple[int, int] | None:
        """Return how often our value is higher with entities replaced, and of how many, within modes of presentation.

        Nothing where there are not several modes, for then nothing was pooled.
        """
        level = _level(tables, dataset)
        if level is None or tables.items.filter(pl.col(DATASET) == level)[MODE].n_unique() < 2:
            return None
        asked = Asked(self.measure, self.rating, self._parts(tables), (MODE,), self.cluster, {DATASET: level})
        rises: list[bool] = []
        for _, cell in scored_cells(rating_rows(tables, asked), (MODE,)):
            for pair in paper_003().facts["pairs"]:
                before, after = (self.systems.get(system, system) for system in pair)
                for part in asked.parts:
                    found = [_coefficient(cell, (system, part)) for system in (before, after)]
                    if found[0] is not None and found[1] is not None:
                        rises.append(found[1] > found[0])
        return (sum(rises), len(rises)) if rises else None

    def _parts(self, tables: Tables) -> tuple[str, ...]:
        judged = tables.judgements.filter(pl.col("measure") == self.measure)["part"].unique().to_list()
        return tuple(part for part in SENTENCE_PARTS if part in judged) or SENTENCE_PARTS

    def layout(self) -> Layout:
        """Return measures as rows, ours above the paper's, and the paper's systems as columns."""
        factors = (DATASET, "part", "system")
        return Layout(
            rows=(DATASET, "part", "statistic"),
            columns="system",
            statistics={
                OURS: StatisticLabel(Bilingual("ours", "本次"), "number", 2),
                PAPER: StatisticLabel(Bilingual("paper", "论文"), "number", 2),
                DIFFERENCE: StatisticLabel(Bilingual("difference", "差值"), "number", 2),
            },
            factors={name: RATING_FACTORS[name] for name in factors},
            levels={name: _table_title(name) for name in TABLES},
            figure="none",
        )

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(printed=paper_003().citation)


def _level(tables: Tables, dataset: str) -> str | None:
    """Return what a dataset of the paper is called in this run."""
    levels = tables.items[DATASET].drop_nulls().unique().sort().to_list() if DATASET in tables.items.columns else []
    return next((str(level) for level in levels if same_dataset(str(level), dataset)), None)


def _coefficient(cell: Scored, key: tuple[str, str]) -> float | None:
    """Return Pearson's r of a score and the ratings of a cell, the mean over seeds."""
    if key not in cell.scores:
        return None
    places = cell.complete(key)
    ratings, scores = cell.ratings[places], cell.scores[key][:, places]
    if problem_of(ratings, {key[0]: scores}) is not None:
        return None
    return float(np.mean([coefficient_value("pearson", seed, ratings) for seed in scores]))


def _table_title(dataset: str) -> Bilingual:
    scale = published_scale(dataset)
    times = Bilingual(f", × {scale:g}", f"，× {scale:g}") if scale != 1 else both("")
    return Bilingual(f"{dataset} (Table {TABLES[dataset]}{times.en})", f"{dataset}（表 {TABLES[dataset]}{times.zh}）")


def same_dataset(level: str, dataset: str) -> bool:
    """Whether two names are equal but for the source, case, spaces and hyphens: `smog-bnc` and `BNC`."""
    first, second = ("".join(filter(str.isalnum, name.casefold())).removeprefix("smog") for name in (level, dataset))
    return first == second


def _direction(
    dataset: str, values: Mapping[tuple[str, str, str, str], float | None], risen: tuple[int, int] | None
) -> Bilingual | None:
    """Compare the signs of (with entities replaced − without) over pairs of systems and measures."""
    same = opposite = level = 0
    parts = dict.fromkeys(part for name, _, part, _ in values if name == dataset)
    for before, after in paper_003().facts["pairs"]:
        for part in parts:
            moved = []
            for statistic in (OURS, PAPER):
                first, second = (values.get((dataset, statistic, part, system)) for system in (before, after))
                moved.append(None if first is None or second is None else round(second - first, 9))
            ours, paper = moved
            if ours is None or paper is None:
                continue
            level += paper == 0
            same += ours * paper > 0
            opposite += paper != 0 and ours * paper <= 0
    total = same + opposite + level
    if not total:
        return None
    pooled = Bilingual(", modes pooled", "（合并各呈现方式）") if risen else both("")
    within = both("")
    if risen:
        within = Bilingual(
            f" Within modes of presentation it raises our value in {risen[0]} of {risen[1]}.",
            f"在同一呈现方式内，{risen[1]} 项中有 {risen[0]} 项上升。",
        )
    return Bilingual(
        f"{dataset}{pooled.en}: replacing entities moves our value in the direction printed in the paper in {same} of "
        f"{total} comparisons (measures × orders), not so in {opposite}; in {level} the paper prints no difference."
        f"{within.en} How sure our own differences are stands in the table of differences.",
        f"{dataset}{pooled.zh}：在 {total} 项比较（指标 × 阶数）中，替换实体使本次数值变化的方向与论文一致者 "
        f"{same} 项，不一致者 {opposite} 项；论文数值无差异者 {level} 项。{within.zh}本次差异的可靠程度见差异表。",
    )


# What users write among the analyses of a study.
published_correlation = PublishedCorrelation
