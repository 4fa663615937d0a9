"""Which promises does every analysis make about its estimates?

The kit hands it the tables of a small invented run. An analysis that needs other columns may refuse them with a message
for the user; that is a promise kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from hengliang.core.settings import from_json, to_json
from hengliang.errors import UserError
from hengliang.findings import Promise
from hengliang.records import (
    ESTIMATE_SCHEMA,
    Choice,
    Item,
    Judgement,
    Response,
    items_frame,
    judgements_frame,
    response_id,
    responses_frame,
)
from hengliang.runs import Tables

if TYPE_CHECKING:
    from hengliang.analysis.base import Analysis

_GOLDS = ("个", "本", "个", "条", "只", "个", "辆", "本")
_GIVEN = {"one": ("个",) * 8, "two": ("个", "本", "个", "条", "个", "位", "辆", "个")}


def sample_tables() -> Tables:
    """Return a run of two systems on eight items in four blocks, with a match judgement of each answer."""
    items = items_frame(
        Item(f"i{number}", f"i{number}", "sample", "", f"句{number}", (), gold, attributes={"block": number // 2})
        for number, gold in enumerate(_GOLDS)
    )
    responses, judgements = [], []
    for system, labels in _GIVEN.items():
        for number, (label, gold) in enumerate(zip(labels, _GOLDS, strict=True)):
            content = (Choice(label, 1.0),)
            about = response_id(f"i{number}", "ranking", content)
            responses.append(Response(about, f"i{number}", system, None, "", "ranking", content))
            judgements.append(Judgement(about, system, "match", "", "machine", "match", float(label == gold)))
    systems = pl.DataFrame({"name": list(_GIVEN), "seed": [None, None]}, schema={"name": pl.String, "seed": pl.Int64})
    return Tables(items, systems, {"ranking": responses_frame(responses, "ranking")}, judgements_frame(judgements))


def _reversed(tables: Tables) -> Tables:
    responses = {kind: frame.reverse() for kind, frame in tables.responses.items()}
    return Tables(tables.items.reverse(), tables.systems.reverse(), responses, tables.judgements.reverse())


def analysis_promises(analysis: Analysis) -> list[Promise]:
    """Return what every analysis promises, tried on the tables of a small run."""

    def estimated(tables: Tables) -> pl.DataFrame:
        try:
            return analysis.estimate(tables)
        except UserError:
            return pl.DataFrame(schema=ESTIMATE_SCHEMA)

    def table_is_right() -> str:
        frame = estimated(sample_tables())
        if dict(frame.schema) != ESTIMATE_SCHEMA:
            return f"its columns are {dict(frame.schema)}"
        strange = set(frame["analysis"]) - {analysis.name}
        return f"estimates call their analysis '{strange.pop()}'" if strange else ""

    def order_does_not_matter() -> str:
        one, two = estimated(sample_tables()), estimated(_reversed(sample_tables()))
        numbers = ["statistic", "value", "low", "high", "p", "n", "n_missing"]
        rows = [sorted(map(str, frame.select("by", *numbers).rows())) for frame in (one, two)]
        return "" if rows[0] == rows[1] else "other numbers when the tables come in another order"

    def numbers_are_signed() -> str:
        frame = estimated(sample_tables())
        unsigned = frame.filter((pl.col("signature").fill_null("") == "") | (pl.col("method").fill_null("") == ""))
        return f"'{unsigned['statistic'][0]}' has no signature or no method" if unsigned.height else ""

    def layout_is_right() -> str:
        layout = analysis.layout()
        return (
            ""
            if from_json(type(layout), to_json(layout), "The layout") == layout
            else "its layout does not survive JSON"
        )

    return [
        ("gives a right estimate table", table_is_right),
        ("does not look at the order of rows", order_does_not_matter),
        ("says of every number how it was made", numbers_are_signed),
        ("names its layout", layout_is_right),
    ]
