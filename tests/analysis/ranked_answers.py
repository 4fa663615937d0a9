"""Which small runs with rankings do the tests of their analyses share?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from hengliang import Item, Measure, Response, Tables
from hengliang.classifiers import LabelMatch
from hengliang.core import AttributeValue as Attribute
from hengliang.core import Choice, estimate_records, items_frame, responses_frame, with_response_ids

Answer = tuple[str, float] | None


def ranked_run(
    gold: Sequence[str | None],
    answers: Mapping[tuple[str, int | None], Sequence[Answer]],
    blocks: Sequence[Attribute],
    measures: Sequence[Measure] = (LabelMatch(),),
    traits: Mapping[str, Sequence[Attribute]] | None = None,
    **attributes: Sequence[Attribute],
) -> Tables:
    """Return the tables of a run: by system and seed, the first choice for each item with its probability."""
    items = items_frame(
        Item(
            f"i{n:03}", f"i{n:03}", "made up", "", "物", gold=right,
            attributes={"block": blocks[n], **{name: values[n] for name, values in attributes.items()}},
        )
        for n, right in enumerate(gold)
    )  # fmt: skip
    rows = [
        _response(f"i{n:03}", system, seed, answer)
        for (system, seed), held in answers.items()
        for n, answer in enumerate(held)
    ]
    responses = with_response_ids(responses_frame(rows, "ranking"), "ranking")
    systems = pl.DataFrame(
        {"name": [name for name, _ in answers], "seed": [seed for _, seed in answers], **(traits or {})},
        schema_overrides={"name": pl.String, "seed": pl.Int64},
    )
    judged = pl.concat([measure.judge(items, responses) for measure in measures])
    return Tables(items, systems, {"ranking": responses}, judged)


def _response(item: str, system: str, seed: int | None, answer: Answer) -> Response:
    if answer is None:
        return Response("", item, system, seed, "", "ranking", None, "failed", "broke down")
    return Response("", item, system, seed, "", "ranking", (Choice(*answer),))


def shuffled(held: Tables) -> Tables:
    """Return the same run with every table in another order."""
    responses = {kind: frame.sample(fraction=1, shuffle=True, seed=1) for kind, frame in held.responses.items()}
    return replace(held, items=held.items.reverse(), responses=responses, judgements=held.judgements.reverse())


def numbers(estimates: pl.DataFrame) -> dict[tuple[str, ...], float | None]:
    """Return each value under its levels and its statistic."""
    return {(*row.by.values(), row.statistic): row.value for row in estimate_records(estimates)}
