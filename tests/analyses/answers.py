"""Which small tables do the tests of analyses share?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang import Item, Response, Tables
from hengliang.classifiers import LabelMatch
from hengliang.core import SYSTEM_SCHEMA, estimate_records, items_frame, responses_frame, with_response_ids
from hengliang.core import AttributeValue as Attribute

# Gold answers of five slots in three blocks, and what two systems said; None is no answer.
GOLD: Sequence[str | None] = ("个", "个", "本", "张", "张")
BLOCKS: Sequence[str] = ("a", "a", "b", "b", "c")
KINDS: Sequence[str] = ("true", "true", "true", "dual", "dual")
ANSWERS: Mapping[str, Sequence[str | None]] = {
    "GE": ("个", "个", "个", "个", "个"),
    "MIX": ("个", "本", "本", None, "张"),
}


def tables(
    gold: Sequence[str | None] = GOLD,
    answers: Mapping[str, Sequence[str | None]] = ANSWERS,
    blocks: Sequence[str | None] = BLOCKS,
    **attributes: Sequence[Attribute],
) -> Tables:
    """Return the tables of a run that has judged these answers, all given with seed 1."""
    attributes = attributes or {"category": list(KINDS[: len(gold)]) + [None] * (len(gold) - len(KINDS))}
    items = items_frame(
        Item(
            f"i{n}", f"i{n}", "made up", "", "物", gold=right,
            attributes={"block": blocks[n], **{name: values[n] for name, values in attributes.items()}},
        )
        for n, right in enumerate(gold)
    )  # fmt: skip
    rows = [answer(f"i{n}", system, label) for system, labels in answers.items() for n, label in enumerate(labels)]
    responses = with_response_ids(responses_frame(rows, "label"), "label")
    systems = pl.DataFrame({"name": list(answers), "seed": [1] * len(answers)}, schema=SYSTEM_SCHEMA)
    return judge(Tables(items, systems, {"label": responses}, pl.DataFrame()))


def answer(item: str, system: str, label: str | None, seed: int = 1) -> Response:
    """Return a given answer, or one that failed."""
    if label is None:
        return Response("", item, system, seed, "", "label", None, "failed", "broke down")
    return Response("", item, system, seed, "", "label", label)


def judge(held: Tables) -> Tables:
    """Return the tables with the judgements of all answers."""
    frames = [LabelMatch().judge(held.items, frame) for frame in held.responses.values()]
    return Tables(held.items, held.systems, held.responses, pl.concat(frames))


def values(estimates: pl.DataFrame) -> dict[tuple[str, ...], float | None]:
    """Return each value under its levels and its statistic."""
    return {(*row.by.values(), row.statistic): row.value for row in estimate_records(estimates)}
