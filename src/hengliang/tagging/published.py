"""Published scores of taggers (Tang, Chang & Zhan 2020), and our scores beside them.

The printed scores are read from a file of the package; the analysis puts them beside those of a run.

D of each item beside the column of the paper's appendix, the largest differences first, the correlation over items,
and Z beside the printed one [1]. The printed D are Correct / Total × 100, so ours are computed in that way here;
formula (1) stands beside. Even with the paper's own sentences the numbers need not agree: taggers have newer versions,
the paper's map of tags is not published, and its set does not mark where in a sentence the word stands.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, appendix.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.analysis.replication.published import Paper
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.closure import package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature, digest
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation.coefficients import pearson, spearman
from hengliang.statistics.results import listed, write_bounded, write_statistic
from hengliang.tagging.diagnosis import ALL_ITEMS, GROUPS, PAIR_TITLE, REACHABLE, WITHIN_REACH, TaggingDiagnosis, signed
from hengliang.tagging.labels import NAME

# --- the printed scores -----------------------------------------------------------------------------------------------
# `published_004.json` holds the table of the appendix (D of 70 items for five taggers, called A to E, and Z), the means
# of Tables 3 and 4, and the counts of sections 2 and 3 [1]. The paper names its taggers by references only: A is
# PKUSEG, B THULAC, E ICTCLAS, and what it says of C describes SnowNLP.

TABLE = "A1"
"""The table of the appendix."""


@cache
def paper_004() -> Paper:
    """Return what the paper prints."""
    file = package_data(__name__, "published_004.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], ())


def published_columns() -> tuple[str, ...]:
    """Return what the paper calls its taggers."""
    return tuple(paper_004().facts["columns"])


def published_scores(column: str) -> Mapping[str, str]:
    """Return D of one tagger as printed, by the name of the item: `{"p+r:d": "37.50"}`."""
    number = _place(column)
    rows: Mapping[str, Any] = paper_004().tables[TABLE]["rows"]
    return {pair: str(texts[number]) for pair, texts in rows.items()}


def published_total(column: str) -> str:
    """Return Z of one tagger as printed."""
    return str(paper_004().tables[TABLE]["Z"][_place(column)])


def _place(column: str) -> int:
    if column not in published_columns():
        raise unknown_name("tagger of the paper", column, published_columns())
    return published_columns().index(column)


# --- our scores beside them -------------------------------------------------------------------------------------------


OURS, FORMULA, PAPER, DIFFERENCE = "ours", "ours by formula (1)", "paper", "difference"
POSSIBLE, PAPER_HERE = "possible", "paper over the same items"
PEARSON, SPEARMAN = "Pearson r", "Spearman rho"
COLUMNS: Mapping[str, str] = {"thulac": "B", "snownlp": "C"}
"""Which of the paper's taggers can be had, and what the paper calls them."""

STATISTICS: Mapping[str, StatisticLabel] = {
    OURS: StatisticLabel(Bilingual("Ours", "本次"), "number", 2),
    PAPER: StatisticLabel(Bilingual("Paper", "论文"), "number", 2),
    DIFFERENCE: StatisticLabel(Bilingual("Difference", "差值"), "number", 2),
    FORMULA: StatisticLabel(Bilingual("Ours by formula (1)", "本次（式 1）"), "number", 2),
    PAPER_HERE: StatisticLabel(Bilingual("Paper, over the same items", "论文（相同项目）"), "number", 2),
    PEARSON: StatisticLabel(Bilingual("Pearson's r", "Pearson 相关"), "number", 3),
    SPEARMAN: StatisticLabel(Bilingual("Spearman's ρ", "Spearman 相关"), "number", 3),
    POSSIBLE: StatisticLabel(Bilingual("Printed value is possible", "所印数值可能"), "integer", 0),
}
_LARGEST = 5


