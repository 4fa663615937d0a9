"""Which small runs of suites do the tests of structured and unstructured models look at?

Every training of a system has as many right answers under a modifier as every other, and every item too: who is right
where rotates. So no item and no training is easier than another, and what a model without random effects gives by hand
is what the mixed model must give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang import Item, Judgement, Tables
from hengliang.core import items_frame, judgements_frame

MODIFIERS = ("none", "subject relative", "coordinated relatives", "embedded relatives")
SEEDS = 4
FRAMES = 8
TRAITS: Mapping[str, Mapping[str, str | bool | None]] = {
    "5-gram": {"architecture": "ngram", "structured": False, "trees": None},
    "LSTM": {"architecture": "lstm", "structured": False, "trees": None},
    "Transformer": {"architecture": "transformer", "structured": False, "trees": None},
    "RNNG": {"architecture": "rnng", "structured": True, "trees": "given"},
    "PLM": {"architecture": "plm", "structured": True, "trees": "given"},
    "RNNG, right-branching": {"architecture": "rnng", "structured": True, "trees": "right-branching"},
    "RNNG, shuffled": {"architecture": "rnng", "structured": True, "trees": "shuffled"},
}
Right = Mapping[str, Sequence[int]]
"""By system, how many of its four trainings are right on an item under each modifier."""

USUAL: Right = {
    "LSTM": (3, 3, 2, 1),
    "Transformer": (3, 2, 2, 1),
    "RNNG": (3, 3, 3, 2),
    "PLM": (2, 2, 2, 2),
}


def structured_run(
    right: Right = USUAL, material: str = "test suites", class_: str = "missing object", ties: Sequence[str] = ()
) -> Tables:
    """Return a run on one class; all judgements of a system, or of "system, modifier", in `ties` are ties."""

    def tied(system: str, modifier: str) -> bool:
        return system in ties or f"{system}, {modifier}" in ties

    items = items_frame(
        Item(
            f"{modifier} {frame}/{condition}", f"{modifier} {frame}", material, condition, "物",
            attributes={"class": class_, "modifier": modifier, "frame": f"{class_} {frame}", "domain": "syntactic"},
        )
        for modifier in MODIFIERS
        for frame in range(FRAMES)
        for condition in ("complete", "missing")
    )  # fmt: skip
    judgements = [
        Judgement(
            f"{modifier} {frame}", f"{system} (seed {seed})", "prediction", "1", "machine", "formula",
            0.0 if tied(system, modifier) else float((seed + frame) % SEEDS < count),
            "tie" if tied(system, modifier) else "holds",
        )
        for system, counts in right.items()
        for modifier, count in zip(MODIFIERS, counts, strict=True)
        for frame in range(FRAMES)
        for seed in range(SEEDS)
    ]  # fmt: skip
    systems = [{"name": name, "seed": seed, "data": "small", **TRAITS[name]} for name in right for seed in range(SEEDS)]
    frame = pl.DataFrame(systems, schema_overrides={"trees": pl.String})
    return Tables(items, frame, {}, judgements_frame(judgements))
