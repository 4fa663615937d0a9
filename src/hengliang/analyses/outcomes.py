"""Outcomes: one row for each answer that was due, with its judgement, factors and cluster.

Analyses start from one row for each answer that was due: item, system, seed, respondent, the answer's label and its
judgement. An answer that was never given has a row too, so that it is counted and not forgotten. The chapter ends with
the Chinese for reasons why there is no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import first_labels
from hengliang.core.records import RESPONSE_KINDS, ResponseKind, attribute_names
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual

# --- answers, judgements, factors, clusters ---------------------------------------------------------------------------


NOT_STATED = "(none)"
"""The level of an item or system that does not have the factor."""

_ITEM_FACTORS = ("material", "condition", "set")
_WHO = ("system", "seed", "respondent")


def due_answers(tables: Tables, kinds: Sequence[ResponseKind] = RESPONSE_KINDS) -> pl.DataFrame:
    """Return one row for each answer that was due: item, system, seed, respondent, response id and label.

    A system owes an answer to every item of each material of which it answered some; a person only to those shown to
    them, which are the rows that are there. Rows come in the order of the systems table, then of items and seeds,
    whatever the order of the other tables.
    """
    frames = [_given(frame) for kind, frame in tables.responses.items() if kind in kinds]
    if not frames or not sum(frame.height for frame in frames):
        raise UserError(
            f"There are no answers of the kind {' or '.join(kinds)} to analyse.",
            remedy="Run the stage before: hengliang run STUDY --from responses",
        )
    answers = pl.concat(frames)
    items = tables.items.select(item="id", material="material")
    answers = answers.join(items, on="item", how="inner")
    machines = answers.filter(pl.col("respondent") == "").select("system", "seed", "material").unique()
    due = machines.join(items, on="material").with_columns(respondent=pl.lit("")).drop("material")
    answers = answers.drop("material")
    unanswered = due.join(answers, on=["item", *_WHO], how="anti", nulls_equal=True)
    rows = pl.concat([answers, unanswered], how="diagonal")
    order = {name: rank for rank, name in enumerate(tables.systems["name"].unique(maintain_order=True).to_list())}
    rank = pl.col("system").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return rows.sort(rank, "system", "item", "seed", "respondent")


def _given(frame: pl.DataFrame) -> pl.DataFrame:
    has_labels = frame.schema["content"] == pl.String or "label" in _fields(frame.schema["content"])
    nothing = pl.lit(None, dtype=pl.String)
    frame = frame.with_columns(label=first_labels(frame).str.normalize("NFC") if has_labels else nothing)
    return frame.select("id", "item", *_WHO, label=pl.when(pl.col("status") == "ok").then("label"))


def _fields(dtype: pl.DataType) -> list[str]:
    inner = dtype.inner if isinstance(dtype, pl.List) else None
    return [field.name for field in inner.fields] if isinstance(inner, pl.Struct) else []


def with_judgements(rows: pl.DataFrame, tables: Tables, measure: str) -> pl.DataFrame:
    """Add the column `value`: what the measure said of each answer, null where it gave no number.

    Systems whose answers the measure never looked at, because they are of another kind, are left out.
    """
    judgements = tables.judgements.filter(pl.col("measure") == measure)
    if not judgements.height:
        raise unknown_name("measure", measure, tables.judgements["measure"].unique().to_list())
    values = judgements.select("value", "scored_system", id="about").join(scored_systems(rows), on="scored_system")
    judged = rows.filter(pl.col("system").is_in(values["system"].unique().to_list()))
    values = values.drop("scored_system").drop_nulls("value").unique()
    twice = values.filter(pl.struct("id", "system", "seed").is_duplicated())
    if twice.height:
        raise UserError(
            f"The measure '{measure}' has several judgements of the answer {twice['id'][0]}.",
            valid="This analysis wants one number for each answer of a system.",
        )
    return judged.join(values, on=["id", "system", "seed"], how="left", nulls_equal=True, maintain_order="left")


def scored_systems(rows: pl.DataFrame) -> pl.DataFrame:
    """Return what judgements may call each system and seed: by its name, or `NAME (seed N)` where seeds differ.

    Answers of two seeds that look alike have one id, although their rankings may differ further down.
    """
    trainings = rows.select("system", "seed").unique()
    seeded = trainings.drop_nulls("seed").with_columns(scored_system=pl.format("{} (seed {})", "system", "seed"))
    return pl.concat([trainings.with_columns(scored_system="system"), seeded])


def with_factors(rows: pl.DataFrame, tables: Tables, factors: Sequence[str]) -> pl.DataFrame:
    """Add a column for each factor: an attribute of the items, or a trait of the systems."""
    of_items = [*_ITEM_FACTORS, *attribute_names(tables.items)]
    of_systems = [name for name in tables.systems.columns if name not in {"name", "seed"}]
    for name in factors:
        if name in of_items and name in of_systems:
            raise UserError(
                f"'{name}' is an attribute of the items and a trait of the systems.", remedy="Rename one of them."
            )
        if name not in {*of_items, *of_systems, *_WHO}:
            raise unknown_name("factor", name, [*of_items, *of_systems, "seed", "respondent"])
    wanted = [name for name in dict.fromkeys(factors) if name not in _WHO]
    items = tables.items.select(pl.col("id").alias("item"), *[name for name in wanted if name in of_items])
    traits = tables.systems.select(pl.col("name").alias("system"), "seed", *[n for n in wanted if n in of_systems])
    rows = rows.join(items, on="item", how="left", maintain_order="left")
    # One row per system: a table that names a system twice must not double its answers.
    traits = traits.unique(["system", "seed"], keep="first", maintain_order=True)
    return rows.join(traits, on=["system", "seed"], how="left", nulls_equal=True, maintain_order="left")


def with_clusters(rows: pl.DataFrame, tables: Tables, cluster: str) -> pl.DataFrame:
    """Add the column `cluster`: the value of an item attribute, `set`, or `id` when every item stands for itself."""
    valid = ["id", *_ITEM_FACTORS, *attribute_names(tables.items)]
    if cluster not in valid:
        raise UserError(
            f"The items have no attribute '{cluster}' to cluster by.",
            valid=f"Attributes: {', '.join(valid)}.",
            remedy="Name one of them as cluster; cluster='id' takes every item as independent of the others.",
        )
    clusters = tables.items.select(pl.col("id").alias("item"), pl.col(cluster).alias("cluster"))
    rows = rows.join(clusters, on="item", how="left", maintain_order="left")
    without = rows.filter(pl.col("cluster").is_null())
    if without.height:
        raise UserError(
            f"The attribute '{cluster}' is empty for {without['item'].n_unique()} items, "
            f"among them '{without['item'][0]}'.",
            valid=f"Every item belongs to a cluster. Attributes: {', '.join(valid)}.",
            remedy="Fill it in, or name another attribute as cluster.",
        )
    return rows


def in_order(rows: pl.DataFrame, tables: Tables, factors: Sequence[str]) -> pl.DataFrame:
    """Sort systems as the study names them, and levels as they first appear among the items, not by the alphabet."""
    present = rows["system"].unique(maintain_order=True).to_list()
    stated = [name for name in tables.systems["name"].unique(maintain_order=True) if name in set(present)]
    rows = rows.with_columns(pl.col("system").cast(pl.Enum(list(dict.fromkeys([*stated, *present])))))
    if "seed" in factors:
        seeds = sorted(rows["seed"].unique(), key=lambda seed: (len(seed), seed))
        rows = rows.with_columns(pl.col("seed").cast(pl.Enum(seeds)))
    for factor in factors:
        if factor in tables.items.columns and rows.schema.get(factor) == pl.String:
            levels = tables.items[factor].drop_nulls().unique(maintain_order=True).to_list()
            rows = rows.with_columns(pl.col(factor).cast(pl.Enum(levels)))
    return rows.sort("system", maintain_order=True)


def cells(rows: pl.DataFrame, factors: Sequence[str]) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Give the rows of each combination of system and levels, in the order of systems and then of levels."""
    columns = ["system", *(name for name in dict.fromkeys(factors) if name != "system")]
    first = rows.with_row_index("place").group_by("system").agg(pl.col("place").min())
    ordered = rows.join(first, on="system", maintain_order="left")
    ordered = ordered.sort("place", *columns[1:], nulls_last=True, maintain_order=True)
    for key, cell in ordered.drop("place").group_by(columns, maintain_order=True):
        yield {name: level_name(level) for name, level in zip(columns, key, strict=True)}, cell