@register("published tagging scores")
class PublishedTagging(Analysis):
    """Our D as published beside the printed D, by item; over items the correlations and Z.

    `columns` says which of the paper's taggers A to E each system is: `{"thulac": "B"}`. Systems that the run does not
    have are passed over; when it has none, that is an error. Items that the paper does not have are left out, and items
    that the run does not have leave our place empty. `possible` is 1 when the printed value is a whole number of
    correct sentences out of as many as the item has here, rounded: it says something when the sentences are the
    paper's.
    """

    title = Bilingual("Scores beside the paper's", "与论文得分的对照")
    explanation = Bilingual(
        "D of each item as Correct / Total × 100, which is how the printed values were made, beside the appendix of "
        "Tang, Chang and Zhan (2020); the largest differences come first. Items out of a tagger's reach are 0 on both "
        "sides and lift the correlation; so it is given with and without them.",
        "各项 D 按“正确 / 总数 × 100”计算（论文数值即如此得出），与唐乾桐等（2020）附表对照，差异最大者居前。"
        "标注程序不可达的项目两边皆为 0，会抬高相关；因此相关分别按全部项目与可达项目给出。",
    )

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        cluster: str = "cluster",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        measure: str = NAME,
        name: str = "published tagging scores",
    ) -> None:
        self.columns = dict(COLUMNS if columns is None else columns)
        self.cluster = cluster
        self.draws = draws
        self.seed = seed
        self.level = level
        self.measure = measure
        self.name = name

    def signature(self) -> Signature:
        """Return the arguments, the code that computes and the printed values with their source."""
        values = digest(json.dumps(paper_004().tables[TABLE], sort_keys=True))
        return constructor_signature(self).and_(printed=paper_004().citation, printed_values=values)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return of each system Z and the correlations, then its items by the size of the difference."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and in words how close the two are and where they are far apart."""
        ours = self._ours(tables)
        estimates: list[Estimate] = []
        sentences: list[Bilingual] = []
        for system, column in self.columns.items():
            if system not in ours:
                continue
            items = list(self._items(system, column, ours[system]))
            totals = list(self._totals(system, column, ours[system], items))
            estimates += [*totals, *items]
            sentences.append(_sentence(system, column, totals, items))
        return Conclusion(signed(estimates, self.signature()), tuple(sentences))

    def _ours(self, tables: Tables) -> dict[str, dict[tuple[str, str], Estimate]]:
        """Return the diagnosis on the paper's items, by system, then by item and statistic."""
        for column in self.columns.values():
            published_total(column)
        if "pair" in tables.items.columns:
            pairs = list(paper_004().tables[TABLE]["rows"])
            held_items = tables.items.filter(pl.col("pair").is_in(pairs))
            if not held_items.height:
                raise UserError(
                    "No item of this run is one of the paper's.", valid=f"Items of the paper: {', '.join(pairs)}."
                )
            tables = replace(tables, items=held_items)
        diagnosis = TaggingDiagnosis(True, self.cluster, self.draws, self.seed, self.level, measure=self.measure)
        by_system: dict[str, dict[tuple[str, str], Estimate]] = {}
        for row in estimate_records(diagnosis.estimate(tables)):
            by_system.setdefault(row.by["system"], {})[row.by["pair"], row.statistic] = row
        if not set(by_system) & set(self.columns):
            raise unknown_name("system that the paper has", ", ".join(self.columns), list(by_system))
        return by_system

    # --- item by item ---

    def _items(self, system: str, column: str, ours: Mapping[tuple[str, str], Estimate]) -> Iterator[Estimate]:
        printed = published_scores(column)

        def apart(pair: str) -> float:
            own = ours.get((pair, "D published"))
            return -1.0 if own is None or own.value is None else abs(own.value - float(printed[pair]))

        for pair in sorted(printed, key=apart, reverse=True):
            yield from self._item({"system": system, "pair": pair}, column, printed[pair], ours)

    def _item(
        self, place: Mapping[str, str], column: str, text: str, ours: Mapping[tuple[str, str], Estimate]
    ) -> Iterator[Estimate]:
        own, formula = (ours.get((place["pair"], name)) for name in ("D published", "D"))
        where = f"as printed in the appendix, column {column}"
        if own is None or formula is None:
            none = Estimate(self.name, place, OURS, None, n=0, method="this run has no sentence of the item")
            yield from (replace(none, statistic=name) for name in (OURS, FORMULA, DIFFERENCE))
            yield Estimate(self.name, place, PAPER, float(text), method=where)
            return
        yield replace(own, analysis=self.name, by=place, statistic=OURS)
        yield replace(formula, analysis=self.name, by=place, statistic=FORMULA)
        yield Estimate(self.name, place, PAPER, float(text), method=where)
        apart = None if own.value is None else own.value - float(text)
        yield Estimate(
            self.name, place, DIFFERENCE, apart, n=own.n, n_missing=own.n_missing, method=f"ours less the value {where}"
        )
        sentences = (own.n or 0) + (own.n_missing or 0)
        note = f"1 when the printed value is a share of {sentences} sentences, rounded to two decimals"
        yield Estimate(self.name, place, POSSIBLE, float(is_share(text, sentences)), n=sentences, method=note)

    # --- over items ---

    def _totals(
        self, system: str, column: str, ours: Mapping[tuple[str, str], Estimate], items: Sequence[Estimate]
    ) -> Iterator[Estimate]:
        levels = {"system": system, "pair": ALL_ITEMS}
        own, formula = ours[ALL_ITEMS, "D published"], ours[ALL_ITEMS, "D"]
        printed, where = float(published_total(column)), f"as printed in the appendix, column {column}"
        yield replace(own, analysis=self.name, by=levels, statistic=OURS)
        yield replace(formula, analysis=self.name, by=levels, statistic=FORMULA)
        yield Estimate(self.name, levels, PAPER, printed, n=len(published_scores(column)), method=where)
        apart = None if own.value is None else own.value - printed
        note = f"ours over {own.n} items less the value {where}, over {len(published_scores(column))}"
        yield Estimate(self.name, levels, DIFFERENCE, apart, n=own.n, method=note)
        for group in (ALL_ITEMS, WITHIN_REACH):
            yield from self._correlations({"system": system, "pair": group}, items, ours)

    def _correlations(
        self, place: Mapping[str, str], items: Sequence[Estimate], ours: Mapping[tuple[str, str], Estimate]
    ) -> Iterator[Estimate]:
        values = {(row.by["pair"], row.statistic): row.value for row in items}
        pairs = [pair for (pair, name), value in values.items() if name == OURS and value is not None]
        if place["pair"] == WITHIN_REACH:
            pairs = [pair for pair in pairs if ours[pair, REACHABLE].value == 1]
        first, second = ([values[pair, name] for pair in pairs] for name in (OURS, PAPER))
        mean = sum(float(value or 0) for value in second) / len(second) if second else None
        yield Estimate(
            self.name, place, PAPER_HERE, mean, n=len(pairs), method="mean of the printed values of the items we have"
        )
        for name, test, effect in ((PEARSON, pearson, "Pearson's r"), (SPEARMAN, spearman, "Spearman's ρ")):
            try:
                result = test(first, second, names=("ours", "paper"), level=self.level)
                size = result.effect(effect)
            except UserError as error:
                yield Estimate(self.name, place, name, None, n=len(pairs), method=f"no number: {error.problem}")
                continue
            yield Estimate(
                self.name, place, name, size.value, size.low, size.high, n=len(pairs),
                method=f"{effect} over items; {size.method}",
            )  # fmt: skip

    def layout(self) -> Layout:
        """Return items as rows beneath the systems, ours and the paper's beside each other."""
        return Layout(
            rows=("system", "pair"),
            statistics=STATISTICS,
            factors={"pair": PAIR_TITLE, "system": FACTOR_TITLES["system"]},
            levels=GROUPS,
            figure="none",
        )


