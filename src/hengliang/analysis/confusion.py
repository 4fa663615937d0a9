"""Which class does a system put in place of which, how often, and is the opposite as frequent?

What de Bruijn (2023, section 7.3) asks for: take one classifier after the other, look at where the corpus has it, and
see what was chosen instead. Here are the commonest confusions; `confusion_matrix` has the frequent classifiers one by
one and `error_kinds` the kinds of error. Several seeds of a system are pooled; `count` is the mean count of a seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import scipy

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes, cluster_counts
from hengliang.systems.classifier_choosers.slots import slots_of

FACTORS: Mapping[str, Bilingual] = {
    "system": FACTOR_TITLES["system"],
    "rank": Bilingual("Rank", "序"),
    "corpus": Bilingual("Corpus", "语料"),
    "chosen": Bilingual("Chosen", "所选"),
    "nouns": Bilingual("Nouns", "名词"),
    "classifier": Bilingual("Classifier", "量词"),
}

_SLOTS = "of all slots of the class, answered or not"


def choices(tables: Tables, cluster: str = "id") -> pl.DataFrame:
    """Return a row for each answer that was due: system, item, gold, label (null if none), noun, weight and cluster.

    Items without a gold answer are left out. The weight is one over the number of the system's seeds.
    """
    known = tables.items.select(item="id", gold=pl.col("gold").str.normalize("NFC"))
    known = known.with_columns(noun=slots_of(tables.items)["noun"]).drop_nulls("gold")
    rows = outcomes.due_answers(tables, ("label", "ranking"))
    rows = rows.join(known, on="item", how="inner", maintain_order="left")
    if not rows.height:
        raise UserError("No answered item has a gold answer.", valid="Confusion needs items whose answer is known.")
    rows = rows.with_columns(weight=1 / pl.col("seed").n_unique().over("system"))
    return outcomes.with_clusters(rows, tables, cluster)


def confusion_counts(tables: Tables) -> pl.DataFrame:
    """Return the whole confusion matrix of each system in long form: system, corpus, chosen, count.

    `chosen` is null where there was no answer, so that the counts of a row sum to the slots of that classifier.
    """
    counted = choices(tables).group_by("system", pl.col("gold").alias("corpus"), pl.col("label").alias("chosen"))
    return counted.agg(count=pl.col("weight").sum()).sort("system", "corpus", "chosen", nulls_last=True)


def frequent(rows: pl.DataFrame, top: int) -> list[str]:
    """Return the classes that are gold for most items, the most frequent first."""
    golds = rows.select("item", "gold").unique().group_by("gold").len()
    return golds.sort("len", "gold", descending=[True, False])["gold"].head(top).to_list()


class ConfusionAnalysis(ClusteredAnalysis):
    """What analyses of confusions share: their arguments and the answers of one system after the other."""

    conventions: Mapping[str, str] = {"seeds": "pooled", "unanswered": "in the denominator of a class, no error"}

    def __init__(
        self,
        top: int = 15,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        name: str = "",
    ) -> None:
        if top < 1:
            raise UserError(f"A table of {top} rows shows nothing.", valid="top is 1 or more.")
        super().__init__(cluster, draws, seed, level, interval)
        self.top = top
        self.name = name

    def systems(self, tables: Tables) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
        """Give the answers of each system, in the order of the systems."""
        return outcomes.cells(choices(tables, self.cluster), ())

    def plain(self, by: Mapping[str, str], statistic: str, value: float, counts: tuple[int, int], how: str) -> Estimate:
        """Return a number that is counted and has no interval."""
        n, missing = counts
        return Estimate(
            self.name, by, statistic, value, n=n, n_missing=missing, method=how, signature=str(self.signature())
        )


# --- the commonest confusions ---------------------------------------------------------------------------------------


@register("confusion")
class Confusion(ConfusionAnalysis):
    """The commonest confusions of each system: the corpus classifier, what was chosen instead, with which nouns.

    `share` is of all slots of the corpus classifier. `reverse` counts the opposite confusion; `asymmetry` is their
    difference over their sum, from −1 to 1, and its p the exact sign test of both being equally frequent, with slots
    taken as independent. `nouns` says how many nouns are named.
    """

    title = Bilingual("The commonest confusions", "最常见的混淆")
    explanation = Bilingual(
        "How often a system chose another classifier than the corpus. The share is of all slots of the corpus "
        "classifier. The reverse count is that of the opposite choice; asymmetry is 0 when both are as frequent and "
        "1 when the reverse never happens. A confusion is a mismatch, not always an error in a reader's eyes.",
        "系统所选量词与语料不同的次数。比例以该语料量词的全部空位为分母。“反向”为相反替换的次数；"
        "不对称度为 0 表示两向同样常见，为 1 表示反向从未出现。混淆只是不一致，读者未必视为错误。",
    )

    def __init__(
        self,
        top: int = 10,
        nouns: int = 3,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "confusion",
    ) -> None:
        super().__init__(top, cluster, draws, seed, level, "percentile", name)
        self.nouns = nouns

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return four numbers for each of the commonest pairs of each system, the most frequent pair first."""
        found: list[Estimate] = []
        for by, rows in self.systems(tables):
            wrong = rows.filter(pl.col("label") != pl.col("gold"))
            pairs = wrong.group_by("gold", "label").agg(pl.col("weight").sum())
            pairs = pairs.sort("weight", "gold", "label", descending=[True, False, False]).head(self.top)
            if pairs.height:
                found += self._pair_estimates(by, rows, pairs, involved_nouns(wrong, pairs, self.nouns))
        return estimates_frame(found)

    def _pair_estimates(
        self, by: Mapping[str, str], rows: pl.DataFrame, pairs: pl.DataFrame, nouns: Sequence[str]
    ) -> Iterator[Estimate]:
        totals, intervals = self._intervals(rows, pairs)
        forth, _, back = np.split(totals, 3)
        slots_due = rows.group_by("gold").agg(pl.len(), pl.col("label").null_count().alias("missing"))
        due = {gold: (size - missing, missing) for gold, size, missing in slots_due.iter_rows()}
        for place, (gold, label) in enumerate(pairs.select("gold", "label").iter_rows()):
            at = {
                **by,
                "rank": str(place + 1),
                "corpus": gold,
                "chosen": label,
                **({"nouns": nouns[place]} if nouns[place] else {}),
            }
            counts = due[gold]
            yield self.plain(at, "count", float(forth[place]), counts, "counted, mean of the seeds")
            yield self.plain(at, "reverse", float(back[place]), counts, "the opposite choice, mean of the seeds")
            yield from self.cell_estimates(at, ["share"], picked(intervals, place), counts, _SLOTS)
            test = scipy.stats.binomtest(round(forth[place]), max(1, round(forth[place] + back[place])))
            note = "(count − reverse) / (count + reverse); p: exact sign test, slots as independent"
            for row in self.cell_estimates(at, ["asymmetry"], picked(intervals, len(nouns) + place), counts, note):
                yield replace(row, p=float(test.pvalue))

    def _intervals(self, rows: pl.DataFrame, pairs: pl.DataFrame) -> tuple[Floats, Intervals]:
        codes, count = cluster_codes(rows["cluster"])
        rows = rows.with_columns(code=pl.Series(codes))
        numbered = pairs.select("gold", "label").with_row_index("place")
        turned = numbered.select("place", gold="label", label="gold")
        size = pairs.height
        parts = [
            rows.join(numbered, on=["gold", "label"]).select("code", "place", "weight"),
            rows.join(numbered.drop("label"), on="gold").select("code", pl.col("place") + size, "weight"),
            rows.join(turned, on=["gold", "label"]).select("code", pl.col("place") + 2 * size, "weight"),
        ]
        held = pl.concat(parts)
        columns = (held[name].to_numpy() for name in ("code", "place", "weight"))
        sums = cluster_counts(*columns, shape=(count, 3 * size))
        return np.asarray(sums.sum(axis=0)).ravel(), bootstrap(sums, share_and_asymmetry, self.resampling())

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each system which confusion is the commonest."""
        rows = {(tuple(row.by.values()), row.statistic): row for row in estimate_records(estimates)}
        first: dict[str, tuple[str, ...]] = {}
        for place, _ in rows:
            first.setdefault(place[0], place)
        told = []
        for system, place in first.items():
            count, share = rows[place, "count"].value or 0, rows[place, "share"].value or 0
            gold, label = place[2:4]
            told.append(
                Bilingual(
                    f"{system} most often has {label} where the corpus has {gold}: {count:.3g} times, "
                    f"{share:.0%} of the slots of {gold}.",
                    f"{system} 最常把语料中的“{gold}”换成“{label}”：{count:.3g} 次，占“{gold}”空位的 {share:.0%}。",
                )
            )
        return told

    def layout(self) -> Layout:
        """Show a row a confusion."""
        return Layout(
            rows=("system", "rank", "corpus", "chosen", "nouns"),
            statistics={
                "count": StatisticLabel(Bilingual("Count", "次数"), "number", 1),
                "share": StatisticLabel(Bilingual("Share of its slots", "占其空位比例"), "percent", 1),
                "reverse": StatisticLabel(Bilingual("Reverse", "反向"), "number", 1),
                "asymmetry": StatisticLabel(Bilingual("Asymmetry", "不对称度"), "number", 2),
            },
            factors=FACTORS,
            figure="none",
        )


def share_and_asymmetry(totals: Floats) -> Floats:
    """Return the shares, then the asymmetries, of each row of counts (confusions, slots of the class, reverse ones)."""
    forth, slots, back = np.split(totals, 3, axis=1)
    return np.hstack([ratio(forth, slots), ratio(forth - back, forth + back)])


def involved_nouns(wrong: pl.DataFrame, pairs: pl.DataFrame, most: int) -> list[str]:
    """Name the nouns most involved in each pair with their counts, such as `学生 3, 干部 2`; empty without nouns."""
    counted = wrong.filter(pl.col("noun") != "").group_by("gold", "label", "noun").agg(pl.col("weight").sum())
    counted = counted.sort("weight", "noun", descending=[True, False])
    text = pl.format("{} {}", "noun", pl.col("weight").round(1).map_elements(_short, return_dtype=pl.String))
    named = counted.group_by("gold", "label", maintain_order=True).agg(nouns=text.head(most).str.join(", "))
    return pairs.join(named, on=["gold", "label"], how="left", maintain_order="left")["nouns"].fill_null("").to_list()


def _short(value: float) -> str:
    return f"{value:g}"


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; what has no denominator is NaN."""
    found: Floats = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return found


def picked(intervals: Intervals, *places: int) -> Intervals:
    """Return some of the intervals."""
    at = list(places)
    return Intervals(
        intervals.value[at], intervals.low[at], intervals.high[at], intervals.clusters, intervals.undefined
    )


# What users write among the analyses of a study.
confusion = Confusion
