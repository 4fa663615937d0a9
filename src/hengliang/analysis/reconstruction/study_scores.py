"""Which score did experts give each description of a run?

A score is a numeric attribute of the items, or a measure that people judged descriptions by. Such a judgement is about
the response that the item was made from (its source), about the item itself, or about the pair as a rating survey
shows it. One judgement of a text that several describers wrote counts for every pair that has the text.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import attribute_names
from hengliang.core.runs import Tables
from hengliang.materials.scenes import read_scene
from hengliang.people.scene_pairs import ScenePair


def expert_values(tables: Tables, name: str, pair: str = "pair") -> dict[str, float]:
    """Return the mean score of each pair."""
    items = tables.items
    known = attribute_names(items)
    named = pl.coalesce(pl.col(pair).cast(pl.String), "id") if pair in known else pl.col("id")
    rows = items.with_columns(own_pair=named)
    if name in known:
        if not items.schema[name].is_numeric():
            raise UserError(f"The attribute '{name}' holds no numbers.", valid="A score is a number.")
        held = rows.select("own_pair", pl.col(name).cast(pl.Float64).alias("value"))
    else:
        held = _judged(tables, rows, name)
    means = held.drop_nulls("value").group_by("own_pair").agg(pl.col("value").mean()).sort("own_pair")
    return dict(means.iter_rows())


def _judged(tables: Tables, rows: pl.DataFrame, name: str) -> pl.DataFrame:
    found = tables.judgements.filter(pl.col("measure") == name)
    if not found.height:
        scores = tables.judgements.filter(pl.col("judge_kind") != "machine")["measure"].unique().to_list()
        raise unknown_name("score", name, [*scores, *attribute_names(tables.items)])
    held = found.select("about", "value").join(_pairs_of(rows), on="about")
    if not held.height:
        raise UserError(
            f"The {found.height} scores '{name}' are about none of the descriptions in this run.",
            valid="Judgements about the description, its source or its pair.",
        )
    return held.select("own_pair", "value")


def _pairs_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Return what a judgement may be about with each pair that it is then about: about, own_pair."""
    known: dict[str, set[str]] = {}
    held = list(rows.iter_rows(named=True))
    # What is said of an item is said of no other item whose pair happens to be called the same.
    for called in (_own_id, _own_pair, _own_source, _shown_as):
        named: dict[str, set[str]] = {}
        for row in held:
            if key := called(row):
                named.setdefault(key, set()).add(row["own_pair"])
        for key, pairs in named.items():
            known.setdefault(key, pairs)
    links = [(key, pair) for key, pairs in known.items() for pair in sorted(pairs)]
    return pl.DataFrame(links, schema={"about": pl.String, "own_pair": pl.String}, orient="row")


def _own_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def _own_pair(row: dict[str, Any]) -> str:
    return str(row["own_pair"])


def _own_source(row: dict[str, Any]) -> str:
    return str(row["source"] or "")


def _shown_as(row: dict[str, Any]) -> str:
    """Return what a rating survey calls the pair, or nothing where the gold answer is no scene of the usual domain."""
    try:
        scene = read_scene(row["gold"] or "")
    except UserError:
        return ""
    return ScenePair(row["own_pair"], row["condition"], scene, row["content"]).about
