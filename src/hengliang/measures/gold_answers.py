"""Which gold answer is each response held against, and which responses cannot be judged?

What the measures of rankings share: unscored is not zero, so a response without an answer, an item or a gold answer
keeps the reason why it has no value.
"""

from __future__ import annotations

import polars as pl

from hengliang.measures.label_match import NO_GOLD, NO_ITEM, NO_LABEL
from hengliang.records import JUDGEMENT_SCHEMA


def labels_of(content: pl.Series) -> pl.Series:
    """Return the labels of each response in NFC, the best first; a single label is a ranking of one."""
    if content.dtype == pl.String:
        return content.str.normalize("NFC").to_frame("label").select(pl.concat_list("label")).to_series()
    label = pl.element().struct.field("label").str.normalize("NFC")
    return content.to_frame("content").select(pl.col("content").list.eval(label)).to_series()


def with_gold(items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Add `labels`, the item's `gold` in NFC, and `problem`, which is empty where the response can be judged."""
    gold = items.select(item="id", gold=pl.col("gold").str.normalize("NFC"), known=pl.lit(True))
    found = responses.with_columns(labels=labels_of(responses["content"])).join(
        gold, on="item", how="left", maintain_order="left"
    )
    problem = (
        pl.when(pl.col("status") != "ok").then("reason")
        .when(pl.col("known").is_null()).then(pl.lit(NO_ITEM))
        .when(pl.col("gold").is_null()).then(pl.lit(NO_GOLD))
        .when(pl.col("labels").list.first().is_null()).then(pl.lit(NO_LABEL))
        .otherwise(pl.lit(""))
    )  # fmt: skip
    return found.with_columns(problem=problem).drop("known")


def judgements(found: pl.DataFrame, measure: str, judge: str, part: str = "", *, seeds: bool = False) -> pl.DataFrame:
    """Return the judgement table of rows with `value`, `problem` and, if there are some, `explained` labels.

    With `seeds` the trainings of one system are named apart, `NAME (seed N)`, where there are several: answers that
    begin alike have one id, and yet may differ further down.
    """
    several = pl.col("seed").n_unique().over("system") > 1 if seeds else pl.lit(False)
    named = pl.coalesce(pl.format("{} (seed {})", "system", "seed"), "system")
    good = pl.col("problem") == ""
    unanswered = pl.col("status") != "ok"
    explained = pl.col("explained") if "explained" in found.columns else pl.lit(None, dtype=pl.String)
    return (
        found.select(
            about="id",
            scored_system=pl.when(several).then(named).otherwise("system"),
            measure=pl.lit(measure),
            part=pl.lit(part),
            judge_kind=pl.lit("machine"),
            judge=pl.lit(judge),
            value=pl.when(good).then(pl.col("value").cast(pl.Float64)),
            label=pl.when(good).then(explained),
            status=pl.when(unanswered).then("status").when(good).then(pl.lit("ok")).otherwise(pl.lit("missing")),
            reason="problem",
        )
        .unique(maintain_order=True)
        .select(list(JUDGEMENT_SCHEMA))
    )
