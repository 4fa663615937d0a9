"""Judgement tables: how a measure writes down what it says of each response, or why it says nothing.

Every measure adds to its responses what it has to say, a column `value` (or `label`) and a column `problem`, and
`judgements` makes the judgement table of them. Unscored is not zero: a response without an answer passes on its status
and reason, one that cannot be judged is missing with its problem, and neither has a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from hengliang.core.records import JUDGEMENT_SCHEMA, JudgeKind

NO_ITEM = "there is no item with this id"
NO_GOLD = "the item has no gold answer"
NO_LABEL = "the answer names no label"
NOTHING = "nothing was measured"

CONTROL = "control: "
"""What the part of a judgement begins with that is reported beside those that count."""

UNSETTLED = "tie"
"""The label of a judgement of two sides that are equal, where no coin has settled which one wins."""

Said = float | str | None
"""A value, or the reason why there is none."""


def judgements(
    responses: pl.DataFrame,
    measure: str | pl.Expr,
    judge: str | pl.Expr,
    *,
    value: str | pl.Expr = "value",
    label: str | pl.Expr | None = None,
    problem: str | pl.Expr = "problem",
    part: str | pl.Expr = "",
    about: str = "id",
    scored_system: str | pl.Expr = "system",
    judge_kind: JudgeKind = "machine",
) -> pl.DataFrame:
    """Return the judgement table of responses, or of sets, one row each; equal judgements of one system are one.

    `value`, `label`, `problem`, `about` and `scored_system` are columns or expressions, `measure`, `judge` and `part`
    texts or expressions. A problem takes value and label away, and so does a `status` that is not ok, where there is
    such a column.
    """
    value, label = _column(value).cast(pl.Float64), pl.lit(None, pl.String) if label is None else _column(label)
    silent = pl.col("value").is_null() & pl.col("label").is_null()
    rows = responses.select(
        about=about,
        scored_system=scored_system,
        measure=_text(measure),
        part=_text(part),
        judge_kind=pl.lit(judge_kind),
        judge=_text(judge),
        value=value,
        label=label,
        status=pl.col("status") if "status" in responses.columns else pl.lit("ok"),
        given_reason=pl.col("reason") if "status" in responses.columns else pl.lit(""),
        problem=_column(problem).fill_null(""),
    )
    answered = pl.col("status") == "ok"
    rows = rows.with_columns(
        status=pl.when(answered & ((pl.col("problem") != "") | silent)).then(pl.lit("missing")).otherwise("status"),
        reason=first_problem(
            (~answered, pl.col("given_reason").fill_null("")),
            (pl.col("problem") != "", pl.col("problem")),
            (silent, NOTHING),
        ),
    )
    good = pl.col("status") == "ok"
    rows = rows.with_columns(value=pl.when(good).then("value"), label=pl.when(good).then("label"))
    return rows.select(list(JUDGEMENT_SCHEMA)).unique(maintain_order=True)


def _column(given: str | pl.Expr) -> pl.Expr:
    return pl.col(given) if isinstance(given, str) else given


def _text(given: str | pl.Expr) -> pl.Expr:
    return pl.lit(given) if isinstance(given, str) else given


def first_problem(*problems: tuple[pl.Expr, str | pl.Expr]) -> pl.Expr:
    """Return the reason of the first condition that a row meets; nothing where it meets none."""
    reason = pl.lit("")
    for condition, problem in reversed(problems):
        reason = pl.when(condition).then(_text(problem)).otherwise(reason)
    return reason


def with_each_part(
    responses: pl.DataFrame,
    parts: Sequence[str],
    said: Sequence[Mapping[str, Said]],
    labels: Sequence[Mapping[str, str]] = (),
) -> pl.DataFrame:
    """Return a row for each response and part, with `part`, `value`, `label` and `problem`.

    `said` holds what was said of each response, part by part, and `labels` how its values are called.
    """
    remarks = [(part, about.get(part)) for about in said for part in parts]
    named = [about.get(part) for about in labels for part in parts] if labels else [None] * len(remarks)
    return responses[np.repeat(np.arange(responses.height), len(parts))].with_columns(
        pl.Series("part", [part for part, _ in remarks], pl.String),
        pl.Series(
            "value", [None if isinstance(remark, str) else remark for _, remark in remarks], pl.Float64, strict=False
        ),
        pl.Series("label", named, pl.String),
        pl.Series("problem", [remark if isinstance(remark, str) else "" for _, remark in remarks], pl.String),
    )


# --- labels and their gold answers ------------------------------------------------------------------------------------


def first_labels(responses: pl.DataFrame) -> pl.Series:
    """Return the label of each response, of a ranking the first one; null where there is none."""
    content = responses["content"]
    if content.dtype == pl.String:
        return content
    return content.list.first().struct.field("label")


def labels_of(content: pl.Series) -> pl.Series:
    """Return the labels of each response in NFC, the best first; a single label is a ranking of one."""
    if content.dtype == pl.String:
        return content.str.normalize("NFC").to_frame("label").select(pl.concat_list("label")).to_series()
    label = pl.element().struct.field("label").str.normalize("NFC")
    return content.to_frame("content").select(pl.col("content").list.eval(label)).to_series()


def with_gold(items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Add `labels`, the item's `gold` in NFC, and `problem`, which is empty where an answer can be judged."""
    gold = items.select(item="id", gold=pl.col("gold").str.normalize("NFC"), known=pl.lit(True))
    rows = responses.with_columns(labels=labels_of(responses["content"])).join(
        gold, on="item", how="left", maintain_order="left"
    )
    problem = first_problem(
        (pl.col("status") != "ok", pl.col("reason")),
        (pl.col("known").is_null(), NO_ITEM),
        (pl.col("gold").is_null(), NO_GOLD),
        (pl.col("labels").list.first().is_null(), NO_LABEL),
    )
    return rows.with_columns(problem=problem).drop("known")


def with_seed() -> pl.Expr:
    """Return the name of each system, and where it was trained several times `NAME (seed N)`.

    For what may differ between answers of one id: rankings that begin alike may go on differently.
    """
    several = pl.col("seed").n_unique().over("system") > 1
    return pl.when(several).then(pl.coalesce(pl.format("{} (seed {})", "system", "seed"), "system")).otherwise("system")
