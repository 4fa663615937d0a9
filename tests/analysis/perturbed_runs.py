"""Which small runs with perturbed sentences do the tests of discrimination look at?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from hengliang import Item, Judgement, Response, Tables
from hengliang.core import SYSTEM_SCHEMA, ScoredUnit, items_frame, judgements_frame, response_id, responses_frame
from hengliang.core import AttributeValue as Attribute

Scores = Mapping[tuple[str, int | None, str], Mapping[str, float | None]]
"""Of each system, seed and part the score of each item."""


def sentence(id_: str, perturbation: str = "", **attributes: Attribute) -> Item:
    """Return an item whose id begins with its set: `a` is the original, `a/classifier` a version of it."""
    held: dict[str, Attribute] = {"acceptable": not perturbation, "perturbation": perturbation, **attributes}
    return Item(id_, id_.split("/")[0], "m", perturbation or "original", "句", attributes=held)


def run(items: Sequence[Item], scores: Scores) -> Tables:
    """Return a run in which systems have these scores; None is an answer that could not be scored."""
    responses: dict[tuple[str, str, int | None], Response] = {}
    judgements = []
    for number, ((system, seed, part), held) in enumerate(scores.items()):
        for item, score in held.items():
            # The units only have to differ between answers; nobody reads them here.
            units = (ScoredUnit(0, 3, -1.0 - number, None),)
            answer = responses.setdefault(
                (system, item, seed),
                Response(response_id(item, "units", units), item, system, seed, "", "units", units),
            )
            status: Any = ("ok", "") if score is not None else ("missing", "not scored")
            judgements.append(Judgement(answer.id, system, "acceptability", part, "machine", "m", score, None, *status))
    systems = list(dict.fromkeys((system, seed) for system, seed, _ in scores))
    return Tables(
        items_frame(items),
        pl.DataFrame(systems, schema=SYSTEM_SCHEMA, orient="row"),
        {"units": responses_frame(responses.values(), "units")},
        judgements_frame(judgements),
    )


def simulated(n: int = 60, seed: int = 1, part: str = "SLOR") -> Tables:
    """Return two systems on `n` sentences, of which half have an entity: 'fine' likes order, 'coarse' classifiers."""
    generator = np.random.default_rng(seed)
    items: list[Item] = []
    scores: dict[tuple[str, int | None, str], dict[str, float | None]] = {
        ("fine", None, part): {},
        ("coarse", None, part): {},
    }
    for number in range(n):
        entity = number % 2 == 0
        source = generator.normal()
        for kind, gaps in (("", (0, 0)), ("word order", (2.5, 0.5)), ("classifier", (0.3, 2.0))):
            item = sentence(f"s{number:03}/{kind}" if kind else f"s{number:03}", kind, has_entity=entity)
            items.append(item)
            for (name, *_), gap in zip(scores, gaps, strict=True):
                scores[name, None, part][item.id] = float(source - gap + generator.normal())
    return run(items, scores)
