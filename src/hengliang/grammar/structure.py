"""Structural supervision under modifiers: how much less models with structure lose (interaction, differences).

Figure 3 and Table 5 of [1] look at each architecture by itself: which modifiers cost it accuracy in comparison with
none. That one architecture loses significantly and another does not is not evidence that they differ. Here the
difference itself is estimated, in two ways. In points of accuracy: how much more models without structure lose than
models with it, with intervals from resampled items. In odds: the interaction of structure and modifier in one logistic
mixed model, in which items, items under each modifier, trainings, and trainings under each modifier are random. A ratio
above 1 says that structured models lose less. One contrast takes the longest modifiers together.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 4.1 and appendix D.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import polars as pl

from hengliang.analyses.clustered import ClusteredAnalysis
from hengliang.analyses.observations import observations
from hengliang.analyses.subsets import (
    Where,
    as_names,
    column_titles,
    counting_parts,
    level_titles,
    levels_in_order,
    named_levels,
    of_materials,
    restricted,
    ties_sentence,
    with_derived,
)
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import UNSETTLED
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.grammar.models import PARAMETERISATIONS, TOGETHER, Interaction, fitted_interaction
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, family
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes, cluster_counts
from hengliang.statistics.results import check_alpha, check_choice, p_remark, write_statistic

ALL = "all networks"
LONGEST = TOGETHER
PLAIN, TAUGHT, DIFFERENCE = "loss without structure", "loss with structure", "difference of losses"
RATIO, ADJUSTED = "odds ratio", "adjusted p"
LOSSES = (PLAIN, TAUGHT, DIFFERENCE)
STATISTICS: Mapping[str, StatisticLabel] = {
    PLAIN: StatisticLabel(Bilingual("Loss without structure", "无结构监督时的损失"), "percent", 1),
    TAUGHT: StatisticLabel(Bilingual("Loss with structure", "有结构监督时的损失"), "percent", 1),
    DIFFERENCE: StatisticLabel(Bilingual("Difference of losses", "损失之差"), "percent", 1),
    RATIO: StatisticLabel(Bilingual("Ratio of odds ratios", "优势比之比"), "number", 2),
    ADJUSTED: StatisticLabel(Bilingual("Adjusted p", "校正后的 p"), "p"),
}
_OWN_LEVELS: Mapping[str, Bilingual] = {
    ALL: Bilingual(ALL, "全部网络"),
    LONGEST: Bilingual("longest together", "最长者合计"),
}
_NONE: Mapping[str, str] = MappingProxyType({})


def _levels() -> Mapping[str, Bilingual]:
    return {**level_titles(), **_OWN_LEVELS}


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One kind of network, or all: its losses in accuracy, and the interaction or why there is none."""

    name: str
    losses: Intervals
    counts: tuple[int, int]
    interaction: Interaction


