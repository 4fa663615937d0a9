"""Which sentences stand against which, when versions of sentences were made worse?

Items say whether they are `acceptable`, and if not, which `perturbation` was made; the `set` is the source sentence.
The originals of the sentences that have a version of a kind stand against these versions: other originals may be of
another sort, and what tells sorts apart is not what is asked. A sentence counts as scored when every seed of a system
scored it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis
from hengliang.analyses.observations import observations
from hengliang.analyses.subsets import Where, as_names, find_column, named_levels, restricted
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.resampling import Floats, Intervals, describe_interval

ACCEPTABLE = "acceptable"
"""The attribute that says whether a sentence is acceptable."""

PERTURBATION = "perturbation"
"""The attribute that says what was done to a sentence; empty for an original."""

FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "part": Bilingual("Measure", "指标"),
    PERTURBATION: Bilingual("Perturbation", "扰动类型"),
    "rule": Bilingual("Rule", "规则"),
    "has_entity": Bilingual("Has an entity", "含实体"),
    "entity_changed": Bilingual("Entity changed", "改动涉及实体"),
}
LEVELS: Mapping[str, Bilingual] = {
    **LEVEL_TITLES,
    "word order": Bilingual("word order", "语序"),
    "word order (distant)": Bilingual("word order (distant)", "语序（远距离）"),
    "word order (shuffled)": Bilingual("word order (shuffled)", "语序（打乱）"),
    "classifier": Bilingual("classifier", "量词"),
    "classifier (missing)": Bilingual("classifier (missing)", "量词缺失"),
    "missing object": Bilingual("missing object", "宾语缺失"),
    "function word (missing)": Bilingual("function word (missing)", "虚词缺失"),
    "function word (stray)": Bilingual("function word (stray)", "虚词多余"),
    "function word (wrong)": Bilingual("function word (wrong)", "虚词误用"),
    "yes": Bilingual("yes", "是"),
    "no": Bilingual("no", "否"),
}
ALL_KINDS = Bilingual("all kinds", "全部类型")


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The sentences of one system, measure and kind: a row each, with the scores of its seeds in `seeds`."""

    by: Mapping[str, str]
    rows: pl.DataFrame
    seeds: tuple[str, ...]

    @property
    def complete(self) -> pl.DataFrame:
        """The sentences that every seed scored."""
        return self.rows.drop_nulls(self.seeds)


class Sample(NamedTuple):
    """What a number rests on: the intervals among which it stands, at which place, and how many were scored or not."""

    intervals: Intervals | None
    place: int
    n: int
    n_missing: int


class PerturbedAnalysis(ClusteredAnalysis):
    """What analyses of perturbed sentences share: arguments, cells, and how a number is written down."""

    def __init__(
        self,
        parts: str | Sequence[str],
        by: str | Sequence[str],
        where: Where | None,
        measure: str,
        cluster: str,
        draws: int,
        seed: int,
        level: float,
    ) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.parts = as_names(parts)
        self.by = as_names(by)
        self.where = {name: named_levels(levels) for name, levels in (where or {}).items()}
        self.measure = measure

    def signature(self) -> Signature:
        """Return the arguments, the conventions and the code of all analyses."""
        return constructor_signature(self).and_(**self.conventions, generator="PCG64")

    @property
    def _others(self) -> tuple[str, ...]:
        return tuple(name for name in self.by if name != PERTURBATION)

    def cells(self, tables: Tables) -> Iterator[Cell]:
        """Give the sentences of every system, measure, combination of levels and kind; last, all kinds together.

        Levels are those of the versions; their originals come with them, whatever their own.
        """
        rows = self._rows(tables)
        kinds = tables.items[PERTURBATION].unique(maintain_order=True).drop_nulls().to_list()
        asked = [*(kind for kind in kinds if kind), None] if PERTURBATION in self.by else [None]
        for by, cell in outcomes.cells(rows, ["part"]):
            whole = _by_seed(by, cell, self._others)
            groups = list(_level_groups(whole.rows.filter(~pl.col(ACCEPTABLE)), self._others))
            # Levels that lie within kinds, as rules do, have no other kinds to be summed up with.
            nested = bool(self._others) and all(group[PERTURBATION].n_unique() == 1 for _, group in groups)
            for levels, versions in groups:
                for kind in asked[:-1] if nested and len(asked) > 1 else asked:
                    chosen = versions if kind is None else versions.filter(pl.col(PERTURBATION) == kind)
                    if chosen.height:
                        place = {**by, **({} if kind is None else {PERTURBATION: kind}), **levels}
                        yield replace(whole, by=place, rows=_with_originals(chosen, whole.rows))

    def _rows(self, tables: Tables) -> pl.DataFrame:
        for name in (ACCEPTABLE, PERTURBATION):
            if name not in tables.items.columns:
                raise UserError(
                    f"The items have no attribute '{name}'.",
                    valid="Sentences and perturbed versions of them: 'acceptable' is yes or no, 'perturbation' names "
                    "what was done and is empty for an original, and a set holds the versions of one sentence.",
                )
        if tables.items.schema[ACCEPTABLE] != pl.Boolean:
            raise UserError(f"The attribute '{ACCEPTABLE}' is no yes or no.", valid="True or False for each sentence.")
        of_items = {name: held for name, held in self.where.items() if find_column(tables, name).table == "items"}
        of_systems = {name: held for name, held in self.where.items() if name not in of_items}
        versions = restricted(tables, self.measure, of_items).items["id"].implode()
        held = restricted(tables, self.measure, of_systems)
        columns = [ACCEPTABLE, PERTURBATION, *self._others, self.cluster]
        rows = observations(held, self.measure, columns=columns, parts=self.parts).drop_nulls(ACCEPTABLE)
        rows = rows.filter(pl.col(ACCEPTABLE) | pl.col("item").is_in(versions))
        rows = rows.with_columns(pl.col(PERTURBATION).fill_null(""), cluster=pl.col(self.cluster))
        _check_rows(rows, self.cluster, self.measure)
        named = self.parts or rows["part"].unique().sort().to_list()
        rows = rows.with_columns(pl.col("part").cast(pl.Enum(list(dict.fromkeys(named)))))
        return outcomes.in_order(rows, held, self._others)

    def number(self, cell: Cell, statistic: str, sample: Sample, what: str) -> Estimate:
        """Return one number of a cell with its interval; where there is none the method says why."""
        found, place = sample.intervals, sample.place
        parts = (found.value, found.low, found.high) if found else ()
        value, low, high = [_number(part[place]) for part in parts] or (None, None, None)
        if found is None:
            how = "nothing to compare: no sentence of one side was scored"
        elif value is None:
            how = "no number: the scores do not differ"
        else:
            how = describe_interval(self.resampling(), found, self.cluster)
            how += ", withheld: it would not hold the value" if found.clusters > 1 and low is None else ""
        return Estimate(
            self.name,
            cell.by,
            statistic,
            value,
            low,
            high,
            n=sample.n,
            n_missing=sample.n_missing,
            method=f"{what}; {how}",
            signature=str(self.signature()),
        )


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _check_rows(rows: pl.DataFrame, cluster: str, measure: str) -> None:
    if rows[ACCEPTABLE].all():
        raise UserError(
            f"No perturbed sentence was judged by '{measure}', or none is left.",
            valid="Items of which some are not acceptable.",
        )
    odd = rows.filter(pl.col(ACCEPTABLE) == (pl.col(PERTURBATION) != ""))
    if odd.height:
        is_ = "acceptable" if odd[ACCEPTABLE][0] else "not acceptable"
        raise UserError(
            f"The sentence '{odd['item'][0]}' is {is_} and its perturbation is '{odd[PERTURBATION][0]}'.",
            valid="An acceptable sentence is an original, without a perturbation; the others name theirs.",
        )
    lost = rows.filter(pl.col("cluster").is_null())
    if lost.height:
        raise UserError(
            f"The attribute '{cluster}' is empty for the sentence '{lost['item'][0]}'.",
            remedy="Name another attribute as cluster; cluster='set' resamples source sentences.",
        )
    originals = rows.filter(ACCEPTABLE).select("set", "item").unique()
    twice = originals.filter(pl.col("set").is_duplicated()).sort("set")
    if twice.height:
        raise UserError(f"The set '{twice['set'][0]}' has several originals.", valid="One original a set.")


