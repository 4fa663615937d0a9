"""Which run with people's ratings of shared responses do the tests of models and comparisons share?"""

from __future__ import annotations

import numpy as np
import polars as pl

from hengliang import Item, Judgement, Response, Tables
from hengliang.core import items_frame, judgements_frame, response_id, responses_frame

SYSTEMS = ("BERT", "GE", "RULE")
ITEMS, RATERS = 24, 6


def rated_tables(seed: int = 1) -> Tables:
    """Return three systems on 24 items; BERT and RULE answer alike on every third, and six readers rate each answer.

    True ratings: GE 0, RULE 1, BERT 2 points above the item, and what two systems gave lies between.
    """
    generator = np.random.default_rng(seed)
    items = items_frame(
        Item(
            f"i{number:02}",
            f"s{number // 2}",
            "made up",
            "",
            "物",
            attributes={"block": number // 4, "odd": number % 2},
        )
        for number in range(ITEMS)
    )
    responses, judgements = [], []
    lean = generator.normal(0, 0.5, RATERS)
    for number in range(ITEMS):
        item, height = f"i{number:02}", generator.normal(0, 0.7)
        given = {"GE": "个", "RULE": "本", "BERT": "本" if number % 3 == 0 else "张"}
        points = {"个": 0.0, "本": 1.5 if number % 3 == 0 else 1.0, "张": 2.0}
        for system in SYSTEMS:
            about = response_id(item, "label", given[system])
            responses.append(Response(about, item, system, 1, "", "label", given[system]))
        for label in sorted(set(given.values())):
            for rater in range(RATERS):
                raw = 3 + points[label] + height + lean[rater] + generator.normal(0, 0.8)
                value = float(np.clip(np.round(raw), 1, 7))
                about = response_id(item, "label", label)
                judgements.append(Judgement(about, "", "fluency", "", "person", f"p{rater}", value))
    systems = pl.DataFrame({"name": SYSTEMS, "seed": [1] * 3, "neural": [True, False, False]})
    return Tables(items, systems, {"label": responses_frame(responses, "label")}, judgements_frame(judgements))


def reversed_tables(tables: Tables) -> Tables:
    """Return the same run with every table the other way round."""
    responses = {kind: frame.reverse() for kind, frame in tables.responses.items()}
    return Tables(tables.items.reverse(), tables.systems.reverse(), responses, tables.judgements.reverse())