@register("structure under modifiers")
class StructureUnderModifiers(ClusteredAnalysis):
    """How much less structured models lose under each modifier, in points of accuracy and as a ratio of odds.

    Networks are compared within their kind (the trait `parameterisation`, else by architecture) and all together.
    `longest` are the modifiers of the joint contrast. `reference` is the modifier with which all others are compared.
    In points a tie counts half; in odds it is left out, for it has no side. All ratios are one family for `correction`.
    Where some models learned from trees without syntax, `without=TREE_CONTROLS` leaves these out.
    """

    explanation = Bilingual(
        "A loss is the accuracy without a modifier less that with it. The difference of losses is above zero, and the "
        "ratio above 1, where structured models lose less than the others. Intervals of losses resample items; those "
        "of ratios are Wald's, from a logistic mixed model with items and trainings, alone and under each modifier, as "
        "random effects.",
        "损失指无修饰语时的准确率减去有该修饰语时的准确率。"
        "有结构监督的模型损失较小时，损失之差大于 0，优势比之比大于 1。"
        "损失的区间按条目重抽样得到；优势比之比的区间为 Wald 区间，"
        "来自以条目、训练及二者与修饰语的组合为随机效应的逻辑斯谛混合模型。",
    )
    conventions: Mapping[str, str] = {"trainings": "averaged by system and set", "systems": "of equal weight"}

    def __init__(
        self,
        longest: str | Sequence[str] = ("coordinated relatives", "embedded relatives"),
        where: Where = MappingProxyType({"class": "missing object"}),
        without: Where = _NONE,
        reference: str = "none",
        correction: Correction = "holm",
        alpha: float = 0.05,
        cluster: str = "frame",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "prediction",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.longest = as_names(longest)
        self.where = {column: named_levels(levels) for column, levels in where.items()}
        self.without = {column: named_levels(levels) for column, levels in without.items()}
        self.reference = reference
        self.correction: Correction = correction
        self.alpha = alpha
        self.measure = measure
        asked = of_materials(where)
        self.name = name or f"structure under modifiers{asked.en}"
        self.title = Bilingual(f"Structure under modifiers{asked.en}", f"修饰语之下的结构监督{asked.zh}")

    # --- what is computed -------------------------------------------------------------------------------------------

    def networks(self, tables: Tables) -> tuple[list[Network], list[str], pl.DataFrame]:
        """Return what was found for each kind of network, the modifiers, and the observations."""
        rows, levels = self._observed(tables)
        kinds = rows["parameterisation"].unique(maintain_order=True).to_list()
        named = [(kind, rows.filter(pl.col("parameterisation") == kind)) for kind in kinds]
        named += [(ALL, rows)] if len(kinds) > 1 else []
        return [self._network(name, observed, levels) for name, observed in named], levels, rows

    def _observed(self, tables: Tables) -> tuple[pl.DataFrame, list[str]]:
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        check_alpha(self.alpha)
        tables = with_derived(tables, {"parameterisation": {"architecture": PARAMETERISATIONS}})
        tables = restricted(tables, self.measure, self.where, self.without)
        parts = counting_parts(tables, self.measure)
        columns = list(dict.fromkeys(["modifier", "structured", "parameterisation", self.cluster]))
        rows = observations(tables, self.measure, columns=columns, parts=parts)
        rows = rows.drop_nulls(["modifier", "structured", "parameterisation", self.cluster])
        known = [str(level) for level in levels_in_order(tables, "modifier") if level in set(rows["modifier"])]
        for level in (self.reference, *self.longest):
            if level not in known:
                raise unknown_name("modifier", level, known)
        if set(rows["structured"]) != {True, False}:
            raise UserError(
                "Models with and without structure are compared, and here are only models of one sort.",
                valid="Systems with the trait `structured`, some true and some false.",
            )
        levels = [self.reference, *(level for level in known if level != self.reference)]
        rows = rows.with_columns(
            pl.col("modifier").cast(pl.Enum(levels)),
            cluster=pl.col(self.cluster),
            tie=(pl.col("label").fill_null("") == UNSETTLED) if "label" in rows.columns else pl.lit(value=False),
        )
        return rows, levels

    def _network(self, name: str, rows: pl.DataFrame, levels: Sequence[str]) -> Network:
        judged = rows.drop_nulls("value")
        counts = judged.height, rows.height - judged.height
        sided = judged.filter(~pl.col("tie"))
        interaction = fitted_interaction(
            sided, levels, self.longest, several=name == ALL, item=self.cluster, level=self.level
        )
        return Network(name, self._losses(judged, levels), counts, interaction)

    def _losses(self, judged: pl.DataFrame, levels: Sequence[str]) -> Intervals:
        """Return the losses of both sorts and their difference: for each modifier, and for the longest together."""
        halved = judged.with_columns(value=pl.when("tie").then(0.5).otherwise("value"))
        means = halved.group_by("system", "set", "part", maintain_order=True).agg(
            pl.col("value").mean(), pl.col("cluster", "structured", "modifier").first()
        )
        codes, count = cluster_codes(means["cluster"])
        width = 2 * len(levels)
        cell = means["structured"].cast(pl.Int64).to_numpy() * len(levels) + means["modifier"].to_physical().to_numpy()
        column = np.concatenate([cell, cell + width]).astype(np.int64)
        weight = np.concatenate([means["value"].to_numpy(), np.ones(means.height)])
        longest = [levels.index(level) - 1 for level in self.longest]

        def statistic(sums: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                accuracy = (sums[:, :width] / sums[:, width:]).reshape(len(sums), 2, len(levels))
            loss = accuracy[:, :, :1] - accuracy[:, :, 1:]
            together = loss[:, :, longest].mean(axis=2, keepdims=True)
            loss = np.concatenate([loss, together] if longest else [loss], axis=2)
            plain, taught = loss[:, 0], loss[:, 1]
            losses: Floats = np.concatenate([plain, taught, plain - taught], axis=1)
            return losses

        sums = cluster_counts(np.tile(codes, 2), column, weight, shape=(count, 2 * width))
        return bootstrap(sums, statistic, self.resampling())

    # --- what is reported -------------------------------------------------------------------------------------------

    def conclude(self, tables: Tables) -> Conclusion:
        """Return losses, ratios and corrected p, and what they say in words."""
        networks, levels, observed = self.networks(tables)
        places = [*levels[1:], *([LONGEST] if self.longest else [])]
        rows = [row for network in networks for row in self._rows(network, places)]
        ratios = [row for row in rows if row.statistic == RATIO]
        sentences = [self._said(network, places) for network in networks]
        if self.correction != "none":
            # A ratio that could not be estimated was planned all the same and counts.
            corrected = family([(" · ".join(row.by.values()), row.p) for row in ratios], method=self.correction,
                               alpha=self.alpha)  # fmt: skip
            method = f"{CORRECTIONS[self.correction].en}, family of {corrected.size}"
            signature = str(self.signature().and_(family=corrected.signature()))
            for row, member in zip(ratios, corrected.members, strict=True):
                rows.append(Estimate(self.name, row.by, ADJUSTED, member.adjusted, method=method, signature=signature))
            sentences.append(corrected.sentence())
        ties = int(observed["tie"].sum())
        sentences += [ties_sentence(ties, observed.height, "left out")] if ties else []
        titles = _levels()
        sentences += [warning for network in networks for warning in network.interaction.told(titles.get(network.name))]
        return Conclusion(estimates_frame(rows), tuple(sentences))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return losses, ratios and corrected p."""
        return self.conclude(tables).estimates

    def _rows(self, one: Network, places: Sequence[str]) -> Iterator[Estimate]:
        note = f"accuracy with '{self.reference}' less accuracy with the modifier, ties counted as half"
        for column, modifier in enumerate(places):
            by = {"parameterisation": one.name, "modifier": modifier}
            picked = [column + len(places) * number for number in range(len(LOSSES))]
            losses = one.losses
            cut = Intervals(
                losses.value[picked], losses.low[picked], losses.high[picked], losses.clusters, losses.undefined
            )
            yield from self.cell_estimates(by, LOSSES, cut, one.counts, note)
            yield self._ratio(one, by, modifier)

    def _ratio(self, one: Network, by: Mapping[str, str], modifier: str) -> Estimate:
        fitted = one.interaction
        ratio = fitted.ratios.get(modifier)
        missing = one.counts[0] + one.counts[1] - fitted.n
        signature = str(self.signature())
        if ratio is None:
            why = fitted.reasons[modifier].en if modifier in fitted.reasons else f"no model: {fitted.reason}"
            return Estimate(self.name, by, RATIO, None, n=fitted.n, n_missing=missing, method=why, signature=signature)
        return Estimate(
            self.name, by, RATIO, ratio.value, ratio.low, ratio.high, p=ratio.p, n=fitted.n, n_missing=missing,
            method=f"interaction in a logistic mixed model: {fitted.formula}; Wald's z", signature=signature,
        )  # fmt: skip

    def _said(self, one: Network, places: Sequence[str]) -> Bilingual:
        """Say of the last place, the longest modifiers together where there are any, what was found."""
        levels = _levels()
        last, title = places[-1], levels.get(one.name, Bilingual(one.name, one.name))
        where = levels.get(last, Bilingual(last, last))
        if last == LONGEST:
            names = [levels.get(name, Bilingual(name, name)) for name in self.longest]
            where = Bilingual(" and ".join(name.en for name in names), "与".join(name.zh for name in names))
        plain, taught, difference = (one.losses.value[number * len(places) + len(places) - 1] for number in range(3))
        low, high = (bound[3 * len(places) - 1] for bound in (one.losses.low, one.losses.high))
        ratio = one.interaction.ratios.get(last)
        odds = Bilingual("no ratio of odds ratios", "无优势比之比")
        if ratio is not None:
            interval = f"{write_statistic(ratio.value)} [{write_statistic(ratio.low)}, {write_statistic(ratio.high)}]"
            odds = Bilingual(
                f"ratio of odds ratios {interval}, {p_remark(ratio.p)}", f"优势比之比 {interval}，{p_remark(ratio.p)}"
            )
        points = f"{_points(difference)} [{_points(low)}, {_points(high)}]"
        return Bilingual(
            f"{title.en}: under {where.en} models with structure lose {_points(taught)} points and those without "
            f"{_points(plain)}, a difference of {points}; {odds.en}.",
            f"{title.zh}：在{where.zh}之下，有结构监督的模型损失 {_points(taught)} 个百分点，"
            f"无结构监督的损失 {_points(plain)} 个百分点，相差 {points}；{odds.zh}。",
        )

    def layout(self) -> Layout:
        """Return networks and modifiers as rows; the figure shows how much less structured models lose."""
        known = column_titles()
        return Layout(
            rows=("parameterisation", "modifier"),
            statistics=STATISTICS,
            factors={name: known[name] for name in ("parameterisation", "modifier")},
            levels=_levels(),
            figure_statistics=(DIFFERENCE,),
        )


def _points(share: float) -> str:
    return "—" if np.isnan(share) else write_statistic(100 * float(share), 1)


# What users write among the analyses of a study.
structure_under_modifiers = StructureUnderModifiers