def level_name(level: object) -> str:
    """Return the name of a factor's level as estimates carry it."""
    if level is None:
        return NOT_STATED
    if isinstance(level, bool):
        return "yes" if level else "no"
    return str(level)


# --- reasons for missing numbers, in Chinese --------------------------------------------------------------------------
# Translates the reason why a group has no number. Errors speak English, for they are shown in a terminal; as the reason
# of a missing number they stand in the sentences of a report, which are read in both languages. The reasons that occur
# there are translated; any other is quoted as it is, and marked as the original text.

_NAME = "'(?P<name>[^']*)'"

CHINESE: Mapping[str, str] = {
    rf"The factor {_NAME} has one level only.*": "因子“{name}”只有一个水平",
    rf"The group {_NAME} of .* has one level only\.": "分组“{name}”只有一个水平",
    rf"The response {_NAME} is '(?P<level>.*)' in all (?P<n>\d+) rows that are used\.": (
        "所用 {n} 个观测的“{name}”全部为 {level}"
    ),
    rf"The measure {_NAME} gave no number\.": "“{name}”没有给出数值",
    r"All (?P<n>\d+) observations are ties\.": "全部 {n} 个观测均为平局",
    r"All (?P<n>\d+) values are (?P<level>\S+): there is no error .*": "全部 {n} 个值均为 {level}，无误差可与均值相比",
    r"All (?P<n>\d+) pairs are equal: .*": "全部 {n} 个值均等于给定数值",
    r"There are no observations\.": "没有观测",
    r"There is 1 observation\.": "只有 1 个观测",
    rf"The reference '(?P<level>[^']*)' of {_NAME} does not occur here\.": "“{name}”的参照水平 {level} 在此未出现",
    r"The column '(?P<name>.*)' of the model is zero in every row: .*": "“{name}”在所有观测中均为零",
    r"The column '(?P<name>.*)' says nothing beyond .*": "“{name}”的效应与其他效应无法区分",
    rf"{_NAME} parts the rows just as '(?P<level>[^']*)' does.*": "“{name}”与“{level}”的分组完全相同，方差无法区分",
    r"No row is left for .*": "没有完整的观测",
    rf"{_NAME} cannot be coded in another way\.": "“{name}”不能改用其他编码",
    r"The (?:random|fixed) effects explain the response without rest.*": "效应已完全解释响应变量，没有剩余变异",
}


def bilingual_reason(problem: str) -> Bilingual:
    """Return the problem that an error names in both languages.

    >>> bilingual_reason("All 31 values are 0: there is no error to hold their mean against.").zh
    '全部 31 个值均为 0，无误差可与均值相比'
    """
    for pattern, chinese in CHINESE.items():
        match = re.fullmatch(pattern, problem)
        if match:
            return Bilingual(problem, chinese.format(**match.groupdict()))
    return Bilingual(problem, f"原文：{problem}")
