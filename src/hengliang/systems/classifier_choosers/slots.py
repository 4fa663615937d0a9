"""Where in an item does a classifier go, and which noun does it count?"""

from __future__ import annotations

import polars as pl

SLOT_SCHEMA: dict[str, pl.DataType] = {"sentence": pl.String(), "slot": pl.Int64(), "noun": pl.String()}


def slots_of(items: pl.DataFrame) -> pl.DataFrame:
    """Return the slot of each item: `row`, `sentence`, `slot`, `noun`, and `problem`, which is empty for a usable slot.

    The slot is the span named `slot`. The noun is the attribute `head`, else the text of the span named `head`, else
    empty. A slot that holds text already is refused, for the text would give the answer away.
    """
    rows = items.select(pl.int_range(pl.len()).alias("row"), sentence="content", span="spans")
    spans = rows.select("row", "span").explode("span").drop_nulls("span").unnest("span")
    slot = (
        spans.filter(pl.col("name") == "slot")
        .group_by("row")
        .agg(slot=pl.col("start").first(), width=(pl.col("end") - pl.col("start")).first(), count=pl.len())
    )
    found = rows.drop("span").join(slot, on="row", how="left", maintain_order="left")
    named = items["head"].cast(pl.String) if "head" in items.columns else pl.Series([None], dtype=pl.String)
    noun = pl.coalesce(pl.lit(named), pl.lit(_spanned_heads(rows, spans)))
    first_byte = pl.col("sentence").cast(pl.Binary).bin.slice(pl.col("slot"), 1)
    within = _begins_within(first_byte)
    problem = (
        pl.when(pl.col("slot").is_null())
        .then(pl.lit("the item has no span named 'slot'"))
        .when(pl.col("count") > 1)
        .then(pl.lit("the item has more than one span named 'slot'"))
        .when(pl.col("width") > 0)
        .then(pl.lit("the span 'slot' of the item is not empty"))
        .when(within)
        .then(pl.lit("the span 'slot' of the item begins inside a character"))
        .otherwise(pl.lit(""))
    )
    return found.with_columns(noun=noun, problem=problem).select("row", *SLOT_SCHEMA, "problem")


def _spanned_heads(rows: pl.DataFrame, spans: pl.DataFrame) -> pl.Series:
    head = spans.filter(pl.col("name") == "head").unique("row", keep="first", maintain_order=True)
    found = rows.select("row", "sentence").join(head, on="row", how="left", maintain_order="left")
    text = pl.col("sentence").cast(pl.Binary).bin.slice(pl.col("start"), pl.col("end") - pl.col("start"))
    # A span that cuts a character in two names no noun: its text, or what follows it, begins within a character.
    cut = [_begins_within(pl.col("sentence").cast(pl.Binary).bin.slice(pl.col(edge), 1)) for edge in ("start", "end")]
    whole = pl.when((cut[0] | cut[1]).not_().fill_null(False)).then(text).otherwise(pl.lit(b""))
    return found.select(noun=whole.cast(pl.String))["noun"]


def _begins_within(first_byte: pl.Expr) -> pl.Expr:
    """Say whether a text begins within a character: a byte 10xxxxxx continues one."""
    return (first_byte >= b"\x80") & (first_byte < b"\xc0")