def _by_seed(by: Mapping[str, str], rows: pl.DataFrame, others: Sequence[str]) -> Cell:
    """Return one row a sentence, with a column for the scores of each seed."""
    index = dict.fromkeys(["item", "set", ACCEPTABLE, PERTURBATION, "cluster", *others])
    names = {seed: f"score {seed}" for seed in rows["seed"].unique().sort().to_list()}
    named = rows.with_columns(pl.col("seed").replace_strict(names, return_dtype=pl.String))
    wide = named.pivot(on="seed", index=list(index), values="value", maintain_order=True)
    return Cell(by, wide.sort("item"), tuple(names.values()))


def _level_groups(versions: pl.DataFrame, others: Sequence[str]) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Give the versions of each combination of levels, in the order of levels."""
    if not others:
        yield {}, versions
        return
    ordered = versions.sort(*others, nulls_last=True, maintain_order=True)
    for key, group in ordered.group_by(list(others), maintain_order=True):
        yield {name: outcomes.level_name(level) for name, level in zip(others, key, strict=True)}, group


def _with_originals(versions: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    originals = rows.filter(ACCEPTABLE).join(versions.select("set").unique(), on="set", how="semi")
    return pl.concat([originals, versions])


def scores_of(rows: pl.DataFrame, seeds: Sequence[str]) -> Floats:
    """Return the scores of sentences, one row a seed."""
    numbers: Floats = rows.select(seeds).to_numpy().T.astype(np.float64)
    return numbers


def has_both_sides(rows: pl.DataFrame) -> bool:
    """Say whether there are acceptable sentences and others."""
    return rows[ACCEPTABLE].n_unique() == 2


def titled(base: Bilingual, parts: Sequence[str], by: Sequence[str], compared: Bilingual | None = None) -> Bilingual:
    """Say in a title which systems and measures are shown and by what, so that two tables of one study differ."""
    measures = both(parts[0]) if len(parts) == 1 else Bilingual("by measure", "按指标")
    names = [FACTORS.get(name, both(name)) for name in by]
    levels = Bilingual(", ".join(name.en.lower() for name in names), "、".join(name.zh for name in names))
    grouped = Bilingual(f"by: {levels.en}", f"按{levels.zh}分") if by else ALL_KINDS
    told = [*([compared] if compared else []), measures, grouped]
    return Bilingual(
        f"{base.en} ({'; '.join(one.en for one in told)})", f"{base.zh}（{'；'.join(one.zh for one in told)}）"
    )


def place_told(by: Mapping[str, str], factors: Sequence[str], *, part: bool = True) -> Bilingual:
    """Name a measure, a kind and further levels in a sentence."""
    told = [both(by["part"])] if part else []
    for factor in factors:
        level = by.get(factor)
        title = ALL_KINDS if level is None else LEVELS.get(level, both(level))
        name = FACTORS.get(factor, both(factor))
        told.append(title if factor == PERTURBATION else Bilingual(f"{name.en}: {title.en}", f"{name.zh}：{title.zh}"))
    told = told or [ALL_KINDS]
    return Bilingual(", ".join(one.en for one in told), "，".join(one.zh for one in told))
