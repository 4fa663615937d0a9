"""How often does what the suites predict hold, by model, class and modifier?

Each prediction that counts is one observation: the four comparisons of a classifier item are four. Intervals resample
whole items, with all their modifiers, comparisons and seeds, so that what hangs together stays together [1]. A tie
counts half, which is what a fair coin gives on average; how many there are, and between which values coins could put
the accuracy, is told apart.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, Table 6, Figures 1, 2 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import polars as pl

from hengliang.analysis import outcomes
from hengliang.analysis.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.analysis.layout import Layout, StatisticLabel
from hengliang.analysis.observations import observations, parts_of
from hengliang.analysis.resampling import IntervalKind
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError, unknown_name
from hengliang.materials.suites.formulas import TIE
from hengliang.measures.formula_values import CONTROL
from hengliang.measures.prediction import LABELS
from hengliang.records import Estimate, estimate_records, estimates_frame
from hengliang.registry import register
from hengliang.runs import Tables

Show = Literal["accuracy", "controls", "ties"]
"""The predictions that count; those that are reported beside them; or how many of the former are ties."""

Counted = Literal["half", "failure"]
"""A tie that no coin has settled counts half, or as the failure that it is by the letter of the formula."""

TITLES: Mapping[Show, Bilingual] = {
    "accuracy": Bilingual("Suite accuracy", "套件准确率"),
    "controls": Bilingual("Controls", "对照公式"),
    "ties": Bilingual("Ties", "平局"),
}
EXPLANATIONS: Mapping[Show, Bilingual] = {
    "accuracy": Bilingual(
        "The share of predictions that hold, a tie counted half; guessing gives 50 %. Intervals resample items.",
        "成立的预测所占比例，平局算半；随机猜测为 50 %。区间按条目重抽样得到。",
    ),
    "controls": Bilingual(
        "The share of control formulas that hold: those that cancel what the simple comparison cannot keep equal.",
        "成立的对照公式所占比例：这些公式抵消了简单比较中无法保持一致的因素。",
    ),
    "ties": Bilingual(
        "The share of predictions whose two sides are equal, and between which values the accuracy lies if they are "
        "settled one way or the other.",
        "两侧相等的预测所占比例，以及平局全部判负或全部判胜时准确率的取值范围。",
    ),
}
CLASS_TITLES: Mapping[str, Bilingual] = {
    "classifier–noun": Bilingual("classifier–noun", "量词与名词"),
    "garden path object": Bilingual("garden path object", "花园幽径（宾语）"),
    "garden path subject": Bilingual("garden path subject", "花园幽径（主语）"),
    "verb–noun": Bilingual("verb–noun", "动词与名词"),
    "missing object": Bilingual("missing object", "宾语缺失"),
    "subordination": Bilingual("subordination", "从属"),
    "none": Bilingual("none", "无修饰语"),
    "adjective": Bilingual("adjective", "形容词"),
    "object relative": Bilingual("object relative", "宾语关系从句"),
    "subject relative": Bilingual("subject relative", "主语关系从句"),
    "coordinated relatives": Bilingual("coordinated relatives", "并列关系从句"),
    "embedded relatives": Bilingual("embedded relatives", "嵌套关系从句"),
    "syntactic": Bilingual("syntactic", "句法"),
    "semantic": Bilingual("semantic", "语义"),
    "hybrid": Bilingual("hybrid", "混合"),
    "yes": Bilingual("yes", "是"),
    "no": Bilingual("no", "否"),
}
SUITE_FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "class": Bilingual("Class", "类别"),
    "modifier": Bilingual("Modifier", "修饰语"),
    "suite": Bilingual("Suite", "套件"),
    "domain": Bilingual("Domain", "领域"),
    "modified": Bilingual("Modifier present", "有修饰语"),
    "part": Bilingual("Prediction", "预测"),
}


UNSETTLED = LABELS[TIE]


@register("suite accuracy")
class SuiteAccuracy(ClusteredAnalysis):
    """The mean of the judgements `prediction`, by system and by further factors (class, modifier, part, a trait …)."""

    conventions: Mapping[str, str] = {"unscored": "left out and counted", "seeds": "pooled"}

    def __init__(
        self,
        by: str | Sequence[str] = (),
        show: Show = "accuracy",
        where: Mapping[str, str | Sequence[str]] | None = None,
        ties: Counted = "half",
        cluster: str = "frame",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "prediction",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.by = (by,) if isinstance(by, str) else tuple(by)
        self.show: Show = show
        self.where = where
        self.ties: Counted = ties
        self.measure = measure
        ending = " by " + " and ".join(self.by) if self.by else ""
        chosen = [
            level for levels in self._where().values() for level in ([levels] if isinstance(levels, str) else levels)
        ]
        only = f" ({', '.join(chosen)})" if chosen else ""
        self.name = name or f"{TITLES.get(show, TITLES['accuracy']).en.lower()}{ending}{only}"
        titles = [SUITE_FACTORS.get(factor, Bilingual(factor, factor)) for factor in self.by]
        title = TITLES.get(show, TITLES["accuracy"])
        self.title = Bilingual(
            title.en + (" by " + " and ".join(one.en.lower() for one in titles) if titles else "") + only,
            title.zh + (f"（按{'、'.join(one.zh for one in titles)}）" if titles else "") + _chinese(chosen),
        )

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """What the table shows."""
        return EXPLANATIONS.get(self.show, EXPLANATIONS["accuracy"])

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system, combination of levels and statistic."""
        if self.show not in get_args(Show):
            raise unknown_name("table", self.show, get_args(Show))
        if self.ties not in get_args(Counted):
            raise unknown_name("treatment of ties", self.ties, get_args(Counted))
        rows = self._rows(tables)
        return estimates_frame(
            estimate for by, cell in outcomes.cells(rows, self.by) for estimate in self._of_cell(by, cell)
        )

    def _rows(self, tables: Tables) -> pl.DataFrame:
        wanted = self.show == "controls"
        parts = [part for part in parts_of(tables, self.measure) if part.startswith(CONTROL) == wanted]
        if not parts:
            raise UserError(
                f"The measure '{self.measure}' judged no {'control' if wanted else 'prediction that counts'}.",
                valid="Suites say which formulas are controls: `control NAME: …`.",
            )
        kept = {name: [levels] if isinstance(levels, str) else list(levels) for name, levels in self._where().items()}
        columns = list(dict.fromkeys([*self.by, self.cluster, *kept]))
        rows = observations(tables, self.measure, columns=columns, parts=parts)
        for name, levels in kept.items():
            known = rows[name].cast(pl.String)
            if not known.is_in(levels).any():
                raise unknown_name(f"level of '{name}'", levels[0], known.drop_nulls().unique().sort().to_list())
            rows = rows.filter(known.is_in(levels))
        empty = rows.filter(pl.col(self.cluster).is_null())
        if empty.height:
            raise UserError(
                f"The attribute '{self.cluster}' is empty for the set '{empty['set'][0]}'.",
                remedy="Name another attribute as cluster; cluster='set' takes every set by itself.",
            )
        return in_order(rows.with_columns(cluster=pl.col(self.cluster)), tables, self.by)

    def _where(self) -> Mapping[str, str | Sequence[str]]:
        return self.where or {}

    def _of_cell(self, by: Mapping[str, str], cell: pl.DataFrame) -> Iterator[Estimate]:
        judged = cell.drop_nulls("value")
        counts = (judged.height, cell.height - judged.height)
        labels = judged["label"].fill_null("") if "label" in judged.columns else pl.Series([""] * judged.height)
        if self.show != "ties":
            open_ties = labels == UNSETTLED
            values = judged["value"] + 0.5 * open_ties if self.ties == "half" else judged["value"]
            intervals = mean_with_interval(values, judged["cluster"], self.resampling())
            note = f"mean of '{self.measure}'" + (f", ties counted as {self.ties}" if open_ties.any() else "")
            yield from self.cell_estimates(by, ["accuracy"], intervals, counts, note)
            return
        tie = labels.str.starts_with(UNSETTLED)
        lowest = ((judged["value"] == 1) & ~tie).mean() if judged.height else None
        shares = {"ties": tie.mean() if judged.height else None, "lowest": lowest}
        shares["highest"] = lowest + shares["ties"] if judged.height else None  # type: ignore[operator]
        for statistic, value in shares.items():
            yield Estimate(
                self.name,
                by,
                statistic,
                None if value is None else float(value),  # type: ignore[arg-type]
                n=counts[0],
                n_missing=counts[1],
                method=f"share of '{self.measure}', every tie settled one way",
                signature=str(self.signature()),
            )

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each system with ties how many there are and what they could come to."""
        if self.show != "ties":
            return ()
        totals: dict[str, dict[str, float]] = {}
        for row in estimate_records(estimates):
            held = totals.setdefault(row.by["system"], {"n": 0.0, "ties": 0.0, "lowest": 0.0, "highest": 0.0})
            held[row.statistic] += (row.value or 0.0) * (row.n or 0)
            held["n"] += (row.n or 0) if row.statistic == "ties" else 0
        return [_told(system, held) for system, held in totals.items() if held["ties"]]

    def layout(self) -> Layout:
        """Return systems as rows; with further factors these are the rows and the systems the columns."""
        across = bool(self.by) and self.show != "ties"
        named = {
            "accuracy": Bilingual("Accuracy", "准确率"),
            "ties": Bilingual("Ties", "平局"),
            "lowest": Bilingual("Lowest accuracy", "最低准确率"),
            "highest": Bilingual("Highest accuracy", "最高准确率"),
        }
        return Layout(
            rows=self.by if across else ("system", *self.by),
            columns="system" if across else "statistic",
            statistics={name: StatisticLabel(title, "percent", 1) for name, title in named.items()},
            factors={name: SUITE_FACTORS[name] for name in ("system", *self.by) if name in SUITE_FACTORS},
            levels={**LEVEL_TITLES, **CLASS_TITLES},
            figure="none" if self.show == "ties" else "intervals",
        )


def _told(system: str, held: Mapping[str, float]) -> Bilingual:
    n, ties = round(held["n"]), round(held["ties"])
    low, high = (f"{100 * held[bound] / held['n']:.1f} %" for bound in ("lowest", "highest"))
    return Bilingual(
        f"{system}: {ties} of {n} predictions are ties; settled one way or the other they put its accuracy between "
        f"{low} and {high}.",
        f"{system}：{n} 条预测中有 {ties} 条为平局；视其判定方式，准确率在 {low} 与 {high} 之间。",
    )


def _chinese(levels: Sequence[str]) -> str:
    return f"：{'、'.join(CLASS_TITLES[one].zh if one in CLASS_TITLES else one for one in levels)}" if levels else ""


def in_order(rows: pl.DataFrame, tables: Tables, factors: Sequence[str]) -> pl.DataFrame:
    """Sort systems as the study names them, and levels as they first appear among the items, not by the alphabet."""
    systems = [name for name in tables.systems["name"].unique(maintain_order=True) if name in set(rows["system"])]
    rows = rows.with_columns(pl.col("system").cast(pl.Enum(systems)))
    for factor in factors:
        if factor in tables.items.columns and rows.schema.get(factor) == pl.String:
            levels = tables.items[factor].drop_nulls().unique(maintain_order=True).to_list()
            rows = rows.with_columns(pl.col(factor).cast(pl.Enum(levels)))
    return rows.sort("system", maintain_order=True)


# What users write among the analyses of a study.
suite_accuracy = SuiteAccuracy
