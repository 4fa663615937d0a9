"""Which rankings and items do the tests of the measures of rankings share?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.records import (
    Choice,
    Item,
    Response,
    Span,
    Status,
    check_judgements,
    items_frame,
    responses_frame,
    with_response_ids,
)

Ranked = Sequence[tuple[str, float]]


def slot(identity: str, noun: str, gold: str | None) -> Item:
    """Return an item with an empty slot before its noun."""
    content = f"三{noun}"
    spans = (Span("slot", 3, 3), Span("head", 3, len(content.encode())))
    return Item(identity, identity, "made up", "", content, spans, gold, attributes={"head": noun, "block": identity})


def ranked(item: str, choices: Ranked, system: str = "A", seed: int | None = None) -> Response:
    """Return a ranking."""
    content = tuple(Choice(label, probability) for label, probability in choices)
    return Response("", item, system, seed, "", "ranking", content)


def even(item: str, *labels: str, system: str = "A", seed: int | None = None) -> Response:
    """Return a ranking of equally probable labels."""
    return ranked(item, [(label, 1 / len(labels)) for label in labels], system, seed)


def unanswered(item: str, status: Status, reason: str, system: str = "A") -> Response:
    """Return an answer that is not there."""
    return Response("", item, system, None, "", "ranking", None, status, reason)


def judged(measure: Measure, items: Sequence[Item], responses: Sequence[Response]) -> pl.DataFrame:
    """Return what the measure says of rankings, checked."""
    frame = with_response_ids(responses_frame(responses, "ranking"), "ranking")
    return check_judgements(measure.judge(items_frame(items), frame))


def judged_labels(measure: Measure, items: Sequence[Item], labels: Mapping[str, str]) -> pl.DataFrame:
    """Return what the measure says of single labels, by item."""
    rows = [Response("", item, "A", None, "", "label", label) for item, label in labels.items()]
    frame = with_response_ids(responses_frame(rows, "label"), "label")
    return check_judgements(measure.judge(items_frame(items), frame))
