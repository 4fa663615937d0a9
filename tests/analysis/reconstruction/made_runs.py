"""Which small runs have readers who rebuilt scenes?"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from hengliang import Item, Judgement, Response, Tables
from hengliang.analysis.reconstruction.answers import Answer
from hengliang.core import SYSTEM_SCHEMA, Count, items_frame, judgements_frame, response_id, responses_frame
from hengliang.core import AttributeValue as Attribute
from hengliang.measures.reconstruction import Swaps


def run_of(
    answers: Iterable[Answer],
    *,
    system: str = "people",
    seeds: bool = False,
    attributes: dict[str, float] | None = None,
) -> Tables:
    """Return the tables of a run with these answers, by respondents, or by seeds of one system."""
    held = list(answers)
    items: dict[str, Item] = {}
    responses = []
    numbers = {name: place for place, name in enumerate(dict.fromkeys(one.participant for one in held), 1)}
    for one in held:
        own: dict[str, Attribute] = {"pair": one.pair, "scene_size": one.scene.size, **(attributes or {})}
        text = f"Description {one.pair}."
        items.setdefault(
            one.pair,
            Item(
                f"item {one.pair}", one.scene.code, "scenes", one.describer, text, gold=one.scene.code,
                source=response_id(one.scene.code, "text", text), attributes=own,
            ),
        )  # fmt: skip
        content = None if one.counts is None else _content(one)
        responses.append(
            Response(
                response_id(f"item {one.pair}", "counts", content), f"item {one.pair}", system,
                numbers[one.participant] if seeds else None, "" if seeds else one.participant, "counts", content,
                "missing" if content is None else "ok", one.reason,
            )
        )  # fmt: skip
    frame = responses_frame(responses, "counts")
    names = sorted(set(frame["seed"].to_list())) if seeds else [None]
    systems = pl.DataFrame({"name": [system] * len(names), "seed": names}, schema=SYSTEM_SCHEMA)
    table = items_frame(items.values())
    return Tables(table, systems, {"counts": frame}, Swaps().judge(table, frame))


def _content(one: Answer) -> tuple[Count, ...]:
    named = zip(one.scene.domain.kind_names, one.counts or (), strict=True)
    return tuple(Count(kind, count) for kind, count in named)


def with_scores(tables: Tables, scores: dict[str, float], name: str = "informativity") -> Tables:
    """Return the run with two experts' judgements about the source of every item: the score and a point less."""
    sources = dict(tables.items.select("pair", "source").iter_rows())
    rows = [
        Judgement(sources[pair], "", name, "", "person", judge, value - less)
        for pair, value in scores.items()
        for judge, less in (("j1", 0.0), ("j2", 1.0))
    ]
    both = pl.concat([tables.judgements, judgements_frame(rows)])
    return Tables(tables.items, tables.systems, tables.responses, both)
