"""Which answers of readers does a run hold, by describer, size, pair and reader?

The judgements of the measure `swaps` and the counts that were judged, one row an answer that was due. A reader is a
person, or a system with its seed. The scene is that of the gold answer, and the item's set where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.observations import observations
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import attribute_names
from hengliang.core.runs import Tables
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.measures.reconstruction import PARTS, PERCENTAGE, PERCENTAGE_OF_MAXIMUM, SWAPS, counted_scene

READER = (
    pl.when(pl.col("respondent") != "")
    .then("respondent")
    .otherwise(pl.format("{} (seed {})", "system", pl.col("seed").cast(pl.String).fill_null("none")))
)


def observed_swaps(
    tables: Tables, by: Sequence[str], pair: str, measure: str = "swaps", domain: Domain = DEFAULT_DOMAIN
) -> pl.DataFrame:
    """Return the judged answers: system, item, participant, describer, size, pair, scene, and their numbers.

    These are swaps, share, share_of_maximum and exact. `by` are the names of the two factors of the table, `pair` that
    of the pairs; an item without one is its own pair.
    """
    describer, size = _two(by)
    names = [name for name in (describer, size, pair) if name in attribute_names(tables.items)]
    rows = observations(tables, measure, columns=names, parts=PARTS)
    codes = {item: held.code if isinstance(held, Scene) else held for item, held in _scenes(tables, domain).items()}
    wide = rows.select(
        "system", "item", participant=READER, part="part", value="value",
        describer=_factor(rows, describer, tables), size=_factor(rows, size, tables), pair=_pair(rows, pair),
        scene=pl.col("item").replace_strict(codes, default=None, return_dtype=pl.String),
    )  # fmt: skip
    key = ["system", "item", "participant", "describer", "size", "pair", "scene"]
    value = {part: pl.col("value").filter(pl.col("part") == part).first() for part in PARTS}
    found = wide.group_by(key, maintain_order=True).agg(
        swaps=value[SWAPS], share=value[PERCENTAGE] / 100, share_of_maximum=value[PERCENTAGE_OF_MAXIMUM] / 100
    )
    exact = pl.when(pl.col("swaps").is_not_null()).then((pl.col("swaps") == 0).cast(pl.Float64))
    return found.with_columns(exact=exact).sort("system", "describer", "size", "pair", "participant")


def observed_counts(tables: Tables, by: Sequence[str], pair: str, domain: Domain = DEFAULT_DOMAIN) -> pl.DataFrame:
    """Return the counts that were answered: system, answer, participant, describer, size, pair, scene.

    An answer is in the order of the domain's kinds. It is null where there is none, and where the measure `swaps` could
    not read it either: a kind that does not exist or is counted twice, counts that do not add up to the size.
    """
    describer, size = _two(by)
    given = tables.responses.get("counts")
    if given is None or not given.height:
        raise UserError(
            "This run has no reconstructions: nobody answered with counts.",
            valid="Responses of the kind counts, by a reader or by people.",
        )
    columns = [name for name in (describer, size, pair) if name in tables.items.columns]
    rows = given.join(tables.items.select(pl.col("id").alias("item"), *columns), on="item", how="inner")
    rows = rows.select(
        "system", "item", "status", "content", participant=READER, describer=_factor(rows, describer, tables),
        size=_factor(rows, size, tables), pair=_pair(rows, pair),
    )  # fmt: skip
    scenes = _scenes(tables, domain)
    codes = {item: held.code if isinstance(held, Scene) else held for item, held in scenes.items()}
    rows = rows.with_columns(
        answer=pl.Series(_all_counts(rows, scenes, domain), dtype=pl.List(pl.Int64)),
        scene=pl.col("item").replace_strict(codes, default=None, return_dtype=pl.String),
    )
    return rows.select("system", "answer", "participant", "describer", "size", "pair", "scene").sort(
        "system", "describer", "size", "pair", "participant"
    )


def _scenes(tables: Tables, domain: Domain) -> dict[str, Scene | str]:
    """Return the scene of each item; where its gold answer is none of the domain, what stands there, or the set."""
    found: dict[str, Scene | str] = {}
    for item, gold, own_set in tables.items.select("id", "gold", "set").iter_rows():
        try:
            found[item] = read_scene(gold or "", domain)
        except UserError:
            found[item] = gold or own_set
    return found


def _all_counts(rows: pl.DataFrame, scenes: Mapping[str, Scene | str], domain: Domain) -> list[list[int] | None]:
    answers: list[list[int] | None] = []
    faults: list[UserError] = []
    for row in rows.select("item", "status", "content", "size").iter_rows(named=True):
        answer = _counts(row, scenes[row["item"]], domain) if row["status"] == "ok" and row["content"] else None
        faults += [answer] if isinstance(answer, UserError) else []
        answers.append(None if isinstance(answer, UserError) else answer)
    if faults and all(answer is None for answer in answers):
        # Answers about another domain are no missing answers.
        raise UserError(
            f"None of the {len(faults)} answers can be read as counts of the domain '{domain.name}': "
            f"{faults[0].problem}",
            valid=faults[0].valid or f"Counts of {', '.join(domain.kind_names)} that add up to the size of the scene.",
            remedy="Name the domain of the scenes: domain=…",
        )
    return answers


def _counts(row: Mapping[str, Any], scene: Scene | str, domain: Domain) -> list[int] | UserError:
    """Return the counts by kind, or why they are none."""
    said = row["size"] if isinstance(row["size"], int) else None
    try:
        return list(counted_scene(row["content"], domain, scene.size if isinstance(scene, Scene) else said).counts)
    except UserError as error:
        return error


def _two(by: Sequence[str]) -> tuple[str, str]:
    if isinstance(by, str) or len(by) != 2:
        raise UserError(
            f"{by!r} does not name who described and how large the scene is.",
            valid='Two names, such as ("condition", "scene_size").',
        )
    return by[0], by[1]


def _factor(rows: pl.DataFrame, name: str, tables: Tables) -> pl.Expr:
    if name not in rows.columns:
        raise unknown_name("factor", name, ["condition", "material", "set", *attribute_names(tables.items)])
    column = pl.col(name)
    return column if rows.schema[name].is_numeric() else column.cast(pl.String).fill_null(outcomes.NOT_STATED)


def _pair(rows: pl.DataFrame, name: str) -> pl.Expr:
    if name not in rows.columns:
        return pl.col("item")
    return pl.coalesce(pl.col(name).cast(pl.String), pl.col("item"))
