"""Which promises does every measure make about its judgements?

The kit puts a few answers of our own, of every kind that the measure judges, before it: answered and unanswered, in one
order and in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from hengliang.core.views import checked_views
from hengliang.findings import Promise
from hengliang.records import (
    JUDGEMENT_SCHEMA,
    Choice,
    Content,
    Count,
    Item,
    Response,
    ResponseKind,
    ScoredUnit,
    Span,
    TaggedWord,
    check_judgements,
    items_frame,
    response_id,
    responses_frame,
)

if TYPE_CHECKING:
    from hengliang.measures.base import Measure

_SENTENCE = "他买了一书。"
_CONTENTS: dict[ResponseKind, tuple[Content, Content]] = {
    "label": ("本", "个"),
    "ranking": ((Choice("本", 0.75), Choice("个", 0.25)), (Choice("个", 1.0),)),
    "text": ("他买了一本书。", "他买书。"),
    "tagging": (
        (TaggedWord(0, 3, "r"), TaggedWord(3, 9, "v"), TaggedWord(9, 18, "n")),
        (TaggedWord(0, 9, "v"), TaggedWord(9, 18, "n")),
    ),
    "units": (
        (ScoredUnit(0, 9, -3.0, -8.0), ScoredUnit(9, 18, -4.5, -9.5), ScoredUnit(18, 18, -0.5, -2.0)),
        (ScoredUnit(0, 18, -9.0, -20.0), ScoredUnit(18, 18, -0.25, -2.0)),
    ),
    "counts": ((Count("BS", 2), Count("RC", 2)), (Count("BS", 4),)),
}


def sample_items() -> pl.DataFrame:
    """Return three items, two of them in one set, one without a gold answer."""
    spans = (Span("slot", 12, 12), Span("head", 12, 15))
    return items_frame(
        Item(f"sample-{number}", group, "sample", condition, _SENTENCE, spans, gold, attributes={"head": "书"})
        for number, group, condition, gold in ((1, "a", "x", "本"), (2, "a", "y", "本"), (3, "b", "x", None))
    )


def sample_responses(kind: ResponseKind) -> pl.DataFrame:
    """Return the answers of two systems to the sample items, the last of each unanswered."""
    rows: list[Response] = []
    for system, content in zip(("one", "two"), _CONTENTS[kind], strict=True):
        rows += [
            Response(response_id(item, kind, content), item, system, None, "", kind, content)
            for item in ("sample-1", "sample-2")
        ]
        nothing = response_id("sample-3", kind, None)
        rows.append(Response(nothing, "sample-3", system, None, "", kind, None, "missing", "no answer"))
    return responses_frame(rows, kind)


def measure_promises(measure: Measure) -> list[Promise]:
    """Return what every measure promises, tried on sample answers of each kind it judges."""

    def judged(kind: ResponseKind, responses: pl.DataFrame) -> pl.DataFrame:
        return measure.judge(sample_items(), responses).select(list(JUDGEMENT_SCHEMA))

    def table_is_right() -> str:
        for kind in measure.kinds:
            check_judgements(judged(kind, sample_responses(kind)))
        return ""

    def order_does_not_matter() -> str:
        for kind in measure.kinds:
            responses = sample_responses(kind)
            one, two = (judged(kind, frame).sort(list(JUDGEMENT_SCHEMA)) for frame in (responses, responses.reverse()))
            if not one.equals(two):
                return f"other judgements when the {kind} answers come in another order"
        return ""

    def unanswered_is_not_zero() -> str:
        for kind in measure.kinds:
            unanswered = sample_responses(kind).filter(pl.col("status") != "ok")
            valued = judged(kind, unanswered).filter(pl.col("value").is_not_null() | pl.col("label").is_not_null())
            if valued.height:
                return f"gives {valued['value'][0]} to a {kind} answer that is not there"
        return ""

    def nothing_gives_nothing() -> str:
        for kind in measure.kinds:
            rows = judged(kind, sample_responses(kind).head(0)).filter(pl.col("status") == "ok").height
            if rows:
                return f"makes {rows} judgements of no answers"
        return ""

    def views_can_be_shown() -> str:
        responses = {kind: sample_responses(kind) for kind in measure.kinds}
        tables = [judged(kind, frame) for kind, frame in responses.items()]
        checked_views({"the measure": measure.views(sample_items(), responses, pl.concat(tables))})
        return ""

    return [
        ("gives a right judgement table", table_is_right),
        ("does not look at the order of the answers", order_does_not_matter),
        ("gives no value to what was not answered", unanswered_is_not_zero),
        ("makes nothing out of nothing", nothing_gives_nothing),
        ("has views that a report can show", views_can_be_shown),
    ]