def is_share(text: str, sentences: int) -> bool:
    """Whether a printed percentage is a whole number of sentences out of so many, rounded to the decimals it has.

    Halves may have been rounded up or down.

    >>> is_share("66.67", 21), is_share("66.67", 20)
    (True, False)
    """
    if sentences < 1:
        return False
    printed, count = Fraction(text), round(Fraction(text) * sentences / 100)
    # Exactly, and half a unit away included: 1 of 32 is 3.125, which some print as 3.13 and others as 3.12.
    return abs(Fraction(100 * count, sentences) - printed) <= Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def _sentence(system: str, column: str, totals: Sequence[Estimate], items: Sequence[Estimate]) -> Bilingual:
    by_statistic = {(row.by["pair"], row.statistic): row for row in totals}
    apart = [row for row in items if row.statistic == DIFFERENCE and row.value is not None][:_LARGEST]
    names = listed(f"{row.by['pair']} {write_statistic(row.value or 0.0, 1)}" for row in apart)
    own, printed = by_statistic[ALL_ITEMS, OURS], by_statistic[ALL_ITEMS, PAPER]
    ours = "n/a" if own.value is None else write_statistic(own.value)
    r, rho, near = (by_statistic[key] for key in ((ALL_ITEMS, PEARSON), (ALL_ITEMS, SPEARMAN), (WITHIN_REACH, PEARSON)))
    texts = ["n/a" if row.value is None else write_bounded(row.value, 3) for row in (r, rho, near)]
    return Bilingual(
        f"{system} beside the paper's {column}: Z {ours} and {write_statistic(printed.value or 0.0)}; over {r.n} items "
        f"r = {texts[0]} and ρ = {texts[1]}, within reach ({near.n} items) r = {texts[2]}. "
        f"Farthest apart (ours less the paper's): {names.en}.",
        f"{system} 对照论文 {column}：Z 分别为 {ours} 与 {write_statistic(printed.value or 0.0)}；{r.n} 个项目上 "
        f"r = {texts[0]}，ρ = {texts[1]}；仅计可达项目（{near.n} 个）r = {texts[2]}。"
        f"差异最大者（本次减论文）：{names.zh}。",
    )


# What users write among the analyses of a study.
published_tagging = PublishedTagging
